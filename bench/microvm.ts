/**
 * Virtual machines, in one run: a boot with libraries, a copy to its first result, warm cells, a fork with state, and
 * the same warm cell in the local jail. Prints one line of JSON. Needs `countersign sandbox build --kind microvm`.
 */
import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/clock.ts'
import { Limits } from '../src/contract/run.ts'
import { machinesFolder } from '../src/places.ts'
import { localProvider } from '../src/sandbox/local/local.ts'
import { microvmProvider } from '../src/sandbox/microvm/microvm.ts'
import type { Sandbox, SandboxProvider } from '../src/sandbox/sandbox.ts'
import { clearedRun, testIds } from '../src/sandbox/testing.ts'

const times = Number(process.env.BENCH_TIMES ?? 10)
const limits = Limits.parse({})
const never = new AbortController().signal
const say = (text: string) => process.stderr.write(`${text}\n`)

const round = (value: number) => Math.round(value * 1000) / 1000
function spread(samples: readonly number[]) {
  const sorted = samples.toSorted((a, b) => a - b)
  const at = (share: number) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number)
  return { median: at(0.5), p95: at(0.95), count: sorted.length }
}

async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const start = performance.now()
  const value = await work()
  return [performance.now() - start, value]
}

async function open(provider: SandboxProvider): Promise<Sandbox> {
  const opened = await provider.open({ limits, warm: ['python'] }, never)
  if (!opened.ok) throw new Error(`${opened.problem.message} ${opened.problem.hint}`)
  return opened.value
}

async function run(sandbox: Sandbox, code: string): Promise<void> {
  const outcome = await sandbox.run(clearedRun('python', code, { limits }), () => undefined, never)
  if (!outcome.success) throw new Error(`${outcome.error?.name} ${outcome.error?.message}`)
}

async function warm(sandbox: Sandbox) {
  const samples: number[] = []
  for (let index = 0; index < 50; index++) samples.push((await timed(() => run(sandbox, '1 + 1')))[0])
  return spread(samples.slice(10))
}

/** The images of this user in a folder of its own, so that nothing sleeps there yet. */
function ownMachines(): string {
  const from = machinesFolder()
  const folder = mkdtempSync(join(from, '.bench-'))
  for (const image of readdirSync(from).filter(name => !name.startsWith('.') && name !== 'probe.json')) {
    mkdirSync(join(folder, image), { mode: 0o755 })
    for (const file of ['kernel', 'initrd', 'disk', 'image.json'])
      linkSync(join(from, image, file), join(folder, image, file))
  }
  return folder
}

const home = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
const machines = ownMachines()
const provider = microvmProvider({ home, machines, env: process.env, clock: systemClock, ids: testIds })
const local = localProvider({ home, clock: systemClock, ids: testIds })
try {
  const { probes } = await provider.probe()
  say(probes[0]?.detail ?? '')
  say('booting')
  const [boot] = await timed(() => provider.warm('python'))
  const clones: number[] = []
  const frames: number[] = []
  let sandbox = await open(provider)
  for (let index = 0; index < times; index++) {
    say(`copy ${index + 1} of ${times}`)
    await sandbox.close('manual')
    const [ms, opened] = await timed(async () => {
      const each = await open(provider)
      await run(each, '1 + 1')
      return each
    })
    sandbox = opened
    clones.push(ms)
    frames.push((await timed(() => run(sandbox, 'import pandas as pd\npd.DataFrame({"a": [1, 2]}).sum()')))[0])
  }
  say('warm cells')
  const cells = await warm(sandbox)
  const jail = await open(local)
  const inJail = await warm(jail)
  say('fork')
  const [forkMs, forked] = await timed(async () => sandbox.fork?.())
  if (!forked?.ok) throw new Error(forked?.problem.message)
  const [again, second] = await timed(async () => forked.value.fork?.())
  if (!second?.ok) throw new Error(second?.problem.message)
  const clone = spread(clones)
  const emulated = (await provider.isEmulated?.()) === true
  const answer = {
    emulated,
    bootMs: round(boot),
    cloneToFirstResultMs: clone,
    firstFrameMs: spread(frames),
    warmMs: cells,
    localWarmMs: inJail,
    forkMs: round(forkMs),
    forkOfForkMs: round(again),
    ratios: { cloneToBoot: round(clone.median / boot), warmToLocal: round(cells.median / inJail.median) },
    met: { cloneUnder600: clone.median < 600, warmUnder10: cells.median < 10 },
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`)
} finally {
  await Promise.all([provider.close(), local.close()])
  rmSync(machines, { recursive: true, force: true })
  rmSync(home, { recursive: true, force: true })
}
