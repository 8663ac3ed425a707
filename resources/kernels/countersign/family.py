"""Forks of this sandbox: making them, moving aside for them, and telling them when their kernel ended.

See `forking` for how a process gets from one jail into another.

Who sees a process end is a matter of where its parent stood: this supervisor, or the keeper of the home in which the
parent lived. A key (level, number) names a process for whoever sees it: level 0 is this supervisor, level n the keeper of
the n-th home; -1 is a fork's own kernel, whose end its parent's supervisor sees and passes down.
"""

import os
import socket
import time
import traceback

from _cellkernel import frames

from . import cgroups, folder, forking, jail, launch, measure, tracing
from .forking import CannotFork
from .tracing import CannotTrace

STOP_LIMIT = 2.0
FROM_PARENT = (-1, 0)
PIPES = 4


class Family:
    def __init__(self, supervisor, parent):
        self.supervisor = supervisor
        self.parent = parent
        if parent:
            parent.setblocking(False)
        self.homes = []
        self.forks = set()  # supervisors of forks
        self.copies = {}  # key of a fork's kernel: (its process, link to its supervisor)
        self.dropped = set()

    def links(self):
        return [*(home.link for home in self.homes), *([self.parent] if self.parent else [])]

    def own(self):
        """Processes of ours that are no user code."""
        return {home.keeper for home in self.homes}

    def relatives(self):
        """First processes of families that belong to forks."""
        self.forks = {pid for pid in self.forks if measure.alive(pid)}
        return self.forks | {pid for pid, _ in self.copies.values()}

    def endings(self):
        found = [((level, number), status) for level, home in enumerate(self.homes, 1) for number, status in forking.endings(home.link)]
        if self.parent:
            found += [(FROM_PARENT, status) for _, status in forking.endings(self.parent)]
        return found

    def copy_ended(self, key, status):
        if key not in self.copies:
            return False
        _, link = self.copies.pop(key)
        forking.tell_ending(link, status)
        link.close()
        return True

    def was_dropped(self, language):
        dropped = language in self.dropped
        self.dropped.discard(language)
        return dropped

    # -- making a copy -----------------------------------------------------------------------------------------

    def fork(self, request):
        supervisor = self.supervisor
        if supervisor.busy:
            supervisor.refuse(request, "busy", "A run is going on.")
            return
        if not supervisor.config["forks"] or not tracing.AVAILABLE:
            supervisor.refuse(request, "cannot-fork", "A copy could not be kept apart in a sandbox of this kind.")
            return
        try:
            kernel, held = self.hold_still()
            try:
                self.copy(kernel, held, request)
            except (OSError, CannotFork, CannotTrace):
                held.let_go()
                raise
        except (OSError, CannotFork, CannotTrace) as error:
            supervisor.refuse(request, "cannot-fork", str(error))
            return
        supervisor.reply(request, {})
        supervisor.flush()
        try:
            self.move(kernel, held)
        except (OSError, CannotFork, CannotTrace):
            held.end()
            self.dropped.add("python")
            supervisor.drop(kernel)
            supervisor.kill_others()

    def hold_still(self):
        """Every task of user code is ended or stopped, and seen to be, before anything else happens."""
        supervisor = self.supervisor
        kernel = supervisor.kernel("python")
        kernel.await_rest()
        if kernel.gauge.look()[1] > 1:
            raise CannotFork("The kernel has threads, which a copy would lose.")
        for other in list(supervisor.kernels.values()):
            if other is not kernel:
                # Below a kernel that can look down there can be no copy; its next run says so.
                self.dropped.add(other.language)
                supervisor.drop(other)
        supervisor.kill_others()
        kernel.stop()
        deadline = time.monotonic() + STOP_LIMIT
        while measure.states(kernel.pid) != {b"T"} or supervisor.living_others():
            if time.monotonic() > deadline:
                raise CannotFork("The kernel cannot be stopped.")
            time.sleep(0.0002)
        kernel.check_channel()
        return kernel, tracing.Held(kernel.pid)

    def copy(self, kernel, held, request):
        config = self.supervisor.config
        name = f"fork-{os.urandom(8).hex()}"
        group = cgroups.make(config["groups"], name, request["limits"]) if config.get("groups") else None
        order = {key: request[key] for key in ("id", "token", "limits")}
        child, link = forking.clone_below(self.homes[-1] if self.homes else None, group)
        if child == 0:
            system, connect, settings = config["system"], self.supervisor.connect, {**config, "group": None, "home": None}
            raise forking.Elsewhere(lambda: become_fork(link, settings, system, connect, name if group else None))
        place, copy = [], None
        try:
            passed = [config["meeting"], 2, *([config["groups"]] if group else [])]
            socket.send_fds(link, [frames.encode(order)], passed)
            forking.check_memory(kernel.pid, launch.SHARED)  # while the jail is made
            number = forking.number_of(link)
            _, place = forking.receive(link, len(jail.NAMESPACES) + PIPES)
            namespaces, (out, err, control, nothing) = place[: len(jail.NAMESPACES)], place[len(jail.NAMESPACES) :]
            marks = {forking.identity(os.fstat(fd)) for fd in (out, err, control)}
            copy = forking.Copy(kernel, held, namespaces, (out, err, control, nothing))
            copy.part(kernel.marks, *copy.numbers)
            (disk,) = folder.DEVICE.unpack(forking.receive(link, 0)[0])  # its root stands, and its files have been copied
            copy.enter_root()
            copy.give_up_rights()
            expected = dict(zip((kind for kind, _ in jail.NAMESPACES), (forking.identity(os.fstat(fd)) for fd in namespaces)))
            states, filters = (b"t",), forking.filters_of(kernel.pid)
            forking.check_confined(copy.pid, expected, states, filters)
            copy.reopen()
            forking.check_confined(copy.pid, expected, states, filters)
            forking.check_descriptors(copy.pid, marks, disk, os.stat("/work").st_dev)
            if group:
                group.take_in(copy.pid)
            inside = measure.numbers(copy.pid)[-1]
            key = self.key_of(copy.pid, len(self.homes))
            copy.held.let_go()
            self.copies[key] = (copy.pid, link)
            self.forks.add(number)
            link.sendall(frames.encode({"pid": inside}))
        except BaseException:
            if copy:
                copy.held.end()
            link.close()  # the supervisor at its other end gives up
            forking.end(child)
            if group:
                group.remove()
            raise
        finally:
            if child:
                forking.close(place)
        if group:
            group.close()

    # -- moving aside ------------------------------------------------------------------------------------------

    def move(self, kernel, held):
        """The original goes on in a sibling of its copy's jail."""
        child, link = forking.clone_below(self.homes[-1] if self.homes else None)
        if child == 0:
            try:
                forking.keep_home(forking.hold_only(link))
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        home = forking.Home(forking.number_of(link), link)
        self.homes.append(home)
        self.supervisor.config["home"] = home
        self.supervisor.network.move(home.listeners)
        self.supervisor.sockets.look_at(home.keeper)
        jail.children_into(home.namespaces[-1])
        copy = forking.Copy(kernel, held, home.namespaces)
        try:
            copy.enter_root()
            copy.give_up_rights()
            copy.enter_folder()
            expected = dict(zip((kind for kind, _ in jail.NAMESPACES), (forking.identity(os.fstat(fd)) for fd in home.namespaces)))
            forking.check_confined(copy.pid, expected, (b"t",), forking.filters_of(kernel.pid))
            key = self.key_of(copy.pid, len(self.homes) - 1)
            copy.held.let_go()
        except BaseException:
            copy.held.end()
            raise
        held.end()
        kernel.became(copy.pid, key)
        kernel.rest()

    @staticmethod
    def key_of(pid, level):
        numbers = measure.numbers(pid)
        return (level, numbers[level] if len(numbers) > level else 0)


