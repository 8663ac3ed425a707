import { create } from 'zustand'
import type { RequestId, RunId } from '../../src/contract/ids.ts'
import type { RunView } from '../../src/contract/runs.ts'
import { noteStarted, useRuns } from '../state/runs.ts'

interface Asking {
  /** Runs that were started in this window. Only these open a dialog here; what others ask waits in the queue. */
  readonly own: ReadonlySet<RunId>
  /** Requests whose dialog is open or in line. Whatever becomes of a request meanwhile, its dialog stays to say so. */
  readonly asked: readonly RequestId[]
  /** Runs of this window whose path has too weak a sandbox: a dialog offers the ways on. */
  readonly held: readonly RunView[]
}

export const useAsking = create<Asking>(() => ({ own: new Set(), asked: [], held: [] }))

const startedHere = new Set<RunId>()
const starting = new Set<Promise<unknown>>()

/** Starts a run from this window. What is said about a run may come before the answer to its start. */
export async function startOwn(start: Promise<RunView>): Promise<RunView> {
  starting.add(start)
  try {
    const view = await start
    noteStarted(view)
    noteOwnRun(view)
    return view
  } finally {
    starting.delete(start)
  }
}

/** Whether this window started a run; asked while one is being started, once that is known. */
export async function isOwnRun(run: RunId): Promise<boolean> {
  await Promise.allSettled([...starting])
  return startedHere.has(run)
}

/** Says that this window started a run: should it have to wait for an approval, the dialog opens here. */
export function noteOwnRun({ run }: Pick<RunView, 'run'>): void {
  startedHere.add(run)
  useAsking.setState(({ own }) => ({ own: new Set(own).add(run) }))
  collect()
}

/** The dialog about this request is over, whatever became of it. */
export function stopAsking(request: RequestId): void {
  useAsking.setState(({ asked }) => ({ asked: asked.filter(each => each !== request) }))
}

/** The dialog about a held run is over: it was sent on its way, or left. */
export function dropHeld(run: RunId): void {
  useAsking.setState(({ held }) => ({ held: held.filter(each => each.run !== run) }))
}

/** A run can begin to wait before the answer to its start has come, or after: both lead here. */
function collect(): void {
  const { own, asked, held } = useAsking.getState()
  const waiting = [...useRuns.getState().runs.values()]
    .map(live => live.view)
    .filter(view => own.has(view.run) && (view.state === 'waiting' || view.state === 'held'))
  if (waiting.length === 0) return
  const requests = waiting.flatMap(view => view.request ?? [])
  const started = new Set(waiting.map(view => view.run))
  useAsking.setState({
    own: new Set([...own].filter(run => !started.has(run))),
    asked: [...new Set([...asked, ...requests])],
    held: [...held, ...waiting.filter(view => view.state === 'held')],
  })
}

useRuns.subscribe(collect)
