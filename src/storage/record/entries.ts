import { CompiledQuery, sql } from 'kysely'
import type { Storage, Transaction } from '../storage.ts'
import type { AuditBodiesTable, AuditEntriesTable, AuditIndexTable, AuditPersonalTable } from '../tables/audit.ts'

// Prepared by hand: an append happens at every step of every run, and the query builder costs more than the query.
const statements = {
  head: 'select seq, hash from audit_entries order by seq desc limit 1',
  entry: 'insert into audit_entries (seq, hash, entry, seal) values (?, ?, ?, ?)',
  personal: 'insert into audit_personal (commitment, salt, value, seq) values (?, ?, ?, ?)',
  hasBody: 'select 1 from audit_bodies where hash = ?',
  body: 'select codec, data from audit_bodies where hash = ?',
  insertBody: 'insert into audit_bodies (hash, codec, data) values (?, ?, ?)',
  since: 'select seq, entry from audit_entries where seq > ? order by seq limit ?',
  // Canonical JSON begins with the action.
  of: 'select seq, entry from audit_entries where seq >= ? and seq < ? and substr(entry, 1, ?) = ? order by seq',
  waiting: 'select (select max(seq) from audit_entries) as last, (select max(seq) from audit_index) as done',
  unindexed: `select seq, hash, entry from audit_entries
    where seq > coalesce((select max(seq) from audit_index), -1) order by seq limit ?`,
  facets: `insert into audit_index (seq, at, kind, actor, code_hash, conversation, path, run, request)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  words: 'insert into audit_text (rowid, text, facets) values (?, ?, ?)',
  reference: 'insert or ignore into audit_references (hash, seq) values (?, ?)',
} as const

async function run<T>(db: Transaction, name: keyof typeof statements, ...values: unknown[]): Promise<T[]> {
  return (await db.executeQuery(CompiledQuery.raw(statements[name], values))).rows as T[]
}

export const lastEntry = async (db: Transaction): Promise<{ seq: number; hash: string } | undefined> =>
  (await run<{ seq: number; hash: string }>(db, 'head'))[0]

export async function insertEntry(db: Transaction, { seq, hash, entry, seal }: AuditEntriesTable): Promise<void> {
  await run(db, 'entry', seq, hash, entry, seal)
}

export async function insertPersonal(db: Transaction, row: AuditPersonalTable): Promise<void> {
  await run(db, 'personal', row.commitment, row.salt, row.value, row.seq)
}

export const hasBody = async (db: Transaction, hash: string): Promise<boolean> =>
  (await run(db, 'hasBody', hash)).length > 0

export const bodyRow = async (db: Transaction, hash: string) =>
  (await run<Pick<AuditBodiesTable, 'codec' | 'data'>>(db, 'body', hash))[0]

export async function insertBody(db: Transaction, { hash, codec, data }: AuditBodiesTable): Promise<void> {
  await run(db, 'insertBody', hash, codec, data)
}

/** There are at most so many texts; said without counting them. */
export async function mostBodies(db: Storage['read']): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`select max(rowid) as last from audit_bodies`.execute(db)
  return rows[0]?.last ?? 0
}

/** How many entries are not indexed yet. */
export async function countUnindexed(db: Transaction): Promise<number> {
  const [row] = await run<{ last: number | null; done: number | null }>(db, 'waiting')
  return (row?.last ?? -1) - (row?.done ?? -1)
}

export const entriesSince = (db: Transaction, seq: number, most: number) =>
  run<Pick<AuditEntriesTable, 'seq' | 'entry'>>(db, 'since', seq, most)

/** Entries of one action in a stretch, from the entries themselves. */
export function entriesOf(db: Transaction, action: string, from: number, end: number) {
  const beginning = `{"action":${JSON.stringify(action)},`
  return run<Pick<AuditEntriesTable, 'seq' | 'entry'>>(db, 'of', from, end, beginning.length, beginning)
}

export const unindexed = (db: Transaction, most: number) =>
  run<Pick<AuditEntriesTable, 'seq' | 'hash' | 'entry'>>(db, 'unindexed', most)

export async function insertFacets(db: Transaction, row: AuditIndexTable): Promise<void> {
  const { seq, at, kind, actor, code_hash, conversation, path, request } = row
  await run(db, 'facets', seq, at, kind, actor, code_hash, conversation, path, row.run, request)
}

/** What a full-text search finds an entry by. */
export async function insertWords(db: Transaction, seq: number, text: string, facets: string): Promise<void> {
  await run(db, 'words', seq, text, facets)
}

export async function removeWords(db: Transaction, seq: number): Promise<void> {
  await sql`delete from audit_text where rowid = ${seq}`.execute(db)
}

export async function insertReference(db: Transaction, hash: string, seq: number): Promise<void> {
  await run(db, 'reference', hash, seq)
}

/** The ends of runs, as far as the index knows them. */
export async function outcomesOf(db: Storage['read'], runs: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ run: string; action: string }>`select run, action
    from json_each(${JSON.stringify(runs)}) cross join audit_index indexed by audit_by_run on run = value
    join audit_kinds using (kind) where action in ('run.finished', 'run.refused')`.execute(db)
  return new Map(rows.map(row => [row.run, row.action]))
}

/** The hash of the code of runs that were to start or were turned away, where the record kept it. */
export async function startsOf(db: Storage['read'], runs: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ run: string; hash: string | null }>`select run, entry ->> '$.bodies.code' as hash
    from json_each(${JSON.stringify(runs)}) cross join audit_index indexed by audit_by_run on run = value
    join audit_kinds using (kind) join audit_entries using (seq)
    where action in ('run.intended', 'run.refused') and json_valid(entry)`.execute(db)
  return new Map(rows.flatMap(({ run, hash }) => (hash ? [[run, hash]] : [])))
}

/** Stretches of entries from before a moment, of all actions but those kept. */
export async function stretchesBefore(
  db: Transaction,
  before: number,
  kept: readonly string[],
): Promise<{ first: number; last: number }[]> {
  const { rows } = await sql<{ first: number; last: number }>`
    select min(seq) as first, max(seq) as last from (
      select seq, seq - row_number() over (order by seq) as stretch from audit_index where at < ${before}
      and kind not in (select kind from audit_kinds where action in (${sql.join(kept)}))) as due
    group by stretch order by 1`.execute(db)
  return rows
}

/** What is taken out inside `work` does not linger in the free pages of the file. */
export async function withoutTrace<T>(db: Transaction, work: () => Promise<T>): Promise<T> {
  await sql`pragma secure_delete = on`.execute(db)
  const result = await work()
  await sql`pragma secure_delete = off`.execute(db)
  return result
}
