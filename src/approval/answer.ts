import type { Decision, SignedStatement, Verdict } from '../contract/approval.ts'
import type { Inspection } from '../contract/inspection.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { canonicalGrants } from '../network/network.ts'
import type { Reviewer } from './approval.ts'
import { statementText } from './decision.ts'
import { askAnew, type Change, changedEntry, revisionContent } from './desk.ts'
import type { KeyRing } from './identities.ts'
import { isIntact, mayApprove, needsOf } from './integrity.ts'
import { readReasons, readSubject } from './request-rows.ts'
import { matterOf } from './subject.ts'
import { transitionRequest } from './transition.ts'
import type { Standing } from './vouching.ts'

type Answer<Kind extends Verdict['kind']> = Extract<Verdict, { kind: Kind }>
type Sign = KeyRing['sign']

/** A yes: to what the reviewer saw, as it stands, and not to what they wrote themselves where four eyes are wanted. */
export async function approve(
  change: Change,
  verdict: Answer<'approve'>,
  reviewer: Reviewer,
  { sign, standing }: { sign: Sign; standing: Standing },
): Promise<Outcome<void>> {
  const { row, transaction, policy, now } = change
  const possible = transitionRequest(row.state, 'approve')
  if (!possible.ok) return possible
  if (!(await isIntact(transaction, row))) return tampered
  if (verdict.seen !== row.subject_hash) return outdated
  if (policy.policy.sayWhy.approve && !saysWhy(verdict)) return unsaid('an approval')
  const allowed = mayApprove(row, policy, standing, { now })
  return allowed.ok ? signed(change, verdict, reviewer, sign) : allowed
}

/** A no is always safe, so it asks neither which version was seen nor who wrote it. */
export async function deny(
  change: Change,
  verdict: Answer<'deny'>,
  reviewer: Reviewer,
  sign: Sign,
): Promise<Outcome<void>> {
  // The policy may want a reason; until there is one nothing runs either.
  if (change.policy.policy.sayWhy.deny && !saysWhy(verdict)) return unsaid('a denial')
  return signed(change, verdict, reviewer, sign)
}

/** Blanks and marks alone are not a reason. */
const saysWhy = ({ comment }: { readonly comment: string }): boolean => /[\p{L}\p{N}]/u.test(comment)

/** What was written with it stays with the request, for whoever decides. */
export async function saveForLater(
  change: Change,
  { comment }: Answer<'later'>,
  reviewer: Reviewer,
): Promise<Outcome<void>> {
  const { transaction, row, now } = change
  const author = reviewer.identity.id
  const moved = await change.move('save', {}, changedEntry('saved for later', { comment }, author))
  if (!moved.ok || comment.trim() === '') return moved
  const said = { request: row.id, author, created_at: now, text: comment.trim() }
  await transaction.insertInto('approval_comments').values(said).execute()
  return moved
}

/** Other code in place of what was asked about: a new revision, which waits for a decision of its own. */
export async function edit(
  change: Change,
  verdict: Answer<'edit'>,
  inspection: Inspection,
  reviewer: Reviewer,
): Promise<Outcome<void>> {
  const { transaction, row, policy, now } = change
  const possible = transitionRequest(row.state, 'edit')
  if (!possible.ok) return possible
  // A new revision is built on the old subject: what was changed in that would be signed as if it had been asked.
  if (!(await isIntact(transaction, row))) return tampered
  if (verdict.seen !== row.subject_hash) return outdated
  const network = canonicalGrants(verdict.network ?? readSubject(row).placement.network)
  if (!network.ok) return network
  const { asked, verdict: asks } = askAnew(
    row,
    { code: verdict.code, inspection, by: reviewer.identity.id, network: network.value },
    policy,
    now,
  )
  if (asks.action === 'block') return blocked(asks.reasons[0]?.text)
  const moved = await change.move(
    'edit',
    {
      revision: row.revision + 1,
      needs: needsOf(asks.reasons),
      risk: inspection.risk,
      matter: matterOf(asked),
      dialog_until: now + policy.policy.dialogSeconds * 1000,
    },
    changedEntry(
      'edited',
      {
        revision: row.revision + 1,
        before: readSubject(row).code,
        codeHash: asked.code,
        network: network.value.join(', '),
        risk: inspection.risk,
        comment: verdict.comment,
      },
      reviewer.identity.id,
    ),
  )
  if (!moved.ok) return moved
  await transaction
    .insertInto('approval_revisions')
    .values({
      request: row.id,
      number: row.revision + 1,
      author: reviewer.identity.id,
      created_at: now,
      ...revisionContent(verdict.code, inspection, asks, asked),
    })
    .execute()
  return ok(undefined)
}

async function signed(
  change: Change,
  { kind, comment }: Answer<'approve' | 'deny'>,
  reviewer: Reviewer,
  sign: Sign,
): Promise<Outcome<void>> {
  const { row, now } = change
  const subject = readSubject(row)
  const statement: SignedStatement = {
    format: 'countersign.decision.1',
    verdict: kind,
    request: row.id,
    subject: row.subject_hash,
    reviewer: reviewer.identity.id,
    comment,
    decidedAt: now,
  }
  const decision: Decision = {
    verdict: kind,
    by: 'reviewer',
    reviewer: statement.reviewer,
    request: row.id,
    subject: statement.subject,
    signature: sign(reviewer, statementText(statement)),
    comment,
    decidedAt: now,
    policy: subject.policy,
    reasons: readReasons(row),
    nonce: subject.nonce,
    expiresAt: subject.expiresAt,
  }
  const set = { reviewer: statement.reviewer, decided_at: now, decision: JSON.stringify(decision) }
  return change.move(kind, set, {
    action: 'approval.decided',
    actor: statement.reviewer,
    details: {
      ...statement,
      signature: decision.signature,
      publicKey: reviewer.identity.publicKey,
      codeHash: subject.code,
      risk: subject.risk,
      sandbox: subject.placement.kind,
    },
  })
}

const tampered = fail(
  'approval.forged',
  'What the database shows of this request is not what was asked.',
  'Do not approve it. Verify the audit record, and run the code again to ask anew.',
)
const outdated = fail(
  'approval.outdated',
  'The request changed after you opened it.',
  'Look at it again: an approval counts only for what you saw.',
)
const unsaid = (answer: string) =>
  fail(
    'approval.unsaid',
    `The policy wants a reason with ${answer}.`,
    'Say why in the comment, and answer again. Nothing was decided.',
  )
const blocked = (why = 'The policy blocks it.') =>
  fail('policy.blocked', `The edited code would not run. ${why}`, 'Edit it otherwise, or deny the request.')
