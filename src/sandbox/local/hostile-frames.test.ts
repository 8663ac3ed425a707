import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../sandbox.ts'
import { clearedRun, runIn, withTimeout } from '../testing.ts'
import { Arena } from './hostile.testing.ts'

const forge = `import json, os, struct, time
def forge(body):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    data = struct.pack("<II", len(body), 0) + body
    while data: data = data[os.write(250, data):]
`

describe('programs that speak for their kernel', () => {
  let arena: Arena
  beforeAll(async () => {
    arena = await Arena.open()
  })
  afterAll(() => arena.close())

  it.each([
    ['variables that are no number', '{"type": "done", "exitCode": 0, "error": None, "state": float("nan")}'],
    ['an error without an end', `b'{"type":"done","exitCode":1,"error":{"kind":1e999}}'`],
    ['an exit code of three hundred digits', '{"type": "done", "exitCode": 10**300, "error": None}'],
    ['an exit code that is true', '{"type": "done", "exitCode": True, "error": None}'],
    ['a display of no number', '{"type": "output", "output": {"type": "display", "data": {"a/b": float("inf")}}}'],
    ['millions of empty values', `b'{"type":"x","a":[' + b"{}," * 7_000_000 + b"0]}"`],
    ['millions of empty texts', `b'{"type":"x","a":[' + b'"",' * 7_000_000 + b"0]}"`],
    ['a header as deep as it is long', `b'{"type":"x","a":' + b"[" * 10**6 + b"]" * 10**6 + b"}"`],
    ['kinds that are no text', '{"type": ["done"]}); forge({"type": "output", "output": {"type": {}}}'],
    ['calls that nobody granted', '{"type": "call", "k": 2**70, "tool": "a.b"}); forge({"type": "call", "k": True}'],
  ])('cost nobody else anything: %s', async (_, frame) => {
    const sandbox = await arena.sandbox()
    const outcome = await runIn(sandbox, 'python', `${forge}forge(${frame})`, withTimeout(15_000))
    expect(outcome.error?.name).not.toBe('SandboxLost')
    await arena.survived(sandbox)
  })

  it('do not end their supervisor by values so deep that they can just be read, and not be written again', async () => {
    const sandbox = await arena.sandbox()
    const display = `b'{"type":"output","output":{"type":"display","data":' + b"[" * depth + b"]" * depth + b"}}"`
    await runIn(sandbox, 'python', `${forge}for depth in range(900, 1000): forge(${display})`)
    await arena.survived(sandbox)
  })

  it('do not end their supervisor by names that are too long to be listed', async () => {
    const sandbox = await arena.sandbox()
    const code = `import os
for _ in range(60): os.mkdir("n" * 250); os.chdir("n" * 250)
for i in range(2_000): open(str(i), "w").close()
os.chdir("/work")`
    await runIn(sandbox, 'python', code, withTimeout(15_000))
    const deep = Array.from({ length: 60 }, () => 'n'.repeat(250)).join('/')
    expect((await sandbox.files.list(deep)).ok).toBe(false)
    await runIn(sandbox, 'bash', 'rm -r ./n*')
    await arena.survived(sandbox)
  })

  const peakMb = async (sandbox: Sandbox) => {
    const peak = 'print(next(line for line in open("/proc/1/status") if line.startswith("VmHWM:")).split()[1])'
    return Number((await runIn(sandbox, 'python', peak)).stdout) / 1024
  }

  it('do not make their supervisor take more memory than a frame is long, a few times', async () => {
    const sandbox = await arena.sandbox()
    await runIn(sandbox, 'python', `${forge}forge(b'{"type":"x","a":[' + b"{}," * 7_900_000 + b"0]}")`)
    expect(await peakMb(sandbox)).toBeLessThan(250)
    await arena.survived(sandbox)
  })

  it('do not fill their supervisor with what the host has not taken yet', async () => {
    const sandbox = await arena.sandbox()
    const code = `${forge}shown = b'{"type":"output","output":{"type":"display","data":{"text/plain":"' + b"x" * (4 << 20) + b'"}}}'
for _ in range(100): forge(shown)`
    // The host takes nothing while it is busy with the first: long enough for all to be written, if it were taken.
    const busy = new Promise<void>(resolve => setTimeout(resolve, 2_000))
    await sandbox.run(clearedRun('python', code, withTimeout(60_000)), () => busy, new AbortController().signal)
    expect(await peakMb(sandbox)).toBeLessThan(250)
    await arena.survived(sandbox)
  })

  it('do not fill it with answers that they do not take: it hears no more of them', async () => {
    const sandbox = await arena.sandbox()
    const code = `${forge}call = b'{"type":"call","tool":"a.b","k":' + b"9" * 600 + b"}"
call = (struct.pack("<II", len(call), 0) + call) * 100
for _ in range(800): os.write(250, call)
print("all heard")`
    const outcome = await runIn(sandbox, 'python', code, withTimeout(8_000))
    expect(outcome).toMatchObject({ stdout: '', error: { kind: 'timeout' } })
    expect(await peakMb(sandbox)).toBeLessThan(250)
    await arena.survived(sandbox)
  })

  it('do not end the next run by a second end of their own', async () => {
    const sandbox = await arena.sandbox()
    const twice = `${forge}for _ in range(2_000): forge({"type": "done", "exitCode": 0, "error": None})`
    for (let round = 0; round < 10; round++) {
      await runIn(sandbox, 'python', twice)
      expect(await runIn(sandbox, 'python', 'print(6 * 7)')).toMatchObject({ stdout: '42\n', error: null })
    }
    await arena.survived(sandbox)
  })

  it('do not go on behind closed files of /proc', async () => {
    const sandbox = await arena.sandbox()
    const hide = 'import ctypes\nctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\n'
    const end = 'forge({"type": "done", "exitCode": 0, "error": None})\ntime.sleep(3600)'
    const outcome = await runIn(sandbox, 'python', forge + hide + end, withTimeout(15_000))
    expect(outcome.error).toMatchObject({ kind: 'killed', name: 'NotAtRest' })
    await arena.survived(sandbox)
  })

  it('do not keep the end of a run back by names that are too long to be told', async () => {
    const sandbox = await arena.sandbox()
    const code = `import os
for _ in range(99): os.mkdir("n" * 250); os.chdir("n" * 250)
for i in range(8_000): open(str(i), "w").close()
os.chdir("/work")`
    const outcome = await runIn(sandbox, 'python', code, withTimeout(15_000))
    expect(outcome).toMatchObject({ success: true, error: null })
    expect(outcome.warnings).toEqual([
      'The working folder holds too many files, or closed folders, to list all changes.',
    ])
    await sandbox.close('manual')
  })
})
