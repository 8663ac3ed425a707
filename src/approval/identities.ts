import { type KeyObject, sign } from 'node:crypto'
import type { Audit, Recorder } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { type Identity, NewIdentity } from '../contract/approval.ts'
import { Facts } from '../contract/facts.ts'
import { type TenantId, UserId } from '../contract/ids.ts'
import { fail, type Outcome, ok, type Problem, problem } from '../contract/problem.ts'
import type { Ids } from '../ids.ts'
import type { KeyStore } from '../keystore.ts'
import type { Storage } from '../storage/storage.ts'
import type { IdentitiesTable } from '../storage/tables/approval.ts'
import type { Identities, Reviewer } from './approval.ts'
import { invalid, notLoggedIn } from './boundary.ts'
import { sha256 } from './canonical.ts'
import { makeKey, openKey, trustedHalf } from './signing-key.ts'
import {
  endOfVouch,
  genuineVouches,
  type Standing,
  type TrustedKey,
  type VouchSpan,
  vouchText,
  type Withdrawal,
  withdrawalText,
} from './vouching.ts'

/** What the rest of `approval/` may do with a reviewer and nobody else. */
export interface KeyRing extends Identities {
  /** Who logged in with this object; `null` for one that was made up or has logged out. */
  known(reviewer: Reviewer): Identity | null
  sign(reviewer: Reviewer, text: string): string
  /** The public key of an identity as the key store has it, in base64 SPKI. */
  trustedKey(id: UserId): Promise<string | null>
  /** Whether the yes of an identity can count as the second pair of eyes. */
  standing(id: UserId): Promise<Standing>
}

interface Options {
  readonly storage: Storage
  readonly audit: Recorder & Pick<Audit, 'told'>
  readonly keys: KeyStore
  readonly clock: Clock
  readonly ids: Ids
}

const patience = { attempts: 5, lockedMs: 60_000 }

