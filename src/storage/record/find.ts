import { type RawBuilder, sql } from 'kysely'
import type { AuditFilter } from '../../contract/audit.ts'
import type { Storage } from '../storage.ts'
import { commonFacets, type OwnFacet, ownFacets } from './facets.ts'
import { kindsThatFit, type WantedCommon } from './kinds.ts'
import { facetQuery, textQuery } from './search.ts'

type Reader = Pick<Storage, 'read'>

/** Where an entry stands in the order of a page: newest first. */
export interface Place {
  readonly at: number
  readonly seq: number
}

/** The newest entries that match, after a place where the last page ended. */
export async function findPlaces(
  storage: Reader,
  filter: AuditFilter,
  limit: number,
  after: Place | undefined,
): Promise<Place[]> {
  const plan = await planFor(storage, filter)
  if (plan.kind === 'words') return findWords(storage, filter, plan, limit, after)
  const places: Place[] = []
  for (const { from, where } of plan.walks) {
    const { rows } = await sql<Place>`select at, seq from ${from} where ${where} and ${withinTime(filter)}
      ${afterPlace(after)} order by at desc, seq desc limit ${limit}`.execute(storage.read)
    places.push(...rows)
  }
  // An index cannot give several values in the order of time: each has a walk of its own, and they are merged.
  return places.sort((a, b) => b.at - a.at || b.seq - a.seq).slice(0, limit)
}

/** How many entries match; beyond `most` it stops counting. */
export async function countEntries(
  storage: Reader,
  filter: AuditFilter,
  most = 10_000,
): Promise<{ count: number; more: boolean }> {
  const plan = await planFor(storage, filter)
  let count = 0
  if (plan.kind === 'words') count = (await findWords(storage, filter, plan, most + 1, undefined)).length
  else {
    for (const { from, where } of plan.walks) {
      const { rows } = await sql<{ count: number }>`select count(*) as count from (
        select 1 from ${from} where ${where} and ${withinTime(filter)} limit ${most + 1 - count})`.execute(storage.read)
      count += rows[0]?.count ?? 0
      if (count > most) break
    }
  }
  return { count: Math.min(count, most), more: count > most }
}

type WantedOwn = readonly (readonly [OwnFacet, readonly string[]])[]

/** A stretch of an index in the order of time. */
interface Walk {
  readonly from: RawBuilder<unknown>
  readonly where: RawBuilder<unknown>
}

/** What the full-text index is asked for, and what the columns must say of each that it finds. */
interface Words {
  readonly kind: 'words'
  readonly match: string
  readonly decided: readonly RawBuilder<unknown>[]
}

type Plan = Words | { readonly kind: 'walks'; readonly walks: readonly Walk[] }

const nothing: Plan = { kind: 'walks', walks: [] }

async function planFor(storage: Reader, filter: AuditFilter): Promise<Plan> {
  const own = ownOf(filter)
  const common = commonOf(filter)
  const kinds = common.length === 0 ? null : await kindsThatFit(storage, common)
  if (kinds?.length === 0 || own.some(([, values]) => values.length === 0)) return nothing
  const typed = filter.text?.trim() ?? ''
  const text = typed === '' ? null : textQuery(typed)
  if (typed !== '' && text === null) return nothing
  if (text !== null) return wordsPlan(text, own, common, kinds)
  const driver = await mostSelective(storage, own, filter)
  if (!driver) return { kind: 'walks', walks: kinds ? kinds.map(ofKind) : [byTime] }
  // Two broad filters that seldom meet: the lists of the full-text index are laid over each other, entry for entry.
  if (driver.count >= broad) return wordsPlan(null, own, common, kinds)
  const others = own.filter(each => each !== driver.facet)
  const [facet, values] = driver.facet
  const walks: Walk[] = []
  for (const value of values) walks.push(...(await ofValue(storage, facet, value, kinds, others)))
  return { kind: 'walks', walks }
}

const byTime: Walk = { from: sql`audit_index indexed by audit_by_time`, where: sql`true` }
const ofKind = (kind: number): Walk => ({
  from: sql`audit_index indexed by audit_by_kind`,
  where: sql`kind = ${kind}`,
})

/** The index of a facet: ordered by time within a value and a kind. */
const indexes: Record<OwnFacet, { column: string; index: string }> = {
  run: { column: 'run', index: 'audit_by_run' },
  request: { column: 'request', index: 'audit_by_request' },
  codeHash: { column: 'code_hash', index: 'audit_by_code' },
  path: { column: 'path', index: 'audit_by_path' },
  conversation: { column: 'conversation', index: 'audit_by_conversation' },
  actor: { column: 'actor', index: 'audit_by_actor' },
}

/** A value kind by kind; the kinds that it has at all are found by leaping. */
async function ofValue(
  storage: Reader,
  facet: OwnFacet,
  value: string,
  kinds: readonly number[] | null,
  others: WantedOwn,
): Promise<Walk[]> {
  const { column, index } = indexes[facet]
  const from = sql`audit_index indexed by ${sql.ref(index)}`
  const { rows } = await sql<{ kind: number }>`with recursive leap(kind) as (
    select min(kind) from ${from} where ${sql.ref(column)} = ${value}
    union all select (select min(kind) from ${from} where ${sql.ref(column)} = ${value} and kind > leap.kind)
    from leap where leap.kind is not null) select kind from leap where kind is not null`.execute(storage.read)
  const also = others.map(([each, values]) => sql`and ${sql.ref(indexes[each].column)} in (${sql.join(values)})`)
  return rows
    .filter(row => !kinds || kinds.includes(row.kind))
    .map(({ kind }) => ({
      from,
      where: sql`${sql.ref(column)} = ${value} and kind = ${kind} ${sql.join(also, sql` `)}`,
    }))
}

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

