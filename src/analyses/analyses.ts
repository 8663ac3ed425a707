import { join } from 'node:path'
import type {
  AnalysisEntry,
  AnalysisMark,
  AnalysisRequest,
  AnalysisRunRequest,
  AnalysisToolRequest,
  AnalysisView,
} from '../contract/analyses.ts'
import type { CellId } from '../contract/ids.ts'
import { fail, type Outcome, ok, type Problem } from '../contract/problem.ts'
import { maxCodeBytes } from '../contract/run.ts'
import type { RunView } from '../contract/runs.ts'
import type { Caller, Conversations } from '../conversations/conversations.ts'
import { resource } from '../places.ts'
import {
  type Answer,
  Batch,
  type BatchDeps,
  type BatchOptions,
  type Case,
  type CaseProgram,
  caseProgram,
} from './batch.ts'
import { type Catalogue, createCatalogue } from './catalogue.ts'
import { type ExampleResult, judge } from './examples.ts'
import { entryOf } from './load.ts'
import { prepare } from './prepare.ts'
import { programOf } from './program.ts'
import { recognise } from './recognise.ts'
import { type FoundAnalysis, searchCatalogue } from './search.ts'
import { type AnalysisCell, cellFor } from './tool.ts'

export type { Answer } from './batch.ts'
export type { ExampleResult } from './examples.ts'
export type { FoundAnalysis } from './search.ts'
export { textsOf } from './texts.ts'

/** Regulated calculations: versioned, dated, cited, tested with worked examples, run in a sandbox like any code. */
export interface Analyses {
  list(): Promise<{ entries: AnalysisEntry[]; problems: Problem[] }>
  show(id: string, version?: string): Promise<Outcome<AnalysisView>>
  /** Puts the analysis into a cell of the path and starts it there, like any code. */
  start(who: Caller, request: AnalysisRunRequest): Promise<Outcome<{ cell: CellId; run: RunView }>>
  /** The code of a cell for the tool `run_analysis`: of the catalogue, or of code with its parameters. */
  cellFor(request: AnalysisToolRequest): Promise<Outcome<AnalysisCell>>
  /** Entries of the catalogue that a question may be about, the closest first. */
  search(text: string): Promise<FoundAnalysis[]>
  /** The catalogue's program for the inputs of this one; null for code that no analysis made. */
  original(code: string): Promise<string | null>
  /** One request as a program that leaves its answer in a file. */
  programFor(request: AnalysisRequest): Promise<Outcome<CaseProgram>>
  /** Many requests, answered in order. One run for each analysis in a call. Close it when done. */
  batch(who: Caller, options?: BatchOptions): AnalysisBatch
  /** Runs worked examples in a sandbox and says which of them come out as they should. */
  check(who: Caller, ids?: readonly string[], signal?: AbortSignal): AsyncGenerator<CheckedAnalysis, void>
}

export interface AnalysisBatch {
  run(requests: readonly AnalysisRequest[]): Promise<Answer[]>
  close(): Promise<void>
}

export interface CheckedAnalysis {
  readonly analysis: string
  readonly version: string
  readonly results: readonly ExampleResult[]
  /** Why it could not be checked at all. */
  readonly problem: Problem | null
}

export interface AnalysesOptions extends BatchDeps {
  readonly catalogue: Catalogue
  readonly conversations: Pick<Conversations, 'insert'>
}

/** What ships, and the user's own in `analyses/` below the data folder. */
export const openCatalogue = (home: string): Catalogue =>
  createCatalogue({ shipped: resource('analyses'), own: join(home, 'analyses') })

/** What the record says of code that an analysis made; null for any other. */
export const markOf = async (catalogue: Catalogue, code: string): Promise<AnalysisMark | null> =>
  (await recognise(catalogue, code))?.mark ?? null

export function createAnalyses(deps: AnalysesOptions): Analyses {
  const { catalogue } = deps

  async function caseOf(request: AnalysisRequest): Promise<Outcome<Case>> {
    const found = await catalogue.get(request.analysis, request.version)
    if (!found.ok) return found
    const prepared = prepare(found.value, request)
    return prepared.ok ? ok({ analysis: found.value, prepared: prepared.value }) : prepared
  }

  function batch(who: Caller, options: BatchOptions = {}): AnalysisBatch {
    const runner = new Batch(deps, who, options)
    return {
      async run(requests) {
        const read: Outcome<Case>[] = []
        for (const request of requests) read.push(await caseOf(request))
        const cases = read.flatMap(each => (each.ok ? [each.value] : []))
        const answers = (await runner.run(cases)).values()
        return read.map(each => (each.ok ? (answers.next().value as Answer) : { error: each.problem }))
      },
      close: () => runner.close(),
    }
  }

  return {
    list: () => catalogue.list(),

    async show(id, version) {
      const found = await catalogue.get(id, version)
      if (!found.ok) return found
      const examples = found.value.examples()
      if (!examples.ok) return examples
      const { definition, parameters, code } = found.value
      return ok({
        entry: entryOf(found.value),
        definition,
        parameters,
        examples: [...examples.value],
        code,
        versions: await catalogue.versions(id),
      })
    },

    batch,

    async programFor(request) {
      const made = await caseOf(request)
      return made.ok ? ok(caseProgram(made.value)) : made
    },

    async start(who, { path, timeoutMs, ...request }) {
      const made = await caseOf(request)
      if (!made.ok) return made
      const text = programOf(made.value.prepared)
      if (Buffer.byteLength(text) > maxCodeBytes) {
        return fail(
          'request.too-large',
          'Code and inputs together are longer than 100 KB, which a cell can hold.',
          'Run it as a batch, or with a smaller column.',
        )
      }
      const inserted = await deps.conversations.insert(who, {
        path,
        items: [{ kind: 'cell', author: 'analyst', language: 'python', text }],
      })
      if (!inserted.ok) return inserted
      const [cell] = inserted.value
      if (cell?.kind !== 'cell') return fail('internal.bug', 'No cell was made.', 'Try again.')
      const asked = { path, cell: cell.id, revision: cell.revision, ...(timeoutMs ? { timeoutMs } : {}) }
      const started = await deps.runs.start(who, asked)
      return started.ok ? ok({ cell: cell.id, run: started.value.view }) : started
    },

    cellFor: request => cellFor(catalogue, request),
    search: text => searchCatalogue(catalogue, text),

    original: async code => (await recognise(catalogue, code))?.original ?? null,

    async *check(who, ids, signal) {
      const runner = batch(who, signal ? { signal } : {})
      try {
        for (const id of ids ?? (await catalogue.list()).entries.map(entry => entry.id)) {
          const found = await catalogue.get(id)
          const examples = found.ok ? found.value.examples() : found
          if (!found.ok || !examples.ok) {
            const problem = examples.ok ? null : examples.problem
            yield { analysis: id, version: '', results: [], problem }
            continue
          }
          const answers = await runner.run(examples.value.map(({ input }) => ({ analysis: id, inputs: input })))
          const results = examples.value.map((example, at) => judge(example, answers[at] as Answer))
          yield { analysis: id, version: found.value.definition.version, results, problem: null }
        }
      } finally {
        await runner.close()
      }
    },
  }
}
