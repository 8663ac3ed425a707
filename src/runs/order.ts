import type { PathId } from '../contract/ids.ts'

/** A run's place among those of its path. */
export interface Place {
  /** Waits until every run that was asked for before is in the sandbox's queue, or will never be. */
  turn(signal: AbortSignal): Promise<void>
  /** Lets the next one pass. */
  leave(): void
}

/**
 * Runs of a path reach its sandbox in the order in which they were asked for. Reading long code takes longer than reading
 * short code: without this, the cells below would run before the one that they need.
 */
export class Order {
  readonly #last = new Map<PathId, Promise<void>>()

  take(path: PathId): Place {
    const before = this.#last.get(path) ?? Promise.resolve()
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    const passed = before.then(() => left)
    this.#last.set(path, passed)
    void passed.then(() => this.#last.get(path) === passed && this.#last.delete(path))
    return { turn: signal => Promise.race([before, aborted(signal)]), leave }
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
