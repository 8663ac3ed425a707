/**
 * Calls of tools out of a cell, through kernel, supervisor and host, without a server's own time: the host answers at
 * once. One after the other and 32 at a time, in both languages, and a result of a megabyte. Then the whole gateway with a
 * real server, grants, seals, egress guard and record, less what the same server takes a client alone. Prints one line of
 * JSON.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { systemClock } from '../src/clock.ts'
import type { Cell } from '../src/contract/conversations.ts'
import type { Outcome } from '../src/contract/problem.ts'
import { type Language, Limits } from '../src/contract/run.ts'
import type { ToolGrant } from '../src/contract/tools.ts'
import { openEngine } from '../src/engine/engine.ts'
import { localProvider } from '../src/sandbox/local/local.ts'
import type { ToolCalls } from '../src/sandbox/sandbox.ts'
import { clearedRun, testIds } from '../src/sandbox/testing.ts'

const never = new AbortController().signal
const home = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
const provider = localProvider({ home, clock: systemClock, ids: testIds })
const limits = Limits.parse({})
const opened = await provider.open({ limits, warm: ['python', 'javascript'] }, never)
if (!opened.ok) throw new Error(opened.problem.message)
const sandbox = opened.value

const grant = (tool: string): ToolGrant => ({
  ...{ server: 'bench', tool, calledAs: { server: 'bench', tool } },
  ...{ hash: '0'.repeat(64), description: '', effect: 'reads' },
})
const megabyte = Buffer.from(JSON.stringify('x'.repeat((1 << 20) - 2)))
const small = Buffer.from('{"n":1}')
const calls: ToolCalls = { call: async ({ tool }) => ({ ok: true, value: tool === 'bench.large' ? megabyte : small }) }
const placement = { tools: [grant('small'), grant('large')] }

/** What the cell measured and printed, in milliseconds. */
async function measured(language: Language, code: string): Promise<number[]> {
  const run = clearedRun(language, code, { limits, placement: placement as never })
  const outcome = await sandbox.run(run, () => undefined, never, calls)
  if (!outcome.success) throw new Error(`${language}: ${outcome.error?.message}`)
  return JSON.parse(outcome.stdout) as number[]
}

const python = (call: string, times: number) => `import json, time
found = []
for _ in range(${times}):
    begun = time.perf_counter()
    ${call}
    found.append((time.perf_counter() - begun) * 1000)
print(json.dumps(found))`
const javascript = (call: string, times: number) => `const found = []
for (let n = 0; n < ${times}; n++) {
  const begun = performance.now()
  await ${call}
  found.push(performance.now() - begun)
}
console.log(JSON.stringify(found))`

function spread(samples: readonly number[]) {
  const sorted = samples.toSorted((a, b) => a - b)
  const at = (share: number) =>
    Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN) * 1000) / 1000
  return { median: at(0.5), p95: at(0.95) }
}

/** Several runs: one may make 200 calls. */
async function repeated(language: Language, code: string) {
  await measured(language, code)
  const all: number[] = []
  for (let round = 0; round < 5; round++) all.push(...(await measured(language, code)))
  return spread(all)
}

function must<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.problem.message)
  return outcome.value
}

/** As many as a minute allows. */
const inOneMinute = 90
/** The first one warms up, as in the measurements above. */
const servers = ['first', 'second', 'third', 'fourth']

/** What the same server takes a client that keeps no record. */
async function alone(server: { command: string; args: string[] }): Promise<number[]> {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }))
  const found: number[] = []
  for (let n = 0; n < 4 * inOneMinute; n++) {
    const begun = performance.now()
    await client.callTool({ name: 'add-one', arguments: { n } })
    found.push(performance.now() - begun)
  }
  await client.close()
  return found.slice(inOneMinute)
}

async function gateway() {
  const server = { command: process.execPath, args: [join(import.meta.dirname, '../src/tools/server.testing.ts')] }
  const client = spread(await alone(server))
  const own = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  const engine = await openEngine({ home: own, env: { PATH: process.env.PATH }, pool: 0 })
  try {
    const path = must(await engine.conversations.create(engine.caller, { title: 'Calls' })).conversation.main
    const calls: number[] = []
    for (const name of servers) {
      must(await engine.mcp.add(engine.caller, name, server))
      must(await engine.mcp.accept(engine.caller, name, must(await engine.mcp.tools(engine.caller, name)).tools))
      const text = python(`tools.${name}.add_one(n=1)`, inOneMinute)
      const items = [{ kind: 'cell' as const, author: 'analyst' as const, language: 'python', text }]
      const [cell] = must(await engine.conversations.insert(engine.caller, { path, items })) as [Cell]
      const started = await engine.runs.start(engine.caller, { path, cell: cell.id, revision: cell.revision })
      const { outcome } = await must(started).rest
      if (!outcome?.success) throw new Error(outcome?.error?.message ?? 'the calls were not made')
      if (name !== servers[0]) calls.push(...JSON.parse(outcome.stdout))
    }
    const whole = spread(calls)
    return { whole, client, addedMs: Math.round((whole.median - client.median) * 1000) / 1000 }
  } finally {
    await engine.close()
    await rm(own, { recursive: true, force: true })
  }
}

const result = {
  bench: 'mcp-calls',
  python: {
    one: await repeated('python', python('tools.bench.small(n=1)', 150)),
    megabyte: await repeated('python', python('tools.bench.large()', 10)),
  },
  javascript: {
    one: await repeated('javascript', javascript('tools.bench.small({ n: 1 })', 150)),
    at32: await repeated(
      'javascript',
      javascript('Promise.all([...Array(32)].map(() => tools.bench.small({ n: 1 })))', 6),
    ),
    megabyte: await repeated('javascript', javascript('tools.bench.large()', 10)),
  },
  gateway: await gateway(),
  target: { one: 0.7, addedMs: 0.7 },
}
await provider.close()
await rm(home, { recursive: true, force: true })
console.log(JSON.stringify(result))
