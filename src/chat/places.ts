import type { PathRef } from '../contract/contexts.ts'
import type { PathId } from '../contract/ids.ts'
import type { Outcome } from '../contract/problem.ts'
import type { Desk } from './desk.ts'
import type { Place } from './instructions.ts'

/** While somebody types, what was found stays true for long enough; what a run may do is looked at when it runs. */
const freshMs = 10_000
const mostKept = 50

/** Where code of paths would run, looked for ahead of the question: for that, folders and a dozen tables are read. */
export class Places {
  readonly #desk: Pick<Desk, 'sandboxFor' | 'clock'>
  readonly #ahead = new Map<PathId, { at: number; place: Promise<Outcome<Place>> }>()

  constructor(desk: Pick<Desk, 'sandboxFor' | 'clock'>) {
    this.#desk = desk
  }

  /** Looks for it now, so that a question which comes soon finds it there. */
  async prepare(ref: PathRef): Promise<void> {
    if (this.#ahead.size >= mostKept) this.#ahead.clear()
    const place = this.#desk.sandboxFor(ref)
    this.#ahead.set(ref.path, { at: this.#desk.clock.now(), place })
    await place
  }

  /** Once for each preparation. Where there was no place a moment ago there may be one now. */
  async of(ref: PathRef): Promise<Outcome<Place>> {
    const ahead = this.#ahead.get(ref.path)
    this.#ahead.delete(ref.path)
    const age = ahead ? this.#desk.clock.now() - ahead.at : freshMs
    const found = ahead && age >= 0 && age < freshMs ? await ahead.place.catch(() => null) : null
    return found?.ok ? found : this.#desk.sandboxFor(ref)
  }
}
