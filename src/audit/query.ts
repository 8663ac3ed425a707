import { sql } from 'kysely'
import { AuditEntry, type AuditFilter, type AuditItem, type AuditPage, AuditQuery } from '../contract/audit.ts'
import type { Storage } from '../storage/storage.ts'
import { commonFacets, type OwnFacet, ownFacets } from './facets.ts'
import { kindsThatFit, type WantedCommon } from './kinds.ts'
import { type Present, withRunStates } from './run-state.ts'
import { facetQuery, textQuery } from './search.ts'

/** Where an entry stands in the order of a page: newest first. */
interface Place {
  readonly at: number
  readonly seq: number
}

type WantedOwn = readonly (readonly [OwnFacet, readonly string[]])[]

/** The index of a facet: ordered by time within a value and a kind. */
const indexes: Record<OwnFacet, { column: string; index: string }> = {
  run: { column: 'run', index: 'audit_by_run' },
  request: { column: 'request', index: 'audit_by_request' },
  codeHash: { column: 'code_hash', index: 'audit_by_code' },
  path: { column: 'path', index: 'audit_by_path' },
  conversation: { column: 'conversation', index: 'audit_by_conversation' },
  actor: { column: 'actor', index: 'audit_by_actor' },
}

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
    items: await withRunStates(storage, items, present),
    next: places.length > limit && last ? { at: last.at, seq: last.seq } : null,
  }
}

/** How many entries match; beyond `most` it stops counting. */
export async function countEntries(
  storage: Pick<Storage, 'read'>,
  filter: AuditFilter,
  most = 10_000,
): Promise<{ count: number; more: boolean }> {
  const places = await findPlaces(storage, filter, most + 1, undefined)
  return { count: Math.min(places.length, most), more: places.length > most }
}

/** Entries by number, in the order asked for; those that retention has emptied are left out. */
export async function readItems(storage: Pick<Storage, 'read'>, seqs: readonly number[]): Promise<AuditItem[]> {
  if (seqs.length === 0) return []
  const rows = await storage.read
    .selectFrom('audit_entries')
    .select(['seq', 'hash', 'entry'])
    .where(sql<boolean>`seq in (select value from json_each(${JSON.stringify(seqs)}))`)
    .where('entry', 'is not', null)
    .execute()
  const bySeq = new Map(rows.map(row => [row.seq, row]))
  return seqs.flatMap(seq => {
    const row = bySeq.get(seq)
    const entry = row ? parseEntry(row.entry) : null
    return row && entry ? [{ entry, hash: row.hash }] : []
  })
}

/** Null for an entry that is damaged: it must not hide the others; `verify` names it. */
export function parseEntry(text: string | null): AuditEntry | null {
  try {
    return AuditEntry.safeParse(JSON.parse(text ?? 'null')).data ?? null
  } catch {
    return null
  }
}

export async function findPlaces(
  storage: Pick<Storage, 'read'>,
  filter: AuditFilter,
  limit: number,
  after: Place | undefined,
): Promise<Place[]> {
  const own = ownOf(filter)
  const common = commonOf(filter)
  const kinds = common.length === 0 ? null : await kindsThatFit(storage, common)
  if (kinds?.length === 0 || own.some(([, values]) => values.length === 0)) return []
  const search: Search = { filter, kinds, limit, after }
  if (filter.text !== undefined && filter.text.trim() !== '') return findByText(storage, search, own)
  const driver = await mostSelective(storage, own, filter)
  const others = own.filter(each => each !== driver)
  if (!driver) return kinds ? merged(await walkKinds(storage, search, kinds), limit) : walkTime(storage, search)
  const walks: Place[] = []
  for (const value of driver[1]) walks.push(...(await walkValue(storage, search, driver[0], value, others)))
  return merged(walks, limit)
}

interface Search {
  readonly filter: AuditFilter
  /** Null when any will do. */
  readonly kinds: readonly number[] | null
  readonly limit: number
  readonly after: Place | undefined
}

/** One ordered walk per value and a merge: an index cannot give several values in the order of time. */
const merged = (places: Place[], limit: number) => places.sort((a, b) => b.at - a.at || b.seq - a.seq).slice(0, limit)

function ownOf(filter: AuditFilter): WantedOwn {
  const wanted: Record<OwnFacet, readonly string[] | undefined> = {
    run: single(filter.run),
    request: single(filter.request),
    codeHash: single(filter.codeHash),
    path: single(filter.path),
    conversation: single(filter.conversation),
    actor: filter.actors,
  }
  return ownFacets.flatMap(facet => (wanted[facet] ? [[facet, wanted[facet]] as const] : []))
}

function commonOf(filter: AuditFilter): WantedCommon {
  const wanted = { action: filter.actions, risk: filter.risks, result: filter.results, sandbox: filter.sandboxes }
  return commonFacets.flatMap(facet => (wanted[facet] ? [[facet, wanted[facet]] as const] : []))
}

const single = (value: string | undefined) => (value === undefined ? undefined : [value])

/** Counting stops here: a filter that still has more is as bad as any other. */
const enoughToCompare = 5000

