import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Failure } from '../contract/problem.ts'
import type { RunView } from '../contract/runs.ts'
import { type Engine, openEngine } from '../engine.ts'
import { temporaryFolder } from '../storage/testing.ts'

/** The whole engine with its real database, jail and record: the spine is what holds them together. */
async function open(home = join(temporaryFolder(), 'home')): Promise<Engine> {
  const engine = await openEngine({ home, env: {}, pool: 0 })
  onTestFinished(() => engine.close())
  return engine
}

async function notebook(engine: Engine, text: string, language = 'python') {
  const made = await engine.conversations.create(engine.caller, { title: 'Test' })
  if (!made.ok) throw new Error(made.problem.message)
  const path = made.value.conversation.main
  const inserted = await engine.conversations.insert(engine.caller, {
    path,
    items: [{ kind: 'cell', author: 'analyst', language, text }],
  })
  const cell = inserted.ok ? inserted.value[0] : undefined
  if (cell?.kind !== 'cell') throw new Error('no cell')
  const run = async (code = text): Promise<RunView> => {
    const started = await engine.runs.start(engine.caller, {
      path,
      cell: cell.id,
      language: language as 'python',
      code,
    })
    if (!started.ok) throw new Error(started.problem.message)
    return started.value.rest
  }
  return { path, cell, conversation: made.value.conversation.id, run }
}

const actions = async (engine: Engine, run: string) =>
  (await engine.audit.query({ filter: { run: run as never } })).items.map(item => item.entry.action).reverse()

