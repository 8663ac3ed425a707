import { describe, expect, it } from 'vitest'
import { ConversationId, PathId, RunId, TenantId, UserId, WorkflowId } from '../contract/ids.ts'
import { testIds } from '../sandbox/testing.ts'
import { createRunner, type RunStanding } from './runner.ts'
import type { Attempt } from './task.ts'

/** A call of a tool whose end nobody saw, as the record tells it. */
const recalled = (standing: RunStanding, begun: boolean, effect: 'reads' | 'destroys') =>
  createRunner({
    standing: async () => standing,
    wasBegun: async () => begun,
    tool: async () => ({ calledAs: { server: 'ledger', tool: 'post' }, effect }),
    contexts: { end: async () => undefined },
    storage: { write: async () => undefined },
  } as never).recall({
    workflow: testIds.make(WorkflowId),
    tenant: testIds.make(TenantId),
    conversation: testIds.make(ConversationId),
    path: testIds.make(PathId),
    user: testIds.make(UserId),
    run: testIds.make(RunId),
    name: 'post',
    task: { type: 'mcp_tool', server: 'ledger', tool: 'post' },
    request: null,
  } as unknown as Attempt)

describe('a tool that was being called when the application was killed', () => {
  it('is not called again by itself when it may have changed something', async () => {
    expect(await recalled('unknown', true, 'destroys')).toMatchObject({
      type: 'failed',
      final: true,
      problem: { code: 'workflow.uncertain' },
    })
  })

  it.each([
    ['only reads', true, 'reads'],
    ['was never handed over', false, 'destroys'],
  ] as const)('is called again when it %s', async (_why, begun, effect) => {
    expect(await recalled('unknown', begun, effect)).toBeNull()
  })

  it('waits on with the reviewer', async () => {
    expect(await recalled('waiting', false, 'destroys')).toMatchObject({ type: 'waiting' })
  })
})
