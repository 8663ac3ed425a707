import { z } from 'zod'
import { AnalysisToolRequest } from './analyses.ts'
import { ItemId, ItemText } from './conversations.ts'
import { CellId, ConversationId, MessageId, PathId, RequestId, RunId } from './ids.ts'
import { plainName } from './plain-name.ts'
import { CountsByType } from './privacy.ts'
import { Problem } from './problem.ts'
import { Language } from './run.ts'
import { Code } from './runs.ts'

/** The assistant: which models there are, what is asked of them, what they answered and what it cost. */

export const ProviderId = z.uuid().brand<'provider'>().describe('provider id')
export type ProviderId = z.infer<typeof ProviderId>
export const TurnId = z.uuid().brand<'turn'>().describe('turn id')
export type TurnId = z.infer<typeof TurnId>

/** How a provider is spoken to: Anthropic's messages, OpenAI's responses, or chat completions as many servers offer them. */
export const providerKinds = ['anthropic', 'openai', 'compatible'] as const
export const ProviderKind = z.enum(providerKinds)
export type ProviderKind = z.infer<typeof ProviderKind>

const price = z.number().min(0).max(10_000)

export const ChatModel = z.object({
  id: z.string().min(1).max(200),
  /** Tokens that fit into one request with its answer; null where nobody said. */
  windowTokens: z.number().int().positive().nullable(),
  /** US dollars for a million tokens; null where the price is not known. */
  price: z.object({ input: price, output: price }).nullable(),
})
export type ChatModel = z.infer<typeof ChatModel>

export const Provider = z.object({
  id: ProviderId,
  kind: ProviderKind,
  name: z.string(),
  baseUrl: z.string(),
  models: z.array(ChatModel),
  hasKey: z.boolean(),
  /** Runs on this machine: what is sent does not leave it. */
  local: z.boolean(),
  /** When the person first saw what would be sent to it, and sent it; null before. */
  introducedAt: z.number().nullable(),
})
export type Provider = z.infer<typeof Provider>

/** Only the machine itself may be spoken to in the clear. */
export const BaseUrl = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .refine(text => text.startsWith('https:') || isLoopback(text), 'An address on another machine must begin with https.')
  .refine(
    text => URL.canParse(text) && !new URL(text).username && !new URL(text).password,
    'A key does not belong in the address.',
  )

export const isLoopback = (text: string): boolean =>
  URL.canParse(text) && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(text).hostname)

export const SaveProvider = z.object({
  /** Absent for a new one. */
  id: ProviderId.optional(),
  kind: ProviderKind,
  name: z.string().overwrite(plainName).min(1).max(100),
  baseUrl: BaseUrl,
  models: z.array(ChatModel).max(500),
  /** A new key; absent keeps the one that is there, empty removes it. */
  key: z.string().max(1000).optional(),
})
export type SaveProvider = z.infer<typeof SaveProvider>

/** A model server found on this machine. */
export const FoundServer = z.object({ name: z.string(), baseUrl: z.string(), models: z.array(ChatModel) })
export type FoundServer = z.infer<typeof FoundServer>

export const ProviderCheck = z.object({ models: z.array(ChatModel), tookMs: z.number() })
export type ProviderCheck = z.infer<typeof ProviderCheck>

export const ModelRef = z.object({ provider: ProviderId, model: z.string().min(1).max(200) })
export type ModelRef = z.infer<typeof ModelRef>

/**
 * Where an answer stands. `asking`: the model writes. `pausing`: the provider asked to wait. `running`: a tool runs.
 * `resting`: a reviewer is waited for, for as long as it takes. `limited`: a limit was met. `superseded`: the person
 * asked something else meanwhile. The last six are ends; all but `done` and `superseded` can be gone on from.
 */
export const turnStates = [
  'asking',
  'pausing',
  'running',
  'resting',
  'done',
  'stopped',
  'failed',
  'interrupted',
  'limited',
  'superseded',
] as const
export const TurnState = z.enum(turnStates)
export type TurnState = z.infer<typeof TurnState>
export const isUnderWay = (state: TurnState): boolean => ['asking', 'pausing', 'running', 'resting'].includes(state)

