import type { DecisionRecord } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { type ApprovalRequest, Decision, type Subject } from '../contract/approval.ts'
import type { RequestId } from '../contract/ids.ts'
import { SandboxFacts } from '../contract/placement.ts'
import type { PolicyReason, PolicyState, PolicyVerdict } from '../contract/policy.ts'
import { fail, type Outcome, ok, type Problem, problem } from '../contract/problem.ts'
import type { Ids } from '../ids.ts'
import type { ClearedRun, PlacedRun } from '../runs/run.ts'
import type { Storage } from '../storage/storage.ts'
import type { Approval, DecideOptions, GateVerdict } from './approval.ts'
import { openRequest } from './ask.ts'
import { admit } from './boundary.ts'
import { isSignedBy } from './decision.ts'
import { type Change, changedEntry, type Desk, makeNonce } from './desk.ts'
import { evaluatePolicy } from './evaluate.ts'
import type { KeyRing } from './identities.ts'
import { isIntact, mayApprove } from './integrity.ts'
import { liveRowAbout, loadRequest, type RequestRow, readDecision, readSubject } from './request-rows.ts'
import { differences, hashSubject, matterOf, placementDifferences, subjectOf } from './subject.ts'
import { transitionRequest } from './transition.ts'
import type { Standing } from './vouching.ts'

interface Options {
  readonly storage: Storage
  readonly audit: DecisionRecord
  readonly clock: Clock
  readonly ids: Ids
  readonly desk: Desk
  readonly keyRing: KeyRing
  readonly pathGrants: Approval['pathGrants']
  readonly policy: () => Promise<PolicyState>
  readonly changed: (request: ApprovalRequest) => void
}