export function createIdentities({ storage, audit, keys, clock, ids }: Options): KeyRing {
  const loggedIn = new WeakMap<Reviewer, KeyObject>()
  const failures = new Map<UserId, { count: number; until: number }>()

  const find = (id: UserId) => storage.read.selectFrom('identities').selectAll().where('id', '=', id).executeTakeFirst()

  async function add(id: UserId, tenant: TenantId, name: string, passphrase: string | undefined, by: UserId | null) {
    const { publicKey, stored } = await makeKey(id, passphrase)
    // Named by its fingerprint: two processes that make the same identity at once keep both keys, and the row says which.
    await keys.set(keyName(id, publicKey), stored)
    return storage.write(async transaction => {
      const row = {
        id,
        tenant,
        name,
        public_key: publicKey,
        protected: passphrase === undefined ? 0 : 1,
        created_at: clock.now(),
      }
      const insert = transaction
        .insertInto('identities')
        .values(row)
        .onConflict(conflict => conflict.doNothing())
      const { numInsertedOrUpdatedRows } = await insert.executeTakeFirstOrThrow()
      if (numInsertedOrUpdatedRows !== 1n) {
        return transaction.selectFrom('identities').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      }
      const details = { identity: id, name, publicKey, protected: passphrase !== undefined }
      await audit.append(transaction, { action: 'identity.created', tenant, actor: by, details })
      return row
    })
  }

  async function keyOf(id: UserId): Promise<TrustedKey | null> {
    const row = await find(id)
    const stored = row && (await keys.get(keyName(id, row.public_key)))
    return stored ? trustedHalf(stored) : null
  }

  async function vouchesFor(id: UserId): Promise<VouchSpan[]> {
    const rows = await storage.read.selectFrom('identity_vouches').selectAll().where('identity', '=', id).execute()
    const genuine = rows.length === 0 ? [] : await genuineVouches(rows, await keyOf(id), keyOf)
    const told = genuine.length === 0 ? [] : await withdrawalsBy(genuine.map(row => row.voucher))
    return genuine.map(row => ({ by: row.voucher, from: row.vouched_at, until: endOfVouch(row, told) }))
  }

  async function withdrawalsBy(vouchers: readonly UserId[]): Promise<Withdrawal[]> {
    const told = await audit.told('identity.vouch-withdrawn')
    return told
      .filter(({ actor }) => actor !== null && vouchers.includes(actor))
      .map(each => withdrawalOf(each.details))
  }

  async function asIdentity(row: IdentitiesTable): Promise<Identity> {
    const standing = (await vouchesFor(row.id)).filter(each => each.until === null)
    const vouches = standing.map(each => ({ by: each.by, at: each.from }))
    const { id, tenant, name, public_key: publicKey, created_at: createdAt } = row
    const isProtected = (await keyOf(id))?.protected ?? row.protected === 1
    return { id, tenant, name, publicKey, protected: isProtected, createdAt, vouches }
  }

  async function refuse(row: IdentitiesTable, refusal: Problem): Promise<Outcome<never>> {
    const details = { attempt: 'log-in', identity: row.id, code: refusal.code, reason: refusal.message }
    await storage.write(transaction =>
      audit.append(transaction, { action: 'approval.rejected', tenant: row.tenant, actor: null, details }),
    )
    return { ok: false, problem: refusal }
  }

  return {
    async ensure({ id, tenant, name }) {
      return asIdentity((await find(id)) ?? (await add(id, tenant, name, undefined, id)))
    },
    async create(tenant, input, by) {
      const parsed = NewIdentity.safeParse(input)
      if (!parsed.success) return invalid('This identity cannot be made', parsed.error)
      const { name, passphrase } = parsed.data
      const taken = await storage.read
        .selectFrom('identities')
        .select('id')
        .where('tenant', '=', tenant)
        .where(eb => eb.fn<string>('lower', ['name']), '=', name.toLowerCase())
        .executeTakeFirst()
      // Two reviewers of one name could not be told apart in the queue or on the record.
      if (taken) return fail('conflict', `There is an identity named ${name} already.`, 'Choose another name.')
      return ok(await asIdentity(await add(ids.make(UserId), tenant, name, passphrase, by)))
    },
    async list(tenant) {
      const query = storage.read.selectFrom('identities').selectAll().where('tenant', '=', tenant)
      return Promise.all((await query.orderBy('created_at').orderBy('id').execute()).map(asIdentity))
    },
    logIn: inTurn(async (id, passphrase) => {
      const row = await find(id)
      if (!row) return unknownIdentity
      const failed = failures.get(id)
      if (failed && failed.count >= patience.attempts && clock.now() < failed.until) return refuse(row, tooOften)
      const stored = await keys.get(keyName(id, row.public_key))
      const key = stored ? await openKey(stored, id, row.public_key, passphrase) : 'damaged'
      if (key === 'damaged') return refuse(row, keyDamaged(row.name))
      if (key === 'wrong passphrase') {
        failures.set(id, { count: (failed?.count ?? 0) + 1, until: clock.now() + patience.lockedMs })
        return refuse(row, wrongPassphrase(row.name))
      }
      failures.delete(id)
      const identity = await asIdentity(row)
      await storage.write(transaction =>
        audit.append(transaction, {
          action: 'reviewer.logged-in',
          tenant: row.tenant,
          actor: id,
          details: { identity: id, name: row.name, protected: identity.protected },
        }),
      )
      const reviewer = Object.freeze({ identity: Object.freeze(identity) }) as Reviewer
      loggedIn.set(reviewer, key)
      return ok(reviewer)
    }),
    logOut(reviewer) {
      loggedIn.delete(reviewer)
    },
    known: reviewer => (loggedIn.has(reviewer) ? reviewer.identity : null),
    sign(reviewer, text) {
      const key = loggedIn.get(reviewer)
      if (!key) throw new Error('signing needs a reviewer who has logged in')
      return sign(null, Buffer.from(text), key).toString('base64')
    },
    trustedKey: async id => (await keyOf(id))?.publicKey ?? null,
    async standing(id) {
      return { id, protected: (await keyOf(id))?.protected ?? false, vouches: await vouchesFor(id) }
    },
    async vouch(reviewer, id) {
      const key = loggedIn.get(reviewer)
      if (!key) return notLoggedIn
      const { id: voucher, tenant } = reviewer.identity
      const row = await find(id)
      if (!row || row.tenant !== tenant) return unknownIdentity
      const about = await keyOf(id)
      const refusal = whyNoVouch(row, about, { id: voucher, key: await keyOf(voucher) })
      if (refusal || !about) return { ok: false, problem: refusal ?? keyDamaged(row.name) }
      const { publicKey } = about
      const ended = (await vouchesFor(id)).find(each => each.by === voucher)?.until ?? 0
      // Later than the withdrawal of the one before, which would end this one too.
      const vouchedAt = Math.max(clock.now(), ended + 1)
      const vouch = { tenant, identity: id, publicKey, voucher, vouchedAt }
      const signature = sign(null, Buffer.from(vouchText(vouch)), key).toString('base64')
      await storage.write(async transaction => {
        const now = { public_key: publicKey, vouched_at: vouch.vouchedAt, signature }
        const set = { ...now, withdrawn_at: null, withdrawal: null }
        await transaction
          .insertInto('identity_vouches')
          .values({ tenant, identity: id, voucher, ...set })
          .onConflict(conflict => conflict.columns(['identity', 'voucher']).doUpdateSet(set))
          .execute()
        const details = { ...vouch, name: row.name, signature }
        await audit.append(transaction, { action: 'identity.vouched', tenant, actor: voucher, details })
      })
      return ok(await asIdentity(row))
    },
    async withdraw(reviewer, id) {
      const key = loggedIn.get(reviewer)
      if (!key) return notLoggedIn
      const { id: voucher, tenant } = reviewer.identity
      const row = await find(id)
      if (!row || row.tenant !== tenant) return unknownIdentity
      const standing = (await vouchesFor(id)).find(each => each.by === voucher && each.until === null)
      if (!standing) return notVouching(row.name)
      // Later than the vouch in any case: one that ended when it began would look as if it had never been.
      const withdrawnAt = Math.max(clock.now(), standing.from + 1)
      const vouch = { tenant, identity: id, publicKey: row.public_key, voucher, vouchedAt: standing.from }
      const withdrawal = { ...vouch, withdrawnAt }
      const signature = sign(null, Buffer.from(withdrawalText(withdrawal)), key).toString('base64')
      await storage.write(async transaction => {
        await transaction
          .updateTable('identity_vouches')
          .set({ withdrawn_at: withdrawnAt, withdrawal: signature })
          .where('identity', '=', id)
          .where('voucher', '=', voucher)
          .execute()
        const details = { ...withdrawal, name: row.name, signature }
        await audit.append(transaction, { action: 'identity.vouch-withdrawn', tenant, actor: voucher, details })
      })
      return ok(await asIdentity(row))
    },
  }
}

