import type { PathSummary } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'

/** One line of the tree as it is drawn. */
export interface TreeRow {
  readonly path: PathSummary
  readonly level: number
  /** For each level above: whether a line passes by on its way to a later sibling. */
  readonly guides: readonly boolean[]
  readonly isLast: boolean
  readonly children: number
  readonly place: number
  readonly siblings: number
}

/** The paths in reading order, each under the one it branches from; the folded ones keep theirs to themselves. */
export function layOut(paths: readonly PathSummary[], folded: ReadonlySet<PathId>): TreeRow[] {
  const children = new Map<PathId | null, PathSummary[]>()
  for (const path of paths) children.set(path.shownUnder, [...(children.get(path.shownUnder) ?? []), path])
  const rows: TreeRow[] = []
  // A stack, not recursion: a chain of five hundred branches is unusual, and no reason to fail.
  const waiting: { path: PathSummary; level: number; guides: boolean[]; place: number; siblings: number }[] = []
  const push = (under: PathId | null, level: number, guides: boolean[]) => {
    const these = children.get(under) ?? []
    for (const [place, path] of [...these.entries()].reverse())
      waiting.push({ path, level, guides, place, siblings: these.length })
  }
  push(null, 0, [])
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { path, level, guides, place, siblings } = next
    const isLast = place === siblings - 1
    const count = children.get(path.id)?.length ?? 0
    rows.push({ path, level, guides, isLast, children: count, place: place + 1, siblings })
    if (!folded.has(path.id)) push(path.id, level + 1, [...guides, !isLast])
  }
  return rows
}
