import type { Part } from '../contract/chat.ts'
import type { Cell, Item, ItemId, Message } from '../contract/conversations.ts'
import type { Prompt, PromptMessage } from './language-model.ts'
import { clip, type Mask, textOfRun } from './results.ts'

/** What a path says, as a model is told it: one piece an item, so that a piece is left out whole or not at all. */
export interface Piece {
  readonly item: ItemId
  readonly messages: readonly PromptMessage[]
  readonly chars: number
}

export interface PathText {
  readonly items: readonly Item[]
  /** How many cells stand before these. */
  readonly cellsBefore: number
  readonly parts: ReadonlyMap<ItemId, readonly Part[]>
  /** Tokens in the place of values, for what is cut afterwards. */
  readonly mask: Mask
}

/**
 * The prompt is made anew from the path for every request: what was edited, removed, branched or run again is what the
 * model sees, and nothing has to be carried over a restart.
 */
export async function piecesOf({ items, cellsBefore, parts, mask }: PathText): Promise<Piece[]> {
  const pieces: Piece[] = []
  let cells = cellsBefore
  let calls = 0
  const nextCall: NextCall = () => `call_${++calls}`
  for (const item of items) {
    const own = parts.get(item.id) ?? []
    if (item.kind === 'cell') cells++
    const messages =
      item.kind === 'message'
        ? messageText(item, own, nextCall)
        : await cellText(item, own, { number: cells, nextCall, mask })
    if (messages.length > 0) pieces.push({ item: item.id, messages, chars: charsOf(messages) })
  }
  return pieces
}

const user = (text: string): PromptMessage => ({ role: 'user', content: [{ type: 'text', text }] })

/**
 * A call is known by its place in the request: providers refuse one in which two have the same id, and each answer counts
 * its calls anew.
 */
type NextCall = () => string

function messageText(item: Message, parts: readonly Part[], nextCall: NextCall): PromptMessage[] {
  if (item.author !== 'assistant') {
    const attached = parts.flatMap(part =>
      part.kind === 'attachment' ? [`Attached: ${part.file} (${part.bytes} bytes). It begins:\n${part.excerpt}`] : [],
    )
    const said = [item.text, ...attached].filter(text => text.trim() !== '')
    return said.length > 0 ? [user(said.join('\n\n'))] : []
  }
  const calls = parts.flatMap(part => (part.kind === 'call' ? [{ ...part, id: nextCall() }] : []))
  const said = item.text.trim() === '' ? [] : [{ type: 'text' as const, text: item.text }]
  if (calls.length === 0) return said.length > 0 ? [{ role: 'assistant', content: said }] : []
  return [
    {
      role: 'assistant',
      content: [
        ...said,
        ...calls.map(({ id, tool, input }) => ({
          type: 'tool-call' as const,
          toolCallId: id,
          toolName: toolNameOf(tool),
          input: inputOf(input),
        })),
      ],
    },
    {
      role: 'tool',
      content: calls.map(({ id, call, tool }) => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: toolNameOf(tool),
        output: outputOf(call, parts),
      })),
    },
  ]
}

/** Characters of a cell that a model is shown. */
const mostOfCell = 6000

interface CellPlace {
  /** Its number among the cells of the path. */
  readonly number: number
  readonly nextCall: NextCall
  readonly mask: Mask
}

async function cellText(
  cell: Cell,
  parts: readonly Part[],
  { number, nextCall, mask }: CellPlace,
): Promise<PromptMessage[]> {
  const call = parts.find(part => part.kind === 'call')
  if (!call) {
    if (cell.language === 'markdown' || cell.language === 'raw') return cell.text.trim() ? [user(cell.text)] : []
    if (!cell.text.trim()) return []
    const shown = cell.lastRun ? clip(await textOfRun(cell.lastRun, mask), 2000) : ''
    const ran = cell.lastRun ? `It printed:\n${shown || '(nothing)'}` : 'It has not been run.'
    const text = clip(await mask(cell.text), mostOfCell)
    return [user(`Cell ${number} of the notebook, ${cell.language}:\n${text}\n${ran}`)]
  }
  const made = inputOf(call.input)
  // The cell may have been changed since: by the analyst, or by the reviewer who approved it.
  const input = call.tool === 'run_code' ? { ...made, language: cell.language, code: cell.text } : made
  const result = parts.find(part => part.kind === 'result')
  const again = cell.lastRun?.run && result?.kind === 'result' && result.run !== cell.lastRun.run ? cell.lastRun : null
  const output = again
    ? textOutput(`It was run again later and printed:\n${clip(await textOfRun(again, mask))}`)
    : outputOf(call.call, parts)
  const named = { toolCallId: nextCall(), toolName: toolNameOf(call.tool) }
  return [
    { role: 'assistant', content: [{ type: 'tool-call', ...named, input }] },
    { role: 'tool', content: [{ type: 'tool-result', ...named, output }] },
  ]
}

