"""The walls on Linux: a process in namespaces of its own, a root built from read-only pieces, no capabilities.

Built by the trusted side (zygote or supervisor) before any user code exists in the process. `libc` is loaded without
releasing the interpreter lock: the raw clone below must not find it half released in the child.
"""

import ctypes
import os
import resource
import struct

libc = ctypes.PyDLL(None, use_errno=True)

NEW_USER, NEW_PID, NEW_NS = 0x10000000, 0x20000000, 0x00020000
NEW_IPC, NEW_UTS, NEW_NET = 0x08000000, 0x04000000, 0x40000000
ALL = NEW_USER | NEW_PID | NEW_NS | NEW_IPC | NEW_UTS | NEW_NET
SIGCHLD, SA_NOCLDSTOP = 17, 1
CLONE_INTO_CGROUP, SYS_CLONE3 = 0x200000000, 435
SYS_CLONE = {"x86_64": 56, "aarch64": 220}
SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
SYS_CAPSET = {"x86_64": 126, "aarch64": 91}

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18
MNT_DETACH = 2
MADV_HUGEPAGE, MADV_COLLAPSE = 14, 25

PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_TIMERSLACK, PR_SET_CHILD_SUBREAPER = 4, 24, 29, 36
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4

#: Who user code believes to be. Never 0: the super-user of a namespace is still asked fewer questions.
INSIDE_ID = 1000
NEW_ROOT = "/newroot"
#: In nanoseconds: how late a supervisor may be woken, which often waits for a kernel for some microseconds; and the
#: system's usual value, for kernels.
SOON, USUALLY = 1_000, 50_000
#: How many files and folders a sandbox may have.
DISK_NAMES = 32_768


def _check(result, what):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def set_dumpable(on):
    """Off: /proc/<pid>/fd, mem and environ of this process are closed to user code of the same user id."""
    _check(libc.prctl(PR_SET_DUMPABLE, 1 if on else 0, 0, 0, 0), "dumpable")


def wake_within(nanoseconds):
    """How much later than it asked for the calling thread, and what it starts, may be woken from a sleep."""
    libc.prctl(PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0)


def ignore_stops():
    """A child that is stopped or woken is no news: kernels are, before and after every run."""
    action = ctypes.create_string_buffer(152)
    _check(libc.sigaction(SIGCHLD, None, action), "sigaction")
    (flags,) = struct.unpack_from("<i", action, 136)
    struct.pack_into("<i", action, 136, flags | SA_NOCLDSTOP)
    _check(libc.sigaction(SIGCHLD, action, None), "sigaction")


def adopt_orphans():
    """Without a process namespace a daemon would become a child of the system's first process, and be lost from sight."""
    _check(libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "subreaper")


def clone(flags, group=None):
    """fork() into new namespaces in one step: unshare would cost a second copy of a large process. With a group also
    into that: a process that is moved there later waits for every processor of the machine.

    Without the interpreter's hooks, like `fork` below; the process has one thread, and the hooks cost a millisecond.
    """
    if group is None:
        pid = libc.syscall(SYS_CLONE[os.uname().machine], ctypes.c_ulong(flags | SIGCHLD), 0, 0, 0, 0)
    else:
        wanted = struct.pack("<11Q", flags | CLONE_INTO_CGROUP, 0, 0, 0, SIGCHLD, 0, 0, 0, 0, 0, group)
        pid = libc.syscall(SYS_CLONE3, wanted, ctypes.c_size_t(len(wanted)))
    return _check(pid, "new namespaces")


def fork():
    """fork() without the interpreter's hooks: one of them seeds the random numbers anew, and a copy of a kernel is to
    draw the numbers that its original would have drawn."""
    return _check(libc.fork(), "fork")


