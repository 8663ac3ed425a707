import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../clock.ts'
import type { Finding, NamesStatus } from '../../contract/privacy.ts'
import { workerFile } from '../../places.ts'
import { type NamesAnswer, NamesAnswerSchema, type NamesRequest } from './protocol.ts'

/**
 * A second signal for names, places and organisations: a token-classification model from a folder that the user chose,
 * in a thread of its own. It is never the guarantee: what it does not answer in time is left to the rules.
 */
export interface NamesModel {
  /** Loads the model in a folder, or puts the current one away (`''`). Nothing is ever downloaded. */
  use(folder: string): void
  /** Looks at texts and remembers what it found; gives up at the end of the budget. */
  look(texts: readonly string[]): Promise<void>
  /** What was found in a text that was looked at, with at least this score. */
  known(text: string, least: number): readonly Finding[]
  status(): NamesStatus
  close(): Promise<void>
}

export interface NamesModelOptions {
  readonly clock: Clock
  /** Longest wait for an answer, in milliseconds. */
  readonly budgetMs?: number
}

/** Texts whose answers are remembered, and the longest text that the model is asked about. */
const mostRemembered = 256
const longestText = 100_000
const noModel: NamesStatus = {
  state: 'off',
  detail: 'No model for names is set, so names are found by rules alone. Choose a model folder in the settings.',
}

export function createNamesModel({ clock, budgetMs = 2000 }: NamesModelOptions): NamesModel {
  const answers = new Map<string, readonly Finding[]>()
  const waiting = new Map<number, (answer: NamesAnswer | null) => void>()
  let status: NamesStatus = noModel
  let folder = ''
  let worker: Worker | null = null
  let next = 0

  const stop = async (): Promise<void> => {
    const ending = worker
    worker = null
    answers.clear()
    for (const settle of waiting.values()) settle(null)
    waiting.clear()
    await ending?.terminate()
  }
  const failed = (detail: string): void => {
    status = { state: 'failed', detail }
    void stop()
  }
  const start = (): void => {
    const missing = whatIsMissing(folder)
    if (missing) {
      status = { state: 'off', detail: missing }
      return
    }
    status = { state: 'loading', detail: `Loading the model in ${folder}.` }
    const started = new Worker(workerFile('names'), { workerData: { folder }, stdout: true, stderr: true })
    // A model that is loading or idle does not keep the application from ending.
    started.unref()
    started.on('message', message => {
      if (started === worker) take(NamesAnswerSchema.parse(message))
    })
    started.on('error', error => {
      if (started === worker) failed(`The model in ${folder} cannot be used: ${error.message}`)
    })
    worker = started
  }
  const take = (answer: NamesAnswer): void => {
    if (answer.type === 'ready') status = { state: 'ready', detail: `Names are also found by the model in ${folder}.` }
    else if (answer.type === 'failed') failed(`The model in ${folder} cannot be used: ${answer.message}`)
    else waiting.get(answer.id)?.(answer)
  }

  return {
    use(chosen) {
      if (chosen === folder) return
      folder = chosen
      void stop()
      status = noModel
      if (folder !== '') start()
    },
    async look(texts) {
      const wanted = [...new Set(texts)].filter(text => text.length > 2 && text.length <= longestText)
      const asked = wanted.filter(text => !answers.has(text))
      for (const text of wanted) {
        // To the end of the line: what belongs to this question is forgotten last.
        const known = answers.get(text)
        if (known && answers.delete(text)) answers.set(text, known)
      }
      if (!worker || asked.length === 0) return
      const id = next++
      const answer = await new Promise<NamesAnswer | null>(settle => {
        const cancel = clock.after(budgetMs, () => settle(null))
        waiting.set(id, received => {
          cancel()
          settle(received)
        })
        const request: NamesRequest = { type: 'look', id, texts: asked }
        worker?.postMessage(request)
      })
      waiting.delete(id)
      if (answer?.type !== 'found') return
      for (const [at, text] of asked.entries()) answers.set(text, answer.findings[at] ?? [])
      for (const oldest of answers.keys()) {
        // Never less than was asked for at once: of a long list of texts the first would be forgotten before it is used.
        if (answers.size <= Math.max(mostRemembered, wanted.length)) break
        answers.delete(oldest)
      }
    },
    known: (text, least) => (answers.get(text) ?? []).filter(({ score }) => score >= least),
    status: () => status,
    close: stop,
  }
}

function whatIsMissing(folder: string): string | null {
  if (!existsSync(folder)) return `The folder ${folder} is not there, so names are found by rules alone.`
  const missing = ['config.json', 'tokenizer.json'].filter(name => !existsSync(join(folder, name)))
  const models = ['model.onnx', 'model_quantized.onnx', 'onnx/model.onnx', 'onnx/model_quantized.onnx']
  if (!models.some(name => existsSync(join(folder, name)))) missing.push('onnx/model.onnx')
  return missing.length > 0
    ? `The folder ${folder} has no ${missing.join(', ')}, so names are found by rules alone.`
    : null
}
