/**
 * Calls of tools out of a cell, through kernel, supervisor and host, without a server's own time: the host answers at
 * once. One after the other and 32 at a time, in both languages, and a result of a megabyte. Prints one line of JSON.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/clock.ts'
import { type Language, Limits } from '../src/contract/run.ts'
import type { ToolGrant } from '../src/contract/tools.ts'
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
  target: { one: 0.7 },
}
await provider.close()
await rm(home, { recursive: true, force: true })
console.log(JSON.stringify(result))
