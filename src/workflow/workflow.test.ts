import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { temporaryAudit } from '../audit/testing.ts'
import { ConversationId, PathId, RequestId, TenantId, UserId, type WorkflowId } from '../contract/ids.ts'
import { ok, problem } from '../contract/problem.ts'
import type { Caller } from '../conversations/conversations.ts'
import { createFiles, type PathFiles } from '../files/files.ts'
import { testIds } from '../sandbox/testing.ts'
import type { Attempt, TaskEnd, TaskRunner } from './task.ts'
import { createWorkflows } from './workflow.ts'

const tenant = TenantId.parse('01900000-0000-7000-8000-000000000001')
const ana: Caller = { tenant, user: UserId.parse('01900000-0000-7000-8000-00000000000a') }
const bea: Caller = { tenant, user: UserId.parse('01900000-0000-7000-8000-00000000000b') }
const conversation = testIds.make(ConversationId)
const path = testIds.make(PathId)
const ref = { tenant, conversation, path }
const sha = (text: string) => createHash('sha256').update(text).digest('hex')
const failure = problem('sandbox.failed', 'It did not work.', 'Try again.')

type Act = (attempt: Attempt, files: PathFiles) => Promise<TaskEnd> | TaskEnd

/** Writes a file named like the task, with its inputs in it. */
const writes: Act = async ({ name, inputs }, files) => {
  const file = await files.add(`${name}.json`, Buffer.from(JSON.stringify(inputs)))
  return { type: 'completed', outputs: { x: Object.keys(inputs).length }, changes: { written: [file], removed: [] } }
}

async function bench(acts: Record<string, Act> = {}, otherwise: Act = writes, file?: string) {
  const made = await temporaryAudit(undefined, file)
  const { storage, audit, clock, ids } = made
  const files = createFiles({ storage, clock, home: dirname(made.file), limitBytes: () => 1e9 })
  const performed: string[] = []
  const ended = new Map<string, TaskEnd>()
  const runner: TaskRunner = {
    async perform(attempt) {
      performed.push(attempt.name)
      const end = await (acts[attempt.name] ?? otherwise)(attempt, files)
      ended.set(attempt.run, end)
      return end
    },
    recall: async attempt => ended.get(attempt.run) ?? null,
    release: async () => undefined,
  }
  const problems: string[] = []
  const open = (over: Partial<Parameters<typeof createWorkflows>[0]> = {}) =>
    createWorkflows({
      ...{ storage, audit, files, runner, clock, ids },
      wasBegun: async () => true,
      logOf: async (_who, run) => ({ run, view: null, outputs: [] }),
      hasEffects: async () => true,
      unplaceable: async () => [],
      locate: async () => ok(conversation),
      changed: () => undefined,
      committed: async () => undefined,
      onProblem: each => void problems.push(each.message),
      owner: { name: 'this', isAlive: () => false },
      ...over,
    })
  return { ...made, files, performed, ended, open, problems, runner }
}

const task = (needs: string[], more = '') =>
  `{ type: code_execution, language: python, code: "1", outputs: { x: number }, needs: [${needs}]${more} }`
const graph = (tasks: Record<string, string>) =>
  `name: A graph\ntasks:\n${Object.entries(tasks)
    .map(([name, text]) => `  ${name}: ${text}`)
    .join('\n')}\n`
const diamond = graph({ a: task([]), b: task(['a']), c: task(['a']), d: task(['b', 'c']) })

