import { z } from 'zod'
import type { Recorder } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import {
  ChatModel,
  type FoundServer,
  isLoopback,
  type Provider,
  type ProviderCheck,
  ProviderId,
  type SaveProvider,
} from '../contract/chat.ts'
import type { ConversationId, TenantId } from '../contract/ids.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { Ids } from '../ids.ts'
import type { KeyStore } from '../keystore.ts'
import type { EgressGuard } from '../privacy/privacy.ts'
import type { RowSeal } from '../row-seal.ts'
import { prepared } from '../storage/prepared.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { ChatProvidersTable } from '../storage/tables/chat.ts'
import { ProviderKeys } from './keys.ts'
import { findServers, listModels } from './model-list.ts'
import type { Connection } from './protocols.ts'
import { guardedFetch } from './wire.ts'

/** Who answers: addresses and models in the database, keys in the key store. */
export interface Providers {
  list(who: Caller): Promise<Provider[]>
  get(who: Caller, id: ProviderId): Promise<Outcome<Provider>>
  save(who: Caller, provider: SaveProvider): Promise<Outcome<Provider>>
  remove(who: Caller, id: ProviderId): Promise<Outcome<void>>
  check(who: Caller, id: ProviderId): Promise<Outcome<ProviderCheck>>
  findServers(): Promise<FoundServer[]>
  /** Notes that the person saw what would be sent, and sent it. */
  introduce(who: Caller, id: ProviderId): Promise<void>
  /** What a request for a conversation travels by. Fails where its key was entered for another address. */
  connect(
    provider: Provider,
    conversation: ConversationId | null,
    onBytes?: (bytes: number) => void,
  ): Promise<Outcome<Connection>>
}

export interface ProvidersDeps {
  readonly storage: Storage
  readonly audit: Recorder
  readonly keys: KeyStore
  readonly seal: RowSeal
  readonly clock: Clock
  readonly ids: Ids
  readonly egress: Pick<EgressGuard, 'recheck'>
  readonly changed: () => void
}

export function createProviders(deps: ProvidersDeps): Providers {
  const { storage, audit, seal, clock, ids, egress } = deps
  const keys = new ProviderKeys(deps.keys)

  const connect: Providers['connect'] = async (provider, conversation, onBytes) => {
    const { kind, name, baseUrl } = provider
    const key = await keys.of(provider)
    if (!key.ok) return key
    const send = guardedFetch({ egress, baseUrl, to: name, conversation, ...(onBytes ? { onBytes } : {}) })
    return ok({ kind, name, baseUrl, key: key.value, send })
  }

  const find = async (db: Transaction, who: Caller, id: ProviderId): Promise<ChatProvidersTable | null> => {
    const [row] = await providerById(db, id, who.tenant)
    // An address that was written into the database would be sent the key, and all that is said.
    return row && seal.holds(row) ? row : null
  }
  const get: Providers['get'] = async (who, id) => {
    const row = await find(storage.read, who, id)
    return row ? ok(providerOf(row)) : gone()
  }

  return {
    async list(who) {
      const rows = await storage.read
        .selectFrom('chat_providers')
        .selectAll()
        .where('tenant', '=', who.tenant)
        .orderBy('created_at')
        .execute()
      return rows.filter(row => seal.holds(row)).map(providerOf)
    },
    get,

    async save(who, { id: given, key, kind, name, baseUrl, models }) {
      const before = given ? await find(storage.read, who, given) : null
      if (given && !before) return gone()
      const id = given ?? ids.make(ProviderId)
      // Another address is another party: it gets no key that was entered for this one, and the person is shown anew
      // what would be sent to it.
      const isThere = before?.base_url === baseUrl
      if (before && !isThere) await keys.forget(providerOf(before))
      if (key !== undefined) await keys.set({ id, baseUrl }, key)
      const hasKey = key === undefined ? isThere && before.has_key === 1 : key !== ''
      const introducedAt = isThere ? before.introduced_at : null
      const row = seal.seal<ChatProvidersTable>({
        id,
        tenant: who.tenant,
        kind,
        name,
        base_url: baseUrl,
        models: JSON.stringify(models),
        has_key: hasKey ? 1 : 0,
        introduced_at: introducedAt,
        created_at: before?.created_at ?? clock.now(),
      })
      await storage.write(async t => {
        const { id: _, ...changes } = row
        await t
          .insertInto('chat_providers')
          .values(row)
          .onConflict(conflict => conflict.column('id').doUpdateSet(changes))
          .execute()
        await note(t, who, { provider: name, kind, host: new URL(baseUrl).host, newKey: key !== undefined })
      })
      deps.changed()
      return ok(providerOf(row))
    },

    async remove(who, id) {
      const found = await get(who, id)
      if (!found.ok) return found
      await keys.forget(found.value)
      await storage.write(async t => {
        await t.deleteFrom('chat_providers').where('id', '=', id).where('tenant', '=', who.tenant).execute()
        await note(t, who, { provider: found.value.name, removed: true })
      })
      deps.changed()
      return ok(undefined)
    },

    async check(who, id) {
      const found = await get(who, id)
      if (!found.ok) return found
      const from = performance.now()
      const connection = await connect(found.value, null)
      if (!connection.ok) return connection
      const models = await listModels(connection.value)
      return models.ok ? ok({ models: models.value, tookMs: performance.now() - from }) : models
    },

    findServers: () =>
      findServers(baseUrl => guardedFetch({ egress, baseUrl, to: 'this machine', conversation: null })),

    async introduce(who, id) {
      await storage.write(async t => {
        const row = await find(t, who, id)
        if (!row || row.introduced_at !== null) return
        const introduced = seal.seal<ChatProvidersTable>({ ...row, introduced_at: clock.now() })
        await t.updateTable('chat_providers').set(introduced).where('id', '=', id).execute()
      })
      deps.changed()
    },
    connect,
  }

  function note(t: Parameters<Recorder['append']>[0], who: Caller, details: Record<string, string | boolean>) {
    return audit.append(t, {
      action: 'settings.changed',
      tenant: who.tenant,
      actor: who.user,
      details: { modelProvider: details },
    })
  }
}

const providerById = prepared((db, id: ProviderId, tenant: TenantId) =>
  db.selectFrom('chat_providers').selectAll().where('id', '=', id).where('tenant', '=', tenant),
)

const providerOf = (row: ChatProvidersTable): Provider => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  baseUrl: row.base_url,
  models: z.array(ChatModel).parse(JSON.parse(row.models)),
  hasKey: row.has_key === 1,
  local: isLoopback(row.base_url),
  introducedAt: row.introduced_at,
})

const gone = () =>
  fail('chat.no-model', 'This provider is not set up any more.', 'Choose another model, or set one up in the settings.')
