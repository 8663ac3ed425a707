"""A copy of a live Python kernel in a jail of its own.

The trusted side builds the new jail first: a supervisor cloned into new namespaces, in a box of its own. Then the kernel
forks, and the copy walks into the finished jail. It is user code by then and need not be trusted to: its system-call
filter came along, it has power over nothing but that jail, and the new supervisor looks at what it brought before it
takes it over. Files come last: the new supervisor copies the working folder, and the copy opens its files again there.

A process can only move down the tree of process namespaces. So that the original does not look down on its copy, the
original moves too, into a sibling of the copy's jail, and what stays above holds no user code.
"""

import os
import shutil
import signal
import socket
import stat
import struct
import typing

from . import frames, jail, launch, measure
from .descriptors import CONTROL

ARRIVAL_LIMIT = 20.0
ENDED = struct.Struct("<ii")
#: How the names of boxes begin that nobody has asked for yet.
SPARE = "spare-"
FORKS = f"{jail.PRIVATE}/forks"
ROOMS = ("work", "tmp", "forks")


class CannotFork(Exception):
    pass


# -- in the kernel ---------------------------------------------------------------------------------------------------


def walk_into(place):
    """In the forked copy: enters the namespaces of `place` and writes to its pipes, if it has any. Returns only inside."""
    namespaces, pipes = place[: len(jail.NAMESPACES)], place[len(jail.NAMESPACES) :]
    jail.enter(namespaces)
    if jail.fork():
        os._exit(0)  # only a child is in the new process namespace
    os.setsid()
    for target, fd in zip((1, 2), pipes):
        os.dup2(fd, target)
    close(place)
    jail.drop_capabilities()
    jail.set_dumpable(True)
    os.chdir("/work")


def let_go_of_parent(keep):
    """Closes what would still connect the two, but for files: those of the working folder are opened again when that
    has been copied."""
    nothing = os.open("/dev/null", os.O_RDWR)
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd in keep or fd == nothing:
            continue
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                # Not closed: an object may still hold the number, and would later close somebody else's.
                os.dup2(nothing, fd)
        except OSError:
            pass  # the descriptor of the list itself
    os.close(nothing)


def open_again():
    """Opens files of the working folder again in this one; those that cannot be, lead nowhere from now on."""
    for fd in map(int, os.listdir("/proc/self/fd")):
        try:
            target = os.readlink(f"/proc/self/fd/{fd}")
            if not stat.S_ISREG(os.fstat(fd).st_mode) or not target.startswith("/work/"):
                continue
            at = os.lseek(fd, 0, os.SEEK_CUR)
            flags = _flags_of(fd)
        except OSError:
            continue  # the descriptor of the list itself
        try:
            again = os.open(target, flags)
        except OSError:
            again = os.open("/dev/null", os.O_RDWR)
        else:
            os.lseek(again, at, os.SEEK_SET)
        os.dup2(again, fd)
        os.close(again)


def _flags_of(fd):
    import fcntl

    return fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_ACCMODE | os.O_APPEND)


# -- in the supervisor -----------------------------------------------------------------------------------------------


def clone_below(home, group=None):
    """A clone of this supervisor in namespaces below those in which the kernels live, and a link between the two."""
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
    ours.close()
    # Our own number as the parent sees it: its /proc says so.
    theirs.sendall(ENDED.pack(int(os.readlink("self", dir_fd=outside)), 0))
    os.close(outside)
    jail.map_ids(jail.INSIDE_ID, jail.INSIDE_ID)
    return 0, theirs


def close(fds):
    for fd in fds:
        os.close(fd)


def make_box(name):
    """The folders of a fork that is still to come. It gets its true name when it is wanted."""
    os.mkdir(f"{FORKS}/{name}", 0o700)
    for room in ROOMS:
        os.mkdir(f"{FORKS}/{name}/{room}", 0o700)


def name_box(spare, name):
    os.rename(f"{FORKS}/{spare}", f"{FORKS}/{name}")


def remove_spare_boxes():
    """Of forks that never came. A copy may have waited in one, and so may have left anything there."""
    for name in os.listdir(FORKS):
        if name.startswith(SPARE):
            shutil.rmtree(f"{FORKS}/{name}", ignore_errors=True)


