import { type ItemParts, type LedgerEntry, Part, Turn, type TurnId } from '../contract/chat.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { ItemId } from '../contract/conversations.ts'
import type { ConversationId, MessageId, PathId, TenantId } from '../contract/ids.ts'
import { CountsByType } from '../contract/privacy.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { RowSeal } from '../row-seal.ts'
import { listOf } from '../storage/lists.ts'
import { insertRow, prepared } from '../storage/prepared.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { ChatPartsTable, ChatRequestsTable, ChatTurnsTable } from '../storage/tables/chat.ts'
import { Confidential } from './confidential.ts'
import type { Entries } from './entries.ts'
import { Spent } from './spent.ts'

export type TurnRow = ChatTurnsTable

const underWay = ['asking', 'pausing', 'running', 'resting'] as const

const unfinishedOn = prepared((db, path: PathId, tenant: TenantId) =>
  db
    .selectFrom('chat_turns')
    .selectAll()
    .where('path', '=', path)
    .where('tenant', '=', tenant)
    .where('state', 'in', underWay)
    .limit(1),
)

/** Turns, their parts and what they cost. What was said and run is in the tree of conversations. */
export class ChatStore {
  readonly #storage: Storage
  readonly #seal: RowSeal
  readonly #spent: Spent
  readonly #confidential: Confidential

  constructor(storage: Storage, audit: Entries, requests: RowSeal) {
    this.#storage = storage
    this.#seal = requests
    this.#spent = new Spent(storage, audit, requests)
    this.#confidential = new Confidential(storage, audit)
  }

  async turn(who: Caller, id: TurnId): Promise<TurnRow | null> {
    const row = await this.#storage.read
      .selectFrom('chat_turns')
      .selectAll()
      .where('id', '=', id)
      .where('tenant', '=', who.tenant)
      .executeTakeFirst()
    return row ?? null
  }

  /** The answers to a question on a path. */
  answersTo(tenant: TenantId, path: PathId, question: ItemId): Promise<TurnRow[]> {
    return this.#storage.read
      .selectFrom('chat_turns')
      .selectAll()
      .where('path', '=', path)
      .where('tenant', '=', tenant)
      .where('question', '=', question as MessageId)
      .orderBy('id')
      .execute()
  }

