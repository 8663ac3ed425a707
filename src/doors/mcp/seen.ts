import type { PathId, RunId } from '../../contract/ids.ts'
import type { RunView } from '../../contract/runs.ts'
import type { Events } from '../../events.ts'

const mostKept = 200

/** How the runs of some paths stand, by what the engine tells. Only the newest are kept. */
export class SeenRuns {
  readonly #paths = new Set<PathId>()
  readonly #views = new Map<RunId, RunView>()
  readonly #waiting = new Set<() => void>()
  readonly close: () => void

  constructor(events: Pick<Events, 'listen'>) {
    this.close = events.listen(event => {
      if (event.type !== 'run' || !this.#paths.has(event.run.path)) return
      this.#views.delete(event.run.run)
      this.#views.set(event.run.run, event.run)
      const [oldest] = this.#views.keys()
      if (this.#views.size > mostKept && oldest) this.#views.delete(oldest)
      for (const wake of this.#waiting) wake()
    })
  }

  watch(path: PathId): void {
    this.#paths.add(path)
  }

  get(run: RunId): RunView | null {
    return this.#views.get(run) ?? null
  }

  /** Resolves with the next news of any run, or when the signal says so. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      if (signal.aborted) return resolve()
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake)
    })
  }
}
