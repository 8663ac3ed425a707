import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Limits, maxCodeBytes } from '../../contract/run.ts'
import { clearedRun, runIn, withTimeout } from '../testing.ts'
import { Arena } from './hostile.testing.ts'

const mb = 1024 * 1024
const never = new AbortController().signal

describe('programs that take too much', () => {
  let arena: Arena
  beforeAll(async () => {
    arena = await Arena.open()
  })
  afterAll(() => arena.close())

  /** Ended long before its time. */
  const isEndedForMemory = async (code: string, limits: Partial<Limits> = {}) => {
    const sandbox = await arena.sandbox({ memoryBytes: 256 * mb, ...limits })
    const outcome = await runIn(sandbox, 'python', code, withTimeout(60_000))
    expect({ ...outcome.error }).toMatchObject({ kind: 'memory', name: 'MemoryLimit' })
    await arena.survived(sandbox)
  }

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

  it.each([
    ['names', 'for n in range(10**6): os.mkdir(f"n{n}")'],
    ['names in a folder that was there', 'for n in range(10**6): os.mkdir(f"old/n{n}")'],
    ['folders in folders', 'for n in range(10**6): os.mkdir("d"); os.chdir("d")'],
    ['bytes', 'for n in range(10**6): open(f"b{n}", "wb").write(b"x" * 1_000_000)'],
  ])('filling the disk with %s and not ending: its space is given back as well', async (_, fill) => {
    const sandbox = await arena.sandbox({ diskBytes: 32 * mb })
    await runIn(sandbox, 'python', 'import os; os.mkdir("old"); open("old/mine.txt", "w").write("kept")')
    const code = `import os\ntry:\n    ${fill}\nexcept OSError: print("full", flush=True)\nwhile True: pass`
    const full = Promise.withResolvers<void>()
    const going = sandbox.run(clearedRun('python', code, withTimeout(60_000)), () => full.resolve(), never)
    await full.promise
    await sandbox.interrupt()
    expect((await going).warnings).toContain('The run filled the disk; the files it made were removed.')
    expect((await sandbox.usage()).diskBytes).toBeLessThan(mb)
    expect(await sandbox.files.list('old')).toMatchObject({ ok: true, value: [{ path: 'old/mine.txt' }] })
    await arena.survived(sandbox, ['python', 'javascript', 'bash'])
  })

  it('a disk that is full already: nobody is blamed, and a kernel that cannot start for it says so', async () => {
    const sandbox = await arena.sandbox()
    const nearly = 'import os\nfor n in range(os.statvfs(".").f_ffree - 5): os.mkdir(f"n{n}")'
    expect(await runIn(sandbox, 'python', nearly)).toMatchObject({ success: true })
    let written = 0
    while ((await sandbox.files.write(`${written}`, Buffer.from('mine'))).ok) written++
    expect(written).toBe(5)
    expect(await runIn(sandbox, 'python', 'print(6 * 7)')).toMatchObject({ success: true, stdout: '42\n' })
    const refused = await runIn(sandbox, 'javascript', '1')
    expect(refused.error).toMatchObject({
      name: 'KernelNotStarted',
      message: 'The kernel could not be started: the disk of the sandbox is full.',
    })
    expect(refused.warnings).toEqual([])
    expect((await sandbox.complete('javascript', 'con', 3)).ok).toBe(false)
    await runIn(sandbox, 'bash', 'rm -r ./*')
    await arena.survived(sandbox, ['javascript', 'python'])
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
  })

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

  it('memory that is shared and given back, which would count for nobody', async () => {
    const sandbox = await arena.sandbox()
    for (const file of ['-1', 'os.open("/dev/zero", os.O_RDWR)']) {
      const outcome = await runIn(sandbox, 'python', `import mmap, os\nmmap.mmap(${file}, 1 << 20)`)
      expect(outcome.error).toMatchObject({ kind: 'runtime' })
    }
    const usual =
      'import mmap\nopen("f", "wb").write(bytes(4096))\nf = open("f", "r+b")\nmmap.mmap(f.fileno(), 4096)[0] = 1\nprint(open("/dev/zero", "rb").read(3), len(mmap.mmap(-1, 4096, mmap.MAP_PRIVATE)))'
    expect(await runIn(sandbox, 'python', usual)).toMatchObject({ stdout: "b'\\x00\\x00\\x00' 4096\n" })
    await arena.survived(sandbox)
  })

  it('the tables of pages that are only read', async () => {
    const sandbox = await arena.sandbox({ memoryBytes: 256 * mb })
    const outcome = await runIn(
      sandbox,
      'python',
      'import ctypes\nlibc = ctypes.CDLL(None)\nlibc.mmap.restype, libc.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]\nat = libc.mmap(None, 1 << 40, 1, 0x4022, -1, 0)\nfor n in range(0, 1 << 40, 1 << 21): ctypes.string_at(at + n, 1)',
      { limits: Limits.parse({ timeoutMs: 60_000, memoryBytes: 256 * mb }) },
    )
    expect(outcome.error).toMatchObject({ kind: 'memory' })
    await arena.survived(sandbox)
  })

  it('memory of processes whose first thread has ended', async () => {
    const code = `import ctypes, os, threading, time
def hold():
    while ") Z" not in open(f"/proc/{os.getpid()}/stat").read(): time.sleep(0.001)
    held = bytearray(80_000_000); time.sleep(60)
for _ in range(6):
    if os.fork() == 0:
        threading.Thread(target=hold).start()
        ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)
time.sleep(60)`
    await isEndedForMemory(code)
  })

  const connections = (listening: string, address: string) => `import socket, time
${listening}
held = 0
for _ in range(2_000):
    one = socket.socket(server.family); one.setblocking(False)
    try: one.connect(${address})
    except BlockingIOError: pass
    try:
        while True: held += one.send(bytes(1 << 16))
    except OSError: pass
    one.close()
time.sleep(60)`

  it.each([
    [
      'nobody has accepted',
      connections('server = socket.socket(socket.AF_UNIX); server.bind("s"); server.listen(4096)', '"s"'),
    ],
    [
      'nobody has accepted, of TCP',
      connections(
        'server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen(4096)',
        'server.getsockname()',
      ),
    ],
    [
      'are under way in messages',
      `import array, socket, time
way = socket.socketpair()[0]
pairs = [socket.socketpair() for _ in range(2)]
for _ in range(1_000):
    a, b = socket.socketpair(); a.setblocking(False)
    try:
        while True: a.send(bytes(1 << 16))
    except BlockingIOError: pass
    try: pairs[0][0].sendmsg([b"."], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [a.fileno(), b.fileno()]))])
    except OSError: break
    a.close(); b.close()
time.sleep(60)`,
    ],
  ])('what waits in sockets that %s', async (_, code) => isEndedForMemory(code, { memoryBytes: 96 * mb }))

  it('what waits in connections, of which one would take megabytes by itself', async () => {
    const sandbox = await arena.sandbox()
    const code = 'for kind in "rw": print(open(f"/proc/sys/net/ipv4/tcp_{kind}mem").read().split()[2])'
    const bounded = { stdout: '524288\n524288\n' }
    expect(await runIn(sandbox, 'python', code)).toMatchObject(bounded)
    // A branch has a network of its own, and so has its original from then on.
    const fork = await sandbox.fork?.()
    if (!fork?.ok) throw new Error(fork?.problem.message)
    for (const each of [sandbox, fork.value]) expect(await runIn(each, 'python', code)).toMatchObject(bounded)
    await fork.value.close('manual')
    await sandbox.close('manual')
  })

  it('descriptors in a table of a thread of its own', async () => {
    const sandbox = await arena.sandbox()
    const code = `import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall(436, 1000, 1001, 2), ctypes.get_errno())
clone = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
print(libc.syscall(clone, 0x10000 | 0x800 | 0x100, 0, 0, 0, 0), ctypes.get_errno())
os.closerange(1000, 1010)`
    expect((await runIn(sandbox, 'python', code)).stdout).toBe('-1 1\n-1 1\n')
    await arena.survived(sandbox)
  })

  it('watches of descriptors, which count for the user of the machine as well', async () => {
    const code = `import os, select, time
pipes = [end for _ in range(20) for end in os.pipe()]
lists = [select.epoll() for _ in range(20)]
for number in range(200, 500):
    for pipe in pipes:
        os.dup2(pipe, number)
        for each in lists: each.register(number, 0)
    os.close(number)
time.sleep(60)`
    await isEndedForMemory(code)
  })

  const locking = (command: number) => `import fcntl, os, struct, tempfile, time
for n in range(300):
    file = os.open(tempfile.mktemp(), os.O_RDWR | os.O_CREAT)
    for at in range(100, 0, -1): fcntl.fcntl(file, ${command}, struct.pack("hhqqi", fcntl.F_WRLCK, 0, at * 4, 1, 0))
`

  it('locks of parts of files', async () => {
    await isEndedForMemory(`${locking(6)}time.sleep(60)`)
  })

  it('locks that belong to no process, which it cannot have, and those of other programs, which are not its own', async () => {
    const sandbox = await arena.sandbox()
    expect((await runIn(sandbox, 'python', locking(37))).error?.name).toBe('PermissionError')
    const folder = mkdtempSync(join(tmpdir(), 'locks-'))
    const other = spawn('python3', ['-c', `${locking(37)}print("held", flush=True)\ntime.sleep(600)`], {
      ...{ env: { ...process.env, TMPDIR: folder }, stdio: ['ignore', 'pipe', 'inherit'] },
    })
    try {
      await once(other.stdout, 'data')
      // Long enough to be looked at.
      expect(await runIn(sandbox, 'python', 'import time\ntime.sleep(1)')).toMatchObject({ error: null })
    } finally {
      other.kill()
      rmSync(folder, { recursive: true })
    }
    await arena.survived(sandbox)
  })

  it('pipes, whose room all programs of the user share', async () => {
    const code = `import os, time
for _ in range(3):
    if os.fork() == 0:
        held = [os.pipe() for _ in range(120)]; time.sleep(60)
time.sleep(60)`
    await isEndedForMemory(code)
    const sandbox = await arena.sandbox()
    const larger =
      'import fcntl, os\ntry: fcntl.fcntl(os.pipe()[1], 1031, 1 << 20); print("larger")\nexcept PermissionError: print("refused")'
    expect((await runIn(sandbox, 'python', larger)).stdout).toBe('refused\n')
    await arena.survived(sandbox)
  })

  it('what the whole machine has one of, or keeps for nobody', async () => {
    const sandbox = await arena.sandbox()
    const code = `import ctypes, errno, mmap, os, resource, socket, struct
libc = ctypes.CDLL(None, use_errno=True)
number = lambda x86, arm: x86 if os.uname().machine == "x86_64" else arm
def refused(name, call):
    ctypes.set_errno(0)
    try: got = call()
    except OSError as error: got, said = -1, error.errno
    else: said = ctypes.get_errno()
    print(name, errno.errorcode.get(said, said) if got == -1 else "done")
entry = lambda tag, of=0xFFFFFFFF: struct.pack("<HHI", tag, 7, of)
table = struct.pack("<I", 2) + entry(1) + entry(2, os.getuid()) * 8000 + entry(4) + entry(16) + entry(32)
open("f", "w").close()
refused("access lists of 64 KB for each file", lambda: os.setxattr("f", "system.posix_acl_access", table))
refused("requests to disks, of which a machine has 65,536", lambda: libc.syscall(number(206, 0), 100, ctypes.byref(ctypes.c_ulong())))
refused("rules of its own for its files", lambda: libc.syscall(444, struct.pack("<QQQ", 1, 0, 0), 8, 0))
refused("huge pages", lambda: mmap.mmap(-1, 1 << 21, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000))
refused("writing all disks of the machine", lambda: libc.syncfs(os.open("/usr", os.O_RDONLY)))
refused("a core of its own", lambda: libc.prctl(62, 1, 0, 0, 0))
refused("a protocol that has to be loaded", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
print("dumps", resource.getrlimit(resource.RLIMIT_CORE))`
    expect((await runIn(sandbox, 'python', code)).stdout.split('\n')).toEqual([
      'access lists of 64 KB for each file ENOTSUP',
      'requests to disks, of which a machine has 65,536 ENOSYS',
      'rules of its own for its files ENOSYS',
      'huge pages EPERM',
      'writing all disks of the machine EPERM',
      'a core of its own EPERM',
      'a protocol that has to be loaded EPROTONOSUPPORT',
      // The one size with which a crash starts no program of the machine.
      'dumps (1, 1)',
      '',
    ])
    await arena.survived(sandbox)
  })

  it('memory in each of its languages, which have the sandbox in common', async () => {
    const sandbox = await arena.sandbox({ memoryBytes: 400 * mb })
    expect(await runIn(sandbox, 'python', 'held = bytearray(250_000_000)')).toMatchObject({ success: true })
    const more = await runIn(sandbox, 'bash', 'head -c 200000000 /dev/zero | tail; sleep 60', withTimeout(60_000))
    expect(more.error).toMatchObject({ kind: 'memory', name: 'MemoryLimit' })
    expect(more.warnings).toEqual([
      expect.stringMatching(/^2\d\d MB of that are held by kernels of other languages\.$/),
    ])
    expect((await runIn(sandbox, 'python', 'print(len(held))')).stdout).toBe('250000000\n')
    await arena.survived(sandbox)
  })

  it('watches of files, which count for the user of the machine as well', async () => {
    const sandbox = await arena.sandbox()
    const take =
      'import ctypes\nlibc = ctypes.CDLL(None)\nmade = 0\nwhile made < 100 and libc.inotify_init1(0) >= 0: made += 1\nprint(made)'
    expect(Number((await runIn(sandbox, 'python', take)).stdout)).toBeLessThanOrEqual(8)
    await arena.survived(sandbox)
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
