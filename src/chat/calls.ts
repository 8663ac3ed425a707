import { createHash } from 'node:crypto'
import { AnalysisFormat, AnalysisToolRequest } from '../contract/analyses.ts'
import type { Part, ToolName } from '../contract/chat.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { Cell, NewItem } from '../contract/conversations.ts'
import type { RunView } from '../contract/runs.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { TextPart } from '../privacy/privacy.ts'
import { resultOfAnalysis } from './analysis-result.ts'
import type { Desk } from './desk.ts'
import { clip, maskedBeginning, resultOfRun } from './results.ts'
import type { ToolCall } from './tools.ts'

export type CallPart = Extract<Part, { kind: 'call' }>
export type ResultPart = Extract<Part, { kind: 'result' }>

/** Tools that become a cell: what they run is inspected, decided and recorded like any other code. */
const cellTools: readonly ToolName[] = ['run_code', 'run_analysis']
export const makesCell = (tool: string): boolean => cellTools.includes(tool as ToolName)

/** The cell that a call asks for, or what to tell the model instead. */
export async function cellOf(
  desk: Desk,
  { conversation }: PathRef,
  call: ToolCall,
): Promise<Extract<NewItem, { kind: 'cell' }> | string> {
  if (call.tool === 'run_code') {
    const language = call.input.language === 'sh' ? 'bash' : call.input.language
    // Before it is checked and approved: an index that looks like a token would be a name that no program knows.
    const text = await desk.privacy.withLookAlikes(conversation, call.input.code)
    return { kind: 'cell', author: 'assistant', language, text }
  }
  if (call.tool !== 'run_analysis') return 'This tool makes no cell.'
  const { output_format: _, ...asked } = call.input
  const request = AnalysisToolRequest.safeParse(asked)
  if (!request.success) return 'The parameters are not JSON.'
  const made = await desk.analyses.cellFor(request.data)
  if (!made.ok) return `${made.problem.message} ${made.problem.hint}`
  return { kind: 'cell', author: 'assistant', language: made.value.language, text: made.value.code }
}

export interface RunCall {
  readonly who: Caller
  readonly ref: PathRef
  readonly cell: Cell
  readonly call: CallPart
  readonly signal: AbortSignal
  /** What was refused in this answer already, by hash. */
  readonly refused: ReadonlyMap<string, string>
}

export const codeHash = (language: string, code: string): string =>
  createHash('sha256').update(`${language}\n${code}`).digest('hex')

/** Runs the cell of a call to where it comes to rest: finished, refused, failed or waiting for a reviewer. */
export async function runCell(
  desk: Desk,
  { who, ref, cell, call, signal, refused }: RunCall,
): Promise<RunView | string> {
  const before = refused.get(codeHash(cell.language, cell.text))
  if (before !== undefined)
    return `The same code was denied before in this answer, so nobody was asked again. ${before}`
  const timeout = timeoutOf(call.input)
  const started = await desk.runs.start(
    who,
    {
      path: ref.path,
      cell: cell.id,
      revision: cell.revision,
      ...(timeout ? { timeoutMs: timeout } : {}),
    },
    { signal },
  )
  if (!started.ok) return `${started.problem.message} ${started.problem.hint}`
  return started.value.rest
}

function timeoutOf(input: string): number | null {
  try {
    const seconds = (JSON.parse(input) as { timeout_seconds?: unknown }).timeout_seconds
    return typeof seconds === 'number' && seconds >= 1 && seconds <= 600 ? Math.round(seconds * 1000) : null
  } catch {
    return null
  }
}

export async function resultOf(desk: Desk, ref: PathRef, call: CallPart, view: RunView): Promise<ResultPart> {
  const mask = (text: string) => desk.privacy.forRecord(ref.conversation, text)
  const { ok, text } =
    call.tool === 'run_analysis'
      ? await resultOfAnalysis(view, formatOf(call.input), mask)
      : await resultOfRun(view, mask)
  return { kind: 'result', call: call.call, ok, text, run: view.run }
}

function formatOf(input: string): AnalysisFormat {
  try {
    return AnalysisFormat.catch('json').parse((JSON.parse(input) as { output_format?: unknown }).output_format)
  } catch {
    return 'json'
  }
}

