/**
 * The local sandbox against what people use today, in one run: warm cells against a Jupyter kernel, new sandboxes
 * against `import pandas`, forks, the pool, many at once, and a stream of output. Prints one line of JSON.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { systemClock } from '../src/clock.ts'
import { type Language, Limits } from '../src/contract/run.ts'
import { type LocalProvider, localProvider } from '../src/sandbox/local/local.ts'
import { findPython } from '../src/sandbox/local/python.ts'
import type { Sandbox } from '../src/sandbox/sandbox.ts'
import { clearedRun, testIds } from '../src/sandbox/testing.ts'

const times = Number(process.env.BENCH_TIMES ?? 40)
const usual = Limits.parse({})
const roomy = Limits.parse({ memoryBytes: 3 * 1024 ** 3 })
const never = new AbortController().signal
const say = (text: string) => process.stderr.write(`${text}\n`)

interface Spread {
  readonly median: number
  readonly p95: number
  readonly count: number
}

function spread(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((a, b) => a - b)
  const at = (share: number) =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN)
  return { median: at(0.5), p95: at(0.95), count: sorted.length }
}

const round = (value: number) => Math.round(value * 1000) / 1000

async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const start = performance.now()
  const value = await work()
  return [performance.now() - start, value]
}

async function repeat(count: number, work: (index: number) => Promise<number>): Promise<Spread> {
  const samples: number[] = []
  for (let index = 0; index < count; index++) samples.push(await work(index))
  return spread(samples)
}

async function open(provider: LocalProvider, warm: readonly Language[] = ['python'], limits = usual): Promise<Sandbox> {
  const opened = await provider.open({ limits, warm }, never)
  if (!opened.ok) throw new Error(opened.problem.message)
  return opened.value
}

async function run(sandbox: Sandbox, language: Language, code: string) {
  const outcome = await sandbox.run(clearedRun(language, code, { limits: usual }), () => undefined, never)
  if (!outcome.success) throw new Error(`${language}: ${outcome.error?.name} ${outcome.error?.message}`)
  return outcome
}

/** A warm run of `code`, after a few that do not count. */
async function warm(sandbox: Sandbox, language: Language, code: string): Promise<Spread> {
  for (let index = 0; index < 30; index++) await run(sandbox, language, code)
  return repeat(times * 5, async () => (await timed(() => run(sandbox, language, code)))[0])
}

/** Open and first result, cold each time. */
const cold = (provider: LocalProvider, language: Language, code: string) =>
  repeat(times, async () => {
    const [elapsed, sandbox] = await timed(async () => {
      const made = await open(provider, [language])
      await run(made, language, code)
      return made
    })
    await sandbox.close('manual')
    return elapsed
  })

