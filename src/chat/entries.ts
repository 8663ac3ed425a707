import type { Audit } from '../audit/audit.ts'
import type { AuditCursor, AuditEntry, AuditFilter } from '../contract/audit.ts'

export type Entries = Pick<Audit, 'query' | 'last' | 'since'>

type Wanted = Pick<AuditFilter, 'conversation' | 'from'> & { readonly actions: NonNullable<AuditFilter['actions']> }

/**
 * Reads the entries of the record that fit: by the index once, and from then on only what was added. A question waits for
 * this, and a query would first index, and commit, all that happened since the last.
 */
export class EntryReader {
  readonly #audit: Entries
  readonly #wanted: Wanted
  #last: number | null = null

  constructor(audit: Entries, wanted: Wanted) {
    this.#audit = audit
    this.#wanted = wanted
  }

  /** Hands on what was not handed on before. An entry may come again, and the first time they come newest first. */
  async read(each: (entry: AuditEntry) => void): Promise<void> {
    const since = this.#last === null ? null : await this.#audit.since(this.#last, this.#wanted.actions)
    // Before the entries: one that is written meanwhile is read once more, and not missed.
    const last = since?.last ?? (await this.#audit.last())
    if (since) since.entries.filter(entry => this.#fits(entry)).forEach(each)
    else await this.#readAll(each)
    this.#last = Math.max(last, this.#last ?? -1)
  }

  #fits({ conversation, at }: AuditEntry): boolean {
    const { conversation: only, from } = this.#wanted
    return (only === undefined || conversation === only) && (from === undefined || at >= from)
  }

  async #readAll(each: (entry: AuditEntry) => void): Promise<void> {
    for (let after: AuditCursor | null | undefined; after !== null; ) {
      const page = await this.#audit.query({ filter: this.#wanted, limit: 500, ...(after && { after }) })
      for (const { entry } of page.items) each(entry)
      after = page.next
    }
  }
}
