import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Limits } from '../../contract/run.ts'
import type { Ids } from '../../ids.ts'
import { noNamespace, runInside } from '../../network/attack/namespace.testing.ts'
import { expectOnlyGranted, type Reached } from '../../network/attack/reached.testing.ts'
import type { Sandbox, SandboxProvider, ToolCalls } from '../sandbox.ts'
import { clearedRun, runIn, temporaryHome, testIds } from '../testing.ts'
import { machineName } from './images.ts'
import { testMachines } from './machines.testing.ts'

const machines = process.env.COUNTERSIGN_TEST_MACHINES
const never = new AbortController().signal
const small = Limits.parse({ memoryBytes: 256 * 1024 * 1024, diskBytes: 48 * 1024 * 1024, timeoutMs: 120_000 })

/** QEMU processes that were started with something of this folder in their command line. */
function running(text: string): number[] {
  return readdirSync('/proc').flatMap(name => {
    if (!/^\d+$/.test(name)) return []
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8')
      return command.includes('countersign-sandbox') && command.includes(text) ? [Number(name)] : []
    } catch {
      return []
    }
  })
}

describe('a microvm', () => {
  let home: Awaited<ReturnType<typeof temporaryHome>>
  let provider: SandboxProvider
  let sandbox: Sandbox
  /** Of every machine that was started, also of those that nobody was given. */
  const made: string[] = []
  const ids: Ids = {
    make: kind => {
      const id = testIds.make(kind)
      made.push(id)
      return id
    },
  }

  const open = async () => {
    const opened = await provider.open({ limits: small }, never)
    if (!opened.ok) throw new Error(opened.problem.message)
    return opened.value
  }
  const printed = async (at: Sandbox, code: string) =>
    (await runIn(at, 'python', code, { limits: small })).stdout.trim()

  beforeAll(async () => {
    home = await temporaryHome()
    provider = testMachines(home.home, { ids })
    sandbox = await open()
  })

  afterAll(async () => {
    await provider.close()
    await home.remove()
  })

  it('has its libraries loaded, its own size, its own time, and nothing to reach out with', async () => {
    const facts = await printed(
      sandbox,
      `import sys, os, time
print("pandas" in sys.modules, os.getuid(), os.statvfs("/work").f_blocks * os.statvfs("/work").f_frsize, [line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line])
print(time.time())`,
    )
    const [first, now] = facts.split('\n')
    expect(first).toBe(`True 1000 ${small.diskBytes} ['lo']`)
    expect(Math.abs(Number(now) - Date.now() / 1000)).toBeLessThan(600)
    expect(sandbox.describe().image).toBe(await provider.image?.())
  })

  it('draws other random numbers than another copy of the same machine', async () => {
    const other = await open()
    const code = 'import os; print(os.urandom(16).hex())'
    expect(await printed(other, code)).not.toBe(await printed(sandbox, code))
    await other.close('manual')
  })

  it('is forked with the variables of every language and with its files; both then go their own way', async () => {
    await runIn(
      sandbox,
      'python',
      'import pandas as pd\ntable = pd.DataFrame({"a": [1, 2]})\nopen("kept.txt", "w").write("as it was")',
    )
    await runIn(sandbox, 'bash', 'rate=0.25', { limits: small })
    const forked = await sandbox.fork?.()
    if (!forked?.ok) throw new Error(forked?.problem.message)
    const copy = forked.value
    expect(copy.id).not.toBe(sandbox.id)
    expect(await printed(copy, 'print(table.a.sum(), open("kept.txt").read())')).toBe('3 as it was')
    expect((await runIn(copy, 'bash', 'echo $rate', { limits: small })).stdout).toBe('0.25\n')
    await runIn(copy, 'python', 'table = None; open("kept.txt", "w").write("changed")', { limits: small })
    expect(await printed(sandbox, 'print(table.a.sum(), open("kept.txt").read())')).toBe('3 as it was')
    const random = 'import os; print(os.urandom(16).hex())'
    expect(await printed(copy, random)).not.toBe(await printed(sandbox, random))
    await copy.close('manual')
    expect(await printed(sandbox, 'print(table.a.sum())')).toBe('3')
  })

  it('answers the tools of a fork and of its original', async () => {
    const called = { server: 'demo', tool: 'echo' }
    const grant = { ...called, calledAs: called, hash: '0'.repeat(64), description: '', effect: 'reads' }
    const call = async (at: Sandbox, text: string) => {
      const run = clearedRun('python', `print(tools.demo.echo(text="${text}")["text"])`, {
        limits: small,
        placement: { tools: [grant] } as never,
      })
      const tools: ToolCalls = { call: async ({ args }) => ({ ok: true, value: args }) }
      const { stdout, error } = await at.run(run, () => undefined, never, tools)
      return error?.message ?? stdout.trim()
    }
    expect(await call(sandbox, 'before')).toBe('before')
    const forked = await sandbox.fork?.()
    if (!forked?.ok) throw new Error(forked?.problem.message)
    expect(await call(forked.value, 'in the fork')).toBe('in the fork')
    expect(await call(sandbox, 'in the original')).toBe('in the original')
    await forked.value.close('manual')
  })

  it('is not forked while code runs', async () => {
    let begun: () => void = () => undefined
    const started = new Promise<void>(resolve => {
      begun = resolve
    })
    const stop = new AbortController()
    const code = 'import time\nprint("begun", flush=True)\nwhile True: time.sleep(0.01)'
    const going = sandbox.run(clearedRun('python', code, { limits: small }), () => begun(), stop.signal)
    await started
    const before = made.length
    expect(await sandbox.fork?.()).toMatchObject({ ok: false, problem: { code: 'sandbox.busy' } })
    expect(made.slice(before).flatMap(running)).toEqual([])
    stop.abort()
    await going
  })

  it('leaves no copy running when its original ends while it is copied', async () => {
    const original = await open()
    const before = made.length
    const forking = original.fork?.()
    await expect.poll(() => made.slice(before).flatMap(running).length, { interval: 1 }).toBeGreaterThan(0)
    for (const pid of running(original.id)) process.kill(pid, 'SIGKILL')
    expect(await forking).toMatchObject({ ok: false })
    await expect.poll(() => made.slice(before).flatMap(running)).toEqual([])
  })

  it('is made anew when somebody wrote to the memory that machines are copied from', async () => {
    const image = join(machines as string, machineName('default'))
    const name = (await readdir(image)).find(each => each.startsWith('sleeping-') && each.includes('-768-'))
    const ram = join(image, name as string, 'ram')
    const before = readFileSync(join(image, name as string, 'sleeping.json'), 'utf8')
    utimesSync(ram, 1, 1)
    const other = await open()
    expect(readFileSync(join(image, name as string, 'sleeping.json'), 'utf8')).not.toBe(before)
    expect(await printed(other, 'print(6 * 7)')).toBe('42')
    await other.close('manual')
  })

  it('ends with an application that is killed', async () => {
    const folder = join(home.home, 'killed')
    await mkdir(folder)
    const script = `
import { testMachines } from ${JSON.stringify(join(import.meta.dirname, 'machines.testing.ts'))}
const opened = await testMachines(${JSON.stringify(folder)}).open({ limits: ${JSON.stringify(small)} }, new AbortController().signal)
process.stdout.write(opened.ok ? opened.value.id : opened.problem.message)
setInterval(() => undefined, 1000)`
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: process.env,
    })
    const id = String(await new Promise(resolve => child.stdout.once('data', resolve)))
    expect(running(id).length).toBeGreaterThan(0)
    child.kill('SIGKILL')
    await expect.poll(() => running(id)).toEqual([])
  })

  it('leaves nothing behind when it is closed', async () => {
    const other = await open()
    expect(running(other.id).length).toBeGreaterThan(0)
    await other.close('manual')
    await expect.poll(() => running(other.id)).toEqual([])
  })
})

describe.skipIf(noNamespace() !== null || process.getuid?.() !== 0)('code in a microvm that was granted a host', () => {
  it('reaches it with what people use, and nothing else; so does a fork, which has a network of its own', async () => {
    const reached = await runInside<Reached>('src/network/attack/granted.testing.ts', ['microvm'], 1_100_000)
    expectOnlyGranted(reached)
    const { seen } = reached
    expect(seen['in the fork']?.stdout.trim()).toBe('{"path":"/g","method":"GET"}')
    expect(seen['in the original']?.stdout.trim()).toBe('{"path":"/h","method":"GET"}')
    expect(seen['fork without a grant']?.error).toContain('is not granted')
  })
})