def map_ids(outer_uid, outer_gid):
    """Inside, this process is INSIDE_ID; outside it stays who it was. Needs to be dumpable for the moment."""
    set_dumpable(True)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{INSIDE_ID} {outer_uid} 1"),
        ("gid_map", f"{INSIDE_ID} {outer_gid} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
    set_dumpable(False)


#: In the order in which they must be entered: the user namespace gives the right to enter the others.
NAMESPACES = (("user", NEW_USER), ("mnt", NEW_NS), ("net", NEW_NET), ("ipc", NEW_IPC), ("uts", NEW_UTS), ("pid", NEW_PID))


def open_namespaces():
    return [os.open(f"/proc/self/ns/{name}", os.O_RDONLY | os.O_CLOEXEC) for name, _ in NAMESPACES]


def enter(namespaces):
    for fd, (name, kind) in zip(namespaces, NAMESPACES):
        _check(libc.setns(fd, kind), f"enter {name}")


def children_into(process_namespace):
    """Children forked from now on start in that process namespace; this process stays where it is."""
    _check(libc.setns(process_namespace, NEW_PID), "enter pid")


def mount(source, target, kind=None, flags=0, data=None):
    encode = lambda text: None if text is None else os.fsencode(text)
    _check(libc.mount(encode(source), encode(target), encode(kind), ctypes.c_ulong(flags), encode(data)), f"mount {target}")


def make_root(system, disk_bytes):
    """A new root in place of the old one: the system read-only, and nothing else of what was visible before.

    `system` lists the top-level names to take over as they are (already read-only in the outer jail). Whatever code can
    write to is memory of a fixed size: nothing of it lies on a disk of the machine, and it ends with the sandbox.
    """
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    root, limited = NEW_ROOT, MS_NOSUID | MS_NODEV
    mount("tmpfs", root, "tmpfs", limited, "mode=755,size=1m,nr_inodes=512")
    for name in system:
        source = "/" + name
        if os.path.islink(source):
            os.symlink(os.readlink(source), f"{root}/{name}")
        elif os.path.isdir(source):
            os.mkdir(f"{root}/{name}")
            mount(source, f"{root}/{name}", None, MS_BIND | MS_REC)

    for name in ("dev", "proc", "tmp", "work", "run", "old", NEW_ROOT[1:]):
        os.mkdir(f"{root}/{name}")
    for name in ("null", "zero", "full", "random", "urandom"):
        with open(f"{root}/dev/{name}", "w", encoding="ascii"):
            pass
        # What is mapped and shared of /dev/zero is memory that counts for nobody; /dev/full reads as it does and cannot
        # be mapped.
        source = "full" if name == "zero" else name
        mount(f"/dev/{source}", f"{root}/dev/{name}", None, MS_BIND)
    for name, target in (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        os.symlink(target, f"{root}/dev/{name}")
    os.mkdir(f"{root}/dev/shm")
    mount("tmpfs", f"{root}/dev/shm", "tmpfs", limited | MS_NOEXEC, "mode=1777,size=64m,nr_inodes=1024")
    mount("tmpfs", f"{root}/run", "tmpfs", limited | MS_NOEXEC, "mode=700,size=1m,nr_inodes=64")
    mount("proc", f"{root}/proc", "proc", limited | MS_NOEXEC)
    make_disk(f"{root}/old", {"work": f"{root}/work", "tmp": f"{root}/tmp"}, disk_bytes)

    os.chdir(root)
    _check(libc.syscall(SYS_PIVOT_ROOT[os.uname().machine], b".", b"old"), "pivot_root")
    os.chdir("/")
    _check(libc.umount2(b"/old", MNT_DETACH), "umount")
    os.rmdir("/old")
    mount(None, "/", None, MS_REMOUNT | MS_BIND | MS_RDONLY | limited)
    os.chdir("/work")
    bound_watches()


def make_disk(at, folders, disk_bytes):
    """One file system for the working folder and the temporary one: bytes and names of both count together, also those
    of files that have no name any more."""
    limited = MS_NOSUID | MS_NODEV
    mount("tmpfs", at, "tmpfs", limited, f"mode=700,size={disk_bytes},nr_inodes={DISK_NAMES}")
    for name, target in folders.items():
        os.mkdir(f"{at}/{name}", 0o700)
        mount(f"{at}/{name}", target, None, MS_BIND)
        mount(None, target, None, MS_REMOUNT | MS_BIND | limited)
    _check(libc.umount2(os.fsencode(at), MNT_DETACH), "umount")  # the two folders keep it


def bound_watches():
    """Watches of files count for the user of this machine as well, whose other programs need some of the few there are."""
    for name, most in (("instances", 8), ("watches", 1024)):
        try:
            with open(f"/proc/sys/user/max_inotify_{name}", "w", encoding="ascii") as file:
                file.write(str(most))
        except OSError:
            pass  # this system does not let namespaces have limits of their own


def drop_capabilities():
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    header = struct.pack("<Ii", 0x20080522, 0)
    _check(libc.syscall(SYS_CAPSET[os.uname().machine], header, b"\0" * 24), "capset")


def limit(limits, private_bytes, others, process=0, lenient=False):
    """What one process may take, this one unless another is named. The supervisor watches what all of them take together.
    `others` is how many processes the user has besides, where there is no user namespace to leave them out of the
    count. `lenient`: whoever carries this sandbox bounds processes itself, and its system may refuse to let us."""

    def cap(which, value):
        hard = resource.getrlimit(which)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        if process:
            resource.prlimit(process, which, (value, value))
        else:
            resource.setrlimit(which, (value, value))

    # One byte is the one size with which the system starts nobody who would take the dump; nobody writes one either.
    cap(resource.RLIMIT_CORE, 1)
    cap(resource.RLIMIT_FSIZE, limits["fileBytes"])
    cap(resource.RLIMIT_NOFILE, 512)
    cap(resource.RLIMIT_MEMLOCK, 64 * 1024)
    for name, value in (("NPROC", limits["processes"] + others), ("MSGQUEUE", 0), ("SIGPENDING", 1024)):
        try:
            if hasattr(resource, f"RLIMIT_{name}"):
                cap(getattr(resource, f"RLIMIT_{name}"), value)
        except (PermissionError, ValueError):  # what Python makes of EPERM
            if not lenient:
                raise
    # Somewhat less than the supervisor kills at: code that asks for too much is told so and keeps its variables.
    memory = limits["memoryBytes"]
    cap(resource.RLIMIT_DATA, private_bytes + max(memory // 2, memory - 64 * 1024 * 1024))


def use_huge_pages():
    """Gathers what is loaded into huge pages, where the system has them: every fork then copies far fewer entries."""
    huge = 1 << 21
    try:
        with open("/proc/self/maps", encoding="ascii") as file:
            lines = file.read().splitlines()
        for line in lines:
            place, rights, _, _, inode, *name = line.split(maxsplit=5)
            if rights != "rw-p" or inode != "0" or (name and name[0] != "[heap]"):
                continue
            start, end = (int(part, 16) for part in place.split("-"))
            start, end = (start + huge - 1) & -huge, end & -huge
            if end > start:
                for advice in (MADV_HUGEPAGE, MADV_COLLAPSE):
                    libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), advice)
    except (OSError, ValueError):
        pass  # only slower


def private_bytes():
    """Writable private memory that this process has already mapped: what the zygote loaded counts for nobody."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[5]) * resource.getpagesize()
    except OSError:
        return 0
