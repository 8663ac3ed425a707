import type { Clock } from '../clock.ts'
import { type ApprovalRequest, type LastApproved, Verdict } from '../contract/approval.ts'
import type { RequestId, TenantId, UserId } from '../contract/ids.ts'
import type { Inspection } from '../contract/inspection.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Language } from '../contract/run.ts'
import type { Storage } from '../storage/storage.ts'
import { approve, deny, edit, saveForLater } from './answer.ts'
import type { Requests, Reviewer } from './approval.ts'
import { invalid, notLoggedIn } from './boundary.ts'
import { type Change, changedEntry, type Desk, unknownRequest } from './desk.ts'
import type { KeyRing } from './identities.ts'
import { listSummaries, loadRequest } from './request-rows.ts'
import { voidChanged, voidEnded } from './voiding.ts'
import type { Standing } from './vouching.ts'

interface Options {
  readonly storage: Storage
  readonly clock: Clock
  readonly desk: Desk
  readonly keyRing: KeyRing
  readonly inspect: (code: string, language: Language) => Promise<Inspection>
  readonly onChange: (listener: (request: ApprovalRequest) => void) => () => void
}

/** The review queue. */
export function createRequests({ storage, clock, desk, keyRing, inspect, onChange }: Options): Requests {
  async function get(tenant: TenantId, id: RequestId): Promise<Outcome<ApprovalRequest>> {
    await desk.settle([id])
    const request = await loadRequest(storage.read, id)
    return request && request.tenant === tenant ? ok(request) : unknownRequest
  }

  async function sweep(): Promise<void> {
    const now = clock.now()
    const due = await storage.read
      .selectFrom('approval_requests')
      .select('id')
      .where(eb =>
        eb.or([
          eb.and([eb('state', '=', 'waiting'), eb('dialog_until', '<=', now)]),
          eb.and([eb('state', 'in', ['waiting', 'saved', 'approved']), eb('expires_at', '<=', now)]),
        ]),
      )
      .limit(1000)
      .execute()
    await desk.settle(due.map(row => row.id))
  }

  /** Asks the guard about edited code before the transaction begins: nobody else may wait for it. */
  async function inspectEdit(id: RequestId, verdict: Verdict): Promise<Inspection | null> {
    if (verdict.kind !== 'edit') return null
    const request = await loadRequest(storage.read, id)
    return request ? inspect(verdict.code, request.language) : null
  }

  interface Answering {
    readonly verdict: Verdict
    readonly inspection: Inspection | null
    readonly reviewer: Reviewer
    readonly standing: Standing
  }

  async function answer(change: Change, { verdict, inspection, reviewer, standing }: Answering) {
    switch (verdict.kind) {
      case 'approve':
        return approve(change, verdict, reviewer, { sign: keyRing.sign, standing })
      case 'deny':
        return deny(change, verdict, reviewer, keyRing.sign)
      case 'later':
        return saveForLater(change, verdict, reviewer)
      case 'edit':
        return inspection ? edit(change, verdict, inspection, reviewer) : unknownRequest
    }
  }

  return {
    get,
    sweep,
    async list(filter) {
      await sweep()
      return listSummaries(storage.read, filter)
    },
    async decide(id, reviewer, input) {
      const identity = keyRing.known(reviewer)
      if (!identity) return notLoggedIn
      const parsed = Verdict.safeParse(input)
      if (!parsed.success) return invalid('This answer is not understood', parsed.error)
      const verdict = parsed.data
      const inspection = await inspectEdit(id, verdict)
      // Read before the transaction, in which nobody may wait for a key store.
      const standing = await keyRing.standing(identity.id)
      const attempt = { what: verdict.kind, tenant: identity.tenant, actor: identity.id }
      return desk.change(id, attempt, change => answer(change, { verdict, inspection, reviewer, standing }))
    },
    async comment(id, reviewer, input) {
      const identity = keyRing.known(reviewer)
      if (!identity) return notLoggedIn
      const text = input.trim().toWellFormed()
      if (text === '' || text.length > 10_000) return wrongComment
      return desk.change(
        id,
        { what: 'comment', tenant: identity.tenant, actor: identity.id },
        async ({ transaction, now, move }) => {
          const moved = await move('comment', {}, changedEntry('commented', { comment: text }, identity.id))
          if (!moved.ok) return moved
          const comment = { request: id, author: identity.id, created_at: now, text }
          await transaction.insertInto('approval_comments').values(comment).execute()
          return moved
        },
      )
    },
    cancel(tenant, id, by, note = 'The requester withdrew it.') {
      return desk.change(id, { what: 'cancel', tenant, actor: by }, async ({ row, move }) => {
        if (row.requester !== by) return notYours
        return move('cancel', { note }, changedEntry('withdrawn', { why: note }, by))
      })
    },
    cellsChanged: place => voidChanged(storage, desk, place),
    pathEnded: place => voidEnded(storage, desk, place),
    async settled(tenant, id, signal) {
      return new Promise((resolve, reject) => {
        const finish = (outcome: Outcome<ApprovalRequest>) => {
          stop()
          signal?.removeEventListener('abort', aborted)
          resolve(outcome)
        }
        const stop = onChange(request => {
          if (request.id === id && request.tenant === tenant && request.state !== 'waiting') finish(ok(request))
        })
        const aborted = () => finish(noLongerWaitedFor)
        signal?.addEventListener('abort', aborted)
        if (signal?.aborted) return aborted()
        // It may have been decided before anyone listened.
        get(tenant, id).then(outcome => {
          if (!outcome.ok || outcome.value.state !== 'waiting') finish(outcome)
        }, reject)
      })
    },
    lastApproved: place => lastApproved(storage, place),
  }
}

async function lastApproved(storage: Storage, place: Parameters<Requests['lastApproved']>[0]) {
  const query = storage.read
    .selectFrom('approval_requests as request')
    .innerJoin('approval_revisions as revision', join =>
      join.onRef('revision.request', '=', 'request.id').onRef('revision.number', '=', 'request.revision'),
    )
    .leftJoin('identities', 'identities.id', 'request.reviewer')
    .select([
      'request.id',
      'request.path',
      'request.decided_at',
      'request.reviewer',
      'revision.code',
      'identities.name',
    ])
    .where('request.tenant', '=', place.tenant)
    .where('request.conversation', '=', place.conversation)
    .where('request.decision', 'is not', null)
    // An approval that was voided by the next edit is still the version that a reviewer last agreed to.
    .where('request.state', '!=', 'denied')
  const rows = await (place.cell === null
    ? (place.anyPath ? query : query.where('request.path', '=', place.path)).where('request.cell', 'is', null)
    : query.where('request.cell', '=', place.cell)
  )
    .orderBy('request.decided_at', 'desc')
    .orderBy('request.id', 'desc')
    .limit(200)
    .execute()
  const row = rows.find(each => each.path === place.path) ?? rows[0]
  if (!row || row.reviewer === null || row.decided_at === null) return null
  const reviewer = { id: row.reviewer as UserId, name: row.name ?? row.reviewer.slice(0, 8) }
  return { request: row.id, code: row.code, reviewer, decidedAt: row.decided_at } satisfies LastApproved
}

const notYours = fail('access.denied', 'Only the requester can withdraw a request.', 'A reviewer can deny it.')
const wrongComment = fail('request.invalid', 'A comment has 1 to 10,000 characters.', 'Write a few words.')
const noLongerWaitedFor = fail(
  'request.cancelled',
  'Waiting for a decision was stopped.',
  'The request stays in the review queue.',
)
