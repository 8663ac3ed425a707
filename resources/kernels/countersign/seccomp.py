"""Turns resources/seccomp/kernel.json into a filter and puts it on the calling process, for good."""

import ctypes
import errno
import json
import os
import struct

ALLOW = 0x7FFF0000
ERRNO = 0x00050000
KILL = 0x80000000
LOAD, JEQ, JGE, JGT, JSET, AND, RETURN = 0x20, 0x15, 0x35, 0x25, 0x45, 0x54, 0x06
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


class Program:
    def __init__(self):
        self.code = []

    def add(self, op, k=0, yes=0, no=0):
        self.code.append(struct.pack("<HBBI", op, yes, no, k & 0xFFFFFFFF))

    def load(self, offset):
        self.add(LOAD, offset)

    def give(self, verdict):
        self.add(RETURN, verdict)

    def deny_number(self, number, error):
        self.add(JEQ, number, 0, 1)
        self.give(ERRNO | error)


def build(profile_path, allow=()):
    """The filter as bytes, or None on a machine whose ABI the profile does not know."""
    with open(profile_path, encoding="utf-8") as file:
        profile = json.load(file)
    machine = {"arm64": "aarch64", "amd64": "x86_64"}.get(os.uname().machine.lower(), os.uname().machine)
    abi = profile["architectures"].get(machine)
    if abi is None:
        return None

    program = Program()
    program.load(ARCH)
    program.add(JEQ, abi["audit"], 1, 0)
    program.give(KILL)  # a 32-bit call has other numbers and would pass the table below
    program.load(NUMBER)
    if machine == "x86_64":
        program.add(JSET, X32_BIT, 0, 1)
        program.give(KILL)
    program.add(JGT, profile["newest"], 0, 1)
    program.give(ERRNO | errno.ENOSYS)

    for call in profile["denied"]:
        number = call.get(machine)
        if number is not None and call["name"] not in allow:
            program.deny_number(number, getattr(errno, call["errno"]))

    # clone3 hides its flags behind a pointer; told that it does not exist, libraries use clone.
    program.deny_number(abi["clone3"], errno.ENOSYS)
    # A thread with descriptors of its own would hold what nobody counts: /proc shows those of the first.
    program.add(JEQ, abi["clone"], 0, 6)
    program.load(argument(0))
    program.add(JSET, NEW_NAMESPACES, 2, 0)
    program.add(JSET, CLONE_THREAD, 0, 2)
    program.add(JSET, CLONE_FILES, 1, 0)
    program.give(ERRNO | errno.EPERM)
    program.give(ALLOW)
    program.add(JEQ, abi["close_range"], 0, 4)
    program.load(argument(2))
    program.add(JSET, CLOSE_RANGE_UNSHARE, 0, 1)
    program.give(ERRNO | errno.EPERM)
    program.give(ALLOW)
    # vsock, netlink, packet and crypto sockets are not all confined by a network namespace. Whoever asks for a protocol
    # that the system has not loaded makes it load one.
    for name in ("socket", "socketpair"):
        program.add(JEQ, abi[name], 0, 11)
        program.load(argument(0))
        program.add(JEQ, AF_UNIX, 8, 0)
        program.add(JEQ, AF_INET, 2, 0)
        program.add(JEQ, AF_INET6, 1, 0)
        program.give(ERRNO | errno.EAFNOSUPPORT)
        program.load(argument(2))
        program.add(JEQ, 0, 3, 0)
        program.add(JEQ, TCP, 2, 0)
        program.add(JEQ, UDP, 1, 0)
        program.give(ERRNO | errno.EPROTONOSUPPORT)
        program.give(ALLOW)
    program.add(JEQ, abi["ioctl"], 0, 5)
    program.load(argument(1))
    program.add(JEQ, TIOCSTI, 1, 0)
    program.add(JEQ, TIOCLINUX, 0, 1)
    program.give(ERRNO | errno.EPERM)
    program.give(ALLOW)
    # Which signal tells of a descriptor: the one that goes on could be sent to a kernel that stands still, by itself. A
    # lease holds up whoever opens the file, also outside. Locks of an open file belong to no process: nobody could tell
    # whose they are. Pipes share a room of one size among all programs of the user.
    program.add(JEQ, abi["fcntl"], 0, 9)
    program.load(argument(1))
    program.add(JEQ, F_SETSIG, 5, 0)
    program.add(JEQ, F_OFD_SETLK, 4, 0)
    program.add(JEQ, F_OFD_SETLKW, 3, 0)
    program.add(JEQ, F_SETLEASE, 2, 0)
    program.add(JEQ, F_NOTIFY, 1, 0)
    program.add(JEQ, F_SETPIPE_SZ, 0, 1)
    program.give(ERRNO | errno.EPERM)
    program.give(ALLOW)
    # Memory that is shared and has no file stays when a process gives its pages back, and then counts for nobody; huge
    # pages that the machine has set aside count for nobody from the beginning.
    program.add(JEQ, abi["mmap"], 0, 7)
    program.load(argument(3))
    program.add(JSET, MAP_HUGETLB, 3, 0)
    program.add(JSET, MAP_ANONYMOUS, 0, 3)
    program.add(AND, MAP_TYPE)
    program.add(JEQ, MAP_SHARED, 0, 1)
    program.give(ERRNO | errno.EPERM)
    program.give(ALLOW)
    # A filter of its own could answer in the system's place what a copy is made to ask. Who may share a core with whom
    # keeps others from the half of it.
    program.add(JEQ, abi["prctl"], 0, 5)
    program.load(argument(0))
    program.add(JEQ, PR_SET_SECCOMP, 1, 0)
    program.add(JEQ, PR_SCHED_CORE, 0, 1)
    program.give(ERRNO | errno.EPERM)
    program.give(ALLOW)
    # The limit for dumps stays what it is, and whoever sets another believes to have done so: with any other, a crash may
    # start a program of the machine, as its super-user and outside of all this. Limits of others may not be set at all.
    program.add(JEQ, abi["setrlimit"], 0, 4)
    program.load(argument(0))
    program.add(JEQ, RLIMIT_CORE, 0, 1)
    program.give(ERRNO)
    program.give(ALLOW)
    program.add(JEQ, abi["prlimit64"], 0, 11)
    program.load(argument(0))
    program.add(JEQ, 0, 1, 0)
    program.give(ERRNO | errno.EPERM)
    program.load(argument(1))
    program.add(JEQ, RLIMIT_CORE, 0, 5)
    program.load(argument(2))
    program.add(JEQ, 0, 0, 2)
    program.load(argument(2) + 4)
    program.add(JEQ, 0, 1, 0)
    program.give(ERRNO)
    program.give(ALLOW)
    # Whose limits and place in the queue may be set: those of the caller alone. The supervisor has the same user.
    for call in profile["ownOnly"]:
        number = call.get(machine)
        if number is None:
            continue
        checks = [(index, 0) for index in call["zero"]] + [(int(index), value) for index, value in call.get("equal", {}).items()]
        program.add(JEQ, number, 0, 3 * len(checks) + 1)
        for index, value in checks:
            program.load(argument(index))
            program.add(JEQ, value, 1, 0)
            program.give(ERRNO | errno.EPERM)
        program.give(ALLOW)
    # Sizes of socket buffers are left as they are, and whoever asks for others believes to have got them: what waits in
    # sockets is memory of no process.
    program.add(JEQ, abi["setsockopt"], 0, 15)
    program.load(argument(1))
    program.add(JEQ, SOL_SOCKET, 6, 0)
    # Tables of the packet filter (level IP or IPv6, option 64 and above): large code that a calculation never needs.
    program.add(JEQ, 0, 1, 0)
    program.add(JEQ, 41, 0, 3)
    program.load(argument(2))
    program.add(JGE, 64, 0, 1)
    program.give(ERRNO | errno.EPERM)
    program.give(ALLOW)
    program.load(argument(2))
    for at, option in enumerate(BUFFER_SIZES):
        program.add(JEQ, option, 4 - at, 0)
    program.give(ALLOW)
    program.give(ERRNO)
    program.give(ALLOW)
    return b"".join(program.code)


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
