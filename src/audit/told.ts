import type { AuditAction, AuditEntry } from '../contract/audit.ts'
import { entriesOf, lastEntry } from '../storage/record/entries.ts'
import type { Storage } from '../storage/storage.ts'
import { parseEntry } from './query.ts'

/** Few enough that nobody waits for a page of a long record. */
const page = 5_000

/**
 * Entries of one action as the chain tells of them, for decisions that rest on there being none: out of the index
 * somebody could have taken them. What was read once is remembered.
 */
export class Told {
  readonly #storage: Pick<Storage, 'read'>
  readonly #action: AuditAction
  readonly #entries = new Map<number, AuditEntry>()
  #next = 0

  constructor(storage: Pick<Storage, 'read'>, action: AuditAction) {
    this.#storage = storage
    this.#action = action
  }

  async entries(): Promise<readonly AuditEntry[]> {
    const { read } = this.#storage
    for (const end = ((await lastEntry(read))?.seq ?? -1) + 1; this.#next < end; ) {
      const from = this.#next
      const to = Math.min(from + page, end)
      for (const { seq, entry } of await entriesOf(read, this.#action, from, to)) {
        const parsed = parseEntry(entry)
        if (parsed) this.#entries.set(seq, parsed)
      }
      this.#next = Math.max(this.#next, to)
    }
    return [...this.#entries.values()]
  }
}
