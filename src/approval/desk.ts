import { randomBytes } from 'node:crypto'
import type { AuditEvent, Recorder } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { type ApprovalRequest, Subject } from '../contract/approval.ts'
import type { RequestId, TenantId, UserId } from '../contract/ids.ts'
import type { Inspection } from '../contract/inspection.ts'
import type { PolicyState, PolicyVerdict } from '../contract/policy.ts'
import { fail, type Outcome, ok, type Problem } from '../contract/problem.ts'
import { withPolicy } from '../network/network.ts'
import type { PlacedRun } from '../runs/run.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { ApprovalRequestsTable } from '../storage/tables/approval.ts'
import { canonicalJson, sha256 } from './canonical.ts'
import { evaluatePolicy } from './evaluate.ts'
import { isIntact, needsOf, wasForced, wasOfCatalogue } from './integrity.ts'
import {
  isOlder,
  loadRequest,
  loadRow,
  type RequestRow,
  readInspection,
  readReasons,
  readSubject,
  titleOf,
} from './request-rows.ts'
import { hashInspection, hashSubject, matterOf } from './subject.ts'
import { dueEvent, type RequestEvent, transitionRequest } from './transition.ts'

export interface DeskOptions {
  readonly storage: Storage
  readonly audit: Recorder
  readonly clock: Clock
  readonly policy: () => Promise<PolicyState>
  /** Called after the commit, with the request as it then is. */
  readonly changed: (request: ApprovalRequest) => void
}

/** Who tries what; what is refused stands on the record with it. */
export interface Attempt {
  readonly what: 'approve' | 'deny' | 'edit' | 'later' | 'comment' | 'cancel' | 'void' | 'reopen' | 'use'
  readonly tenant: TenantId
  readonly actor: UserId | null
}

/** One change to a request under way, inside its transaction. */
export interface Change {
  readonly transaction: Transaction
  readonly row: RequestRow
  readonly policy: PolicyState
  readonly now: number
  /** Moves the request on, if it may, and puts the fact on the record. */
  move(event: RequestEvent, set: Partial<ApprovalRequestsTable>, entry: Entry): Promise<Outcome<void>>
}

export type Entry = Pick<AuditEvent, 'action' | 'actor' | 'details'>

/** Carries out changes to requests: one at a time, whole or not at all, each with its entry on the record. */
export interface Desk {
  change(
    id: RequestId,
    attempt: Attempt,
    work: (change: Change) => Promise<Outcome<void>>,
  ): Promise<Outcome<ApprovalRequest>>
  /** Applies what time alone has made of these requests, and of their policy. */
  settle(ids: readonly RequestId[]): Promise<void>
}

export function createDesk({ storage, audit, clock, policy, changed }: DeskOptions): Desk {
  async function commit<T>(work: (transaction: Transaction, touched: Set<RequestId>) => Promise<T>): Promise<T> {
    const { value, requests } = await storage.write(async transaction => {
      const touched = new Set<RequestId>()
      const value = await work(transaction, touched)
      const requests = await Promise.all([...touched].map(id => loadRequest(transaction, id)))
      return { value, requests }
    })
    for (const request of requests) if (request) changed(request)
    return value
  }

  async function move(
    transaction: Transaction,
    row: RequestRow,
    event: RequestEvent,
    set: Partial<ApprovalRequestsTable>,
    entry: Entry,
  ): Promise<Outcome<void>> {
    const next = transitionRequest(row.state, event)
    if (!next.ok) return next
    const update = transaction
      .updateTable('approval_requests')
      .set({ ...set, state: next.value })
      .where('id', '=', row.id)
      // Where writers are not serialised by the database, the one who comes second changes nothing.
      .where('state', '=', row.state)
      .where('revision', '=', row.revision)
    const { numUpdatedRows } = await update.executeTakeFirstOrThrow()
    if (numUpdatedRows !== 1n) return tooLate
    await audit.append(transaction, about(row, entry))
    return ok(undefined)
  }

  /** The row as time and policy have left it, before anyone else has a say. */
  async function current(transaction: Transaction, id: RequestId, state: PolicyState, touched: Set<RequestId>) {
    const row = await loadRow(transaction, id)
    if (!row) return undefined
    const now = clock.now()
    const due = dueEvent(row.state, { dialogUntil: row.dialog_until, expiresAt: row.expires_at }, now)
    if (due) {
      const entry: Entry =
        due === 'expire'
          ? { action: 'approval.expired', actor: null, details: { from: row.state, expiredAt: row.expires_at } }
          : { action: 'approval.changed', actor: null, details: { change: 'saved for later', why: 'time-out' } }
      await move(transaction, row, due, due === 'expire' ? { note: 'Nobody decided or used it in time.' } : {}, entry)
    } else if (isOpen(row) && (await isAskedAnew(transaction, row, state))) {
      await underNewPolicy(transaction, row, state, now)
    } else {
      return row
    }
    touched.add(id)
    return loadRow(transaction, id)
  }

  /** The policy changed while the request waited: it is asked again under the new one, or blocked by it. */
  async function underNewPolicy(transaction: Transaction, row: RequestRow, state: PolicyState, now: number) {
    const inspection = readInspection(row)
    const { asked, verdict } = askAnew(row, { code: row.code, inspection, by: row.requester }, state, now)
    if (verdict.action === 'block') {
      const note = 'The policy changed and now blocks this code.'
      await move(transaction, row, 'void', { note }, changedEntry('voided', { why: note, policy: state.version }))
      return
    }
    await transaction
      .updateTable('approval_revisions')
      .set(revisionContent(row.code, inspection, verdict, asked))
      .where('request', '=', row.id)
      .where('number', '=', row.revision)
      .execute()
    await move(
      transaction,
      row,
      'reask',
      { needs: needsOf(verdict.reasons), matter: matterOf(asked) },
      changedEntry('asked under a new policy', { policy: state.version, subject: hashSubject(asked) }),
    )
  }

  return {
    async change(id, attempt, work) {
      const state = await policy()
      return commit(async (transaction, touched) => {
        const row = await current(transaction, id, state, touched)
        if (!row || row.tenant !== attempt.tenant) return unknownRequest
        const outcome = await work({
          transaction,
          row,
          policy: state,
          now: clock.now(),
          move: (event, set, entry) => move(transaction, row, event, set, entry),
        })
        if (!outcome.ok) {
          await audit.append(transaction, about(row, rejected(attempt, outcome.problem)))
          return outcome
        }
        touched.add(id)
        const request = await loadRequest(transaction, id)
        return request ? ok(request) : unknownRequest
      })
    },
    async settle(ids) {
      if (ids.length === 0) return
      const state = await policy()
      await commit(async (transaction, touched) => {
        for (const id of ids) await current(transaction, id, state, touched)
      })
    },
  }
}

