import type { Cell, Item, ItemId, LastRun, Message, OutputView } from '../contract/conversations.ts'
import type { CellId, MessageId, PathId } from '../contract/ids.ts'
import { listOf } from '../storage/lists.ts'
import { inlineBytes, readBodies, readHeads, viewOutput } from './outputs.ts'
import { readTexts } from './texts.ts'
import type { Db, ExecutionRow, Line } from './view.ts'

/** Outputs of one cell that come along with it; a cell that printed in small bites all day is fetched in bites too. */
const inlineBytesPerItem = 512 * 1024
/** Well under what a door carries in one message. */
const pageBytes = 4 * 1024 * 1024

/** Items that are read at once; few enough that a path of large ones is not read whole for its first page. */
const readAhead = 2000

export interface Page {
  readonly items: Item[]
  /** How many lines were taken. */
  readonly taken: number
}

/** Makes items of lines, from `offset` on, until a page is full. */
export async function readPage(
  db: Db,
  path: PathId,
  lines: readonly Line[],
  runs: ReadonlyMap<ItemId, ExecutionRow>,
  stale: ReadonlySet<ItemId>,
  offset: number,
): Promise<Page> {
  const items: Item[] = []
  for (let at = offset, room = pageBytes; at < lines.length && room > 0; at += readAhead) {
    for (const { item, bytes } of await readItems(db, path, lines.slice(at, at + readAhead), runs, stale)) {
      if (items.length > 0 && bytes > room) return { items, taken: items.length }
      items.push(item)
      room -= bytes
    }
  }
  return { items, taken: items.length }
}

/** Makes items of lines, with what each weighs. `stale`: also those that are stale because of a cell before them. */
export async function readItems(
  db: Db,
  path: PathId,
  lines: readonly Line[],
  runs: ReadonlyMap<ItemId, ExecutionRow>,
  stale: ReadonlySet<ItemId> = new Set(),
): Promise<{ item: Item; bytes: number }[]> {
  const texts = await readTexts(
    db,
    lines.map(line => line.text),
  )
  const facts = await readFacts(
    db,
    lines.map(line => line.item),
  )
  const outputs = await readOutputs(
    db,
    lines.flatMap(line => runs.get(line.item)?.outputs_of ?? []),
  )
  return lines.flatMap(line => {
    const text = texts.get(line.text)
    const fact = facts.get(line.item)
    if (text === undefined || !fact) throw new Error(`item ${line.item} has lost its text`)
    const shared = {
      revision: line.version,
      author: fact.author,
      text,
      inherited: line.path !== path,
      changedAt: line.at,
    }
    if (fact.kind === 'message') {
      const item: Message = { kind: 'message', id: line.item as MessageId, ...shared }
      return { item, bytes: Buffer.byteLength(text) + 300 }
    }
    const run = runs.get(line.item)
    const shown = run?.outputs_of ? outputs.get(run.outputs_of) : undefined
    const item: Cell = {
      kind: 'cell',
      id: line.item as CellId,
      ...shared,
      language: line.language ?? 'raw',
      lastRun: run?.outputs_of ? lastRun(run, line, stale.has(line.item), shown?.views ?? []) : null,
    }
    return { item, bytes: Buffer.byteLength(text) + 500 + (shown?.bytes ?? 0) }
  })
}

function lastRun(run: ExecutionRow, line: Line, stale: boolean, outputs: OutputView[]): LastRun {
  return {
    run: run.run,
    path: run.ran_on,
    count: run.count,
    finishedAt: run.finished_at,
    durationMs: run.duration_ms,
    success: run.success === null ? null : run.success === 1,
    risk: run.risk,
    keptFrom: run.kept_from,
    stale: stale || run.text !== line.text || run.language !== line.language,
    outputs,
  }
}

export async function readFacts(db: Db, ids: readonly ItemId[]) {
  const rows = await db.selectFrom('items').select(['id', 'kind', 'author']).where('id', 'in', listOf(ids)).execute()
  return new Map(rows.map(row => [row.id, row]))
}

async function readOutputs(db: Db, sets: readonly string[]) {
  if (sets.length === 0) return new Map<string, { views: OutputView[]; bytes: number }>()
  const heads = await readHeads(db, sets)
  const inline = [...heads.values()].flatMap(list => {
    let room = inlineBytesPerItem
    return list.filter(head => {
      if (head.bytes > inlineBytes || head.bytes > room) return false
      room -= head.bytes
      return true
    })
  })
  const bodies = await readBodies(db, inline)
  return new Map(
    [...heads].map(([set, list]) => {
      const views = list.map(head => viewOutput(head, bodies.get(head.n)))
      const bytes = list.reduce((sum, head) => sum + (bodies.has(head.n) ? head.bytes : 200), 0)
      return [set, { views, bytes }]
    }),
  )
}
