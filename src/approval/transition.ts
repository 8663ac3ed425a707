import type { RequestState } from '../contract/approval.ts'
import { fail, type Outcome, ok, type ProblemCode } from '../contract/problem.ts'

/** Everything that can happen to a request. */
export const requestEvents = [
  'save',
  'reopen',
  'approve',
  'deny',
  'edit',
  'reask',
  'comment',
  'cancel',
  'void',
  'expire',
  'use',
] as const
export type RequestEvent = (typeof requestEvents)[number]

/** The state after the event, or why it comes too late. Nothing but `approve` leads to `approved`, only `use` from it to a run. */
export function transitionRequest(state: RequestState, event: RequestEvent): Outcome<RequestState> {
  const next = table[state][event]
  if (next) return ok(next)
  const [code, message, hint] = refusals[state]
  return fail(code, message, hint)
}

const ended = {}

const table: Record<RequestState, Partial<Record<RequestEvent, RequestState>>> = {
  waiting: {
    save: 'saved',
    reopen: 'waiting',
    approve: 'approved',
    deny: 'denied',
    edit: 'waiting',
    reask: 'waiting',
    comment: 'waiting',
    cancel: 'cancelled',
    void: 'voided',
    expire: 'expired',
  },
  saved: {
    save: 'saved',
    reopen: 'waiting',
    approve: 'approved',
    deny: 'denied',
    edit: 'saved',
    reask: 'saved',
    comment: 'saved',
    cancel: 'cancelled',
    void: 'voided',
    expire: 'expired',
  },
  approved: { comment: 'approved', cancel: 'cancelled', void: 'voided', expire: 'expired', use: 'used' },
  used: { comment: 'used' },
  denied: { comment: 'denied' },
  expired: ended,
  cancelled: ended,
  voided: ended,
}

const askAgain = 'Run the code again to ask anew.'
const refusals: Record<RequestState, readonly [ProblemCode, string, string]> = {
  waiting: ['approval.undecided', 'Nobody has approved this request yet.', 'A reviewer finds it in the review queue.'],
  saved: ['approval.undecided', 'Nobody has approved this request yet.', 'A reviewer finds it in the review queue.'],
  approved: ['approval.decided', 'This request has been approved already.', 'The requester can withdraw it.'],
  used: ['approval.used', 'This approval has been used: it counts for one run.', askAgain],
  denied: ['approval.denied', 'A reviewer denied this request.', 'Read the comments, change the code and ask again.'],
  expired: ['approval.expired', 'This request has expired.', askAgain],
  cancelled: ['approval.cancelled', 'This request was withdrawn.', askAgain],
  voided: ['approval.voided', 'The code changed after this request was made, which voids it.', askAgain],
}

export interface Deadlines {
  readonly dialogUntil: number
  readonly expiresAt: number
}

/** What time alone has made of a request. A time-out only closes the dialog: it never approves anything. */
export function dueEvent(state: RequestState, { dialogUntil, expiresAt }: Deadlines, now: number): RequestEvent | null {
  const open = state === 'waiting' || state === 'saved'
  if ((open || state === 'approved') && now >= expiresAt) return 'expire'
  return state === 'waiting' && now >= dialogUntil ? 'save' : null
}