  /** The answer that a path has not come to the end of. */
  async unfinished(tenant: TenantId, path: PathId): Promise<TurnRow | null> {
    const [row] = await unfinishedOn(this.#storage.read, path, tenant)
    return row ?? null
  }

  /** Answers of a conversation in their order, on whatever path: the newest, or those before one of them. */
  async page(
    { tenant, conversation }: Pick<PathRef, 'tenant' | 'conversation'>,
    { before, most }: { before: TurnId | null; most: number },
  ): Promise<TurnRow[]> {
    let query = this.#storage.read
      .selectFrom('chat_turns')
      .selectAll()
      .where('conversation', '=', conversation)
      .where('tenant', '=', tenant)
      .orderBy('id', 'desc')
      .limit(most)
    if (before) query = query.where('id', '<', before)
    return (await query.execute()).reverse()
  }

  /** Of a tenant, whatever the path: what an application that ended left, and what waits for a reviewer. */
  underWay(tenant: TenantId): Promise<TurnRow[]> {
    return this.#storage.read
      .selectFrom('chat_turns')
      .selectAll()
      .where('state', 'in', underWay)
      .where('tenant', '=', tenant)
      .execute()
  }

  add(row: TurnRow, patienceMs: number): Promise<void> {
    return this.#storage.write(t => addTurn(t, row), patienceMs)
  }

  change(id: TurnId, to: Partial<TurnRow>): Promise<void> {
    return this.#storage.write(t => changeTurn(t, id, to))
  }

  /** Parts by item, over a conversation: a branch sees the parts of what it inherited. */
  async partsOfItems(
    { tenant, conversation }: Pick<PathRef, 'tenant' | 'conversation'>,
    items: readonly ItemId[],
  ): Promise<Map<ItemId, readonly Part[]>> {
    const rows = await this.#storage.read
      .selectFrom('chat_parts')
      .select(['item', 'turn', 'body'])
      .where('conversation', '=', conversation)
      .where('tenant', '=', tenant)
      .where('item', 'in', listOf(items))
      .orderBy('turn')
      .orderBy('place')
      .execute()
    return new Map(Array.from(byItem(rows), ([item, { parts }]) => [item, parts]))
  }

  /** The parts of some turns, by item. */
  async partsOfTurns(turns: readonly TurnId[]): Promise<ItemParts[]> {
    const rows = await this.#storage.read
      .selectFrom('chat_parts')
      .select(['item', 'turn', 'body'])
      .where('turn', 'in', listOf(turns))
      .orderBy('turn')
      .orderBy('place')
      .execute()
    return Array.from(byItem(rows), ([item, { turn, parts }]) => ({ item, turn, parts }))
  }

  /** The parts of one turn's step, in order. */
  async partsOf(turn: TurnId, step?: number): Promise<{ item: ItemId; step: number; part: Part }[]> {
    let query = this.#storage.read
      .selectFrom('chat_parts')
      .select(['item', 'step', 'body'])
      .where('turn', '=', turn)
      .orderBy('place')
    if (step !== undefined) query = query.where('step', '=', step)
    const rows = await query.execute()
    return rows.map(({ item, step: at, body }) => ({ item, step: at, part: Part.parse(JSON.parse(body)) }))
  }

  addStep(row: TurnRow, parts: readonly { item: ItemId; part: Part }[], to: Partial<TurnRow>): Promise<void> {
    return this.#storage.write(t => addStep(t, row, parts, to))
  }

  addParts(turn: TurnRow, step: number, parts: readonly { item: ItemId; part: Part }[]): Promise<void> {
    if (parts.length === 0) return Promise.resolve()
    return this.#storage.write(t => insertParts(t, turn, step, parts))
  }

  addRequest(row: Omit<ChatRequestsTable, 'seal'>): Promise<void> {
    const sealed = this.#seal.seal<ChatRequestsTable>(row)
    return this.#storage.write(async t => void (await t.insertInto('chat_requests').values(sealed).execute()))
  }

  async ledger(
    tenant: TenantId,
    { conversation, before, limit }: { conversation?: ConversationId; before?: string; limit: number },
  ): Promise<LedgerEntry[]> {
    let query = this.#storage.read
      .selectFrom('chat_requests')
      .selectAll()
      .where('tenant', '=', tenant)
      .orderBy('id', 'desc')
      .limit(limit)
    if (conversation) query = query.where('conversation', '=', conversation)
    if (before) query = query.where('id', '<', before)
    return (await query.execute()).map(entryOf)
  }

  async spent(tenant: TenantId, conversation: ConversationId, since: number) {
    const [here, today] = await Promise.all([
      this.#spent.inConversation(tenant, conversation),
      this.#spent.since(tenant, since),
    ])
    return { conversationCost: here.cost, conversationTokens: here.tokens, dayCost: today.cost }
  }

  isConfidential(conversation: ConversationId): Promise<boolean> {
    return this.#confidential.is(conversation)
  }
}

function byItem(
  rows: readonly { item: ItemId; turn: TurnId; body: string }[],
): Map<ItemId, { turn: TurnId; parts: Part[] }> {
  const items = new Map<ItemId, { turn: TurnId; parts: Part[] }>()
  for (const { item, turn, body } of rows) {
    const known = items.get(item) ?? { turn, parts: [] }
    known.parts.push(Part.parse(JSON.parse(body)))
    items.set(item, known)
  }
  return items
}

/** A turn and the parts of its question, in a transaction that is under way. */
export async function addTurn(t: Transaction, row: TurnRow, parts: readonly Part[] = []): Promise<void> {
  await insertRow(t, 'chat_turns', row)
  const ofQuestion = parts.map(part => ({ item: row.question, part }))
  if (parts.length > 0) await insertParts(t, row, 0, ofQuestion)
}

/** What a step brought, and how its turn stands since: whoever puts it on the path writes all of it at once. */
export async function addStep(
  t: Transaction,
  row: TurnRow,
  parts: readonly { item: ItemId; part: Part }[],
  to: Partial<TurnRow>,
): Promise<void> {
  if (parts.length > 0) await insertParts(t, row, row.step, parts)
  await changeTurn(t, row.id, to)
}

async function changeTurn(t: Transaction, id: TurnId, to: Partial<TurnRow>): Promise<void> {
  await t.updateTable('chat_turns').set(to).where('id', '=', id).execute()
}

async function insertParts(
  t: Transaction,
  { id, tenant, conversation }: TurnRow,
  step: number,
  parts: readonly { item: ItemId; part: Part }[],
): Promise<void> {
  const last = await t
    .selectFrom('chat_parts')
    .select(({ fn }) => fn.max('place').as('place'))
    .where('turn', '=', id)
    .executeTakeFirst()
  const first = (last?.place ?? -1) + 1
  const rows: ChatPartsTable[] = parts.map(({ item, part }, index) => ({
    turn: id,
    place: first + index,
    tenant,
    conversation,
    step,
    item,
    kind: part.kind,
    body: JSON.stringify(part),
  }))
  await t.insertInto('chat_parts').values(rows).execute()
}

export const turnOf = (row: TurnRow, waitUntil: number | null = null): Turn =>
  Turn.parse({
    id: row.id,
    conversation: row.conversation,
    path: row.path,
    question: row.question,
    model: { provider: row.provider, model: row.model },
    providerName: row.provider_name,
    modelVersion: row.model_version,
    state: row.state,
    step: row.step,
    problem: row.problem && JSON.parse(row.problem),
    notices: JSON.parse(row.notices),
    waiting: row.waiting && JSON.parse(row.waiting),
    waitUntil,
    leftOut: row.left_out,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cost: row.cost,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  })

const entryOf = (row: ChatRequestsTable): LedgerEntry => ({
  id: row.id,
  at: row.at,
  conversation: row.conversation,
  turn: row.turn,
  purpose: row.purpose,
  providerName: row.provider_name,
  model: row.model,
  modelVersion: row.model_version,
  bytes: row.bytes,
  replaced: CountsByType.parse(JSON.parse(row.replaced)),
  inputTokens: row.input_tokens,
  outputTokens: row.output_tokens,
  cost: row.cost,
  firstTokenMs: row.first_token_ms,
  tookMs: row.took_ms,
  result: row.result,
})
