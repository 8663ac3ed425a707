import type { ItemId, MergePath, MergeResult } from '../contract/conversations.ts'
import { CellId, MessageId } from '../contract/ids.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Caller, ConversationsOptions } from './conversations.ts'
import { lineAt, pushEdit, writeLines, writtenNow } from './editing.ts'
import { readFacts } from './items.ts'
import { planMerge, type Sides, type Step } from './merging.ts'
import { type Desk, findPath, noItem, type Operation, operate } from './operation.ts'
import { positionsBetween } from './positions.ts'
import { summariseItems } from './summary.ts'
import { keepText } from './texts.ts'
import { type Chain, type Line, loadChain, type PathRow, runOf, runsOf, viewOf } from './view.ts'

type Brought = Omit<MergeResult, 'version'>

/** Brings what happened on one path over to another. The source stays as it is, and its sandbox ends. */
export async function merge(
  desk: Desk & Pick<ConversationsOptions, 'pathEnded'>,
  who: Caller,
  request: MergePath,
): Promise<Outcome<MergeResult>> {
  const { source, target, what } = request
  let merged: Operation | null = null
  const outcome = await operate<MergeResult>(desk, who, target, { states: ['open'] }, async operation => {
    const { db, at, version } = operation
    const from = await sourceOf(operation, request)
    if (!from.ok) return from
    const chain = await loadChain(db, from.value)
    const sides = await loadSides(operation, chain)
    if (what.mode === 'selected') {
      const shown = new Set(sides.source.map(line => line.item))
      if (!what.items.every(item => shown.has(item))) return noItem()
    }
    const result =
      what.mode === 'summary'
        ? await addSummary(desk, operation, what.text ?? (await summaryText(operation, chain, sides)))
        : await apply(
            desk,
            operation,
            chain,
            planMerge(sides, what.mode === 'selected' ? new Set(what.items) : null),
            sides.target,
          )
    await pushEdit(operation)
    await db.insertInto('merges').values({ source, target, version, mode: what.mode, merged_at: at }).execute()
    await db.updateTable('paths').set({ merged_into: target, merged_at: at }).where('id', '=', source).execute()
    merged = operation
    return ok({
      value: { version, ...result },
      action: 'path.merged',
      details: { source, mode: what.mode, version, ...result },
      items: null,
      what: 'paths',
    })
  })
  if (outcome.ok && merged) await desk.pathEnded(who, (merged as Operation).conversation.id, source, 'merged')
  return outcome
}

async function sourceOf(
  { db, who, conversation }: Operation,
  { source, target }: MergePath,
): Promise<Outcome<PathRow>> {
  const found = await findPath(db, who, source)
  if (!found.ok) return found
  if (source === target || found.value.row.conversation !== conversation.id) {
    return fail(
      'merge.impossible',
      'These two paths cannot be merged.',
      'Choose two different paths of one conversation.',
    )
  }
  if (found.value.row.state === 'deleted') {
    return fail('path.deleted', `The path “${found.value.row.name}” was deleted.`, 'Restore it, then merge it.')
  }
  return ok(found.value.row)
}

async function loadSides({ db, chain: targetChain, version }: Operation, sourceChain: Chain): Promise<Sides> {
  const source = await viewOf(db, sourceChain, version)
  const target = await viewOf(db, targetChain, version)
  const last = await db
    .selectFrom('merges')
    // A merge that was undone is none.
    .innerJoin('edits', join =>
      join.onRef('edits.path', '=', 'merges.target').onRef('edits.version', '=', 'merges.version'),
    )
    .select('merges.version')
    .where('merges.source', '=', sourceChain.at(-1)?.id ?? null)
    .where('merges.target', '=', targetChain.at(-1)?.id ?? null)
    .where('edits.undone', '=', 0)
    .where('merges.mode', '=', 'whole')
    .orderBy('merges.version', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last) {
    const sourceBase = await viewOf(db, sourceChain, last.version)
    const targetBase = await viewOf(db, targetChain, last.version)
    return { source, target, sourceBase, targetBase }
  }
  const fork = sourceChain.findLastIndex(path => targetChain.some(other => other.id === path.id))
  const [onSource, onTarget] = [sourceChain[fork + 1], targetChain[fork + 1]]
  const left = Math.min(onSource?.branch_version ?? version, onTarget?.branch_version ?? version)
  const cuts = [onSource, onTarget].flatMap(path => path?.branch_position ?? [])
  const base = (await viewOf(db, sourceChain.slice(0, fork + 1), left)).filter(line =>
    cuts.every(cut => line.position <= cut),
  )
  return { source, target, sourceBase: base, targetBase: base }
}

