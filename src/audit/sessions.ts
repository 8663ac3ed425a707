import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Which starts of the application are still alive, by a file with the process id each. An application that was killed
 * leaves its file behind, but not its process.
 */
export class Sessions {
  readonly #folder: string
  readonly #own: string

  constructor(folder: string, own: string) {
    this.#folder = join(folder, 'sessions')
    this.#own = own
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      writeFileSync(join(this.#folder, own), String(process.pid), { mode: 0o600 })
    } catch {
      // Others will take our runs for interrupted while they run; nothing on the record is wrong because of that.
    }
  }

  isLive(session: string): boolean {
    if (session === this.#own) return true
    try {
      process.kill(Number(readFileSync(join(this.#folder, session), 'utf8')), 0)
      return true
    } catch (error) {
      // A process of another user cannot be signalled, but it is there.
      return error instanceof Error && 'code' in error && error.code === 'EPERM'
    }
  }

  close(): void {
    rmSync(join(this.#folder, this.#own), { force: true })
  }
}
