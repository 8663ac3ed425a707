import { z } from 'zod'
import { AnalysisMark, exampleKinds } from './analyses.ts'
import { AuditScope, Checkpoint, Sha256 } from './audit.ts'
import { isolations, Language, RiskLevel, SandboxKind } from './run.ts'

/** Someone on the record: the name that the record knows, or the beginning of the id. */
const Who = z.string()

/** A worked example of an analysis: inputs as JSON, and what must come of them. */
export const WorkedExample = z.object({
  name: z.string(),
  kind: z.enum(exampleKinds),
  source: z.string().nullable(),
  input: z.string(),
  output: z.string(),
})
export type WorkedExample = z.infer<typeof WorkedExample>

export const ReportDecision = z.object({
  by: z.enum(['policy', 'reviewer']),
  verdict: z.enum(['approve', 'deny']),
  reviewer: Who.nullable(),
  reviewerId: z.string().nullable(),
  comment: z.string(),
  at: z.number(),
  /** Base64, and whether it holds over what the record says; null when the policy decided and nobody signed. */
  signature: z.string().nullable(),
  signatureHolds: z.boolean().nullable(),
})

/** What the guard foresaw and what then happened, side by side. */
export const ReportEffects = z.object({
  /** Null where the prediction is not on the record in this scope. */
  foreseen: z.array(z.string()).nullable(),
  observed: z.array(z.string()),
  /** Observed and not foreseen: what a reviewer could not have known. */
  unforeseen: z.array(z.string()),
  /** Places that could not be worked out before the run. */
  unknown: z.number().int(),
})
export type ReportEffects = z.infer<typeof ReportEffects>

export const runResults = ['success', 'failure', 'syntax', 'refused', 'interrupted', 'running'] as const

export const ReportRun = z.object({
  run: z.string(),
  /** Entries that tell of it. */
  seqs: z.array(z.number().int()),
  at: z.number(),
  who: Who,
  /** Null when nobody's: the application itself. */
  whoId: z.string().nullable(),
  conversation: z.string().nullable(),
  language: Language.or(z.string()),
  risk: RiskLevel.nullable(),
  sandbox: SandboxKind.or(z.string()),
  isolation: z.enum(isolations).nullable(),
  codeHash: z.string(),
  /** The analysis that made the code, with its version, hash, law and examples. */
  analysis: AnalysisMark.nullable(),
  /** Null where policy does not keep code, or retention has removed it. */
  code: z.string().nullable(),
  output: z.string().nullable(),
  violations: z.array(z.object({ type: z.string(), severity: RiskLevel, line: z.number(), rule: z.string() })),
  /** Why a reviewer was asked, in the policy's words. */
  asked: z.array(z.string()),
  decision: ReportDecision.nullable(),
  /** `syntax`: the compiler rejected it, before the run or in the sandbox. */
  result: z.enum(runResults),
  reason: z.string().nullable(),
  exitCode: z.number().nullable(),
  durationMs: z.number().nullable(),
  cpuMs: z.number().nullable(),
  peakMemoryBytes: z.number().nullable(),
  effects: ReportEffects,
  network: z.array(z.object({ target: z.string(), allowed: z.boolean(), count: z.number().int() })),
  warnings: z.array(z.string()),
})
export type ReportRun = z.infer<typeof ReportRun>

export const RunCounts = z.object({
  runs: z.number().int(),
  success: z.number().int(),
  failure: z.number().int(),
  syntax: z.number().int(),
  refused: z.number().int(),
  interrupted: z.number().int(),
})
export type RunCounts = z.infer<typeof RunCounts>

const Event = z.object({ seq: z.number().int(), at: z.number(), who: Who, action: z.string(), what: z.string() })
export type ReportEvent = z.infer<typeof Event>

export const Report = z.object({
  format: z.literal(1),
  title: z.string(),
  scope: AuditScope,
  generatedAt: z.number(),
  generatedBy: Who,
  from: z.number().nullable(),
  to: z.number().nullable(),
  record: z.object({
    log: Sha256,
    checkpoint: Checkpoint,
    firstKey: Sha256.nullable(),
    verified: z.boolean(),
    findings: z.array(z.string()),
    notices: z.array(z.string()),
  }),
  entries: z.number().int(),
  totals: RunCounts.extend({ people: z.number().int(), conversations: z.number().int() }),
  approvals: z.object({
    requested: z.number().int(),
    approved: z.number().int(),
    denied: z.number().int(),
    expired: z.number().int(),
    byPolicy: z.number().int(),
  }),
  byRisk: z.array(RunCounts.extend({ name: z.string() })),
  bySandbox: z.array(RunCounts.extend({ name: z.string() })),
  byDay: z.array(RunCounts.extend({ name: z.string() })),
  violations: z.array(z.object({ type: z.string(), severity: RiskLevel, count: z.number(), runs: z.number() })),
  performance: z.object({
    medianMs: z.number(),
    p95Ms: z.number(),
    longestMs: z.number(),
    cpuMs: z.number(),
    peakMemoryBytes: z.number(),
  }),
  security: z.object({
    networkAllowed: z.number().int(),
    networkRefused: z.number().int(),
    unforeseen: z.number().int(),
    unconfined: z.number().int(),
    reveals: z.number().int(),
  }),
  /** Who took part, the busiest first. */
  people: z.array(
    z.object({
      name: Who,
      entries: z.number().int(),
      runs: z.number().int(),
      decisions: z.number().int(),
      readings: z.number().int(),
    }),
  ),
  /** Texts that left for a model, a cloud sandbox or an alert, with what the egress guard found in them. */
  departures: z.array(
    z.object({
      destination: z.string(),
      to: z.string(),
      sent: z.number().int(),
      held: z.number().int(),
      found: z.record(z.string(), z.number().int()),
    }),
  ),
  /** Sandboxes at a service: how many, how long they were awake at most, and how often a person let a path go there. */
  cloud: z.object({
    sandboxes: z.number().int(),
    seconds: z.number(),
    allowed: z.number().int(),
    revoked: z.number().int(),
  }),
  /** Analyses that ran, each version once: in how many runs with its code untouched and touched, and on how many cases. */
  analyses: z.array(
    AnalysisMark.pick({
      analysis: true,
      version: true,
      title: true,
      origin: true,
      status: true,
      sha256: true,
      citations: true,
      examples: true,
    }).extend({
      untouched: z.number().int(),
      touched: z.number().int(),
      cases: z.number().int(),
      /** The examples of the version that the hash is of; null where its texts are not here or may not leave. */
      worked: z.array(WorkedExample).nullable(),
    }),
  ),
  /** Runs of high and critical risk, and whatever their risk all that a reviewer decided on or that were refused. */
  highRisk: z.array(ReportRun),
  /** How many more there were than are listed. */
  highRiskOmitted: z.number().int(),
  unforeseen: z.array(
    z.object({ run: z.string(), seq: z.number().int(), at: z.number(), effects: z.array(z.string()) }),
  ),
  access: z.array(Event),
  changes: z.array(Event),
  hashes: z.array(z.object({ seq: z.number().int(), hash: Sha256, action: z.string(), at: z.number() })),
})
export type Report = z.infer<typeof Report>

export const reportFormats = ['pdf', 'html', 'csv', 'json'] as const
export const ReportFormat = z.enum(reportFormats)
export type ReportFormat = z.infer<typeof ReportFormat>
