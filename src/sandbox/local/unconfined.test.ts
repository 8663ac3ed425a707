import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { type Language, Limits } from '../../contract/run.ts'
import { createRegistry } from '../registry.ts'
import type { Sandbox } from '../sandbox.ts'
import { runIn, temporaryHome, testIds, withTimeout } from '../testing.ts'
import { type LocalProvider, localProvider } from './local.ts'

/** Seconds that no other program on this machine is likely to sleep: how a leftover is found by its command line. */
const mark = `${7_000_000 + process.pid}`
const leftovers = () =>
  execFileSync('ps', ['-e', '-o', 'args='], { encoding: 'utf8' })
    .split('\n')
    .filter(line => line.startsWith('sleep') && line.includes(mark))

describe('where no jail can be built', () => {
  let home: Awaited<ReturnType<typeof temporaryHome>>
  let provider: LocalProvider
  let sandbox: Sandbox

  beforeAll(async () => {
    home = await temporaryHome()
    provider = localProvider({ home: home.home, clock: systemClock, ids: testIds, bubblewrap: '/nowhere/bwrap' })
    const opened = await provider.open({ limits: Limits.parse({ processes: 40 }) }, new AbortController().signal)
    if (!opened.ok) throw new Error(opened.problem.message)
    sandbox = opened.value
  })
  afterAll(async () => {
    await provider.close()
    await home.remove()
  })

  it('says so to doctor, with the reason and the remedy', async () => {
    const registry = createRegistry([provider])
    const unconfined = { kind: 'local', isolation: 'unconfined', available: true }
    expect(await registry.backEnds()).toMatchObject([unconfined])
    expect(await registry.examined()).toMatchObject([{ ...unconfined, detail: expect.stringContaining('bwrap') }])
    const [whole, jail] = await registry.probe()
    expect(whole).toMatchObject({ name: 'local', detail: expect.stringMatching(/^unconfined: .*bwrap/) })
    expect(jail).toMatchObject({ name: 'Jail', available: false, hint: expect.stringContaining('bubblewrap') })
  })

  const languages: [Language, string][] = [
    ['python', 'print(6 * 7)'],
    ['javascript', 'console.log(6 * 7)'],
    ['typescript', 'console.log(6 * 7 as number)'],
    ['bash', 'echo $((6 * 7))'],
  ]
  it.each(languages)('runs %s, and the result says that it was unconfined', async (language, code) => {
    expect(sandbox.isolation).toBe('unconfined')
    const outcome = await runIn(sandbox, language, code)
    expect(outcome).toMatchObject({ success: true, stdout: '42\n', isolation: 'unconfined' })
    expect(outcome.warnings).toContainEqual(expect.stringContaining('unconfined'))
  })

  const endless: [Language, string][] = [
    ['python', 'while True: pass'],
    ['javascript', 'while (true);'],
    ['bash', 'while :; do :; done'],
  ]
  it.each(endless)('stops %s at its time limit', async (language, code) => {
    expect((await runIn(sandbox, language, code, withTimeout(200))).error).toMatchObject({ kind: 'timeout' })
  })

  it.runIf(process.platform === 'linux')('ends what a run leaves behind, a daemon too', async () => {
    const daemon = `
import os, subprocess
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", "${mark}"])
    os._exit(0)
os.wait()
subprocess.Popen(["sleep", "${mark}"])`
    const outcome = await runIn(sandbox, 'python', daemon)
    expect(outcome.warnings).toContainEqual(expect.stringContaining('were ended'))
    expect(leftovers()).toEqual([])
  })

  it.runIf(process.platform === 'linux')('holds a fork bomb, and the next run works', async () => {
    const bomb = 'import os\nwhile True:\n    try: os.fork()\n    except OSError: pass'
    expect((await runIn(sandbox, 'python', bomb, withTimeout(500))).success).toBe(false)
    expect(await runIn(sandbox, 'python', 'print(1)')).toMatchObject({ success: true, stdout: '1\n' })
  })

  it('gives code nothing of the application’s environment', async () => {
    process.env.COUNTERSIGN_TEST_SECRET = 'hush'
    const { stdout } = await runIn(sandbox, 'bash', 'env')
    delete process.env.COUNTERSIGN_TEST_SECRET
    expect(stdout).not.toContain('hush')
  })

  it('cannot copy a live kernel, because nothing would keep the two apart', () => {
    expect(sandbox.fork).toBeUndefined()
  })
})
