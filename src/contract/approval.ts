import { z } from 'zod'
import { CellId, ConversationId, PathId, RequestId, RunId, TenantId, UserId, WorkflowId } from './ids.ts'
import { Impact, Inspection, Violation } from './inspection.ts'
import { GrantText } from './network.ts'
import { Placement } from './placement.ts'
import { plainName, showsItself } from './plain-name.ts'
import { PolicyReason } from './policy.ts'
import { Language, maxCodeBytes, RiskLevel, SandboxKind } from './run.ts'

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex')

/**
 * Everything that a decision is bound to. Its canonical JSON is hashed and signed: when any of it changes, the run
 * is not the one that was approved.
 */
export const Subject = z.strictObject({
  format: z.literal('countersign.subject.4'),
  /** SHA-256 of the code's bytes in UTF-8. */
  code: Sha256,
  language: Language,
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  placement: Placement,
  /** Version of the policy that asked for the decision. */
  policy: Sha256,
  risk: RiskLevel,
  findings: z.array(Violation),
  impact: Impact,
  /** SHA-256 over all that the guard said, also whether it could read the code to its end. */
  inspection: Sha256,
  /** What the policy asks for and why; four eyes are wanted where one of them says so. */
  reasons: z.array(PolicyReason),
  /** Everyone who wrote any version of the code. */
  authors: z.array(UserId),
  tenant: TenantId,
  conversation: ConversationId,
  path: PathId,
  cell: CellId.nullable(),
  requester: UserId,
  /** Random, so that no two subjects are alike and each decision serves once. */
  nonce: z.string().regex(/^[0-9a-f]{32}$/),
  expiresAt: z.number().int(),
})
export type Subject = z.infer<typeof Subject>

/** Somebody who signs one answer in a window that is another's: it acts and signs as before afterwards. */
export const SignOnce = z.object({ id: UserId, passphrase: z.string().max(1000).optional() })
export type SignOnce = z.infer<typeof SignOnce>

/** Why a run may go ahead or not: the policy let it, or a reviewer signed. */
export const Decision = z.object({
  /** A cleared run carries an approval; a request that was denied carries the denial. */
  verdict: z.enum(['approve', 'deny']),
  by: z.enum(['policy', 'reviewer']),
  reviewer: UserId.nullable(),
  request: RequestId.nullable(),
  /** SHA-256, in hex, over everything that the decision is bound to. */
  subject: z.string(),
  /** Ed25519 over the canonical JSON of the `SignedStatement`, in base64; absent when the policy decided. */
  signature: z.string().nullable(),
  comment: z.string(),
  decidedAt: z.number(),
  /** Version of the policy that decided, or that asked for the decision. */
  policy: z.string(),
  /** Why the policy decided so, in words. */
  reasons: z.array(PolicyReason),
  nonce: z.string(),
  expiresAt: z.number(),
})
export type Decision = z.infer<typeof Decision>

/** What a reviewer's key signs. A denial is signed too, and says so: its signature never passes for an approval. */
export const SignedStatement = z.strictObject({
  format: z.literal('countersign.decision.1'),
  verdict: z.enum(['approve', 'deny']),
  request: RequestId,
  subject: Sha256,
  reviewer: UserId,
  comment: z.string(),
  decidedAt: z.number(),
})
export type SignedStatement = z.infer<typeof SignedStatement>

/** What a reviewer's key signs who answers a workflow. By its format it never passes for an approval of code. */
export const SignedAnswer = z.strictObject({
  format: z.literal('countersign.answer.1'),
  verdict: z.enum(['approve', 'deny']),
  workflow: WorkflowId,
  task: z.string(),
  /** Of all that was asked, and asked about. */
  subject: Sha256,
  candidate: z.number().int().nullable(),
  reviewer: UserId,
  comment: z.string(),
  decidedAt: z.number(),
})
export type SignedAnswer = z.infer<typeof SignedAnswer>

/** Someone who can ask, review and sign. The private key stays in the key store and is never shown. */
export const Identity = z.object({
  id: UserId,
  tenant: TenantId,
  name: z.string(),
  /** Ed25519, SPKI in base64. */
  publicKey: z.string(),
  /** True when the key opens only with a passphrase. */
  protected: z.boolean(),
  createdAt: z.number(),
  /** Who vouched for this key, and when. Four eyes need an identity with a passphrase that somebody else vouched for. */
  vouches: z.array(z.object({ by: UserId, at: z.number() })),
})
export type Identity = z.infer<typeof Identity>

export const NewIdentity = z.object({
  /** Nothing in it is unseen: two people could not be told apart. */
  name: z.string().overwrite(plainName).min(1).max(100).refine(showsItself, 'has characters that nobody sees'),
  passphrase: z.string().min(8, 'must have at least 8 characters').max(1000).optional(),
})
export type NewIdentity = z.infer<typeof NewIdentity>

export const Person = z.object({ id: UserId, name: z.string() })
export type Person = z.infer<typeof Person>

/**
 * `waiting`: a dialog is open. `saved`: it was closed or timed out; the request stays in the queue. `used`: the run it
 * was approved for has begun. `voided`: the code or the cell changed after it was asked for.
 */
