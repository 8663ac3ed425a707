import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import type { PathId, WorkflowId } from '../contract/ids.ts'
import type { Engine } from '../engine/engine.ts'
import { secondProvider } from '../sandbox/second.testing.ts'
import { temporaryFolder } from '../storage/testing.ts'
import { decide, must, open, stateOf } from './engine.testing.ts'

const task = (code: string, more: object = {}) => ({
  ...{ type: 'code_execution', language: 'python', sandbox: 'shared', code },
  ...more,
})
const leaves = (what: string) => `import json; json.dump(${what}, open("outputs.json", "w"))`
const graph = (tasks: Record<string, object>) => JSON.stringify({ name: 'Shares', tasks })

async function newPath(engine: Engine) {
  const { conversation } = must(await engine.conversations.create(engine.caller, { title: 'Shares' }))
  return {
    path: conversation.main,
    ref: { tenant: engine.caller.tenant, conversation: conversation.id, path: conversation.main },
  }
}

async function started(engine: Engine, path: PathId, source: string) {
  const { id } = must(await engine.workflows.start(engine.caller, path, source))
  await engine.workflows.rest(id)
  return id
}

const tasksOf = async (engine: Engine, id: WorkflowId) => must(await engine.workflows.get(engine.caller, id)).tasks
const view = async (engine: Engine, id: WorkflowId) => {
  const { state, problem, tasks } = must(await engine.workflows.get(engine.caller, id))
  return {
    state,
    problem: problem?.message ?? null,
    outputs: Object.fromEntries(tasks.map(each => [each.name, each.outputs])),
  }
}
const namesOf = async (engine: Engine, ref: Awaited<ReturnType<typeof newPath>>['ref']) =>
  must(await engine.contexts.files(ref, engine.caller.user).list()).map(({ path }) => path)
const ranIn = async (engine: Engine, ref: Awaited<ReturnType<typeof newPath>>['ref']) => {
  const { items } = await engine.audit.query({ filter: { conversation: ref.conversation, actions: ['run.finished'] } })
  return items.length
}

/** A machine that has something stronger than a jail, which cannot be copied. */
async function withStronger() {
  const folder = temporaryFolder()
  const engine = await open(join(folder, 'home'), { backEnds: [secondProvider(join(folder, 'second'))] })
  const { policy, version } = await engine.approval.policy.current()
  const lax = {
    ...policy,
    thresholds: { ...policy.thresholds, medium: 'auto' as const, high: 'auto' as const },
    operations: { ...policy.operations, commands: 'auto' as const },
  }
  must(await engine.approval.policy.save(lax, engine.caller.user, version))
  return engine
}

/** Deletes a folder, which the policy wants somebody to see. */
const reviewed = 'import os, shutil\nos.makedirs("out", exist_ok=True)\nshutil.rmtree("out")\n'

