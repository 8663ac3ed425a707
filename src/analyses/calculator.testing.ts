import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnalysisRequest } from '../contract/analyses.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
import type { Answer } from './analyses.ts'

/** An engine whose analyses run in one real sandbox until it is closed. */
export interface Calculator {
  readonly engine: Engine
  answers(requests: readonly AnalysisRequest[]): Promise<Answer[]>
  /** Answers that none may be refused for. */
  outputs(requests: readonly AnalysisRequest[]): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

export async function openCalculator(): Promise<Calculator> {
  const home = mkdtempSync(join(tmpdir(), 'countersign-analyses-'))
  const engine = await openEngine({ home, env: {}, pool: 0 })
  const batch = engine.analyses.batch(engine.caller)
  const answers: Calculator['answers'] = requests => batch.run(requests)
  return {
    engine,
    answers,
    async outputs(requests) {
      return (await answers(requests)).map((answer, at) => {
        if ('error' in answer) throw new Error(`${JSON.stringify(requests[at])}: ${answer.error.message}`)
        return answer.output
      })
    },
    async close() {
      await batch.close()
      await engine.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
