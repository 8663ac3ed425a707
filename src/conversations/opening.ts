import type { PathRef } from '../contract/contexts.ts'
import type {
  Item,
  ItemId,
  OpenedPath,
  OpenPathRequest,
  OutputId,
  PathSummary,
  Revision,
} from '../contract/conversations.ts'
import type { CellId, ConversationId, PathId, RunId, UserId } from '../contract/ids.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { type Output, Output as OutputSchema } from '../contract/run.ts'
import type { Caller, CellNow } from './conversations.ts'
import { readDrafts } from './drafts.ts'
import { readItems, readPage } from './items.ts'
import { findConversation, findPath, noItem } from './operation.ts'
import { summarise } from './paths.ts'
import { type Depends, staleItems } from './stale.ts'
import { readText } from './texts.ts'
import { readPaths } from './tree.ts'
import { undoState } from './undo.ts'
import { type Db, type Line, lineOf, loadChain, runOf, runsOf, viewOf } from './view.ts'

/** Reading. All of it goes past the writers and sees only what is committed. */

export async function locate(db: Db, who: Caller, path: PathId): Promise<Outcome<ConversationId>> {
  const found = await findPath(db, who, path)
  return found.ok ? ok(found.value.conversation.id) : found
}

export async function openPath(
  db: Db,
  depends: Depends,
  who: Caller,
  request: OpenPathRequest,
): Promise<Outcome<OpenedPath>> {
  const found = await findPath(db, who, request.path)
  if (!found.ok) return found
  const { row, conversation } = found.value
  // Later pieces speak of the version of the first, so that no change falls between two of them.
  const { version, offset } = request.cursor ?? { version: conversation.version, offset: 0 }
  const chain = await loadChain(db, row)
  const lines = await viewOf(db, chain, version)
  const runs = await runsOf(db, chain, version)
  const stale = await staleItems(db, depends, chain, lines, version)
  const { items, taken } = await readPage(db, row.id, lines, runs, stale, offset)
  const next = offset + taken
  return ok({
    path: await summarise(db, row),
    version,
    items,
    next: next < lines.length ? { version, offset: next } : null,
    drafts: offset === 0 ? await readDrafts(db, who, row.id) : [],
    ...(await undoState(db, row.id)),
  })
}

/** Every item of a path, and nothing else that a window shows with them: which outputs are stale is not said. */
export async function allItems(db: Db, who: Caller, path: PathId): Promise<Outcome<Item[]>> {
  const found = await findPath(db, who, path)
  if (!found.ok) return found
  const { row, conversation } = found.value
  const chain = await loadChain(db, row)
  const lines = await viewOf(db, chain, conversation.version)
  const runs = await runsOf(db, chain, conversation.version)
  return ok((await readItems(db, row.id, lines, runs)).map(({ item }) => item))
}

export async function stalePath(db: Db, depends: Depends, who: Caller, path: PathId): Promise<Outcome<ItemId[]>> {
  const found = await findPath(db, who, path)
  if (!found.ok) return found
  const chain = await loadChain(db, found.value.row)
  const { version } = found.value.conversation
  const lines = await viewOf(db, chain, version)
  const stale = await staleItems(db, depends, chain, lines, version)
  const runs = await runsOf(db, chain, version)
  return ok(lines.flatMap(({ item }) => (stale.has(item) && runs.get(item)?.outputs_of ? item : [])))
}

export async function someItems(
  db: Db,
  depends: Depends,
  who: Caller,
  path: PathId,
  items: readonly ItemId[],
): Promise<Outcome<Item[]>> {
  const found = await findPath(db, who, path)
  if (!found.ok) return found
  const chain = await loadChain(db, found.value.row)
  const version = found.value.conversation.version
  const lines = []
  const runs = new Map()
  for (const item of new Set(items)) {
    const line = await lineOf(db, chain, version, item)
    if (line) lines.push(line)
    const run = line && (await runOf(db, chain, version, item))
    if (run) runs.set(item, run)
  }
  lines.sort((left, right) => (left.position < right.position ? -1 : 1))
  const stale =
    runs.size === 0
      ? new Set<ItemId>()
      : await staleItems(db, depends, chain, await viewOf(db, chain, version), version)
  return ok((await readItems(db, path, lines, runs, stale)).map(({ item }) => item))
}