def become_fork(link, config, system, connect, group_name):
    """In the clone, from the top: a supervisor of its own, in a jail of its own, for a copy that is brought to it."""
    link = forking.hold_only(link)
    try:
        (out_read, out_write), (err_read, err_write) = launch.wide_pipe(), launch.wide_pipe()
        ours, theirs = socket.socketpair()
        nothing = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
        namespaces = jail.open_namespaces()
        socket.send_fds(link, [b"."], [*namespaces, out_write, err_write, theirs.fileno(), nothing])
        data, passed = forking.receive(link, 3)
        ((order, _),) = frames.Decoder().feed(data)
        config["meeting"], log, *groups = passed
        os.dup2(log, 2)
        os.close(log)
        config["groups"] = groups[0] if groups else None
        group = cgroups.Group(groups[0], group_name) if groups else None
        marks = {forking.identity(os.fstat(fd)): name for fd, name in ((out_write, "stdout"), (err_write, "stderr"), (theirs.fileno(), "control"))}
        expected = {kind: forking.identity(os.fstat(fd)) for fd, (kind, _) in zip(namespaces, jail.NAMESPACES)}
        forking.close([*namespaces, out_write, err_write, nothing])
        theirs.close()
        source = os.open("/work", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        parents_disk = os.fstat(source).st_dev
        jail.make_root(system, order["limits"]["diskBytes"])
        folder.copy(source, "/work")
        disk = os.stat("/work").st_dev
        link.sendall(folder.DEVICE.pack(disk))
        host = connect(config)
        config = {**config, **order, "warm": (), "group": group}
        hello = {"type": "hello", "token": config.pop("token"), "role": "sandbox", "id": config["id"]}
        data, _ = forking.receive(link, 0)
        ((brought, _),) = frames.Decoder().feed(data)
    except (CannotFork, OSError, ValueError):
        os._exit(1)  # whoever asked has been told, or is about to be
    host.sendall(frames.encode(hello))
    try:
        pid = brought["pid"]
        deadline = time.monotonic() + STOP_LIMIT
        while measure.states(pid) != {b"T"} and time.monotonic() < deadline:
            time.sleep(0.0002)
        if measure.others({pid}):
            raise CannotFork("Somebody else is in the jail of the copy.")
        forking.check_confined(pid, expected, (b"T",), None)
        forking.check_descriptors(pid, set(marks), disk, parents_disk)
        from .supervisor import Supervisor

        own = Supervisor(host, config, connect, link)
        kernel = launch.Kernel("python", pid, ours, out_read, err_read, marks=marks)
        kernel.became(pid, FROM_PARENT)
        kernel.rest()
        own.kernels["python"] = kernel
    except (CannotFork, OSError) as error:
        host.sendall(frames.encode({"type": "failed", "message": str(error)}))
        os._exit(1)
    own.serve()
    os._exit(0)