/** Counting stops here: with so many entries a walk that looks at each is no longer quick. */
const broad = 2000

/** The filter that leaves the fewest entries. Counted, not guessed: a guess can be wrong by a factor of a million. */
async function mostSelective(storage: Reader, own: WantedOwn, filter: AuditFilter) {
  const [only, ...more] = own
  // A single filter needs no count: its walk looks at nothing that does not match.
  if (!only || more.length === 0) return only && { facet: only, count: 0 }
  let best = { facet: only, count: Number.POSITIVE_INFINITY }
  for (const facet of own) {
    const { column, index } = indexes[facet[0]]
    let count = 0
    for (const value of facet[1]) {
      const { rows } = await sql<{ count: number }>`select count(*) as count from (
        select 1 from audit_index indexed by ${sql.ref(index)}
        where ${sql.ref(column)} = ${value} and ${withinTime(filter)} limit ${broad})`.execute(storage.read)
      count += rows[0]?.count ?? 0
    }
    if (count < best.count) best = { facet, count }
  }
  return best
}

/** The index finds; the columns decide, since anyone can write a word that looks like one of a filter. */
function wordsPlan(text: string | null, own: WantedOwn, common: WantedCommon, kinds: readonly number[] | null): Words {
  return {
    kind: 'words',
    match: [...(text === null ? [] : [text]), ...facetQuery(own), ...facetQuery(common)].join(' AND '),
    decided: [
      ...(kinds ? [sql`kind in (${sql.join(kinds)})`] : []),
      ...own.map(([facet, values]) => sql`${sql.ref(indexes[facet].column)} in (${sql.join(values)})`),
    ],
  }
}

/** By the number of the entry, newest first: the full-text index alone, then the columns of what it found. */
async function findWords(
  storage: Reader,
  filter: AuditFilter,
  { match, decided }: Words,
  limit: number,
  after: Place | undefined,
): Promise<Place[]> {
  const timed = filter.from !== undefined || filter.to !== undefined
  const conditions = sql.join([sql`true`, ...(timed ? [withinTime(filter)] : []), ...decided], sql` and `)
  const places: Place[] = []
  for (const { first, last } of timed ? await stretchesOf(storage, filter) : [everything]) {
    let below = Math.min(after?.seq ?? Number.MAX_SAFE_INTEGER, last + 1)
    // Where the columns turn many away, fewer and larger looks are quicker.
    for (let look = limit - places.length; places.length < limit && below > first; look = Math.min(look * 8, 50_000)) {
      const { rows: found } = await sql<{ seq: number }>`select rowid as seq from audit_text
        where audit_text match ${match} and rowid < ${whole(below)} and rowid >= ${whole(first)}
        order by rowid desc limit ${look}`.execute(storage.read)
      const numbers = JSON.stringify(found.map(row => row.seq))
      const { rows } = await sql<Place>`select at, seq from audit_index
        where seq in (select value from json_each(${numbers})) and ${conditions} order by seq desc`.execute(
        storage.read,
      )
      places.push(...rows)
      below = found.length < look ? first : (found.at(-1)?.seq ?? first)
    }
  }
  return places.slice(0, limit)
}

/** A number is bound as a fraction, and for that the full-text index begins at the newest entry of all. */
const whole = (seq: number) => sql`cast(${seq} as integer)`

interface Stretch {
  readonly first: number
  readonly last: number
}

const everything: Stretch = { first: 0, last: Number.MAX_SAFE_INTEGER - 1 }

/** A period with fewer entries than this is looked at entry by entry. */
const fewEntries = 5000

/** Entries so near to each other belong to one stretch. */
const nearby = 1000

/**
 * Where on the record a period lies, newest first. One stretch, unless the clock was set back: then a few, or for a
 * long period one that holds more than the period.
 */
async function stretchesOf(storage: Reader, filter: AuditFilter): Promise<Stretch[]> {
  const from = sql`from audit_index indexed by audit_by_time where ${withinTime(filter)}`
  const { rows } = await sql<{ seq: number }>`select seq ${from} limit ${fewEntries}`.execute(storage.read)
  if (rows.length === fewEntries) {
    const { rows: ends } = await sql<Stretch>`select min(seq) as first, max(seq) as last ${from}`.execute(storage.read)
    return ends
  }
  const stretches: { first: number; last: number }[] = []
  for (const seq of rows.map(row => row.seq).sort((a, b) => b - a)) {
    const current = stretches.at(-1)
    if (current && current.first - seq <= nearby) current.first = seq
    else stretches.push({ first: seq, last: seq })
  }
  return stretches
}

const afterPlace = (after: Place | undefined) =>
  after ? sql`and at <= ${after.at} and (at, seq) < (${after.at}, ${after.seq})` : sql``

const withinTime = (filter: AuditFilter) =>
  sql`at between ${filter.from ?? Number.MIN_SAFE_INTEGER} and ${filter.to ?? Number.MAX_SAFE_INTEGER}`
