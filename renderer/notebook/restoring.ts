import type { ContextStatus } from '../../src/contract/contexts.ts'
import type { Cell, Item, ItemId } from '../../src/contract/conversations.ts'
import { Language } from '../../src/contract/run.ts'

/**
 * The cells that ran before the path's sandbox was as fresh as it is: their variables are not there. None on a path that
 * never had a sandbox, and none that came with a fork.
 */
export function cellsBefore(status: ContextStatus, items: readonly Item[]): Cell[] {
  if (status.context === null) return []
  const since = sinceWhen(status)
  return cellsNotHere(status, items).filter(({ lastRun }) => lastRun?.run != null && (lastRun.finishedAt ?? 0) < since)
}

/** Those, and those that ran elsewhere: on the path that this one branched from, on a merged one, before an import. */
export function cellsNotHere(status: ContextStatus, items: readonly Item[]): Cell[] {
  // A paused one wakes with its variables; what another process holds cannot be told from here.
  if (status.state === 'warming' || status.state === 'paused') return []
  if (isHere(status) && status.freshSince === null) return []
  const since = sinceWhen(status)
  const isForked = isHere(status) && status.forkedFrom !== null && status.freshSince === status.createdAt
  return items.filter((item): item is Cell => {
    if (item.kind !== 'cell' || !item.lastRun || !Language.safeParse(item.language).success) return false
    const { run, path, finishedAt } = item.lastRun
    return !(isForked && item.inherited) && (run === null || path !== status.path || (finishedAt ?? 0) < since)
  })
}

const isHere = ({ state }: ContextStatus): boolean => state === 'ready' || state === 'running'
const sinceWhen = (status: ContextStatus): number =>
  isHere(status) ? (status.freshSince ?? 0) : Number.POSITIVE_INFINITY

/** Of these the ones up to where the person is; all of them where nothing is selected. */
export function upToHere(cells: readonly Cell[], items: readonly Item[], selected: ItemId | null): readonly Cell[] {
  const here = items.findIndex(item => item.id === selected)
  if (here < 0) return cells
  const above = new Set(items.slice(0, here + 1).map(item => item.id))
  const some = cells.filter(cell => above.has(cell.id))
  return some.length > 0 ? some : cells
}
