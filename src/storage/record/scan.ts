import { storageFailure } from '../failure.ts'
import { openSqlite } from '../sqlite.ts'
import type { AuditBodiesTable } from '../tables/audit.ts'

/** A row of the chain with what the index says of it. */
export interface IndexedRow {
  readonly seq: number
  readonly entry: string | null
  readonly indexed: number | null
  readonly at: number | null
  readonly actor: string | null
  readonly codeHash: string | null
  readonly conversation: string | null
  readonly path: string | null
  readonly run: string | null
  readonly request: string | null
  readonly action: string | null
  readonly risk: string | null
  readonly result: string | null
  readonly sandbox: string | null
  readonly words: number | null
}

const indexed = `select e.seq, e.entry, i.seq as indexed, i.at, i.actor, i.code_hash as codeHash, i.conversation, i.path,
    i.run, i.request, k.action, k.risk, k.result, k.sandbox, t.id as words
  from audit_entries e left join audit_index i on i.seq = e.seq left join audit_kinds k on k.kind = i.kind
    left join audit_text_docsize t on t.id = e.seq
  where e.seq < ? and e.seq <= (select max(seq) from audit_index) order by e.seq`
const strays = `select seq from audit_index
  where seq < ? and seq not in (select seq from audit_entries where entry is not null) limit 100`

/** A reader of its own, for a thread that walks a whole table: one row at a time, in the order of the disk. */
export class RecordScan {
  readonly #db: ReturnType<typeof openSqlite>

  constructor(file: string) {
    this.#db = openSqlite(file, { readonly: true })
  }

  bodies(): Iterable<AuditBodiesTable> {
    const rows = this.#db.prepare('select hash, codec, data from audit_bodies order by rowid').iterate()
    return rows as Iterable<AuditBodiesTable>
  }

  /** Entries up to `end` that are indexed, or should be. */
  indexed(end: number): Iterable<IndexedRow> {
    return this.#db.prepare(indexed).iterate(end) as Iterable<IndexedRow>
  }

  /** Rows of the index that belong to no entry. */
  strays(end: number): number[] {
    return this.#db.prepare(strays).pluck().all(end) as number[]
  }

  countKinds(): number {
    return this.#db.prepare('select count(*) from audit_kinds').pluck().get() as number
  }

  /** Whether the index knows that an entry refers to a text. */
  references(): (hash: string, seq: number) => boolean {
    const statement = this.#db.prepare('select 1 from audit_references where hash = ? and seq = ?').pluck()
    return (hash, seq) => statement.get(hash, seq) === 1
  }

  close(): void {
    this.#db.close()
  }
}

/** What a damaged file says of itself; throws any other error again. */
export function damageIn(error: unknown): string {
  if (storageFailure(error, '').problem.code !== 'storage.corrupt') throw error
  return error instanceof Error ? error.message : String(error)
}
