import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
      // Those of applications that were killed.
      for (const name of readdirSync(this.#folder))
        if (!this.isLive(name)) rmSync(join(this.#folder, name), { force: true })
    } catch {
      // Others will take our runs for interrupted while they run; nothing on the record is wrong because of that.
    }
  }

  isLive(session: string): boolean {
    if (session === this.#own) return true
    try {
      const pid = Number(readFileSync(join(this.#folder, session), 'utf8'))
      // Zero, as of a file that a crash left empty, would speak of our own process.
      return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0)
    } catch (error) {
      // A process of another user cannot be signalled, but it is there.
      return error instanceof Error && 'code' in error && error.code === 'EPERM'
    }
  }

  close(): void {
    rmSync(join(this.#folder, this.#own), { force: true })
  }
}
