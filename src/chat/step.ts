import type { Clock } from '../clock.ts'
import type { LivePart } from '../contract/chat.ts'
import { plainName } from '../contract/plain-name.ts'
import { Failure, type Problem, problem } from '../contract/problem.ts'
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
  /** Not shown again, should the provider quote it. */
  readonly key: string | null
  /** Puts values back for the screen; one a part. */
  readonly restoring: () => RestoringStream
  /** Told what is new on the screen: the part by its place, and what to add to it. */
  readonly show: (at: number, part: LivePart) => void
  /** Told after each part that there is more to keep, should the application end now. */
  readonly keep?: (snapshot: () => Snapshot) => void
}

/** What had come so far. */
export type Snapshot = Pick<Step, 'text' | 'reasoning' | 'calls' | 'unfinished'>

/** What is taken of one answer: its letters, and some for each part, so that empty ones come to an end too. */
const mostSize = 2_000_000
const sizeOfPart = 200
/** Calls of tools in one answer: each becomes a cell or an entry, and all of them run. */
const mostCalls = 100
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
    return answer.step(explain(answer.error, options.key), answer.isEmpty() ? retryOf(answer.error) : null)
  if (!answer.finished) return answer.step(cutShort(), null)
  return answer.step(null, null)
}

interface Writing {
  /** Its place on the screen; null while there is nothing to show. Models begin parts that stay empty. */
  at: number | null
  readonly restoring: RestoringStream
}

/** Puts an answer together from the parts of its stream. */
class Answer {
  readonly #options: StepOptions
  #text = ''
  #reasoning = ''
  #calls: ModelCall[] = []
  #parts = 0
  #size = 0
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
    this.#size += this.#sizeOf(part)
    if (this.#size > mostSize || this.#calls.length + this.#inputs.size > mostCalls) {
      this.error = tooMuch()
      return
    }
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
          tool: nameOf(part.toolName),
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
        this.#calls.push({ tool: nameOf(part.toolName), input: part.input })
        break
      case 'response-metadata':
        this.#version = part.modelId ? plainName(part.modelId).slice(0, 200) : this.#version
        break
      case 'finish':
        // The libraries finish a stream also where the model did not: its connection was closed in good order, half-way.
        this.#finish = part.finishReason.unified === 'interrupted' ? null : part.finishReason.unified
        this.#usage = { input: countOf(part.usage.inputTokens.total), output: countOf(part.usage.outputTokens.total) }
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

  /** A call may bring its arguments at once, at its end. */
  #sizeOf(part: StreamPart): number {
    if ('delta' in part) return part.delta.length
    if (part.type !== 'tool-call') return 0
    return Math.max(0, part.input.length - (this.#inputs.get(part.toolCallId)?.input.length ?? 0))
  }

  #begin(id: string): Writing {
    this.#size += sizeOfPart
    const writing = { at: null, restoring: this.#options.restoring() }
    this.#open.set(id, writing)
    return writing
  }

  #placeOf(writing: Writing): number {
    writing.at ??= this.#parts++
    return writing.at
  }

  #show(id: string, kind: 'text' | 'reasoning', delta: string): void {
    const writing = this.#open.get(id) ?? this.#begin(id)
    const text = writing.restoring.push(delta)
    if (text !== '') this.#options.show(this.#placeOf(writing), { kind, tool: null, language: null, text })
  }

  #end(id: string, kind: 'text' | 'reasoning'): void {
    const writing = this.#open.get(id)
    const text = writing?.restoring.end() ?? ''
    if (writing && text !== '') this.#options.show(this.#placeOf(writing), { kind, tool: null, language: null, text })
  }

  #showCall(id: string, delta: string): void {
    const call = this.#inputs.get(id)
    const writing = this.#open.get(id)
    if (!call || !writing) return
    call.input += delta
    call.spoken += call.language.push(delta)
    // Code keeps its tokens on the screen too: it is what will be checked, approved and recorded.
    const text = call.code.push(delta)
    this.#options.show(this.#placeOf(writing), { kind: 'call', tool: call.tool, language: call.spoken || null, text })
  }
}

/** A number of tokens as a provider says it: what is none counts as not told. */
const countOf = (tokens: number | undefined): number | null =>
  tokens !== undefined && tokens >= 0 && tokens <= mostTokens ? Math.ceil(tokens) : null
/** More than any window: whoever says so says nothing. */
const mostTokens = 1_000_000_000

/** A name that no tool can have is quoted and short, wherever it is shown, kept or told: it must not pass for another. */
const nameOf = (tool: string): string => (/^[\w-]{1,64}$/.test(tool) ? tool : `“${plainName(tool).slice(0, 60)}”`)

const tooMuch = (): Failure =>
  new Failure(
    'chat.limit',
    'The model wrote more than is taken of one answer: two million letters, or a hundred calls of tools.',
    'What has arrived is kept, and none of its calls ran. Ask in another way.',
  )
const tooSlow = (ms: number): Problem =>
  problem(
    'chat.slow',
    `The provider was silent for ${Math.round(ms / 1000)} s.`,
    'What has arrived is kept. Go on, ask again, or choose another model.',
  )
const cutShort = (): Problem =>
  problem('chat.cut', 'The answer was cut off before its end.', 'What has arrived is kept. Go on, or ask again.')
