import { z } from 'zod'
import type { ChatModel, LivePart, Provider } from '../contract/chat.ts'
import { type Problem, problem } from '../contract/problem.ts'
import { type Desk, orProblem } from './desk.ts'
import { costOf } from './known-models.ts'
import type { FunctionTool, Prompt } from './language-model.ts'
import { countTokens, maskedModel } from './masking.ts'
import { tokensIn } from './prompt.ts'
import { languageModel, providerOptions } from './protocols.ts'
import { mostOf } from './spent.ts'
import { askOnce, type Snapshot, type Step } from './step.ts'
import type { TurnRow } from './store.ts'

export interface AskedRequest {
  readonly turn: TurnRow
  readonly purpose: 'answer' | 'title'
  readonly provider: Provider
  readonly model: ChatModel
  readonly prompt: Prompt
  readonly tools: readonly FunctionTool[]
  readonly outputTokens: number
  readonly signal: AbortSignal
  /** Waited for before anything leaves. */
  readonly written?: Promise<void>
  readonly show?: (at: number, part: LivePart) => void
  readonly keep?: (snapshot: () => Snapshot) => void
  /** Told that the provider asked to wait, and until when. */
  readonly pausing?: (until: number, why: Problem) => Promise<void>
  /** Told that the wait is over and the model is asked again. */
  readonly again?: () => Promise<void>
}

const mostAttempts = 3
/** A provider that asks to wait longer is not waited for: the person is told how long it would be. */
const longestWaitMs = 120_000

/** One request to a model, asked again where the provider could not take it; each attempt stands in the ledger. */
export async function requestStep(desk: Desk, asked: AskedRequest): Promise<Step & { cost: number | null }> {
  for (let attempt = 1; ; attempt++) {
    const step = await attemptOnce(desk, asked)
    const wait = step.retry && (step.retry.afterMs ?? 1000 * 2 ** attempt)
    if (wait === null || attempt >= mostAttempts || wait > longestWaitMs || asked.signal.aborted) return step
    await asked.pausing?.(desk.clock.now() + wait, step.problem ?? busy())
    await waitFor(desk, wait, asked.signal)
    if (asked.signal.aborted) return { ...step, problem: null }
    await asked.again?.()
  }
}

async function attemptOnce(desk: Desk, asked: AskedRequest): Promise<Step & { cost: number | null }> {
  const { turn, provider, model, signal } = asked
  const { conversation } = turn
  const id = desk.ids.make(z.uuid())
  let bytes = 0
  let replaced: Record<string, number> = {}
  const connection = orProblem(
    await desk.providers.connect(provider, conversation, sent => {
      bytes += sent
    }),
  )
  const journey = { to: `${provider.name} ${model.id}`, conversation, knowsTokens: true }
  const [spoken, first] = await Promise.all([languageModel(connection, model.id), desk.privacy.restoring(conversation)])
  const guarded = maskedModel(spoken, async texts => {
    const told = { request: id, most: { ...mostOf(model, texts, asked.outputTokens) } }
    const passed = await desk.privacy.egress.pass('model', texts, { ...journey, told })
    await asked.written
    if (passed.ok) replaced = countTokens(passed.value.value)
    return passed
  })
  const at = desk.clock.now()
  const from = performance.now()
  const came = await askOnce(
    guarded,
    {
      prompt: asked.prompt,
      maxOutputTokens: asked.outputTokens,
      ...(asked.tools.length > 0 ? { tools: [...asked.tools], toolChoice: { type: 'auto' } } : {}),
      providerOptions: providerOptions[provider.kind],
    },
    {
      signal,
      clock: desk.clock,
      waitMs: desk.settings().waitSeconds * 1000,
      key: connection.key,
      restoring: () => first.another(),
      show: asked.show ?? (() => {}),
      ...(asked.keep ? { keep: asked.keep } : {}),
    },
  )
  const step = { ...came, ...usedBy(came, bytes) }
  const cost = costOf(model, step.inputTokens ?? 0, step.outputTokens ?? 0)
  await desk.store.addRequest({
    id,
    tenant: turn.tenant,
    conversation,
    turn: turn.id,
    purpose: asked.purpose,
    at,
    provider_name: provider.name,
    model: model.id,
    model_version: step.version,
    bytes,
    replaced: JSON.stringify(replaced),
    input_tokens: step.inputTokens,
    output_tokens: step.outputTokens,
    cost,
    first_token_ms: step.firstTokenMs,
    took_ms: performance.now() - from,
    result: step.problem?.code ?? (signal.aborted ? 'stopped' : 'ok'),
  })
  const place = { 'app.tenant.id': turn.tenant }
  desk.measuring.measure('code_execution_tokens_used', (step.inputTokens ?? 0) + (step.outputTokens ?? 0), place)
  if (cost !== null) desk.measuring.measure('chat_cost_usd', cost, place)
  if (step.firstTokenMs !== null) desk.measuring.measure('chat_first_token_ms', step.firstTokenMs, place)
  if (step.problem)
    desk.measuring.measure('chat_request_errors_total', 1, { ...place, 'error.type': step.problem.code })
  return { ...step, cost }
}

/**
 * What an answer took. A provider that did not come to say so, or never does, is taken to have counted as we do: else a
 * limit would never be met. An answer that was none took nothing.
 */
function usedBy(came: Step, bytes: number): Pick<Step, 'inputTokens' | 'outputTokens'> {
  const { text, reasoning, calls, unfinished, inputTokens, outputTokens } = came
  const said = [text, reasoning, ...[...calls, ...unfinished].map(({ input }) => input)].join('')
  if (came.firstTokenMs === null && came.finish === null) return { inputTokens, outputTokens }
  return { inputTokens: inputTokens ?? tokensIn(bytes), outputTokens: outputTokens ?? tokensIn(said.length) }
}

function waitFor(desk: Desk, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const cancel = desk.clock.after(ms, resolve)
    signal.addEventListener(
      'abort',
      () => {
        cancel()
        resolve()
      },
      { once: true },
    )
  })
}

const busy = (): Problem =>
  problem('chat.overloaded', 'The provider is busy.', 'The question is asked again automatically.')
