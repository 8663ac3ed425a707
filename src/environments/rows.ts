import { z } from 'zod'
import { Sha256 } from '../contract/audit.ts'
import { EnvironmentName } from '../contract/environments.ts'
import type { ConversationId, TenantId, UserId } from '../contract/ids.ts'
import type { RowSeal } from '../row-seal.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { EnvironmentsRow } from '../storage/tables/environments.ts'

/** An environment that somebody has looked at and named. */
const Confirmed = z.object({ name: EnvironmentName, path: z.string(), sha256: Sha256 })
export type Confirmed = z.infer<typeof Confirmed>

/** Environments and choices as rows. An environment counts only with its seal: its interpreter is started as it is named. */
export class EnvironmentRows {
  readonly #storage: Storage
  readonly #seal: RowSeal

  constructor(storage: Storage, seal: RowSeal) {
    this.#storage = storage
    this.#seal = seal
  }

  async confirmed(tenant: TenantId): Promise<Confirmed[]> {
    const rows = await this.#storage.read
      .selectFrom('environments')
      .selectAll()
      .where('tenant', '=', tenant)
      .orderBy('name')
      .execute()
    return rows.filter(row => this.#seal.holds(row)).flatMap(row => Confirmed.safeParse(row).data ?? [])
  }

  async add(t: Transaction, tenant: TenantId, by: UserId, at: number, one: Confirmed): Promise<void> {
    const { name, path, sha256 } = one
    const row = this.#seal.seal<EnvironmentsRow>({ tenant, name, path, sha256, added_at: at, added_by: by })
    await t
      .insertInto('environments')
      .values(row)
      .onConflict(held => held.columns(['tenant', 'name']).doUpdateSet(row))
      .execute()
  }

  async remove(t: Transaction, tenant: TenantId, name: string): Promise<void> {
    await t.deleteFrom('environments').where('tenant', '=', tenant).where('name', '=', name).execute()
  }

  async chosen(tenant: TenantId, conversation: ConversationId): Promise<string | null> {
    const row = await this.#storage.read
      .selectFrom('conversation_environments')
      .select('environment')
      .where('tenant', '=', tenant)
      .where('conversation', '=', conversation)
      .executeTakeFirst()
    return row?.environment ?? null
  }

  async choose(
    t: Transaction,
    tenant: TenantId,
    conversation: ConversationId,
    name: string | null,
    at: number,
  ): Promise<void> {
    if (name === null) {
      await t
        .deleteFrom('conversation_environments')
        .where('tenant', '=', tenant)
        .where('conversation', '=', conversation)
        .execute()
      return
    }
    const row = { environment: name, chosen_at: at }
    await t
      .insertInto('conversation_environments')
      .values({ tenant, conversation, ...row })
      .onConflict(held => held.columns(['tenant', 'conversation']).doUpdateSet(row))
      .execute()
  }
}
