import { api, type DoorContext, unwrap } from './api.ts'
import { recordOf } from './audit.ts'

const { approval, identities, policy } = api

export const approvalRouter = {
  requests: approval.requests.handler(({ context: { engine, session }, input }) =>
    engine.approval.requests.list({ ...input, tenant: session.caller.tenant }),
  ),
  request: approval.request.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.approval.requests.get(session.caller.tenant, input)),
  ),
  comment: approval.comment.handler(({ context: { engine, session }, input: { request, text, as } }) =>
    unwrap(session.signing(as, reviewer => engine.approval.requests.comment(request, reviewer, text))),
  ),
  decide: approval.decide.handler(({ context: { engine, session }, input: { request, verdict, as } }) =>
    unwrap(session.signing(as, reviewer => engine.approval.requests.decide(request, reviewer, verdict))),
  ),
  cancel: approval.cancel.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.approval.requests.cancel(session.caller.tenant, input, session.caller.user)),
  ),
  lastApproved: approval.lastApproved.handler(({ context: { engine, session }, input }) =>
    engine.approval.requests.lastApproved({ ...input, tenant: session.caller.tenant }),
  ),
}

export const identitiesRouter = {
  list: identities.list.handler(({ context: { engine, session } }) =>
    engine.approval.identities.list(session.caller.tenant),
  ),
  create: identities.create.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.approval.identities.create(session.caller.tenant, input, session.caller.user)),
  ),
  current: identities.current.handler(async ({ context: { session } }) => (await session.reviewer()).identity),
  logIn: identities.logIn.handler(async ({ context: { session }, input }) =>
    unwrap(session.logIn(input.id, input.passphrase)),
  ),
  logOut: identities.logOut.handler(async ({ context: { session } }) => session.logOut()),
  vouch: identities.vouch.handler(async ({ context: { engine, session }, input }) =>
    unwrap(engine.approval.identities.vouch(await session.reviewer(), input)),
  ),
  withdraw: identities.withdraw.handler(async ({ context: { engine, session }, input }) =>
    unwrap(engine.approval.identities.withdraw(await session.reviewer(), input)),
  ),
}

export const policyRouter = {
  get: policy.get.handler(({ context: { engine } }) => engine.approval.policy.current()),
  text: policy.text.handler(({ context: { engine } }) => engine.approval.policy.text()),
  save: policy.save.handler(async ({ context, input }) => {
    const { engine, session } = await ofThisInstallation(context)
    return unwrap(engine.approval.policy.save(input.policy, session.caller.user, input.expected))
  }),
  saveText: policy.saveText.handler(async ({ context, input }) => {
    const { engine, session } = await ofThisInstallation(context)
    return unwrap(engine.approval.policy.saveText(input.text, session.caller.user, input.expected))
  }),
}

/** The policy holds for everyone here: only those whose installation it is may change it. */
async function ofThisInstallation(context: DoorContext): Promise<DoorContext> {
  await recordOf(context)
  return context
}
