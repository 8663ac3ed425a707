import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Contexts } from '../contexts/contexts.ts'
import type { PathRef } from '../contract/contexts.ts'
import { ConversationId, PathId } from '../contract/ids.ts'
import { type Outcome, type Problem, problem } from '../contract/problem.ts'
import type { RunView } from '../contract/runs.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { Ids } from '../ids.ts'
import type { Runs } from '../runs/runs.ts'
import type { WorkFolder } from '../sandbox/sandbox.ts'
import type { Analysis } from './load.ts'
import { about, batchProgramOf, type Prepared, tooLarge } from './program.ts'

/** One case of a batch that passed the checks of its inputs. */
export interface Case {
  readonly analysis: Analysis
  readonly prepared: Prepared
}

export type Answer = { readonly output: Record<string, unknown> } | { readonly error: Problem }

export interface BatchDeps {
  readonly runs: Pick<Runs, 'start'>
  readonly contexts: Pick<Contexts, 'files' | 'end'>
  readonly ids: Ids
}

export interface BatchOptions {
  readonly signal?: AbortSignal
  /** Decides about a run that waits for a reviewer; answers how it ended. */
  readonly settle?: (waiting: RunView, path: PathId) => Promise<RunView>
  /** A path whose own sandbox the cases run in, after what is under way there. */
  readonly within?: { readonly conversation: ConversationId; readonly path: PathId }
}

/** Cases of one file. More would make the wait for the first answer long, and the file large. */
const chunk = 20_000
const chunkBytes = 24 * 1024 * 1024
const timeoutMs = 600_000

const Line = z.union([
  z.object({ output: z.record(z.string(), z.unknown()) }),
  z.object({ refused: z.string() }),
  z.object({ failed: z.string() }),
])

/**
 * Runs many cases in one sandbox: one run, and one entry of the record, for each analysis in it. The sandbox is the
 * path's own, or one that opens with the first case and is kept until `close`.
 */
export class Batch {
  readonly #deps: BatchDeps
  readonly #who: Caller
  readonly #options: BatchOptions
  readonly #conversation: ConversationId
  readonly #names: { readonly cases: string; readonly results: string }
  #path: PathId
  #used = false
  #turn: Promise<unknown> = Promise.resolve()

  constructor(deps: BatchDeps, who: Caller, options: BatchOptions = {}) {
    this.#deps = deps
    this.#who = who
    this.#options = options
    const { within } = options
    this.#conversation = within?.conversation ?? deps.ids.make(ConversationId)
    this.#path = within?.path ?? deps.ids.make(PathId)
    // In the folder of a path a name of its own: the analyst may have a file called so, or a second batch under way.
    const name = within ? `analysis-${deps.ids.make(PathId)}` : 'analysis'
    this.#names = { cases: `${name}-cases.jsonl`, results: `${name}-results.jsonl` }
  }

  /** Answers in the order of the cases. One after the other: two at once would read each other's files. */
  run(cases: readonly Case[]): Promise<Answer[]> {
    const mine = this.#turn.then(() => this.#runAll(cases))
    this.#turn = mine.catch(() => undefined)
    return mine
  }