const isOpen = (row: RequestRow): boolean => row.state === 'waiting' || row.state === 'saved'

/** A row that was changed in the database is not asked anew: that would make of the change what was asked. */
async function isAskedAnew(transaction: Transaction, row: RequestRow, state: PolicyState): Promise<boolean> {
  if (readSubject(row).policy === state.version) return false
  return isOlder(row) || isIntact(transaction, row)
}

/** The question about a request put anew: under this policy, about this code, with a nonce of its own. */
export function askAnew(
  row: RequestRow,
  { code, inspection, by, network }: { code: string; inspection: Inspection; by: UserId; network?: readonly string[] },
  state: PolicyState,
  now: number,
): { asked: Subject; verdict: PolicyVerdict } {
  const asBefore = readSubject(row)
  const placement = {
    ...asBefore.placement,
    network: withPolicy(network ?? asBefore.placement.network, state.policy.network),
  }
  const before = { ...asBefore, placement }
  const run: PlacedRun = { ...before, revision: null, id: row.run, code, inspection, createdAt: row.created_at }
  // The reasons of an older request stand beside its subject and not in it.
  const forced = wasForced({ reasons: readReasons(row) })
  const catalogue = sha256(code) === asBefore.code && wasOfCatalogue(asBefore)
  const verdict = evaluatePolicy(state.policy, run, { forced, catalogue, now })
  const asked = Subject.parse({
    ...before,
    code: sha256(code),
    risk: inspection.risk,
    findings: inspection.violations,
    impact: inspection.impact,
    inspection: hashInspection(inspection),
    reasons: verdict.reasons,
    authors: [...new Set([...before.authors, by])].sort(),
    policy: state.version,
    nonce: makeNonce(),
  })
  return { asked, verdict }
}

export const makeNonce = (): string => randomBytes(16).toString('hex')

/** The columns of a revision. */
export const revisionContent = (code: string, inspection: Inspection, verdict: PolicyVerdict, asked: Subject) => ({
  code,
  title: titleOf(code),
  findings: inspection.violations.length,
  inspection: JSON.stringify(inspection),
  reasons: JSON.stringify(verdict.reasons),
  subject: canonicalJson(asked),
  subject_hash: hashSubject(asked),
})

export const about = (
  row: Pick<RequestRow, 'tenant' | 'conversation' | 'path' | 'cell' | 'run' | 'id'>,
  entry: Entry,
) => ({
  ...entry,
  tenant: row.tenant,
  conversation: row.conversation,
  path: row.path,
  ...(row.cell === null ? {} : { cell: row.cell }),
  run: row.run,
  request: row.id,
})

export const changedEntry = (
  change: string,
  details: Readonly<Record<string, string | number>>,
  actor: UserId | null = null,
): Entry => ({ action: 'approval.changed', actor, details: { change, ...details } })

const rejected = ({ what, actor }: Attempt, { code, message }: Problem): Entry => ({
  action: 'approval.rejected',
  actor,
  details: { attempt: what, code, reason: message },
})

export const unknownRequest = fail(
  'not-found',
  'There is no such request.',
  'It may belong to another conversation; open the review queue.',
)

const tooLate = fail('conflict', 'Somebody else decided at the same moment.', 'Look at the request again.')
