import { create } from 'zustand'
import type { RequestId, RunId } from '../../src/contract/ids.ts'
import type { RunView } from '../../src/contract/runs.ts'
import { useRuns } from '../state/runs.ts'

interface Asking {
  /** Runs that were started in this window. Only these open a dialog here; what others ask waits in the queue. */
  readonly own: ReadonlySet<RunId>
  /** Requests whose dialog is open or in line. Whatever becomes of a request meanwhile, its dialog stays to say so. */
  readonly asked: readonly RequestId[]
}

export const useAsking = create<Asking>(() => ({ own: new Set(), asked: [] }))

/** Says that this window started a run: should it have to wait for an approval, the dialog opens here. */
export function noteOwnRun({ run }: Pick<RunView, 'run'>): void {
  useAsking.setState(({ own }) => ({ own: new Set(own).add(run) }))
  collect()
}

/** The dialog about this request is over, whatever became of it. */
export function stopAsking(request: RequestId): void {
  useAsking.setState(({ asked }) => ({ asked: asked.filter(each => each !== request) }))
}

/** A run can begin to wait before the answer to its start has come, or after: both lead here. */
function collect(): void {
  const { own, asked } = useAsking.getState()
  const waiting = [...useRuns.getState().runs.values()]
    .map(live => live.view)
    .filter(view => own.has(view.run) && view.state === 'waiting')
  if (waiting.length === 0) return
  const requests = waiting.flatMap(view => view.request ?? [])
  const started = new Set(waiting.map(view => view.run))
  useAsking.setState({
    own: new Set([...own].filter(run => !started.has(run))),
    asked: [...new Set([...asked, ...requests])],
  })
}

useRuns.subscribe(collect)
