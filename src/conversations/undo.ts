import type { ItemId, UndoMerge, UndoResult } from '../contract/conversations.ts'
import type { ConversationId, PathId } from '../contract/ids.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Transaction } from '../storage/storage.ts'
import type { Caller, ConversationsOptions } from './conversations.ts'
import { lineAt, writeLines } from './editing.ts'
import { type Desk, type Operation, operate } from './operation.ts'
import { restorePins } from './pins.ts'
import { positionsBetween } from './positions.ts'
import { type Db, inheritedBy, type Line, overlay, ownLines, runOf } from './view.ts'

type Undoing = Desk & Pick<ConversationsOptions, 'pathEnded'>

/** Takes back the path's last edit that is not undone, by writing what stood there before: nothing is unwritten. */
export function undo(desk: Undoing, who: Caller, path: PathId): Promise<Outcome<UndoResult>> {
  return step(desk, who, path, 'undo')
}

/** Takes back a merge and nothing else: an offer to do so must not undo what was changed meanwhile. */
export function undoMerge(desk: Undoing, who: Caller, { target, version }: UndoMerge): Promise<Outcome<UndoResult>> {
  return step(desk, who, target, 'undo', version)
}

export function redo(desk: Undoing, who: Caller, path: PathId): Promise<Outcome<UndoResult>> {
  return step(desk, who, path, 'redo')
}

export async function undoState(db: Db, path: PathId): Promise<{ canUndo: boolean; canRedo: boolean }> {
  const rows = await db.selectFrom('edits').select('undone').distinct().where('path', '=', path).execute()
  return { canUndo: rows.some(row => row.undone === 0), canRedo: rows.some(row => row.undone === 1) }
}

async function step(
  desk: Undoing,
  who: Caller,
  path: PathId,
  direction: 'undo' | 'redo',
  merge?: number,
): Promise<Outcome<UndoResult>> {
  const undone = direction === 'undo' ? 0 : 1
  const ended: { conversation: ConversationId; source: PathId }[] = []
  const outcome = await operate<UndoResult>(desk, who, path, { states: ['open'] }, async operation => {
    const { db, version: revision } = operation
    const target = await db
      .selectFrom('edits')
      .select('version')
      .where('path', '=', path)
      .where('undone', '=', undone)
      .orderBy('version', direction === 'undo' ? 'desc' : 'asc')
      .limit(1)
      .executeTakeFirst()
    if (!target)
      return fail(
        'undo.nothing',
        `There is nothing to ${direction}.`,
        'Undo and redo follow the open path: changes of other paths are undone there.',
      )
    const merged = await mergeAt(db, path, target.version)
    if (merge !== undefined && (merge !== target.version || !merged)) return changedSince
    const touched = await db
      .selectFrom('revisions')
      .select('item')
      .where('path', '=', path)
      .where('version', '=', target.version)
      .execute()
    const written = touched.map(row => row.item)
    await restore(operation, written, direction === 'undo' ? target.version - 1 : target.version)
    const shown = await restoreRuns(operation, target.version, direction)
    await restorePins(operation, target.version, direction === 'undo' ? target.version - 1 : target.version)
    const items = [...new Set([...written, ...shown])]
    await db
      .updateTable('edits')
      .set({ undone: 1 - undone })
      .where('path', '=', path)
      .where('version', '=', target.version)
      .execute()
    const value = { items, ...(await undoState(db, path)) }
    const details = { change: direction, of: target.version, revision }
    if (!merged) return ok({ value, action: 'message.edited', details, items })
    const { source, mode } = merged
    await markSource(db, source)
    if (direction === 'redo') ended.push({ conversation: operation.conversation.id, source })
    return ok({
      value,
      action: direction === 'undo' ? 'path.merge-undone' : 'path.merged',
      details: { ...details, source, mode },
      items: null,
      what: 'paths',
    })
  })
  for (const { conversation, source } of outcome.ok ? ended : [])
    await desk.pathEnded(who, conversation, source, 'merged')
  return outcome
}

