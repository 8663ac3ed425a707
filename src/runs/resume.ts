import type { Approval } from '../approval/approval.ts'
import type { ApprovalRequest, RequestState } from '../contract/approval.ts'
import type { RequestId } from '../contract/ids.ts'
import { type Problem, problem } from '../contract/problem.ts'
import type { Conversations } from '../conversations/conversations.ts'
import type { Log } from '../log.ts'
import type { Runs } from './runs.ts'

interface Parts {
  readonly approval: { subscribe: Approval['subscribe']; requests: Pick<Approval['requests'], 'get'> }
  readonly conversations: Pick<Conversations, 'items' | 'edit'>
  readonly runs: Pick<Runs, 'resume' | 'giveUp'>
  readonly log: Log
}

/** Goes on with every run that a reviewer approves, and ends those that never will be, once the decision is durable. */
export function resumeApproved({ approval, conversations, runs, log }: Parts): () => void {
  /** What was acted on: an approved or denied request is heard of again when somebody comments on it. */
  const settled = new Set<RequestId>()

  const resume = async (request: ApprovalRequest) => {
    await showReviewedCode(request)
    const started = await runs.resume(request)
    if (!started.ok) log.warn({ request: request.id, code: started.problem.code }, 'an approved run did not start')
  }

  /** The notebook says what runs: where the reviewer changed the code, the cell shows it. */
  const showReviewedCode = async ({ tenant, cell, path, revisions, code, reviewer, requester }: ApprovalRequest) => {
    if (!cell || revisions.length < 2) return
    const who = { tenant, user: reviewer?.id ?? requester.id }
    const items = await conversations.items(who, path, [cell])
    const [item] = items.ok ? items.value : []
    if (!item || item.text !== revisions[0]?.code) return
    await conversations.edit(who, { path, item: cell, text: code, expectedRevision: item.revision })
  }

  const act = async ({ tenant, id }: Pick<ApprovalRequest, 'tenant' | 'id'>) => {
    const found = await approval.requests.get(tenant, id)
    if (!found.ok) return
    const why = refusalOf(found.value)
    if (why) await runs.giveUp(found.value, why)
    else if (found.value.state === 'approved') await resume(found.value)
  }

  return approval.subscribe(event => {
    if (event.type !== 'request') return
    const { id, state } = event.request
    if (!(state === 'approved' || state in refusals) || settled.has(id)) return
    settled.add(id)
    void act(event.request).catch(error => log.error({ error: String(error) }, 'a decided run could not be carried on'))
  })
}

const askAgain = 'Nothing was run. Run it again to ask anew.'

type Refused = Extract<RequestState, 'denied' | 'expired' | 'cancelled' | 'voided'>

const refusals: Record<Refused, (request: ApprovalRequest) => Problem> = {
  denied: ({ reviewer, decision }) =>
    problem(
      'approval.denied',
      `${reviewer?.name ?? 'A reviewer'} denied this run${decision?.comment ? `: ${decision.comment}` : '.'}`,
      'Nothing was run. Change the code and ask again.',
    ),
  expired: ({ note }) => problem('approval.expired', note || 'Nobody decided in time.', askAgain),
  cancelled: ({ note }) => problem('approval.cancelled', note || 'The request was withdrawn.', askAgain),
  voided: ({ note }) => problem('approval.voided', note || 'The code changed after it was asked about.', askAgain),
}

const refusalOf = (request: ApprovalRequest): Problem | null =>
  request.state in refusals ? refusals[request.state as Refused](request) : null
