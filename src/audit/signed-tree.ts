import { type Frontier, time } from '../../resources/verify.mjs'
import type { Finding } from '../contract/audit.ts'
import { Failure } from '../contract/problem.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { Anchor } from './anchor.ts'
import { headOf } from './append.ts'
import { StoredTree } from './tree.ts'

/**
 * The tree over all that was signed for. It starts from the head in the key store and grows by entries whose seal
 * holds, so that nothing is ever signed that does not extend what was signed before.
 */
export class SignedTree {
  readonly #anchor: Anchor
  readonly #frontier: Frontier | null
  /** What keeps the record from being signed, as far as a look at its end shows. */
  readonly damage: Finding | null

  private constructor(anchor: Anchor, frontier: Frontier | null, damage: Finding | null) {
    this.#anchor = anchor
    this.#frontier = frontier
    this.damage = damage
  }

  static async open(storage: Pick<Storage, 'read'>, anchor: Anchor): Promise<SignedTree> {
    const { checkpoint } = anchor.head
    const frontier = await new StoredTree(storage.read).frontier(0, checkpoint?.size ?? 0)
    if (!checkpoint) return new SignedTree(anchor, frontier, null)
    const { size, at, root } = checkpoint
    // Kept roots of subtrees may be there where the entries below them are not.
    const there = (await headOf(storage.read)).seq + 1
    if (there < size)
      return damaged(cut(there, size, `The record has ${there} entries, but ${size} were signed on ${time(at)}.`))
    if (frontier.size === size && frontier.root() === root) return new SignedTree(anchor, frontier, null)
    const message = `The first ${size} entries are not those that were signed on ${time(at)}.`
    return damaged({ kind: 'rewritten', message, seq: 0, last: size - 1 })

    function damaged(finding: Finding): SignedTree {
      return new SignedTree(anchor, null, finding)
    }
  }

  get size(): number {
    return this.#frontier?.size ?? 0
  }

  root(): string {
    if (!this.#frontier) throw refusal(this.damage)
    return this.#frontier.root()
  }

  /** The tree with everything written since. Throws where an entry is missing or was not written by this application. */
  async grown(transaction: Transaction): Promise<SignedTree> {
    if (!this.#frontier) throw refusal(this.damage)
    const frontier = this.#frontier.clone()
    const { sealedFrom } = this.#anchor.head
    const there = (await headOf(transaction)).seq + 1
    if (there < frontier.size) throw refusal(cut(there, frontier.size, `The record was cut off at entry ${there}.`))
    for (;;) {
      const rows = await rowsFrom(transaction, frontier.size)
      for (const { seq, hash, seal } of rows) {
        if (seq !== frontier.size) throw refusal(cut(frontier.size, seq, `Entry ${frontier.size} is missing.`))
        if (seq >= sealedFrom && !this.#anchor.seal.holds(seq, hash, seal)) throw refusal(unsealed(seq))
        frontier.push(hash)
      }
      if (rows.length < page) break
    }
    return new SignedTree(this.#anchor, frontier, null)
  }
}

const page = 2000

const rowsFrom = (transaction: Transaction, first: number) =>
  transaction
    .selectFrom('audit_entries')
    .select(['seq', 'hash', 'seal'])
    .where('seq', '>=', first)
    .orderBy('seq')
    .limit(page)
    .execute()

const cut = (seq: number, size: number, message: string): Finding => ({
  kind: 'truncated',
  message,
  seq,
  last: size - 1,
})

const unsealed = (seq: number): Finding => ({
  kind: 'seal',
  message: `Entry ${seq} was not written by this application: its seal does not hold.`,
  seq,
  last: seq,
})

/** Signing would make a forged record look genuine. */
class Refusal extends Failure {
  readonly finding: Finding | null

  constructor(finding: Finding | null) {
    super(
      'audit.damaged',
      `The record is not signed any further. ${finding?.message ?? 'It is damaged.'}`,
      'Run "countersign audit verify" and compare with a backup or with checkpoints kept elsewhere.',
    )
    this.finding = finding
  }
}

const refusal = (finding: Finding | null) => new Refusal(finding)

/** The finding behind a refusal to sign; null for any other error. */
export const findingOf = (error: unknown): Finding | null => (error instanceof Refusal ? error.finding : null)
