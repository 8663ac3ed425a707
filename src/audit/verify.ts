import { ChainCheck, fingerprint, time } from '../../resources/verify.mjs'
import type { Checkpoint, Verification } from '../contract/audit.ts'
import { Failure } from '../contract/problem.ts'
import { storageFailure } from '../storage/failure.ts'
import { mostBodies } from '../storage/record/entries.ts'
import type { Storage } from '../storage/storage.ts'
import type { Anchor } from './anchor.ts'
import { checkStores, References } from './check-bodies.ts'
import { TablesCheck } from './check-tables.ts'
import { allCheckpoints, type CheckpointFile } from './checkpoints.ts'
import { unwitnessedText } from './damage.ts'
import { commit } from './personal.ts'
import { SealCheck } from './seal-check.ts'
import { KeptTiles } from './tree.ts'

export interface VerifyOptions {
  readonly signal?: AbortSignal
  /** Entries checked so far, of how many. */
  readonly onProgress?: (done: number, total: number) => void
  /** Checkpoints that somebody kept elsewhere: the record must still agree with them. */
  readonly against?: readonly Checkpoint[]
}

const page = 2000

/**
 * Walks the whole record and says everything that is wrong with it. Writes nothing. Without the head from the key store
 * neither seals nor the last signed end can be checked, and the result says so.
 */
export async function verifyRecord(
  storage: Storage,
  file: CheckpointFile,
  anchor: Anchor | null,
  { signal, onProgress, against = [] }: VerifyOptions = {},
): Promise<Verification> {
  const started = performance.now()
  // Checkpoints are read before the end of the record: those made during the walk would look like a cut-off tail.
  const head = anchor && (await anchor.refresh())
  const outside = file.read()
  const inside = await readable(() => allCheckpoints(storage), [])
  const references = new References()
  const tiles = await readable(() => KeptTiles.read(storage.read), null)
  const kept = head?.checkpoint ? [head.checkpoint] : []
  const check = new ChainCheck([...inside.value, ...outside.checkpoints, ...against, ...kept], {
    onBody: (hash, seq) => references.add(hash, seq),
    onSubtree: (level, place, root) => tiles.value?.compare(level, place, root),
  })
  const seals = anchor && new SealCheck(anchor)
  const tables = new TablesCheck()
  const unreadable = (message: string, seq: number | null = null) =>
    check.find('unreadable', `The database file is damaged: ${message}`, seq)
  if (inside.damage ?? tiles.damage) unreadable(inside.damage ?? tiles.damage ?? '')

  const total = await readable(() => endOf(storage), 0)
  // Begun after the end of the record is known: what the entries up to there refer to is in the body store by now.
  const stop = new AbortController()
  const texts = await readable(() => mostBodies(storage.read), 0)
  const stores = { file: storage.file, texts: texts.value, entries: total.value }
  const checking = checkStores(stores, stop.signal)
  checking.catch(() => undefined)
  try {
    await walkChain()
  } catch (error) {
    stop.abort()
    throw error
  }
  const { bodies, index } = await checking
  if (bodies.damage) unreadable(bodies.damage)
  if (index.damage && !bodies.damage) unreadable(index.damage)
  for (const { first, last } of index.wrong) check.find('index', indexText(first, last), first, last)
  for (const { hash, state, seq } of references.wrong(bodies)) check.findBody(hash, state, seq)
  const told = await readable(() => tables.findings(storage.read, check.emptied.length === 0, learnRest), [])
  for (const { kind, message } of told.value) check.find(kind, message)
  const personal = await readable(() => changedPersonal(storage), [])
  for (const seq of personal.value) check.find('personal', `A personal value of entry ${seq} was changed.`, seq)
  for (const { kind, message, seq, last } of [...(seals?.findings() ?? []), ...(tiles.value?.findings() ?? [])])
    check.find(kind, message, seq, last)
  for (const { size, at } of missingCheckpoints(inside.value, [...outside.checkpoints, ...kept])) {
    check.find(
      'checkpoint',
      `The checkpoint of ${time(at)} over ${size} entries is missing from the database.`,
      size - 1,
    )
  }
  if (head && head.unwitnessed > 0) check.find('checkpoint', unwitnessedText(head.unwitnessed), 0, head.unwitnessed - 1)
  if (!head && total.value > 0 && inside.value.length === 0) check.findNoCheckpoint()
  check.finish()

  const first = check.keyring.keys.values().next().value
  return {
    ok: check.findings.length === 0,
    entries: check.checked,
    emptied: check.emptied.length,
    checkpoints: inside.value.length,
    bodies: bodies.hashes.length / 32,
    root: check.tree.root(),
    firstKey: first === undefined ? null : fingerprint(first),
    findings: check.findings,
    notices: [...noticesOf(check, outside.torn, inside.value.at(-1)?.size ?? 0), ...(anchor ? [] : [withoutKeys])],
    tookMs: performance.now() - started,
  }

  async function learnRest(): Promise<void> {
    for (const { entry } of await rowsFrom(storage, total.value, Number.MAX_SAFE_INTEGER)) tables.learn(entry)
  }

  async function walkChain(): Promise<void> {
    for (let next = 0; next < total.value; ) {
      const rows = await readable(() => rowsFrom(storage, next, total.value), null)
      if (rows.value === null) return unreadable(rows.damage ?? '', next)
      if (rows.value.length === 0) return
      for (const row of rows.value) {
        check.take(row)
        seals?.take(row)
        tables.learn(row.entry)
      }
      next = (rows.value.at(-1)?.seq ?? next) + 1
      onProgress?.(Math.min(next, total.value), total.value)
      if (signal?.aborted) throw cancelled()
      // Everyone else gets a turn between two pages.
      await new Promise(resolve => setImmediate(resolve))
    }
  }
}

