"""What the processes of a sandbox use, read from outside of them."""

import os
import stat
import time

PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = os.sysconf("SC_CLK_TCK")
HAS_PROC = os.path.isdir("/proc/self")
MACHINE = os.uname().machine
#: Ordinary code has no more sockets than this many descriptors, and need not be counted.
FEW_DESCRIPTORS = 128
#: States of tasks that do nothing: stopped, or ended.
STANDING = {b"T", b"Z", b"X"}


def _buffer():
    """How much one socket may hold."""
    try:
        with open("/proc/sys/net/core/wmem_default", encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 212_992


SOCKET_BUFFER = _buffer()


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
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
    fields = glance(f"/proc/{pid}/stat").rpartition(b") ")[2].split()
    return bool(fields) and fields[0] not in (b"Z", b"X")


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
        fields = glance(f"/proc/{pid}/statm").split()
        total += int(fields[1]) * PAGE if len(fields) > 1 else 0
    return total


def socket_bytes(pids):
    """What may wait in sockets, when there are many: the system counts it for nobody."""
    count = sum(names_in(f"/proc/{pid}/fd") for pid in pids)
    if count <= FEW_DESCRIPTORS:
        return 0
    sockets = set()
    for _, info in open_files(pids):
        if stat.S_ISSOCK(info.st_mode):
            sockets.add(info.st_ino)
    return len(sockets) * SOCKET_BUFFER


def unlinked_bytes(pids):
    """Of files that are open and have no name any more."""
    found = {}
    for _, info in open_files(pids):
        if stat.S_ISREG(info.st_mode) and info.st_nlink == 0:
            found[info.st_dev, info.st_ino] = info.st_blocks * 512
    return sum(found.values())


def open_files(pids):
    for pid in pids:
        try:
            names = os.listdir(f"/proc/{pid}/fd")
        except OSError:
            continue
        for name in names:
            try:
                yield pid, os.stat(f"/proc/{pid}/fd/{name}")
            except OSError:
                pass  # closed meanwhile


def names_in(folder):
    try:
        return os.stat(folder).st_size or len(os.listdir(folder))  # newer systems say the number as the size
    except OSError:
        return 0


def proportional(pids):
    """Like `resident`, but a page that several share counts once: slow, so only asked when that sum is too high."""
    total = 0
    for pid in pids:
        for line in read(f"/proc/{pid}/smaps_rollup").splitlines():
            if line.startswith(b"Pss:"):
                total += int(line.split()[1]) * 1024
                break
    return total