const changedSince = fail(
  'undo.changed',
  'This path was changed after the merge, or the merge is undone already.',
  'Undo the later changes first, the newest first; the merge comes after them.',
)

const mergeAt = (db: Db, target: PathId, version: number) =>
  db
    .selectFrom('merges')
    .select(['source', 'mode'])
    .where('target', '=', target)
    .where('version', '=', version)
    .executeTakeFirst()

/** A path counts as merged by its last merge that stands; with none left it is a path like any other again. */
async function markSource(db: Transaction, source: PathId): Promise<void> {
  const standing = await db
    .selectFrom('merges')
    .innerJoin('edits', join =>
      join.onRef('edits.path', '=', 'merges.target').onRef('edits.version', '=', 'merges.version'),
    )
    .select(['merges.target', 'merges.merged_at'])
    .where('merges.source', '=', source)
    .where('edits.undone', '=', 0)
    .orderBy('merges.version', 'desc')
    .limit(1)
    .executeTakeFirst()
  await db
    .updateTable('paths')
    .set({ merged_into: standing?.target ?? null, merged_at: standing?.merged_at ?? null })
    .where('id', '=', source)
    .execute()
}

/** Writes items as they stood on this path at an earlier version. */
async function restore(operation: Operation, items: readonly ItemId[], asOf: number): Promise<void> {
  const { db, chain, version, path } = operation
  const inherited = await inheritedBy(db, chain)
  const then = new Map((await ownLines(db, path.id, asOf)).map(line => [line.item, line]))
  const current = await ownLines(db, path.id, version)
  const now = new Map(current.map(line => [line.item, line]))
  const shown = overlay(inherited, current)
  const before = shown.size
  for (const item of items) shown.delete(item)
  const taken = new Set([...shown.values()].map(line => line.position))
  const lines = items.flatMap(item => {
    const line = stateAt(item, then, inherited, now)
    if (!line) return []
    const visible = line.state === 'present' || line.state === 'inherited'
    // Something that undo does not know of (an answer that came meanwhile) may stand in the old place by now.
    const moved = visible && taken.has(line.position)
    const position = moved ? freeAfter(line.position, taken) : line.position
    if (visible) taken.add(position)
    return { ...lineAt(operation, { ...line, position }), state: moved ? ('present' as const) : line.state }
  })
  const after = shown.size + lines.filter(line => line.state !== 'removed').length
  await writeLines(operation, lines, after - before)
}

/** A merge brings outputs and a clearing takes them away: both are turned round, unless the cell has been run since. */
async function restoreRuns(operation: Operation, edit: number, direction: 'undo' | 'redo'): Promise<ItemId[]> {
  const { db, chain, version, path } = operation
  const brought = await db
    .selectFrom('executions')
    .selectAll()
    .where('path', '=', path.id)
    .where('version', '=', edit)
    .execute()
  const changed: ItemId[] = []
  for (const run of brought) {
    const before = (await runOf(db, chain, edit - 1, run.item)) ?? { ...run, outputs_of: null }
    const [from, to] = direction === 'undo' ? [run, before] : [before, run]
    const current = await runOf(db, chain, version, run.item)
    if ((current?.outputs_of ?? null) !== from.outputs_of) continue
    await db
      .insertInto('executions')
      .values({ ...to, path: path.id, version })
      .execute()
    changed.push(run.item)
  }
  return changed
}

function stateAt(
  item: ItemId,
  then: ReadonlyMap<ItemId, Line>,
  inherited: ReadonlyMap<ItemId, Line>,
  now: ReadonlyMap<ItemId, Line>,
): Line | null {
  const own = then.get(item)
  const above = inherited.get(item)
  if (own && own.state !== 'inherited') return own
  if (above) return { ...above, state: 'inherited' }
  const current = now.get(item)
  return current ? { ...current, state: 'removed' } : null
}

function freeAfter(position: string, taken: ReadonlySet<string>): string {
  const next = [...taken].filter(other => other > position).sort()[0]
  return positionsBetween(position, next ?? null, 1)[0] ?? position
}
