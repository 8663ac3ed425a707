import type { RunId, WorkflowId } from '../contract/ids.ts'
import type { Outcome } from '../contract/problem.ts'
import type { StartedRun } from '../runs/runs.ts'

type Going = { readonly stop: AbortController; readonly done: Promise<unknown> }

/** Runs that a reviewer has approved and that have not ended. They go on by themselves, in the hands of no drive. */
export class ApprovedRuns {
  readonly #approved = new Set<RunId>()
  readonly #going = new Map<WorkflowId, Set<Going>>()

  add(run: RunId): void {
    this.#approved.add(run)
  }

  has(run: RunId): boolean {
    return this.#approved.has(run)
  }

  ended(run: RunId): void {
    this.#approved.delete(run)
  }

  /** Lets one go on, until it ends or its workflow is stopped. */
  carryOn(
    workflow: WorkflowId,
    go: (signal: AbortSignal) => Promise<Outcome<StartedRun>>,
  ): Promise<Outcome<StartedRun>> {
    const stop = new AbortController()
    const started = go(stop.signal)
    const ofWorkflow = this.#going.get(workflow) ?? new Set()
    const done = started
      .then(each => (each.ok ? each.value.rest : null))
      .catch(() => null)
      .finally(() => {
        ofWorkflow.delete(going)
        if (ofWorkflow.size === 0) this.#going.delete(workflow)
      })
    const going = { stop, done }
    this.#going.set(workflow, ofWorkflow.add(going))
    return started
  }

  /** Stops those of a workflow, and waits until they have ended. */
  async stop(workflow: WorkflowId): Promise<void> {
    const going = [...(this.#going.get(workflow) ?? [])]
    for (const { stop } of going) stop.abort()
    await Promise.all(going.map(({ done }) => done))
  }
}
