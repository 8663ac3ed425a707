import type { Clock } from '../clock.ts'

const secondMs = 1_000
const limits = { lines: 2_000, bytes: 32 * 1024 * 1024 }

/**
 * How fast a stream of a server's is read: as many answers of runs as may be under way fit into a second or two, and real
 * servers write a few lines. The rest waits in the pipe, and whoever writes it waits too. Without this a server that only
 * writes would keep this process, which has windows to serve, busy for ever.
 */
export class Pace {
  readonly #clock: Clock
  #since: number
  #lines = 0
  #bytes = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#since = clock.now()
  }

  /** Counts what was taken. */
  took(bytes: number, lines: number): void {
    this.#lines += lines
    this.#bytes += bytes
  }

  /** How long to wait before more is taken; 0 where it may be taken now. */
  restMs(): number {
    const past = this.#clock.now() - this.#since
    if (past >= 0 && past < secondMs) {
      const isSpent = this.#lines >= limits.lines || this.#bytes >= limits.bytes
      return isSpent ? secondMs - past : 0
    }
    this.#since = this.#clock.now()
    this.#lines = 0
    this.#bytes = 0
    return 0
  }
}
