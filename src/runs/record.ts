import { createHash } from 'node:crypto'
import type { AuditEvent } from '../audit/audit.ts'
import type { AnalysisMark } from '../contract/analyses.ts'
import type { RequestId } from '../contract/ids.ts'
import type { Problem } from '../contract/problem.ts'
import type { RunOutcome } from '../contract/run.ts'
import type { ToolGrant } from '../contract/tools.ts'
import type { ClearedRun, DraftRun, InspectedRun, PlacedRun } from './run.ts'

/** What the record says of a run. Texts come in already redacted; everything here is plain data. */

const about = (run: DraftRun): Omit<AuditEvent, 'action' | 'details'> => ({
  tenant: run.tenant,
  actor: run.requester,
  conversation: run.conversation,
  path: run.path,
  ...(run.cell ? { cell: run.cell } : {}),
  run: run.id,
})

export function intended(
  run: ClearedRun,
  codeHash: string,
  code: string | null,
  analysis: AnalysisMark | null,
): AuditEvent {
  return {
    ...about(run),
    ...(run.decision.request ? { request: run.decision.request } : {}),
    action: 'run.intended',
    details: {
      codeHash,
      language: run.language,
      ...(run.revision === null ? {} : { revision: run.revision }),
      authors: [...run.authors],
      ...placeOf(run),
      limits: plain(run.placement.limits),
      network: [...run.placement.network],
      ...(run.placement.tools ? { tools: run.placement.tools.map(toolOf) } : {}),
      ...foundIn(run),
      ...(analysis ? { analysis: plain(analysis) } : {}),
      decision: plain(run.decision),
    },
    ...(code === null ? {} : { bodies: { code } }),
  }
}

export function finished(
  run: ClearedRun,
  outcome: RunOutcome,
  codeHash: string,
  bodies: { code: string | null; stdout: string; stderr: string },
): AuditEvent {
  const { stdout, stderr, code } = bodies
  return {
    ...about(run),
    action: 'run.finished',
    details: {
      codeHash,
      language: run.language,
      risk: run.inspection.risk,
      success: outcome.success,
      exitCode: outcome.exitCode,
      error: outcome.error ? { kind: outcome.error.kind, name: outcome.error.name } : null,
      sandbox: outcome.sandbox,
      sandboxId: outcome.sandboxId,
      isolation: outcome.isolation,
      executionTimeMs: outcome.executionTimeMs,
      cpuTimeMs: outcome.cpuTimeMs,
      peakMemoryBytes: outcome.peakMemoryBytes,
      files: plain(outcome.files),
      ...(outcome.stateChanges ? { variables: plain(outcome.stateChanges) } : {}),
      manifests: outcome.manifests ? plain(outcome.manifests) : null,
      network: plain(outcome.network),
      ...(outcome.tools ? { tools: plain(outcome.tools.map(({ message: _, ...call }) => call)) } : {}),
      warnings: outcome.warnings,
      truncated: outcome.truncated,
      ...(outcome.kept ? { kept: plain(outcome.kept) } : {}),
      outputsHash: outputsHash(outcome),
    },
    bodies: {
      ...(code === null ? {} : { code }),
      ...(stdout ? { stdout } : {}),
      ...(stderr ? { stderr } : {}),
    },
  }
}

/** Over the outputs as they are kept, so that a figure can be held against what its run showed. */
const outputsHash = ({ outputs }: RunOutcome): string =>
  createHash('sha256')
    .update(outputs.map(output => JSON.stringify(output)).join('\n'))
    .digest('hex')

/** A run that was turned away tells as much as one that ran: it is what an auditor looks at first. */
export function refused(
  run: InspectedRun | PlacedRun,
  codeHash: string,
  problem: Problem,
  code: string | null,
  request: RequestId | null,
): AuditEvent {
  return {
    ...about(run),
    ...(request ? { request } : {}),
    action: 'run.refused',
    details: {
      codeHash,
      language: run.language,
      ...('placement' in run ? placeOf(run) : {}),
      ...foundIn(run),
      code: problem.code,
      reason: problem.message,
    },
    ...(code === null ? {} : { bodies: { code } }),
  }
}

/** Where it was to run, and why there. */
const placeOf = ({ placement: { kind, isolation, image, environment, mounts, reasons, warnings } }: PlacedRun) => ({
  sandbox: kind,
  placement: plain({ isolation, image, environment, mounts, reasons, warnings }),
})

const toolOf = ({ server, tool, hash, effect }: ToolGrant) => ({ server, tool, hash, effect })

/** What the guard said of the code. */
const foundIn = ({ inspection: { risk, violations, impact } }: InspectedRun) => ({
  risk,
  violations: violations.map(({ rule, type, severity, line }) => ({ rule, type, severity, line })),
  impact: plain(impact),
})

/** The same value as plain JSON: undefined members gone, readonly arrays copied. */
const plain = (value: object): AuditEvent['details'] => JSON.parse(JSON.stringify(value))
