import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { noEntries, tellRun } from '../audit/audit.ts'
import type { Cell } from '../contract/conversations.ts'
import type { PathId } from '../contract/ids.ts'
import type { WantedPlace } from '../contract/placement.ts'
import { Failure } from '../contract/problem.ts'
import { RunRequest, type RunView } from '../contract/runs.ts'
import type { Caller } from '../conversations/conversations.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
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
  const run = async (): Promise<RunView> => {
    const started = await engine.runs.start(engine.caller, { path, cell: cell.id, revision: cell.revision })
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

  it('waits for those of its path that were asked for before, however long they are looked at', async () => {
    const engine = await open()
    const { path } = await notebook(engine, 'one = 1')
    const ask = (code: string) => engine.runs.start(engine.caller, { path, cell: null, language: 'python', code })
    const long = `${'total = 0\n'.repeat(1500)}f(:)`
    const started = [await ask(long), await ask(`${'base = 1\n'.repeat(1500)}`), await ask('print(base + 1)')]
    const views = await Promise.all(started.map(each => (each.ok ? each.value.rest : null)))
    expect(views).toMatchObject([{ state: 'refused' }, { outcome: { success: true } }, { outcome: { stdout: '2\n' } }])
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

  it('leaves on the record what it was expected to touch and what it touched, for a window that did not see it', async () => {
    const engine = await open()
    const { run } = await notebook(engine, 'open("made.txt", "w").close()')
    const { run: id, outcome } = await run()
    const traces = await engine.runTraces(engine.caller, id)
    expect(traces).toMatchObject({
      impact: { filesWritten: [{ target: 'made.txt' }] },
      files: { created: ['made.txt'] },
      ...{ network: outcome?.network, granted: [] },
    })
    const stranger = { ...engine.caller, tenant: id as never }
    expect(await engine.runTraces(stranger, id)).toBeNull()
  })

  it('does not run in less than whoever started it wants', async () => {
    const engine = await open()
    const { path } = await notebook(engine, 'one = 1')
    const ask = async (placement: WantedPlace) => {
      const code = { path, cell: null, language: 'python', code: 'print(1)' } as const
      const started = await engine.runs.start(engine.caller, code, { placement })
      if (!started.ok) throw new Error(started.problem.message)
      return started.value.rest
    }
    expect(await ask({ kind: 'local', isolation: 'microvm' })).toMatchObject({
      state: 'refused',
      problem: { code: 'sandbox.unavailable', message: expect.stringContaining('(local, at least microvm)') },
    })
    expect(await ask({ kind: 'local' })).toMatchObject({ state: 'finished', outcome: { stdout: '1\n' } })
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

  it('with a typing mistake ends as a syntax error on its line: nobody is asked, nothing runs, and it is recorded', async () => {
    const engine = await open()
    for (const [language, code] of [
      ['python', "open('made.txt', 'w')\nf(:, 1)"],
      ['javascript', "Deno.writeTextFileSync('made.txt', '')\nf(:, 1)"],
      // Our reader takes it, and would have somebody asked about it.
      ['python', 'import os\n  os.remove("made.txt")'],
    ] as const) {
      const { run } = await notebook(engine, code, language)
      const view = await run()
      expect(view).toMatchObject({
        state: 'refused',
        request: null,
        inspection: { syntaxError: { line: 2 } },
        problem: { code: 'run.syntax', message: expect.stringMatching(/^Line 2: (Syntax|Indentation)Error: /) },
      })
      expect(await actions(engine, view.run)).toEqual(['run.refused'])
      const { items } = await engine.audit.query({ filter: { run: view.run } })
      const told = tellRun(view.run, { ...noEntries(), refused: items[0]?.entry ?? null }, String)
      expect(told).toMatchObject({ result: 'syntax' })
    }
  })

  it('with a mistake that only its kernel sees runs no line of it, and is told as a syntax error', async () => {
    const engine = await open()
    const { run } = await notebook(engine, "open('made.txt', 'w')\n  y = 2")
    const view = await run()
    expect(view).toMatchObject({
      state: 'finished',
      request: null,
      outcome: {
        success: false,
        error: { kind: 'syntax', name: 'IndentationError', line: 2 },
        files: { created: [] },
      },
    })
    const { items } = await engine.audit.query({ filter: { run: view.run, actions: ['run.finished'] } })
    const finished = items[0]?.entry ?? null
    expect(finished?.details).toMatchObject({ error: { kind: 'syntax', name: 'IndentationError' } })
    expect(tellRun(view.run, { ...noEntries(), finished }, String)).toMatchObject({ result: 'syntax' })
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
    const started = await engine.runs.start(engine.caller, { path, cell: cell.id, revision: cell.revision })
    if (!started.ok) throw new Error(started.problem.message)
    await early
    expect(JSON.stringify(engine.runs.live(engine.caller, path))).toContain('early')
    engine.runs.cancel(engine.caller, started.value.view.run)
    const view = await started.value.rest
    expect(view.outcome?.success).toBe(false)
    expect(engine.runs.live(engine.caller, path)).toEqual([])
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

describe('the code of a run', () => {
  it('is what its cell says, read by the engine', async () => {
    const engine = await open()
    const { path, cell } = await notebook(engine, 'print("in the cell")')
    const change = { path, item: cell.id, text: 'print("edited")', expectedRevision: cell.revision }
    const edited = await engine.conversations.edit(engine.caller, change)
    if (!edited.ok || edited.value.result !== 'saved') throw new Error('not saved')
    const stale = await engine.runs.start(engine.caller, { path, cell: cell.id, revision: cell.revision })
    expect(stale).toMatchObject({ ok: false, problem: { code: 'conflict' } })
    const { revision } = edited.value.item
    const started = await engine.runs.start(engine.caller, { path, cell: cell.id, revision })
    expect(started.ok && (await started.value.rest).outcome?.stdout).toBe('edited\n')
  })

  it('cannot be sent along with a cell', () => {
    const path = '01890000-0000-7000-8000-000000000001'
    const of = (more: object) => RunRequest.safeParse({ path, ...more }).success
    expect(of({ cell: path, revision: 1 })).toBe(true)
    expect(of({ cell: null, language: 'python', code: 'x' })).toBe(true)
    expect(of({ cell: path, revision: 1, code: 'x' })).toBe(false)
    expect(of({ cell: path, language: 'python', code: 'x' })).toBe(false)
    expect(of({ cell: null, revision: 1 })).toBe(false)
  })

  it('does not run when it is prose, too long or gone', async () => {
    const engine = await open()
    const prose = await notebook(engine, '# Title', 'markdown')
    const start = ({ path, cell }: typeof prose) =>
      engine.runs.start(engine.caller, { path, cell: cell.id, revision: cell.revision })
    expect(await start(prose)).toMatchObject({ problem: { code: 'request.invalid' } })
    const long = await notebook(engine, `x = "${'a'.repeat(101 * 1024)}"`)
    expect(await start(long)).toMatchObject({ problem: { message: 'The code is longer than 100 KB.' } })
    await engine.conversations.removeItems(engine.caller, { path: long.path, items: [long.cell.id] })
    expect(await start(long)).toMatchObject({ problem: { code: 'not-found' } })
  })
})

describe('four eyes', () => {
  /** Three people of one tenant, and a policy that wants four eyes on everything that is asked about. */
  async function team() {
    const engine = await open()
    const { tenant, user } = engine.caller
    const { policy, version } = await engine.approval.policy.current()
    await engine.approval.policy.save({ ...policy, fourEyes: { from: 'low', reviewers: [] } }, user, version)
    const person = async (name: string) => {
      const passphrase = `${name} and nobody else`
      const made = await engine.approval.identities.create(tenant, { name, passphrase }, user)
      const reviewer = made.ok ? await engine.approval.identities.logIn(made.value.id, passphrase) : made
      if (!made.ok || !reviewer.ok) throw new Error('no identity')
      return { who: { tenant, user: made.value.id }, reviewer: reviewer.value }
    }
    const [ana, bo, cy, vera] = [await person('Ana'), await person('Bo'), await person('Cy'), await person('Vera')]
    for (const { who } of [ana, bo, cy]) await engine.approval.identities.vouch(vera.reviewer, who.user)
    const made = await engine.conversations.create(ana.who, { title: 'Test' })
    if (!made.ok) throw new Error(made.problem.message)
    const insert = async (who: Caller, path: PathId, text: string) => {
      const items = [{ kind: 'cell' as const, author: 'analyst' as const, language: 'bash', text }]
      const inserted = await engine.conversations.insert(who, { path, items })
      if (!inserted.ok || inserted.value[0]?.kind !== 'cell') throw new Error('no cell')
      return inserted.value[0]
    }
    const edit = async (who: Caller, path: PathId, cell: Cell, text: string) => {
      const change = { path, item: cell.id, text, expectedRevision: cell.revision }
      const edited = await engine.conversations.edit(who, change)
      if (!edited.ok || edited.value.result !== 'saved' || edited.value.item.kind !== 'cell') throw new Error('no edit')
      return edited.value.item
    }
    /** Who of the three may approve what this person runs. */
    const mayApprove = async (who: Caller, path: PathId, { id, revision }: Cell) => {
      const started = await engine.runs.start(who, { path, cell: id, revision })
      const asked = started.ok ? (await started.value.rest).request : null
      const request = asked ? await engine.approval.requests.get(tenant, asked) : null
      if (!request?.ok) throw new Error('it did not wait')
      const names: string[] = []
      for (const { reviewer } of [ana, bo, cy]) {
        const verdict = { kind: 'approve' as const, seen: request.value.subject }
        const decided = await engine.approval.requests.decide(request.value.id, reviewer, verdict)
        if (decided.ok) names.push(reviewer.identity.name)
        else if (names.length === 0) expect(decided.problem.code).toBe('approval.four-eyes')
      }
      return names
    }
    return { engine, ana, bo, cy, main: made.value.conversation.main, insert, edit, mayApprove }
  }

  it('count who wrote it, not only who runs it', async () => {
    const { ana, bo, main, insert, mayApprove } = await team()
    const cell = await insert(ana.who, main, 'rm -r reports/')
    expect(await mayApprove(bo.who, main, cell)).toEqual(['Cy'])
  })

  it('count everyone who wrote any revision, also on behalf of whom an assistant wrote', async () => {
    const { ana, bo, cy, main, insert, edit, mayApprove } = await team()
    const cell = await insert({ ...ana.who, assistant: 'model-1' }, main, 'ls')
    const edited = await edit(cy.who, main, cell, 'rm -r reports/')
    expect(await mayApprove(cy.who, main, edited)).toEqual(['Bo'])
    expect(await mayApprove(bo.who, main, await edit(bo.who, main, edited, 'rm -r other/'))).toEqual([])
  })

  it('do not count who moved it, and see through a merge and a copy', async () => {
    const { engine, ana, bo, cy, main, insert, mayApprove } = await team()
    const branch = await engine.conversations.branch(bo.who, { path: main, after: null, name: 'b' })
    if (!branch.ok) throw new Error(branch.problem.message)
    const cell = await insert(ana.who, branch.value.id, 'rm -r reports/')
    await engine.conversations.move(cy.who, { path: branch.value.id, items: [cell.id], after: null })
    const merge = { source: branch.value.id, target: main, what: { mode: 'whole' as const } }
    const merged = await engine.conversations.merge(bo.who, merge)
    const items = merged.ok ? await engine.conversations.items(bo.who, main, merged.value.added) : merged
    const copy = items.ok ? items.value[0] : undefined
    if (copy?.kind !== 'cell') throw new Error('not merged')
    expect(await mayApprove(bo.who, main, copy)).toEqual(['Cy'])
    const pasted = await insert(bo.who, main, 'rm -r reports/')
    expect(await mayApprove(bo.who, main, pasted)).toEqual(['Cy'])
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
