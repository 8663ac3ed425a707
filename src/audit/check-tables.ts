import { textHash } from '../../resources/verify.mjs'
import type { Finding } from '../contract/audit.ts'
import type { Storage } from '../storage/storage.ts'
import { parseEntry } from './query.ts'

type Facts = Record<string, unknown>

/**
 * Tables on which a decision or what a reviewer sees rests, compared with what the chain told when their rows were
 * written: who signs, who vouched, what was decided and said, which policy was in force.
 */
export class TablesCheck {
  readonly #identities = new Map<string, Facts>()
  readonly #vouches = new Map<string, Facts>()
  readonly #decisions = new Map<string, Facts>()
  readonly #comments = new Set<string>()
  readonly #policies = new Set<string>()
  readonly #consents = new Map<string, Facts>()

  learn(text: string | null): void {
    if (!text || !prefixes.some(each => text.startsWith(each))) return
    const { action, details, request, actor, tenant } = parseEntry(text) ?? {}
    if (typeof details !== 'object' || details === null || Array.isArray(details)) return
    if (action === 'identity.created') this.#identities.set(String(details.identity), { ...details, tenant })
    const vouch = `${details.identity} ${details.voucher}`
    if (action === 'identity.vouched') this.#vouches.set(vouch, { ...details, withdrawnAt: null, withdrawal: null })
    if (action === 'identity.vouch-withdrawn') {
      // It names the vouch that ends, whose own entry retention may have emptied.
      const { tenant: of, publicKey, vouchedAt, withdrawnAt, signature: withdrawal } = details
      const named = { tenant: of, publicKey, vouchedAt }
      this.#vouches.set(vouch, { ...this.#vouches.get(vouch), ...named, withdrawnAt, withdrawal })
    }
    if (action === 'approval.decided') this.#decisions.set(`${request} ${details.signature}`, details)
    if (action === 'cloud.allowed' || action === 'cloud.revoked') this.#learnConsent(parseEntry(text), details)
    if (action === 'policy.changed') this.#policies.add(String(details.to))
    if (action === 'approval.changed' && details.change === 'commented')
      this.#comments.add(JSON.stringify([request, actor, details.comment]))
  }

  #learnConsent(entry: ReturnType<typeof parseEntry>, { consent, ...details }: Facts): void {
    const { action, tenant, actor, conversation, path } = entry ?? {}
    const id = String(consent)
    const ended = { endedBy: actor, endedAt: details.endedAt }
    const given = { tenant, conversation, path, givenBy: actor, ...details, endedBy: null, endedAt: null }
    this.#consents.set(id, action === 'cloud.allowed' ? given : { ...this.#consents.get(id), ...ended })
  }

  /**
   * `complete` is false once retention has emptied entries: what the chain no longer tells cannot be compared.
   * `learnRest` hands over the entries that were written since the walk, since rows may have been too.
   */
  async findings(db: Storage['read'], complete: boolean, learnRest: () => Promise<void>): Promise<Finding[]> {
    const identities = await db.selectFrom('identities').selectAll().execute()
    const vouches = await db.selectFrom('identity_vouches').selectAll().execute()
    const comments = await db.selectFrom('approval_comments').selectAll().execute()
    const policies = await db.selectFrom('policies').selectAll().execute()
    const requests = await db.selectFrom('approval_requests').selectAll().where('decision', 'is not', null).execute()
    const revisions = await db.selectFrom('approval_revisions').selectAll().execute()
    const consents = await db.selectFrom('cloud_consents').selectAll().execute()
    await learnRest()
    const wrong: string[] = []
    const compare = (what: string, row: Facts, told: Facts | undefined) => {
      // What an emptied entry told is missing, also where a later entry told the rest.
      const isSame = ([name, value]: [string, unknown]) => (told && name in told ? value === told[name] : !complete)
      const same = Object.entries(row).every(isSame)
      if (!same) wrong.push(what)
    }
    for (const row of identities) {
      const { tenant, name, public_key: publicKey } = row
      const facts = { tenant, name, publicKey, protected: [false, true][row.protected] ?? null }
      compare(`the identity ${name}`, facts, this.#identities.get(row.id))
    }
    for (const row of vouches) {
      const { tenant, identity, voucher, public_key: publicKey, vouched_at: vouchedAt, signature } = row
      const facts = {
        tenant,
        publicKey,
        vouchedAt,
        signature,
        withdrawnAt: row.withdrawn_at,
        withdrawal: row.withdrawal,
      }
      compare(`a vouch for ${identity}`, facts, this.#vouches.get(`${identity} ${voucher}`))
    }
    for (const row of consents) {
      const { tenant, conversation, path, service, branched_from: branchedFrom } = row
      const times = { givenAt: row.given_at, endedAt: row.ended_at }
      const people = { givenBy: row.given_by, endedBy: row.ended_by }
      const facts = { tenant, conversation, path, service, branchedFrom, ...times, ...people }
      compare(`that the path ${path} may be in the cloud`, facts, this.#consents.get(row.id))
    }
    for (const row of comments) {
      const told = this.#comments.has(JSON.stringify([row.request, row.author, row.text]))
      if (!told && complete) wrong.push(`a comment on the request ${row.request}`)
    }
    for (const { version, policy, adopted_at: at } of policies) {
      const told = this.#policies.has(version) || !complete
      if (!told || textHash(policy) !== version) wrong.push(`the policy of ${new Date(at).toISOString()}`)
    }
    for (const row of requests) {
      const decision = parse(row.decision)
      const { verdict, subject, comment, reviewer, decidedAt, signature } = decision
      const facts = { verdict, subject, comment, reviewer, decidedAt }
      const what = `the decision on the request ${row.id}`
      compare(what, facts, this.#decisions.get(`${row.id} ${signature}`))
      if (row.reviewer !== reviewer || row.decided_at !== decidedAt) wrong.push(what)
    }
    for (const row of revisions) {
      const subject = parse(row.subject)
      const same = textHash(row.subject) === row.subject_hash && textHash(row.code) === subject.code
      if (!same) wrong.push(`the code of the request ${row.request}`)
    }
    return [...new Set(wrong)].slice(0, 100).map(what => ({
      kind: 'table',
      message: `The database does not tell ${what} as the record does.`,
      seq: null,
      last: null,
    }))
  }
}

const prefixes = ['identity.', 'approval.', 'policy.', 'cloud.'].map(each => `{"action":"${each}`)

function parse(text: string | null): Facts {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? (value as Facts) : {}
  } catch {
    return {}
  }
}
