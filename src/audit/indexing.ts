import type { AuditEntry } from '../contract/audit.ts'
import {
  bodyRow,
  countUnindexed,
  insertFacets,
  insertReference,
  insertWords,
  unindexed,
} from '../storage/record/entries.ts'
import { facetWords } from '../storage/record/facets.ts'
import { Kinds } from '../storage/record/kinds.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import { unpackBody } from './bodies.ts'
import type { SealedEntry } from './entry.ts'
import { facetsOf, wordsOf } from './facets.ts'

/**
 * Entries indexed in one transaction: few, so that nobody waits long for their turn, unless much is waiting. A large
 * batch writes each page of the index once where many small ones write it again and again.
 */
const batchFor = (waiting: number) => (waiting > 2000 ? 2000 : 250)

/** Texts of entries just written are kept here, so that they need not be unpacked again to be indexed. */
const mostRemembered = 4000

/**
 * Makes entries findable after they were written. An append stays small that way, and a crash loses nothing: what is
 * not indexed yet follows from the entries, and is made up for at the next start or before the next query.
 */
export class Indexing {
  readonly #storage: Storage
  readonly #remembered = new Map<string, readonly string[]>()
  readonly #kinds = new Kinds()
  #running: Promise<void> | null = null

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** By the entry's hash, not its number: a number is used again when a transaction is rolled back. */
  remember({ hash, bodies }: SealedEntry): void {
    if (bodies.length === 0) return
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear()
    this.#remembered.set(
      hash,
      bodies.map(body => body.text),
    )
  }

  async catchUp(): Promise<void> {
    while (this.#running) await this.#running
    const waiting = await countUnindexed(this.#storage.read)
    if (waiting <= 0) return
    this.#running = this.#indexAll(waiting).finally(() => {
      this.#running = null
    })
    await this.#running
  }

  async #indexAll(waiting: number): Promise<void> {
    for (let left = waiting; ; ) {
      const batch = batchFor(left)
      const count = await this.#storage.write(transaction => this.#indexSome(transaction, batch))
      if (count < batch) return
      left -= count
    }
  }

  async #indexSome(transaction: Transaction, batch: number): Promise<number> {
    const rows = await unindexed(transaction, batch)
    for (const { seq, hash, entry: text } of rows) {
      const entry = readable(text)
      if (!entry) {
        await insertFacets(transaction, { seq, at: 0, kind: 0, ...nothing })
        continue
      }
      const facets = facetsOf(entry)
      const kind = await this.#kinds.numberFor(transaction, facets)
      const { actor, codeHash: code_hash, conversation, path, run, request } = facets
      await insertFacets(transaction, { seq, at: entry.at, kind, actor, code_hash, conversation, path, run, request })
      const hashes = Object.values(entry.bodies ?? {})
      for (const each of hashes) await insertReference(transaction, each, seq)
      const texts = this.#remembered.get(hash) ?? (await this.#unpack(transaction, hashes))
      this.#remembered.delete(hash)
      await insertWords(transaction, seq, wordsOf(entry.details, texts), facetWords(facets))
    }
    return rows.length
  }

  async #unpack(transaction: Transaction, hashes: readonly string[]): Promise<string[]> {
    const texts: string[] = []
    for (const hash of hashes) {
      const row = await bodyRow(transaction, hash)
      texts.push((row && unpackBody(row)) ?? '')
    }
    return texts
  }
}

const nothing = { actor: null, code_hash: null, conversation: null, path: null, run: null, request: null }

/** An entry that was damaged is skipped, so that the others can be found; `verify` names it. */
function readable(text: string | null): AuditEntry | null {
  try {
    const entry = text === null ? null : (JSON.parse(text) as AuditEntry | null)
    // Only as much as indexing rests on: checking the whole shape again would cost more than all the rest.
    return typeof entry?.action === 'string' && Number.isInteger(entry.at) ? entry : null
  } catch {
    return null
  }
}
