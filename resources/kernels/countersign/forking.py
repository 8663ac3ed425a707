"""A copy of a live Python kernel in a jail of its own.

The trusted side builds the new jail first: a supervisor cloned into new namespaces, with a copy of the working folder.
Then the kernel forks, and the copy walks into the finished jail. It is user code by then and need not be trusted to:
its system-call filter came along, it has power over nothing but that jail, and the new supervisor looks at what it
brought before it takes it over.

A process can only move down the tree of process namespaces. So that the original does not look down on its copy, the
original moves too, into a sibling of the copy's jail, and what stays above holds no user code.
"""

import os
import re
import signal
import socket
import stat
import struct

from . import folder, frames, jail, launch, measure
from .descriptors import CONTROL

ARRIVAL_LIMIT = 20.0
ENDED = struct.Struct("<ii")


class CannotFork(Exception):
    pass


# -- in the kernel ---------------------------------------------------------------------------------------------------


def walk_into(link):
    """In the forked copy: enters the namespaces that come over `link` and goes on there. Returns only inside."""
    _, fds, _, _ = socket.recv_fds(link, 1, len(jail.NAMESPACES) + 2)
    count = len(jail.NAMESPACES)
    if len(fds) < count:
        os._exit(1)  # the jail was not finished
    jail.enter(fds[:count])
    for fd in fds[:count]:
        os.close(fd)
    if os.fork():
        os._exit(0)  # only a child is in the new process namespace
    os.setsid()
    for target, fd in zip((1, 2), fds[count:]):
        os.dup2(fd, target)
    for fd in fds[count:]:
        os.close(fd)
    jail.drop_capabilities()
    jail.set_dumpable(True)
    os.chdir("/work")


def part_with_parent(keep):
    """Opens files of the working folder again in this one, and closes what would still connect the two."""
    nothing = os.open("/dev/null", os.O_RDWR)
    for name in os.listdir("/proc/self/fd"):
        fd = int(name)
        if fd in keep or fd == nothing:
            continue
        try:
            target = os.readlink(f"/proc/self/fd/{fd}")
            mode = os.fstat(fd).st_mode
            if stat.S_ISREG(mode) and target.startswith("/work/"):
                at = os.lseek(fd, 0, os.SEEK_CUR)
                flags = _flags_of(fd)
                again = os.open(target, flags)
                os.lseek(again, at, os.SEEK_SET)
                os.dup2(again, fd)
                os.close(again)
            elif not stat.S_ISREG(mode):
                # Not closed: an object may still hold the number, and would later close somebody else's.
                os.dup2(nothing, fd)
        except OSError:
            try:
                os.dup2(nothing, fd)
            except OSError:
                pass
    os.close(nothing)


def _flags_of(fd):
    import fcntl

    return fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_ACCMODE | os.O_APPEND)


# -- in the supervisor -----------------------------------------------------------------------------------------------


def clone_below(home):
    """A clone of this supervisor in namespaces below those in which the kernels live, and a link between the two."""
    ours, theirs = socket.socketpair()
    outside = os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    if home is None:
        child = jail.clone(jail.ALL)
    else:
        helper = os.fork()  # in the kernels' process namespace, which clone needs to stand in itself
        if helper:
            os.waitpid(helper, 0)
            child = helper
        else:
            try:
                jail.enter(home.namespaces[:-1])
                child = jail.clone(jail.ALL)
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


def number_of(link):
    link.settimeout(ARRIVAL_LIMIT)
    try:
        data = link.recv(ENDED.size, socket.MSG_WAITALL)
    except (OSError, socket.timeout):
        data = b""
    if len(data) != ENDED.size:
        raise CannotFork("no further jail could be made below this one")
    return ENDED.unpack(data)[0]


def take_over(config, request, kernel_link, connect):
    """In the clone: becomes the supervisor of the copy. Returns its connection to the host and its kernel."""
    host = connect(config)
    host.sendall(frames.encode({"type": "hello", "token": config["token"], "role": "sandbox", "id": request["id"]}))
    try:
        box = f"{jail.PRIVATE}/forks/{request['id']}"
        folder.copy("/work", f"{box}/work")
        jail.move_into_root(f"{box}/work", f"{box}/tmp", f"{box}/forks")
        out_read, out_write = launch.wide_pipe()
        err_read, err_write = launch.wide_pipe()
        namespaces = jail.own_namespaces()
        socket.send_fds(kernel_link, [b"."], [*namespaces, out_write, err_write])
        own = {os.fstat(fd).st_ino for fd in (out_write, err_write)}
        for fd in (*namespaces, out_write, err_write):
            os.close(fd)
        kernel_link.settimeout(ARRIVAL_LIMIT)
        if not kernel_link.recv(1):
            raise CannotFork("the kernel could not be copied")
        found = measure.others(set())
        if len(found) != 1:
            raise CannotFork("the kernel could not be copied")
        look_at(found[0], own)
    except (CannotFork, OSError) as error:
        host.sendall(frames.encode({"type": "failed", "message": str(error)}))
        os._exit(1)
    kernel_link.settimeout(1)
    for fd in (out_read, err_read):
        os.set_blocking(fd, False)
    return host, launch.Kernel("python", found[0], kernel_link, out_read, err_read)


def look_at(pid, pipes):
    """Refuses a copy that has kept a connection to its original: the two could talk past every wall."""
    for name in os.listdir(f"/proc/{pid}/fd"):
        link = f"/proc/{pid}/fd/{name}"
        target = os.readlink(link)
        info = os.stat(link)
        harmless = (
            target == "/dev/null"
            or int(name) == CONTROL
            or (stat.S_ISFIFO(info.st_mode) and info.st_ino in pipes)
            or (stat.S_ISREG(info.st_mode) and os.path.exists(target) and os.path.samestat(info, os.stat(target)))
        )
        if not harmless:
            raise CannotFork("the kernel holds something open that cannot be copied: " + target[:100])
    if re.search(rb"^\S+ .w.s ", measure.read(f"/proc/{pid}/maps"), re.MULTILINE):
        raise CannotFork("the kernel shares memory that would stay common to both")


class Home:
    """Namespaces in which the kernels of a forked sandbox live from then on, and the process that keeps them."""

    def __init__(self, keeper, link):
        self.keeper = keeper
        self.link = link
        _, self.namespaces, _, _ = socket.recv_fds(link, 1, len(jail.NAMESPACES))
        if len(self.namespaces) != len(jail.NAMESPACES):
            raise CannotFork("no further jail could be made below this one")
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
    namespaces = jail.own_namespaces()
    socket.send_fds(link, [b"."], namespaces)
    for fd in namespaces:
        os.close(fd)
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
