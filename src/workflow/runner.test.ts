import { describe, expect, it } from 'vitest'
import type { PathRef } from '../contract/contexts.ts'
import { ConversationId, PathId, RunId, TenantId, UserId, WorkflowId } from '../contract/ids.ts'
import { testIds } from '../sandbox/testing.ts'
import type { RunStanding } from './left.ts'
import { createRunner } from './runner.ts'
import { type Attempt, runsOfAttempt } from './task.ts'

/** A call of a tool whose end nobody saw, as the record tells it. */
const recalled = (standing: RunStanding, begun: boolean, effect: 'reads' | 'destroys', withdrawn: unknown[] = []) =>
  createRunner({
    withdraw: async ({ path }: PathRef) => void withdrawn.push(path),
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
  ] as const)('is called again when it %s, and what it asked is asked no more', async (_why, begun, effect) => {
    const withdrawn: unknown[] = []
    expect(await recalled('unknown', begun, effect, withdrawn)).toBeNull()
    expect(withdrawn).toHaveLength(1)
  })

  it('waits on with the reviewer', async () => {
    expect(await recalled('waiting', false, 'destroys')).toMatchObject({ type: 'waiting' })
  })
})

it('a tool that is no longer accepted when its turn comes fails its task, and is not tried again', async () => {
  const task = { type: 'mcp_tool', server: 'ledger', tool: 'post' }
  const end = await createRunner({ tool: async () => null } as never).perform({ task } as Attempt)
  expect(end).toMatchObject({ type: 'failed', final: true, problem: { code: 'mcp.unaccepted' } })
})

it('asks for the placement of its task where the code is run', async () => {
  const asked: unknown[] = []
  const placement = { isolation: 'container' } as const
  await createRunner({
    contexts: { end: async () => undefined },
    storage: { write: async () => undefined },
    files: { add: async () => ({ path: 'inputs.json', sha256: '', bytes: 0 }) },
    runs: {
      start: async (_who: unknown, _request: unknown, options: { placement: unknown }) => {
        asked.push(options.placement)
        return { ok: false, problem: { code: 'x', message: 'x', hint: 'x' } }
      },
    },
  } as never).perform({
    run: testIds.make(RunId),
    ...{ files: [], inputs: {}, placement },
    task: { type: 'code_execution', language: 'python', code: '1', sandbox: 'own', timeoutSeconds: 1 },
  } as unknown as Attempt)
  expect(asked).toEqual([placement])
})

describe('candidates', () => {
  const task = {
    ...{ type: 'code_execution', language: 'python', code: '1', sandbox: 'own', timeoutSeconds: 60 },
    ...{ candidates: 2, choose: 'reviewer', inputs: {}, outputs: { x: 'number' } },
  } as unknown as Extract<Attempt['task'], { type: 'code_execution' }>
  const attempt = {
    workflow: testIds.make(WorkflowId),
    tenant: testIds.make(TenantId),
    conversation: testIds.make(ConversationId),
    path: testIds.make(PathId),
    user: testIds.make(UserId),
    run: testIds.make(RunId),
    ...{ name: 'best', task, request: null, files: [], inputs: {} },
  } as unknown as Attempt
  const [first, second] = runsOfAttempt(task, attempt.run)

  const runner = (standing: (run: string) => RunStanding, asks: string[] = [], withdrawn: string[] = []) =>
    createRunner({
      standing: async ({ run }: Attempt) => standing(run),
      withdraw: async ({ path }: { path: string }) => void withdrawn.push(path),
      contexts: { end: async () => undefined },
      storage: { write: async () => undefined },
      files: {
        add: async () => ({ path: 'inputs.json', sha256: '', bytes: 0 }),
        ofRun: async (run: string) => ({ after: run }),
        manifest: async () => [],
      },
      runs: {
        start: async (_who: unknown, _request: unknown, { id }: { id: string }) => ({
          ok: true,
          value: {
            rest: Promise.resolve(
              asks.includes(id)
                ? { state: 'waiting', request: 'r' }
                : { state: 'finished', outcome: { success: id === second, error: null } },
            ),
          },
        }),
      },
    } as never)

  it('are offered to a reviewer by the number that each was given, also where one before it failed', async () => {
    const end = await runner(() => 'unknown').perform(attempt)
    expect(end).toMatchObject({ type: 'waiting', outputs: { candidates: [{ number: 1 }] } })
  })

  it('that a reviewer would have to see are not run, and nobody is asked about them any more', async () => {
    const withdrawn: string[] = []
    const end = await runner(() => 'unknown', [first ?? ''], withdrawn).perform(attempt)
    expect(end).toMatchObject({ type: 'failed', problem: { code: 'workflow.unsupported' } })
    expect(withdrawn).toEqual([first])
  })

  it('that had all ended before a crash are not run again', async () => {
    const both = await runner(run => (run === second ? 'succeeded' : 'failed')).recall(attempt)
    expect(both).toMatchObject({ type: 'waiting', outputs: { candidates: [{ number: 1 }] } })
    expect(await runner(run => (run === second ? 'succeeded' : 'unknown')).recall(attempt)).toBeNull()
  })
})