export async function cellNow(db: Db, who: Caller, path: PathId, cell: CellId | null): Promise<CellNow> {
  const known = await db.selectFrom('paths').select('id').where('id', '=', path).executeTakeFirst()
  // Programs from the terminal and replays run beside the tree, on a path that it never had.
  if (!known) return cell === null ? { kind: 'beside' } : { kind: 'gone', what: 'path' }
  const found = await findPath(db, who, path)
  if (!found.ok || found.value.row.state !== 'open') return { kind: 'gone', what: 'path' }
  if (cell === null) return { kind: 'beside' }
  const line = await lineOf(db, await loadChain(db, found.value.row), found.value.conversation.version, cell)
  if (!line || line.language === null) return { kind: 'gone', what: 'cell' }
  const text = await readText(db, line.text)
  return { kind: 'cell', text, language: line.language, revision: line.version, authors: await authorsOf(db, line) }
}

/**
 * Everyone who wrote any revision of a cell, on whatever path, and of each item that ever said the same: a merge that
 * keeps both, or a person who copies, gives a text a new item.
 */
async function authorsOf(db: Db, { item, text }: Line): Promise<UserId[]> {
  const rows = await db
    .selectFrom('revisions')
    .select('author')
    .distinct()
    .where('item', 'in', query =>
      query
        .selectFrom('revisions')
        .select('item')
        .where(({ or, eb }) => or([eb('text', '=', text), eb('item', '=', item)])),
    )
    .execute()
  return rows.map(({ author }) => author).sort()
}

export async function wholeOutput(db: Db, who: Caller, id: OutputId): Promise<Outcome<Output>> {
  const row = await db
    .selectFrom('outputs')
    .innerJoin('conversations', 'conversations.id', 'outputs.conversation')
    .select('body')
    .where('outputs.id', '=', id)
    .where('conversations.tenant', '=', who.tenant)
    .executeTakeFirst()
  if (!row) return fail('not-found', 'This output does not exist.', 'Run the cell again to make a new one.')
  return ok(OutputSchema.parse(JSON.parse(row.body)))
}

export async function whereRan(db: Db, who: Caller, run: RunId): Promise<Outcome<PathRef>> {
  const row = await db
    .selectFrom('executions')
    .innerJoin('paths', 'paths.id', 'executions.ran_on')
    .innerJoin('conversations', 'conversations.id', 'paths.conversation')
    .select(['executions.ran_on', 'paths.conversation'])
    .where('executions.outputs_of', '=', run)
    .where('conversations.tenant', '=', who.tenant)
    .limit(1)
    .executeTakeFirst()
  if (!row) return fail('not-found', 'This run does not exist.', 'Run the cell again to make a new one.')
  return ok({ tenant: who.tenant, conversation: row.conversation, path: row.ran_on })
}

/** Every revision that this path could see: its own, and each ancestor's up to where the path left it. */
export async function revisionsOf(db: Db, who: Caller, path: PathId, item: ItemId): Promise<Outcome<Revision[]>> {
  const found = await findPath(db, who, path)
  if (!found.ok) return found
  const chain = await loadChain(db, found.value.row)
  const revisions: Revision[] = []
  for (const [level, each] of chain.entries()) {
    const until = chain[level + 1]?.branch_version ?? found.value.conversation.version
    const rows = await db
      .selectFrom('revisions')
      .innerJoin('texts', 'texts.id', 'revisions.text')
      .select(['version', 'path', 'texts.text', 'language', 'state', 'author', 'assistant', 'at'])
      .where('path', '=', each.id)
      .where('item', '=', item)
      .where('version', '<=', until)
      .execute()
    for (const { state, author: user, assistant, ...row } of rows)
      revisions.push({ ...row, removed: state === 'removed', by: { user, assistant } })
  }
  if (revisions.length === 0) return noItem()
  return ok(revisions.sort((left, right) => right.version - left.version))
}

export async function deletedPaths(db: Db, who: Caller, id: ConversationId): Promise<Outcome<PathSummary[]>> {
  const found = await findConversation(db, who, id)
  if (!found.ok) return found
  return ok((await readPaths(db, id)).filter(path => path.state === 'deleted'))
}
