import type { ChatModel, Provider, Spending } from '../contract/chat.ts'
import type { ConversationId, TenantId } from '../contract/ids.ts'
import type { Policy } from '../contract/policy.ts'
import { type Problem, problem } from '../contract/problem.ts'
import type { Settings } from '../contract/settings.ts'
import type { Caller } from '../conversations/conversations.ts'
import { type Desk, orProblem, Refused } from './desk.ts'
import type { TurnRow } from './store.ts'

/** Whether the policy lets this provider answer in this conversation; null when it does. */
export function refusedByPolicy(
  { models }: Pick<Policy, 'models'>,
  provider: Pick<Provider, 'kind' | 'local' | 'name' | 'baseUrl'>,
  confidential: boolean,
): Problem | null {
  const host = new URL(provider.baseUrl).host
  const names: readonly string[] = [provider.kind, host, ...(provider.local ? ['local'] : [])]
  if (models.providers !== null && !models.providers.some(each => names.includes(each)))
    return problem(
      'chat.policy',
      `The policy does not allow ${provider.name} (${host}).`,
      `It allows: ${models.providers.join(', ') || 'none'}.`,
    )
  if (confidential && models.confidential === 'none')
    return problem(
      'chat.policy',
      'This conversation is confidential: the policy lets no model see it.',
      'Run code by hand, or ask in another conversation.',
    )
  if (confidential && models.confidential === 'local' && !provider.local)
    return problem(
      'chat.policy',
      'This conversation is confidential: the policy lets only models of this machine see it.',
      'Choose a model that runs here.',
    )
  return null
}

/** A model and whose it is. */
export interface Answering {
  readonly provider: Provider
  readonly model: ChatModel
}

export async function modelOf(
  desk: Desk,
  who: Caller,
  row: Pick<TurnRow, 'provider' | 'model' | 'conversation'>,
): Promise<Answering> {
  const provider = orProblem(await desk.providers.get(who, row.provider))
  const refusal = refusedByPolicy(await desk.policy(), provider, await desk.store.isConfidential(row.conversation))
  if (refusal) throw new Refused(refusal)
  const model = provider.models.find(({ id }) => id === row.model) ?? { id: row.model, windowTokens: null, price: null }
  return { provider, model }
}

/** Another address is another party: an answer that goes on by itself sends nothing to one that nobody agreed to. */
export function refusedUnseen({ introducedAt, local, name }: Provider): Problem | null {
  if (introducedAt !== null || local) return null
  return problem(
    'chat.unseen',
    `Nothing was sent to ${name} before.`,
    'Ask again: you see what would leave before it is sent.',
  )
}

export const tooLong = (model: string, window: number): Problem =>
  problem(
    'chat.too-long',
    `The question and what it led to do not fit into ${model} (${window.toLocaleString('en')} tokens).`,
    'Choose a model with a larger window, or ask with less.',
  )

const near = 0.8
/** To a millionth of a dollar: ten times 0.1 would stay just below 1, and one request more would leave. */
const exact = (value: number): number => Math.round(value * 1e6) / 1e6

/** What was spent against what may be, and sentences for what is nearly used up. Pure. */
export function spendingOf(
  spent: { conversationCost: number; conversationTokens: number; dayCost: number },
  limits: Pick<Settings['chat'], 'costPerConversation' | 'costPerDay' | 'tokensPerConversation'>,
): Spending {
  const [conversationCost, dayCost] = [exact(spent.conversationCost), exact(spent.dayCost)]
  const used: [number, number, string][] = [
    [
      conversationCost,
      limits.costPerConversation,
      `${dollars(conversationCost)} of ${dollars(limits.costPerConversation)} for this conversation`,
    ],
    [
      spent.conversationTokens,
      limits.tokensPerConversation,
      `${count(spent.conversationTokens)} of ${count(limits.tokensPerConversation)} tokens for this conversation`,
    ],
    [dayCost, limits.costPerDay, `${dollars(dayCost)} of ${dollars(limits.costPerDay)} for today`],
  ]
  return {
    conversation: {
      cost: conversationCost,
      tokens: spent.conversationTokens,
      costLimit: limits.costPerConversation,
      tokenLimit: limits.tokensPerConversation,
    },
    day: { cost: dayCost, costLimit: limits.costPerDay },
    warnings: used
      .filter(([is, most]) => is > 0 && is >= exact(most * near))
      .map(([, , words]) => `${words} are used.`),
  }
}

/** A limit that is used up; null while there is room. */
export function limitMet({ conversation, day }: Spending): Problem | null {
  const met =
    conversation.cost >= conversation.costLimit && conversation.cost > 0
      ? `This conversation has cost ${dollars(conversation.cost)}; ${dollars(conversation.costLimit)} is the limit.`
      : conversation.tokens >= conversation.tokenLimit
        ? `This conversation has used ${count(conversation.tokens)} tokens; ${count(conversation.tokenLimit)} is the limit.`
        : day.cost >= day.costLimit && day.cost > 0
          ? `Today has cost ${dollars(day.cost)}; ${dollars(day.costLimit)} is the limit.`
          : null
  return met ? problem('chat.limit', met, 'Raise the limit in the settings to go on.') : null
}

export async function readSpending(desk: Desk, tenant: TenantId, conversation: ConversationId): Promise<Spending> {
  const today = new Date(desk.clock.now())
  today.setHours(0, 0, 0, 0)
  return spendingOf(await desk.store.spent(tenant, conversation, today.getTime()), desk.settings())
}

const dollars = (value: number): string => `$${value.toFixed(2)}`
const count = (value: number): string => value.toLocaleString('en')
