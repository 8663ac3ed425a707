import type { Item, ItemId } from '../../src/contract/conversations.ts'

/** The language of the cell that ran well last; before any has, that of the cell nearest above. */
export function likelyIn(items: readonly Item[], near: ItemId | null): string {
  const ran = items
    .filter(item => item.kind === 'cell' && item.lastRun?.success === true && item.lastRun.finishedAt !== null)
    .toSorted((a, b) => finishedAt(b) - finishedAt(a))[0]
  if (ran?.kind === 'cell') return ran.language
  const from = items.findIndex(each => each.id === near)
  for (const item of [...items.slice(0, from + 1).reverse(), ...items]) {
    if (item.kind === 'cell' && item.language !== 'markdown') return item.language
  }
  return 'python'
}

const finishedAt = (item: Item): number => (item.kind === 'cell' ? (item.lastRun?.finishedAt ?? 0) : 0)
