import type { Active } from './active.ts'
import type { Desk } from './desk.ts'
import { findFigures } from './figures.ts'
import { allItems, itemsOfTurn } from './path.ts'
import { textOfRun } from './results.ts'

/** Matches the figures of what was said against what the path has computed. */
export async function noteFigures(desk: Desk, { who, ref, row }: Active): Promise<void> {
  const mine = await itemsOfTurn(desk, row)
  const items = await allItems(desk, who, ref)
  const sources = items.flatMap(item =>
    item.kind === 'cell' && item.lastRun ? [{ cell: item.id, text: textOfRun(item.lastRun) }] : [],
  )
  const rows = items.flatMap(item => {
    if (item.kind !== 'message' || item.author !== 'assistant' || !mine.has(item.id)) return []
    const figures = findFigures(item.text, sources)
    return [{ item: item.id, part: { kind: 'figures' as const, length: item.text.length, figures } }]
  })
  await desk.store.addParts(row, row.step, rows)
}
