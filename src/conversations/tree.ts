import type {
  ConversationSummary,
  ConversationTree,
  CreateConversation,
  PathSummary,
  RenameConversation,
} from '../contract/conversations.ts'
import { ConversationId, PathId } from '../contract/ids.ts'
import { type Outcome, ok } from '../contract/problem.ts'
import type { Transaction } from '../storage/storage.ts'
import type { Caller, ConversationsOptions } from './conversations.ts'
import { type Desk, noConversation } from './operation.ts'
import { beforeAll } from './positions.ts'
import type { Db, PathRow } from './view.ts'

export async function create(desk: Desk, who: Caller, request: CreateConversation): Promise<Outcome<ConversationTree>> {
  const made = await desk.storage.write(async db => {
    const { conversation } = await createIn(desk, db, who, request.title, null)
    await desk.audit.append(db, {
      action: 'conversation.created',
      tenant: who.tenant,
      actor: who.user,
      conversation,
      details: { title: request.title },
    })
    return readTree(db, who, conversation)
  })
  if (made.ok) announceConversation(desk, who, made.value.conversation)
  return made
}

/** An empty conversation with its first path, inside somebody else's transaction. */
export async function createIn(desk: Desk, db: Transaction, who: Caller, title: string, notebook: string | null) {
  const conversation = desk.ids.make(ConversationId)
  const main = desk.ids.make(PathId)
  const at = desk.clock.now()
  await db
    .insertInto('conversations')
    .values({
      id: conversation,
      tenant: who.tenant,
      title,
      main,
      version: 0,
      notebook,
      created_by: who.user,
      created_at: at,
      last_activity_at: at,
      deleted_at: null,
    })
    .execute()
  await db
    .insertInto('paths')
    .values(newPath({ id: main, conversation, name: 'main', at }))
    .execute()
  return { conversation, main }
}

/** A path that inherits nothing, has nothing and did nothing. */
export function newPath(path: Pick<PathRow, 'id' | 'conversation' | 'name'> & { at: number }): PathRow {
  return {
    id: path.id,
    conversation: path.conversation,
    name: path.name,
    parent: null,
    branch_item: null,
    branch_version: 0,
    branch_position: beforeAll,
    end_position: beforeAll,
    item_count: 0,
    run_count: 0,
    risk: null,
    state: 'open',
    deleted_at: null,
    with_state: 0,
    merged_into: null,
    merged_at: null,
    created_at: path.at,
    last_activity_at: path.at,
  }
}