/** An answer to one question, over as many requests and tool calls as it took. */
export const Turn = z.object({
  id: TurnId,
  conversation: ConversationId,
  path: PathId,
  question: MessageId,
  model: ModelRef,
  providerName: z.string(),
  /** What the provider said it was answered by. */
  modelVersion: z.string().nullable(),
  state: TurnState,
  step: z.number().int(),
  problem: Problem.nullable(),
  /** Something worth knowing that stopped nothing: tools are off, a limit is near. */
  notices: z.array(z.string()),
  waiting: z.object({ cell: CellId, run: RunId, request: RequestId }).nullable(),
  /** While `pausing`: when the next attempt is made. */
  waitUntil: z.number().nullable(),
  /** Items of the path that did not fit into the model's window at the last request. */
  leftOut: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  /** US dollars; null where the price of the model is not known. */
  cost: z.number().nullable(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
})
export type Turn = z.infer<typeof Turn>

export const toolNames = ['run_code', 'run_analysis', 'read_file', 'list_files', 'inspect_variable'] as const
export const ToolName = z.enum(toolNames)
export type ToolName = z.infer<typeof ToolName>

/** A number in an answer: the cell whose output has it, or null where no output of the path does. */
export const Figure = z.object({
  start: z.number().int(),
  end: z.number().int(),
  cell: CellId.nullable(),
})
export type Figure = z.infer<typeof Figure>

/** What a message of the assistant or a cell of its making consists of, beside its text. Private values are tokens. */
export const Part = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('reasoning'), text: z.string() }),
  z.object({ kind: z.literal('attachment'), file: z.string(), bytes: z.number(), excerpt: z.string() }),
  z.object({
    kind: z.literal('call'),
    call: z.string(),
    tool: z.string(),
    /** JSON as the model wrote it. */
    input: z.string(),
    description: z.string(),
  }),
  z.object({
    kind: z.literal('result'),
    call: z.string(),
    ok: z.boolean(),
    text: z.string(),
    run: RunId.nullable(),
  }),
  /** What a stream had brought of a tool call when it was cut. Never run. */
  z.object({ kind: z.literal('unfinished'), tool: z.string(), text: z.string() }),
  z.object({ kind: z.literal('figures'), length: z.number().int(), figures: z.array(Figure) }),
])
export type Part = z.infer<typeof Part>

export const ItemParts = z.object({ item: ItemId, turn: TurnId, parts: z.array(Part) })
export type ItemParts = z.infer<typeof ItemParts>

/** What a model is writing now, with private values put back: the screen shows it until it is on the path. */
export const LivePart = z.object({
  kind: z.enum(['text', 'reasoning', 'call']),
  tool: z.string().nullable(),
  language: z.string().nullable(),
  text: z.string(),
})
export type LivePart = z.infer<typeof LivePart>

/** What has come of the step that a model is at. */
export const Writing = z.object({ turn: TurnId, step: z.number().int(), parts: z.array(LivePart) })
export type Writing = z.infer<typeof Writing>

/** Everything about the assistant on a path that its items do not say. */
export const ChatView = z.object({
  /** Of the whole conversation, oldest first: a path shows what was answered before it branched off too. */
  turns: z.array(Turn),
  parts: z.array(ItemParts),
  live: Writing.nullable(),
  /** What stands behind the tokens in texts of the assistant, for this screen. */
  values: z.record(z.string(), z.string()),
  confidential: z.boolean(),
  /** Where there are answers before these: what to ask for them with. */
  older: TurnId.nullable(),
})
export type ChatView = z.infer<typeof ChatView>

export const OpenChatRequest = z.object({ path: PathId, before: TurnId.nullable().default(null) })
export type OpenChatRequest = z.input<typeof OpenChatRequest>

/** One answer with all its parts, for a window that has the others. */
export const TurnView = ChatView.pick({ parts: true, values: true }).extend({ turn: Turn })
export type TurnView = z.infer<typeof TurnView>