describe('tasks that share a sandbox', () => {
  it('find the variables of those before them also after a restart, by running them once more', async () => {
    const home = join(temporaryFolder(), 'home')
    const first = await open(home)
    const { path, ref } = await newPath(first)
    const source = graph({
      a: task(`x = 40\n${leaves('{"x": x}')}\nopen("a.txt", "a").write("once")`, { outputs: { x: 'number' } }),
      b: task(`${reviewed}x += 1`, { needs: ['a'] }),
      c: task(leaves('{"x": x + 1}'), { needs: ['b'], outputs: { x: 'number' } }),
    })
    const id = await started(first, path, source)
    expect(await stateOf(first, id)).toBe('waiting')
    await first.close()

    const next = await open(home)
    await next.workflows.recover()
    await next.workflows.rest(id)
    await decide(next, (await tasksOf(next, id))[1]?.request, 'approve')
    await expect.poll(() => stateOf(next, id)).toBe('completed')
    expect((await view(next, id)).outputs).toMatchObject({ a: { x: 40 }, c: { x: 42 } })
    const text = must(await next.contexts.files(ref, next.caller.user).read('a.txt'))
    expect(Buffer.from(text).toString()).toBe('once')
    // a, a once more for its variables, b and c.
    expect(await ranIn(next, ref)).toBe(4)
    expect((await next.audit.verify()).findings).toEqual([])
  })

  it('stop where the variables that come back are not those that the results were made of', async () => {
    const home = join(temporaryFolder(), 'home')
    const first = await open(home)
    const { path } = await newPath(first)
    const source = graph({
      a: task(`import time\nx = time.time_ns()\n${leaves('{"x": x}')}`, { outputs: { x: 'number' } }),
      b: task(`${reviewed}print(x)`, { needs: ['a'] }),
    })
    const id = await started(first, path, source)
    await first.close()
    const next = await open(home)
    await decide(next, (await tasksOf(next, id))[1]?.request, 'approve')
    await expect.poll(() => stateOf(next, id)).toBe('failed')
    const { items } = await next.audit.query({ filter: { actions: ['run.refused'] } })
    expect(JSON.stringify(items[0]?.entry.details)).toContain('it came to something else')
  })

  it('start another attempt from the variables as they were, not from those of the one that failed', async () => {
    const engine = await open(join(temporaryFolder(), 'home'))
    const { path } = await newPath(engine)
    const source = graph({
      a: task('x = 1'),
      b: task(`x += 1\nassert x == 2, x\n1/0`, { needs: ['a'], retry: { attempts: 2, delaySeconds: 0 } }),
    })
    const id = await started(engine, path, source)
    expect(await view(engine, id)).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining('ZeroDivisionError'),
    })
    expect((await tasksOf(engine, id))[1]?.attempt).toBe(2)
  })

  it('that wait for a reviewer go on with their own files and inputs, whoever used the sandbox meanwhile', async () => {
    const engine = await open(join(temporaryFolder(), 'home'))
    const { path } = await newPath(engine)
    const mine = 'import json\nmine = json.load(open("inputs.json"))["who"]\n'
    const given = (who: string) => ({ inputs: { who: { value: who } }, outputs: { who: 'text' } })
    const source = graph({
      a: task(`${reviewed}${mine}${leaves('{"who": mine}')}`, given('a')),
      b: task(`${mine}${leaves('{"who": mine}')}`, given('b')),
    })
    const id = await started(engine, path, source)
    expect((await tasksOf(engine, id)).map(({ state }) => state)).toEqual(['waiting', 'completed'])
    await decide(engine, (await tasksOf(engine, id))[0]?.request, 'approve')
    await expect.poll(() => stateOf(engine, id)).toBe('completed')
    expect((await view(engine, id)).outputs).toEqual({ a: { who: 'a' }, b: { who: 'b' } })
  })

  it('are run again from one in the middle with the variables of those before it', async () => {
    const engine = await open(join(temporaryFolder(), 'home'))
    const { path } = await newPath(engine)
    const id = await started(
      engine,
      path,
      graph({ a: task('x = 20'), b: task('open("b.txt", "w").write(str(x))', { needs: ['a'] }) }),
    )
    expect(await stateOf(engine, id)).toBe('completed')
    const again = must(await engine.workflows.again(engine.caller, id, 'b'))
    await engine.workflows.rest(again.id)
    expect(await view(engine, again.id)).toMatchObject({ state: 'completed', problem: null })
  })

  it('are not moved to a stronger sandbox, which would not have their variables', async () => {
    const engine = await withStronger()
    const { path, ref } = await newPath(engine)
    const risky = 'exec(input() if False else "y = x")'
    const id = await started(engine, path, graph({ a: task('x = 1'), b: task(risky, { needs: ['a'] }) }))
    expect(await view(engine, id)).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining('b cannot run in the sandbox that it shares, and another would not have'),
    })
    expect(await ranIn(engine, ref)).toBe(1)
    const placement = { isolation: 'microvm' }
    const both = graph({ a: task('x = 1', { placement }), b: task(risky, { needs: ['a'] }) })
    expect(await stateOf(engine, await started(engine, path, both))).toBe('completed')
  })
})