export const requestStates = [
  'waiting',
  'saved',
  'approved',
  'used',
  'denied',
  'expired',
  'cancelled',
  'voided',
] as const
export const RequestState = z.enum(requestStates)
export type RequestState = z.infer<typeof RequestState>

/** States in which a reviewer can still decide. */
export const openStates = ['waiting', 'saved'] as const satisfies readonly RequestState[]
export const isOpen = (state: RequestState): boolean => state === 'waiting' || state === 'saved'

export const Comment = z.object({ author: Person, at: z.number(), text: z.string() })
export type Comment = z.infer<typeof Comment>

/** One version of the code under review: the first by the requester, each later one by the reviewer who edited it. */
export const Revision = z.object({
  number: z.number().int().positive(),
  author: Person,
  at: z.number(),
  code: z.string(),
})
export type Revision = z.infer<typeof Revision>

const requestBasics = {
  id: RequestId,
  tenant: TenantId,
  conversation: ConversationId,
  path: PathId,
  cell: CellId.nullable(),
  run: RunId,
  requester: Person,
  state: RequestState,
  /** `four-eyes`: nobody who wrote any version of the code may approve it. */
  needs: z.enum(['approve', 'four-eyes']),
  reasons: z.array(PolicyReason),
  risk: RiskLevel,
  language: Language,
  sandbox: SandboxKind,
  revision: z.number().int().positive(),
  createdAt: z.number(),
  /** The dialog closes then and the request is saved for later. */
  dialogUntil: z.number(),
  /** After this nothing about the request can be decided or used. */
  expiresAt: z.number(),
  reviewer: Person.nullable(),
  decidedAt: z.number().nullable(),
  /** Why it left the queue, where no reviewer decided: withdrawn, voided by an edit, expired. */
  note: z.string(),
}

/** A line of the review queue. */
export const RequestSummary = z.object({
  ...requestBasics,
  /** The first line of code that says something. */
  title: z.string(),
  findings: z.number().int(),
  comments: z.number().int(),
})
export type RequestSummary = z.infer<typeof RequestSummary>

/** A request with all that a reviewer needs to decide. */
export const ApprovalRequest = z.object({
  ...requestBasics,
  code: z.string(),
  inspection: Inspection,
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  placement: Placement,
  /** Everyone who wrote any part of the code. */
  authors: z.array(Person),
  /** SHA-256 of the subject as it stands. An approval names it, so that nobody approves a version they did not see. */
  subject: Sha256,
  decision: Decision.nullable(),
  comments: z.array(Comment),
  revisions: z.array(Revision),
})
export type ApprovalRequest = z.infer<typeof ApprovalRequest>

const wellFormed = 'is not well-formed Unicode'
const comment = z
  .string()
  .max(10_000)
  .refine(text => text.isWellFormed(), wellFormed)
  .default('')

/** What a reviewer can answer. Only `approve` lets anything run. */
export const Verdict = z.discriminatedUnion('kind', [
  /** `seen` is the `subject` of the request as it was shown. */
  z.object({ kind: z.literal('approve'), seen: Sha256, comment }),
  z.object({ kind: z.literal('deny'), comment }),
  /** Puts other code in its place, inspected again; the request then waits for a decision on that. */
  z.object({
    kind: z.literal('edit'),
    seen: Sha256,
    code: z
      .string()
      .min(1)
      .refine(code => code.isWellFormed(), wellFormed)
      .refine(code => new TextEncoder().encode(code).length <= maxCodeBytes, 'is longer than 100 KB'),
    /** Hosts to grant in place of those that were asked for; left out: the same. */
    network: z.array(GrantText).max(64).optional(),
    comment,
  }),
  z.object({ kind: z.literal('later'), comment }),
])
export type Verdict = z.infer<typeof Verdict>
export type VerdictInput = z.input<typeof Verdict>

export const RequestFilter = z.object({
  tenant: TenantId,
  states: z.array(RequestState).optional(),
  risks: z.array(RiskLevel).optional(),
  languages: z.array(Language).optional(),
  requester: UserId.optional(),
  /** Leaves out what this person asked for: what waits for their eyes. */
  exceptRequester: UserId.optional(),
  conversation: ConversationId.optional(),
  path: PathId.optional(),
  cell: CellId.optional(),
  /** Found in the code, ignoring case. */
  text: z.string().max(200).optional(),
  /** Only requests made before this one: the id of the last line of the page before. */
  before: RequestId.optional(),
  limit: z.number().int().min(1).max(500).default(100),
})
export type RequestFilter = z.input<typeof RequestFilter>

/** The code that was last approved for a cell, for showing what changes against it. */
export const LastApproved = z.object({
  request: RequestId,
  code: z.string(),
  reviewer: Person,
  decidedAt: z.number(),
})
export type LastApproved = z.infer<typeof LastApproved>

/** Sent after the change is durable, never before. */
export const ApprovalEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('request'), request: RequestSummary }),
  z.object({ type: z.literal('policy'), version: Sha256 }),
])
export type ApprovalEvent = z.infer<typeof ApprovalEvent>
