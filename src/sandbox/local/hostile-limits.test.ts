import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Limits, maxCodeBytes } from '../../contract/run.ts'
import { clearedRun, runIn, withTimeout } from '../testing.ts'
import { Arena } from './hostile.testing.ts'

const mb = 1024 * 1024

describe('programs that take too much', () => {
  let arena: Arena
  beforeAll(async () => {
    arena = await Arena.open()
  })
  afterAll(() => arena.close())

  it.each([
    ['python', 'import os\nwhile True:\n    try: os.fork()\n    except OSError: pass'],
    ['bash', ':(){ :|:& };:; sleep 30'],
  ] as const)('a fork bomb in %s', async (language, code) => {
    const sandbox = await arena.sandbox({ processes: 32 })
    const outcome = await runIn(sandbox, language, code, withTimeout(1_000))
    expect(outcome.success).toBe(false)
    await arena.survived(sandbox)
  })

  it('a memory bomb in one process raises an error that code can read', async () => {
    const sandbox = await arena.sandbox({ memoryBytes: 256 * mb })
    const outcome = await runIn(
      sandbox,
      'python',
      'kept = 1\nhoard = []\nwhile True: hoard.append(bytearray(10_000_000))',
    )
    expect(outcome.error).toMatchObject({ kind: 'memory' })
    expect((await runIn(sandbox, 'python', 'print(kept)')).stdout).toBe('1\n')
    await arena.survived(sandbox)
  })

  it.each([
    [
      'many processes',
      'import os, time\nfor _ in range(6):\n    if os.fork() == 0:\n        hoard = bytearray(80_000_000); time.sleep(20)\ntime.sleep(20)',
    ],
    [
      'shared memory that no process limit counts',
      'import mmap, time\nm = mmap.mmap(-1, 600_000_000)\nfor at in range(0, 600_000_000, 4096): m[at] = 1\ntime.sleep(20)',
    ],
  ])('a memory bomb in %s is killed', async (_, code) => {
    const sandbox = await arena.sandbox({ memoryBytes: 256 * mb })
    const outcome = await runIn(sandbox, 'python', code)
    expect(outcome).toMatchObject({ success: false, exitCode: null, error: { kind: 'memory', name: 'MemoryLimit' } })
    await arena.survived(sandbox)
  })

  it('a memory bomb in JavaScript, outside of the heap that V8 counts', async () => {
    const sandbox = await arena.sandbox({ memoryBytes: 256 * mb })
    const code = 'const hoard = []; for (;;) { const block = new Uint8Array(20e6); block.fill(1); hoard.push(block) }'
    const outcome = await runIn(sandbox, 'javascript', code)
    expect(outcome.success).toBe(false)
    await arena.survived(sandbox, ['javascript', 'python'])
  })

  it('filling the disk with many files, whose space is given back', async () => {
    const sandbox = await arena.sandbox({ diskBytes: 64 * mb, fileBytes: 16 * mb })
    await sandbox.files.write('mine.txt', Buffer.from('kept'))
    const code =
      'import itertools\nfor n in itertools.count():\n    with open(f"f{n}", "wb") as f: f.write(b"x" * 8_000_000)'
    const outcome = await runIn(sandbox, 'python', code)
    expect(outcome.error).toMatchObject({ kind: 'killed', name: 'DiskLimit' })
    expect((await sandbox.usage()).diskBytes).toBeLessThan(mb)
    expect(await sandbox.files.list()).toMatchObject({ ok: true, value: [{ path: 'mine.txt' }] })
    await arena.survived(sandbox)
  })

  it('one file larger than a file may be', async () => {
    const sandbox = await arena.sandbox({ fileBytes: 1 * mb })
    const outcome = await runIn(sandbox, 'python', 'open("big", "wb").write(b"x" * 3_000_000)')
    expect(outcome.success).toBe(false)
    await arena.survived(sandbox)
  })

  it('a gigabyte of output, of which the record keeps little and memory less', async () => {
    const sandbox = await arena.sandbox()
    const run = clearedRun('bash', 'head -c 1073741824 /dev/zero | tr "\\0" x', withTimeout(60_000))
    const before = process.memoryUsage().rss
    let peak = before
    const outcome = await sandbox.run(
      run,
      () => {
        peak = Math.max(peak, process.memoryUsage().rss)
      },
      new AbortController().signal,
    )
    expect(outcome).toMatchObject({ success: true, truncated: true })
    expect(outcome.stdout.length).toBe(50_000)
    expect((await arena.provider.readOutput(run.id, { offset: 1024 * mb - 5, length: 9 }))?.length).toBe(5)
    expect(peak - before).toBeLessThan(256 * mb)
    await arena.survived(sandbox)
  }, 60_000)

  it('output without end is stopped at the disk limit', async () => {
    const sandbox = await arena.sandbox({ diskBytes: 32 * mb })
    const outcome = await runIn(sandbox, 'python', 'import sys\nwhile True: sys.stdout.write("x" * 100_000)')
    expect(outcome.error).toMatchObject({ kind: 'killed', name: 'OutputLimit' })
    expect(outcome.truncated).toBe(true)
    await arena.survived(sandbox)
  })

  it.each([
    ['python', 'while True: pass'],
    ['bash', 'while :; do :; done'],
    ['javascript', 'for (;;) {}'],
  ] as const)('an endless loop in %s', async (language, code) => {
    const sandbox = await arena.sandbox()
    expect((await runIn(sandbox, language, code, withTimeout(200))).error).toMatchObject({ kind: 'timeout' })
    await arena.survived(sandbox, [language])
  })

  it('a hundred kilobytes of code run, one byte more is refused', async () => {
    const sandbox = await arena.sandbox()
    for (const language of ['python', 'bash'] as const) {
      const code = `echo=1\n#${'x'.repeat(maxCodeBytes - 8)}`
      expect(Buffer.byteLength(code)).toBe(maxCodeBytes)
      expect(await runIn(sandbox, language, code)).toMatchObject({ success: true })
      expect((await runIn(sandbox, language, `${code}x`)).error).toMatchObject({ kind: 'sandbox', name: 'CodeTooLong' })
    }
    await arena.survived(sandbox)
  })

  it('a folder too deep for path names, and one without permissions, are removed with the sandbox', async () => {
    const sandbox = await arena.sandbox()
    const outcome = await runIn(
      sandbox,
      'python',
      'import os\nos.makedirs("locked/in"); open("locked/in/f", "w").close(); os.chmod("locked", 0)\nfor _ in range(1500):\n    os.mkdir("deep"); os.chdir("deep")\nos.chdir("/work")',
      { limits: Limits.parse({ timeoutMs: 10_000 }) },
    )
    expect(outcome.success).toBe(true)
    await sandbox.close('manual')
    expect(await arena.boxes()).not.toContain(sandbox.id)
  })

  it('a hundred thousand small files', async () => {
    const sandbox = await arena.sandbox()
    const outcome = await runIn(sandbox, 'python', 'for n in range(30_000): open(f"f{n}", "w").close()')
    expect(outcome.warnings.join()).toContain('too many files')
    await sandbox.close('manual')
    expect(await arena.boxes()).not.toContain(sandbox.id)
  })
})
