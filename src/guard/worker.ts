import { flushCompileCache } from 'node:module'
import { parentPort } from 'node:worker_threads'
import { keepCompiledCode } from '../code-cache.ts'
import type { Language } from '../contract/run.ts'
import type { Dependencies } from './dependencies.ts'
import type { inspectCode } from './inspect.ts'

/** What the guard asks of its worker, and what it hears back. */
export interface Question {
  readonly id: number
  readonly code: string
  readonly language: Language
  /** The interpreter that would run the code, to be asked whether it takes it. */
  readonly python: string | null
  /** What a cell takes from others is asked, and not what it would do. */
  readonly dependencies?: boolean
}
export type Answer =
  | { readonly id: number; readonly inspection: Awaited<ReturnType<typeof inspectCode>> }
  | { readonly id: number; readonly dependencies: Dependencies }
  | { readonly id: number; readonly failure: string }

keepCompiledCode()
const inspecting = import('./inspect.ts')
void inspecting.then(() => parentPort?.postMessage('ready')).catch(() => undefined)
let answered = false
let answering = Promise.resolve()

// One after the other, also where one waits for a grammar: whoever asks takes the first for the one that takes so long.
parentPort?.on('message', (question: Question) => {
  answering = answering.then(() => answer(question))
})

async function answer({ id, code, language, python, dependencies }: Question): Promise<void> {
  let said: Answer
  try {
    const guard = await inspecting
    said = dependencies
      ? { id, dependencies: await guard.dependenciesIn(code, language) }
      : { id, inspection: await guard.inspectCode(code, language, python) }
  } catch (thrown) {
    said = { id, failure: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }
  }
  parentPort?.postMessage(said)
  // A thread that is ended from outside keeps nothing of what it compiled.
  if (!answered) flushCompileCache()
  answered = true
}
