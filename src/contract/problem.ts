import { z } from 'zod'

/**
 * Every failure that a person can meet, by code. The list is closed: a table keyed by it fails to compile until it
 * knows a new code. Codes read `area.what`.
 */
export const problemCodes = [
  'internal.bug',
  'request.invalid',
  'request.unknown',
  'request.too-large',
  'request.cancelled',
  'access.denied',
  'not-found',
  'conflict',
  // storage and files
  'storage.newer',
  'storage.read-only',
  'storage.full',
  'storage.locked',
  'storage.corrupt',
  'storage.failed',
  'settings.corrupt',
  'settings.unwritable',
  'settings.invalid',
  'settings.untrusted',
  'settings.unconfirmed',
  'keys.sealed',
  'files.missing',
  'files.damaged',
  'files.not-kept',
  // audit and reports
  'audit.bad-bundle',
  'audit.damaged',
  'report.no-printer',
  'report.print-failed',
  'alert.undelivered',
  // doors
  'door.taken',
  'door.failed',
  // sandboxes
  'sandbox.unavailable',
  'sandbox.too-weak',
  'sandbox.mismatch',
  'sandbox.failed',
  'sandbox.closed',
  'sandbox.no-table',
  'sandbox.busy',
  'sandbox.cannot-fork',
  'sandbox.refused-path',
  // Python environments
  'environment.unknown',
  'environment.changed',
  'sandbox.refused-network',
  'cloud.not-allowed',
  'cloud.limit',
  // execution contexts
  'context.none',
  'context.too-many',
  'context.unavailable',
  'context.elsewhere',
  'context.cannot-fork',
  'context.closed',
  // runs
  'run.syntax',
  // policy and approval
  'policy.blocked',
  'policy.unreadable',
  'approval.denied',
  'approval.decided',
  'approval.expired',
  'approval.cancelled',
  'approval.voided',
  'approval.used',
  'approval.undecided',
  'approval.outdated',
  'approval.mismatch',
  'approval.forged',
  'approval.four-eyes',
  'approval.unsaid',
  'identity.unknown',
  'identity.locked',
  // conversations and notebooks
  'path.main',
  'path.open',
  'path.archived',
  'path.deleted',
  'path.needed',
  'merge.impossible',
  'undo.nothing',
  'undo.changed',
  'figure.gone',
  'report.stale',
  'notebook.too-large',
  'notebook.unreadable',
  'notebook.unsupported',
  'notebook.invalid',
  // workflows
  'workflow.invalid',
  'workflow.bad-input',
  'workflow.bad-output',
  'workflow.conflict',
  'workflow.over',
  'workflow.edited',
  'workflow.unsupported',
  'workflow.uncertain',
  // analyses
  'analysis.unknown',
  'analysis.broken',
  'analysis.input',
  'analysis.range',
  'analysis.refused',
  'analysis.failed',
  'workflow.task-failed',
  // privacy
  // the application's own requests to official sources
  'network.refused',
  'network.unreachable',
  'network.answer',
  'privacy.held',
  'privacy.reason',
  'privacy.unknown-token',
  'privacy.vault',
  // servers of the user's
  'mcp.unreachable',
  'mcp.unaccepted',
  'mcp.failed',
  'mcp.arguments',
  'mcp.busy',
  'mcp.sign-in',
  'mcp.login-failed',
  // the assistant
  'chat.no-model',
  'chat.key',
  'chat.credit',
  'chat.rate-limit',
  'chat.overloaded',
  'chat.unknown-model',
  'chat.no-network',
  'chat.cut',
  'chat.garbled',
  'chat.provider',
  'chat.slow',
  'chat.policy',
  'chat.unseen',
  'chat.limit',
  'chat.too-long',
  'chat.busy',
  'chat.interrupted',
  // the model for names
  'names.no-folder',
  'names.incomplete',
  'names.unreadable',
  'names.no-persons',
  'names.failed',
  'names.slow',
] as const

export const Problem = z.object({
  code: z.enum(problemCodes),
  /** A sentence for a person: what went wrong. */
  message: z.string(),
  /** What the person can do about it. */
  hint: z.string(),
})
export type ProblemCode = (typeof problemCodes)[number]
export type Problem = z.infer<typeof Problem>

/** An expected failure is a value. */
export type Outcome<T, P extends Problem = Problem> = { ok: true; value: T } | { ok: false; problem: P }

export const ok = <T>(value: T): { ok: true; value: T } => ({ ok: true, value })
export const problem = (code: ProblemCode, message: string, hint: string): Problem => ({ code, message, hint })
export const fail = (code: ProblemCode, message: string, hint: string): { ok: false; problem: Problem } => ({
  ok: false,
  problem: problem(code, message, hint),
})

/**
 * A problem that can strike at any line (the disk fills, the database is locked) and so travels as an exception to
 * the door, which shows it like any other. Decisions and refusals are never thrown: they are `Outcome` values.
 */
export class Failure extends Error {
  readonly problem: Problem
  constructor(code: ProblemCode, message: string, hint: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'Failure'
    this.problem = problem(code, message, hint)
  }
}

/** The problem behind anything that was thrown; what is not a `Failure` is a bug of ours and says so. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Failure) return thrown.problem
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return problem('internal.bug', `Something went wrong inside Countersign: ${message}`, 'The log has the details.')
}
