import type { Part, ToolName } from '../contract/chat.ts'
import type { Item, ItemId, NewItem } from '../contract/conversations.ts'
import { CellId, MessageId } from '../contract/ids.ts'
import { type Active, change } from './active.ts'
import { type CallPart, cellOf, makesCell } from './calls.ts'
import { type Desk, orProblem, tell } from './desk.ts'
import { itemsOfTurn, itemsUpTo } from './path.ts'
import type { Step } from './step.ts'
import { addStep, type TurnRow, turnOf } from './store.ts'
import { readCall } from './tools.ts'

export interface Came {
  /** The path as the model was told it. */
  readonly before: readonly Item[]
  readonly step: Step
  /** False for a stream that was cut: its calls are shown, and not run. */
  readonly complete: boolean
  readonly offered: readonly ToolName[]
  /** How the answer stands since: what it took, and nothing left to be kept for a crash. */
  readonly used: Partial<TurnRow>
}

/**
 * Puts what came on the path: what was said as a message, each call that makes a cell as a cell behind it. All in one
 * transaction with the answer's own row: an application that ends here leaves it either written or still to be written.
 */
export async function putOnPath(desk: Desk, active: Active, came: Came): Promise<void> {
  const { before, used } = came
  const items = await itemsIn(desk, active, came)
  if (items.length === 0) {
    await change(desk, active, used)
    return active.live.settle()
  }
  const { row, ref, who } = active
  const unsaved = { ...active.unsaved, ...used }
  const ids = items.map(({ id }) => id)
  const parts = items.flatMap(({ id, parts: each }) => each.map(part => ({ item: id, part })))
  const insert = (after: ItemId | undefined) =>
    desk.conversations.insert(
      { ...who, assistant: row.model },
      {
        path: ref.path,
        ...(after ? { after } : {}),
        items: items.map(({ item }) => item),
        undoable: false,
      },
      { ids, alongside: t => addStep(t, row, parts, unsaved) },
    )
  const inserted = await insert(before.at(-1)?.id)
  // What it would stand behind was removed while it was written: it stands behind what is left of its answer.
  if (!inserted.ok && inserted.problem.code === 'not-found')
    orProblem(await insert((await itemsUpTo(desk, who, ref, await itemsOfTurn(desk, row))).at(-1)?.id))
  else orProblem(inserted)
  active.row = { ...row, ...used }
  active.unsaved = {}
  active.live.settle(ids)
  tell(desk, row.tenant, { kind: 'turn', turn: turnOf(active.row) })
}

interface Made {
  readonly id: ItemId
  readonly item: NewItem
  readonly parts: readonly Part[]
}

/** What came as items of the path, each with the parts that hang on it. */
async function itemsIn(desk: Desk, active: Active, { step, complete, offered }: Came): Promise<Made[]> {
  const parts: Part[] = []
  const results: Part[] = []
  const cells: Made[] = []
  if (step.reasoning.trim()) parts.push({ kind: 'reasoning', text: step.reasoning })
  const calls = complete ? step.calls : []
  for (const [at, { tool, input }] of calls.entries()) {
    const read = readCall(tool, input, offered)
    const description = typeof read !== 'string' && read.tool === 'run_code' ? (read.input.description ?? '') : ''
    const call: CallPart = { kind: 'call', call: `call_${active.row.step}_${at + 1}`, tool, input, description }
    const cell = typeof read === 'string' ? read : makesCell(tool) ? await cellOf(desk, active.ref, read) : null
    if (cell !== null && typeof cell === 'object') cells.push({ id: desk.ids.make(CellId), item: cell, parts: [call] })
    else parts.push(call)
    if (typeof cell === 'string') {
      results.push({ kind: 'result', call: call.call, ok: false, text: cell, run: null })
      desk.measuring.measure('chat_tool_errors_total', 1, { 'error.type': 'call' })
    }
  }
  for (const cut of complete ? [] : [...step.calls, ...step.unfinished])
    parts.push({ kind: 'unfinished', tool: cut.tool, text: cut.input })
  const text = step.text.trim()
  if (text === '' && parts.length === 0) return cells
  const message: Made = {
    id: desk.ids.make(MessageId),
    item: { kind: 'message', author: 'assistant', text },
    parts: [saidMark, ...parts, ...results],
  }
  return [message, ...cells]
}

/** What makes a message known as its turn's, until its figures have been looked for. */
export const saidMark: Part = { kind: 'figures', length: 0, figures: [] }
