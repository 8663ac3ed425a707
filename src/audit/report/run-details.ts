import { z } from 'zod'
import { AnalysisMark } from '../../contract/analyses.ts'
import { Decision } from '../../contract/approval.ts'
import { Impact } from '../../contract/inspection.ts'
import { NetworkRequest } from '../../contract/network.ts'
import { FileChanges, Isolation, RiskLevel } from '../../contract/run.ts'

/**
 * What runs and approvals write into `details`, as far as a report needs it. A field that an older or newer version
 * wrote differently is left out of the report; the entry itself is still counted.
 */
const known = {
  codeHash: z.string().catch(''),
  language: z.string().catch(''),
  risk: RiskLevel.nullable().catch(null),
  sandbox: z.string().catch(''),
}

const Violations = z
  .array(z.object({ type: z.string(), severity: RiskLevel, line: z.number(), rule: z.string() }))
  .catch([])

export const IntendedDetails = z.object({
  ...known,
  violations: Violations,
  impact: Impact.nullable().catch(null),
  decision: Decision.nullable().catch(null),
  analysis: AnalysisMark.nullable().catch(null),
})

export const FinishedDetails = z.object({
  ...known,
  success: z.boolean().catch(false),
  exitCode: z.number().nullable().catch(null),
  error: z.object({ kind: z.string(), name: z.string() }).nullable().catch(null),
  isolation: Isolation.nullable().catch(null),
  executionTimeMs: z.number().nullable().catch(null),
  cpuTimeMs: z.number().nullable().catch(null),
  peakMemoryBytes: z.number().nullable().catch(null),
  files: FileChanges.catch({ created: [], modified: [], deleted: [] }),
  network: z.array(NetworkRequest).catch([]),
  warnings: z.array(z.string()).catch([]),
})

export const RefusedDetails = z.object({
  ...known,
  violations: Violations,
  impact: Impact.nullable().catch(null),
  code: z.string().catch(''),
  reason: z.string().catch(''),
})

/** What a reviewer was shown. */
export const RequestedDetails = z.object({ violations: Violations, reasons: z.array(z.string()).catch([]) })

/** A reviewer's decision with everything that is needed to check its signature. */
export const DecidedDetails = z.object({
  format: z.string(),
  verdict: z.enum(['approve', 'deny']),
  request: z.string(),
  subject: z.string(),
  reviewer: z.string(),
  comment: z.string(),
  decidedAt: z.number(),
  signature: z.string(),
  publicKey: z.string(),
})
export type DecidedDetails = z.infer<typeof DecidedDetails>
