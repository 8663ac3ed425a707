import { z } from 'zod'
import { CellId, ConversationId, EntryId, PathId, RequestId, RunId, TenantId, UserId } from './ids.ts'
import { RiskLevel, SandboxKind } from './run.ts'

/** 32 bytes in hex. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** Everything that can stand on the record, by name. The list is closed: reports and filters have a table over it. */
export const auditActions = [
  'run.intended',
  'run.finished',
  'run.refused',
  'approval.requested',
  'approval.decided',
  'approval.changed',
  'approval.expired',
  'approval.rejected',
  'conversation.created',
  'conversation.renamed',
  'conversation.deleted',
  'conversation.restored',
  'conversation.erased',
  'template.saved',
  'template.removed',
  'conversation.imported',
  'conversation.exported',
  'path.branched',
  'path.merged',
  'path.merge-undone',
  'path.archived',
  'path.deleted',
  'path.restored',
  'path.erased',
  'path.renamed',
  'path.compared',
  'path.replayed',
  'figure.pinned',
  'figure.unpinned',
  'figure.changed',
  'message.added',
  'message.edited',
  'message.removed',
  'workflow.started',
  'workflow.checkpoint',
  'workflow.decided',
  'workflow.completed',
  'workflow.failed',
  'workflow.aborted',
  'context.created',
  'context.paused',
  'context.resumed',
  'context.ended',
  'image.built',
  'image.removed',
  'network.narrowed',
  'cloud.allowed',
  'cloud.revoked',
  'feed.fetched',
  'file.uploaded',
  'file.downloaded',
  'file.removed',
  'privacy.revealed',
  'privacy.allowed',
  'privacy.erased',
  'egress.passed',
  'mcp.added',
  'mcp.removed',
  'mcp.logged-in',
  'mcp.logged-out',
  'mcp.accepted',
  'mcp.called',
  'mcp.searched',
  'settings.changed',
  'environment.added',
  'environment.removed',
  'environment.chosen',
  'policy.changed',
  'identity.created',
  'identity.vouched',
  'identity.vouch-withdrawn',
  'reviewer.logged-in',
  'key.created',
  'key.rotated',
  'audit.verified',
  'audit.read',
  'audit.exported',
  'audit.pruned',
  'alert.raised',
  'application.started',
  'application.stopped',
] as const
export const AuditAction = z.enum(auditActions)
export type AuditAction = z.infer<typeof AuditAction>

