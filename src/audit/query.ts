import { type AuditAction, AuditEntry, type AuditItem, type AuditPage, AuditQuery } from '../contract/audit.ts'
import { listOf } from '../storage/lists.ts'
import { entriesSince } from '../storage/record/entries.ts'
import { findPlaces } from '../storage/record/find.ts'
import type { Storage } from '../storage/storage.ts'
import { withCodeLines } from './code-lines.ts'
import { type Present, withRunStates } from './run-state.ts'

export async function queryPage(
  storage: Pick<Storage, 'read'>,
  query: AuditQuery,
  present: Present,
): Promise<AuditPage> {
  const { filter, limit, after } = AuditQuery.parse(query)
  // One more than asked for says whether there is another page.
  const places = await findPlaces(storage, filter, limit + 1, after)
  const shown = places.slice(0, limit)
  const items = await readItems(
    storage,
    shown.map(place => place.seq),
  )
  const last = shown.at(-1)
  return {
    items: await withCodeLines(storage, await withRunStates(storage, items, present)),
    next: places.length > limit && last ? { at: last.at, seq: last.seq } : null,
  }
}

/** Entries by number, in the order asked for; those that retention has emptied are left out. */
export async function readItems(storage: Pick<Storage, 'read'>, seqs: readonly number[]): Promise<AuditItem[]> {
  if (seqs.length === 0) return []
  const rows = await storage.read
    .selectFrom('audit_entries')
    .select(['seq', 'hash', 'entry'])
    .where('seq', 'in', listOf(seqs))
    .where('entry', 'is not', null)
    .execute()
  const bySeq = new Map(rows.map(row => [row.seq, row]))
  return seqs.flatMap(seq => {
    const row = bySeq.get(seq)
    const entry = row ? parseEntry(row.entry) : null
    return row && entry ? [{ entry, hash: row.hash }] : []
  })
}

/** The end of what was read, and the entries in it. */
export interface Since {
  readonly last: number
  readonly entries: readonly AuditEntry[]
}

/** More entries than this are found faster by the index. */
const mostSince = 2000

/** Entries behind a number, oldest first, whether they are indexed yet or not; null where there are many. */
export async function readSince(
  { read }: Pick<Storage, 'read'>,
  seq: number,
  actions: readonly AuditAction[],
): Promise<Since | null> {
  const rows = await entriesSince(read, seq, mostSince + 1)
  if (rows.length > mostSince) return null
  const named = actions.map(action => `"${action}"`)
  const wanted = rows.filter(({ entry }) => named.some(name => entry?.includes(name)))
  const entries = wanted.flatMap(({ entry }) => parseEntry(entry) ?? []).filter(each => actions.includes(each.action))
  return { last: rows.at(-1)?.seq ?? seq, entries }
}

/** Null for an entry that is damaged: it must not hide the others; `verify` names it. */
export function parseEntry(text: string | null): AuditEntry | null {
  try {
    return AuditEntry.safeParse(JSON.parse(text ?? 'null')).data ?? null
  } catch {
    return null
  }
}