export const ChatEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('turn'), turn: Turn }),
  /**
   * Text that came since the last of these: `at` is the part of the step that it belongs to, `from` its place in that. A
   * window that opens a path half-way is told some of it twice.
   */
  z.object({
    kind: z.literal('delta'),
    turn: TurnId,
    path: PathId,
    step: z.number().int(),
    at: z.number().int(),
    from: z.number().int(),
    part: LivePart,
  }),
  /** The step is on the path now, as these items: once they are shown, what was shown of it while it streamed can go. */
  z.object({
    kind: z.literal('settled'),
    turn: TurnId,
    path: PathId,
    step: z.number().int(),
    items: z.array(ItemId),
  }),
  z.object({ kind: z.literal('providers') }),
])
export type ChatEvent = z.infer<typeof ChatEvent>

const asking = {
  model: ModelRef,
  /** The person has seen what would be sent to this provider. */
  seen: z.boolean().default(false),
}
export const AskRequest = z.object({
  path: PathId,
  text: ItemText.trim().min(1),
  attachments: z.array(z.string().min(1).max(4096)).max(20).default([]),
  ...asking,
})
export type AskRequest = z.input<typeof AskRequest>
/** Takes the answer off the path, where undo brings it back, and asks again. */
export const RetryRequest = z.object({ path: PathId, question: MessageId, ...asking })
export type RetryRequest = z.input<typeof RetryRequest>
/** Another text for a question, on the same path; the old one is kept as a revision. */
export const ResendRequest = RetryRequest.extend({ text: ItemText.trim().min(1), expectedRevision: z.number().int() })
export type ResendRequest = z.input<typeof ResendRequest>

/** A question that would be asked, or one of the path that would be asked again. */
export const PreviewRequest = z.union([RetryRequest, AskRequest])
export type PreviewRequest = z.input<typeof PreviewRequest>

/** What would leave for a provider if this were asked now. */
export const ChatPreview = z.object({
  to: z.string(),
  local: z.boolean(),
  /** Every text of the request, as it would be sent. */
  messages: z.array(z.object({ role: z.enum(['system', 'user', 'assistant', 'tool']), text: z.string() })),
  tools: z.array(z.string()),
  counts: CountsByType,
  leftOut: z.number().int(),
  estimatedTokens: z.number().int(),
})
export type ChatPreview = z.infer<typeof ChatPreview>

/** One request to a provider, as the ledger shows it. */
export const LedgerEntry = z.object({
  id: z.uuid(),
  at: z.number(),
  conversation: ConversationId.nullable(),
  turn: TurnId.nullable(),
  purpose: z.enum(['answer', 'title']),
  providerName: z.string(),
  model: z.string(),
  modelVersion: z.string().nullable(),
  bytes: z.number().int(),
  replaced: CountsByType,
  inputTokens: z.number().int().nullable(),
  outputTokens: z.number().int().nullable(),
  cost: z.number().nullable(),
  firstTokenMs: z.number().nullable(),
  tookMs: z.number(),
  /** `ok`, or the code of what went wrong. */
  result: z.string(),
})
export type LedgerEntry = z.infer<typeof LedgerEntry>

export const Spending = z.object({
  conversation: z.object({ cost: z.number(), tokens: z.number().int(), costLimit: z.number(), tokenLimit: z.number() }),
  day: z.object({ cost: z.number(), costLimit: z.number() }),
  /** Sentences for limits of which 80 % are used. */
  warnings: z.array(z.string()),
})
export type Spending = z.infer<typeof Spending>

/** A tool used by hand, with no model at all. */
export const ForceTool = z.discriminatedUnion('tool', [
  z.object({
    tool: z.literal('run_code'),
    path: PathId,
    language: Language,
    code: Code,
    timeoutMs: z.number().int().min(1000).max(600_000).optional(),
  }),
  AnalysisToolRequest.extend({ tool: z.literal('run_analysis'), path: PathId }),
])
export type ForceTool = z.input<typeof ForceTool>
