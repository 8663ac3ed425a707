import type { Insertable } from 'kysely'
import { writerOf } from '../contract/caller.ts'
import {
  type ChangeLanguage,
  type ClearOutputs,
  type EditItem,
  type EditResult,
  InsertItems,
  type Item,
  type ItemId,
  type MoveItems,
  type RemoveItems,
} from '../contract/conversations.ts'
import { CellId, MessageId, type PathId } from '../contract/ids.ts'
import { type Outcome, ok } from '../contract/problem.ts'
import { insertRow, prepared } from '../storage/prepared.ts'
import type { RevisionsTable } from '../storage/tables/conversations.ts'
import type { Caller } from './conversations.ts'
import { dropDraftIn, saveDraftIn } from './drafts.ts'
import { readItems } from './items.ts'
import { type Desk, type Done, type InsertedWith, noItem, type Operation, operate } from './operation.ts'
import { type Position, positionsBetween } from './positions.ts'
import { batches, hashOf, keepText, readText } from './texts.ts'
import { type Line, lineOf, runOf, runsOf, viewOf } from './view.ts'

const open = { states: ['open'] } as const

export function insert(
  desk: Desk,
  who: Caller,
  request: InsertItems,
  more: InsertedWith = {},
): Promise<Outcome<Item[]>> {
  const { path, after, items, undoable } = InsertItems.parse(request)
  return operate(desk, who, path, { ...open, patienceMs: more.patienceMs }, async operation => {
    const positions = await placesFor(operation, after, items.length, new Set())
    if (!positions) return noItem()
    const { db, conversation } = operation
    const lines: Line[] = []
    const made: Item[] = []
    for (const [index, item] of items.entries()) {
      const id = more.ids?.[index] ?? desk.ids.make(item.kind === 'cell' ? CellId : MessageId)
      const { kind, author } = item
      await insertRow(db, 'items', { id, conversation: conversation.id, kind, author, notebook: null })
      const text = await keepText(db, conversation.id, item.text)
      const language = item.kind === 'cell' ? item.language : null
      lines.push(
        lineAt(operation, { item: id, position: positions[index] ?? '', language, text, ...writtenNow(operation) }),
      )
      const { version: revision, at: changedAt } = operation
      const shared = { revision, author: item.author, text: item.text, inherited: false, changedAt }
      made.push(
        item.kind === 'cell'
          ? { kind: 'cell', id: id as CellId, ...shared, language: item.language, lastRun: null }
          : { kind: 'message', id: id as MessageId, ...shared },
      )
    }
    await writeLines(operation, lines, lines.length)
    if (undoable) await pushEdit(operation)
    await more.alongside?.(db)
    const ids = lines.map(line => line.item)
    return ok({
      value: made,
      action: 'message.added',
      details: {
        revision: operation.version,
        items: items.map((item, index) => ({ id: ids[index] ?? '', kind: item.kind, sha256: hashOf(item.text) })),
      },
      items: ids,
      appended: !undoable && (positions[0] ?? '') > operation.path.end_position,
      ...(ids.length === 1 && ids[0] ? { cell: ids[0] } : {}),
    })
  })
}

export function edit(desk: Desk, who: Caller, request: EditItem): Promise<Outcome<EditResult>> {
  const { path, item, text, expectedRevision, window } = request
  return operate<EditResult>(desk, who, path, open, async operation => {
    const { db, chain, version, conversation } = operation
    const line = await lineOf(db, chain, version, item)
    if (!line) return noItem()
    const current = await readText(db, line.text)
    const draft = { path, item, window: window ?? 'conflict', baseRevision: expectedRevision, text }
    if (current !== text && (await textAt(operation, item, expectedRevision)) !== current) {
      await saveDraftIn(operation, draft)
      const [shown] = await itemsOf(operation, [line])
      if (!shown) return noItem()
      const base = (await textAt(operation, item, expectedRevision)) ?? ''
      return ok({ nothing: { result: 'conflict', current: shown, base, yours: text } })
    }
    if (window) await dropDraftIn(operation, draft)
    if (current === text) {
      const [shown] = await itemsOf(operation, [line])
      return shown ? ok({ nothing: { result: 'saved', item: shown } }) : noItem()
    }
    const kept = await keepText(db, conversation.id, text)
    const changed = lineAt(operation, { ...line, text: kept, ...writtenNow(operation) })
    await writeLines(operation, [changed], 0)
    await pushEdit(operation)
    const [shown] = await itemsOf(operation, [changed])
    if (!shown) return noItem()
    return ok(edited(operation, { result: 'saved', item: shown }, [item], { change: 'text', sha256: hashOf(text) }))
  })
}

export function changeLanguage(desk: Desk, who: Caller, request: ChangeLanguage): Promise<Outcome<Item>> {
  const { path, item, language } = request
  return operate(desk, who, path, open, async operation => {
    const line = await lineOf(operation.db, operation.chain, operation.version, item)
    if (!line || line.language === null) return noItem()
    const changed = lineAt(operation, { ...line, language, ...writtenNow(operation) })
    const same = line.language === language
    if (!same) {
      await writeLines(operation, [changed], 0)
      await pushEdit(operation)
    }
    const [shown] = await itemsOf(operation, [same ? line : changed])
    if (!shown) return noItem()
    return ok(same ? { nothing: shown } : edited(operation, shown, [item], { change: 'language', language }))
  })
}

export function move(desk: Desk, who: Caller, request: MoveItems): Promise<Outcome<void>> {
  const moved = new Set(request.items)
  return operate<void>(desk, who, request.path, open, async operation => {
    const lines = await linesOf(operation, moved)
    if (!lines || (request.after && moved.has(request.after))) return noItem()
    const positions = await placesFor(operation, request.after, lines.length, moved)
    if (!positions) return noItem()
    const placed = lines.map((line, index) => lineAt(operation, { ...line, position: positions[index] ?? '' }))
    await writeLines(operation, placed, 0)
    await pushEdit(operation)
    return ok(edited(operation, undefined, [...moved], { change: 'moved', items: [...moved] }))
  })
}

