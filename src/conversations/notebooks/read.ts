import { maxTextChars } from '../../contract/conversations.ts'
import { fail, type Outcome, ok } from '../../contract/problem.ts'
import {
  cellIdPattern,
  isJsonMime,
  isObject,
  type Json,
  type JsonObject,
  maxCells,
  maxDepth,
  maxNotebookBytes,
  type Notebook,
  type NotebookCell,
  type NotebookOutput,
  others,
  RawCell,
  RawNotebook,
  RawOutput,
} from './format.ts'
import { upgradeOlder } from './older.ts'

/** Reads a notebook of formats 2 to 4. Makes ids where they are missing or not unique; changes nothing else. */
export function readNotebook(bytes: Uint8Array, makeId: () => string): Outcome<Notebook> {
  if (bytes.byteLength > maxNotebookBytes) return tooLarge(`has ${megabytes(bytes.byteLength)} MB`)
  const json = parse(bytes)
  if (!json.ok) return json
  if (!isObject(json.value)) return invalid('it is not a JSON object')
  const upgraded = json.value.nbformat === 2 || json.value.nbformat === 3 ? upgradeOlder(json.value) : json.value
  const raw = RawNotebook.safeParse(upgraded)
  if (!raw.success) return invalid(firstIssue(raw.error))
  const { nbformat, nbformat_minor, metadata, cells: rawCells } = raw.data
  if (nbformat !== 4) {
    return fail(
      'notebook.unsupported',
      `This notebook has format ${nbformat}; formats 2 to 4 can be read.`,
      'Save it from Jupyter in format 4 (`jupyter nbconvert --to notebook`), then open that.',
    )
  }
  if (rawCells.length > maxCells) return tooLarge(`has ${rawCells.length} cells`)
  const notices: string[] = []
  if (nbformat_minor > 5) notices.push(`The notebook has format 4.${nbformat_minor}; it was read as 4.5.`)
  const ids = new Set<string>()
  const cells: NotebookCell[] = []
  for (const [index, rawCell] of rawCells.entries()) {
    const cell = readCell(rawCell, makeId)
    if (typeof cell === 'string') return invalid(`cell ${index + 1}: ${cell}`)
    if (cell.source.length > maxTextChars)
      return tooLarge(`has a cell (number ${index + 1}) of over two million characters`)
    const repeated = ids.has(cell.id)
    if (repeated) notices.push(`Cell ${index + 1} had the id “${cell.id}” of an earlier cell and was given a new one.`)
    const kept = repeated ? { ...cell, id: makeId() } : cell
    ids.add(kept.id)
    cells.push(kept)
  }
  return ok({ metadata: metadata ?? {}, cells, notices })
}

/** A cell, or what is wrong with it. */
export function readCell(value: unknown, makeId: () => string): NotebookCell | string {
  if (!isObject(value)) return 'is not an object'
  const raw = RawCell.safeParse(value)
  if (!raw.success) return firstIssue(raw.error)
  const { id, cell_type, source, metadata, attachments, execution_count, outputs } = raw.data
  return {
    id: id && cellIdPattern.test(id) ? id : makeId(),
    type: cell_type,
    source,
    metadata: metadata ?? {},
    attachments: attachments ?? null,
    executionCount: execution_count ?? null,
    outputs: cell_type === 'code' ? (outputs ?? []).map(readOutput) : [],
    extra: others(value, [...Object.keys(RawCell.shape)]),
  }
}

/** An output in our words. One of an unknown kind is kept whole and shown as JSON. */
export function readOutput(value: JsonObject): NotebookOutput {
  const raw = RawOutput.safeParse(value)
  if (!raw.success) return { output: { type: 'display', data: { 'application/json': value } }, extra: { whole: true } }
  const output = raw.data
  switch (output.output_type) {
    case 'stream': {
      const name = output.name === 'stderr' ? 'stderr' : 'stdout'
      const known = ['output_type', 'text', ...(output.name === name ? ['name'] : [])]
      return { output: { type: 'stream', name, text: output.text }, extra: others(value, known) }
    }
    case 'error': {
      const { ename, evalue, traceback } = output
      const extra = others(value, ['output_type', 'ename', 'evalue', 'traceback'])
      return { output: { type: 'error', error: { kind: 'runtime', name: ename, message: evalue, traceback } }, extra }
    }
    case 'display_data':
    case 'execute_result': {
      const extra = others(value, ['output_type', 'data', 'metadata'])
      const type = output.output_type === 'execute_result' ? 'result' : 'display'
      const metadata = output.metadata && Object.keys(output.metadata).length > 0 ? { metadata: output.metadata } : {}
      return { output: { type, data: joinLines(output.data), ...metadata }, extra }
    }
  }
}

function joinLines(data: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([type, value]) => {
      const lines = Array.isArray(value) && value.every(line => typeof line === 'string')
      return [type, lines && !isJsonMime(type) ? value.join('') : value]
    }),
  )
}

function parse(bytes: Uint8Array): Outcome<Json> {
  if (tooDeep(bytes)) return invalid(`it is nested more than ${maxDepth} levels deep`)
  try {
    // A byte order mark, which some editors leave, goes; bytes that are not text are an error, not question marks.
    return ok(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not complete JSON' : 'it is not text in UTF-8'
    return fail(
      'notebook.unreadable',
      `This file cannot be read as a notebook: ${reason}.`,
      'Check that it is a whole .ipynb file, for instance by opening it in Jupyter. Nothing was changed.',
    )
  }
}

/** Counts brackets outside of strings, before anything recursive sees the file. */
function tooDeep(bytes: Uint8Array): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (inString) {
      if (byte === 0x5c) at++
      else if (byte === 0x22) inString = false
    } else if (byte === 0x22) inString = true
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > maxDepth) return true
    } else if (byte === 0x5d || byte === 0x7d) depth--
  }
  return false
}

const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0)

const tooLarge = (what: string) =>
  fail(
    'notebook.too-large',
    `This notebook is too large to open: it ${what}.`,
    `Up to ${megabytes(maxNotebookBytes)} MB and ${maxCells} cells can be opened; clear large outputs in the tool that made it, then try again.`,
  )

const invalid = (what: string) =>
  fail(
    'notebook.invalid',
    `This file is not a valid notebook: ${what}.`,
    'Open it in the tool that made it and save it again. Nothing was changed.',
  )

function firstIssue(error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] }): string {
  const issue = error.issues[0]
  const place = issue?.path.map(String).join('.')
  const message = issue?.message ?? 'it does not follow the format'
  return place ? `${place}: ${message}` : message
}