/** The one way to a `ClearedRun`. */
export function createGate(options: Options): Pick<Approval, 'decide' | 'clear' | 'verifyAtHandover'> {
  const { storage, audit, clock, ids, desk, keyRing, pathGrants, policy, changed } = options
  /** What was cleared here and has not reached a sandbox yet, by nonce; and what it has only because its path has it. */
  const clearances = new Map<string, { readonly subject: Subject; readonly ofPath: readonly string[] }>()

  function clearance(run: PlacedRun, decision: Decision, subject: Subject, ofPath: readonly string[] = []): ClearedRun {
    for (const [nonce, known] of clearances) if (known.subject.expiresAt <= clock.now()) clearances.delete(nonce)
    clearances.set(subject.nonce, { subject, ofPath })
    return seal(run, decision)
  }

  async function refuseHandover(run: PlacedRun, refusal: Problem): Promise<Outcome<never>> {
    const { tenant, conversation, path, cell, id, requester } = run
    const place = { tenant, conversation, path, ...(cell === null ? {} : { cell }), run: id, actor: requester }
    const details = { attempt: 'handover', code: refusal.code, reason: refusal.message }
    await storage.write(t => audit.append(t, { ...place, action: 'approval.rejected', details }))
    return { ok: false, problem: refusal }
  }

  /** A decision that was made before on the very same thing: uses it, or waits on with whoever waits for it. */
  async function resume(earlier: RequestRow, run: PlacedRun, dialogUntil: number) {
    if (earlier.state === 'approved') {
      const cleared = await clear(earlier.id, run)
      return cleared.ok ? ({ kind: 'cleared', run: cleared.value } as const) : null
    }
    const attempt = { what: 'reopen', tenant: run.tenant, actor: run.requester } as const
    const reopened = await desk.change(earlier.id, attempt, ({ row, move }) => {
      const set = { dialog_until: Math.min(dialogUntil, row.expires_at) }
      return move('reopen', set, changedEntry('asked again', { run: run.id }, run.requester))
    })
    return reopened.ok ? ({ kind: 'waiting', request: reopened.value } as const) : null
  }

  async function decide(
    asRun: PlacedRun,
    { force = false, catalogue = false }: DecideOptions = {},
  ): Promise<GateVerdict> {
    const admitted = admit(asRun)
    if (!admitted.ok) return { kind: 'refused', problem: admitted.problem }
    const run = admitted.value
    const state = await policy()
    const now = clock.now()
    const { network } = run.placement
    const ofPath = network.length === 0 ? [] : (await pathGrants(run)).map(({ rule }) => rule)
    const verdict = evaluatePolicy(state.policy, run, { forced: force, now, granted: ofPath, catalogue })
    if (verdict.action === 'block') {
      return { kind: 'refused', problem: blocked(verdict.reasons.filter(reason => reason.action === 'block')) }
    }
    const expiresAt = now + Math.round(state.policy.requestHours * 3_600_000)
    const occasion = { policy: state.version, nonce: makeNonce(), expiresAt }
    const { reasons } = verdict
    const subject = subjectOf(run, { ...occasion, reasons })
    if (verdict.action === 'auto') {
      const borrowed = ofPath.filter(rule => network.includes(rule))
      return { kind: 'cleared', run: clearance(run, byPolicy(subject, verdict, now), subject, borrowed) }
    }
    const dialogUntil = Math.min(now + state.policy.dialogSeconds * 1000, expiresAt)
    const earlier = await liveRowAbout(storage.read, matterOf(subject))
    const resumed = earlier && (await resume(earlier, run, dialogUntil))
    if (resumed) return resumed
    const request = await storage.write(async transaction => {
      const id = await openRequest({ transaction, audit, ids }, { run, subject, verdict, now, dialogUntil })
      return loadRequest(transaction, id)
    })
    if (!request) throw new Error('a request vanished while it was written')
    changed(request)
    return { kind: 'waiting', request }
  }

  async function clear(id: RequestId, asRun: PlacedRun): Promise<Outcome<ClearedRun>> {
    const admitted = admit(asRun)
    if (!admitted.ok) return admitted
    const run = admitted.value
    const key = await signerOf(id)
    const attempt = { what: 'use', tenant: run.tenant, actor: run.requester } as const
    let approved: Subject | null = null
    const used = await desk.change(id, attempt, change => {
      approved = readSubject(change.row)
      return use(change, run, { audit, signer: key })
    })
    if (!used.ok) return used
    // Signed for before anything runs: a use in a tail that nobody has signed for could be cut off.
    await audit.checkpoint()
    const { decision } = used.value
    if (!decision || !approved) throw new Error(`request ${id} was used without a decision`)
    return ok(clearance(run, decision, approved))
  }

  /** Read before the transaction, in which nobody may wait for a key store. */
  async function signerOf(id: RequestId): Promise<Signer | null> {
    const query = storage.read.selectFrom('approval_requests').select('reviewer').where('id', '=', id)
    const reviewer = (await query.executeTakeFirst())?.reviewer ?? null
    const key = reviewer === null ? null : await keyRing.trustedKey(reviewer)
    return reviewer === null || key === null ? null : { reviewer, key, standing: await keyRing.standing(reviewer) }
  }

  async function verifyAtHandover(asRun: ClearedRun, place: SandboxFacts): Promise<Outcome<ClearedRun>> {
    const parsed = Decision.safeParse(asRun.decision)
    const nonce = parsed.data?.nonce ?? ''
    // Taken out before anything is awaited: of two handovers at once only one can find it.
    const known = clearances.get(nonce)
    const subject = known?.subject
    clearances.delete(nonce)
    const admitted = admit(asRun)
    if (!admitted.ok) return admitted
    const run = admitted.value
    if (!subject || !parsed.success) return refuseHandover(run, notCleared)
    if (clock.now() >= subject.expiresAt) return refuseHandover(run, expired)
    if (known.ofPath.length > 0) {
      const now = (await pathGrants(run)).map(({ rule }) => rule)
      if (known.ofPath.some(rule => !now.includes(rule))) return refuseHandover(run, takenBack)
    }
    const offered = subjectOf(run, { ...subject, policy: (await policy()).version })
    const cleared = hashSubject(subject)
    const same = hashSubject(offered) === cleared && parsed.data.subject === cleared
    if (!same) return refuseHandover(run, mismatch(differences(subject, offered)))
    const elsewhere = placementDifferences(subject.placement, { ...subject.placement, ...SandboxFacts.parse(place) })
    return elsewhere.length === 0 ? ok(seal(run, parsed.data)) : refuseHandover(run, notThere(elsewhere))
  }

  return { decide, clear, verifyAtHandover }
}

type Signer = { readonly reviewer: string; readonly key: string; readonly standing: Standing }

