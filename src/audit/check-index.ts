import type { AuditEntry } from '../contract/audit.ts'
import { openSqlite, storageFailure } from '../storage/sqlite.ts'
import { facetsOf } from './facets.ts'
import { mostKinds } from './kinds.ts'

export interface IndexAnswer {
  /** Entries that the index leaves out or tells otherwise, first to last of each stretch. */
  readonly wrong: readonly { first: number; last: number }[]
  /** What the database said where it could not be read on. */
  readonly damage: string | null
}

interface Row {
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

const rows = `select e.seq, e.entry, i.seq as indexed, i.at, i.actor, i.code_hash as codeHash, i.conversation, i.path, i.run,
    i.request, k.action, k.risk, k.result, k.sandbox, t.id as words
  from audit_entries e left join audit_index i on i.seq = e.seq left join audit_kinds k on k.kind = i.kind
    left join audit_text_docsize t on t.id = e.seq
  where e.seq < ? and e.seq <= (select max(seq) from audit_index) order by e.seq`
const strays = `select seq from audit_index where seq not in (select seq from audit_entries where entry is not null) limit 100`

/** Compares what queries look at with the entries themselves, up to `end`. What is not indexed yet is not wrong. */
export function checkIndex(file: string, end: number): IndexAnswer {
  const db = openSqlite(file, { readonly: true })
  const wrong: { first: number; last: number }[] = []
  const note = (seq: number) => {
    const current = wrong.at(-1)
    if (current?.last === seq - 1) current.last = seq
    else if (wrong.length < 200) wrong.push({ first: seq, last: seq })
  }
  try {
    const { count } = db.prepare('select count(*) as count from audit_kinds').get() as { count: number }
    const refers = db.prepare('select 1 from audit_references where hash = ? and seq = ?')
    for (const row of db.prepare(rows).iterate(end) as Iterable<Row>) {
      const entry = readable(row.entry)
      // A damaged entry is named by the walk over the chain.
      if (!entry) continue
      const hashes = new Set(Object.values(entry.bodies ?? {}))
      const referred = [...hashes].every(hash => refers.get(hash, row.seq))
      if (!referred || row.words === null || !isAsIndexed(row, entry, count >= mostKinds)) note(row.seq)
    }
    for (const { seq } of db.prepare(strays).iterate() as Iterable<{ seq: number }>) if (seq < end) note(seq)
    return { wrong, damage: null }
  } catch (error) {
    if (storageFailure(error, '').problem.code !== 'storage.corrupt') throw error
    return { wrong, damage: error instanceof Error ? error.message : String(error) }
  } finally {
    db.close()
  }
}

const own = ['actor', 'codeHash', 'conversation', 'path', 'run', 'request'] as const
const common = ['risk', 'result', 'sandbox'] as const

function isAsIndexed(row: Row, entry: AuditEntry, crowded: boolean): boolean {
  const facets = facetsOf(entry)
  if (row.indexed === null || row.at !== entry.at || row.action !== facets.action) return false
  if (!own.every(name => row[name] === facets[name])) return false
  // With too many combinations a new one is indexed by its action alone.
  const isBare = crowded && common.every(name => row[name] === null)
  return isBare || common.every(name => row[name] === facets[name])
}

function readable(text: string | null): AuditEntry | null {
  try {
    const entry = text === null ? null : (JSON.parse(text) as AuditEntry | null)
    return typeof entry?.action === 'string' && Number.isInteger(entry.at) ? entry : null
  } catch {
    return null
  }
}
