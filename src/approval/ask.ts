import type { Recorder } from '../audit/audit.ts'
import type { Subject } from '../contract/approval.ts'
import { RequestId } from '../contract/ids.ts'
import type { PolicyVerdict } from '../contract/policy.ts'
import type { Ids } from '../ids.ts'
import type { PlacedRun } from '../runs/run.ts'
import type { Transaction } from '../storage/storage.ts'
import type { ApprovalRequestsTable } from '../storage/tables/approval.ts'
import { about, revisionContent } from './desk.ts'
import { needsOf } from './integrity.ts'
import { liveRowAbout } from './request-rows.ts'
import { matterOf } from './subject.ts'
import { dueEvent } from './transition.ts'

export interface Question {
  readonly run: PlacedRun
  readonly subject: Subject
  readonly verdict: PolicyVerdict
  readonly now: number
  readonly dialogUntil: number
}

/** Puts a question in the queue. Of two who ask the same at once, the second finds the first's request. */
export async function openRequest(
  { transaction, audit, ids }: { transaction: Transaction; audit: Recorder; ids: Ids },
  { run, subject, verdict, now, dialogUntil }: Question,
): Promise<RequestId> {
  const matter = matterOf(subject)
  const same = await liveRowAbout(transaction, matter)
  if (same && same.state !== 'approved' && !isOver(same, now)) return same.id
  const row: ApprovalRequestsTable = {
    id: ids.make(RequestId),
    tenant: run.tenant,
    conversation: run.conversation,
    path: run.path,
    cell: run.cell,
    run: run.id,
    requester: run.requester,
    state: 'waiting',
    needs: needsOf(subject.reasons),
    revision: 1,
    language: run.language,
    sandbox: run.placement.kind,
    risk: run.inspection.risk,
    matter,
    created_at: now,
    dialog_until: dialogUntil,
    expires_at: subject.expiresAt,
    reviewer: null,
    decided_at: null,
    decision: null,
    note: '',
  }
  const revision = revisionContent(run.code, run.inspection, verdict, subject)
  await transaction.insertInto('approval_requests').values(row).execute()
  await transaction
    .insertInto('approval_revisions')
    .values({ request: row.id, number: 1, author: run.requester, created_at: now, ...revision })
    .execute()
  // Code by its hash and of the environment only the names: both may hold what must not stand on the record for good.
  const details = {
    needs: row.needs,
    risk: row.risk,
    language: row.language,
    sandbox: row.sandbox,
    isolation: subject.placement.isolation,
    image: subject.placement.image,
    network: subject.placement.network,
    environment: Object.keys(subject.env).sort(),
    reasons: verdict.reasons.filter(reason => reason.action !== 'auto').map(reason => reason.text),
    violations: subject.findings.map(({ rule, type, severity, line }) => ({ rule, type, severity, line })),
    codeHash: subject.code,
    subject: revision.subject_hash,
    policy: subject.policy,
    expiresAt: subject.expiresAt,
  }
  const entry = { action: 'approval.requested' as const, actor: run.requester, details }
  await audit.append(transaction, about(row, entry))
  return row.id
}

const isOver = (row: ApprovalRequestsTable, now: number): boolean =>
  dueEvent(row.state, { dialogUntil: row.dialog_until, expiresAt: row.expires_at }, now) === 'expire'
