import { BranchPath, type PathSummary, type RenamePath } from '../contract/conversations.ts'
import { PathId } from '../contract/ids.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Caller, ConversationsOptions } from './conversations.ts'
import { type Desk, noItem, type Operation, operate } from './operation.ts'
import { beforeAll } from './positions.ts'
import { newPath, pathSummary } from './tree.ts'
import { type Db, loadChain, type PathRow, viewOf } from './view.ts'

/** Branches off after an item: the new path sees the parent up to it as it is now, whatever the parent does later. */
export function branch(desk: Desk, who: Caller, request: BranchPath): Promise<Outcome<PathSummary>> {
  const { path, after, name, withState } = BranchPath.parse(request)
  return operate(desk, who, path, { states: ['open', 'archived'] }, async operation => {
    const { db, chain, version, at, conversation } = operation
    const lines = await viewOf(db, chain, version)
    const count = after === null ? 0 : lines.findIndex(line => line.item === after) + 1
    const last = lines[count - 1]
    if (after !== null && !last) return noItem()
    const id = desk.ids.make(PathId)
    const row: PathRow = {
      ...newPath({ id, conversation: conversation.id, name: name ?? (await freeName(operation)), at }),
      parent: path,
      branch_item: after,
      branch_version: version,
      branch_position: last?.position ?? beforeAll,
      end_position: last?.position ?? beforeAll,
      item_count: count,
      with_state: withState ? 1 : 0,
    }
    await db.insertInto('paths').values(row).execute()
    return ok({
      value: await summarise(db, row),
      action: 'path.branched',
      details: { branch: id, name: row.name, after, version, withState },
      items: null,
      what: 'paths',
    })
  })
}

export function renamePath(desk: Desk, who: Caller, { path, name }: RenamePath): Promise<Outcome<PathSummary>> {
  return operate(desk, who, path, { states: ['open', 'archived'] }, async operation => {
    if (operation.path.name === name) return ok({ nothing: await summarise(operation.db, operation.path) })
    return ok({
      value: await update(operation, { name }),
      action: 'path.renamed',
      details: { from: operation.path.name, to: name },
      items: null,
      what: 'paths',
    })
  })
}

type Ending = Desk & Pick<ConversationsOptions, 'pathEnded'>

export function archivePath(desk: Ending, who: Caller, path: PathId): Promise<Outcome<PathSummary>> {
  return end(desk, who, path, 'archived')
}

export function deletePath(desk: Ending, who: Caller, path: PathId): Promise<Outcome<PathSummary>> {
  return end(desk, who, path, 'deleted')
}

export function restorePath(desk: Desk, who: Caller, path: PathId): Promise<Outcome<PathSummary>> {
  return operate(desk, who, path, { states: ['archived', 'deleted'] }, async operation =>
    ok({
      value: await update(operation, { state: 'open', deleted_at: null }),
      action: 'path.restored',
      details: { name: operation.path.name, was: operation.path.state },
      items: null,
      what: 'paths',
    }),
  )
}

async function end(
  desk: Ending,
  who: Caller,
  path: PathId,
  state: 'archived' | 'deleted',
): Promise<Outcome<PathSummary>> {
  let ended: Operation | null = null
  const states = state === 'archived' ? (['open'] as const) : (['open', 'archived'] as const)
  const outcome = await operate<PathSummary>(desk, who, path, { states }, async operation => {
    if (operation.path.parent === null) {
      return fail(
        'path.main',
        'The first path of a conversation stays: every other path branches from it.',
        'Delete the whole conversation instead, or remove the items that you do not want.',
      )
    }
    ended = operation
    return ok({
      value: await update(operation, { state, deleted_at: state === 'deleted' ? operation.at : null }),
      action: state === 'archived' ? 'path.archived' : 'path.deleted',
      details: { name: operation.path.name },
      items: null,
      what: 'paths',
    })
  })
  if (outcome.ok && ended) await desk.pathEnded(who, (ended as Operation).conversation.id, path, state)
  return outcome
}

async function update({ db, path }: Operation, change: Partial<PathRow>): Promise<PathSummary> {
  await db.updateTable('paths').set(change).where('id', '=', path.id).execute()
  return summarise(db, { ...path, ...change })
}

export async function summarise(db: Db, row: PathRow): Promise<PathSummary> {
  const chain = await loadChain(db, row)
  return pathSummary(row, new Map(chain.map(each => [each.id, each])))
}

async function freeName({ db, conversation }: Operation): Promise<string> {
  const rows = await db.selectFrom('paths').select('name').where('conversation', '=', conversation.id).execute()
  const names = new Set(rows.map(row => row.name))
  let number = rows.length
  while (names.has(`branch ${number}`)) number++
  return `branch ${number}`
}
