import { type BinEntry, type BinRef, binDays } from '../contract/bin.ts'
import type { ConversationId, PathId } from '../contract/ids.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { removeFromIndex } from '../storage/search.ts'
import type { Transaction } from '../storage/storage.ts'
import type { Caller, ConversationsOptions } from './conversations.ts'
import { type Desk, findConversation } from './operation.ts'
import { announceConversation, findSummary } from './tree.ts'
import type { Db } from './view.ts'

const day = 86_400_000

type BinDesk = Desk & Pick<ConversationsOptions, 'pathErased'>

/** Everything that was deleted and can be had back, the newest first. */
export async function readBin(db: Db, who: Caller): Promise<BinEntry[]> {
  const conversations = await db
    .selectFrom('conversations')
    .select(['id', 'title', 'deleted_at'])
    .where('tenant', '=', who.tenant)
    .where('deleted_at', 'is not', null)
    .execute()
  const paths = await db
    .selectFrom('paths')
    .innerJoin('conversations', 'conversations.id', 'paths.conversation')
    .select(['paths.id', 'paths.name', 'paths.conversation', 'title', 'paths.deleted_at'])
    .where('conversations.tenant', '=', who.tenant)
    .where('conversations.deleted_at', 'is', null)
    .where('paths.state', '=', 'deleted')
    .execute()
  const parents = new Set(
    (
      await db
        .selectFrom('paths')
        .select('parent')
        .where('conversation', 'in', [...new Set(paths.map(path => path.conversation)), '' as ConversationId])
        .execute()
    ).map(row => row.parent),
  )
  const entries: BinEntry[] = [
    ...conversations.map(({ id, title, deleted_at }) => ({
      ...{ kind: 'conversation' as const, conversation: id, path: null, title, name: null },
      ...when(deleted_at),
      needed: false,
    })),
    ...paths.map(({ id, name, conversation, title, deleted_at }) => ({
      ...{ kind: 'path' as const, conversation, path: id, title, name },
      ...when(deleted_at),
      needed: parents.has(id),
    })),
  ]
  return entries.sort((one, other) => other.deletedAt - one.deletedAt)
}

const when = (at: number | null) => ({ deletedAt: at ?? 0, goesAt: (at ?? 0) + binDays * day })

/** Deletes for good what lies in the bin. What the record says of it stays, for as long as the record keeps it. */
export async function erase(
  desk: BinDesk,
  who: Caller,
  ref: BinRef,
  why: 'asked' | 'time' = 'asked',
): Promise<Outcome<void>> {
  const outcome = await desk.storage.write(async (db): Promise<Outcome<void>> => {
    const found = await findConversation(db, who, ref.conversation)
    if (!found.ok) return notThere
    const about = { tenant: who.tenant, actor: why === 'time' ? null : who.user, conversation: ref.conversation }
    if (ref.path === null) {
      if (found.value.deleted_at === null) return notThere
      await eraseConversation(desk, db, who, ref.conversation)
      const details = { title: found.value.title, why }
      await desk.audit.append(db, { action: 'conversation.erased', ...about, details })
      return ok(undefined)
    }
    const path = await db.selectFrom('paths').selectAll().where('id', '=', ref.path).executeTakeFirst()
    if (path?.conversation !== ref.conversation || path.state !== 'deleted') return notThere
    const child = await db.selectFrom('paths').select('name').where('parent', '=', ref.path).executeTakeFirst()
    if (child)
      return fail(
        'path.needed',
        `The path “${child.name}” branched off “${path.name}” and shows its items.`,
        'It can be removed once the paths that branch from it are gone.',
      )
    await erasePath(desk, db, who, ref.conversation, ref.path)
    const details = { name: path.name, why }
    await desk.audit.append(db, { action: 'path.erased', ...about, path: ref.path, details })
    return ok(undefined)
  })
  if (outcome.ok) {
    const left = await findSummary(desk.storage.read, who, ref.conversation)
    const { conversation: id } = ref
    if (left.ok) announceConversation(desk, who, left.value)
    else desk.announce(who.tenant, { conversation: id, path: null, version: 0, what: 'conversation', items: null })
  }
  return outcome
}

/** Lets go of what has lain in the bin for its time; a path that others grow from stays with them. */
export async function emptyBin(desk: BinDesk, who: Caller): Promise<number> {
  const due = (await readBin(desk.storage.read, who)).filter(
    each => each.deletedAt > 0 && each.goesAt <= desk.clock.now() && !each.needed,
  )
  let erased = 0
  for (const { conversation, path } of due) {
    const outcome = await erase(desk, who, { conversation, path }, 'time')
    if (outcome.ok) erased++
  }
  return erased
}

const notThere = fail(
  'not-found',
  'This is not in the bin.',
  'It may have been restored, or deleted after its 30 days.',
)

async function eraseConversation(desk: BinDesk, db: Transaction, who: Caller, id: ConversationId): Promise<void> {
  const paths = await db.selectFrom('paths').select('id').where('conversation', '=', id).orderBy('id', 'desc').execute()
  await db.updateTable('paths').set({ merged_into: null, parent: null }).where('conversation', '=', id).execute()
  for (const path of paths) await erasePath(desk, db, who, id, path.id)
  for (const table of ['chat_parts', 'chat_turns', 'chat_conversations'] as const)
    await db.deleteFrom(table).where('conversation', '=', id).execute()
  await db.deleteFrom('conversations').where('id', '=', id).execute()
}

async function erasePath(
  desk: BinDesk,
  db: Transaction,
  who: Caller,
  conversation: ConversationId,
  path: PathId,
): Promise<void> {
  await desk.pathErased?.(db, { tenant: who.tenant, conversation, path })
  for (const table of ['figures', 'drafts', 'edits', 'executions', 'revisions'] as const)
    await db.deleteFrom(table).where('path', '=', path).execute()
  await db
    .deleteFrom('merges')
    .where(({ or, eb }) => or([eb('source', '=', path), eb('target', '=', path)]))
    .execute()
  await db.updateTable('paths').set({ merged_into: null, merged_at: null }).where('merged_into', '=', path).execute()
  await db.deleteFrom('paths').where('id', '=', path).execute()
  await eraseUnused(db, conversation)
}

/** Outputs, texts and items that no path shows any more, with what search knows of them. */
async function eraseUnused(db: Transaction, conversation: ConversationId): Promise<void> {
  const outputs = await db
    .deleteFrom('outputs')
    .where('conversation', '=', conversation)
    .where('set_id', 'not in', query =>
      query
        .selectFrom('executions')
        .select('outputs_of')
        .where('outputs_of', 'is not', null)
        .$castTo<{ outputs_of: string }>(),
    )
    .returning('n')
    .execute()
  await removeFromIndex(
    db,
    'output_search',
    outputs.map(row => row.n),
  )
  const texts = await db
    .deleteFrom('texts')
    .where('conversation', '=', conversation)
    .where('id', 'not in', query => query.selectFrom('revisions').select('revisions.text'))
    .where('id', 'not in', query =>
      query
        .selectFrom('executions')
        .select('executions.text')
        .where('executions.text', 'is not', null)
        .$castTo<{ text: number }>(),
    )
    .returning('id')
    .execute()
  await removeFromIndex(
    db,
    'text_search',
    texts.map(row => row.id),
  )
  await db
    .deleteFrom('items')
    .where('conversation', '=', conversation)
    .where('id', 'not in', query => query.selectFrom('revisions').select('item'))
    .where('id', 'not in', query => query.selectFrom('executions').select('item'))
    .where('id', 'not in', query => query.selectFrom('figures').select('cell'))
    .execute()
}
