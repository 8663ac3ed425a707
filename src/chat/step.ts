import type { Clock } from '../clock.ts'
import type { LivePart } from '../contract/chat.ts'
import { type Problem, problem } from '../contract/problem.ts'
import type { RestoringStream } from '../privacy/privacy.ts'
import { FieldReader } from './arguments.ts'
import { explain, type Retry, retryOf } from './failures.ts'
import type { CallOptions, LanguageModel, StreamPart } from './language-model.ts'

export interface ModelCall {
  readonly tool: string
  /** JSON, as the model wrote it. */
  readonly input: string
}

/** What one request to a model brought, to its end or to where it was cut. Tokens are still tokens. */
export interface Step {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly ModelCall[]
  /** Tool calls whose arguments were cut: shown, never run. */
  readonly unfinished: readonly ModelCall[]
  /** Why the model ended; null when the stream did not come to its end. */
  readonly finish: string | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly version: string | null
  readonly firstTokenMs: number | null
  readonly problem: Problem | null
  /** Asking again may help: nothing had come. */
  readonly retry: Retry | null
}

export interface StepOptions {
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Silence longer than this counts as the end. */
  readonly waitMs: number
  /** Puts values back for the screen; one a part. */
  readonly restoring: () => RestoringStream
  /** Told what is new on the screen: the part by its place, and what to add to it. */
  readonly show: (at: number, part: LivePart) => void
  /** Told after each part that there is more to keep, should the application end now. */
  readonly keep?: (snapshot: () => Snapshot) => void
}

/** What had come so far. */
export type Snapshot = Pick<Step, 'text' | 'reasoning' | 'unfinished'>

/** Asks a model once and reads its answer. Never rejects: whatever goes wrong is in the step, beside what had come. */
export async function askOnce(model: LanguageModel, call: CallOptions, options: StepOptions): Promise<Step> {
  const silence = new AbortController()
  const signal = AbortSignal.any([options.signal, silence.signal])
  let cancel = () => {}
  const heard = () => {
    cancel()
    cancel = options.clock.after(options.waitMs, () => silence.abort())
  }
  const answer = new Answer(options)
  const from = performance.now()
  try {
    heard()
    const { stream } = await model.doStream({ ...call, abortSignal: signal })
    const reader = stream.getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        heard()
        answer.take(value, performance.now() - from)
        options.keep?.(() => answer.step(null, null))
        if (answer.error !== undefined) break
      }
    } finally {
      void reader.cancel().catch(() => undefined)
    }
  } catch (error) {
    answer.error = error ?? new Error('the stream ended')
  } finally {
    cancel()
  }
  if (silence.signal.aborted) return answer.step(tooSlow(options.waitMs), null)
  if (options.signal.aborted) return answer.step(null, null)
  if (answer.error !== undefined)
    return answer.step(explain(answer.error), answer.isEmpty() ? retryOf(answer.error) : null)
  if (!answer.finished) return answer.step(cutShort(), null)
  return answer.step(null, null)
}

interface Writing {
  readonly at: number
  readonly restoring: RestoringStream
}

/** Puts an answer together from the parts of its stream. */
class Answer {
  readonly #options: StepOptions
  #text = ''
  #reasoning = ''
  #calls: ModelCall[] = []
  #parts = 0
  readonly #open = new Map<string, Writing>()
  readonly #inputs = new Map<
    string,
    { tool: string; input: string; code: FieldReader; language: FieldReader; spoken: string }
  >()
  #finish: string | null = null
  #usage: { input: number | null; output: number | null } = { input: null, output: null }
  #version: string | null = null
  #firstTokenMs: number | null = null
  error: unknown

  constructor(options: StepOptions) {
    this.#options = options
  }

  get finished(): boolean {
    return this.#finish !== null
  }

  isEmpty(): boolean {
    return this.#text === '' && this.#calls.length === 0 && this.#inputs.size === 0
  }

  take(part: StreamPart, sinceMs: number): void {
    if (/-delta$|^tool-/.test(part.type)) this.#firstTokenMs ??= sinceMs
    switch (part.type) {
      case 'text-delta':
        this.#text += part.delta
        this.#show(part.id, 'text', part.delta)
        break
      case 'text-start':
        if (this.#text !== '') this.#text += '\n\n'
        this.#begin(part.id)
        break
      case 'reasoning-start':
        if (this.#reasoning !== '') this.#reasoning += '\n\n'
        this.#begin(part.id)
        break
      case 'reasoning-delta':
        this.#reasoning += part.delta
        this.#show(part.id, 'reasoning', part.delta)
        break
      case 'text-end':
      case 'reasoning-end':
        this.#end(part.id, part.type === 'text-end' ? 'text' : 'reasoning')
        break
      case 'tool-input-start':
        this.#begin(part.id)
        this.#inputs.set(part.id, {
          tool: part.toolName,
          input: '',
          code: new FieldReader('code'),
          language: new FieldReader('language'),
          spoken: '',
        })
        this.#showCall(part.id, '')
        break
      case 'tool-input-delta':
        this.#showCall(part.id, part.delta)
        break
      case 'tool-call':
        this.#inputs.delete(part.toolCallId)
        this.#calls.push({ tool: part.toolName, input: part.input })
        break
      case 'response-metadata':
        this.#version = part.modelId ?? this.#version
        break
      case 'finish':
        this.#finish = part.finishReason.unified
        this.#usage = {
          input: part.usage.inputTokens.total ?? null,
          output: part.usage.outputTokens.total ?? null,
        }
        break
      case 'error':
        this.error = part.error ?? new Error('the provider reported an error')
        break
      default:
    }
  }

  step(trouble: Problem | null, retry: Retry | null): Step {
    return {
      text: this.#text,
      reasoning: this.#reasoning,
      calls: this.#calls,
      unfinished: [...this.#inputs.values()].map(({ tool, input }) => ({ tool, input })),
      finish: this.#finish,
      inputTokens: this.#usage.input,
      outputTokens: this.#usage.output,
      version: this.#version,
      firstTokenMs: this.#firstTokenMs,
      problem: trouble,
      retry,
    }
  }

  #begin(id: string): Writing {
    const writing = { at: this.#parts++, restoring: this.#options.restoring() }
    this.#open.set(id, writing)
    return writing
  }

  #show(id: string, kind: 'text' | 'reasoning', delta: string): void {
    const { at, restoring } = this.#open.get(id) ?? this.#begin(id)
    const text = restoring.push(delta)
    if (text !== '') this.#options.show(at, { kind, tool: null, language: null, text })
  }

  #end(id: string, kind: 'text' | 'reasoning'): void {
    const writing = this.#open.get(id)
    const text = writing?.restoring.end() ?? ''
    if (writing && text !== '') this.#options.show(writing.at, { kind, tool: null, language: null, text })
  }

  #showCall(id: string, delta: string): void {
    const call = this.#inputs.get(id)
    const writing = this.#open.get(id)
    if (!call || !writing) return
    call.input += delta
    call.spoken += call.language.push(delta)
    // Code keeps its tokens on the screen too: it is what will be checked, approved and recorded.
    const text = call.code.push(delta)
    this.#options.show(writing.at, { kind: 'call', tool: call.tool, language: call.spoken || null, text })
  }
}

const tooSlow = (ms: number): Problem =>
  problem(
    'chat.slow',
    `The provider was silent for ${Math.round(ms / 1000)} s.`,
    'What had come is kept. Go on, ask again, or choose another model.',
  )
const cutShort = (): Problem =>
  problem('chat.cut', 'The answer was cut off before its end.', 'What had come is kept. Go on, or ask again.')
