/**
 * Workflows: five mixed tasks with real sandboxes from start to end; and, with tasks that take no time, how long it takes
 * to save a state and to go on after a kill, at 5, 50 and 500 tasks. Prints one line of JSON.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAudit } from '../src/audit/audit.ts'
import { systemClock } from '../src/clock.ts'
import { ConversationId, PathId, TenantId, UserId } from '../src/contract/ids.ts'
import { fail, ok } from '../src/contract/problem.ts'
import { openEngine } from '../src/engine/engine.ts'
import { createFiles } from '../src/files/files.ts'
import { uuidV7 } from '../src/ids.ts'
import { fileKeyStore } from '../src/keystore.ts'
import { openTableSeals } from '../src/row-seal.ts'
import { openStorage } from '../src/storage/storage.ts'
import { createWorkflows, type TaskEnd, type WorkflowsOptions } from '../src/workflow/workflow.ts'

const times = Number(process.env.BENCH_TIMES ?? 20)
const say = (text: string) => process.stderr.write(`${text}\n`)

function spread(samples: readonly number[]) {
  const sorted = samples.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round((sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN) * 100) / 100
  return { median: at(0.5), p95: at(0.95), count: sorted.length }
}

const mixed = `name: Mixed
tasks:
  load:
    type: code_execution
    language: python
    code: |
      import json
      json.dump({"amounts": [3, 4, 5]}, open("outputs.json", "w"))
    outputs: { amounts: list }
  total:
    type: code_execution
    language: python
    inputs: { amounts: { from: load.amounts, type: list } }
    code: |
      import json
      json.dump({"sum": sum(json.load(open("inputs.json"))["amounts"])}, open("outputs.json", "w"))
    outputs: { sum: number }
  count:
    type: code_execution
    language: javascript
    inputs: { amounts: { from: load.amounts, type: list } }
    code: |
      const { amounts } = JSON.parse(Deno.readTextFileSync("inputs.json"))
      Deno.writeTextFileSync("outputs.json", JSON.stringify({ count: amounts.length }))
    outputs: { count: number }
  list:
    type: code_execution
    language: bash
    needs: [load]
    code: ls > listed.txt
  report:
    type: code_execution
    language: python
    needs: [list]
    inputs: { sum: { from: total.sum, type: number }, count: { from: count.count, type: number } }
    code: |
      import json
      given = json.load(open("inputs.json"))
      open("report.txt", "w").write(f"{given['sum'] / given['count']}")
`

async function fiveMixedTasks() {
  const home = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  const engine = await openEngine({ home, env: { PATH: process.env.PATH } })
  const { caller, workflows } = engine
  const took: number[] = []
  for (let n = 0; n < times + 2; n++) {
    const made = await engine.conversations.create(caller, { title: 'Bench' })
    if (!made.ok) throw new Error(made.problem.message)
    const begun = performance.now()
    const started = await workflows.start(caller, made.value.conversation.main, mixed)
    if (!started.ok) throw new Error(started.problem.message)
    await workflows.rest(started.value.id)
    const ms = performance.now() - begun
    const over = await workflows.get(caller, started.value.id)
    if (!over.ok || over.value.state !== 'completed')
      throw new Error(over.ok ? (over.value.problem?.message ?? over.value.state) : over.problem.message)
    // The first ones start what later ones find running.
    if (n >= 2) took.push(ms)
  }
  await engine.close()
  await rm(home, { recursive: true, force: true })
  return spread(took)
}

/** Layers of ten, each task behind one of the layer before it. */
function graphOf(tasks: number): string {
  const lines = Array.from({ length: tasks }, (_, n) => {
    const needs = n < 10 ? '' : `t${n - 10}`
    return `  t${n}: { type: code_execution, language: python, code: "1", needs: [${needs}] }`
  })
  return `name: Bench\ntasks:\n${lines.join('\n')}\n`
}

async function savingAndResuming(tasks: number) {
  const home = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  const clock = systemClock
  const ids = uuidV7(clock)
  const storage = await openStorage({ file: join(home, 'bench.db'), clock })
  const tenant = ids.make(TenantId)
  const who = { tenant, user: ids.make(UserId) }
  const keys = fileKeyStore(join(home, 'keys'))
  const audit = await createAudit({
    ...{ storage, keys, clock, ids, folder: home, tenant },
    onProblem: () => undefined,
  })
  const files = createFiles({ storage, clock, home, limitBytes: () => 1e9 })
  const saves: number[] = []
  const resumes: number[] = []
  const timedStorage: typeof storage = {
    ...storage,
    async write(work) {
      const begun = performance.now()
      const value = await storage.write(work)
      saves.push(performance.now() - begun)
      return value
    },
  }
  const conversation = ids.make(ConversationId)
  const seals = await openTableSeals(storage, keys)
  const open = (perform: WorkflowsOptions['runner']['perform']) =>
    createWorkflows({
      ...{ storage: timedStorage, audit, files, clock, ids, seals },
      runner: { perform, recall: async () => null, resuming: (_, go) => go(), release: async () => undefined },
      wasBegun: async () => true,
      logOf: async (_who, run) => ({ run, view: null, outputs: [] }),
      obstacles: async () => [],
      answering: async () => fail('access.denied', 'Nobody answers here.', 'Ask nothing.'),
      hasEffects: async () => false,
      locate: async () => ok(conversation),
      changed: () => undefined,
      committed: async () => undefined,
      owner: { name: 'bench', isAlive: () => false },
      onProblem: problem => say(problem.message),
    })
  const done = (): TaskEnd => ({ type: 'completed', outputs: {}, changes: { written: [], removed: [] } })
  const rounds = tasks > 100 ? 3 : 10
  for (let round = 0; round < rounds; round++) {
    const path = ids.make(PathId)
    const half = Promise.withResolvers<void>()
    let performed = 0
    // Half-way it stops answering, as one that is killed does.
    const first = open(async ({ signal }) => {
      performed += 1
      if (performed <= tasks / 2) return done()
      half.resolve()
      return new Promise(resolve => signal.addEventListener('abort', () => resolve(done()), { once: true }))
    })
    const started = await first.start(who, path, graphOf(tasks))
    if (!started.ok) throw new Error(started.problem.message)
    await half.promise
    const begun = performance.now()
    const next = Promise.withResolvers<void>()
    const second = open(async () => {
      next.resolve()
      return done()
    })
    await second.recover()
    await next.promise
    resumes.push(performance.now() - begun)
    await second.rest(started.value.id)
    const over = await second.get(who, started.value.id)
    if (!over.ok || over.value.state !== 'completed') throw new Error(`not completed with ${tasks} tasks`)
    await first.close()
    await second.close()
  }
  await audit.close()
  await storage.close()
  await rm(home, { recursive: true, force: true })
  return { saveMs: spread(saves), resumeMs: spread(resumes) }
}

const result: Record<string, unknown> = { bench: 'workflow' }
for (const tasks of [5, 50, 500]) {
  result[`of${tasks}`] = await savingAndResuming(tasks)
  say(`${tasks} tasks: ${JSON.stringify(result[`of${tasks}`])}`)
}
result.fiveMixedMs = await fiveMixedTasks()
console.log(JSON.stringify({ ...result, target: { fiveMixedMs: 3000, saveMs: 50, resumeMs: 100 } }))
process.exit(0)
