import type { Clock } from '../../clock.ts'
import type { CloudMachine } from './service.ts'

/** How long the service may keep a machine awake after it was last used, by settings and policy, asked each time. */
export type AwakeMs = () => Promise<number>

/** Counts how long a machine was awake. */
export interface Stretch {
  /** It was awake at this time. */
  seen(at: number): void
  /** It went to sleep or ended; nothing of it is counted after that. */
  over(at: number): Promise<void>
}

/** Runs need this much more than their own time: files are listed, output is fetched. */
const marginMs = 60_000
/** The service has the machine for longer than this, or it is asked for more. */
const renewAt = 3 / 4
const seenEveryMs = 10_000

/**
 * Keeps the service's own time limit for a machine in step with its use, and counts how long it was awake. All by this
 * machine's clock: what the service says of time is not asked.
 */
export class Awake {
  readonly #machine: CloudMachine
  readonly #clock: Clock
  readonly #awakeMs: AwakeMs
  readonly #begin: () => Promise<Stretch>
  #stretch: Stretch
  #until: number
  #seenAt: number

  constructor(
    machine: CloudMachine,
    parts: { clock: Clock; awakeMs: AwakeMs; resumed: () => Promise<Stretch>; stretch: Stretch; grantedMs: number },
  ) {
    this.#machine = machine
    this.#clock = parts.clock
    this.#awakeMs = parts.awakeMs
    this.#begin = parts.resumed
    this.#stretch = parts.stretch
    this.#until = parts.clock.now() + parts.grantedMs
    this.#seenAt = parts.clock.now()
  }

  /** Sees to it that the machine is awake now and for this long, and for as long after that as it is kept. */
  async for(ms: number): Promise<void> {
    const now = this.#clock.now()
    const keepMs = await this.#awakeMs()
    const wantedMs = Math.max(keepMs, ms + marginMs)
    if (now >= this.#until) {
      // The service has paused it by itself; connecting wakes it.
      await this.#stretch.over(this.#until)
      await this.#machine.wake(wantedMs)
      this.#stretch = await this.#begin()
    } else if (this.#until - now < Math.max(keepMs * renewAt, ms + marginMs)) await this.#machine.extend(wantedMs)
    else return
    this.#until = now + wantedMs
  }

  /** Noted now and then, so that a crash costs the count little. */
  used(): void {
    const now = this.#clock.now()
    if (now - this.#seenAt < seenEveryMs) return
    this.#seenAt = now
    this.#stretch.seen(now)
  }

  over(): Promise<void> {
    return this.#stretch.over(Math.min(this.#clock.now(), this.#until))
  }
}
