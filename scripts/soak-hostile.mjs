// Runs hostile programs in random order, in several sandboxes side by side, with forks in between, for some minutes.
//
//   node scripts/soak-hostile.mjs [MINUTES, default 30] [SEED]
//
// Prints one JSON line. Exits with 1 when anything was left running or on disk, a canary of the host was touched, a canary
// of another path was read, or a sandbox did not answer afterwards.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { numbersOf } from './numbers.mjs'
import { ensureNode24, ensurePackages } from './ready.mjs'

const help = 'node scripts/soak-hostile.mjs [MINUTES] [SEED]   for how long (30), and in which order\n'
const [minutes, seed] = numbersOf(help, 30, Date.now() % 1_000_000)
ensurePackages()
await ensureNode24(process.argv[1], process.argv.slice(2))
const { systemClock } = await import('../src/clock.ts')
const { Limits } = await import('../src/contract/run.ts')
const { localProvider } = await import('../src/sandbox/local/local.ts')
const { runIn, testIds } = await import('../src/sandbox/testing.ts')

const sideBySide = 4
const mb = 1024 * 1024
const random = generator(seed)
const pick = list => list[Math.floor(random() * list.length)]

/**
 * Each prints what it got, if anything; `SECRET` is what no program may ever print. None holds that word as it is printed: the
 * traceback of a program that fails shows its source.
 */
