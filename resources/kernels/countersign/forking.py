"""A copy of a live Python kernel in a jail of its own.

The jail comes first: a supervisor cloned into new namespaces, which makes a root of its own and hands out the way into
it. Then the kernel, which stands still, is copied from outside and the copy is walked into that jail (`tracing`). No step
of this runs in a process that user code has touched. Before the copy gets its files, and again when it is handed over,
`/proc` is asked whether it is as it should be.

A process can only move down the tree of process namespaces. So that the original does not look down on its copy, the
original moves too, into a sibling of the copy's jail, and what stays above holds no user code.
"""

import os
import signal
import socket
import stat
import struct

from _cellkernel.descriptors import CONTROL

from . import jail, measure, network, sockets, tracing
from .tracing import CannotTrace

ARRIVAL_LIMIT = 20.0
ENDED = struct.Struct("<ii")
LONGEST_PATH = 1500
MEMORY_DEVICES = {os.makedev(1, minor) for minor in (3, 5, 7, 8, 9)}


class CannotFork(Exception):
    pass


class Elsewhere(BaseException):
    """In a clone of a supervisor that is to be another one: takes it out of all that the first was doing."""

    def __init__(self, task):
        self.task = task


# -- a jail below this one -------------------------------------------------------------------------------------------


def clone_below(home, group=None):
    """A clone of this supervisor in namespaces below those in which the kernels live, and a link between the two.

    To say who it is, the clone has to be readable for a moment. It then holds nothing but its end of the link, and user
    code, all of which stands still, could not look.
    """
    into = group.fd if group else None
    ours, theirs = socket.socketpair()
    outside = os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    if home is None:
        child = jail.clone(jail.ALL, into)
    else:
        helper = jail.fork()  # in the kernels' process namespace, which clone needs to stand in itself
        if helper:
            os.waitpid(helper, 0)
            child = helper
        else:
            try:
                jail.enter(home.namespaces[:-1])
                child = jail.clone(jail.ALL, into)
                if child:
                    os._exit(0)
            except OSError:
                os._exit(1)
    if child:
        theirs.close()
        os.close(outside)
        return child, ours
    # Our own number as the parent sees it: its /proc says so.
    theirs.sendall(ENDED.pack(int(os.readlink("self", dir_fd=outside)), 0))
    return 0, theirs.detach()


def hold_only(link):
    """In the clone, when nothing of the original's objects is left to close a number a second time."""
    signal.set_wakeup_fd(-1)
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd != link:
            try:
                os.close(fd)
            except OSError:
                pass  # of the list itself
    jail.map_ids(jail.INSIDE_ID, jail.INSIDE_ID)
    for _ in range(3):
        os.open("/dev/null", os.O_RDWR)  # 0 to 2, unless the link is one of them
    return socket.socket(fileno=link)


def close(fds):
    for fd in fds:
        os.close(fd)


def receive(link, count):
    """(a byte or more, descriptors) from the other end of a link."""
    link.settimeout(ARRIVAL_LIMIT)
    try:
        data, fds, _, _ = socket.recv_fds(link, 1 << 16, count)
    except OSError:
        data, fds = b"", []
    if not data:
        close(fds)
        raise CannotFork("No further jail could be made below this one.")
    return data, fds


def number_of(link):
    link.settimeout(ARRIVAL_LIMIT)
    try:
        data = link.recv(ENDED.size, socket.MSG_WAITALL)
    except OSError:
        data = b""
    if len(data) != ENDED.size:
        raise CannotFork("No further jail could be made below this one.")
    return ENDED.unpack(data)[0]


# -- copying a kernel ------------------------------------------------------------------------------------------------


