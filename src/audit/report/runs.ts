import { signatureHolds } from '../../../resources/verify.mjs'
import type { AuditEntry, AuditItem } from '../../contract/audit.ts'
import { compareEffects } from '../../contract/effects.ts'
import type { ReportRun } from '../../contract/report.ts'
import { DecidedDetails, FinishedDetails, IntendedDetails, RefusedDetails, RequestedDetails } from './run-details.ts'

/** The entries of one run, gathered from wherever they stand on the record. */
export interface RunEntries {
  intended: AuditEntry | null
  finished: AuditEntry | null
  refused: AuditEntry | null
  requested: AuditEntry | null
  decided: AuditEntry | null
  state: AuditItem['runState']
}

export const noEntries = (): RunEntries => ({
  intended: null,
  finished: null,
  refused: null,
  requested: null,
  decided: null,
  state: undefined,
})

/** A run as the report tells it; texts are filled in by whoever can read them. */
export function tellRun(run: string, entries: RunEntries, nameOf: (id: string | null) => string): ReportRun {
  const intended = entries.intended && IntendedDetails.safeParse(entries.intended.details).data
  const finished = entries.finished && FinishedDetails.safeParse(entries.finished.details).data
  const refused = entries.refused && RefusedDetails.safeParse(entries.refused.details).data
  const requested = entries.requested && RequestedDetails.safeParse(entries.requested.details).data
  const any = entries.intended ?? entries.refused ?? entries.finished ?? entries.decided
  const seqs = [entries.requested, entries.decided, entries.intended, entries.finished, entries.refused].flatMap(
    each => each?.seq ?? [],
  )
  const actor = (entries.intended ?? entries.refused ?? entries.finished)?.actor ?? null
  const isMistyped = refused?.code === 'run.syntax' || finished?.error?.kind === 'syntax'
  return {
    run,
    seqs,
    at: any?.at ?? 0,
    who: nameOf(actor),
    whoId: actor,
    conversation: any?.conversation ?? null,
    language: intended?.language || refused?.language || finished?.language || '',
    risk: intended?.risk ?? refused?.risk ?? finished?.risk ?? null,
    sandbox: finished?.sandbox || intended?.sandbox || refused?.sandbox || '',
    isolation: finished?.isolation ?? null,
    codeHash: intended?.codeHash || refused?.codeHash || finished?.codeHash || '',
    analysis: intended?.analysis ?? null,
    code: null,
    output: null,
    violations: (intended ?? refused ?? requested)?.violations ?? [],
    asked: requested?.reasons ?? [],
    decision: decisionOf(intended?.decision ?? null, entries.decided, nameOf),
    result: isMistyped ? 'syntax' : resultOf(entries, finished?.success),
    reason: refused?.reason ?? (finished?.error ? `${finished.error.kind}: ${finished.error.name}` : null),
    exitCode: finished?.exitCode ?? null,
    durationMs: finished?.executionTimeMs ?? null,
    cpuMs: finished?.cpuTimeMs ?? null,
    peakMemoryBytes: finished?.peakMemoryBytes ?? null,
    effects: compareEffects((intended ?? refused)?.impact ?? null, finished ?? null),
    network: (finished?.network ?? []).map(({ host, port, allowed, count = 1 }) => ({
      target: `${host}:${port}`,
      allowed,
      count,
    })),
    warnings: finished?.warnings ?? [],
  }
}

function resultOf(entries: RunEntries, success: boolean | undefined): ReportRun['result'] {
  if (entries.finished) return success ? 'success' : 'failure'
  if (entries.refused) return 'refused'
  return entries.state === 'running' ? 'running' : 'interrupted'
}

function decisionOf(
  decision: NonNullable<ReturnType<typeof IntendedDetails.parse>['decision']> | null,
  decided: AuditEntry | null,
  nameOf: (id: string | null) => string,
): ReportRun['decision'] {
  const signed = decided && DecidedDetails.safeParse(decided.details).data
  if (signed) {
    return {
      by: 'reviewer',
      verdict: signed.verdict,
      reviewer: nameOf(signed.reviewer),
      reviewerId: signed.reviewer,
      comment: signed.comment,
      at: signed.decidedAt,
      signature: signed.signature,
      signatureHolds: holds(signed),
    }
  }
  if (!decision) return null
  const { by, verdict, reviewer, comment, decidedAt, signature } = decision
  return {
    by,
    verdict,
    reviewer: reviewer ? nameOf(reviewer) : null,
    reviewerId: reviewer ?? null,
    comment: comment || decision.reasons.map(reason => reason.text).join(' '),
    at: decidedAt,
    signature,
    // Without the reviewer's entry there is no public key to check it with.
    signatureHolds: null,
  }
}

function holds({ signature, publicKey, ...statement }: DecidedDetails): boolean {
  return signatureHolds(statement, publicKey, signature)
}
