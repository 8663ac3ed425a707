import { describe, expect, it } from 'vitest'
import { Failure } from '../contract/problem.ts'
import { type Act, ana, bench, diamond, graph, path, ref, sha, started, stateOf, task, writes } from './testing.ts'

const full = () => new Failure('storage.full', 'The disk is full.', 'Free some space.')

describe('a workflow', () => {
  it('whose state cannot be written for a while goes on by itself when it can', async () => {
    const { open, storage, clock, performed, files, problems } = await bench()
    let isFull = false
    const write: typeof storage.write = work => (isFull ? Promise.reject(full()) : storage.write(work))
    const act: Act = (attempt, kept) => {
      isFull = attempt.name === 'c'
      return writes(attempt, kept)
    }
    const kit = { performed, act }
    const workflows = open({
      storage: { ...storage, write },
      runner: {
        perform: attempt => {
          kit.performed.push(attempt.name)
          return Promise.resolve(kit.act(attempt, files))
        },
        recall: async () => null,
        resuming: (_attempt, go) => go(),
        release: async () => undefined,
      },
    })
    await workflows.recover()
    const id = await started(workflows, graph({ a: task([]), c: task(['a']) }))
    expect((await stateOf(workflows, id)).state).toBe('running')
    expect(problems.join()).toContain('The disk is full')
    isFull = false
    kit.act = writes
    clock.advance(30_000)
    await expect.poll(async () => (await stateOf(workflows, id)).state).toBe('completed')
    expect((await files.head(ref)).map(file => file.path)).toEqual(['a.json', 'c.json'])
    expect(performed.filter(name => name === 'a')).toEqual(['a'])
  })

  it('stops all its tasks before it says that it failed, where one cannot be written', async () => {
    const { open, storage, performed } = await bench()
    const slow = Promise.withResolvers<void>()
    let fails = false
    // Only the end of one task.
    const write: typeof storage.write = work => {
      if (!fails) return storage.write(work)
      fails = false
      return Promise.reject(full())
    }
    const workflows = open({
      storage: { ...storage, write },
      runner: {
        async perform({ name, signal }) {
          performed.push(name)
          if (name === 'b') {
            signal.addEventListener('abort', () => slow.resolve())
            await slow.promise
          }
          fails = name === 'a'
          return { type: 'completed', outputs: { x: 1 }, changes: { written: [], removed: [] } }
        },
        recall: async () => null,
        resuming: (_attempt, go) => go(),
        release: async () => undefined,
      },
    })
    const id = await started(workflows, graph({ b: task([]), a: task([]) }))
    await slow.promise
    expect(await stateOf(workflows, id)).toMatchObject({ state: 'failed', problem: { code: 'storage.full' } })
  })

  it('lets go of its sandboxes also where its files cannot be put into the one that the path has open', async () => {
    const { open, runner, problems } = await bench()
    let released = false
    const workflows = open({
      committed: async () => {
        throw full()
      },
      runner: {
        ...runner,
        release: async () => {
          released = true
        },
      },
    })
    const id = await started(workflows, diamond)
    expect((await stateOf(workflows, id)).state).toBe('completed')
    expect(released).toBe(true)
    expect(problems.join()).toContain('The disk is full')
  })

  it('that was left running by a process that is gone is taken on while the application is open', async () => {
    const { open, clock, performed } = await bench()
    const alive = new Set(['first'])
    const owner = (name: string) => ({ name, isAlive: (other: string) => alive.has(other) })
    const reached = Promise.withResolvers<void>()
    const dying = open({
      owner: owner('first'),
      runner: {
        perform: async () => {
          reached.resolve()
          return new Promise(() => undefined)
        },
        recall: async () => null,
        resuming: (_attempt, go) => go(),
        release: async () => undefined,
      },
    })
    const here = open({ owner: owner('second') })
    await here.recover()
    const view = await dying.start(ana, path, diamond)
    if (!view.ok) throw new Error(view.problem.message)
    await reached.promise
    clock.advance(30_000)
    await here.rest(view.value.id)
    expect(performed).toEqual([])
    alive.delete('first')
    clock.advance(30_000)
    await expect.poll(async () => (await stateOf(here, view.value.id)).state).toBe('completed')
    expect([...performed].sort()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('knows the order in which its tasks ended, also where the clock goes back', async () => {
    const first = Promise.withResolvers<void>()
    let before: string[] = []
    const { open, clock } = await bench({
      a: async (attempt, files) => {
        await first.promise
        clock.set(clock.now() - 3_600_000)
        return writes(attempt, files)
      },
      b: async (attempt, files) => {
        const end = await writes(attempt, files)
        // Its end is written, and only then the other one goes on.
        setImmediate(() => first.resolve())
        return end
      },
      c: (attempt, files) => {
        before = attempt.before().map(({ name }) => name)
        return writes(attempt, files)
      },
    })
    const workflows = open()
    const shared = ', sandbox: shared'
    const id = await started(
      workflows,
      graph({ a: task([], shared), b: task([], shared), c: task(['a', 'b'], shared) }),
    )
    expect(before).toEqual(['b', 'a'])
    for (const { startedAt, finishedAt } of (await stateOf(workflows, id)).tasks)
      expect(finishedAt).toBeGreaterThanOrEqual(startedAt ?? Number.POSITIVE_INFINITY)
  })

  it('overwrites nothing that is changed on the path in the moment before its files are put there', async () => {
    const { open, files, storage, performed } = await bench()
    let sneaked = false
    const workflows = open({
      files: {
        ...files,
        async put(t, at, manifest) {
          await files.put(t, at, manifest)
          if (!performed.includes('d') || sneaked) return
          sneaked = true
          const file = await files.add('a.json', Buffer.from('by hand'))
          void storage.write(again => files.commit(again, ref, { written: [file], removed: [] }))
        },
      },
    })
    const id = await started(workflows, diamond)
    expect(await stateOf(workflows, id)).toMatchObject({ state: 'failed', problem: { code: 'workflow.conflict' } })
    expect((await files.head(ref)).map(file => file.sha256)).toEqual([sha('by hand')])
  })

  it('starts its next layer from what its tasks left, and not from a list that was put in its place', async () => {
    const given: string[][] = []
    let broken = true
    const { open, files, storage } = await bench({
      b: (attempt, kept) => {
        given.push(attempt.files.map(({ path: name }) => name))
        return broken
          ? { type: 'failed', problem: { code: 'workflow.task-failed', message: 'x', hint: 'x' }, final: true }
          : writes(attempt, kept)
      },
    })
    const workflows = open()
    const id = await started(workflows, graph({ a: task([]), b: task(['a']) }))
    const planted = await files.add('planted.json', Buffer.from('planted'))
    await storage.write(t => files.put(t, { ...ref, path: id as never }, [planted]))
    broken = false
    await workflows.resume(ana, id)
    await workflows.rest(id)
    expect(given).toEqual([['a.json'], ['a.json']])
    expect((await files.head(ref)).map(({ path: name }) => name)).toEqual(['a.json', 'b.json'])
  })

  it('waits with a task that finds no room for its sandbox until another has ended, and counts it as no attempt', async () => {
    const room = Promise.withResolvers<void>()
    let isTaken = true
    const { open } = await bench({
      a: async (attempt, files) => {
        await room.promise
        isTaken = false
        return writes(attempt, files)
      },
      b: (attempt, files) => {
        if (!isTaken) return writes(attempt, files)
        setImmediate(() => room.resolve())
        return { type: 'failed', problem: { code: 'context.too-many', message: 'full', hint: '' }, final: true }
      },
    })
    const workflows = open()
    const id = await started(workflows, graph({ a: task([]), b: task([]) }))
    expect(await stateOf(workflows, id)).toMatchObject({ state: 'completed', tasks: [{}, { attempt: 1 }] })
    isTaken = true
    const alone = await started(workflows, graph({ b: task([]) }))
    expect(await stateOf(workflows, alone)).toMatchObject({ state: 'failed', problem: { code: 'context.too-many' } })
  })
})