/** jupyter_client with ipykernel, asked the same; null where they are not installed. */
async function jupyter(python: string): Promise<Spread | null> {
  const script = `
import sys, time, json
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name="python3")
def once():
    start = time.perf_counter()
    client.execute_interactive("1+1", output_hook=lambda message: None)
    return (time.perf_counter() - start) * 1000
for _ in range(10): once()
for line in sys.stdin:
    print(once(), flush=True)
manager.shutdown_kernel(now=True)
`
  const child = spawn(python, ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdin.on('error', () => undefined)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const samples: number[] = []
  for (let index = 0; index < times; index++) {
    child.stdin.write('\n', () => undefined)
    const next = await lines.next()
    if (next.done) return null
    samples.push(Number(next.value))
  }
  child.stdin.end()
  return spread(samples)
}

/** Forks of fresh sandboxes, until the first cell has run in the copy. */
const forks = (provider: LocalProvider, prepare: string, check: string) =>
  repeat(30, async () => {
    const parent = await open(provider, ['python'], roomy)
    await run(parent, 'python', prepare)
    const [elapsed, child] = await timed(async () => {
      const forked = await parent.fork?.()
      if (!forked?.ok) throw new Error(forked?.problem.message ?? 'cannot fork')
      await run(forked.value, 'python', check)
      return forked.value
    })
    await child.close('manual')
    await parent.close('manual')
    return elapsed
  })

const home = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
const python = await findPython()
if (!python) throw new Error('no Python')
const provider = localProvider({ home, clock: systemClock, ids: testIds })
const { isolation } = await provider.probe()
say(`isolation: ${isolation}`)

const box = await open(provider)
say('warm runs')
const warmPython = await warm(box, 'python', '1+1')
const jupyterWarm = await jupyter(python.executable)
if (!jupyterWarm)
  say(`  no comparison: ${python.executable} has no jupyter_client or no ipykernel.
  On Debian: apt-get install python3-jupyter-client python3-ipykernel`)
const warmPythonAgain = await warm(box, 'python', '1+1')
const warmJavaScript = await warm(await open(provider, ['javascript']), 'javascript', '1+1')
const warmBash = await warm(await open(provider, ['bash']), 'bash', ':')

say('new sandboxes')
const importPandas = await repeat(Math.max(10, times / 4), async () => {
  const [elapsed] = await timed(() => promisify(execFile)(python.executable, ['-c', 'import pandas']))
  return elapsed
})
const coldPython = await cold(provider, 'python', 'import pandas')
const coldBash = await cold(provider, 'bash', ':')
const coldJavaScript = await cold(provider, 'javascript', '1+1')

say('the pool')
const pooled = localProvider({ home: join(home, 'pooled'), clock: systemClock, ids: testIds, pool: { size: 2 } })
const fromPool = (language: 'python' | 'javascript') =>
  repeat(Math.max(30, times / 2), async () => {
    await pooled.warm(language)
    const [elapsed, sandbox] = await timed(() => open(pooled, [language]))
    await sandbox.close('manual')
    return elapsed
  })
const poolPython = await fromPool('python')
const poolJavaScript = await fromPool('javascript')
await pooled.close()

say('forks with state')
const gigabyte = 'state = bytearray(1 << 30)\nstate[::4096] = b"x" * (1 << 18)'
const forkSmall = await forks(provider, 'rate = 0.2', 'assert rate == 0.2')
const forkLarge = await forks(provider, gigabyte, 'assert state[4096] == 120')

say('a hundred sandboxes at once')
const [hundred, many] = await timed(() =>
  Promise.all(
    Array.from({ length: 100 }, async () => {
      const made = await open(provider)
      await run(made, 'python', 'import pandas')
      return made
    }),
  ),
)
say('a hundred runs on ten paths')
const [runs] = await timed(() =>
  Promise.all(
    Array.from({ length: 100 }, (_, index) => run(many[index % 10] as Sandbox, 'python', `sum(range(${index}))`)),
  ),
)
await Promise.all(many.map(sandbox => sandbox.close('manual')))

say('a stream of ten megabytes')
// What is held after a collection: before one, as much lies around as the engine of JavaScript likes to let.
setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
const held = async () => {
  collect()
  await setImmediate() // buffers are given back on the next turn
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
const before = await held()
const stream = await repeat(30, async () => {
  const code = 'line = "x" * 999 + "\\n"\nimport sys\nfor _ in range(1_000): sys.stdout.write(line * 10)'
  const [elapsed] = await timed(() => run(box, 'python', code))
  return 10_000 / elapsed
})
const grown = (await held()) - before

await provider.close()
await rm(home, { recursive: true, force: true })

const bestWarm = warmPythonAgain.median < warmPython.median ? warmPythonAgain : warmPython
const targets: Record<string, boolean | null> = {
  'warm Python at most 1/5 of Jupyter': jupyterWarm ? bestWarm.median <= jupyterWarm.median / 5 : null,
  'warm Python under 1 ms': bestWarm.median < 1,
  'warm JavaScript under 1 ms': warmJavaScript.median < 1,
  'new Python at most 1/15 of import pandas': coldPython.median <= importPandas.median / 15,
  'new Python under 30 ms': coldPython.median < 30,
  'Python from the pool under 3 ms': poolPython.median < 3,
  'fork with small state under 30 ms': forkSmall.median < 30,
  'fork with 1 GB under 40 ms': forkLarge.median < 40,
  'new JavaScript under 120 ms': coldJavaScript.median < 120,
  'JavaScript from the pool under 3 ms': poolJavaScript.median < 3,
  'new Bash under 20 ms': coldBash.median < 20,
  '100 sandboxes at once under 3 s': hundred < 3_000,
  '10 MB of output at 100 MB/s': stream.median >= 100,
  '300 MB of output leave less than 5 MB behind': grown < 5 * 1024 * 1024,
}
for (const [name, met] of Object.entries(targets)) say(`  ${met === null ? '?' : met ? 'met' : 'MISSED'}: ${name}`)

const ratio = (ours: Spread, theirs: Spread | null) => (theirs ? round(ours.median / theirs.median) : null)
console.log(
  JSON.stringify({
    bench: 'local',
    isolation,
    warmMs: { python: bestWarm, javascript: warmJavaScript, bash: warmBash, jupyter: jupyterWarm },
    newMs: { python: coldPython, javascript: coldJavaScript, bash: coldBash, importPandas },
    poolMs: { python: poolPython, javascript: poolJavaScript },
    forkMs: { small: forkSmall, gigabyte: forkLarge },
    hundredSandboxesMs: round(hundred),
    hundredRunsOnTenPathsMs: round(runs),
    streamMBperS: stream,
    streamMemoryGrowthMB: round(grown / 1024 / 1024),
    targets,
    ratios: { warmToJupyter: ratio(bestWarm, jupyterWarm), newToImportPandas: ratio(coldPython, importPandas) },
  }),
)
