import { create } from 'zustand'
import type { ItemId } from '../../src/contract/conversations.ts'

/** Which items are folded to one line. A matter of looking, so it is this window's alone. */
export const useFolds = create<{ folded: ReadonlySet<ItemId> }>(() => ({ folded: new Set() }))

export function toggleFold(item: ItemId): void {
  useFolds.setState(({ folded }) => {
    const next = new Set(folded)
    if (!next.delete(item)) next.add(item)
    return { folded: next }
  })
}
