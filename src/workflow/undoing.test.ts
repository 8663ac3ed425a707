import { describe, expect, it } from 'vitest'
import { ana, bench, failure, graph, path, ref, stateOf, task } from './testing.ts'

describe('a workflow that is aborted', () => {
  it('says what an abort drops, and names tools that acted or were being called', async () => {
    const tool = (needs: string[], name = 'post') =>
      `{ type: mcp_tool, server: ledger, tool: ${name}, needs: [${needs}] }`
    const reached = Promise.withResolvers<void>()
    const { open, audit } = await bench({
      sent: async () => ({ type: 'completed', outputs: { result: 1 }, changes: { written: [], removed: [] } }),
      looked: async () => ({ type: 'completed', outputs: { result: 1 }, changes: { written: [], removed: [] } }),
      calling: async ({ signal }) => {
        reached.resolve()
        await new Promise(resolve => signal.addEventListener('abort', resolve))
        return { type: 'failed', problem: { code: 'workflow.task-failed', message: '', hint: '' }, final: true }
      },
    })
    const workflows = open({ hasEffects: async (_, { tool: named }) => named !== 'look' })
    const view = await workflows.start(
      ana,
      path,
      graph({ a: task([]), sent: tool(['a']), looked: tool(['a'], 'look'), calling: tool(['sent', 'looked']) }),
    )
    if (!view.ok) throw new Error(view.problem.message)
    await reached.promise
    const undoing = { dropped: ['a.json'], lasting: ['sent', 'calling'] }
    expect(await workflows.aborting(ana, view.value.id)).toEqual({ ok: true, value: undoing })
    await workflows.abort(ana, view.value.id)
    const { items } = await audit.query({ filter: { actions: ['workflow.aborted'] } })
    expect(items[0]?.entry.details).toMatchObject({ undone: ['a.json'], cannotBeUndone: ['sent', 'calling'] })
  })

  it.each([
    ['Resume', 1],
    ['a retry', 2],
  ])('names a tool that acted in an attempt that failed before %s', async (_how, attempts) => {
    const reached = Promise.withResolvers<void>()
    let tries = 0
    const { open, storage } = await bench({
      send: async ({ signal }) => {
        if (++tries === 1) return { type: 'failed', problem: failure, final: false }
        reached.resolve()
        await new Promise(resolve => signal.addEventListener('abort', resolve))
        return { type: 'failed', problem: failure, final: true }
      },
    })
    const begun: string[] = []
    // Only the first attempt was handed over.
    const workflows = open({ wasBegun: async run => run === begun[0] })
    const retry = `{ attempts: ${attempts}, delaySeconds: 0 }`
    const view = await workflows.start(
      ana,
      path,
      graph({ send: `{ type: mcp_tool, server: ledger, tool: post, retry: ${retry} }` }),
    )
    if (!view.ok) throw new Error(view.problem.message)
    const { id } = view.value
    const firstRun = async () => {
      const row = await storage.read.selectFrom('workflow_tasks').select(['run', 'earlier']).executeTakeFirstOrThrow()
      return [...JSON.parse(row.earlier), row.run][0]
    }
    if (attempts === 1) {
      await workflows.rest(id)
      await workflows.resume(ana, id)
    }
    await reached.promise
    begun.push(await firstRun())
    const undoing = { dropped: [], lasting: ['send'] }
    expect(await workflows.aborting(ana, id)).toEqual({ ok: true, value: undoing })
    await workflows.abort(ana, id)
  })

  it('is at rest when its abort is written, also for whoever waits for that or closes the application', async () => {
    const reached = Promise.withResolvers<void>()
    const { open } = await bench({
      a: async ({ signal }) => {
        reached.resolve()
        await new Promise(resolve => signal.addEventListener('abort', resolve))
        return { type: 'failed', problem: failure, final: true }
      },
    })
    for (const waits of ['rest', 'close'] as const) {
      const workflows = open()
      const view = await workflows.start(ana, path, graph({ a: task([]) }))
      if (!view.ok) throw new Error(view.problem.message)
      await reached.promise
      void workflows.abort(ana, view.value.id)
      await workflows[waits](view.value.id)
      expect(await stateOf(open(), view.value.id)).toMatchObject({ state: 'aborted' })
    }
  })

  it('at any of its writes leaves the path as it was, or as it is when all is done', async () => {
    const tasks = Object.fromEntries(
      Array.from({ length: 10 }, (_, n) => [`t${n}`, task(n === 0 ? [] : [`t${n - 1}`])]),
    )
    const source = graph(tasks)
    const { open, files, storage } = await bench()
    const mine = await files.add('mine', Buffer.from('before'))
    await storage.write(t => files.put(t, ref, [mine]))
    const states: string[] = []
    for (let at = 1; states.at(-1) !== 'completed'; at++) {
      const reached = Promise.withResolvers<void>()
      let writes = 0
      const counting: typeof storage.write = async (...asked) => {
        const value = await storage.write(...asked)
        if (++writes === at) reached.resolve()
        return value
      }
      const workflows = open({ storage: { ...storage, write: counting } })
      const view = await workflows.start(ana, path, source)
      if (!view.ok) throw new Error(view.problem.message)
      const { id } = view.value
      await Promise.race([reached.promise, workflows.rest(id)])
      await workflows.abort(ana, id)
      await workflows.rest(id)
      const { state } = await stateOf(workflows, id)
      states.push(state)
      const left = (await files.head(ref)).map(({ path: name }) => name)
      const all = ['mine', ...Object.keys(tasks).map(name => `${name}.json`)]
      expect([state, left]).toEqual(state === 'completed' ? ['completed', all] : ['aborted', ['mine']])
    }
    // Each task and each layer is written by itself.
    expect(states.length).toBeGreaterThan(30)
  })
})