def make_place(link, box):
    """In the clone: finishes the jail and hands the way into it to whoever holds the other end of `link`."""
    make_box(box)
    source = os.open("/work", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    jail.move_into_root(*(f"{FORKS}/{box}/{room}" for room in ROOMS))
    (out_read, out_write), (err_read, err_write) = launch.wide_pipe(), launch.wide_pipe()
    marks = {os.fstat(fd).st_ino for fd in (out_write, err_write)}
    place = [*jail.open_namespaces(), out_write, err_write]
    socket.send_fds(link, [b"."], place)
    close(place)
    return Place(source, (out_read, err_read), marks, shared_memory("self"))


def place_behind(link, pipes=0):
    """The way into the jail at the other end of `link`, once that is finished."""
    wanted = len(jail.NAMESPACES) + pipes
    link.settimeout(ARRIVAL_LIMIT)
    try:
        _, place, _, _ = socket.recv_fds(link, 1, wanted)
    except OSError:
        place = []
    if len(place) != wanted:
        raise CannotFork("no further jail could be made below this one")
    return place


def number_of(link):
    link.settimeout(ARRIVAL_LIMIT)
    try:
        data = link.recv(ENDED.size, socket.MSG_WAITALL)
    except (OSError, socket.timeout):
        data = b""
    if len(data) != ENDED.size:
        raise CannotFork("no further jail could be made below this one")
    return ENDED.unpack(data)[0]


class Place(typing.NamedTuple):
    """A finished jail, as its supervisor knows it."""

    source: int  # the working folder of the parent
    pipes: tuple  # the ends that are read
    marks: set  # what tells these pipes from others
    shared: set  # what this process shares with others from its first day, and so does every kernel


class Arrival:
    """The copy that has walked into this jail."""

    def __init__(self, link, place):
        self._link, self._place = link, place
        self._await_word()
        found = measure.others(set())
        if len(found) != 1:
            raise CannotFork("the kernel could not be copied")
        self.pid = found[0]
        try:
            look_at(self.pid, place)
            self._seen = True
        except CannotFork:
            self._seen = False  # perhaps only for files, which it cannot open again yet

    def kernel(self):
        """Takes it over, once the working folder has been copied."""
        if not self._seen:
            self._link.sendall(frames.encode({"type": "part"}))
            self._await_word()
            look_at(self.pid, self._place)
        return launch.Kernel("python", self.pid, self._link, *self._place.pipes)

    def _await_word(self):
        self._link.settimeout(ARRIVAL_LIMIT)
        if not self._link.recv(1):
            raise CannotFork("the kernel could not be copied")


def look_at(pid, place):
    """Refuses a copy that has kept a connection to its original: the two could talk past every wall."""
    for name in os.listdir(f"/proc/{pid}/fd"):
        link = f"/proc/{pid}/fd/{name}"
        target = os.readlink(link)
        info = os.stat(link)
        harmless = (
            target == "/dev/null"
            or int(name) == CONTROL
            or (stat.S_ISFIFO(info.st_mode) and info.st_ino in place.marks)
            or (stat.S_ISREG(info.st_mode) and os.path.exists(target) and os.path.samestat(info, os.stat(target)))
        )
        if not harmless:
            raise CannotFork("the kernel holds something open that cannot be copied: " + target[:100])
    for mapping in shared_memory(pid) - place.shared:
        if not is_of_the_system(mapping):
            raise CannotFork("the kernel shares memory that would stay common to both")


def shared_memory(pid):
    """Its lines of /proc/<pid>/maps. Also what is only read counts: the right to write can be asked for later."""
    found = set()
    for line in measure.read(f"/proc/{pid}/maps").split(b"\n"):
        rights = line.find(b" ") + 1
        if line[rights + 3 : rights + 4] == b"s":
            found.add(line)
    return found


def is_of_the_system(mapping):
    """Whether it shows a file that nobody in the jail can change. A name alone proves nothing: one from the parent's
    working folder may read like one of /usr."""
    place, _, _, device, inode, *name = mapping.split(maxsplit=5)
    if not name:
        return False
    try:
        info, system = os.stat(name[0]), os.statvfs(name[0])
    except OSError:
        return False
    major, minor = (int(part, 16) for part in device.split(b":"))
    return (os.makedev(major, minor), int(inode)) == (info.st_dev, info.st_ino) and bool(system.f_flag & os.ST_RDONLY)


class Home:
    """Namespaces in which the kernels of a forked sandbox live from then on, and the process that keeps them."""

    def __init__(self, keeper, link):
        self.keeper = keeper
        self.link = link
        self.namespaces = place_behind(link)
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


def wake(pid):
    """User code may have stopped what it could see waiting."""
    try:
        os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        pass


def end(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def keep_home(link):
    """In the clone: mounts a /proc for the new namespaces, hands them out, and from then on reports who ended."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    jail.mount("proc", "/proc", "proc", jail.MS_NOSUID | jail.MS_NODEV | jail.MS_NOEXEC)
    namespaces = jail.open_namespaces()
    socket.send_fds(link, [b"."], namespaces)
    close(namespaces)
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