describe('a run', () => {
  it('goes from draft to record, and its output is in the notebook', async () => {
    const engine = await open()
    const { run, path } = await notebook(engine, 'print(6 * 7)')
    const view = await run()
    expect(view).toMatchObject({ state: 'finished', risk: 'low', outcome: { success: true, stdout: '42\n' } })
    expect(await actions(engine, view.run)).toEqual(['run.intended', 'run.finished'])
    const opened = await engine.conversations.open(engine.caller, { path })
    const item = opened.ok ? opened.value.items[0] : null
    expect(item).toMatchObject({ lastRun: { run: view.run, success: true, stale: false, count: 1 } })
  })

  it('waits when it is risky, and goes on once a reviewer has signed', async () => {
    const engine = await open()
    const { run } = await notebook(engine, 'rm -r reports/', 'bash')
    const waiting = await run()
    expect(waiting.state).toBe('waiting')
    if (!waiting.request) throw new Error('no request')
    const { tenant, user } = engine.caller
    const request = await engine.approval.requests.get(tenant, waiting.request)
    const reviewer = await engine.approval.identities.logIn(user)
    if (!request.ok || !reviewer.ok) throw new Error('no reviewer')
    const over = new Promise<RunView>(resolve =>
      engine.events.listen(event => event.type === 'run' && event.run.state === 'finished' && resolve(event.run)),
    )
    await engine.approval.requests.decide(waiting.request, reviewer.value, {
      kind: 'approve',
      seen: request.value.subject,
    })
    const finished = await over
    expect(finished.run).toBe(waiting.run)
    expect(finished.outcome?.error?.kind).toBe('runtime')
    expect(await actions(engine, waiting.run)).toContain('run.finished')
  })

  it('is refused by a policy that blocks it, and that is on the record', async () => {
    const engine = await open()
    const { policy, version } = await engine.approval.policy.current()
    await engine.approval.policy.save(
      { ...policy, blocked: { violations: [], imports: ['socket'] } },
      engine.caller.user,
      version,
    )
    const { run } = await notebook(engine, 'import math\nimport socket')
    const view = await run()
    expect(view).toMatchObject({
      state: 'refused',
      problem: { message: 'The policy does not let code import socket. (line 2)' },
    })
    expect(await actions(engine, view.run)).toEqual(['run.refused'])
    const report = await engine.audit.report({ scope: { kind: 'run', run: view.run }, actor: null })
    expect(report.highRisk).toMatchObject([
      { result: 'refused', code: 'import math\nimport socket', effects: { foreseen: [] } },
    ])
  })

  it('tells of what was found in it when a reviewer denied it', async () => {
    const engine = await open()
    const { run } = await notebook(engine, 'rm -r reports/', 'bash')
    const { run: id, request: asked } = await run()
    if (!asked) throw new Error('no request')
    const request = await engine.approval.requests.get(engine.caller.tenant, asked)
    const reviewer = await engine.approval.identities.logIn(engine.caller.user)
    if (!request.ok || !reviewer.ok) throw new Error('no reviewer')
    const over = new Promise(resolve =>
      engine.events.listen(event => event.type === 'run' && event.run.state === 'refused' && resolve(event.run)),
    )
    const answer = { kind: 'deny' as const, seen: request.value.subject, comment: 'Reports are kept.' }
    await engine.approval.requests.decide(asked, reviewer.value, answer)
    await over
    const report = await engine.audit.report({ scope: { kind: 'run', run: id }, actor: null })
    expect(report.highRisk).toMatchObject([
      {
        result: 'refused',
        code: 'rm -r reports/',
        violations: [{ type: 'deletion', line: 1 }],
        effects: { foreseen: expect.arrayContaining(['deletes reports']) },
        decision: { verdict: 'deny', comment: 'Reports are kept.', signatureHolds: true },
      },
    ])
    const { items } = await engine.audit.query({ filter: { actions: ['approval.requested'] } })
    expect(items[0]?.entry.details).toMatchObject({ violations: [{ type: 'deletion' }] })
  })

  it('does not start when its intent cannot be written', async () => {
    const home = join(temporaryFolder(), 'home')
    const engine = await open(home)
    const { run } = await notebook(engine, 'open("evidence.txt", "w").write("ran")')
    const append = engine.audit.append
    Object.assign(engine.audit, {
      append: async (...args: Parameters<typeof append>) => {
        if (args[1].action === 'run.intended')
          throw new Failure('storage.full', 'The disk is full.', 'Free some space.')
        return append(...args)
      },
    })
    const view = await run()
    expect(view).toMatchObject({ state: 'failed', problem: { code: 'storage.full' }, outcome: null })
  })

  it('keeps private values off the record and on the screen', async () => {
    const engine = await open()
    const { run } = await notebook(engine, 'print("card 4111 1111 1111 1111")')
    const view = await run()
    expect(view.outcome?.stdout).toContain('4111 1111 1111 1111')
    const page = await engine.audit.query({ filter: { run: view.run, actions: ['run.finished'] } })
    const detail = await engine.audit.entry(page.items[0]?.entry.seq ?? -1)
    if (!detail.ok) throw new Error(detail.problem.message)
    expect(JSON.stringify(detail.value)).not.toContain('4111 1111 1111 1111')
    expect(detail.value.bodies.stdout).toContain('[CREDIT_CARD_1]')
  })

  it('shows its output to a window that comes in the middle, then to everyone', async () => {
    const engine = await open()
    const { path, cell } = await notebook(engine, 'print("early")\nimport time\nwhile True: time.sleep(0.01)')
    const early = new Promise<void>(resolve =>
      engine.events.listen(
        event => event.type === 'run.output' && JSON.stringify(event).includes('early') && resolve(),
      ),
    )
    const started = await engine.runs.start(engine.caller, { path, cell: cell.id, language: 'python', code: cell.text })
    if (!started.ok) throw new Error(started.problem.message)
    await early
    expect(JSON.stringify(engine.runs.live(path))).toContain('early')
    engine.runs.cancel(started.value.view.run)
    const view = await started.value.rest
    expect(view.outcome?.success).toBe(false)
    expect(engine.runs.live(path)).toEqual([])
  })

  it('is found again after the application was closed', async () => {
    const home = join(temporaryFolder(), 'home')
    const first = await openEngine({ home, env: {}, pool: 0 })
    const { run, path } = await notebook(first, 'print("kept")')
    await run()
    await first.close()
    const second = await open(home)
    const opened = await second.conversations.open(second.caller, { path })
    expect(JSON.stringify(opened)).toContain('kept')
    expect((await second.audit.verify()).findings).toEqual([])
  })
})

describe('a replay', () => {
  it('finds the same outputs again, in a sandbox that does not know the path’s variables', async () => {
    const engine = await open()
    const { run, path } = await notebook(engine, 'counter = globals().get("counter", 0) + 1\nprint(counter)')
    await run()
    const events = []
    for await (const event of engine.replay(engine.caller, path)) events.push(event)
    expect(events.at(-1)).toMatchObject({ type: 'report', report: { verdict: 'identical' } })
  })

  it('says what differs', async () => {
    const engine = await open()
    const { run, path } = await notebook(engine, 'import random\nprint(random.random())')
    await run()
    const events = []
    for await (const event of engine.replay(engine.caller, path)) events.push(event)
    expect(events.at(-1)).toMatchObject({ type: 'report', report: { verdict: 'different' } })
  })
})
