/**
 * Workflows: five tasks of all types with real sandboxes from start to end; and, with tasks that take no time, how long it
 * takes to save a state and to go on after a kill, at 5, 50 and 500 tasks. Prints one line of JSON.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Outcome } from '../src/contract/problem.ts'
import { type Engine, openEngine } from '../src/engine/engine.ts'

const times = Number(process.env.BENCH_TIMES ?? 20)
const rounds = Math.max(3, Math.ceil(times / 2))
const say = (text: string) => process.stderr.write(`${text}\n`)

function spread(samples: readonly number[]) {
  const sorted = samples.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round((sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN) * 100) / 100
  return { median: at(0.5), p95: at(0.95), count: sorted.length }
}

/** One of each type, code in two languages. */
const mixed = `name: Mixed
tasks:
  load:
    type: code_execution
    language: python
    code: |
      import json
      json.dump({"shares": [50, 30, 20]}, open("outputs.json", "w"))
    outputs: { shares: list }
  index:
    type: analysis
    analysis: hhi
    inputs: { shares_percent: { from: load.shares, type: list } }
  next:
    type: mcp_tool
    server: ledger
    tool: add-one
    inputs: { n: { value: 1 } }
    needs: [load]
  agree:
    type: approval
    question: Is the index plausible?
    inputs: { hhi: { from: index.hhi } }
  report:
    type: code_execution
    language: javascript
    needs: [agree]
    inputs: { hhi: { from: index.hhi }, next: { from: next.result } }
    code: |
      const given = JSON.parse(Deno.readTextFileSync("inputs.json"))
      Deno.writeTextFileSync("report.txt", JSON.stringify(given))
`

function must<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.problem.message)
  return outcome.value
}

/** Somebody who may answer: with a passphrase, and vouched for by somebody else. */
async function reviewerOf({ approval: { identities }, caller }: Engine) {
  const [vera, rea] = await Promise.all(
    ['Vera', 'Rea'].map(async name => {
      const { id } = must(await identities.create(caller.tenant, { name, passphrase: `passphrase of ${name}` }, null))
      return must(await identities.logIn(id, `passphrase of ${name}`))
    }),
  )
  if (!vera || !rea) throw new Error('nobody answers')
  must(await identities.vouch(vera, rea.identity.id))
  return rea
}

/** The answer comes as soon as it is asked for: how long a person thinks is not measured. */
async function fiveMixedTasks() {
  const home = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  const engine = await openEngine({ home, env: { PATH: process.env.PATH } })
  const { caller, workflows, mcp } = engine
  const server = { command: process.execPath, args: [join(import.meta.dirname, '../src/tools/server.testing.ts')] }
  must(await mcp.add(caller, 'ledger', server))
  must(await mcp.accept(caller, 'ledger', must(await mcp.tools(caller, 'ledger')).tools))
  const reviewer = await reviewerOf(engine)
  const took: number[] = []
  for (let n = 0; n < times + 2; n++) {
    const { main } = must(await engine.conversations.create(caller, { title: 'Bench' })).conversation
    const begun = performance.now()
    const { id } = must(await workflows.start(caller, main, mixed))
    await workflows.rest(id)
    must(await workflows.decide(reviewer, id, 'agree', { approve: true, comment: 'It is.' }))
    await workflows.rest(id)
    const ms = performance.now() - begun
    const { state, problem } = must(await workflows.get(caller, id))
    if (state !== 'completed') throw new Error(problem?.message ?? state)
    // The first ones start what later ones find running.
    if (n >= 2) took.push(ms)
  }
  await engine.close()
  await rm(home, { recursive: true, force: true })
  return spread(took)
}

/** One life of an application that carries a workflow out; the first is killed when half of its tasks are done. */
async function live(which: 'first' | 'next', home: string, tasks: number): Promise<string> {
  const child = spawn(process.execPath, [program, which, home, String(tasks)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  for await (const data of child.stdout) {
    said += data
    if (which === 'first' && said.includes('half')) child.kill('SIGKILL')
  }
  return said
}

const program = join(import.meta.dirname, '../src/workflow/life.testing.ts')
const Lived = z.object({ resumeMs: z.number(), saves: z.array(z.number()), state: z.literal('completed') })

/** In a process that has just begun, as whoever restarts the application has it. */
async function savingAndResuming(tasks: number) {
  const saves: number[] = []
  const resumes: number[] = []
  for (let round = 0; round < rounds; round++) {
    const home = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
    await live('first', home, tasks)
    const lived = Lived.parse(JSON.parse(await live('next', home, tasks)))
    saves.push(...lived.saves)
    resumes.push(lived.resumeMs)
    await rm(home, { recursive: true, force: true })
  }
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
