import type { ItemId } from '../contract/conversations.ts'
import type { Line } from './view.ts'

/** What merging one path into another means, worked out on plain data. */

/** Two paths and what each was when they last agreed: at their fork, or right after the last merge in this direction. */
export interface Sides {
  readonly source: readonly Line[]
  readonly target: readonly Line[]
  readonly sourceBase: readonly Line[]
  readonly targetBase: readonly Line[]
}

export type Step =
  /** The source's text for an item that the target shows. */
  | { readonly do: 'change'; readonly line: Line }
  /** An item that the target does not show. `after`: the item to follow; null for the start, undefined for the end. */
  | { readonly do: 'add'; readonly line: Line; readonly after: ItemId | null | undefined }
  | { readonly do: 'remove'; readonly item: ItemId }
  /** Both sides changed it: the target keeps its own and gets the source's below it, as an item of its own. */
  | { readonly do: 'keep-both'; readonly line: Line }

/** Steps in the order of the source. With `selected`, those items whatever became of them on the target, and no others. */
export function planMerge(sides: Sides, selected: ReadonlySet<ItemId> | null): Step[] {
  const target = index(sides.target)
  const sourceBase = index(sides.sourceBase)
  const targetBase = index(sides.targetBase)
  const steps: Step[] = []
  const shared = sides.source.map(line => target.has(line.item) && sourceBase.has(line.item))
  const lastShared = shared.lastIndexOf(true)
  for (const [place, line] of sides.source.entries()) {
    if (selected && !selected.has(line.item)) continue
    const theirs = target.get(line.item)
    const changed = !same(line, sourceBase.get(line.item))
    if (theirs) {
      if ((!changed && !selected) || same(line, theirs)) continue
      const free = same(theirs, targetBase.get(line.item))
      steps.push({ do: free ? 'change' : 'keep-both', line })
    } else if (changed || selected) {
      // What came after all that both share goes to the end; what was put between shared items stays between them.
      const after = place > lastShared ? undefined : (sides.source[place - 1]?.item ?? null)
      steps.push({ do: 'add', line, after })
    }
  }
  if (selected) return steps
  const source = index(sides.source)
  for (const line of sides.sourceBase) {
    const theirs = target.get(line.item)
    const untouched = theirs && same(theirs, targetBase.get(line.item))
    if (!source.has(line.item) && untouched) steps.push({ do: 'remove', item: line.item })
  }
  return steps
}

const index = (lines: readonly Line[]) => new Map(lines.map(line => [line.item, line]))

/** Says the same in the same language; where it stands does not count. */
function same(left: Line, right: Line | undefined): boolean {
  return right !== undefined && left.text === right.text && left.language === right.language
}
