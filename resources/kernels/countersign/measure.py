"""What the processes of a sandbox use, read from outside of them."""

import os
import stat
import time

PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = os.sysconf("SC_CLK_TCK")
HAS_PROC = os.path.isdir("/proc/self")
MACHINE = os.uname().machine
#: Ordinary code has no more than this many descriptors open, and what they hold need not be counted.
FEW_DESCRIPTORS = 32
#: States of tasks that have ended, and of those that do nothing.
ENDED = {b"Z", b"X"}
STANDING = {b"T", *ENDED}


def _buffer():
    """How much one socket may hold."""
    try:
        with open("/proc/sys/net/core/wmem_default", encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 212_992


SOCKET_BUFFER = _buffer()
PIPE_BUFFER = 65_536
#: Watches of descriptors (epoll) count for the user of the machine: with none left, no program of theirs can wait for
#: anything new. One descriptor under many numbers is many watches.
MOST_WATCHES = 10_000
#: The room that pipes of a user of the machine share is 64 MB: with none left, those of all their programs are small.
MOST_PIPES = 256
#: Locks of parts of files are memory of the system, and one file may have any number.
MOST_LOCKS = 10_000
#: More of a file of /proc that lists them is not read.
LISTED = 1 << 22
#: Processes with less than this of addresses have page tables of a few megabytes at most.
WIDE = 2 << 30


def read(path, most=-1):
    try:
        with open(path, "rb") as file:
            return file.read(most)
    except OSError:
        return b""


def glance(path):
    """Like `read`, for the short files of /proc that every run asks for, in a third of the time."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(file, 8192)
    except OSError:
        return b""  # it ended in between
    finally:
        os.close(file)


def others(keep, without=()):
    """Processes that this supervisor can see and that are not in `keep`. As PID 1 that is all there are.

    `without` names processes whose whole families are left out.
    """
    if not HAS_PROC:
        return []
    mine = os.getpid()
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    if mine == 1:
        found = [pid for pid in pids if pid != 1 and pid not in keep]
        if not without or not found:
            return found
        parents = {pid: parent(pid) for pid in pids}
        return [pid for pid in found if pid not in without and not any(descends(pid, top, parents) for top in without)]
    parents = {pid: parent(pid) for pid in pids}
    return [pid for pid in pids if pid not in keep and descends(pid, mine, parents)]


def parent(pid):
    fields = glance(f"/proc/{pid}/stat").rpartition(b") ")[2].split()
    return int(fields[1]) if len(fields) > 1 else 0


def descends(pid, ancestor, parents):
    step = parents.get(pid, 0)
    for _ in range(64):
        if step == ancestor:
            return True
        if step == 0:
            return False
        step = parents.get(step, 0)
    return False


def tasks_of(user):
    """How many processes and threads a user has on this machine."""
    count = 0
    for name in os.listdir("/proc") if HAS_PROC else ():
        try:
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == user:
                count += len(os.listdir(f"/proc/{name}/task"))
        except OSError:
            pass  # it has just ended
    return count if HAS_PROC else 4096


#: Calls in which the main thread of a kernel waits for its next request; of a shell the one that reads its input.
WAITING = {
    ("x86_64", "python"): {b"23", b"270", b"7", b"271", b"45", b"47"},
    ("x86_64", "bash"): {b"0"},
    ("aarch64", "python"): {b"72", b"73", b"207", b"212"},
    ("aarch64", "bash"): {b"63"},
}


class Gauge:
    """One process that every run asks about. Its files in /proc are opened once: finding them takes longer than reading
    them, and an open one never speaks of another process that got the same number later."""

    def __init__(self, pid):
        self.pid = pid
        self._files = {}
        for name in ("stat", "status"):
            self._file(name, os.O_RDONLY)

    def look(self):
        """(CPU time of its children that have ended, threads, peak resident bytes)"""
        fields = self._stat()
        peak = number_after(self._read("status"), b"\nVmHWM:", 0) * 1024
        return (_ended_ns(fields), int(fields[17]), peak) if len(fields) > 17 else (0, 1, peak)

    def rests(self, language):
        """Whether the main thread waits, and for its next request as far as that can be seen."""
        if not HAS_PROC:
            return True
        calls = WAITING.get((MACHINE, language))
        call = self._read("syscall").split() if calls else []
        if call:
            return call[0] in calls and (language != "bash" or call[1] == b"0x0")
        if calls and is_hidden(self.pid):
            return False  # it works behind a curtain
        fields = self._stat()
        return not fields or fields[0] != b"R"

    def stands(self):
        """Whether all of its tasks are stopped, or have ended."""
        fields = self._stat()
        if len(fields) > 17 and fields[17] == b"1":
            return fields[0] in STANDING
        return states(self.pid) <= STANDING

    def begin(self):
        """CPU time of its children that have ended. Its peak is counted from now on."""
        try:
            file = self._file("clear_refs", os.O_WRONLY)
            if file is not None:
                os.write(file, b"5")
        except OSError:
            pass  # it has ended
        return _ended_ns(self._stat())

    def close(self):
        for file in self._files.values():
            os.close(file)
        self._files = {}

    def _stat(self):
        return self._read("stat").rpartition(b") ")[2].split()

    def _read(self, name):
        try:
            file = self._file(name, os.O_RDONLY)
            return b"" if file is None else os.pread(file, 8192, 0)
        except OSError:
            return b""  # it has ended

    def _file(self, name, flags):
        """None when it cannot be opened, which may be otherwise later: a process that is being made cannot be read."""
        if name not in self._files and HAS_PROC:
            try:
                self._files[name] = os.open(f"/proc/{self.pid}/{name}", flags | os.O_CLOEXEC)
            except OSError:
                pass
        return self._files.get(name)


def is_hidden(pid):
    """Whether a process has closed its files in /proc: they are then somebody else's."""
    try:
        return os.stat(f"/proc/{pid}/stat").st_uid != os.geteuid()
    except OSError:
        return False  # it has ended


def cpu_ns(pid):
    return own_cpu_ns(pid) + ended_cpu_ns(pid)


def own_cpu_ns(pid):
    """CPU time of a process, by its own clock."""
    try:
        return time.clock_gettime_ns((~pid << 3) | 2) if HAS_PROC else 0
    except OSError:
        return 0


def ended_cpu_ns(pid):
    """CPU time of its children that have ended, in clock ticks."""
    return _ended_ns(glance(f"/proc/{pid}/stat").rpartition(b") ")[2].split())


def _ended_ns(fields):
    return (int(fields[13]) + int(fields[14])) * (1_000_000_000 // TICK) if len(fields) > 14 else 0


def number_after(text, label, otherwise):
    at = text.find(label)
    return otherwise if at < 0 else int(text[at + len(label) : at + len(label) + 20].split()[0])


def alive(pid):
    """One whose first thread has ended is, as long as another goes on."""
    fields = glance(f"/proc/{pid}/stat").rpartition(b") ")[2].split()
    return len(fields) > 17 and (fields[0] not in ENDED or int(fields[17]) > 1)


def place(pid):
    """Where /proc tells of a process: at its first thread, or, once that has ended and shows nothing, at another one."""
    path = f"/proc/{pid}"
    if has_memory(path):
        return path
    try:
        tasks = os.listdir(f"{path}/task")
    except OSError:
        return path
    return next((at for at in (f"{path}/task/{task}" for task in tasks) if has_memory(at)), path)


def has_memory(path):
    return not glance(f"{path}/statm").startswith(b"0 ")


def states(pid):
    """Of all tasks of a process: R, S, D, T (stopped), t (held) …"""
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return set()
    found = set()
    for task in tasks:
        fields = glance(f"/proc/{pid}/task/{task}/stat").rpartition(b") ")[2].split()
        found.update(fields[:1])
    return found


def numbers(pid):
    """The numbers of a process in each process namespace from this one down to its own."""
    for line in glance(f"/proc/{pid}/status").splitlines():
        if line.startswith(b"NSpid:"):
            return [int(number) for number in line.split()[1:]]
    return []


def resident(pids):
    total = 0
    for pid in pids:
        path = f"/proc/{pid}"
        fields = glance(f"{path}/statm").split()
        if fields[:1] == [b"0"]:
            path = place(pid)
            fields = glance(f"{path}/statm").split()
        if len(fields) > 1:
            total += int(fields[1]) * PAGE
            if int(fields[0]) * PAGE > WIDE:
                total += page_tables(path)
    return total


def page_tables(path):
    """What the system keeps to find the pages of a process: whoever touches one in two megabytes of a range that is
    never written to has no other memory."""
    return number_after(glance(f"{path}/status"), b"\nVmPTE:", 0) * 1024


class Held:
    """What descriptors hold for which the system counts no process."""

    def __init__(self, pids):
        self.sockets, self.pipes, self.watches = set(), set(), 0
        if sum(map(descriptors, pids)) <= FEW_DESCRIPTORS:
            return
        for path, info in open_files(pids):
            if stat.S_ISSOCK(info.st_mode):
                self.sockets.add(info.st_ino)
            elif stat.S_ISFIFO(info.st_mode):
                self.pipes.add(info.st_ino)
            elif stat.S_IFMT(info.st_mode) == 0 and self.watches <= MOST_WATCHES and link_of(path).endswith("[eventpoll]"):
                self.watches += read(path.replace("/fd/", "/fdinfo/"), LISTED).count(b"tfd:")

    def too_many(self):
        """Whether others than this sandbox would feel it."""
        return self.watches > MOST_WATCHES or len(self.pipes) > MOST_PIPES

    def bytes(self, in_sockets):
        """`in_sockets`: what may wait in sockets, where the system tells how many there are."""
        waiting = len(self.sockets) * SOCKET_BUFFER if in_sockets is None else in_sockets
        return waiting + len(self.pipes) * PIPE_BUFFER


def locks():
    """Of this sandbox. Those of open files are told of to the whole machine, and code here can have none."""
    told = read("/proc/locks", LISTED)
    return told.count(b"\n") - told.count(b"OFDLCK")


def unlinked_bytes(pids):
    """Of files that are open and have no name any more."""
    found = {}
    for _, info in open_files(pids):
        if stat.S_ISREG(info.st_mode) and info.st_nlink == 0:
            found[info.st_dev, info.st_ino] = info.st_blocks * 512
    return sum(found.values())


def open_files(pids):
    for pid in pids:
        folder = f"{place(pid)}/fd"
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            try:
                yield f"{folder}/{name}", os.stat(f"{folder}/{name}")
            except OSError:
                pass  # closed meanwhile


def descriptors(pid):
    """How many a process has open. A thread has no others: the filter sees to that."""
    try:
        # Newer systems say the number as the size.
        return os.stat(f"/proc/{pid}/fd").st_size or len(os.listdir(f"{place(pid)}/fd"))
    except OSError:
        return 0


def link_of(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""


def proportional(pids):
    """Like `resident`, but a page that several share counts once: slow, so only asked when that sum is too high."""
    total = 0
    for pid in pids:
        path = place(pid)
        for line in read(f"{path}/smaps_rollup").splitlines():
            if line.startswith(b"Pss:"):
                total += int(line.split()[1]) * 1024 + page_tables(path)
                break
    return total
