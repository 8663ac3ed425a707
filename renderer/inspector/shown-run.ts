import type { Cell, Item, ItemId } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import type { LiveRun } from '../../src/contract/runs.ts'
import { showsLive } from '../state/runs.ts'

interface ShownRun {
  readonly cell: Cell
  /** Counted from one among all items of the path. */
  readonly place: number
  /** As this window saw it; null where the record is to be asked. */
  readonly live: LiveRun | null
}

/** The run of the selected cell; where that has none, the one of the path that came last. */
export function shownRun(
  items: readonly Item[],
  runs: Iterable<LiveRun>,
  path: PathId,
  selected: ItemId | null,
): ShownRun | null {
  const liveOf = new Map([...runs].filter(({ view }) => view.path === path).map(live => [live.view.cell, live]))
  let last: { readonly shown: ShownRun; readonly at: number } | null = null
  for (const [index, cell] of items.entries()) {
    if (cell.kind !== 'cell') continue
    const seen = liveOf.get(cell.id) ?? null
    const live = showsLive(seen, cell) ? seen : null
    if (!live && !cell.lastRun?.run) continue
    const shown = { cell, place: index + 1, live }
    if (cell.id === selected) return shown
    const at = live ? (live.view.finishedAt ?? Number.POSITIVE_INFINITY) : (cell.lastRun?.finishedAt ?? 0)
    if (!last || at >= last.at) last = { shown, at }
  }
  return last?.shown ?? null
}