type ToolMessage = Extract<PromptMessage, { role: 'tool' }>
type ToolResult = Extract<ToolMessage['content'][number], { type: 'tool-result' }>

function outputOf(call: string, parts: readonly Part[]): ToolResult['output'] {
  const found = parts.find(part => part.kind === 'result' && part.call === call)
  return found?.kind === 'result' ? textOutput(found.text, found.ok) : textOutput(notRun, false)
}

/** A call without a result would be refused by some providers and dropped in silence by others. */
const notRun = 'This has not run: it waits for a reviewer, or the application ended first.'

const textOutput = (value: string, ok = true): ToolResult['output'] =>
  ok ? { type: 'text', value } : { type: 'error-text', value }

/** Names that a provider would refuse in a request, where a model made one up. */
const toolNameOf = (tool: string): string => (/^[\w-]{1,64}$/.test(tool) ? tool : 'unknown_tool')

function inputOf(input: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(input)
    return value && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
  } catch {
    return { unreadable: input.slice(0, 1000) }
  }
}

const charsOf = (messages: readonly PromptMessage[]): number => JSON.stringify(messages).length

/** Characters a token has at least, over prose, code and JSON: a request is rather too short than too long. */
const charsPerToken = 3
export const tokensIn = (chars: number): number => Math.ceil(chars / charsPerToken)

/** Characters that a conversation may take of a window. */
export const roomIn = (windowTokens: number, outputTokens: number): number =>
  (windowTokens - Math.min(outputTokens, Math.floor(windowTokens / 3))) * charsPerToken

/** Where the end of a path begins that could fit: what stands before it need not be put into words to be left out. */
export function firstThatCouldFit(items: readonly Item[], question: ItemId, room: number): number {
  const from = items.findIndex(({ id }) => id === question)
  let first = from < 0 ? items.length : from
  for (let used = 0; first > 0; first--) {
    used += Math.min(items[first - 1]?.text.length ?? 0, mostOfCell)
    if (used > room) break
  }
  return first
}

export interface Fitted {
  readonly prompt: Prompt
  readonly leftOut: number
  readonly estimatedTokens: number
}

/** What a model is told, before it is fitted to its window. */
export interface Context {
  readonly system: string
  readonly pieces: readonly Piece[]
  /** Items before the pieces, which are too far back to fit. */
  readonly skipped: number
}

/**
 * Fits a conversation to a model's window. The instructions, the question and all that came after it always go; of what
 * was before, the newest as far as there is room. What is left out is counted, and the model is told. Null when even
 * what must go does not fit.
 */
export function fitToWindow(
  { system, pieces, skipped }: Context,
  question: ItemId,
  windowTokens: number,
  outputTokens: number,
): Fitted | null {
  const room = roomIn(windowTokens, outputTokens)
  const from = Math.max(
    0,
    pieces.findIndex(({ item }) => item === question),
  )
  let used = system.length + pieces.slice(from).reduce((sum, { chars }) => sum + chars, 0)
  if (used > room) return null
  let first = from
  while (first > 0 && used + (pieces[first - 1]?.chars ?? 0) <= room) used += pieces[--first]?.chars ?? 0
  const leftOut = skipped + first
  const note =
    leftOut > 0 ? [user(`(${leftOut} earlier items of this notebook are left out here: they do not fit.)`)] : []
  const told = pieces.slice(first).flatMap(({ messages: each }) => each)
  // Providers refuse a conversation that the model begins, such as one whose first question was removed.
  const begin = leftOut === 0 && told[0]?.role !== 'user' ? [user('(The notebook begins here.)')] : []
  const messages = [...note, ...begin, ...told]
  // A model that was cut off goes on from its own words; providers refuse a request that ends with them.
  const goOn = messages.at(-1)?.role === 'assistant' ? [user('Go on from where you stopped.')] : []
  return {
    prompt: [{ role: 'system', content: system }, ...joined([...messages, ...goOn])],
    leftOut,
    estimatedTokens: tokensIn(used),
  }
}

/** Providers want roles to take turns. */
function joined(messages: readonly PromptMessage[]): PromptMessage[] {
  const list: PromptMessage[] = []
  for (const message of messages) {
    const last = list.at(-1)
    if (last?.role === 'user' && message.role === 'user')
      list[list.length - 1] = { ...last, content: [...last.content, ...message.content] }
    else if (last?.role === 'assistant' && message.role === 'assistant')
      list[list.length - 1] = { ...last, content: [...last.content, ...message.content] }
    else list.push(message)
  }
  return list
}
