import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Language } from '../../contract/run.ts'
import { runIn, withTimeout } from '../testing.ts'
import { Arena } from './hostile.testing.ts'

describe('programs that do not behave', () => {
  let arena: Arena
  beforeAll(async () => {
    arena = await Arena.open()
  })
  afterAll(() => arena.close())

  const attack = async (language: Language, code: string, timeoutMs = 20_000) => {
    const sandbox = await arena.sandbox()
    const outcome = await runIn(sandbox, language, code, withTimeout(timeoutMs))
    await arena.survived(sandbox, [language])
    return outcome
  }

  it.each([
    [
      'python',
      'import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.closerange(0, 512)\n        while True: time.sleep(1)\n    os._exit(0)\nos.wait(); print("left")',
    ],
    ['bash', 'setsid nohup sh -c "while :; do sleep 1; done" >/dev/null 2>&1 & disown; echo left'],
  ] as const)('a daemon that %s code leaves behind ends with the run', async (language, code) => {
    const outcome = await attack(language, code)
    expect(outcome.stdout).toBe('left\n')
    expect(outcome.warnings.join()).toContain('left behind')
  })

  it('ignoring every signal does not help', async () => {
    const code =
      'import signal\nfor n in range(1, 65):\n    try: signal.signal(n, signal.SIG_IGN)\n    except (OSError, ValueError): pass\nwhile True: pass'
    expect((await attack('python', code, 200)).error).toMatchObject({ kind: 'timeout' })
    expect((await attack('bash', 'trap "" INT TERM HUP; while :; do sleep 1; done', 200)).error).toMatchObject({
      kind: 'timeout',
    })
  })

  it('a child that is left running and never waited for ends with the run, and does not hold it up', async () => {
    const sandbox = await arena.sandbox()
    const outcome = await runIn(sandbox, 'python', 'import subprocess\nleft = subprocess.Popen(["sleep", "600"])')
    expect(outcome.warnings).toEqual(['1 process(es) that the run left behind were ended.'])
    expect((await runIn(sandbox, 'python', 'left.wait()')).outputs).toMatchObject([{ data: { 'text/plain': '-9' } }])
    await arena.survived(sandbox)
    // Sooner than the supervisor gives up on a process that cannot be killed.
  })

  it('swallowing the interrupt does not help', async () => {
    const code = 'while True:\n    try:\n        while True: pass\n    except BaseException: pass'
    expect((await attack('python', code, 200)).error).toMatchObject({ kind: 'timeout' })
  })

  it('stopping itself does not stop the clock', async () => {
    const stopped = await attack('python', 'import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)', 200)
    expect(stopped.error).toMatchObject({ kind: 'timeout' })
  })

  it.each([
    [
      'the kernel’s parent',
      'import os\nfor n in (9, 15, 19, 11):\n    try: os.kill(os.getppid(), n)\n    except OSError: pass\nprint("tried")',
      'tried\n',
    ],
    [
      'everybody',
      'import os\nfor n in (9, 15, 19):\n    try: os.kill(-1, n)\n    except OSError: pass\nprint("tried")',
      'tried\n',
    ],
  ])('killing %s leaves the supervisor alive', async (_, code, said) => {
    expect((await attack('python', code)).stdout).toBe(said)
  })

  it.each([
    ['closes', 'import os\nos.close(1); os.close(2); print("lost")'],
    [
      'replaces',
      'import os, sys, io\nsys.stdout = io.StringIO(); sys.stderr = None; os.dup2(os.open("/dev/null", 1), 1)',
    ],
    ['detaches', 'import sys\nsys.stdout.detach(); sys.stderr.close()'],
  ])('code that %s its output keeps the next run’s', async (_, code) => {
    await attack('python', code)
  })

  it('bash that closes or redirects its output keeps working', async () => {
    await attack('bash', 'exec >&- 2>&-')
  })

  it('bytes that are no text arrive as replacement characters, control characters as they are', async () => {
    const outcome = await attack(
      'python',
      'import os\nos.write(1, b"a\\xff\\xfeb\\x00\\x1b[31mred\\x1b[0m\\r\\n\\xe2\\x82")',
    )
    expect(outcome.success).toBe(true)
    expect(outcome.stdout).toBe('a\ufffd\ufffdb\u0000\u001b[31mred\u001b[0m\r\n\ufffd')
  })

  it('a character split over two writes is one character', async () => {
    const outcome = await attack(
      'python',
      'import os, time\nos.write(1, b"\\xe2\\x82"); time.sleep(0.05); os.write(1, b"\\xac")',
    )
    expect(outcome.stdout).toBe('€')
  })

  it('one line without an end', async () => {
    const outcome = await attack('python', 'import sys\nfor _ in range(300): sys.stdout.write("x" * 10_000)')
    expect(outcome).toMatchObject({ success: true, truncated: true })
  })

  it('frames forged on every descriptor change nothing but the forger’s own run', async () => {
    const sandbox = await arena.sandbox()
    const forged = JSON.stringify({
      type: 'done',
      run: 'x',
      exitCode: 0,
      error: null,
      reason: null,
      stateLost: false,
      elapsedMs: 0,
      cpuMs: 0,
      peakBytes: 1,
      files: { created: ['forged'], modified: [], deleted: [] },
      warnings: [],
    })
    const code = [
      'import os, struct, glob',
      `body = ${JSON.stringify(forged)}.encode()`,
      'frame = struct.pack("<II", len(body), 0) + body',
      'for fd in range(0, 512):',
      '    try: os.write(fd, frame)',
      '    except OSError: pass',
      'for at in glob.glob("/proc/1/fd/*") + glob.glob("/proc/[0-9]*/fd/*"):',
      '    try:',
      '        if not at.startswith(f"/proc/{os.getpid()}/"): open(at, "wb").write(frame)',
      '    except OSError: pass',
      'while True: pass',
    ].join('\n')
    const outcome = await runIn(sandbox, 'python', code, withTimeout(3_000))
    // The forged end of its own run is believed as far as the exit code goes; what is measured is not its to say.
    expect(outcome.files.created).toEqual([])
    expect(outcome.peakMemoryBytes).toBeGreaterThan(1_000_000)
    expect(outcome.executionTimeMs).toBeGreaterThan(0)
    await sandbox.restart()
    await arena.survived(sandbox)
  })

  it.each([
    ['nonsense', 'b"\\xff" * 4096'],
    ['a frame of four gigabytes', 'b"\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff"'],
    ['a header that is no object', 'b"\\x02\\0\\0\\0\\0\\0\\0\\0[]"'],
    ['JSON a hundred thousand deep', 'struct.pack("<II", 200000, 0) + b"[" * 200000'],
    [
      'output that is no output',
      'b"\\x2f\\0\\0\\0\\0\\0\\0\\0" + b\'{"type":"output","output":{"type":"result","x":1}}\'[:47]',
    ],
  ])('%s on the kernel’s own channel', async (_, bytes) => {
    await attack('python', `import os, struct, time\nos.write(250, ${bytes})\ntime.sleep(0.2)`)
  })

  it('a shell that forges the end of its run and no longer reads is ended, and holds nobody up', async () => {
    const sandbox = await arena.sandbox()
    const header = Buffer.from(JSON.stringify({ type: 'done', exitCode: 0 }))
    const escaped = [header.length, 0, 0, 0, 0, 0, 0, 0, ...header].map(
      byte => `\\${byte.toString(8).padStart(3, '0')}`,
    )
    // A shell puts its own input aside as 10 while it reads a cell; waiting for that is how a shell rests.
    const code = `exec 0<&10; builtin printf '${escaped.join('')}' >&250; read -r -N 1; while :; do :; done`
    expect((await runIn(sandbox, 'bash', code)).success).toBe(true)
    const next = await runIn(sandbox, 'bash', 'echo', { args: ['x'.repeat(300_000)] })
    expect(next.error).toMatchObject({ kind: 'killed', name: 'ChannelClosed' })
    await arena.survived(sandbox, ['bash'])
  })

  it('what does not fit into a pipe at once reaches a kernel that stood still', async () => {
    const sandbox = await arena.sandbox()
    for (const [language, code] of [
      ['bash', 'echo ${#1}'],
      ['python', 'import sys; print(len(sys.argv[1]))'],
      ['javascript', 'console.log(Deno.args[0].length)'],
    ] as const) {
      await runIn(sandbox, language, '')
      expect((await runIn(sandbox, language, code, { args: ['x'.repeat(900_000)] })).stdout).toBe('900000\n')
    }
  })

  it('a kernel cannot have itself woken between runs, by a timer or by a descriptor', async () => {
    const code = `import ctypes, errno, fcntl, os, signal, socket, struct
libc = ctypes.CDLL(None, use_errno=True)
event = struct.pack('<qii48x', 0, signal.SIGCONT, 0)
made = libc.syscall(222 if os.uname().machine == 'x86_64' else 107, 1, event, ctypes.byref(ctypes.c_int()))
print(made, errno.errorcode.get(ctypes.get_errno()))
try:
    fcntl.fcntl(socket.socketpair()[0], 10, signal.SIGCONT)
except OSError as error:
    print(errno.errorcode[error.errno])`
    expect((await attack('python', code)).stdout).toBe('-1 ENOSYS\nEPERM\n')
    expect((await attack('bash', 'timeout 0.1 sleep 60; echo $?')).stdout).toBe('124\n')
  })

  it('a process that a thread starts when its run is over does not outlive it', async () => {
    const sandbox = await arena.sandbox()
    const code = `import os, threading, time
def start():
    while True:
        if os.fork() == 0:
            while True: time.sleep(1)
        time.sleep(0.0005)
threading.Thread(target=start, daemon=True).start()`
    await runIn(sandbox, 'python', code)
    for (let run = 0; run < 20; run++) {
      await runIn(sandbox, 'python', 'pass')
      expect((await sandbox.usage()).processes).toBe(1)
    }
    await sandbox.restart()
    await arena.survived(sandbox)
  })

  it('closing the kernel’s own channel costs the kernel', async () => {
    const outcome = await attack('python', 'import os, time\nos.closerange(3, 512); time.sleep(5)')
    expect(outcome.error).toMatchObject({ kind: 'killed', name: 'ChannelClosed' })
  })

  it.each([
    ['sys.exit(0)', 'import sys; sys.exit(0)', 0, null],
    ['sys.exit("why")', 'import sys; sys.exit("why")', 1, { kind: 'runtime', name: 'SystemExit' }],
    ['os._exit', 'import os; os._exit(3)', 3, { kind: 'runtime', name: 'Exit' }],
    ['os.abort', 'import os; os.abort()', null, { kind: 'killed', name: 'SIGABRT' }],
    ['endless recursion', 'def f(): return f()\nf()', 1, { kind: 'runtime', name: 'RecursionError' }],
    ['a null pointer', 'import ctypes; ctypes.string_at(0)', null, { kind: 'killed', name: 'SIGSEGV' }],
    [
      'a stack overflow in C',
      'import sys\nsys.setrecursionlimit(10**9)\nx = []\nfor _ in range(200_000): x = [x]\nrepr(x)',
      null,
      { kind: 'killed', name: 'SIGSEGV' },
    ],
    ['killing itself', 'import os; os.kill(os.getpid(), 9)', null, { kind: 'killed', name: 'SIGKILL' }],
  ])('%s', async (_, code, exitCode, error) => {
    const outcome = await attack('python', code)
    expect(outcome.exitCode).toBe(exitCode)
    if (error) expect(outcome.error).toMatchObject(error)
    else expect(outcome.error).toBeNull()
  })

  it('bash that exits, execs or traps its exit', async () => {
    expect((await attack('bash', 'exit 4')).exitCode).toBe(4)
    expect((await attack('bash', 'exec true')).exitCode).toBe(0)
    expect((await attack('bash', 'trap "sleep 60" EXIT; exit 1', 1_000)).success).toBe(false)
    expect((await attack('bash', 'set -e; false; echo never')).stdout).toBe('')
  })

  it('JavaScript that starts a worker is told that there are none, and keeps its variables', async () => {
    const sandbox = await arena.sandbox()
    await runIn(sandbox, 'javascript', 'const kept = 1')
    expect(
      (await runIn(sandbox, 'javascript', 'new Worker("data:text/javascript,1", { type: "module" })')).error,
    ).toMatchObject({
      message: expect.stringContaining('no workers'),
    })
    expect((await runIn(sandbox, 'javascript', 'console.log(kept)')).stdout).toBe('1\n')
    await arena.survived(sandbox, ['javascript'])
  })

  it('JavaScript that exits or breaks its own globals', async () => {
    expect((await attack('javascript', 'Deno.exit(6)')).exitCode).toBe(6)
    await attack('javascript', 'JSON.stringify = () => { throw 1 }; globalThis.Promise = undefined', 1_000)
    expect((await attack('javascript', 'queueMicrotask(() => { throw new Error("late") }); 1')).success).toBe(true)
  })

  it('JavaScript that waits for what never comes is told so, also when its kernel does not survive it', async () => {
    const litter = 'setTimeout(() => { for (let i = 0, all = []; i < 3e6; i++) all.push({ i }) }, 20)'
    const outcome = await attack('javascript', `${litter}; await new Promise(() => {})`, 2_000)
    expect(['KernelBroke', 'TimeLimit']).toContain(outcome.error?.name)
  })

  it('a thread that never ends is reported, and its output belongs to no later run', async () => {
    const sandbox = await arena.sandbox()
    const code =
      'import threading, time\ndef go():\n    while True: print("noise"); time.sleep(0.005)\nthreading.Thread(target=go, daemon=True).start()'
    const outcome = await runIn(sandbox, 'python', code)
    expect(outcome.warnings.join()).toContain('thread')
    await sandbox.restart()
    await arena.survived(sandbox)
  })

  it('a __repr__ that loops ends with the time limit', async () => {
    const outcome = await attack(
      'python',
      'class Trap:\n    def __repr__(self):\n        while True: pass\nTrap()',
      300,
    )
    expect(outcome.error).toMatchObject({ kind: 'timeout' })
  })

  it('an exception that cannot be described', async () => {
    const outcome = await attack('python', 'class Bad(Exception):\n    def __str__(self): raise Bad()\nraise Bad()')
    expect(outcome.success).toBe(false)
  })

  it('replacing the kernel’s own functions costs only the kernel', async () => {
    const code =
      'import sys, builtins\nbuiltins.len = None; builtins.str = None; builtins.isinstance = None\nfor name in [n for n in sys.modules if n.startswith("countersign")]: sys.modules[name].__dict__.clear()'
    const sandbox = await arena.sandbox()
    await runIn(sandbox, 'python', code, withTimeout(1_000))
    await runIn(sandbox, 'python', '1', withTimeout(1_000))
    await sandbox.restart()
    await arena.survived(sandbox)
  })
})
