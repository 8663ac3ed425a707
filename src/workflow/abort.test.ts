import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ConversationId, PathId } from '../contract/ids.ts'
import { openEngine } from '../engine/engine.ts'

/** Real sandboxes: a graph changes a file and a variable that the path has too, and never comes to its end. */
let engine: Awaited<ReturnType<typeof openEngine>>
let home: string
let conversation: ConversationId
let path: PathId

const must = <T>(outcome: { ok: true; value: T } | { ok: false; problem: { message: string } }): T => {
  if (!outcome.ok) throw new Error(outcome.problem.message)
  return outcome.value
}

const run = async (code: string): Promise<string> => {
  const request = { path, cell: null, language: 'python' as const, code }
  const { outcome, problem } = await must(await engine.runs.start(engine.caller, request)).rest
  if (!outcome?.success) throw new Error(problem?.message ?? outcome?.error?.message)
  return outcome.stdout
}

const stateOfPath = async () => {
  const ref = { tenant: engine.caller.tenant, conversation, path }
  const folder = engine.contexts.files(ref, engine.caller.user)
  const files = await Promise.all(
    must(await folder.list()).map(async ({ path: name }) => [
      name,
      createHash('sha256')
        .update(must(await folder.read(name)))
        .digest('hex'),
    ]),
  )
  return { files, variables: await run('print(sorted(ledger.items()), "made" in globals())') }
}

/** Ten tasks in a row, of which one waits until it is stopped. Every third has the sandbox of the workflow. */
const graph = (stuck: number) =>
  `name: Ten\ntasks:\n${Array.from({ length: 10 }, (_, n) => {
    const code = [
      'ledger = {"total": 0}',
      'made = True',
      `open("mine.txt", "a").write("${n}")`,
      `open("new${n}.txt", "w").write("${n}")`,
      ...(n === stuck ? ['print("stuck", flush=True)', 'import time', 'time.sleep(600)'] : []),
    ]
    const rest = { type: 'code_execution', language: 'python', sandbox: n % 3 === 2 ? 'shared' : 'own' }
    return `  t${n}: ${JSON.stringify({ ...rest, needs: n === 0 ? [] : [`t${n - 1}`], code: code.join('\n') })}`
  }).join('\n')}\n`

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'countersign-'))
  engine = await openEngine({ home, env: { PATH: process.env.PATH } })
  ;({ main: path, id: conversation } = must(
    await engine.conversations.create(engine.caller, { title: 'Abort' }),
  ).conversation)
  await run('ledger = {"total": 100, "lines": [1, 2]}\nopen("mine.txt", "w").write("before")')
})
afterAll(async () => {
  await engine?.close()
  await rm(home, { recursive: true, force: true })
})

it.each(Array.from({ length: 10 }, (_, at) => at))(
  'aborted in task %i of ten, a workflow leaves files and variables of the path as they were',
  async stuck => {
    const before = await stateOfPath()
    const reached = new Promise<void>(resolve => {
      const end = engine.events.listen(event => {
        if (event.type !== 'run.output' || !JSON.stringify(event).includes('stuck')) return
        end()
        resolve()
      })
    })
    const { id } = must(await engine.workflows.start(engine.caller, path, graph(stuck)))
    await reached
    // Its log is there while it runs, also for a window that opens now.
    const [log] = must(await engine.workflows.log(engine.caller, id, `t${stuck}`))
    expect(log).toMatchObject({ view: { state: 'running' }, outputs: [{ name: 'stdout', text: 'stuck\n' }] })
    const aborted = must(await engine.workflows.abort(engine.caller, id))
    expect(aborted.state).toBe('aborted')
    expect(aborted.tasks.map(({ state }) => state)).toEqual([
      ...Array.from({ length: stuck }, () => 'completed'),
      ...Array.from({ length: 10 - stuck }, () => 'skipped'),
    ])
    expect(await stateOfPath()).toEqual(before)
    expect(before.variables).toBe("[('lines', [1, 2]), ('total', 100)] False\n")
  },
)