/** One attempt after the other for each identity: guesses made at once would all be counted as the first. */
function inTurn(attempt: Identities['logIn']): Identities['logIn'] {
  const last = new Map<UserId, Promise<unknown>>()
  return (id, passphrase) => {
    const next = (last.get(id) ?? Promise.resolve()).then(() => attempt(id, passphrase))
    const settled = next.catch(() => undefined)
    last.set(id, settled)
    void settled.then(() => last.get(id) === settled && last.delete(id))
    return next
  }
}

/** As the record tells it; who wrote the entry is who withdrew. */
function withdrawalOf(details: unknown): Withdrawal {
  const facts = new Facts(details)
  return {
    tenant: facts.text('tenant') as TenantId,
    identity: facts.text('identity') as UserId,
    publicKey: facts.text('publicKey'),
    voucher: facts.text('voucher') as UserId,
    vouchedAt: facts.number('vouchedAt'),
    withdrawnAt: facts.number('withdrawnAt'),
  }
}

const notVouching = (name: string) =>
  fail('request.invalid', `You are not vouching for ${name}.`, 'Only whoever vouched can withdraw it.')

const keyName = (id: UserId, publicKey: string): string => `identity.${id}.${sha256(publicKey).slice(0, 16)}`

const unknownIdentity = fail(
  'identity.unknown',
  'There is no such identity.',
  'Choose one of the list, or make a new one.',
)

function whyNoVouch(
  row: IdentitiesTable,
  about: TrustedKey | null,
  voucher: { id: UserId; key: TrustedKey | null },
): Problem | null {
  if (row.id === voucher.id)
    return problem('request.invalid', 'Nobody can vouch for themselves.', 'Ask somebody else who has a passphrase.')
  if (!about) return keyDamaged(row.name)
  if (!about.protected)
    return problem(
      'request.invalid',
      `${row.name} has no passphrase, so anybody at this machine can sign as them.`,
      'Make an identity with a passphrase for them first.',
    )
  if (!voucher.key?.protected)
    return problem(
      'access.denied',
      'Only somebody who signs with a passphrase can vouch for another.',
      'Sign as an identity with a passphrase, then vouch.',
    )
  return null
}

const tooOften = problem('identity.locked', 'The passphrase was wrong too often.', 'Wait a minute, then try again.')
const wrongPassphrase = (name: string) =>
  problem('identity.locked', `This is not the passphrase of ${name}.`, 'Type it again; it cannot be recovered.')
const keyDamaged = (name: string) =>
  problem(
    'identity.locked',
    `The signing key of ${name} is missing or is not the one on record.`,
    'Restore the key store from a backup, or make a new identity.',
  )
