import type { Part, ToolName } from '../contract/chat.ts'
import type { Item, ItemId, NewItem } from '../contract/conversations.ts'
import type { Active } from './active.ts'
import { type CallPart, cellOf, makesCell } from './calls.ts'
import { type Desk, orProblem } from './desk.ts'
import type { Step } from './step.ts'
import { readCall } from './tools.ts'

export interface Came {
  /** The path as the model was told it. */
  readonly before: readonly Item[]
  readonly step: Step
  /** False for a stream that was cut: its calls are shown, and not run. */
  readonly complete: boolean
  readonly offered: readonly ToolName[]
}

/** Puts what came on the path: what was said as a message, each call that makes a cell as a cell behind it. */
export async function putOnPath(desk: Desk, active: Active, came: Came): Promise<void> {
  const { before, step, complete, offered } = came
  const parts: Part[] = []
  const results: Part[] = []
  const cells: { item: Extract<NewItem, { kind: 'cell' }>; call: CallPart }[] = []
  if (step.reasoning.trim()) parts.push({ kind: 'reasoning', text: step.reasoning })
  const calls = complete ? step.calls : []
  for (const [at, { tool, input }] of calls.entries()) {
    const read = readCall(tool, input, offered)
    const description = typeof read !== 'string' && read.tool === 'run_code' ? (read.input.description ?? '') : ''
    const call: CallPart = { kind: 'call', call: `call_${active.row.step}_${at + 1}`, tool, input, description }
    const cell = typeof read === 'string' ? read : makesCell(tool) ? await cellOf(desk, active.ref, read) : null
    if (cell !== null && typeof cell === 'object') cells.push({ item: cell, call })
    else parts.push(call)
    if (typeof cell === 'string') {
      results.push({ kind: 'result', call: call.call, ok: false, text: cell, run: null })
      desk.measuring.measure('chat_tool_errors_total', 1, { 'error.type': 'call' })
    }
  }
  for (const cut of complete ? [] : [...step.calls, ...step.unfinished])
    parts.push({ kind: 'unfinished', tool: cut.tool, text: cut.input })
  const speaks = step.text.trim() !== '' || parts.length > 0
  if (!speaks && cells.length === 0) return active.live.settle()
  const after = before.at(-1)?.id
  const inserted = orProblem(
    await desk.conversations.insert(
      { ...active.who, assistant: active.row.model },
      {
        path: active.ref.path,
        ...(after ? { after } : {}),
        items: [
          ...(speaks ? [{ kind: 'message' as const, author: 'assistant' as const, text: step.text.trim() }] : []),
          ...cells.map(({ item }) => item),
        ],
        undoable: false,
      },
    ),
  )
  const message = speaks ? inserted[0]?.id : undefined
  const rows: { item: ItemId; part: Part }[] = []
  const holder = message ?? inserted[0]?.id
  if (holder) for (const part of [...parts, ...results]) rows.push({ item: holder, part })
  // A message without any part would not be known as this turn's.
  if (message && rows.length === 0) rows.push({ item: message, part: { kind: 'figures', length: 0, figures: [] } })
  for (const [at, { call }] of cells.entries()) {
    const item = inserted[at + (speaks ? 1 : 0)]
    if (item) rows.push({ item: item.id, part: call })
  }
  await desk.store.addParts(active.row, active.row.step, rows)
  active.live.settle()
}