function noticesOf(check: ChainCheck, torn: number, covered: number): string[] {
  const notices: string[] = []
  const { setBack, mostMs, seq } = check.clock
  if (setBack > 0) {
    notices.push(
      `The clock was set back ${times(setBack)}, by at most ${Math.round(mostMs / 1000)} s, first at entry ${seq}.`,
    )
  }
  if (torn > 0) notices.push(`${times(torn)} a checkpoint outside the database was written only in part.`)
  const open = check.checked - covered
  if (open > 0)
    notices.push(
      `The last ${open} entries are not signed yet: their seals hold, but it cannot be told whether more had followed.`,
    )
  return notices
}

const withoutKeys =
  'The key store could not be read: neither the seals of the entries nor the last signed end of the record were checked.'

/** Those that somebody kept elsewhere and the database has no more. */
function missingCheckpoints(inside: readonly Checkpoint[], elsewhere: readonly Checkpoint[]): Checkpoint[] {
  const known = new Set(inside.map(each => each.size))
  const missing = new Map(elsewhere.filter(each => !known.has(each.size)).map(each => [each.size, each]))
  return [...missing.values()].slice(0, 20)
}

const indexText = (first: number, last: number): string =>
  `The index and the chain differ on ${first === last ? `entry ${first}` : `entries ${first} to ${last}`}: queries may hide or misplace ${first === last ? 'it' : 'them'}.`

const times = (count: number) => (count === 1 ? 'once' : `${count} times`)
const cancelled = () => new Failure('request.cancelled', 'The check was stopped.', 'Start it again when there is time.')

async function endOf(storage: Storage): Promise<number> {
  const row = await storage.read
    .selectFrom('audit_entries')
    .select(eb => eb.fn.max('seq').as('seq'))
    .executeTakeFirst()
  return (row?.seq ?? -1) + 1
}

function rowsFrom(storage: Storage, first: number, end: number) {
  return storage.read
    .selectFrom('audit_entries')
    .select(['seq', 'hash', 'entry', 'seal'])
    .where('seq', '>=', first)
    .where('seq', '<', end)
    .orderBy('seq')
    .limit(page)
    .execute()
}

async function changedPersonal(storage: Storage): Promise<number[]> {
  const rows = await storage.read
    .selectFrom('audit_personal')
    .leftJoin('audit_entries', 'audit_entries.seq', 'audit_personal.seq')
    .select(['commitment', 'salt', 'value', 'audit_personal.seq', 'entry'])
    .execute()
  return rows
    .filter(row => commit(row.salt, row.value) !== row.commitment || !row.entry?.includes(row.commitment))
    .map(row => row.seq)
}

/** Damage to the file itself is a finding like any other, and what can still be read is still checked. */
async function readable<T, Fallback>(
  read: () => Promise<T>,
  fallback: Fallback,
): Promise<{ value: T | Fallback; damage: string | null }> {
  try {
    return { value: await read(), damage: null }
  } catch (error) {
    const failure = storageFailure(error, '')
    if (failure.problem.code !== 'storage.corrupt') throw error
    return { value: fallback, damage: error instanceof Error ? error.message : String(error) }
  }
}