  async #runAll(cases: readonly Case[]): Promise<Answer[]> {
    const answers = new Array<Answer>(cases.length)
    const groups = new Map<string, number[]>()
    for (const [at, { prepared: p }] of cases.entries()) {
      const key = `${p.analysis} ${p.sha256} ${p.own ? p.code : ''}`
      const group = groups.get(key)
      if (group) group.push(at)
      else groups.set(key, [at])
    }
    for (const group of groups.values()) {
      let left = group
      while (left.length > 0) {
        const { part, text } = fileOf(left, cases)
        const found = await this.#runPart(part, text, cases)
        for (const [i, answer] of found.entries()) answers[part[i] ?? 0] = answer
        left = left.slice(found.length)
      }
    }
    return answers
  }

  /** The answers of the first cases of a part: all of them, or up to the one that ended the run. At least one. */
  async #runPart(part: readonly number[], text: string, cases: readonly Case[]): Promise<Answer[]> {
    const one = cases[part[0] ?? 0]
    if (!one || this.#options.signal?.aborted) return part.map(() => ({ error: cancelled }))
    const bytes = Buffer.from(text)
    const files = this.#deps.contexts.files(this.#ref, this.#who.user)
    this.#used = true
    try {
      // A package that is installed just now changes what was placed. Nothing has run yet, so it may be tried again.
      const first = await files.write(this.#names.cases, bytes)
      const isOther = !first.ok && first.problem.code === 'sandbox.mismatch'
      const written = isOther ? await files.write(this.#names.cases, bytes) : first
      if (!written.ok) return part.map(() => ({ error: written.problem }))
      const hash = createHash('sha256').update(bytes).digest('hex')
      const ended = await this.#start(batchProgramOf(one.prepared, { ...this.#names, count: part.length, hash }))
      if (!ended.ok) return part.map(() => ({ error: ended.problem }))
      const results = await readResults(files, this.#names.results)
      if (results === null) return part.map(() => ({ error: failed('It wrote more than can be read.') }))
      const lines = results.split('\n').slice(0, -1)
      const answers = lines.slice(0, part.length).map(answerOf)
      if (answers.length === part.length) return answers
      if (this.#options.signal?.aborted) return part.map((_, at) => answers[at] ?? { error: cancelled })
      return await this.#cutShort(answers, part, ended.value)
    } finally {
      await this.#prunePath(files)
    }
  }

  /** What is known of a part whose run ended early: the case that ended it has an error, the others run again. */
  async #cutShort(answers: Answer[], part: readonly number[], { outcome, problem: why }: RunView): Promise<Answer[]> {
    if (why) return part.map(() => ({ error: why }))
    const error = outcome?.error
    const isTooLarge = error?.kind === 'memory' || error?.name === 'MemoryError'
    const ended = isTooLarge ? refused(tooLarge) : failed(error?.message || 'The run ended too early.')
    // A kernel that was killed may have left its sandbox in any state. That of a path sees to it by itself.
    if (!this.#options.within) {
      await this.close()
      this.#path = this.#deps.ids.make(PathId)
    }
    return [...answers, { error: ended }]
  }

  /** The folder of a path is the analyst's: the record has the hash of the cases, and nobody needs the files again. */
  async #prunePath(files: WorkFolder): Promise<void> {
    if (!this.#options.within) return
    for (const name of Object.values(this.#names)) await files.remove(name)
  }

  async #start(code: string): Promise<Outcome<RunView>> {
    const { runs } = this.#deps
    const { signal, settle, within } = this.#options
    const place = within ? {} : { aside: { conversation: this.#conversation, path: this.#path } }
    const request = { path: this.#path, cell: null, language: 'python' as const, code, timeoutMs }
    const started = await runs.start(this.#who, request, { ...place, ...(signal ? { signal } : {}) })
    if (!started.ok) return started
    const view = await started.value.rest
    const over = view.state === 'waiting' && settle ? await settle(view, this.#path) : view
    if (over.state === 'waiting') return { ok: false, problem: waits }
    if (over.state === 'held') return { ok: false, problem: tooWeak(over.held.why) }
    return { ok: true, value: over }
  }

  get #ref(): PathRef {
    return { tenant: this.#who.tenant, conversation: this.#conversation, path: this.#path }
  }

  async close(): Promise<void> {
    if (!this.#used || this.#options.within) return
    this.#used = false
    await this.#deps.contexts.end(this.#ref, 'manual', this.#who.user)
  }
}

/** A case as a program, with the file of its inputs: for whoever runs it in a place of their own. */
export interface CaseProgram {
  readonly code: string
  readonly given: { readonly name: string; readonly bytes: Uint8Array }
  /** The file in which it leaves its answer. */
  readonly left: string
  answerIn(text: string): Answer
}

export function caseProgram(one: Case): CaseProgram {
  const [cases, left] = ['analysis-cases.jsonl', 'analysis-results.jsonl']
  const bytes = Buffer.from(fileOf([0], [one]).text)
  const hash = createHash('sha256').update(bytes).digest('hex')
  return {
    code: batchProgramOf(one.prepared, { cases, results: left, count: 1, hash }),
    given: { name: cases, bytes },
    left,
    answerIn: text => answerOf(text.split('\n')[0] ?? ''),
  }
}

/** As many of the cases as go into one file, and its text: what they share first, then one a line. */
function fileOf(left: readonly number[], cases: readonly Case[]): { part: number[]; text: string } {
  const shared: string[] = []
  const places = new Map<string, number>()
  const lines: string[] = []
  const part: number[] = []
  let size = 0
  for (const at of left.slice(0, chunk)) {
    const { prepared } = cases[at] as Case
    const common = JSON.stringify([prepared.parameters, about(prepared)])
    let place = places.get(common)
    if (place === undefined) {
      place = shared.length
      places.set(common, place)
      shared.push(common)
      size += common.length
    }
    const line = JSON.stringify({ inputs: prepared.inputs, shared: place })
    size += line.length
    if (part.length > 0 && size > chunkBytes) break
    part.push(at)
    lines.push(line)
  }
  return { part, text: `[${shared.join(',')}]\n${lines.join('\n')}\n` }
}

const pieceBytes = 4_000_000
/** Other code of the path may still be running, and may write to any file there. */
const mostResultBytes = 128_000_000

/** The text of a file in a working folder, as far as it is there; null when it is longer than answers can be. */
export async function readResults(files: Pick<WorkFolder, 'read'>, name: string): Promise<string | null> {
  const pieces: Uint8Array[] = []
  for (let offset = 0; offset <= mostResultBytes; offset += pieceBytes) {
    const piece = await files.read(name, { offset, length: pieceBytes })
    if (piece.ok) pieces.push(piece.value)
    if (!piece.ok || piece.value.length < pieceBytes) return Buffer.concat(pieces).toString('utf8')
  }
  return null
}

/** A line that the sandbox wrote is a claim like any other. */
function answerOf(line: string): Answer {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    value = undefined
  }
  const parsed = Line.safeParse(value)
  if (!parsed.success) return { error: failed('The answer of the calculation cannot be read.') }
  if ('output' in parsed.data) return { output: parsed.data.output }
  if ('refused' in parsed.data) return { error: refused(parsed.data.refused) }
  return { error: failed(parsed.data.failed) }
}

const refused = (message: string): Problem =>
  problem('analysis.refused', message, 'Change the inputs, or look at what the analysis covers.')
const failed = (message: string): Problem =>
  problem(
    'analysis.failed',
    `The calculation failed: ${message}`,
    'Its code has an error; the inputs may have brought it out.',
  )
const cancelled = problem('request.cancelled', 'The batch was cancelled.', 'Start it again to have the rest.')
const tooWeak = (why: string): Problem =>
  problem(
    'sandbox.too-weak',
    `The batch needs another sandbox than the path has: ${why}`,
    'Move the path to a stronger sandbox, or run the batch without an open path.',
  )
const waits = problem(
  'approval.undecided',
  'The policy wants this analysis approved before it runs.',
  'Approve it in the review queue, or give --approve in the terminal.',
)
