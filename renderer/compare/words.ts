import type { ComparedRow, PathSummary } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'

type Differs = Pick<ComparedRow, 'status' | 'outputs'> & {
  readonly left: Pick<NonNullable<ComparedRow['left']>, 'kind'> | null
  readonly right: Pick<NonNullable<ComparedRow['right']>, 'kind'> | null
}

export interface Names {
  readonly left: string
  readonly right: string
}

/** `1 code change, 2 results changed, 1 only on main`: what differs, and nothing of what does not. */
export function differences(rows: readonly Differs[], names: Names): string {
  const count = (is: (row: Differs) => boolean) => rows.filter(is).length
  const isCell = (row: Differs) => (row.left ?? row.right)?.kind === 'cell'
  const parts = [
    several(
      count(row => row.status === 'changed' && isCell(row)),
      'code change',
      'code changes',
    ),
    several(
      count(row => row.status === 'changed' && !isCell(row)),
      'text change',
      'text changes',
    ),
    several(
      count(row => row.outputs === 'changed'),
      'result changed',
      'results changed',
    ),
    several(
      count(row => row.status === 'left-only'),
      `only on ${names.left}`,
    ),
    several(
      count(row => row.status === 'right-only'),
      `only on ${names.right}`,
    ),
  ].filter(part => part !== null)
  return parts.length > 0 ? parts.join(', ') : 'No difference'
}

const several = (count: number, one: string, more = one): string | null =>
  count === 0 ? null : `${count} ${count === 1 ? one : more}`

export const statusWords = (status: ComparedRow['status'], names: Names): string =>
  ({
    same: 'same',
    changed: 'changed',
    'left-only': `only on ${names.left}`,
    'right-only': `only on ${names.right}`,
  })[status]

/** Differences are right minus left, so a branch stands on the right of what it came from, whichever was named first. */
export function branchOnRight(
  paths: readonly Pick<PathSummary, 'id' | 'shownUnder'>[],
  one: PathId,
  other: PathId,
): { left: PathId; right: PathId } {
  return comesFrom(paths, one, other) ? { left: other, right: one } : { left: one, right: other }
}

function comesFrom(paths: readonly Pick<PathSummary, 'id' | 'shownUnder'>[], path: PathId, ancestor: PathId): boolean {
  const parents = new Map(paths.map(each => [each.id, each.shownUnder]))
  const seen = new Set<PathId>()
  for (let at = parents.get(path); at && !seen.has(at); at = parents.get(at)) {
    if (at === ancestor) return true
    seen.add(at)
  }
  return false
}
