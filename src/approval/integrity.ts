import type { Subject } from '../contract/approval.ts'
import type { UserId } from '../contract/ids.ts'
import type { PolicyReason, PolicyState, PolicyVerdict } from '../contract/policy.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Transaction } from '../storage/storage.ts'
import { canonicalJson, sha256 } from './canonical.ts'
import { evaluatePolicy } from './evaluate.ts'
import { type RequestRow, readInspection, readReasons, readSubject } from './request-rows.ts'
import { hashInspection, hashSubject } from './subject.ts'
import { type Standing, stoodAt } from './vouching.ts'

/** What is shown to a reviewer must be what they would sign: a row that was changed in the database is neither. */
export async function isIntact(transaction: Transaction, row: RequestRow): Promise<boolean> {
  const subject = readSubject(row)
  const inspection = readInspection(row)
  const { risk, violations, impact } = inspection
  return (
    hashSubject(subject) === row.subject_hash &&
    sha256(row.code) === subject.code &&
    sameColumns(row, subject) &&
    row.needs === needsOf(subject.reasons) &&
    hashInspection(inspection) === subject.inspection &&
    canonicalJson(readReasons(row)) === canonicalJson(subject.reasons) &&
    canonicalJson({ risk, violations, impact }) ===
      canonicalJson({ risk: subject.risk, violations: subject.findings, impact: subject.impact }) &&
    (await writersOf(transaction, row)).every(writer => subject.authors.includes(writer))
  )
}

const sameColumns = (row: RequestRow, subject: Subject): boolean =>
  row.tenant === subject.tenant &&
  row.conversation === subject.conversation &&
  row.path === subject.path &&
  row.cell === subject.cell &&
  row.requester === subject.requester &&
  row.language === subject.language &&
  row.sandbox === subject.placement.kind &&
  row.risk === subject.risk &&
  row.expires_at === subject.expiresAt

async function writersOf(transaction: Transaction, row: RequestRow): Promise<UserId[]> {
  const revisions = transaction.selectFrom('approval_revisions').select('author').where('request', '=', row.id)
  return [row.requester, ...(await revisions.execute()).map(revision => revision.author)]
}

/** A request that was opened stays one to be decided, also when what is asked now would pass unasked. */
export const needsOf = (reasons: readonly PolicyReason[]): 'approve' | 'four-eyes' =>
  reasons.some(reason => reason.action === 'four-eyes') ? 'four-eyes' : 'approve'

/**
 * Whether this reviewer's yes counts. What the request says it needs is not taken for granted: the policy in force is
 * asked again about what was inspected, and the stricter of both counts.
 */
export function mayApprove(
  row: RequestRow,
  policy: PolicyState,
  reviewer: Standing,
  { now, decidedAt = now }: { now: number; decidedAt?: number },
): Outcome<void> {
  const subject = readSubject(row)
  const verdict = verdictOn(row, policy, now)
  if (verdict.action === 'block') return blockedNow
  const needs = needsOf([...subject.reasons, ...verdict.reasons])
  if (needs === 'approve') return ok(undefined)
  if (subject.authors.includes(reviewer.id)) return ownCode
  if (!reviewer.protected) return noPassphrase
  // Whoever wrote a part of the code could have made the reviewer up.
  if (!reviewer.vouches.some(each => stoodAt(each, decidedAt) && !subject.authors.includes(each.by))) return notVouched
  const { reviewers } = policy.policy.fourEyes
  return reviewers.length === 0 || reviewers.includes(reviewer.id) ? ok(undefined) : notNamed
}

function verdictOn(row: RequestRow, { policy }: PolicyState, now: number): PolicyVerdict {
  const subject = readSubject(row)
  const { code, run: id, created_at: createdAt } = row
  const run = { ...subject, id, code, createdAt, revision: null, inspection: readInspection(row) }
  return evaluatePolicy(policy, run, { forced: wasForced(subject), catalogue: wasOfCatalogue(subject), now })
}

export const wasForced = ({ reasons }: Pick<Subject, 'reasons'>): boolean =>
  reasons.some(reason => reason.kind === 'forced')

/** Whether the code was found to be an untouched analysis when it was asked about; it says nothing of any other code. */
export const wasOfCatalogue = ({ reasons }: Pick<Subject, 'reasons'>): boolean =>
  reasons.some(reason => reason.kind === 'catalogue')

const ownCode = fail(
  'approval.four-eyes',
  'The policy wants four eyes here, and you wrote a part of this code.',
  'Ask another reviewer to approve it.',
)
const noPassphrase = fail(
  'approval.four-eyes',
  'The policy wants four eyes here, and your identity has no passphrase: anybody at this machine could sign as you.',
  'Sign as an identity with a passphrase that somebody else has vouched for.',
)
const notVouched = fail(
  'approval.four-eyes',
  'The policy wants four eyes here, and nobody who had no part in this code has vouched for you.',
  'Ask somebody else with a passphrase to vouch for you: Settings › People, or "countersign identities vouch".',
)
const notNamed = fail(
  'approval.four-eyes',
  'The policy wants four eyes here and does not name you as a reviewer.',
  'Ask one of the reviewers in the policy to approve it.',
)
const blockedNow = fail(
  'policy.blocked',
  'The policy blocks this code, whoever approves it.',
  'Change the code, or ask whoever keeps the policy.',
)