const programs = {
  readCanaries: canaries => `import os
for at in ${JSON.stringify(canaries)} + ["/etc/shadow", "/proc/1/environ", "/proc/1/mem", "/proc/1/root/etc/passwd", "/.private/work/canary", "/old/boxes"]:
    try: print(open(at).read())
    except (OSError, UnicodeDecodeError): pass`,
  writeCanaries: canaries => `import os, shutil
for at in ${JSON.stringify(canaries)}:
    for attempt in (lambda: open(at, "w").write("touched"), lambda: os.unlink(at), lambda: shutil.rmtree(os.path.dirname(at))):
        try: attempt()
        except OSError: pass
    try: os.symlink(os.path.dirname(at), f"link-{os.urandom(4).hex()}")
    except OSError: pass`,
  searchEverywhere: () =>
    `import os
for at, _, names in os.walk("/proc"):
    for name in names:
        if name in ("kmsg", "kcore") or "/task/" in at: continue
        try:
            fd = os.open(os.path.join(at, name), os.O_RDONLY | os.O_NONBLOCK)
            data = os.read(fd, 65536); os.close(fd)
            if b"SEC" b"RET-OF" in data and b"SEC" b"RET-OF-" + MINE not in data: print(data)
        except OSError: pass`.replace('MINE', 'globals().get("mine", "none").encode()'),
  forge: () => `import json, os, struct
for fd in range(3, 260):
    for header in ({"type": "done", "exitCode": 0}, {"type": "reply", "n": 1, "ok": True}, {"type": "forked"}, {"type": "answer", "n": 1, "value": "x"}):
        body = json.dumps(header).encode()
        try: os.write(fd, struct.pack("<II", len(body), 0) + body)
        except OSError: pass
while True: pass`,
  watchWithThread: () => `import os, threading
def watch():
    while True:
        for name in os.listdir("/proc"):
            for fd in range(16):
                try:
                    target = os.readlink(f"/proc/{name}/fd/{fd}")
                    # Other kernels of the same path are user code as well, and carry the filter; a supervisor does not.
                    if name.isdigit() and "Seccomp:\\t0" in open(f"/proc/{name}/status").read(): print("SEC" + "RET descriptor", name, target)
                except OSError: pass
threading.Thread(target=watch, daemon=True).start()`,
  // Goes on in another thread when the first has ended, and looks for ways into a branch while that is made.
  watchWithoutHead: () => `import ctypes, os, threading
try: print(*("SEC" + "RET way " + each for each in open("/tmp/ways").read().split() if each.startswith(("user:", "pid:"))))
except OSError: pass
def watch():
    seen = set()
    while True:
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) == os.getpid(): continue
            for fd in range(16):
                try: seen.add(os.readlink(f"/proc/{name}/fd/{fd}"))
                except OSError: pass
        try:
            with open("/tmp/next", "w") as file: file.write(" ".join(seen))
            os.rename("/tmp/next", "/tmp/ways")
        except OSError: pass
if os.fork() == 0:
    threading.Thread(target=watch).start()
    ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)`,
  replaceEverything: () => `import gc, os, sys
def nothing(*_, **__): return 0
for thing in list(gc.get_objects()):
    if type(thing) is dict and "__name__" in thing and str(thing["__name__"]).startswith(("countersign", "_cell")):
        for name in list(thing):
            if callable(thing[name]) and name not in ("Kernel",): thing[name] = nothing`,
  takeRights: () => `import ctypes
libc = ctypes.CDLL(None)
if 0 in (libc.mount(b"t", b"/tmp", b"tmpfs", 0, None), libc.unshare(0x10000000), libc.setuid(0), libc.ptrace(16, 1, 0, 0), libc.chroot(b"/tmp")): print("SEC" + "RET right")
if int([line.split()[1] for line in open("/proc/self/status") if line.startswith("CapEff")][0], 16): print("SEC" + "RET capability")`,
  memory: () => 'x = []\nwhile True: x.append(bytearray(1 << 24))',
  bomb: () => 'import os\nwhile True:\n    try: os.fork()\n    except OSError: pass',
  daemon: () =>
    'import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        while True: time.sleep(1)\n    os._exit(0)',
  unlinked: () =>
    'import os\nfds = []\nwhile True:\n    fd = os.open("u", os.O_CREAT | os.O_WRONLY); os.unlink("u"); fds.append(fd); os.write(fd, bytes(1 << 22))',
  deep: () => 'import os\nfor _ in range(2000): os.mkdir("d"); os.chdir("d")\nopen("f", "wb").write(bytes(1 << 28))',
  names: () => 'import os\nfor i in range(10**6): os.mkdir(str(i))',
  sockets: () =>
    'import socket\np = []\nfor _ in range(250):\n    a, b = socket.socketpair(); p.append((a, b)); a.setblocking(False)\n    try:\n        while True: a.send(bytes(65536))\n    except BlockingIOError: pass',
  unaccepted: () =>
    'import os, socket\nserver = socket.socket(socket.AF_UNIX); server.bind("\\0" + os.urandom(8).hex()); server.listen(4096)\nwhile True:\n    one = socket.socket(socket.AF_UNIX); one.setblocking(False)\n    try:\n        one.connect(server.getsockname())\n        while True: one.send(bytes(65536))\n    except OSError: pass\n    one.close()',
  watches: () =>
    'import os, select\npipes = [end for _ in range(20) for end in os.pipe()]\nlists = [select.epoll() for _ in range(20)]\nfor number in range(200, 500):\n    for pipe in pipes:\n        os.dup2(pipe, number)\n        for each in lists: each.register(number, 0)\n    os.close(number)',
  killAll: () => 'import os\nos.kill(-1, 9)',
  limits: () =>
    'import os, resource\nfor call in (lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0)), lambda: os.sched_setaffinity(1, {0}), lambda: os.kill(1, 9), lambda: os.kill(1, 19)):\n    try: call()\n    except OSError: pass',
  exit: () => 'import os; os._exit(3)',
  closeAll: () => 'import os; os.closerange(0, 512)',
  output: () => 'while True: print("x" * 10000)',
}
const shell = {
  bashBomb: () => ':(){ :|:& };:; wait',
  bashFill: () => 'dd if=/dev/zero of=fill bs=1M count=5000 2>/dev/null; yes > more',
  bashDaemon: () => '(setsid sleep 1000 &) ; nohup sleep 1000 & echo',
  bashForge: () =>
    'for i in {3..255}; do printf "\\6\\0\\0\\0\\0\\0\\0\\0{\\"a\\":1}" >&$i; done 2>/dev/null; while :; do :; done',
}

const home = mkdtempSync(join(tmpdir(), 'countersign-soak-'))
const canaryFolder = join(homedir(), `.countersign-canary-${process.pid}`)
mkdirSync(canaryFolder)
const canaries = [join(canaryFolder, 'canary'), join(home, 'canary')]
for (const at of canaries) writeFileSync(at, 'SECRET-OF-HOST')
const provider = localProvider({ home, clock: systemClock, ids: testIds })
const counts = { runs: 0, forks: 0, refusedForks: 0, restarts: 0, sandboxes: 0, byProgram: {}, byEnd: {} }
const failures = []
const end = Date.now() + minutes * 60_000
const never = new AbortController().signal
const limits = Limits.parse({ memoryBytes: 256 * mb, diskBytes: 48 * mb, fileBytes: 32 * mb, processes: 32 })

