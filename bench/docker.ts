/**
 * Sandboxes in containers against `docker run` of the same image by the command line, in one run: cold, warm, from the
 * pool, many at once. Uses DOCKER_HOST, or starts an engine of its own where that can be had. Prints one line of JSON.
 *
 * Where a cold start's time goes, in shares of `docker run` (Docker 20.10, on two cores that had much else to do): create
 * 0.06, attach 0.00, the engine's start 0.58, Python and the supervisor 0.39, the kernel and the first result 0.05. The
 * whole was 1.03 of it (8 rounds), and 0.91 (8 rounds under another load) after Python modules that only some cells need
 * were left for later, which saves a quarter of the supervisor's processor time; how much of the difference that is was not
 * measured. `docker run` pays for its own process, for the end
 * of the container and for its removal, which ours leaves for afterwards.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { keptImages, startEngine, whyNoEngine } from '../scripts/container-engine.mjs'
import { systemClock } from '../src/clock.ts'
import { BuildImage } from '../src/contract/images.ts'
import { Limits } from '../src/contract/run.ts'
import { dockerImages, dockerProvider } from '../src/sandbox/docker/docker.ts'
import type { Sandbox, SandboxProvider } from '../src/sandbox/sandbox.ts'
import { clearedRun, testIds } from '../src/sandbox/testing.ts'

const times = Number(process.env.BENCH_TIMES ?? 15)
const limits = Limits.parse({})
const never = new AbortController().signal
const say = (text: string) => process.stderr.write(`${text}\n`)
const run = promisify(execFile)

const engine = process.env.DOCKER_HOST ? null : await ownEngine()
const host = process.env.DOCKER_HOST ?? engine?.host
if (!host) {
  console.log(JSON.stringify({ bench: 'docker', skipped: whyNoEngine() ?? 'no engine' }))
  process.exit(0)
}
const env = { DOCKER_HOST: host }
const home = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
const make = (pool = 0): SandboxProvider =>
  dockerProvider({ home, env, clock: systemClock, ids: testIds, pool: { size: pool, limits } })

try {
  const image = await theImage()
  const result = {
    bench: 'docker',
    ...(await cold(image)),
    warmMs: await warm(),
    poolHandOutMs: await handOut(),
    hundredRunsOverTenMs: await hundredRuns(),
    ...(await hundredFresh()),
  }
  console.log(JSON.stringify(result))
} finally {
  await rm(home, { recursive: true, force: true })
  await engine?.stop()
}

async function ownEngine() {
  const reason = whyNoEngine()
  if (reason) say(reason)
  return reason ? null : startEngine({ data: keptImages })
}

async function theImage(): Promise<string> {
  const provider = make()
  const found = await provider.image?.()
  await provider.close()
  if (found) return found
  say('making the image')
  const request = BuildImage.parse({ source: 'installed' })
  const built = await dockerImages(env).build(request, ({ line }) => say(line), never)
  if (!built.ok) throw new Error(built.problem.message)
  return built.value.digest
}

/** In turn, so that whatever else the machine does strikes both. */
async function cold(image: string) {
  say('cold, in turn with docker run')
  const provider = make()
  const [ours, theirs]: [number[], number[]] = [[], []]
  // As hard as ours, so that the engine does the same work for both.
  const flags = ['--rm', '--network', 'none', '--cap-drop', 'ALL', '--read-only', '--tmpfs', '/work', '--tmpfs', '/tmp']
  const program = ['--entrypoint', '/usr/bin/python3', image, '-c', 'print(1 + 1)']
  for (let index = 0; index < times + 2; index++) {
    const plain = await timed(() => run('docker', ['-H', host as string, 'run', ...flags, ...program]))
    const own = await timed(async () => {
      const sandbox = await open(provider)
      await execute(sandbox, '1 + 1')
      return sandbox
    })
    await own.value.close('manual')
    // The first ones warm the machine's caches.
    if (index < 2) continue
    theirs.push(plain.ms)
    ours.push(own.ms)
  }
  await provider.close()
  return {
    dockerRunMs: spread(theirs),
    coldMs: spread(ours),
    coldOfDockerRun: round(median(ours) / median(theirs)),
  }
}

async function warm() {
  say('warm')
  const provider = make()
  const sandbox = await open(provider)
  for (let index = 0; index < 30; index++) await execute(sandbox, '1 + 1')
  const samples: number[] = []
  for (let index = 0; index < 200; index++) samples.push((await timed(() => execute(sandbox, '1 + 1'))).ms)
  await provider.close()
  return spread(samples)
}

/** From asking for a sandbox to having one; and to the first result in it. */
async function handOut() {
  say('the pool')
  const provider = make(4)
  const samples: number[] = []
  while (samples.length < times) {
    await provider.warm('python')
    for (let index = 0; index < 3; index++) {
      const { ms, value } = await timed(() => open(provider))
      samples.push(ms)
      await execute(value, '1 + 1')
      await value.close('manual')
    }
  }
  await provider.close()
  return spread(samples)
}

async function hundredRuns() {
  say('a hundred runs over ten containers')
  const provider = make()
  const sandboxes = await Promise.all(Array.from({ length: 10 }, () => open(provider)))
  const { ms } = await timed(() =>
    Promise.all(Array.from({ length: 100 }, (_, index) => execute(sandboxes[index % 10] as Sandbox, `${index} * 2`))),
  )
  await provider.close()
  return round(ms)
}

async function hundredFresh() {
  say('a hundred fresh containers')
  const provider = make()
  let failed = 0
  const { ms } = await timed(() =>
    Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        try {
          const sandbox = await open(provider)
          await execute(sandbox, `${index} * 2`)
          await sandbox.close('manual')
        } catch (error) {
          failed++
          say(String(error))
        }
      }),
    ),
  )
  await provider.close()
  return { hundredFreshMs: round(ms), hundredFreshFailed: failed }
}

async function open(provider: SandboxProvider): Promise<Sandbox> {
  const opened = await provider.open({ limits, warm: ['python'] }, never)
  if (!opened.ok) throw new Error(`${opened.problem.message} ${opened.problem.hint}`)
  return opened.value
}

async function execute(sandbox: Sandbox, code: string): Promise<void> {
  const outcome = await sandbox.run(clearedRun('python', code, { limits }), () => undefined, never)
  if (!outcome.success) throw new Error(`${outcome.error?.name} ${outcome.error?.message}`)
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now()
  const value = await work()
  return { ms: performance.now() - start, value }
}

function spread(samples: readonly number[]) {
  const sorted = samples.toSorted((a, b) => a - b)
  return {
    median: round(median(samples)),
    p95: round(sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN),
    count: sorted.length,
  }
}

function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
