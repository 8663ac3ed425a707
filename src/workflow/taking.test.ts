import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { WorkflowId } from '../contract/ids.ts'
import {
  type Act,
  ana,
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

  it('that is aborted while yet another process takes it on stays aborted', async () => {
    const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const acts: Record<string, Act> = {
      post: () => ({ type: 'completed', outputs: { result: 1 }, changes: { written: [], removed: [] } }),
      last: () => ({ type: 'failed', problem: failure, final: true }),
    }
    const { open, files } = await bench(acts)
    const second = open({ owner: { name: 'second', isAlive: () => false } })
    const first = open({
      // Asked between the look at the workflow and its end.
      hasEffects: async () => {
        acts.last = async (attempt, kept) => {
          reached.resolve()
          await goOn.promise
          return writes(attempt, kept)
        }
        expect((await second.resume(ana, id)).ok).toBe(true)
        await reached.promise
        return true
      },
    })
    const id = await started(first, graph({ post: '{ type: mcp_tool, server: s, tool: t }', last: task(['post']) }))
    expect(await first.abort(ana, id)).toMatchObject({ ok: true, value: { state: 'aborted' } })
    goOn.resolve()
    await second.rest(id)
    expect((await stateOf(first, id)).state).toBe('aborted')
    expect(await files.head(ref)).toEqual([])
  })

  it('that two processes resume at once is carried out by one of them', async () => {
    const goOn = Promise.withResolvers<void>()
    const acts: Record<string, Act> = { a: () => ({ type: 'failed', problem: failure, final: true }) }
    const { open, performed, problems } = await bench(acts)
    const names = ['first', 'second']
    const both = names.map(name => open({ owner: { name, isAlive: other => names.includes(other) } }))
    const id = await started(both[0] as (typeof both)[0], graph({ a: task([]) }))
    acts.a = async (attempt, kept) => {
      await goOn.promise
      return writes(attempt, kept)
    }
    const resumed = await Promise.all(both.map(each => each.resume(ana, id)))
    expect(resumed.map(each => (each.ok ? 'ok' : each.problem.code)).sort()).toEqual(['conflict', 'ok'])
    goOn.resolve()
    await Promise.all(both.map(each => each.rest(id)))
    expect((await stateOf(both[0] as (typeof both)[0], id)).state).toBe('completed')
    expect(performed).toEqual(['a', 'a'])
    expect(problems).toEqual([])
  })

  it('that another process carried on is not written by the one that was thought dead and comes back', async () => {
    const kit = await bench()
    const place = [ana.tenant, conversation, path, ana.user].join(' ')
    const program = join(import.meta.dirname, 'process.testing.ts')
    const source = graph({ a: task([]), b: task(['a']) })
    const other = spawn(process.execPath, [program, kit.file, place, source], { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void other.kill('SIGKILL'))
    const said = createInterface({ input: other.stdout })[Symbol.asyncIterator]()
    expect((await said.next()).value).toBe('running')

    const here = kit.open({ owner: { name: 'here', isAlive: () => false } })
    expect(await here.recover()).toBe(1)
    const [view] = await here.list(ana, path)
    const id = view?.id as WorkflowId
    await here.rest(id)
    const all = async () => ({
      view: await stateOf(here, id),
      files: await kit.files.head(ref),
      entries: (await kit.audit.query({})).items.length,
    })
    const before = await all()
    expect(before).toMatchObject({ view: { state: 'completed' }, files: [{ path: 'a.json' }, { path: 'b.json' }] })

    other.stdin.write('go on\n')
    expect(JSON.parse(String((await said.next()).value))).toEqual({ performed: ['a'], problems: [] })
    expect(await all()).toEqual(before)
    expect((await kit.audit.verify()).ok).toBe(true)
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