const started = async (workflows: ReturnType<typeof createWorkflows>, source: string) => {
  const view = await workflows.start(ana, path, source)
  if (!view.ok) throw new Error(view.problem.message)
  await workflows.rest(view.value.id)
  return view.value.id
}
const stateOf = async (workflows: ReturnType<typeof createWorkflows>, id: WorkflowId) => {
  const view = await workflows.get(ana, id)
  if (!view.ok) throw new Error(view.problem.message)
  return view.value
}

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

  it('with a placement that cannot be had is refused before it starts, with the line and the reason', async () => {
    const { open, performed, storage } = await bench()
    const workflows = open({
      unplaceable: async (at, wanted) => {
        expect(at).toEqual(ref)
        return wanted.map(() => problem('sandbox.unavailable', 'No /dev/kvm here.', 'Use another machine.'))
      },
    })
    expect(await workflows.start(ana, path, microvm)).toMatchObject({
      ok: false,
      problem: { code: 'workflow.invalid', message: 'Line 10: b: No /dev/kvm here. Use another machine.' },
    })
    expect(performed).toEqual([])
    expect(await storage.read.selectFrom('workflows').selectAll().execute()).toEqual([])
  })

  it('gives each attempt the placement of its task, and shows it', async () => {
    const given: unknown[] = []
    const { open } = await bench({}, (attempt, files) => {
      given.push([attempt.name, attempt.placement])
      return writes(attempt, files)
    })
    const workflows = open({ unplaceable: async () => [null] })
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

  it('rests while a run waits for a reviewer, also over a restart', async () => {
    const request = testIds.make(RequestId)
    const { open, ended, performed } = await bench({ a: () => ({ type: 'waiting', request }) })
    const first = open()
    const id = await started(first, graph({ a: task([]), b: task(['a']) }))
    const waiting = await stateOf(first, id)
    expect(waiting).toMatchObject({ state: 'waiting', tasks: [{ state: 'waiting', request }, { state: 'pending' }] })
    await first.close()

    const second = open()
    await second.recover()
    await second.rest(id)
    expect((await stateOf(second, id)).state).toBe('waiting')
    const run = waiting.tasks[0]?.run
    if (!run) throw new Error('no run')
    ended.set(run, { type: 'completed', outputs: { x: 1 }, changes: { written: [], removed: [] } })
    second.runEnded(run)
    await expect.poll(async () => (await stateOf(second, id)).state).toBe('completed')
    expect(performed).toEqual(['a', 'b'])
  })

  it('asks somebody other than who started it', async () => {
    const { open } = await bench({ ask: () => ({ type: 'waiting', request: null }) })
    const workflows = open()
    const id = await started(workflows, graph({ ask: '{ type: approval, question: "Go on?" }', b: task(['ask']) }))
    const decision = { approve: true, comment: 'looked at it' }
    expect(await workflows.decide(ana, id, 'ask', decision)).toMatchObject({
      ok: false,
      problem: { code: 'approval.four-eyes' },
    })
    await workflows.decide(bea, id, 'ask', decision)
    await workflows.rest(id)
    expect(await stateOf(workflows, id)).toMatchObject({
      state: 'completed',
      tasks: [{ outputs: { approved: true } }, {}],
    })
    expect(await workflows.decide(bea, id, 'ask', decision)).toMatchObject({
      ok: false,
      problem: { code: 'approval.decided' },
    })
  })

  it('ends with a no, which is not asked again', async () => {
    const { open, performed } = await bench({ ask: () => ({ type: 'waiting', request: null }) })
    const workflows = open()
    const id = await started(workflows, graph({ ask: '{ type: approval, question: "Go on?" }', b: task(['ask']) }))
    expect((await workflows.decide(bea, id, 'ask', { approve: false, comment: 'not yet' })).ok).toBe(true)
    await workflows.rest(id)
    expect(await stateOf(workflows, id)).toMatchObject({
      state: 'failed',
      problem: { code: 'approval.denied', message: 'ask was denied: not yet' },
      tasks: [{ state: 'failed' }, { state: 'pending' }],
    })
    expect(performed).toEqual(['ask'])
    const yes = await workflows.decide(bea, id, 'ask', { approve: true, comment: '' })
    expect(yes).toMatchObject({ problem: { code: 'approval.decided' } })
  })

  it('takes one answer of two that come at once', async () => {
    const { open } = await bench({ ask: () => ({ type: 'waiting', request: null }) })
    const workflows = open()
    const id = await started(workflows, graph({ ask: '{ type: approval, question: "Go on?" }', b: task(['ask']) }))
    const cleo = { ...bea, user: testIds.make(UserId) }
    const answers = await Promise.all([
      workflows.decide(bea, id, 'ask', { approve: false, comment: 'no' }),
      workflows.decide(cleo, id, 'ask', { approve: true, comment: 'yes' }),
    ])
    expect(answers.map(each => (each.ok ? 'ok' : each.problem.code)).sort()).toEqual(['approval.decided', 'ok'])
    await workflows.rest(id)
    expect((await stateOf(workflows, id)).state).toBe(answers[0]?.ok ? 'failed' : 'completed')
  })

  it('takes a choice between candidates that were kept without numbers, by their place', async () => {
    const candidates = [1, 2].map(x => ({ outputs: { x }, changes: { written: [], removed: [] } }))
    const { open } = await bench({ a: () => ({ type: 'waiting', request: null, outputs: { candidates } }) })
    const workflows = open()
    const id = await started(workflows, graph({ a: task([], ', candidates: 2, choose: reviewer') }))
    expect((await workflows.decide(bea, id, 'a', { approve: true, comment: '', candidate: 2 })).ok).toBe(false)
    expect((await workflows.decide(bea, id, 'a', { approve: true, comment: '', candidate: 1 })).ok).toBe(true)
    await workflows.rest(id)
    expect((await stateOf(workflows, id)).tasks[0]).toMatchObject({ state: 'completed', outputs: { x: 2 } })
  })

  it('keeps the candidate that a reviewer chooses, and nothing of the others', async () => {
    const candidate = (files: PathFiles) => async (at: number) => ({
      number: at,
      outputs: { x: at },
      changes: { written: [await files.add(`c${at}`, Buffer.from(String(at)))], removed: [] },
    })
    const { open, files } = await bench({
      a: async (_attempt, kept) => ({
        type: 'waiting',
        request: null,
        outputs: { candidates: await Promise.all([0, 1].map(candidate(kept))) },
      }),
    })
    const workflows = open()
    const id = await started(workflows, graph({ a: task([], ', candidates: 2, choose: reviewer') }))
    expect((await workflows.decide(bea, id, 'a', { approve: true, comment: '', candidate: 9 })).ok).toBe(false)
    await workflows.decide(bea, id, 'a', { approve: true, comment: '', candidate: 1 })
    await workflows.rest(id)
    expect((await files.head(ref)).map(file => file.path)).toEqual(['c1'])
  })

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

  it('shows nothing to another tenant', async () => {
    const { open } = await bench()
    const workflows = open()
    const id = await started(workflows, diamond)
    const stranger = { ...ana, tenant: testIds.make(TenantId) }
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

  it.each(Array.from({ length: 10 }, (_, at) => at))(
    'aborted in task %i of ten leaves the path as it was',
    async at => {
      const tasks = Object.fromEntries(
        Array.from({ length: 10 }, (_, n) => [`t${n}`, task(n === 0 ? [] : [`t${n - 1}`])]),
      )
      let abort: () => void = () => undefined
      const reached = new Promise<void>(resolve => (abort = resolve))
      const { open, files, storage } = await bench({
        [`t${at}`]: async (attempt, kept) => {
          abort()
          if (!attempt.signal.aborted) await new Promise(resolve => attempt.signal.addEventListener('abort', resolve))
          return writes(attempt, kept)
        },
      })
      const before = await files.add('mine', Buffer.from('before'))
      await storage.write(t => files.put(t, ref, [before]))
      const workflows = open()
      const view = await workflows.start(ana, path, graph(tasks))
      if (!view.ok) throw new Error(view.problem.message)
      await reached
      expect(await workflows.abort(ana, view.value.id)).toMatchObject({ ok: true, value: { state: 'aborted' } })
      expect(await files.head(ref)).toEqual([before])
    },
  )

  it('that another process has taken on is written by that one alone', async () => {
    const acts: Record<string, Act> = {}
    const { open, storage, files } = await bench(acts)
    acts.a = async (attempt, kept) => {
      await storage.write(t => t.updateTable('workflows').set({ epoch: 99 }).execute())
      return writes(attempt, kept)
    }
    const workflows = open()
    const id = await started(workflows, graph({ a: task([]) }))
    expect((await stateOf(workflows, id)).tasks[0]?.state).toBe('running')
    expect(await files.head(ref)).toEqual([])
  })

  it('that is aborted by another process stops here, while its task still runs', async () => {
    const reached = Promise.withResolvers<void>()
    const { open, clock, files } = await bench({
      a: async (attempt, kept) => {
        reached.resolve()
        await new Promise(resolve => attempt.signal.addEventListener('abort', resolve))
        return writes(attempt, kept)
      },
    })
    const here = open()
    const view = await here.start(ana, path, graph({ a: task([]) }))
    if (!view.ok) throw new Error(view.problem.message)
    await reached.promise
    expect(await open({ owner: { name: 'other', isAlive: () => true } }).abort(ana, view.value.id)).toMatchObject({
      ok: true,
      value: { state: 'aborted' },
    })
    clock.advance(1000)
    await here.rest(view.value.id)
    expect(await stateOf(here, view.value.id)).toMatchObject({ state: 'aborted', tasks: [{ state: 'skipped' }] })
    expect(await files.head(ref)).toEqual([])
  })

  it('is left to the process that carries it out, and taken on when that one is gone', async () => {
    const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const first = await bench({
      a: async (attempt, kept) => {
        reached.resolve()
        await goOn.promise
        return writes(attempt, kept)
      },
    })
    const ours = first.open({ owner: { name: 'first', isAlive: () => false } })
    const view = await ours.start(ana, path, diamond)
    if (!view.ok) throw new Error(view.problem.message)
    const { id } = view.value
    await reached.promise

    // Another connection to the same file, as a second process has it.
    let firstRuns = true
    const second = await bench({}, writes, first.file)
    const theirs = second.open({ owner: { name: 'second', isAlive: () => firstRuns } })
    await theirs.recover()
    await theirs.rest(id)
    expect(second.performed).toEqual([])
    expect(await theirs.resume(ana, id)).toMatchObject({ ok: false, problem: { code: 'conflict' } })

    firstRuns = false
    await theirs.recover()
    await theirs.rest(id)
    expect(await stateOf(theirs, id)).toMatchObject({ state: 'completed' })
    const [files, entries] = [await second.files.head(ref), await second.audit.query({})]

    // The one that was thought dead comes back and writes nothing more.
    goOn.resolve()
    await ours.rest(id)
    expect(first.performed).toEqual(['a'])
    expect(await first.files.head(ref)).toEqual(files)
    expect((await first.audit.query({})).items.length).toBe(entries.items.length)
    expect(first.problems).toEqual([])
  })

  it('survives being killed at any write: all is done, and nothing twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 4 }), async kills => {
        // Without I/O of its own a task ends in the turn in which it began: a kill falls between writes only.
        const instant: Act = ({ name }) => ({
          type: 'completed',
          outputs: { x: 1 },
          changes: { written: [{ path: `${name}.json`, sha256: sha(name), bytes: 1 }], removed: [] },
        })
        const { storage, files, performed, open, audit } = await bench({}, instant)
        // A storage that stops answering after some writes is what a killed process leaves behind.
        const dying = (after: number) => {
          let left = after
          const write: typeof storage.write = work => (left-- > 0 ? storage.write(work) : new Promise(() => undefined))
          return { ...storage, write }
        }
        let id: WorkflowId | null = null
        for (const after of kills) {
          const workflows = open({ storage: dying(after + (id ? 0 : 1)) })
          if (id) void workflows.recover()
          else {
            const view = await workflows.start(ana, path, diamond)
            if (!view.ok) throw new Error(view.problem.message)
            id = view.value.id
          }
          // Whatever can still be done is done before the next process begins.
          for (let turn = 0; turn < 30; turn++) await storage.write(async () => undefined)
        }
        const last = open()
        await last.recover()
        await last.rest(id as WorkflowId)
        expect((await stateOf(last, id as WorkflowId)).state).toBe('completed')
        expect((await files.head(ref)).map(file => file.path)).toEqual(['a.json', 'b.json', 'c.json', 'd.json'])
        // What had ended before a kill was recalled and not done again.
        expect([...performed].sort()).toEqual(['a', 'b', 'c', 'd'])
        expect((await audit.verify()).ok).toBe(true)
      }),
      { numRuns: 15 },
    )
  })
})
