import { leafHash, nothingBefore } from '../../resources/verify.mjs'
import { Facts } from '../contract/facts.ts'
import type { PathId, TenantId } from '../contract/ids.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { DecisionState, SignedDecision } from './audit.ts'
import type { Seal } from './seal.ts'

/** What the chain must be for its word to count. */
export interface ChainState {
  readonly seal: Seal
  readonly sealedFrom: number
  /** So many entries were signed for; null when the record does not extend what was signed. */
  readonly signedSize: number | null
}

export interface TakenBack {
  readonly tenant: TenantId
  readonly path: PathId
  readonly at: number
  readonly rules: readonly unknown[]
}

interface Row {
  readonly seq: number
  readonly hash: string
  readonly entry: string | null
  readonly seal: Uint8Array | null
}

const page = 1000

/**
 * Which decisions the chain tells of, which of them were used, and what was taken back of what they granted. Tables can be set back by whoever can write to the
 * database; the chain cannot. What was read once is remembered, so that only what is new has to be read again.
 */
export class DecisionLedger {
  readonly #storage: Pick<Storage, 'read'>
  readonly #chain: () => ChainState
  /** The stretch that was read, first included and end not. */
  #first = 0
  #end = 0
  readonly #known = new Uses()

  constructor(storage: Pick<Storage, 'read'>, chain: () => ChainState) {
    this.#storage = storage
    this.#chain = chain
  }

  /** Inside the transaction that would use the decision, so that two uses at once see each other. */
  async stateOf(transaction: Transaction, decision: SignedDecision): Promise<DecisionState> {
    const { signedSize } = this.#chain()
    const end = await endOf(transaction)
    if (signedSize === null || end < signedSize) return 'damaged'
    const committed = await endOf(this.#storage.read)
    if (this.#end === 0) this.#first = this.#end = committed
    if (committed < this.#end) return 'damaged'
    for (; this.#end < committed; this.#end = Math.min(this.#end + page, committed)) {
      if (!(await this.#read(this.#storage.read, this.#end, Math.min(this.#end + page, committed), this.#known)))
        return 'damaged'
    }
    // What is not committed yet may still be undone, and its numbers given to other entries: it is not remembered.
    const open = new Uses()
    if (!(await this.#read(transaction, committed, end, open))) return 'damaged'
    while (!this.#known.decided(decision) && !open.decided(decision) && this.#first > 0) {
      const from = Math.max(0, this.#first - page)
      if (!(await this.#read(this.#storage.read, from, this.#first, this.#known))) return 'damaged'
      this.#first = from
    }
    if (!this.#known.decided(decision) && !open.decided(decision)) return 'unknown'
    return this.#known.used(decision) || open.used(decision) ? 'used' : 'unused'
  }

  /** What was taken back of the grants of a path, of all that was read for decisions: from the oldest of them to the last entry. */
  takenBack(tenant: TenantId, path: PathId): readonly TakenBack[] {
    return this.#known.takenBack.filter(each => each.tenant === tenant && each.path === path)
  }

  /** Takes in a stretch; false where it is not what was recorded. */
  async #read(db: Transaction, from: number, end: number, into: Uses): Promise<boolean> {
    if (from === end) return true
    const rows = await rowsOf(db, from - 1, end)
    const before = from === 0 ? nothingBefore : rows.shift()?.hash
    if (before === undefined || rows.length !== end - from) return false
    let previous = before
    for (const [place, row] of rows.entries()) {
      if (row.seq !== from + place || !this.#isGenuine(row, previous)) return false
      previous = row.hash
      if (row.entry !== null) into.learn(row.entry)
    }
    return true
  }

  /** An entry that was emptied could have told of a use: retention reaches decisions long after they have expired. */
  #isGenuine({ seq, hash, entry, seal }: Row, previous: string): boolean {
    const { seal: expected, sealedFrom } = this.#chain()
    if (entry === null || leafHash(previous, entry) !== hash) return false
    return seq < sealedFrom || expected.holds(seq, hash, seal)
  }
}

class Uses {
  readonly #decided = new Set<string>()
  readonly #used = new Set<string>()
  readonly takenBack: TakenBack[] = []

  learn(text: string): void {
    if (text.startsWith('{"action":"network.narrowed"')) {
      const { tenant, path, at, details } = JSON.parse(text)
      this.takenBack.push({ tenant, path, at, rules: new Facts(details).list('taken') })
      return
    }
    const isDecision = text.startsWith('{"action":"approval.decided"')
    if (!isDecision && !text.startsWith('{"action":"approval.changed"')) return
    const { details } = JSON.parse(text)
    if (isDecision) this.#decided.add(`${details?.subject} ${details?.signature}`)
    else if (details?.change === 'used') this.#used.add(String(details.subject))
  }

  decided({ subject, signature }: SignedDecision): boolean {
    return this.#decided.has(`${subject} ${signature}`)
  }

  /** By its subject, which holds the nonce: no two askings share one. */
  used({ subject }: SignedDecision): boolean {
    return this.#used.has(subject)
  }
}

const endOf = async (db: Transaction): Promise<number> => {
  const end = await db
    .selectFrom('audit_entries')
    .select(eb => eb.fn.max('seq').as('seq'))
    .executeTakeFirst()
  return (end?.seq ?? -1) + 1
}

const rowsOf = (db: Transaction, from: number, end: number): Promise<Row[]> =>
  db
    .selectFrom('audit_entries')
    .select(['seq', 'hash', 'entry', 'seal'])
    .where('seq', '>=', from)
    .where('seq', '<', end)
    .orderBy('seq')
    .execute()
