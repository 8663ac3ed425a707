import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../sandbox.ts'
import { type Ran, runIn, withTimeout } from '../testing.ts'
import { Arena } from './hostile.testing.ts'

const rights = `
def rights():
    lines = open("/proc/self/status").read().splitlines()
    return [line.split()[1] for line in lines if line.startswith(("CapInh", "CapPrm", "CapEff", "CapAmb", "NoNewPrivs", "Seccomp:"))]`
const none = '0000000000000000'

describe('programs that attack what confines them', () => {
  let arena: Arena
  beforeAll(async () => {
    arena = await Arena.open()
  })
  afterAll(() => arena.close())

  const python = async (sandbox: Sandbox, code: string) => {
    const outcome = await runIn(sandbox, 'python', code, withTimeout(60_000))
    return outcome.error ? `${outcome.error.name}: ${outcome.error.message}` : outcome.stdout.trim()
  }
  const forked = async (sandbox: Sandbox) => {
    const fork = await sandbox.fork?.()
    if (!fork?.ok) throw new Error(fork?.problem.message ?? 'cannot fork')
    return fork.value
  }

  it('cannot import the code of the supervisor, nor read it', async () => {
    const sandbox = await arena.sandbox()
    const attempt = (name: string) => `
try:
    import ${name}
    print("imported")
except ModuleNotFoundError: pass`
    const found = ['countersign', 'countersign.jail', 'countersign.supervisor', 'countersign.launch'].map(attempt)
    expect(await python(sandbox, found.join('\n'))).toBe('')
    // Not into the system's own folders: to go through all of /usr takes longer than a run may on a busy machine.
    const files = `import os
found = []
for at, folders, names in os.walk("/"):
    if at == "/": folders[:] = set(folders) - {"proc", "sys", "usr"}
    found += [os.path.join(at, name) for name in names if name in ("supervisor.py", "jail.py", "start.py", "zygote.py", "kernel.json")]
print(found)`
    expect(await python(sandbox, files)).toBe('[]')
    await arena.survived(sandbox)
  })

  it('find nothing of the supervisor in their own process', async () => {
    const sandbox = await arena.sandbox()
    const code = `
import gc, sys
found = {name for name in sys.modules if "countersign" in name or "cellkernel" in name}
step = sys._getframe()
while step:
    found |= {name for name in step.f_globals.get("__name__", "").split() if name.startswith("countersign")}
    found |= {name for name in step.f_locals if name in ("config", "token", "supervisor", "zygote", "host")}
    step = step.f_back
kinds = [object]
seen = set()
while kinds:
    kind = kinds.pop()
    if kind in seen or kind is type: continue
    seen.add(kind)
    kinds += type.__subclasses__(kind)
found |= {kind.__qualname__ for kind in seen if kind.__module__.startswith("countersign")}
for thing in gc.get_objects():
    if type(thing).__module__.startswith("countersign"): found.add(type(thing).__name__)
    if callable(thing) and str(getattr(thing, "__module__", "")).startswith("countersign"): found.add(str(thing))
    if type(thing) is dict and ("token" in thing and "boxes" in thing or "__name__" in thing and str(thing["__name__"]).startswith("countersign.")): found.add(str(list(thing)[:5]))
print(sorted(found))`
    expect(await python(sandbox, code)).toBe('[]')
    await arena.survived(sandbox)
  })

  it('cannot keep a right in a branch with state by replacing what would drop it', async () => {
    const sandbox = await arena.sandbox()
    await python(
      sandbox,
      `import ctypes, gc, os, sys
${rights}
def nothing(*_, **__): pass
for thing in list(gc.get_objects()):
    if type(thing) is dict and callable(thing.get("drop_capabilities")): thing["drop_capabilities"] = nothing
try:
    import countersign.jail as j
    j.drop_capabilities = nothing
except ImportError: pass`,
    )
    const fork = await forked(sandbox)
    expect(await python(fork, 'print(rights())')).toBe(`['${none}', '${none}', '${none}', '${none}', '1', '2']`)
    const mounts =
      'libc = ctypes.CDLL(None)\nprint(libc.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, None), libc.umount2(b"/proc", 2))'
    expect(await python(fork, mounts)).toBe('-1 -1')
    expect(await python(sandbox, 'print(rights())')).toBe(`['${none}', '${none}', '${none}', '${none}', '1', '2']`)
    await fork.close('manual')
    await sandbox.close('manual')
  })

  it('cannot look into a supervisor while one is made, with a thread that was left running', async () => {
    const sandbox = await arena.sandbox()
    await python(
      sandbox,
      `import os, threading
seen = set()
def watch():
    while True:
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) == os.getpid(): continue
            for fd in range(12):
                try: seen.add(os.readlink(f"/proc/{name}/fd/{fd}"))
                except OSError: pass
threading.Thread(target=watch, daemon=True).start()`,
    )
    const outcome = await runIn(sandbox, 'python', 'x = 1')
    // Long enough for whatever is made ready while a kernel rests.
    await new Promise(resolve => setTimeout(resolve, 1_000))
    await sandbox.fork?.()
    expect(outcome.success || outcome.error?.name).toBeTruthy()
    const seen = await python(sandbox, 'print(sorted(globals().get("seen", ())))')
    expect(seen).toBe('[]')
    await sandbox.close('manual')
  })

  it('cannot stay connected to a branch with state', async () => {
    const sandbox = await arena.sandbox()
    await python(
      sandbox,
      `import array, os, select, socket, stat
a, b = socket.socketpair(); r, w = os.pipe(); folder = os.open("/work", os.O_RDONLY); path = os.open("/tmp", os.O_PATH)
hidden, carrier = socket.socketpair()
carrier.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [b.fileno(), w]))])
poll = select.epoll(); poll.register(a, select.EPOLLIN)
for number in (249, 251, 252): os.dup2(b.fileno(), number)
def held():
    kinds = set()
    for name in os.listdir("/proc/self/fd"):
        try: kinds.add(os.readlink(f"/proc/self/fd/{name}"))
        except OSError: pass
    return kinds
close = os.close
def keep(fd):  # whatever socket it is handed
    if not stat.S_ISSOCK(os.fstat(fd).st_mode): close(fd)
os.close = keep
before = held()`,
    )
    const fork = await forked(sandbox)
    const now = async (which: Sandbox) =>
      (await python(which, 'print(*(held() - {"/dev/null"}), sep="\\n")')).split('\n')
    const theirs = await now(fork)
    expect((await now(sandbox)).filter(each => each && theirs.includes(each))).toEqual([])
    expect(await python(fork, 'print(sorted((held() & before) - {"/dev/null"}))')).toBe('[]')
    const hear = 'a.setblocking(False)\ntry: print(a.recv(9))\nexcept OSError as error: print(type(error).__name__)'
    await python(sandbox, 'b.send(b"from above"); os.write(w, b"from above")')
    expect(await python(fork, hear)).not.toContain('above')
    const hidden =
      'hidden.setblocking(False)\ntry: print(socket.recv_fds(hidden, 9, 9))\nexcept OSError: print("nothing")'
    expect(await python(fork, hidden)).toBe('nothing')
    await fork.close('manual')
    await sandbox.close('manual')
  })

  it('cannot end their original from a branch with state, by a session that it would keep', async () => {
    const sandbox = await arena.sandbox()
    await python(
      sandbox,
      `import ctypes, os, platform, struct
kept = 1
class Filter(ctypes.Structure): _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]
# Whoever asks for a session of its own is told that it has one.
setsid = {"x86_64": 112, "aarch64": 157}[platform.machine()]
code = b"".join(struct.pack("<HBBI", *step) for step in ((0x20, 0, 0, 0), (0x15, 0, 1, setsid), (6, 0, 0, 0x50000), (6, 0, 0, 0x7FFF0000)))
ctypes.CDLL(None).prctl(22, 2, ctypes.byref(Filter(4, code)), 0, 0)`,
    )
    const fork = await forked(sandbox)
    await python(fork, 'os.kill(0, 9)')
    expect(await python(sandbox, 'print(kept)')).toBe('1')
    await fork.close('manual')
    await sandbox.close('manual')
  })

  it.each([
    ['computes for ever', 'while True: pass'],
    ['sleeps and then goes on', 'time.sleep(3600)'],
    ['takes memory', 'hold = []\nwhile True: hold.append(bytearray(1 << 20)); time.sleep(0.001)'],
  ])('cannot end their own run and go on: one that %s', async (_, after) => {
    const sandbox = await arena.sandbox()
    const forge = `import json, os, struct, time
kept = 1
body = json.dumps({"type": "done", "exitCode": 0, "error": None}).encode()
os.write(250, struct.pack("<II", len(body), 0) + body)
${after}`
    const outcome = await runIn(sandbox, 'python', forge, withTimeout(10_000))
    expect(outcome).toMatchObject({ success: false, error: { kind: 'killed', name: 'NotAtRest' } })
    expect((await sandbox.usage()).processes).toBeLessThanOrEqual(1)
    expect(await python(sandbox, 'print("kept" in globals())')).toBe('False')
    await arena.survived(sandbox)
  })

  it('do nothing between two runs: what a run left behind is stopped', async () => {
    const sandbox = await arena.sandbox()
    await python(
      sandbox,
      `import signal, threading, time
longest, last = 0, time.monotonic()
def tick(*_):
    global longest, last
    longest, last = max(longest, time.monotonic() - last), time.monotonic()
signal.signal(signal.SIGALRM, tick); signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
def work():
    while True: tick(); time.sleep(0.005)
threading.Thread(target=work, daemon=True).start()`,
    )
    await python(sandbox, 'longest = 0')
    await new Promise(resolve => setTimeout(resolve, 500))
    // Its clock went on and it did not: otherwise it would have ticked every few milliseconds in between.
    expect(Number(await python(sandbox, 'tick(); print(longest)'))).toBeGreaterThan(0.4)
    await sandbox.close('manual')
  })

  // What a left-over thread counts, before and after half a second in which no run goes on.
  const counted = async (sandbox: Sandbox) => {
    const look = async () =>
      Number((await sandbox.files.read('count').then(read => read.ok && String(read.value))) || 0)
    const before = await look()
    await new Promise(resolve => setTimeout(resolve, 500))
    return (await look()) - before
  }
  const counting = `import os, threading, time
def count():
    with open("count", "w") as file:
        n = 0
        while True:
            n += 1
            file.seek(0); file.write(str(n)); file.flush(); time.sleep(0.001)
threading.Thread(target=count, daemon=True).start()`

  it.each([
    ['a shell wakes', 'bash', 'for at in /proc/[0-9]*; do kill -CONT "${at##*/}"; done 2>/dev/null; true'],
    ['a shell that ends wakes', 'bash', 'kill -CONT -1; exit 3'],
    [
      'another program of a shell wakes all the time',
      'bash',
      'timeout 1 sh -c "while :; do kill -CONT -1; done"; true',
    ],
  ] as const)('do nothing between two runs: not in a kernel that %s', async (_, language, wake) => {
    const sandbox = await arena.sandbox()
    await python(sandbox, counting)
    await runIn(sandbox, language, wake, withTimeout(10_000))
    expect(await counted(sandbox)).toBe(0)
    await sandbox.close('manual')
  })

  it('do nothing between two runs: not by a child whose end wakes its parent', async () => {
    const sandbox = await arena.sandbox()
    await python(
      sandbox,
      `${counting}
import ctypes, platform
libc = ctypes.CDLL(None)
clone = {"x86_64": 56, "aarch64": 220}[platform.machine()]
def spawn():
    while True:
        if libc.syscall(clone, 18, 0, 0, 0, 0) == 0:  # its end is told by SIGCONT
            time.sleep(0.001); os._exit(0)
for _ in range(3): threading.Thread(target=spawn, daemon=True).start()`,
    )
    for (let round = 0; round < 5; round++) {
      await runIn(sandbox, 'python', '1')
      expect(await counted(sandbox)).toBe(0)
    }
    await sandbox.close('manual')
  })

  // A process whose first thread has ended, and that goes on in another one: /proc shows nothing of it by its number.
  const headless = (work: string) => `import ctypes, os, threading, time
def headless(work):
    if os.fork() == 0:
        threading.Thread(target=work).start()
        ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)
${work}`

  it('do nothing between two runs: not in a process whose first thread has ended', async () => {
    const sandbox = await arena.sandbox()
    const count = `def count():
    n = 0
    while True:
        n += 1
        with open("next", "w") as file: file.write(str(n))
        os.rename("next", "count")
headless(count)
while not os.path.exists("count"): time.sleep(0.001)`
    const outcome = await runIn(sandbox, 'python', headless(count), withTimeout(10_000))
    expect(outcome.warnings).toEqual(['1 process(es) that the run left behind were ended.'])
    expect(await counted(sandbox)).toBe(0)
    await arena.survived(sandbox, ['python'])
  })

  it('cannot watch the making of a branch from a process whose first thread has ended', async () => {
    const sandbox = await arena.sandbox()
    const watch = `def watch():
    seen = set()
    while True:
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) == os.getpid(): continue
            for fd in range(12):
                try: seen.add(os.readlink(f"/proc/{name}/fd/{fd}"))
                except OSError: pass
        with open("next", "w") as file: file.write("\\n".join(sorted(seen)))
        os.rename("next", "seen")
headless(watch)
while not os.path.exists("seen"): time.sleep(0.001)`
    await runIn(sandbox, 'python', headless(watch), withTimeout(10_000))
    const fork = await forked(sandbox)
    // In what was seen, the ways into the branch's jail would stand by their kinds.
    expect(await python(sandbox, 'print("user:[" in open("seen").read(), "pid:[" in open("seen").read())')).toBe(
      'False False',
    )
    await fork.close('manual')
    await sandbox.close('manual')
  })

  it('cannot be led to code of their own while a branch is made of them', async ({ skip }) => {
    const sandbox = await arena.sandbox()
    // The kernel waits for its next request in the middle of a restartable sequence: whenever it goes on, the system leads
    // it to the place that is named for an interruption. There it would ask for a copy that nobody holds.
    const said = await python(
      sandbox,
      String.raw`import ctypes, json, mmap, os, struct
libc = ctypes.CDLL(None)
if os.uname().machine != "x86_64" or not hasattr(libc, "__rseq_offset"): raise SystemExit("no sequences here")
thread = ctypes.c_ulong()
libc.syscall(158, 0x1003, ctypes.byref(thread))
area = thread.value + ctypes.c_ssize_t.in_dll(libc, "__rseq_offset").value
code = mmap.mmap(-1, 8192, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
base = ctypes.addressof(ctypes.c_char.from_buffer(code))
body = json.dumps({"type": "done", "exitCode": 0, "error": None}).encode()
frame = struct.pack("<II", len(body), 0) + body
sequence, said, heard = base + 4096, base + 4160, base + 4608
RAX, RCX, RDX, RSI, RDI = 0, 1, 2, 6, 7
load = lambda register, value: bytes([0x48, 0xB8 + register]) + struct.pack("<Q", value)
arm = load(RAX, area + 8) + load(RCX, sequence) + b"\x48\x89\x08"
call = b"\x0f\x05"
end_run = load(RAX, 1) + load(RDI, 250) + load(RSI, said) + load(RDX, len(frame)) + call
peek = load(RAX, 45) + load(RDI, 250) + load(RSI, heard) + load(RDX, 1) + b"\x49\xba" + struct.pack("<Q", 2) + b"\x4d\x31\xc0\x4d\x31\xc9"
program = end_run + arm + peek
start = len(program)
program += call + b"\x90" * 8
length = len(program) - start
program += b"\xeb\xfe" + struct.pack("<I", 0x53053053)
interrupted = len(program)
untraced = b"\x48\x83\xf8\x38\x75\x07\x48\x81\xcf\x00\x00\x80\x00"  # asked for a clone, it adds CLONE_UNTRACED
program += b"\x50\x51" + arm + b"\x59\x58" + untraced
program += b"\xe9" + struct.pack("<i", start - (len(program) + 5))
code[:len(program)] = program
code[4096:4128] = struct.pack("<IIQQQ", 0, 0, base + start, length, base + interrupted)
code[4160:4160 + len(frame)] = frame
ctypes.CFUNCTYPE(None)(base)()`,
    )
    skip(said.includes('no sequences here'), 'an older C library, or another processor')
    const fork = await sandbox.fork?.()
    expect(fork).toMatchObject({ ok: false, problem: { message: 'The kernel did something else.' } })
    await expect.poll(async () => (await sandbox.usage()).processes).toBe(1)
    await sandbox.restart()
    await arena.survived(sandbox)
  })

  it('cannot hide a file behind a name that is no text', async () => {
    const sandbox = await arena.sandbox()
    await python(
      sandbox,
      'import os\nopen(b"caf\\xe9.csv", "w").write("1")\nos.mkdir(b"\\xff"); open(b"\\xff/in", "w").write("2")',
    )
    const listed = await sandbox.files.list()
    expect(listed.ok && listed.value.map(({ path }) => path)).toEqual(['\\xff', 'caf\\xe9.csv'])
    expect(await sandbox.files.read('caf\\xe9.csv')).toMatchObject({ ok: true, value: Buffer.from('1') })
    expect(await sandbox.files.read('\\xff/in')).toMatchObject({ ok: true, value: Buffer.from('2') })
    expect((await sandbox.files.remove('caf\\xe9.csv')).ok).toBe(true)
    await sandbox.close('manual')
  })

  it('cannot set limits of the supervisor, or its place among processes', async () => {
    const sandbox = await arena.sandbox()
    const code = `import os, resource
def attempt(call):
    try: call(); return "done"
    except PermissionError: return "refused"
print(attempt(lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0))), attempt(lambda: resource.prlimit(0, resource.RLIMIT_NOFILE, (100, 100))),
  attempt(lambda: os.sched_setaffinity(1, {0})), attempt(lambda: os.setpriority(os.PRIO_PROCESS, 1, 19)), attempt(lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19)), attempt(lambda: os.nice(1)))`
    expect(await python(sandbox, code)).toBe('refused done refused refused refused done')
    await sandbox.restart()
    await arena.survived(sandbox)
  })
})

