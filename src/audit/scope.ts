import type { AuditEntry, AuditScope } from '../contract/audit.ts'
import type { Storage } from '../storage/storage.ts'
import { parseEntry } from './query.ts'

/** A row of the chain; `entry` is null where retention emptied it. */
export interface ChainRow {
  readonly seq: number
  readonly hash: string
  readonly entry: string | null
}

const page = 2000

/** The chain itself, in order, up to an end. What a report tells does not rest on an index that somebody can edit. */
export async function* chainUpTo(
  storage: Pick<Storage, 'read'>,
  end: number,
): AsyncGenerator<readonly ChainRow[], void> {
  for (let next = 0; next < end; ) {
    const rows: ChainRow[] = await storage.read
      .selectFrom('audit_entries')
      .select(['seq', 'hash', 'entry'])
      .where('seq', '>=', next)
      .where('seq', '<', end)
      .orderBy('seq')
      .limit(page)
      .execute()
    if (rows.length === 0) return
    yield rows
    next = (rows.at(-1)?.seq ?? end) + 1
    // Everyone else gets a turn between two pages.
    await new Promise(resolve => setImmediate(resolve))
  }
}

/** The entry of a row where a scope speaks of it, else null. */
export type InScope = (row: ChainRow) => AuditEntry | null

/** Most entries are passed over by a look at their text: parsing each costs more than reading it. */
export async function inScope(storage: Pick<Storage, 'read'>, scope: AuditScope, end: number): Promise<InScope> {
  switch (scope.kind) {
    case 'all':
      return row => parseEntry(row.entry)
    case 'period':
      return row => {
        const at = Number(/"at":(-?\d+)/.exec(row.entry?.slice(0, 200) ?? '')?.[1])
        return at >= scope.from && at <= scope.to ? parseEntry(row.entry) : null
      }
    case 'conversation':
      return matching([scope.conversation], entry => entry.conversation === scope.conversation)
    case 'run': {
      // Who approved it, and what was said on the way, stands under the request.
      const requests = await requestsOf(storage, scope.run, end)
      const concerns = (entry: AuditEntry) =>
        entry.run === scope.run || (entry.request !== undefined && requests.has(entry.request))
      return matching([scope.run, ...requests], concerns)
    }
  }
}

const matching =
  (words: readonly string[], wanted: (entry: AuditEntry) => boolean): InScope =>
  ({ entry: text }) => {
    if (text === null || !words.some(word => text.includes(word))) return null
    const entry = parseEntry(text)
    return entry && wanted(entry) ? entry : null
  }

async function requestsOf(storage: Pick<Storage, 'read'>, run: string, end: number): Promise<Set<string>> {
  const ofRun = matching([run], entry => entry.run === run)
  const requests = new Set<string>()
  for await (const rows of chainUpTo(storage, end)) {
    for (const row of rows) {
      const request = ofRun(row)?.request
      if (request !== undefined) requests.add(request)
    }
  }
  return requests
}

/** Without these neither a signature nor a reviewer's decision in a selection could be checked. */
const introductions = ['{"action":"key.', '{"action":"identity.created"']

/** The numbers of the entries that a scope speaks of, and of those that introduce keys and people, oldest first. */
export async function selectedSeqs(storage: Pick<Storage, 'read'>, scope: AuditScope, end: number): Promise<number[]> {
  const wanted = await inScope(storage, scope, end)
  const seqs: number[] = []
  for await (const rows of chainUpTo(storage, end)) {
    for (const row of rows) {
      if (row.entry === null) continue
      if (introductions.some(each => row.entry?.startsWith(each)) || wanted(row)) seqs.push(row.seq)
    }
  }
  return seqs
}