describe('candidates of a task that shares its sandbox', () => {
  const candidates = { candidates: 3, choose: { largest: 'score' }, needs: ['load'], outputs: { score: 'number' } }
  const code = `import json
at = json.load(open("inputs.json"))["candidate"]
rows.append(at)
open(f"candidate-{at}.txt", "w").write(str(rows))
json.dump({"score": -abs(at - 1) + len(rows)}, open("outputs.json", "w"))`

  it('each start from a copy of its variables; what the chosen one left in files and results is kept, and no variable', async () => {
    const home = join(temporaryFolder(), 'home')
    const engine = await open(home)
    const { path, ref } = await newPath(engine)
    const source = graph({
      load: task('rows = [10, 20]\nopen("rows.txt", "w").write("2")'),
      best: task(code, candidates),
      after: task(`${leaves('{"rows": rows, "files": __import__("glob").glob("candidate*")}')}`, {
        ...{ needs: ['best'], outputs: { rows: 'list', files: 'list' } },
      }),
    })
    const id = await started(engine, path, source)
    expect(await view(engine, id)).toMatchObject({
      state: 'completed',
      outputs: { best: { score: 3 }, after: { rows: [10, 20], files: ['candidate-1.txt'] } },
    })
    expect((await tasksOf(engine, id))[1]?.candidates).toEqual({ count: 3, from: 'variables' })
    expect(await namesOf(engine, ref)).toEqual(['candidate-1.txt', 'rows.txt'])
    const active = await engine.contexts.active(engine.caller.tenant)
    expect(active.filter(({ path: at }) => at !== path)).toEqual([])
    // The others leave what is on the record, and neither a sandbox nor files.
    const database = new Sqlite(join(home, 'countersign.db'), { readonly: true })
    const places = database.prepare('select path from path_files where conversation = ?').pluck()
    expect(places.all(ref.conversation)).toEqual([path])
    database.close()
    expect(await ranIn(engine, ref)).toBe(5)
  })

  it('are not run from less where the sandbox cannot be copied', async () => {
    const engine = await withStronger()
    const { path, ref } = await newPath(engine)
    const placement = { kind: 'microvm' }
    const source = graph({ load: task('rows = []', { placement }), best: task(code, candidates) })
    expect(await view(engine, await started(engine, path, source))).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining('The candidates of best cannot start from the variables of the shared sandbox'),
    })
    expect(await ranIn(engine, ref)).toBe(1)
  })

  it('start from the files alone where no task before it has made variables', async () => {
    const engine = await open(join(temporaryFolder(), 'home'))
    const { path, ref } = await newPath(engine)
    const source = graph({ best: task(code.replace('rows', 'rows = []\nrows'), { ...candidates, needs: [] }) })
    const id = await started(engine, path, source)
    expect(await view(engine, id)).toMatchObject({ state: 'completed', outputs: { best: { score: 1 } } })
    expect(await namesOf(engine, ref)).toEqual(['candidate-1.txt'])
  })
})

it('more tasks than a conversation may have sandboxes wait for each other, beside the path’s own and a shared one', async () => {
  const engine = await open(join(temporaryFolder(), 'home'))
  const { path, ref } = await newPath(engine)
  const request = { path, cell: null, language: 'python' as const, code: 'x = 1' }
  await must(await engine.runs.start(engine.caller, request)).rest
  expect(engine.contexts.facts(ref)).not.toBeNull()
  const own = (name: string) => [name, task('print(1)', { sandbox: 'own', needs: ['a'] })] as const
  const source = graph({
    a: task('y = 1'),
    ...Object.fromEntries(['b', 'c', 'd', 'e', 'f'].map(own)),
    g: task('print(y)', { needs: ['b', 'c', 'd', 'e', 'f'] }),
  })
  const id = await started(engine, path, source)
  expect(await view(engine, id)).toMatchObject({ state: 'completed', problem: null })
})
