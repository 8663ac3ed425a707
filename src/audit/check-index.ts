import type { AuditEntry } from '../contract/audit.ts'
import { mostKinds } from '../storage/record/kinds.ts'
import { damageIn, type IndexedRow, RecordScan } from '../storage/record/scan.ts'
import { facetsOf } from './facets.ts'

export interface IndexAnswer {
  /** Entries that the index leaves out or tells otherwise, first to last of each stretch. */
  readonly wrong: readonly { first: number; last: number }[]
  /** What the database said where it could not be read on. */
  readonly damage: string | null
}

/** Compares what queries look at with the entries themselves, up to `end`. What is not indexed yet is not wrong. */
export function checkIndex(file: string, end: number): IndexAnswer {
  const scan = new RecordScan(file)
  const wrong: { first: number; last: number }[] = []
  const note = (seq: number) => {
    const current = wrong.at(-1)
    if (current?.last === seq - 1) current.last = seq
    else if (wrong.length < 200) wrong.push({ first: seq, last: seq })
  }
  try {
    const crowded = scan.countKinds() >= mostKinds
    const refers = scan.references()
    for (const row of scan.indexed(end)) {
      const entry = readable(row.entry)
      // A damaged entry is named by the walk over the chain.
      if (!entry) continue
      const hashes = new Set(Object.values(entry.bodies ?? {}))
      const referred = [...hashes].every(hash => refers(hash, row.seq))
      if (!referred || row.words === null || !isAsIndexed(row, entry, crowded)) note(row.seq)
    }
    for (const seq of scan.strays(end)) note(seq)
    return { wrong, damage: null }
  } catch (error) {
    return { wrong, damage: damageIn(error) }
  } finally {
    scan.close()
  }
}

const own = ['actor', 'codeHash', 'conversation', 'path', 'run', 'request'] as const
const common = ['risk', 'result', 'sandbox'] as const

function isAsIndexed(row: IndexedRow, entry: AuditEntry, crowded: boolean): boolean {
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