/** The filter that leaves the fewest entries. Counted, not guessed: a guess can be wrong by a factor of a million. */
async function mostSelective(storage: Pick<Storage, 'read'>, own: WantedOwn, filter: AuditFilter) {
  if (own.length < 2) return own[0]
  let best: { facet: WantedOwn[number]; count: number } | null = null
  for (const facet of own) {
    let count = 0
    for (const value of facet[1]) {
      const { column, index } = indexes[facet[0]]
      const { rows } = await sql<{ count: number }>`select count(*) as count from (
        select 1 from audit_index indexed by ${sql.ref(index)}
        where ${sql.ref(column)} = ${value} and ${withinTime(filter)} limit ${enoughToCompare})`.execute(storage.read)
      count += rows[0]?.count ?? 0
    }
    if (!best || count < best.count) best = { facet, count }
  }
  return best?.facet
}

const newestFirst = (search: Search) => sql`${withinTime(search.filter)} ${afterPlace(search.after)}
  order by at desc, seq desc limit ${search.limit}`

const afterPlace = (after: Place | undefined) =>
  after ? sql`and at <= ${after.at} and (at, seq) < (${after.at}, ${after.seq})` : sql``

async function walkTime(storage: Pick<Storage, 'read'>, search: Search): Promise<Place[]> {
  const { rows } = await sql<Place>`select at, seq from audit_index indexed by audit_by_time
    where ${newestFirst(search)}`.execute(storage.read)
  return rows
}

async function walkKinds(storage: Pick<Storage, 'read'>, search: Search, kinds: readonly number[]): Promise<Place[]> {
  const places: Place[] = []
  for (const kind of kinds) {
    const { rows } = await sql<Place>`select at, seq from audit_index indexed by audit_by_kind
      where kind = ${kind} and ${newestFirst(search)}`.execute(storage.read)
    places.push(...rows)
  }
  return places
}

/** Walks a value kind by kind, each in the order of time; the kinds that it has at all are found by leaping. */
async function walkValue(
  storage: Pick<Storage, 'read'>,
  search: Search,
  facet: OwnFacet,
  value: string,
  others: WantedOwn,
): Promise<Place[]> {
  const { column, index } = indexes[facet]
  const from = sql`audit_index indexed by ${sql.ref(index)}`
  const { rows: present } = await sql<{ kind: number }>`with recursive leap(kind) as (
    select min(kind) from ${from} where ${sql.ref(column)} = ${value}
    union all select (select min(kind) from ${from} where ${sql.ref(column)} = ${value} and kind > leap.kind)
    from leap where leap.kind is not null) select kind from leap where kind is not null`.execute(storage.read)
  const filters = others.map(([each, values]) => sql`and ${sql.ref(indexes[each].column)} in (${sql.join(values)})`)
  const places: Place[] = []
  for (const { kind } of present) {
    if (search.kinds && !search.kinds.includes(kind)) continue
    const { rows } = await sql<Place>`select at, seq from ${from}
      where ${sql.ref(column)} = ${value} and kind = ${kind} ${sql.join(filters, sql` `)} and ${newestFirst(search)}`.execute(
      storage.read,
    )
    places.push(...rows)
  }
  return places
}

async function findByText(
  storage: Pick<Storage, 'read'>,
  { filter, kinds, limit, after }: Search,
  own: WantedOwn,
): Promise<Place[]> {
  const words = textQuery(filter.text ?? '')
  if (words === null) return []
  const match = [words, ...facetQuery(own), ...facetQuery(commonOf(filter))].join(' AND ')
  const timed = filter.from !== undefined || filter.to !== undefined
  const stretch = timed ? await stretchOf(storage, filter) : null
  if (timed && !stretch) return []
  const below = Math.min(after?.seq ?? Number.MAX_SAFE_INTEGER, (stretch?.last ?? Number.MAX_SAFE_INTEGER - 1) + 1)
  // The index finds; the columns decide, since anyone can write a word that looks like one of a filter.
  const decided = [
    sql`true`,
    ...(timed ? [withinTime(filter)] : []),
    ...(kinds ? [sql`e.kind in (${sql.join(kinds)})`] : []),
    ...own.map(([facet, values]) => sql`${sql.ref(`e.${indexes[facet].column}`)} in (${sql.join(values)})`),
  ]
  const { rows } = await sql<Place>`select e.at as at, e.seq as seq from audit_text t
    cross join audit_index e on e.seq = t.rowid
    where audit_text match ${match} and t.rowid < ${below} and t.rowid >= ${stretch?.first ?? 0}
    and ${sql.join(decided, sql` and `)} order by t.rowid desc limit ${limit}`.execute(storage.read)
  return rows
}

/** First and last entry of a period. Exact also when the clock was set back in between. */
async function stretchOf(storage: Pick<Storage, 'read'>, filter: AuditFilter) {
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    select min(seq) as first, max(seq) as last from audit_index indexed by audit_by_time
    where ${withinTime(filter)}`.execute(storage.read)
  const row = rows[0]
  return row && row.first !== null && row.last !== null ? { first: row.first, last: row.last } : null
}

const withinTime = (filter: AuditFilter) =>
  sql`at between ${filter.from ?? Number.MIN_SAFE_INTEGER} and ${filter.to ?? Number.MAX_SAFE_INTEGER}`
