import { join } from 'node:path'
import type { AnalysisEntry, AnalysisRequest, AnalysisView } from '../contract/analyses.ts'
import { type Outcome, ok, type Problem } from '../contract/problem.ts'
import type { Caller } from '../conversations/conversations.ts'
import { resource } from '../places.ts'
import { type Answer, Batch, type BatchDeps, type BatchOptions, type Case } from './batch.ts'
import { createCatalogue } from './catalogue.ts'
import { type ExampleResult, judge } from './examples.ts'
import { entryOf } from './load.ts'
import { prepare } from './prepare.ts'

export type { Answer } from './batch.ts'
export type { ExampleResult } from './examples.ts'

/** Regulated calculations: versioned, dated, cited, tested with worked examples, run in a sandbox like any code. */
export interface Analyses {
  list(): Promise<{ entries: AnalysisEntry[]; problems: Problem[] }>
  show(id: string, version?: string): Promise<Outcome<AnalysisView>>
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
  /** The data folder; the user's own analyses lie in `analyses/` below it. */
  readonly home: string
}

export function createAnalyses(deps: AnalysesOptions): Analyses {
  const catalogue = createCatalogue({ shipped: resource('analyses'), own: join(deps.home, 'analyses') })

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
