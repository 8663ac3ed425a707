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
import { about, batchProgramOf, type Prepared } from './program.ts'

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
  readonly conversation?: ConversationId
}

/** Cases of one file. More would make the wait for the first answer long, and the file large. */
const chunk = 20_000
const chunkBytes = 24 * 1024 * 1024
const timeoutMs = 600_000
const names = { cases: 'analysis-cases.jsonl', results: 'analysis-results.jsonl' }

const Line = z.union([
  z.object({ output: z.record(z.string(), z.unknown()) }),
  z.object({ refused: z.string() }),
  z.object({ failed: z.string() }),
])

/**
 * Runs many cases in one sandbox beside the conversation: one run, and one entry of the record, for each analysis in
 * it. Opens the sandbox with the first case and keeps it until `close`.
 */
export class Batch {
  readonly #deps: BatchDeps
  readonly #who: Caller
  readonly #options: BatchOptions
  readonly #conversation: ConversationId
  #path: PathId
  #used = false

  constructor(deps: BatchDeps, who: Caller, options: BatchOptions = {}) {
    this.#deps = deps
    this.#who = who
    this.#options = options
    this.#conversation = options.conversation ?? deps.ids.make(ConversationId)
    this.#path = deps.ids.make(PathId)
  }

  /** Answers in the order of the cases. */
  async run(cases: readonly Case[]): Promise<Answer[]> {
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
    const first = cases[part[0] ?? 0]
    if (!first || this.#options.signal?.aborted) return part.map(() => ({ error: cancelled }))
    const bytes = Buffer.from(text)
    const files = this.#deps.contexts.files(this.#ref, this.#who.user)
    this.#used = true
    const written = await files.write(names.cases, bytes)
    if (!written.ok) return part.map(() => ({ error: written.problem }))
    const hash = createHash('sha256').update(bytes).digest('hex')
    const ended = await this.#start(batchProgramOf(first.prepared, { ...names, count: part.length, hash }))
    if (!ended.ok) return part.map(() => ({ error: ended.problem }))
    const lines = (await readAll(files, names.results)).split('\n').slice(0, -1)
    const answers = lines.slice(0, part.length).map(answerOf)
    if (answers.length < part.length) {
      const { outcome, problem: why } = ended.value
      if (why) return part.map(() => ({ error: why }))
      answers.push({ error: failed(outcome?.error?.message ?? 'The run ended before this case was done.') })
      // A kernel that was killed may have left its sandbox in any state.
      await this.close()
      this.#path = this.#deps.ids.make(PathId)
    }
    return answers
  }

  async #start(code: string): Promise<Outcome<RunView>> {
    const { runs } = this.#deps
    const { signal, settle } = this.#options
    const aside = { conversation: this.#conversation, path: this.#path }
    const request = { path: this.#path, cell: null, language: 'python' as const, code, timeoutMs }
    const started = await runs.start(this.#who, request, { aside, ...(signal ? { signal } : {}) })
    if (!started.ok) return started
    const view = await started.value.rest
    const over = view.state === 'waiting' && settle ? await settle(view, this.#path) : view
    if (over.state === 'waiting') return { ok: false, problem: waits }
    return { ok: true, value: over }
  }

  get #ref(): PathRef {
    return { tenant: this.#who.tenant, conversation: this.#conversation, path: this.#path }
  }

  async close(): Promise<void> {
    if (!this.#used) return
    this.#used = false
    await this.#deps.contexts.end(this.#ref, 'manual', this.#who.user)
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

async function readAll(files: WorkFolder, name: string): Promise<string> {
  const pieces: Uint8Array[] = []
  for (let offset = 0; ; offset += pieceBytes) {
    const piece = await files.read(name, { offset, length: pieceBytes })
    if (!piece.ok) break
    pieces.push(piece.value)
    if (piece.value.length < pieceBytes) break
  }
  return Buffer.concat(pieces).toString('utf8')
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
  if ('refused' in parsed.data) {
    return {
      error: problem(
        'analysis.refused',
        parsed.data.refused,
        'Change the inputs, or look at what the analysis covers.',
      ),
    }
  }
  return { error: failed(parsed.data.failed) }
}

const failed = (message: string): Problem =>
  problem(
    'analysis.failed',
    `The calculation failed: ${message}`,
    'Its code has an error; the inputs may have brought it out.',
  )
const cancelled = problem('request.cancelled', 'The batch was cancelled.', 'Start it again to have the rest.')
const waits = problem(
  'approval.undecided',
  'The policy wants this analysis approved before it runs.',
  'Approve it in the review queue, or give --approve in the terminal.',
)
