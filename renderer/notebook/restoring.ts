import { create } from 'zustand'
import type { ContextStatus } from '../../src/contract/contexts.ts'
import type { Cell, Item, ItemId } from '../../src/contract/conversations.ts'
import type { PathId, RunId } from '../../src/contract/ids.ts'
import { Language } from '../../src/contract/run.ts'
import { isResting, useRuns } from '../state/runs.ts'
import { runItem } from './actions.ts'

/**
 * The cells that ran before the path's sandbox was as fresh as it is: their variables are not there. None on a path that
 * never had a sandbox, and none that came with a fork.
 */
export function cellsBefore(status: ContextStatus, items: readonly Item[]): Cell[] {
  // A paused one wakes with its variables.
  if (status.context === null || status.state === 'warming' || status.state === 'paused') return []
  const isHere = status.state === 'ready' || status.state === 'running'
  // What another process holds cannot be told from here.
  if (isHere && status.freshSince === null) return []
  const since = isHere ? (status.freshSince ?? 0) : Number.POSITIVE_INFINITY
  const isForked = isHere && status.forkedFrom !== null && status.freshSince === status.createdAt
  return items.filter(
    (item): item is Cell =>
      item.kind === 'cell' &&
      Language.safeParse(item.language).success &&
      item.lastRun?.run != null &&
      !(isForked && item.inherited) &&
      (item.lastRun.finishedAt ?? 0) < since,
  )
}

/** Of these the ones up to where the person is; all of them where nothing is selected. */
export function upToHere(cells: readonly Cell[], items: readonly Item[], selected: ItemId | null): readonly Cell[] {
  const here = items.findIndex(item => item.id === selected)
  if (here < 0) return cells
  const above = new Set(items.slice(0, here + 1).map(item => item.id))
  const some = cells.filter(cell => above.has(cell.id))
  return some.length > 0 ? some : cells
}

interface Restoring {
  readonly path: PathId
  readonly done: number
  readonly total: number
}

export const useRestoring = create<{ now: Restoring | null }>(() => ({ now: null }))

/** Runs cells one after the other and waits for each; stops at the first that does not succeed, or when it is stopped. */
export async function restore(path: PathId, cells: readonly Cell[]): Promise<void> {
  if (useRestoring.getState().now) return
  useRestoring.setState({ now: { path, done: 0, total: cells.length } })
  try {
    for (const [index, cell] of cells.entries()) {
      const view = await runItem(path, cell.id)
      if (!view || !(await hasSucceeded(view.run)) || useRestoring.getState().now?.path !== path) return
      useRestoring.setState({ now: { path, done: index + 1, total: cells.length } })
    }
  } finally {
    useRestoring.setState({ now: null })
  }
}

/** No cell after the one under way is run. */
export const stopRestoring = (): void => useRestoring.setState({ now: null })

function hasSucceeded(run: RunId): Promise<boolean> {
  return new Promise(resolve => {
    const look = () => {
      const view = useRuns.getState().runs.get(run)?.view
      // A run that is gone from the list was fetched with its cell, or taken over by a newer one.
      if (view && !isResting(view)) return false
      stop()
      resolve(view?.outcome?.success ?? view === undefined)
      return true
    }
    let stop = () => {}
    if (!look()) stop = useRuns.subscribe(() => void look())
  })
}
