import type { ProviderId, ProviderKind, TurnId, TurnState } from '../../contract/chat.ts'
import type { ItemId } from '../../contract/conversations.ts'
import type { ConversationId, MessageId, PathId, TenantId, UserId } from '../../contract/ids.ts'

export interface ChatProvidersTable {
  id: ProviderId
  tenant: TenantId
  kind: ProviderKind
  name: string
  base_url: string
  /** JSON: what is known of each model. */
  models: string
  has_key: number
  introduced_at: number | null
  created_at: number
  seal: string
}

/** An answer and where it stands. What it said and ran are items of its path. */
export interface ChatTurnsTable {
  id: TurnId
  tenant: TenantId
  conversation: ConversationId
  path: PathId
  question: MessageId
  asked_by: UserId
  /** The process that carries it. */
  owner: string
  provider: ProviderId
  provider_name: string
  model: string
  model_version: string | null
  state: TurnState
  step: number
  /** JSON: `Problem`. */
  problem: string | null
  /** JSON: sentences. */
  notices: string
  /** JSON: the cell, run and request that are waited for. */
  waiting: string | null
  /** JSON: what a model has written of the step under way, so that a crash loses little of it. */
  partial: string | null
  left_out: number
  input_tokens: number
  output_tokens: number
  cost: number | null
  started_at: number
  ended_at: number | null
}

export interface ChatPartsTable {
  turn: TurnId
  /** Order within the turn. */
  place: number
  tenant: TenantId
  conversation: ConversationId
  step: number
  item: ItemId
  kind: string
  /** JSON: `Part`, with tokens in the place of private values. */
  body: string
}

/** One row a request: what it cost and how much was replaced in it. Never what it said. */
export interface ChatRequestsTable {
  id: string
  tenant: TenantId
  conversation: ConversationId | null
  turn: TurnId | null
  purpose: 'answer' | 'title'
  at: number
  provider_name: string
  model: string
  model_version: string | null
  bytes: number
  replaced: string
  input_tokens: number | null
  output_tokens: number | null
  cost: number | null
  first_token_ms: number | null
  took_ms: number
  result: string
  seal: string
}

export interface ChatConversationsTable {
  conversation: ConversationId
  tenant: TenantId
  confidential: number
}

export interface ChatTables {
  chat_providers: ChatProvidersTable
  chat_turns: ChatTurnsTable
  chat_parts: ChatPartsTable
  chat_requests: ChatRequestsTable
  chat_conversations: ChatConversationsTable
}
