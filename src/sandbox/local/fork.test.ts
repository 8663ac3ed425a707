import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { Limits } from '../../contract/run.ts'
import type { Sandbox } from '../sandbox.ts'
import { runIn, temporaryHome, testIds } from '../testing.ts'
import { type LocalProvider, localProvider } from './local.ts'

describe('a fork with state', () => {
  let home: Awaited<ReturnType<typeof temporaryHome>>
  let provider: LocalProvider

  const open = async () => {
    const opened = await provider.open({ limits: Limits.parse({}) }, new AbortController().signal)
    if (!opened.ok) throw new Error(opened.problem.message)
    return opened.value
  }
  const fork = async (sandbox: Sandbox) => {
    const forked = await sandbox.fork?.()
    if (!forked?.ok) throw new Error(forked?.problem.message ?? 'cannot fork')
    return forked.value
  }
  const value = async (sandbox: Sandbox, code: string) => {
    const outcome = await runIn(sandbox, 'python', code)
    return outcome.error ? `${outcome.error.name}: ${outcome.error.message}` : outcome.stdout.trim()
  }

  beforeAll(async () => {
    home = await temporaryHome()
    provider = localProvider({ home: home.home, clock: systemClock, ids: testIds })
  })
  afterAll(async () => {
    await provider.close()
    await home.remove()
  })

  it('has the variables and the files of its parent, and each then goes its own way', async () => {
    const parent = await open()
    await value(parent, 'rate = 0.2\ndef tax(x): return x * rate\nopen("in.csv", "w").write("1")')
    const child = await fork(parent)
    expect(await value(child, 'print(tax(100), open("in.csv").read())')).toBe('20.0 1')
    await value(child, 'rate = 0.5\nopen("in.csv", "w").write("child")')
    await value(parent, 'rate = 0.1\nopen("only-parent", "w").close()')
    expect(await value(parent, 'print(tax(100), open("in.csv").read())')).toBe('10.0 1')
    expect(await value(child, 'import os; print(tax(100), os.path.exists("only-parent"))')).toBe('50.0 False')
    await parent.close('manual')
    await child.close('manual')
  })

  it('is not stopped by what stopped its parent before', async () => {
    const parent = await open()
    await value(parent, 'kept = 7')
    const stopped = await runIn(parent, 'python', 'while True: pass', { limits: Limits.parse({ timeoutMs: 200 }) })
    expect(stopped.error?.kind).toBe('timeout')
    const child = await fork(parent)
    expect(await value(child, 'print(kept)')).toBe('7')
    expect(await value(parent, 'print(kept)')).toBe('7')
    await child.close('manual')
    await parent.close('manual')
  })

  it('can be closed while its parent goes on and is forked again', async () => {
    const parent = await open()
    for (const round of [1, 2]) {
      await value(parent, `x = ${round}`)
      const child = await fork(parent)
      expect(await value(child, 'print(x)')).toBe(String(round))
      await child.close('manual')
    }
    await parent.close('manual')
  })

  it('outlives its parent, and its own fork outlives it', async () => {
    const parent = await open()
    await value(parent, 'x = 1')
    const child = await fork(parent)
    await parent.close('manual')
    await value(child, 'y = x')
    const grandchild = await fork(child)
    await child.close('manual')
    expect(await value(grandchild, 'x += 1\nprint(x)')).toBe('2')
    await grandchild.close('manual')
  })

  it('can be made again and again, and the parent still interrupts, restarts and reports exit codes', async () => {
    const parent = await open()
    await value(parent, 'x = 5')
    const children = [await fork(parent), await fork(parent), await fork(parent)]
    expect(await Promise.all(children.map(child => value(child, 'print(x)')))).toEqual(['5', '5', '5'])
    const stopped = await runIn(parent, 'python', 'while True: pass', { limits: Limits.parse({ timeoutMs: 200 }) })
    expect(stopped.error).toMatchObject({ kind: 'timeout' })
    expect(await value(parent, 'print(x)')).toBe('5')
    expect(await runIn(parent, 'bash', 'echo also')).toMatchObject({ stdout: 'also\n', success: true })
    expect(await runIn(parent, 'python', 'import os; os._exit(7)')).toMatchObject({ exitCode: 7, success: false })
    expect(await value(parent, 'print("again")')).toBe('again')
    for (const sandbox of [...children, parent]) await sandbox.close('manual')
  })

  it('sees no process of its relatives, and they see none of its own', async () => {
    const parent = await open()
    await value(parent, 'x = 1')
    const child = await fork(parent)
    const look =
      'import os\nprint(sorted(int(n) for n in os.listdir("/proc") if n.isdigit() and int(n) not in (1, os.getpid())))'
    await value(parent, '1')
    expect(await value(parent, look)).toBe('[]')
    expect(await value(child, look)).toBe('[]')
    const bomb =
      'import os, signal\nfor pid in range(2, 400):\n    if pid != os.getpid():\n        try: os.kill(pid, 9)\n        except ProcessLookupError: pass\ntry: os.kill(-1, 9)\nexcept ProcessLookupError: pass'
    await value(parent, bomb)
    expect(await value(child, 'print(x)')).toBe('1')
    await parent.close('manual')
    await child.close('manual')
  })

  it('opens files of the working folder again, so that a write does not reach the parent', async () => {
    const parent = await open()
    await value(parent, 'log = open("log.txt", "w"); _ = log.write("before "); log.flush()')
    const child = await fork(parent)
    await value(child, 'log.write("child"); log.flush()')
    await value(parent, 'log.write("parent"); log.flush()')
    expect(await value(parent, 'print(open("log.txt").read())')).toBe('before parent')
    expect(await value(child, 'print(open("log.txt").read())')).toBe('before child')
    await parent.close('manual')
    await child.close('manual')
  })

  it('draws the random numbers that its parent draws', async () => {
    const parent = await open()
    const draw = 'print(random.random(), numpy.random.random())'
    await value(parent, 'import random, numpy\nrandom.seed(42); numpy.random.seed(42)')
    const child = await fork(parent)
    const drawn = await value(child, draw)
    expect(drawn).toMatch(/^0\.639\d+ 0\.374\d+$/)
    expect(await value(parent, draw)).toBe(drawn)
    await parent.close('manual')
    await child.close('manual')
  })

  it('reports the exit of a kernel that ends at once', async () => {
    const parent = await open()
    await value(parent, '1')
    const child = await fork(parent)
    expect(await runIn(child, 'python', 'import os; os._exit(7)')).toMatchObject({ exitCode: 7, success: false })
    expect(await value(child, 'print("again")')).toBe('again')
    await parent.close('manual')
    await child.close('manual')
  })

  it('is refused, with the reason, while a thread runs or memory is shared', async () => {
    const parent = await open()
    await value(
      parent,
      'import threading, time\nt = threading.Thread(target=time.sleep, args=(30,), daemon=True); t.start()',
    )
    expect(await parent.fork?.()).toMatchObject({ ok: false, problem: { code: 'sandbox.cannot-fork' } })
    await parent.restart()
    // The right to write to the second can be had later, with mprotect.
    for (const rights of ['PROT_READ | mmap.PROT_WRITE', 'PROT_READ']) {
      const file = 'f = open("/dev/shm/f", "w+b", buffering=0); f.write(bytes(4096))'
      await value(parent, `import mmap\n${file}\nshared = mmap.mmap(f.fileno(), 4096, prot=mmap.${rights})\nf.close()`)
      expect(await parent.fork?.()).toMatchObject({ ok: false, problem: { code: 'sandbox.cannot-fork' } })
      expect(await value(parent, 'print(len(shared))')).toBe('4096')
    }
    await parent.close('manual')
  })
})
