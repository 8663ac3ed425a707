import { onTestFinished } from 'vitest'
import { RequestId, type WorkflowId } from '../contract/ids.ts'
import type { Outcome } from '../contract/problem.ts'
import { type Engine, openEngine } from '../engine/engine.ts'

export const must = <T>(outcome: Outcome<T>): T => {
  if (!outcome.ok) throw new Error(outcome.problem.message)
  return outcome.value
}

/** An engine that is closed at the end of the test, or before it. */
export async function open(
  home: string,
  more: Pick<Parameters<typeof openEngine>[0], 'backEnds'> = {},
): Promise<Engine> {
  const engine = await openEngine({ home, env: { PATH: process.env.PATH }, pool: 0, ...more })
  let closed = false
  const close = engine.close.bind(engine)
  const once = async () => {
    if (!closed) await close()
    closed = true
  }
  onTestFinished(once)
  return Object.assign(engine, { close: once })
}

/** The local user answers a request of the review queue. */
export async function decide(engine: Engine, id: string | null | undefined, kind: 'approve' | 'deny') {
  const { approval, caller } = engine
  const request = must(await approval.requests.get(caller.tenant, RequestId.parse(id)))
  const reviewer = must(await approval.identities.logIn(caller.user))
  await approval.requests.decide(request.id, reviewer, { kind, seen: request.subject, comment: 'as agreed' })
}

export const stateOf = async (engine: Engine, id: WorkflowId) =>
  must(await engine.workflows.get(engine.caller, id)).state
