import type { ToolName } from '../contract/chat.ts'
import { toolNames } from '../contract/chat.ts'
import type { Item } from '../contract/conversations.ts'
import { type Outcome, type Problem, problem, problemOf } from '../contract/problem.ts'
import { type Active, type Asked, announce, change, over } from './active.ts'
import { limitMet, modelOf, readSpending, refusedUnseen, tooLong } from './allowed.ts'
import { type Desk, Refused } from './desk.ts'
import { noPlaceWords, type Place, placeWords } from './instructions.ts'
import { keeping } from './keeping.ts'
import { noteFigures } from './noting.ts'
import { contextOf, itemsOfTurn, itemsUpTo } from './path.ts'
import { putOnPath } from './placing.ts'
import { firstThatCouldFit, fitToWindow, roomIn } from './prompt.ts'
import { requestStep } from './request.ts'
import { nameConversation } from './titles.ts'
import { toolsFor } from './tools.ts'

/** One request, and what the model asked for in it. */
export async function askModel(desk: Desk, active: Active): Promise<'calls' | 'over'> {
  const { who, ref, stop } = active
  // A question that was asked this moment: nothing has been said in answer to it, and its model has been looked up.
  const fresh = active.row.step === 0 ? active.asked : null
  const [spending, { provider, model }, { offered, environment }, before] = await Promise.all([
    readSpending(desk, ref.tenant, ref.conversation),
    fresh?.by ?? modelOf(desk, who, active.row),
    bindTools(desk, active),
    (fresh ? Promise.resolve(new Set([fresh.item.id])) : itemsOfTurn(desk, active.row)).then(mine =>
      itemsUpTo(desk, who, ref, mine),
    ),
  ])
  const refusal = fresh ? null : refusedUnseen(provider)
  if (refusal) throw new Refused(refusal)
  const limit = limitMet(spending) ?? stepsMet(active.row.step, active.lastStep)
  if (limit) return over(desk, active, 'limited', limit)
  const items = withQuestion(before, active.asked)
  const asked = items.find(item => item.id === active.row.question)
  if (!asked?.text.trim()) throw new Refused(questionGone())
  const window = model.windowTokens ?? desk.settings().windowTokens
  const outputTokens = Math.min(desk.settings().outputTokens, Math.floor(window / 3))
  const context = await contextOf(desk, who, ref, {
    items,
    environment,
    question: asked.text,
    asked: active.asked,
    first: firstThatCouldFit(items, asked.id, roomIn(window, outputTokens)),
  })
  const fitted = fitToWindow(context, asked.id, window, outputTokens)
  if (!fitted) throw new Refused(tooLong(model.id, window))
  announce(desk, active, {
    state: 'asking',
    step: active.row.step + 1,
    left_out: fitted.leftOut,
    notices: JSON.stringify([...(active.toolsOff ? [active.toolsOff] : []), ...spending.warnings]),
  })
  active.live.step = active.row.step
  const kept = keeping(desk, active)
  const step = await requestStep(desk, {
    turn: active.row,
    purpose: 'answer',
    provider,
    model,
    prompt: fitted.prompt,
    tools: toolsFor(offered),
    outputTokens,
    signal: stop.signal,
    written: active.written,
    show: (at, part) => active.live.show(at, part),
    keep: kept.keep,
    pausing: async (until, why) => {
      active.waitUntil = until
      await change(desk, active, { state: 'pausing', problem: JSON.stringify(why) })
    },
    again: async () => {
      active.waitUntil = null
      await change(desk, active, { state: 'asking', problem: null })
    },
  })
  await kept.end()
  const complete = step.problem === null && !stop.signal.aborted && step.finish !== 'length'
  const used = {
    input_tokens: active.row.input_tokens + (step.inputTokens ?? 0),
    output_tokens: active.row.output_tokens + (step.outputTokens ?? 0),
    cost: step.cost === null ? active.row.cost : (active.row.cost ?? 0) + step.cost,
    model_version: step.version ?? active.row.model_version,
    partial: null,
    problem: null,
  }
  await putOnPath(desk, active, { before: items, step, complete, offered, used })
  if (stop.signal.aborted) return over(desk, active, 'stopped')
  if (step.problem) return over(desk, active, 'failed', step.problem)
  if (step.finish === 'length') return over(desk, active, 'limited', outputMet(outputTokens))
  if (step.finish === 'content-filter') return over(desk, active, 'failed', filtered())
  if (step.calls.length > 0) return 'calls'
  const unseen = await noteFigures(desk, active)
  if (unseen) announce(desk, active, { notices: JSON.stringify([...JSON.parse(active.row.notices), unseen]) })
  await over(desk, active, 'done')
  await nameConversation(desk, active.who, active.row, stop.signal).catch(error =>
    desk.log.warn({ reason: problemOf(error).code }, 'a conversation could not be named'),
  )
  return 'over'
}

/** A path's items with the question behind them, which may not be in the database yet. */
const withQuestion = (items: Item[], asked: Asked | null): Item[] =>
  asked && !items.some(({ id }) => id === asked.item.id) ? [...items, asked.item] : items

/** The tools that this path has now. Without a sandbox there are none, and the answer goes on without (row T5). */
async function bindTools(desk: Desk, active: Active): Promise<{ offered: readonly ToolName[]; environment: string }> {
  const found: Outcome<Place> = active.toolsOff
    ? { ok: false, problem: problem('context.unavailable', active.toolsOff, '') }
    : await (active.row.step === 0 && active.asked ? active.asked.place : desk.sandboxFor(active.ref))
  if (!found.ok) {
    active.toolsOff ??= `Code cannot be run in this answer. ${found.problem.message}`
    return { offered: [], environment: noPlaceWords }
  }
  return { offered: toolNames, environment: placeWords(found.value) }
}

const stepsMet = (step: number, most: number): Problem | null =>
  step < most
    ? null
    : problem(
        'chat.limit',
        `The model was asked ${step} times for this answer, which is the limit.`,
        'Go on to let it try further, or ask in another way.',
      )
const outputMet = (tokens: number): Problem =>
  problem(
    'chat.limit',
    `The answer reached ${tokens.toLocaleString('en')} tokens, the most at once.`,
    'Go on to have the rest.',
  )
const filtered = (): Problem =>
  problem(
    'chat.provider',
    'The provider did not let the model answer this.',
    'Ask in other words, or choose another model.',
  )
const questionGone = (): Problem =>
  problem('not-found', 'The question is not on this path any more, or is empty.', 'Ask again.')
