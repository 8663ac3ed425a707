import { create } from 'zustand'
import type { Cell } from '../../src/contract/conversations.ts'
import type { CellId, PathId, RunId } from '../../src/contract/ids.ts'
import type { Output } from '../../src/contract/run.ts'
import { isAtRest, isOver, type LiveRun, type RunView } from '../../src/contract/runs.ts'
import { type Shown, withShown } from '../../src/contract/shown.ts'

/** Runs as they go on: what the record does not have yet. A finished run stays until its cell has been fetched anew. */
interface Runs {
  readonly runs: ReadonlyMap<RunId, LiveRun>
}

export const useRuns = create<Runs>(() => ({ runs: new Map() }))

const change = (edit: (runs: Map<RunId, LiveRun>) => void): void =>
  useRuns.setState(state => {
    const runs = new Map(state.runs)
    edit(runs)
    return { runs }
  })

export function noteRun(view: RunView): void {
  change(runs => {
    // A cell shows its newest run only; without this every run of a long session would stay in memory.
    for (const [id, { view: other }] of runs) {
      if (id !== view.run && view.cell && other.cell === view.cell && other.path === view.path) runs.delete(id)
    }
    forgetOldest(runs)
    runs.set(view.run, { view, outputs: runs.get(view.run)?.outputs ?? [] })
  })
}

/** The answer to a start may come before the first news of the run, while its cell still shows the run before. */
export function noteStarted(view: RunView): void {
  // Ids grow with time: a later run of the cell is not to be replaced, and news of this one know more than the answer.
  const isKnown = [...useRuns.getState().runs.values()].some(
    ({ view: other }) =>
      other.run >= view.run && other.path === view.path && (other.run === view.run || other.cell === view.cell),
  )
  if (!isKnown) noteRun(view)
}

export function noteOutputs(run: RunId, shown: readonly Shown[]): void {
  change(runs => {
    const live = runs.get(run)
    if (live) runs.set(run, { ...live, outputs: withShown(live.outputs, shown) })
  })
}

/** A run that this window did not hear from its beginning on. What it has heard itself since is not put back. */
export function noteSnapshot(snapshot: LiveRun): void {
  const known = useRuns.getState().runs.get(snapshot.view.run)
  if (known && (isOver(known.view.state) || charsIn(known.outputs) > charsIn(snapshot.outputs))) return
  change(runs => runs.set(snapshot.view.run, snapshot))
}

/** The runs of a path that a window takes for being under way. */
export const underWay = (path: PathId): RunId[] =>
  [...useRuns.getState().runs.values()]
    .filter(({ view }) => view.path === path && !isResting(view))
    .map(({ view }) => view.run)

/** What is under way on a path. `before`: what was known when it was asked for; of that the rest is over. */
export function noteLive(live: readonly LiveRun[], before: readonly RunId[]): void {
  const gone = before.filter(run => !live.some(({ view }) => view.run === run))
  change(runs => {
    for (const [id, { view }] of runs) if (gone.includes(id) && !isResting(view)) runs.delete(id)
  })
  for (const each of live) noteSnapshot(each)
}

/** Forgets a cell's run, so that what is on record shows again. */
export function dropRun(path: PathId, cell: CellId): void {
  change(runs => {
    for (const [id, { view }] of runs) if (view.cell === cell && view.path === path && isResting(view)) runs.delete(id)
  })
}

export const isResting = (view: RunView): boolean => isAtRest(view.state)

/** A run that the record does not have yet, or never will: it was refused, or it is the newer one. */
export const isNewer = ({ view }: LiveRun, cell: Cell): boolean =>
  view.run === cell.lastRun?.run || (view.finishedAt ?? Number.POSITIVE_INFINITY) > (cell.lastRun?.finishedAt ?? 0)

/** Whether a window shows the run that it saw; else the one on record. */
export const showsLive = (live: LiveRun | null, cell: Cell): live is LiveRun =>
  live !== null && (!isResting(live.view) || isNewer(live, cell))

/** The run of a cell on a path that a window should show instead of the recorded one, if any. */
export function useCellRun(path: PathId, cell: CellId): LiveRun | null {
  return useRuns(state => {
    for (const live of state.runs.values()) if (live.view.cell === cell && live.view.path === path) return live
    return null
  })
}

/** Runs of no cell, as those of workflows, that are over and still shown where somebody looks at them. */
const mostWithoutCell = 50

function forgetOldest(runs: Map<RunId, LiveRun>): void {
  const over = [...runs.values()].filter(({ view }) => view.cell === null && isResting(view))
  for (const { view } of over.slice(0, -mostWithoutCell)) runs.delete(view.run)
}

const charsIn = (outputs: readonly Output[]): number =>
  outputs.reduce((sum, output) => sum + (output.type === 'stream' ? output.text.length : 1), 0)
