import { z } from 'zod'
import type { AuditFilter } from '../contract/audit.ts'
import type { ChatModel } from '../contract/chat.ts'
import type { ConversationId, TenantId } from '../contract/ids.ts'
import type { RowSeal } from '../row-seal.ts'
import { listOf } from '../storage/lists.ts'
import type { Storage } from '../storage/storage.ts'
import type { ChatRequestsTable } from '../storage/tables/chat.ts'
import { type Entries, EntryReader } from './entries.ts'
import { costOf } from './known-models.ts'

/** What a request took, or the most that it may take. */
export interface Use {
  readonly cost: number
  readonly tokens: number
}

/** What the entry of a request says before it leaves. */
const Told = z.object({ request: z.string(), most: z.object({ cost: z.number(), tokens: z.number() }) })

/** The most that a request may take: no token is shorter than a character, and the model has a window. */
export function mostOf(model: ChatModel, texts: readonly unknown[], outputTokens: number): Use {
  const characters = texts.reduce<number>((sum, text) => sum + (JSON.stringify(text) ?? '').length, 0)
  const input = Math.min(characters, model.windowTokens ?? characters)
  return { cost: costOf(model, input, outputTokens) ?? 0, tokens: input + outputTokens }
}

type Scope = Pick<AuditFilter, 'conversation' | 'from'>

interface Known {
  readonly entries: EntryReader
  /** Requests on the record whose row has not been seen with its seal: each counts as the most that it may take. */
  readonly open: Map<string, Use>
  /** All others, by their rows. A row that was seen once is remembered: what happens to it later changes nothing. */
  readonly settled: Map<string, Use>
}

const mostScopes = 200

/**
 * What requests to models took. Rows of the database can be deleted and set back, the record cannot: each request that
 * it tells of counts, by its row where that has its seal, and else as the most that it may have taken.
 */
export class Spent {
  readonly #storage: Storage
  readonly #audit: Entries
  readonly #seal: RowSeal
  readonly #known = new Map<string, Known>()

  constructor(storage: Storage, audit: Entries, seal: RowSeal) {
    this.#storage = storage
    this.#audit = audit
    this.#seal = seal
  }

  inConversation(tenant: TenantId, conversation: ConversationId): Promise<Use> {
    return this.#of(tenant, `${tenant} ${conversation}`, { conversation })
  }

  since(tenant: TenantId, from: number): Promise<Use> {
    return this.#of(tenant, `${tenant} ${from}`, { from })
  }

  async #of(tenant: TenantId, scope: string, filter: Scope): Promise<Use> {
    const before = this.#known.get(scope)
    const known = before ?? {
      entries: new EntryReader(this.#audit, { ...filter, actions: ['egress.passed'] }),
      open: new Map(),
      settled: new Map(),
    }
    await known.entries.read(entry => {
      const told = entry.tenant === tenant ? Told.safeParse(entry.details).data : undefined
      if (told && !known.settled.has(told.request)) known.open.set(told.request, told.most)
    })
    const rows = await this.#rows(tenant, before ? { ids: [...known.open.keys()] } : filter)
    for (const row of rows) {
      // Rows from before requests stood on the record by their id are taken as they are.
      if (known.open.has(row.id) && !this.#seal.holds(row)) continue
      known.open.delete(row.id)
      known.settled.set(row.id, takenBy(row))
    }
    if (this.#known.size >= mostScopes) this.#known.clear()
    this.#known.set(scope, known)
    return sum([...known.settled.values(), ...known.open.values()])
  }

  async #rows(
    tenant: TenantId,
    { ids, conversation, from }: Scope & { ids?: readonly string[] },
  ): Promise<ChatRequestsTable[]> {
    if (ids?.length === 0) return []
    let query = this.#storage.read.selectFrom('chat_requests').selectAll().where('tenant', '=', tenant)
    if (ids) query = query.where('id', 'in', listOf(ids))
    if (conversation) query = query.where('conversation', '=', conversation)
    if (from !== undefined) query = query.where('at', '>=', from)
    return query.execute()
  }
}

/** Never less than nothing: a row from before there were seals could say so. */
const takenBy = (row: ChatRequestsTable): Use => ({
  cost: Math.max(0, row.cost ?? 0),
  tokens: Math.max(0, row.input_tokens ?? 0) + Math.max(0, row.output_tokens ?? 0),
})

const sum = (uses: readonly Use[]): Use =>
  uses.reduce((all, use) => ({ cost: all.cost + use.cost, tokens: all.tokens + use.tokens }), { cost: 0, tokens: 0 })