describe('programs that fill what nobody counts', () => {
  let arena: Arena
  beforeAll(async () => {
    arena = await Arena.open()
  })
  afterAll(() => arena.close())
  const mb = 1024 * 1024
  const attack = async (code: string, check: (outcome: Ran) => void, limits = {}) => {
    const sandbox = await arena.sandbox({ diskBytes: 64 * mb, ...limits })
    check(await runIn(sandbox, 'python', code, withTimeout(60_000)))
    await arena.survived(sandbox, ['python'])
  }
  const isFull = ({ stdout }: Ran) => expect(stdout).toMatch(/No space left on device\n(6[0-4]|5\d)\n/)

  it('files that are open and have no name', async () => {
    const code = `import os
total = 0
files = []
try:
    while total < 1 << 30:
        fd = os.open(f"gone", os.O_CREAT | os.O_WRONLY); os.unlink("gone"); files.append(fd)
        for _ in range(16): total += os.write(fd, bytes(1 << 20))
except OSError as error: print(error.strerror)
print(total >> 20)`
    await attack(code, isFull)
  })

  it('files below a thousand folders', async () => {
    const code = `import os
for _ in range(1000): os.mkdir("d"); os.chdir("d")
total = 0
try:
    with open("f", "wb", buffering=0) as file:
        while total < 200 << 20: total += file.write(bytes(1 << 20))
except OSError as error: print(error.strerror)
print(total >> 20)
os.chdir("/work")`
    await attack(code, isFull)
  })

  it('names without an end', async () => {
    const code = `import os
made = 0
try:
    for made in range(200_000): os.mkdir(f"{made}") if made % 2 else os.symlink("x", f"{made}")
except OSError as error: print(error.strerror)
print(made < 40_000)`
    await attack(code, ({ stdout }) => expect(stdout).toMatch(/^No space left on device\nTrue\n/))
  })

  it('what waits in sockets', async () => {
    const code = `import os, socket, time
for _ in range(20):
    if os.fork() == 0:
        pairs = []
        for _ in range(240):
            pair = socket.socketpair(); pairs.append(pair)
            for end in pair:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30); end.setblocking(False)
                try:
                    while True: end.send(bytes(1 << 16))
                except BlockingIOError: pass
        time.sleep(60)
time.sleep(60); print("held")`
    const isEnded = ({ stdout, error }: Ran) =>
      expect({ stdout, error }).toMatchObject({ stdout: '', error: { name: 'MemoryLimit' } })
    await attack(code, isEnded, { memoryBytes: 256 * mb })
  })
})
