import type { Clock } from '../clock.ts'

const quietMs = 50

/** Tells of the first change at once and of those soon after it together: a view of 500 tasks costs more than a change. */
export class Notices<Id> {
  readonly #clock: Clock
  readonly #tell: (id: Id) => Promise<void>
  readonly #quiet = new Map<Id, { again: boolean; readonly cancel: () => void }>()

  constructor(clock: Clock, tell: (id: Id) => Promise<void>) {
    this.#clock = clock
    this.#tell = tell
  }

  changed(id: Id): void {
    const quiet = this.#quiet.get(id)
    if (quiet) {
      quiet.again = true
      return
    }
    const cancel = this.#clock.after(quietMs, () => {
      const again = this.#quiet.get(id)?.again
      this.#quiet.delete(id)
      if (again) this.changed(id)
    })
    this.#quiet.set(id, { again: false, cancel })
    void this.#tell(id)
  }

  /** Tells what is still to be told, so that nobody is left with the state before the last. */
  async close(): Promise<void> {
    const left = [...this.#quiet]
    this.#quiet.clear()
    for (const [id, { again, cancel }] of left) {
      cancel()
      if (again) await this.#tell(id)
    }
  }
}
