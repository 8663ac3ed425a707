import type { AuditItem } from '../contract/audit.ts'
import type { Storage } from '../storage/storage.ts'
import { readItems } from './query.ts'

/**
 * Hands on entries after they are durable. It reads them back from the database, so that nothing is told of a
 * transaction that was rolled back, and what another process wrote is told too.
 */
export class Follower {
  readonly #storage: Pick<Storage, 'read'>
  readonly #listeners = new Set<(items: readonly AuditItem[]) => void>()
  #last = -1

  constructor(storage: Pick<Storage, 'read'>) {
    this.#storage = storage
  }

  add(listener: (items: readonly AuditItem[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async startAtEnd(): Promise<void> {
    this.#last = await this.#end()
  }

  async deliver(): Promise<void> {
    const end = await this.#end()
    while (this.#last < end) {
      const upTo = Math.min(end, this.#last + 500)
      if (this.#listeners.size > 0) {
        const seqs = Array.from({ length: upTo - this.#last }, (_, at) => this.#last + 1 + at)
        const items = await readItems(this.#storage, seqs)
        for (const listener of this.#listeners) listener(items)
      }
      this.#last = upTo
    }
  }

  async #end(): Promise<number> {
    const row = await this.#storage.read
      .selectFrom('audit_entries')
      .select(eb => eb.fn.max('seq').as('seq'))
      .executeTakeFirst()
    return row?.seq ?? -1
  }
}
