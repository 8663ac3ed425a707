import { readFile, writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Cell } from '../../../contract/conversations.ts'
import type { PathId } from '../../../contract/ids.ts'
import type { Problem } from '../../../contract/problem.ts'
import { Language, type Output } from '../../../contract/run.ts'
import type { RunView } from '../../../contract/runs.ts'
import type { Shown } from '../../../contract/shown.ts'
import type { Engine } from '../../../engine/engine.ts'
import { type Arguments, exit, type Io, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'
import { follow, settle } from './run.ts'

/** What each run of a cell is given. */
interface Given {
  readonly timeoutMs: number | undefined
  readonly network: string[]
  readonly print: (shown: Shown) => void
}

/**
 * What became of a cell; `skipped` when it is empty, no code, or in a language that does not run here, `not-run` when one
 * before it did not succeed.
 */
interface CellResult {
  readonly cell: number
  readonly language: string
  readonly state: 'finished' | 'refused' | 'failed' | 'skipped' | 'not-run'
  readonly success: boolean
  readonly error: { name: string; message: string } | null
  readonly outputs: readonly Output[]
  readonly executionTimeMs: number
}

type Ended = Omit<CellResult, 'cell' | 'language'>

/** Runs the cells of a notebook in order in one sandbox, as a conversation of its own, up to the first that does not succeed. */
export async function runNotebook(file: string, given: Given, values: Arguments['values'], io: Io): Promise<number> {
  const bytes = await bytesOf(file)
  const beside = await Promise.all(
    ((values.with as string[] | undefined) ?? []).map(async name => ({
      name: basename(name),
      bytes: await bytesOf(resolve(io.cwd, name)),
    })),
  )
  return withEngine(io, async engine => {
    const { caller, conversations } = engine
    const imported = await conversations.importNotebook(caller, { name: basename(file), bytes })
    if (!imported.ok) return refuse(io, imported.problem, exit.usage)
    const { main: path, id: conversation } = imported.value.conversation
    const unwritten = await giveFiles(engine, path, beside)
    if (unwritten) return refuse(io, unwritten, exit.failed)
    const results: CellResult[] = []
    let isStopped = false
    for (const [index, cell] of (await cellsOf(engine, path)).entries()) {
      if (io.signal.aborted) break
      const end: Ended =
        isStopped && isCode(cell) ? ended('not-run', null) : await runCell(engine, path, cell, given, values, io)
      const result = { cell: index, language: cell.language, ...end }
      results.push(result)
      isStopped ||= !values['keep-going'] && end.state !== 'skipped' && !end.success
      if (!values.json) say(io, result)
    }
    await engine.contexts.end({ tenant: caller.tenant, conversation, path }, 'manual', caller.user)
    const written = await write(engine, path, values.out as string | undefined, io)
    if (written) return refuse(io, written, exit.failed)
    const ran = results.filter(({ state }) => state !== 'skipped' && state !== 'not-run')
    const notRun = results.filter(({ state }) => state === 'not-run').length
    const success = ran.every(result => result.success) && !io.signal.aborted
    if (values.json) io.stdout.write(`${JSON.stringify({ success, notebook: file, conversation, cells: results })}\n`)
    else
      io.stderr.write(
        `${ran.filter(result => result.success).length} of ${ran.length} cells ran without an error.${left(notRun)}\n`,
      )
    if (success) return exit.success
    return ran.some(({ state }) => state === 'finished') ? exit.failed : exit.refused
  })
}

const bytesOf = (file: string): Promise<Buffer> =>
  readFile(file).catch(error => {
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : error}`)
  })

/** Puts files into the working folder of the path, as a person does on the page: each is on the record. */
async function giveFiles(
  { files, caller }: Engine,
  path: PathId,
  given: readonly { readonly name: string; readonly bytes: Buffer }[],
): Promise<Problem | null> {
  const folder = await files(caller, path)
  if (!folder.ok) return folder.problem
  for (const { name, bytes } of given) {
    const written = await folder.value.write(name, bytes)
    if (!written.ok) return written.problem
  }
  return null
}

/** All cells of the path, those that hold no code too: their places are those in the file. */
async function cellsOf({ conversations, caller }: Engine, path: PathId): Promise<Cell[]> {
  const cells: Cell[] = []
  for (let cursor = undefined as Parameters<typeof conversations.open>[1]['cursor']; ; ) {
    const opened = await conversations.open(caller, { path, ...(cursor ? { cursor } : {}) })
    if (!opened.ok) throw new Error(opened.problem.message)
    cells.push(...opened.value.items.filter(item => item.kind === 'cell'))
    if (!opened.value.next) return cells
    cursor = opened.value.next
  }
}

const isCode = (cell: Cell) => Language.safeParse(cell.language).success && cell.text.trim() !== ''

const left = (cells: number) =>
  cells === 0
    ? ''
    : ` ${cells === 1 ? '1 cell below was' : `${cells} cells below were`} not run; --keep-going runs them.`

async function runCell(
  engine: Engine,
  path: PathId,
  cell: Cell,
  { timeoutMs, network, print }: Given,
  values: Arguments['values'],
  io: Io,
): Promise<Ended> {
  if (!isCode(cell)) return ended('skipped', null)
  const request = { path, cell: cell.id, revision: cell.revision, network, ...(timeoutMs ? { timeoutMs } : {}) }
  const run = follow(engine, path, values.json ? () => undefined : print)
  try {
    const started = await engine.runs.start(engine.caller, request, { signal: io.signal })
    if (!started.ok) return ended('refused', started.problem)
    const waits = await started.value.rest
    const refusal = waits.state === 'waiting' ? await settle(engine, waits, io, values) : null
    return refusal ? ended('refused', refusal) : resultOf(await run.over)
  } finally {
    run.stop()
  }
}

function resultOf({ outcome, problem, state }: RunView): Ended {
  if (!outcome) return ended(state === 'refused' ? 'refused' : 'failed', problem)
  const { success, error, outputs, executionTimeMs } = outcome
  return {
    state: 'finished',
    success,
    error: error ? { name: error.name, message: error.message } : null,
    outputs,
    executionTimeMs,
  }
}

const ended = (state: CellResult['state'], problem: Problem | null) => ({
  state,
  success: false,
  error: problem && { name: problem.code, message: `${problem.message} ${problem.hint}` },
  outputs: [],
  executionTimeMs: 0,
})

function say(io: Io, { cell, state, success, error }: CellResult): void {
  if (state === 'skipped' || state === 'not-run' || success) return
  io.stderr.write(`Cell ${cell + 1}: ${error ? `${error.name}: ${error.message}` : state}\n`)
}

async function write(engine: Engine, path: PathId, out: string | undefined, io: Io): Promise<Problem | null> {
  if (out === undefined) return null
  const exported = await engine.conversations.export(engine.caller, { path, format: 'ipynb', branches: false })
  if (!exported.ok) return exported.problem
  const file = resolve(io.cwd, out)
  try {
    await writeFile(file, exported.value.text)
    return null
  } catch (error) {
    return {
      code: 'request.invalid',
      message: `${file} could not be written: ${error instanceof Error ? error.message : error}`,
      hint: 'Name a file in a folder that you may write to.',
    }
  }
}

function refuse(io: Io, { message, hint }: Problem, code: number): number {
  io.stderr.write(`countersign run: ${message}\n${hint}\n`)
  return code
}
