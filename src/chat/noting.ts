import type { Item, Message, OutputView } from '../contract/conversations.ts'
import type { CellId } from '../contract/ids.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { Active } from './active.ts'
import type { Desk } from './desk.ts'
import { FigureSearch } from './figures.ts'
import { allItems, itemsOfTurn } from './path.ts'
import { wholeTextOf } from './results.ts'

/** Of the large outputs of a path, the newest first; those beyond are searched by their beginning, and the person is told. */
const mostBytes = 64_000_000

/** Matches the figures of what was said against what the path has computed. Says what was not looked at, if anything. */
export async function noteFigures(desk: Desk, { who, ref, row }: Active): Promise<string | null> {
  const mine = await itemsOfTurn(desk, row)
  const items = await allItems(desk, who, ref)
  const said = items.filter(
    (item): item is Message => item.kind === 'message' && item.author === 'assistant' && mine.has(item.id),
  )
  const search = new FigureSearch(said.map(({ text }) => text))
  const isWhole = await lookIn(desk, who, items, search)
  const rows = search.figures().flatMap((figures, at) => {
    const item = said[at]
    return item ? [{ item: item.id, part: { kind: 'figures' as const, length: item.text.length, figures } }] : []
  })
  await desk.store.addParts(row, row.step, rows)
  return isWhole ? null : tooLarge
}

const tooLarge = `The outputs of this path are larger than ${mostBytes / 1e6} MB: figures were looked for in the newest of them, and at the beginning of the others.`

/** Looks at what the cells of a path have put out, newest first; false where there was more than is looked at. */
async function lookIn(desk: Desk, who: Caller, items: readonly Item[], search: FigureSearch): Promise<boolean> {
  let left = mostBytes
  let isWhole = true
  /** A large output is not on the path itself, and what is shown of it is its beginning. */
  const textIn = async (view: OutputView): Promise<string> => {
    if (view.whole) return wholeTextOf(view.output)
    const found = view.bytes <= left ? await desk.conversations.output(who, view.id) : null
    if (!found?.ok) {
      isWhole = false
      return view.preview
    }
    left -= view.bytes
    return wholeTextOf(found.value)
  }
  for (const item of items.toReversed()) {
    if (item.kind !== 'cell') continue
    for (const view of item.lastRun?.outputs ?? []) {
      if (search.isOver) return true
      await lookInPieces(search, item.id, await textIn(view))
    }
  }
  return isWhole
}

/** Everything else waits while a piece is looked at: each takes a few milliseconds. */
const pieceChars = 250_000

async function lookInPieces(search: FigureSearch, cell: CellId, text: string): Promise<void> {
  for (let from = 0; from < text.length && !search.isOver; ) {
    const inNumber = /[\d.,eE+-]{0,400}/y
    inNumber.lastIndex = from + pieceChars
    inNumber.exec(text)
    const to = from + pieceChars < text.length ? inNumber.lastIndex : text.length
    search.look({ cell, text: text.slice(from, to) })
    from = to
    if (from < text.length) await new Promise(setImmediate)
  }
}
