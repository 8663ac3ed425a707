import type { ComparePaths, Comparison, ItemId } from '../contract/conversations.ts'
import type { PathId } from '../contract/ids.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { comparePaths, type Whole } from './comparing.ts'
import type { Caller } from './conversations.ts'
import { readItems } from './items.ts'
import { type Desk, findPath } from './operation.ts'
import { readSet } from './outputs.ts'
import { summarise } from './paths.ts'
import { type Db, type ExecutionRow, loadChain, runsOf, viewOf } from './view.ts'

/** Sets two paths of one conversation side by side. Looking is on the record like any other operation on a path. */
export async function compare(desk: Desk, who: Caller, request: ComparePaths): Promise<Outcome<Comparison>> {
  const db = desk.storage.read
  const left = await load(db, who, request.left)
  if (!left.ok) return left
  const right = await load(db, who, request.right)
  if (!right.ok) return right
  if (left.value.conversation !== right.value.conversation) {
    return fail('request.invalid', 'These paths belong to two conversations.', 'Choose two paths of one conversation.')
  }
  const rows = comparePaths(left.value.items, right.value.items)
  const count = (status: (typeof rows)[number]['status']) => rows.filter(row => row.status === status).length
  const counts = {
    same: count('same'),
    changed: count('changed'),
    leftOnly: count('left-only'),
    rightOnly: count('right-only'),
  }
  await desk.storage.write(transaction =>
    desk.audit.append(transaction, {
      action: 'path.compared',
      tenant: who.tenant,
      actor: who.user,
      conversation: left.value.conversation,
      path: request.left,
      details: { with: request.right, ...counts },
    }),
  )
  return ok({ left: left.value.summary, right: right.value.summary, rows, counts })
}

async function load(db: Db, who: Caller, path: PathId) {
  const found = await findPath(db, who, path)
  if (!found.ok) return found
  const { row, conversation } = found.value
  const chain = await loadChain(db, row)
  const lines = await viewOf(db, chain, conversation.version)
  const runs = await runsOf(db, chain, conversation.version)
  const items: Whole[] = []
  for (const { item } of await readItems(db, path, lines, runs))
    items.push({ item, outputs: await outputsOf(db, runs, item.id) })
  return ok({ items, summary: await summarise(db, row), conversation: conversation.id })
}

async function outputsOf(db: Db, runs: ReadonlyMap<ItemId, ExecutionRow>, item: ItemId) {
  const set = runs.get(item)?.outputs_of
  return set ? (await readSet(db, set)).map(({ output }) => output) : []
}