class Copy:
    """A copy of a held kernel, standing still in other namespaces."""

    def __init__(self, kernel, held, namespaces, others=()):
        """`others`: descriptors that it gets as well; `numbers` says where it has them."""
        self.kernel, self.namespaces = kernel, namespaces
        self.folder = os.readlink(f"/proc/{kernel.pid}/cwd")
        first = held.twin()
        try:
            first.open_memory()
            numbers = take(first, kernel.control, [*namespaces, *others])
            for fd, (name, kind) in zip(numbers, jail.NAMESPACES):
                if kind != jail.NEW_NS:
                    first.do(f"enter {name}", tracing.SETNS, fd, kind)
            first.do("readable", tracing.PRCTL, tracing.PR_SET_DUMPABLE, 1, 0, 0, 0)
            self.held = first.copy()  # only a child is in the new process namespace
        except BaseException:
            held.call(tracing.PRCTL, tracing.PR_SET_DUMPABLE, 1, 0, 0, 0)  # what entered a namespace shares its memory
            raise
        finally:
            first.end()
        try:
            self.held.open_memory()
            self.pid = self.held.pid
            self.held.do("session", tracing.SETSID)
            for fd, (_, kind) in zip(numbers, jail.NAMESPACES):
                if kind == jail.NEW_NS:
                    self.root = fd
                else:
                    self.held.do("close", tracing.CLOSE, fd)
            self.numbers = numbers[len(namespaces) :]
        except BaseException:
            self.held.end()
            raise

    def enter_root(self):
        """Last, so that the root is made while the memory is copied."""
        self.held.do("enter mnt", tracing.SETNS, self.root, jail.NEW_NS)
        self.held.do("close", tracing.CLOSE, self.root)

    def give_up_rights(self):
        """All of them. The bounding set may stay full: no program that it starts gains a right (no new privileges)."""
        held = self.held
        held.write(held.scratch, struct.pack("<Ii", 0x20080522, 0) + b"\0" * 24)
        held.do("capabilities", tracing.CAPSET, held.scratch, held.scratch + 8)

    def part(self, marks, out, err, control, nothing):
        """Puts other descriptors in the place of those that connect it to its original. Files are left for `reopen`."""
        replacements = {"stdout": out, "stderr": err, "control": control}
        received = {out, err, control, nothing}
        self.files = []
        for fd, info, _ in descriptors(self.pid):
            if fd in received or fd == self.root or is_memory_device(info):
                continue
            if stat.S_ISREG(info.st_mode):
                self.files.append(fd)
                continue
            # Not closed: an object may still hold the number, and would later close somebody else's.
            with_fd = replacements.get(marks.get((info.st_dev, info.st_ino)), nothing)
            self.held.do("part", tracing.DUP2, with_fd, fd)
        for fd in received:
            self.held.do("close", tracing.CLOSE, fd)

    def reopen(self):
        """Opens its files again in its own working folder, which has been copied by now."""
        for fd in self.files:
            target = os.readlink(f"/proc/{self.pid}/fd/{fd}")
            about = dict(line.split(":", 1) for line in measure.read(f"/proc/{self.pid}/fdinfo/{fd}").decode().splitlines() if ":" in line)
            again = self.open(target, int(about["flags"], 8) & (os.O_ACCMODE | os.O_APPEND))
            if again < 0:
                raise CannotFork(f"The kernel holds a file open that cannot be copied: {target[:100]}")
            self.held.do("seek", tracing.LSEEK, again, int(about["pos"]), os.SEEK_SET)
            self.held.do("part", tracing.DUP2, again, fd)
            self.held.do("close", tracing.CLOSE, again)
        self.enter_folder()

    def enter_folder(self):
        for folder in (self.folder, "/work"):
            if self.held.call(tracing.CHDIR, self._text(folder)) >= 0:
                return

    def open(self, path, flags):
        return self.held.call(tracing.OPEN, self._text(path), flags, 0)

    def _text(self, path):
        data = os.fsencode(path) + b"\0"
        if len(data) > LONGEST_PATH:
            raise CannotFork("The kernel holds a file open whose path is too long.")
        self.held.write(self.held.scratch, data)
        return self.held.scratch


def take(held, control, fds):
    """Has a held process take descriptors from its own channel, and answers where it has them."""
    if identity(os.stat(f"/proc/{held.pid}/fd/{CONTROL}")) is None:
        raise CannotFork("The kernel has lost its channel.")
    socket.send_fds(control, [b"."], fds)
    at, space = held.scratch, 16 + 4 * len(fds) + 4 * (len(fds) % 2)
    header = struct.pack("<QQQQQQQ", 0, 0, at + 64, 1, at + 96, space, 0)
    held.write(at, header + b"\0" * 8 + struct.pack("<QQ", at + 80, 1) + b"\0" * (16 + space))
    held.do("take", tracing.RECVMSG, CONTROL, at, tracing.DONT_WAIT | tracing.CLOSE_ON_EXEC)
    data = held.read(at + 96, 16 + 4 * len(fds))
    length, level, kind = struct.unpack_from("<Qii", data)
    if (length, level, kind) != (len(data), socket.SOL_SOCKET, socket.SCM_RIGHTS):
        raise CannotFork("The kernel has too much open to be copied.")
    numbers = struct.unpack_from(f"<{len(fds)}i", data, 16)
    for number, fd in zip(numbers, fds):
        if identity(os.stat(f"/proc/{held.pid}/fd/{number}")) != identity(os.fstat(fd)):
            raise CannotFork("The kernel has something else on its channel.")
    return list(numbers)


# -- looking from outside --------------------------------------------------------------------------------------------


def identity(info):
    return (info.st_dev, info.st_ino)


def is_memory_device(info):
    return stat.S_ISCHR(info.st_mode) and info.st_rdev in MEMORY_DEVICES


def descriptors(pid):
    found = []
    for name in os.listdir(f"/proc/{pid}/fd"):
        link = f"/proc/{pid}/fd/{name}"
        found.append((int(name), os.stat(link), os.readlink(link)))
    return found