/** The tools that only look. What they see goes the way of all that leaves: through the egress guard. */
export async function look(
  desk: Desk,
  who: Caller,
  ref: PathRef,
  call: ToolCall,
): Promise<{ ok: boolean; text: string }> {
  const { ok, text, isMasked } = await lookRaw(desk, who, ref, call)
  return { ok, text: clip(isMasked ? text : await desk.privacy.forRecord(ref.conversation, text), 16_000) }
}

interface Seen {
  readonly ok: boolean
  readonly text: string
  /** It was looked at as a whole, of which this is a piece. */
  readonly isMasked?: boolean
}

async function lookRaw(desk: Desk, who: Caller, ref: PathRef, call: ToolCall): Promise<Seen> {
  const said = (text: string) => ({ ok: true, text })
  const no = ({ message, hint }: { message: string; hint: string }) => ({ ok: false, text: `${message} ${hint}` })
  // A file can have a person in its name, which the model knows by a token.
  const named = (path: string) => desk.privacy.restore(ref.conversation, path)
  switch (call.tool) {
    case 'list_files': {
      const files = await desk.contexts.files(ref, who.user).list(await named(call.input.folder ?? ''))
      if (!files.ok) return no(files.problem)
      const lines = files.value
        .slice(0, 500)
        .map(({ path, kind, bytes }) => (kind === 'file' ? `${path}\t${bytes} bytes` : `${path}/`))
      return said(lines.join('\n') || 'The folder is empty.')
    }
    case 'read_file': {
      const { path, offset = 0, length = 4000 } = call.input
      const read = await desk.contexts
        .files(ref, who.user)
        .read(await named(path), { offset: 0, length: mostReadBytes })
      if (!read.ok) return no(read.problem)
      const text = Buffer.from(read.value).toString('utf8')
      if (text.includes('\0')) return { ok: false, text: 'This is not a text file. Read it with a program.' }
      const part = wholeLines(text, offset, length)
      const mask = (each: string) => desk.privacy.forRecord(ref.conversation, each, part)
      const isCut = read.value.length === mostReadBytes && part.end === text.length
      const masked = await (isCut ? maskedBeginning(text, mask) : mask(text))
      return { ok: true, text: masked || '(nothing here)', isMasked: true }
    }
    case 'inspect_variable': {
      const { name, language = 'python' } = call.input
      const variables = await desk.contexts.variables(ref, language)
      if (!variables.ok) return no(variables.problem)
      const found = variables.value.find(each => each.name === name)
      if (!found)
        return {
          ok: false,
          text: `There is no variable ${name}. There are: ${variables.value.map(each => each.name).join(', ')}`,
        }
      const head = `${found.type}${found.shape ? `, ${found.shape}` : ''}`
      if (!found.table) return said(`${head}\n${withoutCutEnd(found.preview)}`)
      const table = await desk.contexts.table(ref, language, name, 0)
      if (!table.ok) return said(`${head}\n${withoutCutEnd(found.preview)}`)
      const columns = JSON.parse(table.value.cells) as unknown[][]
      const names = table.value.fields.map(field => field.name)
      const rows = Array.from({ length: Math.min(rowsShown, columns[0]?.length ?? 0) }, (_, at) =>
        columns.map(column => JSON.stringify(column[at] ?? null)).join(', '),
      )
      return said([head, `${table.value.rows} rows`, names.join(', '), ...rows].join('\n'))
    }
    default:
      return { ok: false, text: 'This tool cannot be used here.' }
  }
}

const mostReadBytes = 1_000_000
const rowsShown = 20

/** Whole lines, however long: a value that is cut in half is one that nobody recognises. What is too long is cut later. */
function wholeLines(text: string, offset: number, length: number): TextPart {
  const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
  const end = text.indexOf('\n', offset + length)
  return { start, end: end < 0 ? text.length : end }
}

/** A preview that was cut ends in an ellipsis; before it may stand half of something private, of more words than one. */
const withoutCutEnd = (preview: string): string => preview.replace(/[^,;\n[\](){}]*(?:…|\.\.\.)['"]?\s*$/, '…')