export async function list(db: Db, who: Caller, deleted: boolean): Promise<ConversationSummary[]> {
  const rows = await summaries(db, who)
    .where('deleted_at', deleted ? 'is not' : 'is', null)
    .orderBy('last_activity_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(summaryOf)
}

export async function readTree(db: Db, who: Caller, id: ConversationId): Promise<Outcome<ConversationTree>> {
  const found = await findSummary(db, who, id)
  if (!found.ok) return found
  if (found.value.deletedAt !== null) return noConversation()
  const paths = await readPaths(db, id)
  return ok({ conversation: found.value, paths: paths.filter(path => path.state !== 'deleted') })
}

/** All paths of a conversation, parents before children, deleted ones too. */
export async function readPaths(db: Db, conversation: ConversationId): Promise<PathSummary[]> {
  const rows = await db.selectFrom('paths').selectAll().where('conversation', '=', conversation).orderBy('id').execute()
  const byId = new Map(rows.map(row => [row.id, row]))
  return rows.map(row => pathSummary(row, byId))
}

export function pathSummary(row: PathRow, all: ReadonlyMap<PathId, PathRow>): PathSummary {
  let shownUnder = row.parent
  while (shownUnder && all.get(shownUnder)?.state === 'deleted') shownUnder = all.get(shownUnder)?.parent ?? null
  return {
    id: row.id,
    name: row.name,
    parent: row.parent,
    shownUnder,
    branchPoint: row.branch_item,
    branchVersion: row.branch_version,
    itemCount: row.item_count,
    risk: row.risk,
    state: row.state,
    withState: row.with_state === 1,
    mergedInto: row.merged_into && row.merged_at !== null ? { path: row.merged_into, at: row.merged_at } : null,
    createdAt: row.created_at,
    lastActivityAt: row.last_activity_at,
  }
}

export function rename(desk: Desk, who: Caller, request: RenameConversation): Promise<Outcome<ConversationSummary>> {
  return change(desk, who, request.conversation, false, async (db, before) => {
    await db.updateTable('conversations').set({ title: request.title }).where('id', '=', before.id).execute()
    return { action: 'conversation.renamed', details: { from: before.title, to: request.title } }
  })
}

/** Takes the conversation out of sight; `restore` brings it back as it was. */
export async function remove(
  desk: Desk & Pick<ConversationsOptions, 'pathEnded'>,
  who: Caller,
  id: ConversationId,
): Promise<Outcome<ConversationSummary>> {
  const outcome = await change(desk, who, id, false, async (db, before) => {
    await db.updateTable('conversations').set({ deleted_at: desk.clock.now() }).where('id', '=', id).execute()
    return { action: 'conversation.deleted', details: { title: before.title } }
  })
  if (!outcome.ok) return outcome
  const paths = await readPaths(desk.storage.read, id)
  for (const path of paths) if (path.state === 'open') await desk.pathEnded(who, id, path.id, 'deleted')
  return outcome
}

export function restore(desk: Desk, who: Caller, id: ConversationId): Promise<Outcome<ConversationSummary>> {
  return change(desk, who, id, true, async (db, before) => {
    await db.updateTable('conversations').set({ deleted_at: null }).where('id', '=', id).execute()
    return { action: 'conversation.restored', details: { title: before.title } }
  })
}

async function change(
  desk: Desk,
  who: Caller,
  id: ConversationId,
  deleted: boolean,
  work: (
    db: Transaction,
    before: ConversationSummary,
  ) => Promise<{
    action: 'conversation.renamed' | 'conversation.deleted' | 'conversation.restored'
    details: Record<string, string>
  }>,
): Promise<Outcome<ConversationSummary>> {
  const outcome = await desk.storage.write(async (db): Promise<Outcome<ConversationSummary>> => {
    const before = await findSummary(db, who, id)
    if (!before.ok) return before
    if ((before.value.deletedAt !== null) !== deleted) return noConversation()
    const done = await work(db, before.value)
    await db
      .updateTable('conversations')
      .set({ version: before.value.version + 1, last_activity_at: desk.clock.now() })
      .where('id', '=', id)
      .execute()
    await desk.audit.append(db, { ...done, tenant: who.tenant, actor: who.user, conversation: id })
    return findSummary(db, who, id)
  })
  if (outcome.ok) announceConversation(desk, who, outcome.value)
  return outcome
}

export async function findSummary(db: Db, who: Caller, id: ConversationId): Promise<Outcome<ConversationSummary>> {
  const row = await summaries(db, who).where('id', '=', id).executeTakeFirst()
  return row ? ok(summaryOf(row)) : noConversation()
}

export function announceConversation(desk: Desk, who: Caller, { id, version }: ConversationSummary): void {
  desk.announce(who.tenant, { conversation: id, path: null, version, what: 'conversation', items: null })
}

function summaries(db: Db, who: Caller) {
  return db
    .selectFrom('conversations')
    .select(['id', 'title', 'main', 'version', 'created_at', 'last_activity_at', 'deleted_at'])
    .select(({ selectFrom }) =>
      selectFrom('paths')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('paths.conversation', '=', 'conversations.id')
        .where('paths.state', '!=', 'deleted')
        .as('path_count'),
    )
    .where('tenant', '=', who.tenant)
}

type SummaryRow = Awaited<ReturnType<ReturnType<typeof summaries>['executeTakeFirstOrThrow']>>

function summaryOf(row: SummaryRow): ConversationSummary {
  return {
    id: row.id,
    title: row.title,
    main: row.main,
    pathCount: row.path_count ?? 0,
    version: row.version,
    createdAt: row.created_at,
    lastActivityAt: row.last_activity_at,
    deletedAt: row.deleted_at,
  }
}
