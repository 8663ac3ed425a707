import { TurnId } from '../contract/chat.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { MessageId } from '../contract/ids.ts'
import type { Caller } from '../conversations/conversations.ts'
import { owner } from './active.ts'
import type { Answering } from './allowed.ts'
import type { Desk } from './desk.ts'
import type { TurnRow } from './store.ts'

/** An answer as it begins. */
export const newTurn = (
  { ids, clock }: Pick<Desk, 'ids' | 'clock'>,
  who: Caller,
  ref: PathRef,
  question: MessageId,
  { provider, model }: Answering,
): TurnRow => ({
  id: ids.make(TurnId),
  ...ref,
  question,
  asked_by: who.user,
  owner,
  provider: provider.id,
  provider_name: provider.name,
  model: model.id,
  model_version: null,
  state: 'asking',
  step: 0,
  problem: null,
  notices: '[]',
  waiting: null,
  partial: null,
  left_out: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost: null,
  started_at: clock.now(),
  ended_at: null,
})
