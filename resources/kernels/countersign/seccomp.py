"""Turns resources/seccomp/kernel.json into a filter and puts it on the calling process, for good."""

import ctypes
import errno
import json
import os
import struct

ALLOW = 0x7FFF0000
ERRNO = 0x00050000
KILL = 0x80000000
LOAD, JUMP, JEQ, JGE, JGT, JSET, AND, RETURN = 0x20, 0x05, 0x15, 0x35, 0x25, 0x45, 0x54, 0x06
#: How far a step with a condition can lead.
FURTHEST = 255
#: So many numbers are compared one by one.
FEW = 3
NUMBER, ARCH = 0, 4
X32_BIT = 0x40000000

NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
CLONE_FILES, CLONE_THREAD, CLOSE_RANGE_UNSHARE = 0x400, 0x10000, 2
AF_UNIX, AF_INET, AF_INET6 = 1, 2, 10
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
TCP, UDP = 6, 17
F_SETSIG, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ = 10, 37, 38, 1024, 1026, 1031
PR_SET_SECCOMP, PR_SCHED_CORE = 22, 62
MAP_SHARED, MAP_TYPE, MAP_ANONYMOUS, MAP_HUGETLB = 1, 0x0F, 0x20, 0x40000
RLIMIT_CORE = 4
SOL_SOCKET, BUFFER_SIZES = 1, (7, 8, 32, 33)


def argument(index):
    return 16 + 8 * index  # the low half; both ABIs are little endian


def step(op, k=0, yes=0, no=0):
    return struct.pack("<HBBI", op, yes, no, k & 0xFFFFFFFF)


def load(offset):
    return step(LOAD, offset)


def give(verdict):
    return step(RETURN, verdict)


def deny(error):
    return give(ERRNO | error)


ALLOWED = give(ALLOW)
#: Whoever asked believes that it was done.
IGNORED = give(ERRNO)

# What a call may ask for, by its arguments. Each ends with a verdict on every way through it.

#: A thread with descriptors of its own would hold what nobody counts: /proc shows those of the first.
CLONE = [
    load(argument(0)),
    step(JSET, NEW_NAMESPACES, 2, 0),
    step(JSET, CLONE_THREAD, 0, 2),
    step(JSET, CLONE_FILES, 1, 0),
    deny(errno.EPERM),
    ALLOWED,
]
CLOSE_RANGE = [load(argument(2)), step(JSET, CLOSE_RANGE_UNSHARE, 0, 1), deny(errno.EPERM), ALLOWED]
#: vsock, netlink, packet and crypto sockets are not all confined by a network namespace. Whoever asks for a protocol that
#: the system has not loaded makes it load one.
SOCKET = [
    load(argument(0)),
    step(JEQ, AF_UNIX, 8, 0),
    step(JEQ, AF_INET, 2, 0),
    step(JEQ, AF_INET6, 1, 0),
    deny(errno.EAFNOSUPPORT),
    load(argument(2)),
    step(JEQ, 0, 3, 0),
    step(JEQ, TCP, 2, 0),
    step(JEQ, UDP, 1, 0),
    deny(errno.EPROTONOSUPPORT),
    ALLOWED,
]
IOCTL = [load(argument(1)), step(JEQ, TIOCSTI, 1, 0), step(JEQ, TIOCLINUX, 0, 1), deny(errno.EPERM), ALLOWED]
#: Which signal tells of a descriptor: the one that goes on could be sent to a kernel that stands still, by itself. A lease
#: holds up whoever opens the file, also outside. Locks of an open file belong to no process: nobody could tell whose they
#: are. Pipes share a room of one size among all programs of the user.
FCNTL = [
    load(argument(1)),
    step(JEQ, F_SETSIG, 5, 0),
    step(JEQ, F_OFD_SETLK, 4, 0),
    step(JEQ, F_OFD_SETLKW, 3, 0),
    step(JEQ, F_SETLEASE, 2, 0),
    step(JEQ, F_NOTIFY, 1, 0),
    step(JEQ, F_SETPIPE_SZ, 0, 1),
    deny(errno.EPERM),
    ALLOWED,
]
#: Memory that is shared and has no file stays when a process gives its pages back, and then counts for nobody; huge pages
#: that the machine has set aside count for nobody from the beginning.
MMAP = [
    load(argument(3)),
    step(JSET, MAP_HUGETLB, 3, 0),
    step(JSET, MAP_ANONYMOUS, 0, 3),
    step(AND, MAP_TYPE),
    step(JEQ, MAP_SHARED, 0, 1),
    deny(errno.EPERM),
    ALLOWED,
]
#: A filter of its own could answer in the system's place what a copy is made to ask. Who may share a core with whom keeps
#: others from the half of it.
PRCTL = [load(argument(0)), step(JEQ, PR_SET_SECCOMP, 1, 0), step(JEQ, PR_SCHED_CORE, 0, 1), deny(errno.EPERM), ALLOWED]
#: The limit for dumps stays what it is: with any other, a crash may start a program of the machine, as its super-user and
#: outside of all this. Limits of others may not be set at all.
SETRLIMIT = [load(argument(0)), step(JEQ, RLIMIT_CORE, 0, 1), IGNORED, ALLOWED]
PRLIMIT = [
    load(argument(0)),
    step(JEQ, 0, 1, 0),
    deny(errno.EPERM),
    load(argument(1)),
    step(JEQ, RLIMIT_CORE, 0, 5),
    load(argument(2)),
    step(JEQ, 0, 0, 2),
    load(argument(2) + 4),
    step(JEQ, 0, 1, 0),
    IGNORED,
    ALLOWED,
]
#: Sizes of socket buffers are left as they are: what waits in sockets is memory of no process. Tables of the packet filter
#: (level IP or IPv6, option 64 and above) are large code that a calculation never needs.
SETSOCKOPT = [
    load(argument(1)),
    step(JEQ, SOL_SOCKET, 6, 0),
    step(JEQ, 0, 1, 0),
    step(JEQ, 41, 0, 3),
    load(argument(2)),
    step(JGE, 64, 0, 1),
    deny(errno.EPERM),
    ALLOWED,
    load(argument(2)),
    *(step(JEQ, option, len(BUFFER_SIZES) - at, 0) for at, option in enumerate(BUFFER_SIZES)),
    ALLOWED,
    IGNORED,
]
BY_ARGUMENTS = {
    "clone": CLONE,
    "close_range": CLOSE_RANGE,
    "socket": SOCKET,
    "socketpair": SOCKET,
    "ioctl": IOCTL,
    "fcntl": FCNTL,
    "mmap": MMAP,
    "prctl": PRCTL,
    "setrlimit": SETRLIMIT,
    "prlimit64": PRLIMIT,
    "setsockopt": SETSOCKOPT,
    # Hides its flags behind a pointer; told that it does not exist, libraries use clone.
    "clone3": [deny(errno.ENOSYS)],
}


