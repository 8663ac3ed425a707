import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Cell } from '../contract/conversations.ts'
import type { PathId } from '../contract/ids.ts'
import type { Outcome } from '../contract/problem.ts'
import type { RunView } from '../contract/runs.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
import { clearedRun, temporaryHome } from '../sandbox/testing.ts'
import { hashText } from './store.ts'

const program = join(import.meta.dirname, 'server.testing.ts')

function must<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.problem.message)
  return outcome.value
}

/** The whole engine, a real jail and a real server. */
describe('tools in the cells of a path', () => {
  let engine: Engine

  beforeAll(async () => {
    const { home, remove } = await temporaryHome()
    engine = await openEngine({ home, env: { PATH: process.env.PATH }, pool: 0 })
    await addServer('ledger')
    return async () => {
      await engine.close()
      await remove()
    }
  })

  async function addServer(name: string, how = '') {
    must(await engine.mcp.add(engine.caller, name, { command: process.execPath, args: [program, how] }))
    const { tools } = must(await engine.mcp.tools(engine.caller, name))
    must(await engine.mcp.accept(engine.caller, name, tools))
  }

  async function cell(text: string, language = 'python') {
    const { conversation } = must(await engine.conversations.create(engine.caller, { title: 'Tools' }))
    const { tenant, user } = engine.caller
    const path = { tenant, conversation: conversation.id, path: conversation.main }
    // Only ten sandboxes of one person are awake at a time.
    onTestFinished(() => engine.contexts.end(path, 'manual', user))
    return cellOn(conversation.main, text, language)
  }

  async function cellOn(path: PathId, text: string, language: string) {
    const items = [{ kind: 'cell' as const, author: 'analyst' as const, language, text }]
    const [item] = must(await engine.conversations.insert(engine.caller, { path, items })) as [Cell]
    return { path, item, run: () => start(path, item) }
  }

  const start = async (path: PathId, item: Cell): Promise<RunView> =>
    must(await engine.runs.start(engine.caller, { path, cell: item.id, revision: item.revision })).rest

  const entries = async (run: string) =>
    (await engine.audit.query({ filter: { run: run as never } })).items.map(({ entry }) => entry).reverse()

  /** As the seed has it: a megabyte comes in, a few lines go on. */
  it.each([
    [
      'python',
      `commits = tools.ledger.list_commits(count=1000).json()
lines = {}
for each in commits:
    lines[each["author"]] = lines.get(each["author"], 0) + each["lines"]
print(len(commits), lines)`,
    ],
    [
      'typescript',
      `const commits: any[] = await (await tools.ledger.list_commits({ count: 1000 })).json()
console.log(commits.length, commits.filter(each => each.author === 'Ana').length)`,
    ],
  ])('a megabyte of commits becomes a few lines in %s, and stays here', async (language, code) => {
    const { run } = await cell(code, language)
    const view = await run()
    expect(view).toMatchObject({ state: 'finished', outcome: { success: true } })
    expect(view.outcome?.stdout).toMatch(/^1000 /)
    expect(JSON.stringify(view.outcome?.outputs).length).toBeLessThan(500)
    const [call] = view.outcome?.tools ?? []
    expect(call).toMatchObject({ server: 'ledger', tool: 'list_commits', end: 'answered', file: expect.any(String) })
    expect(call?.bytes).toBeGreaterThan(1_150_000)
    // On the record: that it might, that it did, with which hashes, and how much stayed.
    const [intended, called, finished] = (await entries(view.run)).filter(({ action }) => action !== 'egress.passed')
    expect(intended?.details).toMatchObject({ tools: [{ server: 'ledger', tool: 'list_commits', effect: 'reads' }] })
    expect(called).toMatchObject({
      action: 'mcp.called',
      details: { tool: 'list_commits', argumentsHash: call?.argumentsHash, success: true, ordinal: 1 },
    })
    expect(finished?.details).toMatchObject({ tools: [{ bytes: call?.bytes, resultHash: call?.resultHash }] })
    // A window that did not see the run shows the same lines.
    expect((await engine.runTraces(engine.caller, view.run))?.tools).toEqual(view.outcome?.tools)
  })

  it('names that are no identifiers are called by ones that are, and arguments are checked before they leave', async () => {
    const { run } = await cell(`print(tools.ledger.add_one(n=41)["n"])
for bad in ({"n": "x"}, {}, {"n": 1, "m": 2}):
    try:
        print(tools.ledger.add_one(bad))
    except ToolError as error:
        print(error.code)
try:
    tools.ledger.refuse()
except ToolError as error:
    print(error.code, error)`)
    const view = await run()
    expect(view.outcome?.stdout).toBe(
      '42\nmcp.arguments\nmcp.arguments\n{\'n\': 2}\ntool.failed "the ledger is closed"\n',
    )
    expect(view.outcome?.tools?.map(({ end }) => end)).toEqual(['answered', 'refused', 'refused', 'answered', 'failed'])
  })

  it('long results that come at once, and those of later runs, are files of their own', async () => {
    const first = await cell(
      `const [a, b] = await Promise.all([1000, 1100].map(count => tools.ledger.list_commits({ count })))
console.log((await a.json()).length, (await b.json()).length)`,
      'javascript',
    )
    expect((await first.run()).outcome?.stdout).toBe('1000 1100\n')
    const second = await cellOn(
      first.path,
      'await tools.ledger.list_commits({ count: 1200 })\nconsole.log((await a.json()).length)',
      'javascript',
    )
    expect((await second.run()).outcome?.stdout).toBe('1000\n')
  })

  it.each([
    [
      'python',
      'try:\n    tools.ledger.add_one(n=9007199254740993)\nexcept ToolError as error:\n    print(error.code, error)',
    ],
    ['javascript', 'await tools.ledger.add_one({ n: 9007199254740993n }).catch(e => console.log(e.code, e.message))'],
  ])('no tool is asked about another number than the code has: %s', async (language, code) => {
    const { run } = await cell(code, language)
    expect((await run()).outcome?.stdout).toMatch(/^tool\.arguments .*(?:hand it over as text|no JSON)/)
  })

  it('a run that names no accepted tool is granted none and is told so', async () => {
    const { run } = await cell('tools.ledger.drop_everything()')
    const view = await run()
    expect(view.outcome?.error).toMatchObject({ name: 'ToolError' })
    expect(view.outcome?.error?.message).toContain('tools.ledger.drop_everything is not granted to this run')
  })

  it('a tool that changes something is asked about, with what it says of itself, and the approval holds for it alone', async () => {
    const { run } = await cell('print(tools.ledger.post_entry(amount=5))')
    const waiting = await run()
    expect(waiting.state).toBe('waiting')
    const { tenant, user } = engine.caller
    const request = must(await engine.approval.requests.get(tenant, waiting.request as never))
    expect(request.placement.tools).toMatchObject([
      { tool: 'post_entry', effect: 'destroys', description: 'Posts an entry.', hash: expect.any(String) },
    ])
    expect(request.reasons.map(({ text }) => text)).toContain(
      'The code may call the tool post_entry of ledger, which may destroy something.',
    )
    const over = new Promise<RunView>(resolve => {
      const stop = engine.events.listen(event => {
        if (event.type !== 'run' || event.run.run !== waiting.run || event.run.state !== 'finished') return
        stop()
        resolve(event.run)
      })
    })
    const reviewer = must(await engine.approval.identities.logIn(user))
    await engine.approval.requests.decide(request.id, reviewer, { kind: 'approve', seen: request.subject })
    expect((await over).outcome).toMatchObject({ stdout: "{'posted': 1}\n", tools: [{ end: 'answered' }] })
  })

  it('a tool that is another one by the time of the call is not called', async () => {
    await addServer('shifty')
    const { path, item } = await cell('import time\ntools.shifty.list_commits(count=1)')
    const grants = await engine.tools.grantsFor(engine.caller, item.text)
    expect(grants).toHaveLength(1)
    must(await engine.mcp.remove(engine.caller, 'shifty'))
    await addServer('shifty', 'sends')
    // As a run that was approved before: it holds the grant of what was accepted then.
    const call = await engine.mcp.call(engine.caller, {
      server: 'shifty',
      tool: 'list_commits',
      hash: grants[0]?.hash as string,
      arguments: { count: 1 },
    })
    expect(call).toMatchObject({ ok: false, problem: { code: 'mcp.unaccepted' } })
    expect((await start(path, item)).outcome).toMatchObject({ success: true })
  })

  it('a replay is answered from the record and calls nobody', async () => {
    const { path, run } = await cell(`print(tools.ledger.add_one(n=1), tools.ledger.add_one(n=1))
print(len(tools.ledger.list_commits(count=1000).json()))`)
    expect((await run()).outcome).toMatchObject({ success: true })
    must(await engine.mcp.remove(engine.caller, 'ledger'))
    await addServer('ledger')
    const before = await calls()
    const reports = []
    for await (const each of engine.replay(engine.caller, path)) if (each.type === 'report') reports.push(each.report)
    expect(reports).toMatchObject([{ verdict: 'identical' }])
    expect(await calls()).toBe(before)
  })

  it('a replay is not answered from a row that somebody changed, also with a hash that fits', async () => {
    const { path, run } = await cell('print(tools.ledger.add_one(n=41))')
    expect((await run()).outcome).toMatchObject({ success: true })
    const db = new Sqlite(join(engine.home, 'countersign.db'))
    const forged = JSON.stringify({ sum: 1000 })
    db.prepare('update tool_results set result = ?, result_hash = ?').run(forged, hashText(forged))
    db.close()
    const reports = []
    for await (const each of engine.replay(engine.caller, path)) if (each.type === 'report') reports.push(each.report)
    expect(reports).toMatchObject([{ verdict: 'not-reproducible' }])
  })

  it('a replay says what was never recorded, and does not go past a tool with effects', async () => {
    const { path } = await cell('')
    const before = await calls()
    const aside = { conversation: await where(path), path }
    const request = { path, cell: null, language: 'python' as const, code: 'tools.ledger.add_one(n=123)' }
    const again = must(await engine.runs.start(engine.caller, request, { aside, replayOf: null }))
    expect((await again.rest).outcome).toMatchObject({
      error: { message: 'This call of tools.ledger.add_one was never recorded, and a replay calls nobody.' },
      tools: [{ end: 'refused', code: 'tool.not-recorded' }],
    })
    const grants = await engine.tools.grantsFor(engine.caller, 'tools.ledger.post_entry()')
    const run = clearedRun('python', '', { placement: { tools: grants } as never })
    const files = { write: async () => ({ ok: true, value: undefined }) as const }
    const asked = { tool: 'ledger.post_entry', args: Buffer.from('{}'), files, signal: new AbortController().signal }
    expect(await engine.tools.session(run, null).call(asked)).toMatchObject({ ok: false, code: 'tool.has-effects' })
    expect(await calls()).toBe(before)
  })

  const where = async (path: PathId) => must(await engine.conversations.locate(engine.caller, path))
  const calls = async () => (await engine.audit.query({ filter: { actions: ['mcp.called'] }, limit: 500 })).items.length

  it('a workflow calls tools as tasks: asked about where they change something, and named where it is undone', async () => {
    const { path } = await cell('')
    const graph = `name: Posting
tasks:
  two:
    type: mcp_tool
    server: ledger
    tool: add-one
    inputs: { n: { value: 1 } }
  post:
    type: mcp_tool
    server: ledger
    tool: post_entry
    needs: [two]
    inputs: { amount: { value: 5 } }
  agree:
    type: approval
    question: All right?
    needs: [post]
`
    const { id } = must(await engine.workflows.start(engine.caller, path, graph))
    await engine.workflows.rest(id)
    const waiting = must(await engine.workflows.get(engine.caller, id))
    const [two, post] = waiting.tasks
    expect(two).toMatchObject({ state: 'completed', outputs: { result: { n: 2 } } })
    expect(post).toMatchObject({ state: 'waiting', request: expect.any(String) })
    const request = must(await engine.approval.requests.get(engine.caller.tenant, post?.request as never))
    expect(request.placement.tools).toMatchObject([{ tool: 'post_entry' }])
    const reviewer = must(await engine.approval.identities.logIn(engine.caller.user))
    await engine.approval.requests.decide(request.id, reviewer, { kind: 'approve', seen: request.subject })
    await expect.poll(async () => must(await engine.workflows.get(engine.caller, id)).tasks[1]?.state).toBe('completed')
    await engine.workflows.rest(id)
    must(await engine.workflows.abort(engine.caller, id))
    const { items } = await engine.audit.query({ filter: { actions: ['workflow.aborted'] } })
    expect(items[0]?.entry.details).toMatchObject({ cannotBeUndone: ['post'] })
  })

  it('a task whose tool was not accepted is refused before the start, with the way on', async () => {
    const { path } = await cell('')
    const graph = 'name: x\ntasks:\n  a: { type: mcp_tool, server: ledger, tool: none }\n'
    expect(await engine.workflows.start(engine.caller, path, graph)).toMatchObject({
      ok: false,
      problem: {
        code: 'workflow.invalid',
        message: 'Line 3: a: The tool none of ledger has not been accepted. Accept it on the page MCP.',
      },
    })
  })

  it('shows how tools are called, for the editor', async () => {
    const known = await engine.tools.known(engine.caller)
    expect(known.find(({ tool }) => tool === 'add-one')).toMatchObject({
      calledAs: { server: 'ledger', tool: 'add_one' },
      typescript: 'tools.ledger.add_one(args: { n: number }): Promise<any>',
      python: 'tools.ledger.add_one({"n": float}) -> Any',
    })
    expect(await engine.tools.known({ ...engine.caller, tenant: crypto.randomUUID() as never })).toEqual([])
  })
})
