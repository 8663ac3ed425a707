import { describe, expect, it } from 'vitest'
import { RequestId, RunId } from '../contract/ids.ts'
import { type Outcome, ok } from '../contract/problem.ts'
import type { RunView } from '../contract/runs.ts'
import type { StartedRun } from '../runs/runs.ts'
import { testIds } from '../sandbox/testing.ts'
import type { TaskEnd } from './task.ts'
import { type Act, ana, bench, graph, path, ref, started, stateOf, task } from './testing.ts'

const asks: Act = () => ({ type: 'waiting', request: testIds.make(RequestId) })
const done: TaskEnd = { type: 'completed', outputs: { x: 1 }, changes: { written: [], removed: [] } }
/** A run that goes on until it is told to stop. */
const going = (signal: AbortSignal | undefined, rest = Promise.withResolvers<RunView>()): Outcome<StartedRun> => {
  signal?.addEventListener('abort', () => rest.resolve({} as RunView))
  return ok({ view: {} as RunView, rest: rest.promise })
}

async function twoWaiting() {
  const kit = await bench({ a: asks, b: asks })
  const workflows = kit.open()
  const id = await started(workflows, graph({ a: task([]), b: task([]), c: task(['a', 'b']) }))
  const [a, b] = (await stateOf(workflows, id)).tasks.map(({ run, request }) => ({
    ...{ tenant: ana.tenant, conversation: ref.conversation, path },
    ...{ run: run as RunId, id: request as RequestId },
  }))
  if (!a || !b) throw new Error('no requests')
  return { ...kit, workflows, id, a, b }
}

describe('a run that a reviewer approved', () => {
  it('is not run a second time when another task ends before it', async () => {
    const { workflows, id, a, b, ended, performed } = await twoWaiting()
    workflows.approved(a.run)
    workflows.approved(b.run)
    ended.set(a.run, done)
    // The record knows nothing of it yet.
    ended.delete(b.run)
    workflows.runEnded(a.run)
    await expect.poll(async () => (await stateOf(workflows, id)).tasks[0]?.state).toBe('completed')
    await workflows.rest(id)
    expect(performed).toEqual(['a', 'b'])
    expect(await stateOf(workflows, id)).toMatchObject({ state: 'waiting', tasks: [{}, { run: b.run }, {}] })
    ended.set(b.run, done)
    workflows.runEnded(b.run)
    await expect.poll(async () => (await stateOf(workflows, id)).state).toBe('completed')
    expect(performed).toEqual(['a', 'b', 'c'])
  })

  it('is stopped by an abort, which waits for its end', async () => {
    const { workflows, id, a } = await twoWaiting()
    let stopped = false
    const answer = await workflows.resuming(a, async signal => {
      signal?.addEventListener('abort', () => {
        stopped = true
      })
      return going(signal)
    })
    expect(answer.ok).toBe(true)
    expect(await workflows.abort(ana, id)).toMatchObject({ ok: true, value: { state: 'aborted' } })
    expect(stopped).toBe(true)
  })

  it.each(['during', 'after'])('does not begin any more %s an abort', async when => {
    const { open, id, a, workflows: first } = await twoWaiting()
    const reached = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const workflows = open({
      runner: {
        perform: async () => done,
        recall: async () => null,
        resuming: (_attempt, go) => go(),
        release: async () => {
          reached.resolve()
          await goOn.promise
        },
      },
    })
    const aborted = workflows.abort(ana, id)
    await reached.promise
    if (when === 'after') {
      goOn.resolve()
      await aborted
    }
    let begun = false
    const go = async (signal?: AbortSignal) => {
      begun = true
      return going(signal)
    }
    expect(await workflows.resuming(a, go)).toMatchObject({ ok: false, problem: { code: 'workflow.over' } })
    // In another window too.
    expect(await first.resuming(a, go)).toMatchObject({ ok: false, problem: { code: 'workflow.over' } })
    expect(begun).toBe(false)
    goOn.resolve()
    await aborted
  })

  it('that belongs to no workflow goes on as it is', async () => {
    const { workflows, a } = await twoWaiting()
    const other = { ...a, run: testIds.make(RunId) }
    expect(await workflows.resuming(other, async signal => going(signal))).toMatchObject({ ok: true })
  })
})