async function apply(
  desk: Desk,
  operation: Operation,
  sourceChain: Chain,
  steps: readonly Step[],
  target: readonly Line[],
): Promise<Brought> {
  const { db, conversation } = operation
  const result: Brought = { added: [], changed: [], removed: [], conflicts: [] }
  const order = [...target]
  const lines: Line[] = []
  const facts = await readFacts(
    db,
    steps.flatMap(step => (step.do === 'keep-both' ? step.line.item : [])),
  )
  for (const step of steps) {
    const at = step.do === 'remove' ? -1 : order.findIndex(line => line.item === step.line.item)
    switch (step.do) {
      case 'change': {
        const position = order[at]?.position ?? ''
        lines.push(lineAt(operation, { ...step.line, position }))
        result.changed.push(step.line.item)
        await copyRun(operation, sourceChain, step.line.item, step.line.item)
        break
      }
      case 'add': {
        lines.push(place(operation, order, step.line, step.after))
        result.added.push(step.line.item)
        await copyRun(operation, sourceChain, step.line.item, step.line.item)
        break
      }
      case 'keep-both': {
        const fact = facts.get(step.line.item)
        if (!fact) throw new Error(`item ${step.line.item} is not known`)
        const id = desk.ids.make(fact.kind === 'cell' ? CellId : MessageId)
        await db
          .insertInto('items')
          .values({ id, conversation: conversation.id, kind: fact.kind, author: fact.author, notebook: null })
          .execute()
        lines.push(place(operation, order, { ...step.line, item: id }, step.line.item))
        result.added.push(id)
        result.conflicts.push({ item: step.line.item, added: id })
        await copyRun(operation, sourceChain, step.line.item, id)
        break
      }
      case 'remove': {
        const line = order.find(each => each.item === step.item)
        if (line) lines.push({ ...lineAt(operation, line), state: 'removed' })
        result.removed.push(step.item)
      }
    }
  }
  await writeLines(operation, lines, result.added.length - result.removed.length)
  return result
}

/** Puts a line into the target's order after an item, at the start (null), or at the end: also when that item is gone. */
function place(operation: Operation, order: Line[], line: Line, after: ItemId | null | undefined): Line {
  const found = after ? order.findIndex(each => each.item === after) : -1
  const index = after === null ? 0 : found >= 0 ? found + 1 : order.length
  const before = order[index - 1]?.position ?? null
  const next = order[index]?.position ?? null
  const end = operation.path.end_position
  const from = next === null && end > (before ?? '') ? end : before
  const placed = lineAt(operation, { ...line, position: positionsBetween(from, next, 1)[0] ?? '' })
  order.splice(index, 0, placed)
  return placed
}

/** The outputs come along by reference. */
async function copyRun({ db, path, version }: Operation, chain: Chain, from: ItemId, to: ItemId): Promise<void> {
  const run = await runOf(db, chain, version, from)
  if (!run?.outputs_of) return
  await db
    .insertInto('executions')
    .values({ ...run, path: path.id, item: to, version })
    .execute()
}

async function addSummary(desk: Desk, operation: Operation, text: string): Promise<Brought> {
  const { db, conversation, path } = operation
  const item = desk.ids.make(MessageId)
  await db
    .insertInto('items')
    .values({ id: item, conversation: conversation.id, kind: 'message', author: 'system', notebook: null })
    .execute()
  const position = positionsBetween(path.end_position || null, null, 1)[0] ?? ''
  const kept = await keepText(db, conversation.id, text)
  await writeLines(
    operation,
    [lineAt(operation, { item, position, language: null, text: kept, ...writtenNow(operation) })],
    1,
  )
  return { added: [item], changed: [], removed: [], conflicts: [] }
}

async function summaryText({ db, version }: Operation, chain: Chain, { source, sourceBase }: Sides): Promise<string> {
  const base = new Map(sourceBase.map(line => [line.item, line.text]))
  const fresh = source.filter(line => base.get(line.item) !== line.text)
  const runs = await runsOf(db, chain, version)
  return summariseItems(db, chain.at(-1)?.name ?? '', fresh, runs)
}