def own_only(call):
    """Whose limits and place in the queue may be set: those of the caller alone. The supervisor has the same user."""
    checks = [(index, 0) for index in call["zero"]] + [(int(index), value) for index, value in call.get("equal", {}).items()]
    return [part for index, value in checks for part in (load(argument(index)), step(JEQ, value, 1, 0), deny(errno.EPERM))] + [ALLOWED]


def build(profile_path, allow=()):
    """The filter as bytes, or None on a machine whose ABI the profile does not know."""
    with open(profile_path, encoding="utf-8") as file:
        profile = json.load(file)
    machine = {"arm64": "aarch64", "amd64": "x86_64"}.get(os.uname().machine.lower(), os.uname().machine)
    abi = profile["architectures"].get(machine)
    if abi is None:
        return None

    rules = {abi[name]: rule for name, rule in BY_ARGUMENTS.items()}
    for call in profile["denied"]:
        if machine in call and call["name"] not in allow:
            rules[call[machine]] = [deny(getattr(errno, call["errno"]))]
    for call in profile["ownOnly"]:
        if machine in call:
            rules[call[machine]] = own_only(call)

    code = [
        load(ARCH),
        step(JEQ, abi["audit"], 1, 0),
        give(KILL),  # a 32-bit call has other numbers and would pass the table below
        load(NUMBER),
        *([step(JSET, X32_BIT, 0, 1), give(KILL)] if machine == "x86_64" else []),
        step(JGT, profile["newest"], 0, 1),
        deny(errno.ENOSYS),
        *search(rules, sorted(rules)),
    ]
    return b"".join(code)


def search(rules, numbers):
    """By halves: the system asks the whole filter about each number when it is put on, and a list takes it longer than
    all the rest of a kernel's confinement."""
    if len(numbers) <= FEW:
        return [part for number in numbers for part in (step(JEQ, number, 0, len(rules[number])), *rules[number])] + [ALLOWED]
    middle = len(numbers) // 2
    lower, upper = (search(rules, half) for half in (numbers[:middle], numbers[middle:]))
    if len(lower) <= FURTHEST:
        return [step(JGE, numbers[middle], len(lower), 0), *lower, *upper]
    return [step(JGE, numbers[middle], 0, 1), step(JUMP, len(lower)), *lower, *upper]


class _Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 38, 2


def apply(libc, code):
    """No new privileges, and then the filter. Raises when the kernel refuses: a jail without it is none."""
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs was refused")
    if code is None:
        return
    filter_ = _Filter(len(code) // 8, code)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(filter_), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the seccomp filter was refused")
