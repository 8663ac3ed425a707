import { flushCompileCache } from 'node:module'
import { parentPort } from 'node:worker_threads'
import { keepCompiledCode } from '../code-cache.ts'
import type { Language } from '../contract/run.ts'
import type { GuardOptions, inspectCode } from './inspect.ts'

/** What the guard asks of its worker, and what it hears back. */
export interface Question {
  readonly id: number
  readonly code: string
  readonly language: Language
  readonly options: GuardOptions
}
export type Answer =
  | { readonly id: number; readonly inspection: Awaited<ReturnType<typeof inspectCode>> }
  | { readonly id: number; readonly failure: string }

keepCompiledCode()
const inspecting = import('./inspect.ts')
let answered = false

parentPort?.on('message', async ({ id, code, language, options }: Question) => {
  let answer: Answer
  try {
    const guard = await inspecting
    answer = { id, inspection: await guard.inspectCode(code, language, options) }
  } catch (thrown) {
    answer = { id, failure: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }
  }
  parentPort?.postMessage(answer)
  // A thread that is ended from outside keeps nothing of what it compiled.
  if (!answered) flushCompileCache()
  answered = true
})
