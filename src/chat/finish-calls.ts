import { meansNoSandbox } from '../contexts/contexts.ts'
import type { Turn } from '../contract/chat.ts'
import type { ItemId } from '../contract/conversations.ts'
import { type Active, change, over } from './active.ts'
import { type CallPart, codeHash, look, makesCell, type ResultPart, resultOf, runCell } from './calls.ts'
import { type Desk, orProblem } from './desk.ts'
import { measured } from './measured.ts'
import { readCall } from './tools.ts'

/** A call whose run a reviewer decides about; the answer rests until then. */
export type Waiting = NonNullable<Turn['waiting']>

/** Carries out the calls of the last step that have no result yet, one after the other: they share a path. */
export async function finishCalls(desk: Desk, active: Active): Promise<'ask' | 'over' | Waiting> {
  const { row } = active
  if (row.step === 0) return 'ask'
  const parts = await desk.store.partsOf(row.id, row.step)
  const answered = new Set(parts.flatMap(({ part }) => (part.kind === 'result' ? [part.call] : [])))
  const refused = await refusedBefore(desk, active)
  for (const { item, part } of parts) {
    if (part.kind !== 'call' || answered.has(part.call)) continue
    if (active.stop.signal.aborted) return over(desk, active, 'stopped')
    await change(desk, active, { state: 'running' })
    const result = await callOnce(desk, active, { item, call: part, refused })
    if (!('kind' in result)) return result
    await desk.store.addParts(row, row.step, [{ item, part: result }])
    if (!result.ok) desk.measuring.measure('chat_tool_errors_total', 1, { 'tool.name': toolLabel(part.tool) })
  }
  if (active.stop.signal.aborted) return over(desk, active, 'stopped')
  return 'ask'
}

interface Called {
  readonly item: ItemId
  readonly call: CallPart
  readonly refused: ReadonlyMap<string, string>
}

async function callOnce(desk: Desk, active: Active, { item, call, refused }: Called): Promise<ResultPart | Waiting> {
  const { who, ref, stop } = active
  const say = (ok: boolean, text: string): ResultPart => ({ kind: 'result', call: call.call, ok, text, run: null })
  if (!makesCell(call.tool)) {
    const read = readCall(call.tool, call.input, ['read_file', 'list_files', 'inspect_variable'])
    if (typeof read === 'string') return say(false, read)
    const { ok, text } = await look(desk, who, ref, read)
    return say(ok, text)
  }
  const [cell] = orProblem(await desk.conversations.items(who, ref.path, [item]))
  if (cell?.kind !== 'cell') return say(false, 'The analyst removed this cell before it ran.')
  const view = await measured(desk, ref, { tool: call.tool, forced: false }, () =>
    runCell(desk, { who, ref, cell, call, signal: stop.signal, refused }),
  )
  if (typeof view === 'string') return say(false, view)
  if (view.problem && meansNoSandbox(view.problem))
    active.toolsOff = `Code cannot be run in this answer. ${view.problem.message}`
  if (view.state !== 'waiting' || !view.request) return resultOf(desk, ref, call, view)
  return { cell: cell.id, run: view.run, request: view.request }
}

/** Code of this answer that was refused, with the reasons, so that nobody is asked about it twice. */
async function refusedBefore(desk: Desk, active: Active): Promise<Map<string, string>> {
  const parts = await desk.store.partsOf(active.row.id)
  const refused = new Map<string, string>()
  for (const { item, part } of parts) {
    if (part.kind !== 'result' || part.ok || !part.text.includes('"ran":false')) continue
    const found = await desk.conversations.items(active.who, active.ref.path, [item])
    const cell = found.ok ? found.value[0] : undefined
    if (cell?.kind === 'cell') refused.set(codeHash(cell.language, cell.text), part.text)
  }
  return refused
}

const toolLabel = (tool: string): string => (/^[a-z_]{1,40}$/.test(tool) ? tool : 'unknown')
