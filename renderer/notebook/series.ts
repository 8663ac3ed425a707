import { create } from 'zustand'
import type { Cell } from '../../src/contract/conversations.ts'
import type { CellId, PathId, RunId } from '../../src/contract/ids.ts'
import { isOver, type RunView } from '../../src/contract/runs.ts'
import { failureWord } from '../output/error.tsx'
import { useRuns } from '../state/runs.ts'
import { showToast } from '../state/toasts.ts'
import { endWord } from '../ui/run-end.ts'
import { runItem } from './actions.ts'
import { fetchPath } from './path-data.ts'

/** Cells of a path that run one after the other: the one that has its turn, and those that wait for it to succeed. */
export interface Series {
  readonly number: number
  readonly cell: CellId
  readonly done: number
  readonly total: number
  readonly waiting: readonly CellId[]
}

/** Where a series ended early: at which cell, how that ended, and how many cells were not run for it. */
export interface Stopped {
  readonly cell: CellId
  readonly end: string
  readonly notRun: number
}

interface SeriesState {
  readonly running: ReadonlyMap<PathId, Series>
  readonly stopped: ReadonlyMap<PathId, Stopped>
}

let latest = 0

export const useSeries = create<SeriesState>(() => ({ running: new Map(), stopped: new Map() }))

function put<K extends keyof SeriesState>(
  what: K,
  path: PathId,
  value: (K extends 'running' ? Series : Stopped) | null,
): void {
  useSeries.setState(state => {
    const map = new Map<PathId, Series | Stopped>(state[what])
    if (value) map.set(path, value)
    else map.delete(path)
    return { [what]: map }
  })
}

/**
 * Runs cells one after the other, each when the one before it has succeeded. One that waits for a reviewer holds up those
 * after it, which may need what it does; at the first that fails, is denied or is stopped the series ends.
 */
export async function runSeries(path: PathId, cells: readonly Cell[]): Promise<void> {
  if (useSeries.getState().running.has(path))
    return showToast({ kind: 'info', text: 'Cells of this path are running already.' })
  forgetStop(path)
  const number = ++latest
  const isMine = () => useSeries.getState().running.get(path)?.number === number
  try {
    for (const [done, { id: cell }] of cells.entries()) {
      const waiting = cells.slice(done + 1).map(({ id }) => id)
      put('running', path, { number, cell, done, total: cells.length, waiting })
      const stop = (end: string) => put('stopped', path, { cell, end, notRun: waiting.length })
      const view = await runItem(path, cell).catch(error => {
        if (waiting.length > 0) stop('could not be run')
        throw error
      })
      // Deleted or emptied since the series began.
      if (!view) continue
      const end = await endOf(path, cell, view.run, isMine)
      if (end === 'abandoned') return
      if (end !== 'succeeded') return waiting.length > 0 ? stop(end) : undefined
    }
  } finally {
    if (isMine()) put('running', path, null)
  }
}

/** No cell after the one under way is run. */
export const stopSeries = (path: PathId): void => put('running', path, null)

export const forgetStop = (path: PathId): void => put('stopped', path, null)

/** How a run ended that is over, in words that follow "a cell that". */
export function wordOf({ state, outcome, problem }: RunView): string {
  if (outcome?.success) return 'succeeded'
  const word = state === 'finished' ? failureWord(outcome.error) : problem ? endWord(problem.code) : ''
  if (word === 'failed') return word
  if (word === 'syntax error') return 'has a syntax error'
  return word === 'denied' || word === 'stopped' || word === 'withdrawn' ? `was ${word}` : 'could not be run'
}

/** Follows a cell until its run is over, also where it was started again with another way on. */
async function endOf(path: PathId, cell: CellId, run: RunId, isMine: () => boolean): Promise<string> {
  const found = await new Promise<RunView | 'abandoned' | null>(resolve => {
    const stops: (() => void)[] = []
    const settle = (end: RunView | 'abandoned' | null) => {
      for (const stop of stops.splice(0)) stop()
      resolve(end)
    }
    const look = () => {
      if (!isMine()) return settle('abandoned')
      const runs = [...useRuns.getState().runs.values()]
      const view = runs.find(live => live.view.cell === cell && live.view.path === path)?.view
      if (!view) settle(null)
      else if (isOver(view.state)) settle(view)
    }
    stops.push(useRuns.subscribe(look), useSeries.subscribe(look))
    look()
  })
  if (found === 'abandoned') return found
  if (found) return wordOf(found)
  // The end of the run was not heard, since the line was down: the record has it.
  const item = (await fetchPath(path)).items.find(({ id }) => id === cell)
  const last = item?.kind === 'cell' ? item.lastRun : null
  return last?.run === run && last.success ? 'succeeded' : 'failed'
}
