import type { ContextStatus } from '../../src/contract/contexts.ts'
import type { Cell, Item, ItemId } from '../../src/contract/conversations.ts'
import { Language } from '../../src/contract/run.ts'

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
