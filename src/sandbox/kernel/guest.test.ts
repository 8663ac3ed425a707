import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { SandboxId } from '../../contract/ids.ts'
import { Limits } from '../../contract/run.ts'
import { resource } from '../../places.ts'
import { findPython } from '../local/python.ts'
import { runIn, temporaryHome, testIds } from '../testing.ts'
import { startGuest } from './guest.ts'
import { KernelSandbox } from './kernel-sandbox.ts'
import { OutputFolder } from './outputs.ts'

/** A carrier that is nothing but namespaces and two pipes, as a container engine gives them. */
describe('the guest as the first process of a carrier, over standard input and output', () => {
  let home: Awaited<ReturnType<typeof temporaryHome>>
  let child: ChildProcess
  let sandbox: KernelSandbox

  beforeEach(async () => {
    home = await temporaryHome()
    const python = await findPython()
    if (!python) throw new Error('no Python here')
    for (const name of ['work', 'tmp', 'run']) mkdirSync(join(home.home, name))
    const root = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--bind', home.home, home.home]
    const alone = ['--unshare-all', '--as-pid-1', '--die-with-parent', '--clearenv', '--uid', '1000', '--gid', '1000']
    const start = [python.executable, '-I', resource('kernels', 'start.py')]
    child = spawn('bwrap', [...alone, ...root, '--', ...start], { stdio: ['pipe', 'pipe', 'inherit'] })
    if (!child.stdin || !child.stdout) throw new Error('no pipes')
    // What some engines write to the input of a container that they attach to.
    child.stdin.write('{"stream":true,"stdin":true}')
    const id = testIds.make(SandboxId)
    const limits = Limits.parse({})
    const link = await startGuest(
      {
        id,
        limits,
        python: python.executable,
        bash: '/bin/bash',
        deno: null,
        kernels: resource('kernels'),
        seccomp: resource('seccomp', 'kernel.json'),
        work: join(home.home, 'work'),
        tmp: join(home.home, 'tmp'),
        run: join(home.home, 'run'),
      },
      child.stdout,
      child.stdin,
    )
    const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
    const outputs = new OutputFolder({ home: home.home })
    const isolation = 'container'
    sandbox = new KernelSandbox({
      id,
      kind: 'docker',
      isolation,
      limits,
      link,
      clock: systemClock,
      outputs,
      image: 'sha256:1',
      discard: () => ended,
    })
  })
  afterEach(async () => {
    await sandbox.close('manual')
    expect(child.exitCode ?? child.signalCode).not.toBeNull()
    await home.remove()
  })

  it('runs code, keeps variables and answers about files', async () => {
    expect(await runIn(sandbox, 'python', 'x = 20; print(x)')).toMatchObject({ success: true, stdout: '20\n' })
    expect(await runIn(sandbox, 'python', 'x + 1')).toMatchObject({ success: true, sandbox: 'docker' })
    expect(await runIn(sandbox, 'bash', 'echo $((6 * 7)) > answer; cat answer')).toMatchObject({ stdout: '42\n' })
    expect(await sandbox.files.read('answer')).toMatchObject({ ok: true, value: Buffer.from('42\n') })
    expect(sandbox.describe()).toMatchObject({ kind: 'docker', image: 'sha256:1' })
  })

  it('carries more output than pipes hold, and reads what is asked meanwhile', async () => {
    const outcome = await runIn(
      sandbox,
      'python',
      'import sys\nfor _ in range(300): sys.stdout.write("x" * 99_999 + "\\n")',
    )
    expect(outcome).toMatchObject({ success: true, truncated: true })
    const shown = outcome.shown.reduce((sum, each) => sum + (each.type === 'stream' ? each.text.length : 0), 0)
    expect(shown).toBe(30_000_000)
  })

  it('keeps the pipes, rights and the supervisor out of reach of the code', async () => {
    const code = `
import os, re
status = open("/proc/self/status").read()
print(re.search(r"CapEff:\\s*(\\w+)", status)[1], re.search(r"Seccomp:\\s*(\\d)", status)[1])
reached = []
for fd in range(64):
    for how in (os.O_RDONLY, os.O_WRONLY):
        try: reached.append(os.open(f"/proc/1/fd/{fd}", how))
        except OSError: pass
for name in ("mem", "environ"):
    try: reached.append(open(f"/proc/1/{name}", "rb"))
    except OSError: pass
print(reached)
os.kill(1, 9)`
    const { stdout } = await runIn(sandbox, 'python', code)
    expect(stdout.split('\n')).toEqual(['0000000000000000 2', '[]', ''])
    expect(await runIn(sandbox, 'python', 'print("still here")')).toMatchObject({ stdout: 'still here\n' })
  })

  it('says that it cannot be copied', async () => {
    const answer = await sandbox.ask({ type: 'fork', id: 'x', limits: sandbox.limits })
    expect(answer).toMatchObject({ ok: false, problem: { code: 'sandbox.cannot-fork' } })
  })
})
