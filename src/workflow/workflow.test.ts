import { describe, expect, it } from 'vitest'
import { TenantId } from '../contract/ids.ts'
import { problem } from '../contract/problem.ts'
import { testIds } from '../sandbox/testing.ts'
import {
  type Act,
  ana,
  bea,
  bench,
  conversation,
  diamond,
  failure,
  graph,
  path,
  ref,
  sha,
  started,
  stateOf,
  task,
  writes,
} from './testing.ts'

describe('a workflow', () => {
  it('runs each task once, behind what it needs, and then changes the files of the path', async () => {
    const { open, performed, files } = await bench()
    const workflows = open()
    const id = await started(workflows, diamond)
    expect((await stateOf(workflows, id)).state).toBe('completed')
    expect(performed[0]).toBe('a')
    expect([...performed].sort()).toEqual(['a', 'b', 'c', 'd'])
    expect(performed[3]).toBe('d')
    expect((await files.head(ref)).map(file => file.path)).toEqual(['a.json', 'b.json', 'c.json', 'd.json'])
  })

  it('runs again from a task: what waits for it too, while the rest keeps its results', async () => {
    const { open, performed, files } = await bench()
    const workflows = open()
    const id = await started(workflows, diamond)
    performed.length = 0
    const again = await workflows.again(ana, id, 'b')
    if (!again.ok) throw new Error(again.problem.message)
    await workflows.rest(again.value.id)
    expect(performed).toEqual(['b', 'd'])
    expect((await stateOf(workflows, again.value.id)).state).toBe('completed')
    expect((await files.head(ref)).map(file => file.path)).toEqual(['a.json', 'b.json', 'c.json', 'd.json'])
    expect(await workflows.again(ana, id, 'none')).toMatchObject({ ok: false, problem: { code: 'not-found' } })
    expect(await workflows.again({ ...ana, tenant: conversation as never }, id, 'b')).toMatchObject({ ok: false })
  })

  it('does not run again from a task whose inputs were never computed', async () => {
    const { open } = await bench({ a: () => ({ type: 'failed', problem: failure, final: true }) })
    const workflows = open()
    const id = await started(workflows, diamond)
    expect(await workflows.again(ana, id, 'd')).toMatchObject({ ok: false, problem: { code: 'conflict' } })
  })

  const microvm = `name: x
tasks:
  a: ${task([])}
  b:
    type: code_execution
    language: python
    code: "1"
    outputs: { x: number }
    needs: [a]
    placement: { isolation: microvm }
`

  it('with a task that could not run here is refused before it starts, with the line and the reason', async () => {
    const { open, performed, storage } = await bench()
    const workflows = open({
      obstacles: async (who, at, planned) => {
        expect([who, at]).toEqual([ana, ref])
        const why = problem('sandbox.unavailable', 'No /dev/kvm here.', 'Use another machine.')
        return planned.map(({ wanted }) => (wanted ? [{ problem: why, input: null }] : []))
      },
    })
    expect(await workflows.start(ana, path, microvm)).toMatchObject({
      ok: false,
      problem: { code: 'workflow.invalid', message: 'Line 10: b: No /dev/kvm here. Use another machine.' },
    })
    expect(performed).toEqual([])
    expect(await storage.read.selectFrom('workflows').selectAll().execute()).toEqual([])
  })

  it('says what would be refused halfway on the line of the input that it is about, and starts nothing', async () => {
    const { open, storage } = await bench()
    const why = problem('workflow.bad-input', 'y is no figure.', 'Correct it.')
    const workflows = open({ obstacles: async () => [[], [{ problem: why, input: 'y' }]] })
    const source = graph({ a: task([]), b: task([], ',\n    inputs: {\n      y: { value: 1 } }') })
    expect(await workflows.faults(ana, path, source)).toEqual({
      ok: true,
      value: [{ message: 'b: y is no figure. Correct it.', line: 6 }],
    })
    expect(await workflows.faults(ana, path, 'name: x')).toMatchObject({ ok: true, value: [{ line: 1 }] })
    expect(await storage.read.selectFrom('workflows').selectAll().execute()).toEqual([])
  })

  it('gives each attempt the placement of its task, and shows it', async () => {
    const given: unknown[] = []
    const { open } = await bench({}, (attempt, files) => {
      given.push([attempt.name, attempt.placement])
      return writes(attempt, files)
    })
    const workflows = open()
    const view = await stateOf(workflows, await started(workflows, microvm))
    expect(view.state).toBe('completed')
    expect(given).toEqual([
      ['a', undefined],
      ['b', { isolation: 'microvm' }],
    ])
    expect(view.tasks.map(({ placement }) => placement)).toEqual([null, { isolation: 'microvm' }])
  })

  it('hands results on as data', async () => {
    const { open, files } = await bench({
      a: () => ({ type: 'completed', outputs: { x: 7 }, changes: { written: [], removed: [] } }),
    })
    const source = graph({
      a: task([]),
      b: task([], ', inputs: { y: { from: a.x, type: number }, z: { value: "$(rm)" } }'),
    })
    await started(open(), source)
    const [b] = await files.head(ref)
    expect(b?.sha256).toBe(sha('{"y":7,"z":"$(rm)"}'))
  })

  it('tries again as often as it may, and then fails with nothing changed', async () => {
    let tries = 0
    const flaky: Act = (attempt, files) =>
      ++tries < 3 ? { type: 'failed', problem: failure, final: false } : writes(attempt, files)
    const { open, files } = await bench({ a: flaky, b: () => ({ type: 'failed', problem: failure, final: false }) })
    const workflows = open()
    const good = await started(workflows, graph({ a: task([], ', retry: { attempts: 3, delaySeconds: 0 }') }))
    expect((await stateOf(workflows, good)).tasks[0]).toMatchObject({ state: 'completed', attempt: 3 })
    const before = await files.head(ref)
    const bad = await started(
      workflows,
      graph({ c: task([]), b: task(['c'], ', retry: { attempts: 2, delaySeconds: 0 }') }),
    )
    expect(await stateOf(workflows, bad)).toMatchObject({ state: 'failed', problem: failure })
    expect(await files.head(ref)).toEqual(before)
  })

  it('waits as long as it is told to before it tries again, and holds up nobody meanwhile', async () => {
    let tries = 0
    const flaky: Act = (attempt, files) =>
      ++tries < 2 ? { type: 'failed', problem: failure, final: false } : writes(attempt, files)
    const { open, clock, performed } = await bench({ a: flaky })
    const workflows = open()
    const source = graph({ a: task([], ', retry: { attempts: 2, delaySeconds: 30 }'), b: task([]), c: task([]) })
    const view = await workflows.start(ana, path, source)
    if (!view.ok) throw new Error(view.problem.message)
    await expect
      .poll(async () => (await stateOf(workflows, view.value.id)).tasks.map(({ state }) => state))
      .toEqual(['running', 'completed', 'completed'])
    clock.advance(29_000)
    await new Promise(resolve => setImmediate(resolve))
    expect(performed.filter(name => name === 'a')).toHaveLength(1)
    clock.advance(1000)
    await workflows.rest(view.value.id)
    expect((await stateOf(workflows, view.value.id)).tasks[0]).toMatchObject({ state: 'completed', attempt: 2 })
  })

  it('goes on from where it failed', async () => {
    let broken = true
    const { open, performed } = await bench({
      b: (attempt, files) => (broken ? { type: 'failed', problem: failure, final: true } : writes(attempt, files)),
    })
    const workflows = open()
    const id = await started(workflows, diamond)
    broken = false
    await workflows.resume(ana, id)
    await workflows.rest(id)
    expect((await stateOf(workflows, id)).state).toBe('completed')
    expect(performed.filter(name => name === 'a')).toHaveLength(1)
    expect(performed.filter(name => name === 'b')).toHaveLength(2)
  })

  it('shows no end of an attempt that has not ended', async () => {
    const again = Promise.withResolvers<void>()
    let tries = 0
    const { open } = await bench({
      a: async ({ signal }) => {
        if (++tries === 1) return { type: 'failed', problem: failure, final: true }
        again.resolve()
        await new Promise(resolve => signal.addEventListener('abort', resolve))
        return { type: 'failed', problem: failure, final: true }
      },
    })
    const workflows = open()
    const id = await started(workflows, graph({ a: task([]) }))
    expect((await stateOf(workflows, id)).tasks[0]?.finishedAt).not.toBeNull()
    await workflows.resume(ana, id)
    await again.promise
    expect((await stateOf(workflows, id)).tasks[0]).toMatchObject({ state: 'running', finishedAt: null })
    await workflows.abort(ana, id)
  })

  it('refuses outputs that are not what was promised', async () => {
    const { open } = await bench({
      a: () => ({ type: 'completed', outputs: { x: 'seven' }, changes: { written: [], removed: [] } }),
    })
    const workflows = open()
    const id = await started(workflows, graph({ a: task([]) }))
    expect(await stateOf(workflows, id)).toMatchObject({ state: 'failed', problem: { code: 'workflow.bad-output' } })
  })

  it('does not choose between two tasks that write one file', async () => {
    const same: Act = async ({ name }, files) => ({
      type: 'completed',
      outputs: { x: 1 },
      changes: { written: [await files.add('same', Buffer.from(name))], removed: [] },
    })
    const { open, files } = await bench({}, same)
    const workflows = open()
    const id = await started(workflows, graph({ a: task([]), b: task([]) }))
    expect(await stateOf(workflows, id)).toMatchObject({ state: 'failed', problem: { code: 'workflow.conflict' } })
    expect(await files.head(ref)).toEqual([])
  })

  it('does not overwrite what somebody changed on the path meanwhile', async () => {
    const { open, files, storage } = await bench({
      b: async (attempt, kept) => {
        const file = await kept.add('a.json', Buffer.from('by hand'))
        await storage.write(t => kept.commit(t, ref, { written: [file], removed: [] }))
        return writes(attempt, kept)
      },
    })
    const workflows = open()
    const id = await started(workflows, graph({ a: task([]), b: task(['a']) }))
    expect(await stateOf(workflows, id)).toMatchObject({ state: 'failed', problem: { code: 'workflow.conflict' } })
    expect((await files.head(ref)).map(file => file.sha256)).toEqual([sha('by hand')])
  })

  it('shows nothing to another tenant', async () => {
    const { open } = await bench()
    const workflows = open()
    const id = await started(workflows, diamond)
    const stranger = { ...bea, tenant: testIds.make(TenantId) }
    for (const answer of [
      await workflows.get(stranger, id),
      await workflows.source(stranger, id),
      await workflows.resume(stranger, id),
      await workflows.abort(stranger, id),
      await workflows.aborting(stranger, id),
      await workflows.log(stranger, id, 'a'),
      await workflows.decide(stranger, id, 'a', { approve: true, comment: '' }),
    ])
      expect(answer).toMatchObject({ ok: false, problem: { code: 'not-found' } })
    expect(await workflows.list(stranger, null)).toEqual([])
  })
})
