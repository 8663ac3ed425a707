import type { Audit, Recorder } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Caller } from '../contract/caller.ts'
import { CloudConsent } from '../contract/cloud.ts'
import type { PathRef } from '../contract/contexts.ts'
import { Facts } from '../contract/facts.ts'
import type { TenantId } from '../contract/ids.ts'
import type { RowSeal } from '../row-seal.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { CloudConsentsTable } from '../storage/tables/cloud.ts'

/**
 * Which paths a person has let go to which service. Each change and its entry on the record are one transaction. A row
 * counts with its seal, and while neither it nor the record says that it was taken back: a row can be set back.
 */
export class Consents {
  readonly #storage: Storage
  readonly #audit: Recorder & Pick<Audit, 'told'>
  readonly #seal: RowSeal
  readonly #clock: Clock
  readonly #makeId: () => string

  constructor(
    storage: Storage,
    audit: Recorder & Pick<Audit, 'told'>,
    seal: RowSeal,
    clock: Clock,
    makeId: () => string,
  ) {
    this.#seal = seal
    this.#storage = storage
    this.#audit = audit
    this.#clock = clock
    this.#makeId = makeId
  }

  async given(ref: PathRef, service: string): Promise<CloudConsent | null> {
    const row = await standing(this.#storage.read, ref)
    if (row?.service !== service || !this.#seal.holds(row) || (await this.#isTakenBack(row))) return null
    return consentOf(row)
  }

  async all(tenant: TenantId): Promise<CloudConsent[]> {
    const rows = await this.#storage.read
      .selectFrom('cloud_consents')
      .selectAll()
      .where('tenant', '=', tenant)
      .where('ended_at', 'is', null)
      .orderBy('id')
      .execute()
    return rows.filter(row => this.#seal.holds(row)).map(consentOf)
  }

  /** For another service than before it is given anew. */
  give(who: Caller, ref: PathRef, service: string, branchedFrom: PathRef['path'] | null = null): Promise<CloudConsent> {
    return this.#storage.write(async t => {
      const before = await standing(t, ref)
      if (before?.service === service && this.#seal.holds(before) && !(await this.#isTakenBack(before)))
        return consentOf(before)
      if (before) await this.#end(t, before, who)
      const row = this.#seal.seal<CloudConsentsTable>({
        id: this.#makeId(),
        ...ref,
        service,
        given_by: who.user,
        given_at: this.#clock.now(),
        branched_from: branchedFrom,
        ended_by: null,
        ended_at: null,
      })
      await t.insertInto('cloud_consents').values(row).execute()
      const { tenant, conversation, path } = ref
      const details = { consent: row.id, service, givenAt: row.given_at, branchedFrom }
      await this.#audit.append(t, { action: 'cloud.allowed', tenant, actor: who.user, conversation, path, details })
      return consentOf(row)
    })
  }

  revoke(who: Caller, ref: PathRef): Promise<boolean> {
    return this.#storage.write(async t => {
      const row = await standing(t, ref)
      if (row) await this.#end(t, row, who)
      return row !== undefined
    })
  }

  async #isTakenBack({ id, path }: CloudConsentsTable): Promise<boolean> {
    const told = await this.#audit.told('cloud.revoked')
    return told.some(entry => entry.path === path && new Facts(entry.details).text('consent') === id)
  }

  async #end(t: Transaction, row: CloudConsentsTable, who: Caller): Promise<void> {
    const { id, tenant, conversation, path } = row
    const at = this.#clock.now()
    const { seal: _, ...before } = row
    const ended = this.#seal.seal<CloudConsentsTable>({ ...before, ended_at: at, ended_by: who.user })
    await t.updateTable('cloud_consents').set(ended).where('id', '=', id).execute()
    const ref = { conversation, path } as Pick<CloudConsent, 'conversation' | 'path'>
    const details = { consent: id, endedAt: at }
    await this.#audit.append(t, {
      action: 'cloud.revoked',
      tenant: tenant as TenantId,
      actor: who.user,
      ...ref,
      details,
    })
  }
}

const standing = (db: Transaction, { tenant, conversation, path }: PathRef) =>
  db
    .selectFrom('cloud_consents')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('conversation', '=', conversation)
    .where('path', '=', path)
    .where('ended_at', 'is', null)
    .executeTakeFirst()

const consentOf = (row: CloudConsentsTable): CloudConsent =>
  CloudConsent.parse({
    conversation: row.conversation,
    path: row.path,
    service: row.service,
    givenBy: row.given_by,
    givenAt: row.given_at,
    branchedFrom: row.branched_from,
  })
