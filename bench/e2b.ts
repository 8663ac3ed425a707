import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Limits } from '../src/contract/run.ts'
import { connectService } from '../src/sandbox/e2b/service.ts'
import { startPeer, testKey } from '../src/sandbox/e2b/testing/peer.testing.ts'
import { openProvider } from '../src/sandbox/e2b/testing/provider.testing.ts'
import { runIn } from '../src/sandbox/testing.ts'

/**
 * What a run through the provider adds to the same run through the SDK alone, both against the peer on loopback, and how
 * long pausing and waking take there. `node bench/e2b.ts` prints one line of JSON.
 */
const runs = 60
const home = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
const peer = await startPeer()
const never = new AbortController().signal
const median = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

const e2b = await connectService({ key: testKey, apiUrl: peer.url, sandboxUrl: peer.url })
const alone = await e2b.Sandbox.create('code-interpreter-v1')
await alone.files.makeDir('/home/user/work')
const context = await alone.createCodeContext({ language: 'python', cwd: '/home/user/work' })

const provider = openProvider({ home, env: peer.env })
const opened = await provider.open({ limits: Limits.parse({}) }, never)
if (!opened.ok) throw new Error(opened.problem.message)
let sandbox = opened.value

const [sdk, through]: [number[], number[]] = [[], []]
// One after the other, so that a moment in which the machine is busy strikes both.
for (let at = -5; at < runs; at++) {
  const times = [await timed(() => alone.runCode('1', { context })), await timed(() => runIn(sandbox, 'python', '1'))]
  if (at < 0) continue
  sdk.push(times[0] ?? 0)
  through.push(times[1] ?? 0)
}

const cycles: number[] = []
for (let at = 0; at < 10; at++)
  cycles.push(
    await timed(async () => {
      await sandbox.pause?.()
      const left = { sandbox: sandbox.id, credentials: sandbox.credentials ?? null }
      const woken = await provider.pausing.resume(left, { limits: Limits.parse({}) }, never)
      if (!woken.ok) throw new Error(woken.problem.message)
      sandbox = woken.value
    }),
  )
const copy = await timed(async () => (await sandbox.fork?.())?.ok)

await provider.close()
await peer.close()
rmSync(home, { recursive: true, force: true })
const rounded = (ms: number) => Math.round(ms * 100) / 100
console.log(
  JSON.stringify({
    bench: 'e2b',
    runs,
    sdkMs: rounded(median(sdk)),
    providerMs: rounded(median(through)),
    addedMs: rounded(median(through) - median(sdk)),
    pauseAndResumeMs: rounded(median(cycles)),
    forkMs: rounded(copy),
    target: { addedMs: 5 },
  }),
)
