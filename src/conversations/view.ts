import type { Kysely, Selectable } from 'kysely'
import type { ItemId } from '../contract/conversations.ts'
import type { PathId } from '../contract/ids.ts'
import { isLatest } from '../storage/latest.ts'
import { prepared } from '../storage/prepared.ts'
import type { Database } from '../storage/storage.ts'
import type { ExecutionsTable, PathsTable, RevisionsTable } from '../storage/tables/conversations.ts'

/** What a path shows, put together from its own revisions and, by reference, from those of the paths it branched off. */

export type Db = Kysely<Database>
export type PathRow = Selectable<PathsTable>
export type ExecutionRow = Selectable<ExecutionsTable>

/** An item as a path shows it: the revision that counts there, and the path that wrote it. */
export type Line = Selectable<RevisionsTable>

/** A path with all it branched off from, the first path first. */
export type Chain = readonly PathRow[]

export async function loadChain(db: Db, path: PathRow): Promise<Chain> {
  const chain = [path]
  for (let at = path; at.parent; ) {
    at = await db.selectFrom('paths').selectAll().where('id', '=', at.parent).executeTakeFirstOrThrow()
    chain.unshift(at)
  }
  return chain
}

/** All items of a path as of a version, in order. */
export async function viewOf(db: Db, chain: Chain, asOf: number): Promise<Line[]> {
  const path = chain.at(-1)
  const shown = overlay(await inheritedBy(db, chain), path ? await ownLines(db, path.id, asOf) : [])
  return [...shown.values()].sort(byPosition)
}

/** What is shown when a path has its own word on what it inherits. */
export function overlay(inherited: ReadonlyMap<ItemId, Line>, own: readonly Line[]): Map<ItemId, Line> {
  const shown = new Map(inherited)
  for (const line of own) {
    if (line.state === 'present') shown.set(line.item, line)
    if (line.state === 'removed') shown.delete(line.item)
  }
  return shown
}

/** What a path would show if it had changed nothing: its parent up to the branch point, as it was at the branching. */
export async function inheritedBy(db: Db, chain: Chain): Promise<Map<ItemId, Line>> {
  const path = chain.at(-1)
  if (!path?.parent) return new Map()
  const parent = await viewOf(db, chain.slice(0, -1), path.branch_version)
  return new Map(parent.filter(line => line.position <= path.branch_position).map(line => [line.item, line]))
}

/** One item of a path as of a version; null where the path does not show it. */
export async function lineOf(db: Db, chain: Chain, asOf: number, item: ItemId): Promise<Line | null> {
  const path = chain.at(-1)
  if (!path) return null
  const own = await db
    .selectFrom('revisions')
    .selectAll()
    .where('path', '=', path.id)
    .where('item', '=', item)
    .where('version', '<=', asOf)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (own?.state === 'present') return own
  if (own?.state === 'removed') return null
  const inherited = await lineOf(db, chain.slice(0, -1), path.branch_version, item)
  return inherited && inherited.position <= path.branch_position ? inherited : null
}

/** The last run of each cell as of a version: the path's own, or what it inherited at its branch point. */
export async function runsOf(db: Db, chain: Chain, asOf: number): Promise<Map<ItemId, ExecutionRow>> {
  const runs = new Map<ItemId, ExecutionRow>()
  for (const [level, path] of chain.entries()) {
    const until = chain[level + 1]?.branch_version ?? asOf
    for (const run of await ownRuns(db, path.id, until)) runs.set(run.item, run)
  }
  return runs
}

export async function runOf(db: Db, chain: Chain, asOf: number, item: ItemId): Promise<ExecutionRow | null> {
  for (let level = chain.length - 1, until = asOf; level >= 0; level--) {
    const path = chain[level]
    if (!path) break
    const run = await db
      .selectFrom('executions')
      .selectAll()
      .where('path', '=', path.id)
      .where('item', '=', item)
      .where('version', '<=', until)
      .orderBy('version', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (run) return run
    until = path.branch_version
  }
  return null
}

export function byPosition(left: { position: string }, right: { position: string }): number {
  return left.position < right.position ? -1 : left.position > right.position ? 1 : 0
}

/** The last word of a path itself on each item that it ever touched, up to a version. */
export function ownLines(db: Db, path: PathId, until: number): Promise<Line[]> {
  return latestLines(db, path, until)
}

function ownRuns(db: Db, path: PathId, until: number): Promise<ExecutionRow[]> {
  return latestRuns(db, path, until)
}

const latestLines = prepared((db, path: PathId, until: number) =>
  db.selectFrom('revisions').selectAll().where('path', '=', path).where(isLatest('revisions', until)),
)
const latestRuns = prepared((db, path: PathId, until: number) =>
  db.selectFrom('executions').selectAll().where('path', '=', path).where(isLatest('executions', until)),
)
