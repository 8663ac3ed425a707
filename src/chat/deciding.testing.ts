import type { RequestId } from '../contract/ids.ts'
import type { Engine } from '../engine/engine.ts'
import { value } from './testing.ts'

/** Somebody signs for a request, or against it. */
export async function decideOn(engine: Engine, request: RequestId, kind: 'approve' | 'deny', comment = '') {
  const { tenant, user } = engine.caller
  const found = value(await engine.approval.requests.get(tenant, request))
  const reviewer = value(await engine.approval.identities.logIn(user))
  value(
    (await engine.approval.requests.decide(request, reviewer, {
      kind,
      seen: found.subject,
      comment,
    } as never)) as never,
  )
}