export function removeItems(desk: Desk, who: Caller, request: RemoveItems): Promise<Outcome<void>> {
  const removed = new Set(request.items)
  return operate<void>(desk, who, request.path, open, async operation => {
    const lines = await linesOf(operation, removed)
    if (!lines) return noItem()
    await writeLines(
      operation,
      lines.map(line => ({ ...lineAt(operation, line), state: 'removed' as const })),
      -lines.length,
    )
    await pushEdit(operation)
    const done = edited(operation, undefined, [...removed], { items: [...removed] })
    return ok({ ...done, action: 'message.removed' })
  })
}

export function clearOutputs(desk: Desk, who: Caller, request: ClearOutputs): Promise<Outcome<void>> {
  return operate<void>(desk, who, request.path, open, async operation => {
    const { db, chain, version, path } = operation
    const wanted = request.items && new Set<ItemId>(request.items)
    const runs = await runsOf(db, chain, version)
    const cleared: ItemId[] = []
    for (const line of await viewOf(db, chain, version)) {
      if (wanted && !wanted.has(line.item)) continue
      const run = runs.get(line.item)
      if (!run?.outputs_of) continue
      cleared.push(line.item)
      await db
        .insertInto('executions')
        .values({ ...run, path: path.id, version, outputs_of: null })
        .execute()
    }
    if (cleared.length === 0) return ok({ nothing: undefined })
    await pushEdit(operation)
    return ok(edited(operation, undefined, cleared, { change: 'outputs-cleared', items: cleared }))
  })
}

/** Where `count` items go: after one, at the start (`null`) or at the end (left out). Null when that one is not there. */
async function placesFor(
  { db, chain, version, path }: Operation,
  after: ItemId | null | undefined,
  count: number,
  without: ReadonlySet<ItemId>,
): Promise<Position[] | null> {
  const atEnd = () => positionsBetween(path.end_position || null, null, count)
  if (after === undefined) return atEnd()
  const lines = (await viewOf(db, chain, version)).filter(line => !without.has(line.item))
  const index = after === null ? -1 : lines.findIndex(line => line.item === after)
  if (after !== null && index < 0) return null
  const next = lines[index + 1]
  return next ? positionsBetween(lines[index]?.position ?? null, next.position, count) : atEnd()
}

/** The lines of some items, in the order asked for; null when one of them is not on the path. */
async function linesOf({ db, chain, version }: Operation, items: ReadonlySet<ItemId>): Promise<Line[] | null> {
  const lines = new Map((await viewOf(db, chain, version)).map(line => [line.item, line]))
  const found = [...items].flatMap(item => lines.get(item) ?? [])
  return found.length === items.size ? found : null
}

async function textAt({ db }: Operation, item: ItemId, version: number): Promise<string | null> {
  const row = await db
    .selectFrom('revisions')
    .innerJoin('texts', 'texts.id', 'revisions.text')
    .select('texts.text')
    .where('revisions.item', '=', item)
    .where('revisions.version', '=', version)
    .executeTakeFirst()
  return row?.text ?? null
}

/** A line as this operation leaves it on its path. */
export function lineAt(
  { path, version, at }: Operation,
  line: Pick<Line, 'item' | 'position' | 'language' | 'text' | 'author' | 'assistant'>,
): Line {
  const { item, position, language, text, author, assistant } = line
  return { path: path.id, item, version, state: 'present', position, language, text, author, assistant, at }
}

/** For a line whose text or language this operation makes; one that is moved or restored keeps its author. */
export function writtenNow({ who }: Operation): Pick<Line, 'author' | 'assistant'> {
  const { user, assistant } = writerOf(who)
  return { author: user, assistant }
}

/** Writes lines of this operation; `more` is by how many items the path grows. */
export async function writeLines(operation: Operation, lines: readonly Insertable<RevisionsTable>[], more: number) {
  const { db, path } = operation
  const [only] = lines
  if (only && lines.length === 1) await insertRow(db, 'revisions', only)
  else for (const batch of batches(lines)) await db.insertInto('revisions').values(batch).execute()
  const end = [path.end_position, ...lines.map(line => line.position)].sort().at(-1) ?? path.end_position
  await setEnd(db, path.id, path.item_count + more, end)
}

const setEnd = prepared((db, path: PathId, items: number, end: string) =>
  db.updateTable('paths').set({ item_count: items, end_position: end }).where('id', '=', path),
)

/** Makes the operation the one that undo takes back next; what was undone before can no longer be redone. */
export async function pushEdit({ db, path, version }: Operation): Promise<void> {
  await db.deleteFrom('edits').where('path', '=', path.id).where('undone', '=', 1).execute()
  await db.insertInto('edits').values({ path: path.id, version, undone: 0 }).execute()
}

async function itemsOf({ db, chain, version, path }: Operation, lines: readonly Line[]): Promise<Item[]> {
  const runs = new Map()
  for (const line of lines) {
    const run = line.language === null ? null : await runOf(db, chain, version, line.item)
    if (run) runs.set(line.item, run)
  }
  return (await readItems(db, path.id as PathId, lines, runs)).map(({ item }) => item)
}

function edited<T>(
  { version }: Operation,
  value: T,
  items: readonly ItemId[],
  details: Record<string, string | string[]>,
): Done<T> {
  const only = items.length === 1 ? items[0] : undefined
  return {
    value,
    action: 'message.edited',
    details: { revision: version, ...details },
    items,
    ...(only ? { cell: only } : {}),
  }
}
