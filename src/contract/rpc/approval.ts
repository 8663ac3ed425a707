import { z } from 'zod'
import * as a from '../approval.ts'
import { CellId, ConversationId, PathId, RequestId, UserId } from '../ids.ts'
import { Policy, PolicyState } from '../policy.ts'
import { procedure } from './base.ts'

export const approvalContract = {
  requests: procedure.input(a.RequestFilter.omit({ tenant: true })).output(z.array(a.RequestSummary)),
  request: procedure.input(RequestId).output(a.ApprovalRequest),
  comment: procedure
    .input(z.object({ request: RequestId, text: z.string().trim().min(1).max(10_000), as: a.SignOnce.optional() }))
    .output(a.ApprovalRequest),
  /** Answers when the decision is durable: a window shows nothing as decided before. */
  decide: procedure
    .input(z.object({ request: RequestId, verdict: a.Verdict, as: a.SignOnce.optional() }))
    .output(a.ApprovalRequest),
  cancel: procedure.input(RequestId).output(a.ApprovalRequest),
  lastApproved: procedure
    .input(z.object({ conversation: ConversationId, path: PathId, cell: CellId.nullable() }))
    .output(a.LastApproved.nullable()),
}

export const identitiesContract = {
  list: procedure.output(z.array(a.Identity)),
  create: procedure.input(a.NewIdentity).output(a.Identity),
  /** Who this window acts as when it reviews. */
  current: procedure.output(a.Identity),
  logIn: procedure.input(a.SignOnce).output(a.Identity),
  logOut: procedure.output(a.Identity),
  /** This window's identity vouches for another one. */
  vouch: procedure.input(UserId).output(a.Identity),
  /** It takes that back: what the other one decides from now on stands without it. */
  withdraw: procedure.input(UserId).output(a.Identity),
}

export const policyContract = {
  get: procedure.output(PolicyState),
  text: procedure.output(z.string()),
  save: procedure.input(z.object({ policy: Policy, expected: z.string() })).output(PolicyState),
  saveText: procedure.input(z.object({ text: z.string().max(1_000_000), expected: z.string() })).output(PolicyState),
}