def check_confined(pid, namespaces, states, filters):
    """Raises unless the process has no rights, the filter, one thread, a session of its own and these namespaces, and
    stands still."""
    status = dict(line.split(b":", 1) for line in measure.read(f"/proc/{pid}/status").splitlines() if b":" in line)
    value = lambda name: status.get(name, b"").split()[:1]
    wrong = [name for name in (b"CapInh", b"CapPrm", b"CapEff", b"CapAmb") if value(name) != [b"0000000000000000"]]
    wrong += [name for name, wanted in ((b"NoNewPrivs", b"1"), (b"Seccomp", b"2"), (b"Threads", b"1")) if value(name) != [wanted]]
    group_and_session = measure.glance(f"/proc/{pid}/stat").rpartition(b") ")[2].split()[2:4]
    if group_and_session != [b"%d" % pid] * 2:
        wrong.append(b"session")  # in that of its original it could send signals to it
    if filters is not None and value(b"Seccomp_filters") != filters:
        wrong.append(b"Seccomp_filters")
    if not value(b"State") or value(b"State")[0] not in states:
        wrong.append(b"State")
    for name, wanted in namespaces.items():
        if identity(os.stat(f"/proc/{pid}/ns/{name}")) != wanted:
            wrong.append(name.encode())
    if wrong:
        raise CannotFork("The copy is not confined as it should be: " + b", ".join(wrong).decode())


def filters_of(pid):
    for line in measure.read(f"/proc/{pid}/status").splitlines():
        if line.startswith(b"Seccomp_filters:"):
            return line.split()[1:]
    return None


def check_descriptors(pid, marks, disk, foreign_disk):
    """Raises when anything is open that its original could have as well: the two could talk past every wall."""
    for fd, info, target in descriptors(pid):
        known = is_memory_device(info) or identity(info) in marks
        own_file = stat.S_ISREG(info.st_mode) and info.st_dev != foreign_disk and (info.st_dev == disk or is_of_the_system(target, info))
        if not known and not own_file:
            raise CannotFork(f"The kernel holds something open that cannot be copied: {target[:100]}")


def check_memory(pid, shared):
    for mapping in shared_memory(pid) - shared:
        place, _, _, device, inode, *name = mapping.split(maxsplit=5)
        major, minor = (int(part, 16) for part in device.split(b":"))
        if not name or not is_of_the_system(name[0], None, (os.makedev(major, minor), int(inode))):
            raise CannotFork("The kernel shares memory that would stay common to both.")


def shared_memory(pid):
    """Its lines of /proc/<pid>/maps. Also what is only read counts: the right to write can be asked for later."""
    found = set()
    for line in measure.read(f"/proc/{pid}/maps").split(b"\n"):
        rights = line.find(b" ") + 1
        if line[rights + 3 : rights + 4] == b"s":
            found.add(line)
    return found


def is_of_the_system(name, info, wanted=None):
    """Whether it is a file that nobody in the jail can change. A name alone proves nothing: one from the parent's working
    folder may read like one of /usr."""
    try:
        found, system = os.stat(name), os.statvfs(name)
    except OSError:
        return False
    return identity(found) == (wanted or identity(info)) and bool(system.f_flag & os.ST_RDONLY)


# -- who ended -------------------------------------------------------------------------------------------------------


class Home:
    """Namespaces in which the kernels of a forked sandbox live from then on, and the process that keeps them."""

    def __init__(self, keeper, link):
        self.keeper = keeper
        self.link = link
        _, (*self.namespaces, listener, names) = receive(link, len(jail.NAMESPACES) + 2)
        self.listeners = [socket.socket(fileno=listener), socket.socket(fileno=names)]
        link.setblocking(False)


def endings(link):
    """(number, wait status) of processes that the other end has seen end."""
    found = []
    while True:
        try:
            data = link.recv(ENDED.size, socket.MSG_DONTWAIT)
        except OSError:
            return found
        if len(data) != ENDED.size:
            return found
        found.append(ENDED.unpack(data))


def tell_ending(link, status, number=0):
    try:
        link.sendall(ENDED.pack(number, status))
    except OSError:
        pass  # nobody there to care


def end(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def keep_home(link):
    """In the clone: mounts a /proc for the new namespaces, hands them out, and from then on reports who ended."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    jail.mount("proc", "/proc", "proc", jail.MS_NOSUID | jail.MS_NODEV | jail.MS_NOEXEC)
    sockets.bound()
    namespaces = jail.open_namespaces()
    here = network.listeners()
    socket.send_fds(link, [b"."], [*namespaces, *(each.fileno() for each in here)])
    close(namespaces)
    for each in here:
        each.close()
    while True:
        signal.sigwait({signal.SIGCHLD})
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    break
                tell_ending(link, status, pid)
        except ChildProcessError:
            pass
