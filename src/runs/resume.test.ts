import { describe, expect, it } from 'vitest'
import { anApproval, aRun, must, tenant } from '../approval/testing.ts'
import type { ApprovalRequest } from '../contract/approval.ts'
import { ok, type Problem } from '../contract/problem.ts'
import type { Conversations } from '../conversations/conversations.ts'
import { silentLog } from '../log.ts'
import { resumeApproved } from './resume.ts'
import type { StartedRun } from './runs.ts'

/** The real approval, with runs that only write down what they were told. */
async function watched() {
  const kit = await anApproval()
  const resumed: ApprovalRequest[] = []
  const ended: Problem[] = []
  const stop = resumeApproved({
    approval: kit.approval,
    conversations: { items: async () => ok([]), edit: refuseEdit },
    runs: {
      resume: async request => {
        resumed.push(request)
        return ok({} as StartedRun)
      },
      giveUp: async (_request, why) => void ended.push(why),
    },
    log: silentLog,
  })
  return { ...kit, resumed, ended, stop }
}

const refuseEdit: Conversations['edit'] = () => Promise.reject(new Error('nothing here is to be edited'))

/** Everything that was set off has happened: the approval answers only after its own changes are durable. */
const calm = () => new Promise(resolve => setImmediate(() => setImmediate(resolve)))

describe('a run whose request was decided', () => {
  it('goes on once, however often its approval is heard of', async () => {
    const { approval, waiting, ana, resumed } = await watched()
    const request = await waiting(aRun())
    must(await approval.requests.decide(request.id, await ana(), { kind: 'approve', seen: request.subject }))
    must(await approval.requests.comment(request.id, await ana(), 'well done'))
    must(await approval.requests.comment(request.id, await ana(), 'indeed'))
    await expect.poll(() => resumed.length).toBe(1)
    await calm()
    expect(resumed).toHaveLength(1)
  })

  it('ends with the reviewer and their words when it was denied, and only once', async () => {
    const { approval, waiting, ana, ended, resumed } = await watched()
    const request = await waiting(aRun())
    must(await approval.requests.decide(request.id, await ana(), { kind: 'deny', comment: 'use the copy' }))
    must(await approval.requests.comment(request.id, await ana(), 'really'))
    await expect.poll(() => ended.map(why => why.message)).toEqual(['Ana denied this run: use the copy'])
    await calm()
    expect(ended).toHaveLength(1)
    expect(resumed).toEqual([])
  })

  it('ends when the requester takes it back', async () => {
    const { approval, waiting, ended } = await watched()
    const request = await waiting(aRun())
    must(await approval.requests.cancel(tenant, request.id, request.requester.id))
    await expect.poll(() => ended.map(why => why.code)).toEqual(['approval.cancelled'])
  })

  it('is left alone while it waits', async () => {
    const { approval, waiting, ana, ended, resumed } = await watched()
    const request = await waiting(aRun())
    must(await approval.requests.decide(request.id, await ana(), { kind: 'later' }))
    must(await approval.requests.comment(request.id, await ana(), 'hm'))
    await calm()
    expect([...ended, ...resumed]).toEqual([])
  })
})
