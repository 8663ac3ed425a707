import { CompiledQuery } from 'kysely'
import type { AuditEntry } from '../contract/audit.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import { unpackBody } from './bodies.ts'
import type { SealedEntry } from './entry.ts'
import { facetsOf, facetWords, wordsOf } from './facets.ts'
import { Kinds } from './kinds.ts'

const readEntries = `select seq, hash, entry from audit_entries
  where seq > coalesce((select max(seq) from audit_index), -1) order by seq limit ?`
const insertFacets = `insert into audit_index (seq, at, kind, actor, code_hash, conversation, path, run, request)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)`
const insertWords = 'insert into audit_text (rowid, text, facets) values (?, ?, ?)'
const insertReference = 'insert or ignore into audit_references (hash, seq) values (?, ?)'
const readBody = 'select codec, data from audit_bodies where hash = ?'

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
    const waiting = await this.#waiting()
    if (waiting <= 0) return
    this.#running = this.#indexAll(waiting).finally(() => {
      this.#running = null
    })
    await this.#running
  }

  async #waiting(): Promise<number> {
    const { rows } = await this.#storage.read.executeQuery(
      CompiledQuery.raw(
        'select (select max(seq) from audit_entries) as last, (select max(seq) from audit_index) as done',
      ),
    )
    const { last, done } = rows[0] as { last: number | null; done: number | null }
    return (last ?? -1) - (done ?? -1)
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
    const run = (query: string, ...values: unknown[]) => transaction.executeQuery(CompiledQuery.raw(query, values))
    const { rows } = await run(readEntries, batch)
    for (const { seq, hash, entry: text } of rows as { seq: number; hash: string; entry: string | null }[]) {
      const entry = readable(text)
      if (!entry) {
        await run(insertFacets, seq, 0, 0, null, null, null, null, null, null)
        continue
      }
      const facets = facetsOf(entry)
      const kind = await this.#kinds.numberFor(transaction, facets)
      const { actor, codeHash, conversation, path, run: ofRun, request } = facets
      await run(insertFacets, seq, entry.at, kind, actor, codeHash, conversation, path, ofRun, request)
      const hashes = Object.values(entry.bodies ?? {})
      for (const each of hashes) await run(insertReference, each, seq)
      const texts = this.#remembered.get(hash) ?? (await this.#unpack(transaction, hashes))
      this.#remembered.delete(hash)
      await run(insertWords, seq, wordsOf(entry.details, texts), facetWords(facets))
    }
    return rows.length
  }

  async #unpack(transaction: Transaction, hashes: readonly string[]): Promise<string[]> {
    const texts: string[] = []
    for (const hash of hashes) {
      const { rows } = await transaction.executeQuery(CompiledQuery.raw(readBody, [hash]))
      const row = rows[0] as { codec: 'plain' | 'deflate'; data: Uint8Array } | undefined
      texts.push((row && unpackBody(row)) ?? '')
    }
    return texts
  }
}

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