/** Uses up an approval, if it is genuine and speaks of exactly this run. */
async function use(
  change: Change,
  run: PlacedRun,
  { audit, signer }: { audit: DecisionRecord; signer: Signer | null },
) {
  const { transaction, row, policy, now, move } = change
  const possible = transitionRequest(row.state, 'use')
  if (!possible.ok) return possible
  const decision = readDecision(row)
  const approved = readSubject(row)
  const genuine =
    decision?.verdict === 'approve' &&
    decision.request === row.id &&
    decision.subject === hashSubject(approved) &&
    decision.reviewer === signer?.reviewer &&
    isSignedBy(signer.key, decision) &&
    (await isIntact(transaction, row))
  if (!genuine || decision.reviewer === null) return fail(forged.code, forged.message, forged.hint)
  const offered = subjectOf(run, { ...approved, policy: policy.version })
  if (hashSubject(offered) !== decision.subject)
    return { ok: false as const, problem: mismatch(differences(approved, offered)) }
  // Four eyes are counted again: a yes that was written past the one place where it is asked for must not serve.
  const allowed = mayApprove(row, policy, signer.standing, { now, decidedAt: decision.decidedAt })
  if (!allowed.ok) return allowed
  const { subject, signature } = decision
  const state = await audit.decisionState(transaction, { subject, signature: signature ?? '' })
  // The request says that it was not used, but the record says that its decision was: somebody set it back.
  if (state === 'used') return { ok: false as const, problem: spentBefore }
  if (state === 'damaged') return { ok: false as const, problem: recordDamaged }
  if (state === 'unknown') return fail(forged.code, forged.message, forged.hint)
  return move('use', {}, changedEntry('used', { run: run.id, subject: decision.subject }, run.requester))
}

/** The only cast to `ClearedRun` in the product. Frozen all through, so that what was checked is what is handed on. */
const seal = (run: PlacedRun, decision: Decision): ClearedRun => deepFreeze({ ...run, decision }) as ClearedRun

function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === 'object' && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}

const byPolicy = (subject: Subject, verdict: PolicyVerdict, now: number): Decision => ({
  verdict: 'approve',
  by: 'policy',
  reviewer: null,
  request: null,
  subject: hashSubject(subject),
  signature: null,
  comment: '',
  decidedAt: now,
  policy: subject.policy,
  reasons: verdict.reasons,
  nonce: subject.nonce,
  expiresAt: subject.expiresAt,
})

/** A refusal is all that the person sees: it says where in the code to look. */
const blocked = (reasons: readonly PolicyReason[]): Problem =>
  problem(
    'policy.blocked',
    reasons.map(({ text, lines }) => `${text}${onLines(lines)}`).join(' '),
    'Change the code, or ask whoever keeps the policy.',
  )

const onLines = (lines: readonly number[]): string =>
  lines.length === 0
    ? ''
    : ` (${lines.length === 1 ? 'line' : 'lines'} ${new Intl.ListFormat('en').format(lines.map(String))})`

const mismatch = (fields: readonly string[]): Problem =>
  problem(
    'approval.mismatch',
    `This is not what was approved: ${new Intl.ListFormat('en').format(fields) || 'the decision'} changed.`,
    'Run it again to ask for an approval of what it is now.',
  )

const notThere = (fields: readonly string[]): Problem =>
  problem(
    'approval.mismatch',
    `The sandbox is not the one that was approved: ${new Intl.ListFormat('en').format(fields)} differ.`,
    'Nothing was run. Run it again to ask for an approval of where it would run now.',
  )

const forged = problem(
  'approval.forged',
  'The approval of this request does not bear the signature of its reviewer.',
  'Do not trust it. Verify the audit record, and run the code again to ask anew.',
)
const spentBefore = problem(
  'approval.used',
  'This approval has been used: it counts for one run, whatever its request says now.',
  'Verify the audit record, and run the code again to ask anew.',
)
const recordDamaged = problem(
  'audit.damaged',
  'The audit record is damaged, so nobody can tell whether this approval has been used.',
  'Verify the audit record. Until it is whole, no approval counts.',
)
const takenBack = problem(
  'approval.mismatch',
  'What this path could reach was taken back while the run waited.',
  'Nothing was run. Run it again without it, or ask for it.',
)
const expired = problem('approval.expired', 'The clearance of this run has expired.', 'Run the code again.')
const notCleared = problem(
  'approval.used',
  'This clearance was used already, or was not given here.',
  'A clearance counts for one run. Run the code again.',
)