/** One entry as it stands on the record. The canonical JSON of this object is what the chain is made of. */
export const AuditEntry = z.object({
  seq: z.number().int().nonnegative(),
  id: EntryId,
  /** Wall clock in milliseconds. The order of the record is that of `seq`: a clock may be set back. */
  at: z.number().int(),
  /** One start of the application, from first entry to last. */
  session: z.uuid(),
  tenant: TenantId,
  actor: UserId.nullable(),
  action: AuditAction,
  conversation: ConversationId.optional(),
  path: PathId.optional(),
  cell: CellId.optional(),
  run: RunId.optional(),
  request: RequestId.optional(),
  /** `risk`, `sandbox`, `success` and `codeHash` in here are what filters look for. */
  details: z.json(),
  /** Name → SHA-256 of a text in the body store. */
  bodies: z.record(z.string(), Sha256).optional(),
  /** Name → salted commitment to a personal value, which can be erased without touching the entry. */
  personal: z.record(z.string(), Sha256).optional(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

/** How a run ended; `syntax`: the compiler rejected its code, so no line of it ran. */
export const auditResults = ['success', 'failure', 'syntax', 'refused'] as const
export const AuditResult = z.enum(auditResults)
export type AuditResult = z.infer<typeof AuditResult>

/** Which entries are asked for; a list means any of its values, several filters mean all of them. */
export const AuditFilter = z.object({
  from: z.number().int().optional().describe('Not before, in milliseconds'),
  to: z.number().int().optional().describe('Not after, in milliseconds'),
  actors: z.array(UserId).max(20).optional(),
  actions: z.array(AuditAction).max(auditActions.length).optional(),
  risks: z.array(RiskLevel).optional(),
  results: z.array(AuditResult).optional(),
  sandboxes: z.array(SandboxKind).optional(),
  codeHash: Sha256.optional(),
  conversation: ConversationId.optional(),
  path: PathId.optional(),
  run: RunId.optional(),
  request: RequestId.optional(),
  text: z
    .string()
    .max(500)
    .optional()
    .describe('Words, "exact phrases" and prefix* (two letters or more) in details, code and output'),
})
export type AuditFilter = z.infer<typeof AuditFilter>

/** Where a page ended: hand it back to get the next one. */
export const AuditCursor = z.object({ at: z.number().int(), seq: z.number().int() })
export type AuditCursor = z.infer<typeof AuditCursor>

export const AuditQuery = z.object({
  filter: AuditFilter.default({}),
  limit: z.number().int().min(1).max(500).default(50),
  after: AuditCursor.optional(),
})
export type AuditQuery = z.input<typeof AuditQuery>

/** How a run that is on the record went on: an intent without an outcome was interrupted. */
export const runStates = ['finished', 'refused', 'running', 'interrupted'] as const

export const AuditItem = z.object({
  entry: AuditEntry,
  hash: Sha256,
  /** Only for `run.intended`. */
  runState: z.enum(runStates).optional(),
  /** The first line of the code that it is about, in a list; the code itself is on the entry's page. */
  codeLine: z.string().optional(),
})
export type AuditItem = z.infer<typeof AuditItem>

export const AuditPage = z.object({
  /** Newest first. */
  items: z.array(AuditItem),
  next: AuditCursor.nullable(),
})
export type AuditPage = z.infer<typeof AuditPage>

/** A signed statement about the first `size` entries. */
export const Checkpoint = z.object({
  log: Sha256,
  size: z.number().int().positive(),
  root: Sha256,
  at: z.number().int(),
  /** Fingerprint of the signing key. */
  key: Sha256,
  signature: z.string(),
})
export type Checkpoint = z.infer<typeof Checkpoint>

/** RFC 9162 inclusion proof: with the entry and `previous`, `path` leads to the checkpoint's root. */
export const InclusionProof = z.object({
  seq: z.number().int().nonnegative(),
  previous: Sha256,
  hash: Sha256,
  path: z.array(Sha256),
  checkpoint: Checkpoint,
})
export type InclusionProof = z.infer<typeof InclusionProof>

/** An entry's page: the entry, its texts and the proof that it is on the record. */
export const AuditDetail = z.object({
  item: AuditItem,
  /** Null where a text was not kept or is damaged. */
  bodies: z.record(z.string(), z.string().nullable()),
  /** Null where the value has been erased. */
  personal: z.record(z.string(), z.string().nullable()),
  proof: InclusionProof.nullable(),
})
export type AuditDetail = z.infer<typeof AuditDetail>

export const findingKinds = [
  'changed',
  'removed',
  'inserted',
  'reordered',
  'truncated',
  'rewritten',
  'checkpoint',
  'key',
  'seal',
  'index',
  'table',
  'tombstone',
  'body',
  'personal',
  'unreadable',
  'bundle',
] as const

/** Something that is wrong with the record, and where. */
export const Finding = z.object({
  kind: z.enum(findingKinds),
  message: z.string(),
  seq: z.number().int().nullable(),
  last: z.number().int().nullable(),
})
export type Finding = z.infer<typeof Finding>

export const Verification = z.object({
  ok: z.boolean(),
  entries: z.number().int(),
  /** Entries that retention has emptied. */
  emptied: z.number().int(),
  checkpoints: z.number().int(),
  bodies: z.number().int(),
  root: Sha256,
  /** Fingerprint of the key that introduces the record, to compare with one known from elsewhere. */
  firstKey: Sha256.nullable(),
  findings: z.array(Finding),
  /** Not damage, but worth knowing: the clock was set back, the last entries have no checkpoint yet. */
  notices: z.array(z.string()),
  tookMs: z.number(),
})
export type Verification = z.infer<typeof Verification>

/** What a report or a bundle is about. */
export const AuditScope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('all') }),
  z.object({ kind: z.literal('period'), from: z.number().int(), to: z.number().int() }),
  z.object({ kind: z.literal('conversation'), conversation: ConversationId }),
  /** One calculation: everything about one run, its approval included. */
  z.object({ kind: z.literal('run'), run: RunId }),
])
export type AuditScope = z.infer<typeof AuditScope>

/** What a bundle says of itself, signed. */
export const BundleManifest = z.object({
  format: z.literal(1),
  log: Sha256,
  at: z.number().int(),
  key: Sha256,
  scope: AuditScope,
  /** True when it holds the record from its first entry to its last. */
  whole: z.boolean(),
  entries: z.object({ count: z.number().int(), first: z.number().int(), last: z.number().int() }),
  checkpoint: Checkpoint,
  /** What was wrong with the record when the bundle was made, in words. */
  damage: z.array(z.string()).optional(),
  /** Texts that the privacy policy kept out, by hash. */
  withheld: z.array(Sha256),
  /** Name → SHA-256. */
  files: z.record(z.string(), Sha256),
  signature: z.string(),
})
export type BundleManifest = z.infer<typeof BundleManifest>

export const Pruning = z.object({
  /** Entries emptied and texts removed by this call. */
  entries: z.number().int(),
  bodies: z.number().int(),
  first: z.number().int().nullable(),
  last: z.number().int().nullable(),
})
export type Pruning = z.infer<typeof Pruning>