await control()
await Promise.all(Array.from({ length: sideBySide }, (_, path) => attack(path)))
await provider.close()

if (canaries.some(at => readFileSync(at, 'utf8') !== 'SECRET-OF-HOST'))
  failures.push('a canary of the host was touched')
const running = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  .split('\n')
  .filter(line => Number(line.trim().split(/\s+/)[1]) === process.pid && /start\.py|bwrap/.test(line))
if (running.length > 0) failures.push(`left running: ${running.join('; ')}`)
const left = readdirSync(home).filter(name => name !== 'canary' && name !== 'outputs')
if (left.length > 0) failures.push(`left on disk: ${left.join(', ')}`)
rmSync(home, { recursive: true })
rmSync(canaryFolder, { recursive: true })
console.log(JSON.stringify({ soak: 'hostile', seed, minutes, sideBySide, ...counts, failures }))
process.exit(failures.length > 0 ? 1 : 0)

/** One path after the other: a canary of its own, some programs, forks in between, and an honest run after each. */
async function attack(path) {
  for (let round = 0; Date.now() < end; round++) {
    const opened = await provider.open({ limits }, never)
    if (!opened.ok) {
      failures.push(`did not open: ${opened.problem.message}`)
      return
    }
    counts.sandboxes++
    const family = [opened.value]
    const mine = `${path}-${round}`
    await runIn(opened.value, 'python', `mine = "${mine}"\nopen("canary", "w").write("SECRET-OF-${mine}")`)
    for (let step = 0; step < 8 && Date.now() < end; step++) {
      const sandbox = pick(family)
      await once(sandbox, mine)
      if (family.length < 4 && random() < 0.5) {
        const forked = await sandbox.fork()
        if (forked.ok) family.push(forked.value)
        counts[forked.ok ? 'forks' : 'refusedForks']++
      }
    }
    for (const sandbox of family) await sandbox.close('manual')
  }
}

/** A program that is told another path's canary must raise the alarm; otherwise a quiet soak would show nothing. */
async function control() {
  const opened = await provider.open({ limits }, never)
  if (!opened.ok) throw new Error(opened.problem.message)
  const outcome = await runIn(opened.value, 'python', 'print("SECRET-OF-HOST")')
  if (foreignSecrets(outcome, 'control').length === 0) failures.push('the alarm does not work')
  await opened.value.close('manual')
}

/** Canaries in what a run printed, all but its own path's. */
function foreignSecrets({ stdout, stderr }, mine) {
  const found = [...`${stdout}${stderr}`.matchAll(/SECRET[ \w-]*/g)].map(([text]) => text)
  return found.filter(text => text !== `SECRET-OF-${mine}`)
}

function answer(sandbox) {
  return runIn(sandbox, 'python', 'print(42, end="")')
}

async function once(sandbox, mine) {
  const isShell = random() < 0.2
  const name = pick(Object.keys(isShell ? shell : programs))
  const code = (isShell ? shell : programs)[name](canaries)
  const outcome = await runIn(sandbox, isShell ? 'bash' : 'python', code, {
    limits: Limits.parse({ ...limits, timeoutMs: 1500 }),
  })
  counts.runs++
  counts.byProgram[name] = (counts.byProgram[name] ?? 0) + 1
  const ending = outcome.error?.name ?? 'success'
  counts.byEnd[ending] = (counts.byEnd[ending] ?? 0) + 1
  const foreign = foreignSecrets(outcome, mine)
  if (foreign.length > 0) failures.push(`${name}: ${foreign[0]}`)
  // A program may have broken its own kernel, which is its own loss; a restarted one has to answer.
  if ((await answer(sandbox)).stdout === '42') return
  await sandbox.restart()
  counts.restarts++
  const { stdout, error } = await answer(sandbox)
  if (stdout !== '42') failures.push(`${name}: does not answer afterwards: ${error?.name} ${error?.message}`)
}

function generator(from) {
  let state = from
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
