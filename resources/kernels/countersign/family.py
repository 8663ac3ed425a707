"""Forks of this sandbox: making them, moving aside for them, and telling them when their kernel ended.

See `forking` for how a process gets from one jail into another. A kernel that rests is copied ahead of the wish for a
fork, into a jail that waits with it: its twin. Before anything runs in the original the twin is ended, and one whose
original has run for a moment is not used: it would no longer be the same.

Who sees a process end is a matter of where its parent
stood: this supervisor, or the keeper of the home in which the parent lived. A key (level, number) names a process for
whoever sees it: level 0 is this supervisor, level n the keeper of the n-th home; -1 is a fork's own kernel, whose end
its parent's supervisor sees and passes down.
"""

import os
import select
import signal
import socket
import time
import traceback
import typing

from . import cgroups, folder, forking, frames, jail, measure

MOVE_LIMIT = 15.0
ARRIVAL_LIMIT = 5.0
NOTE_DELAY = 0.03
MOVE_DELAY = 0.1
SPARE_DELAY = 0.5
FROM_PARENT = (-1, 0)


class Spare(typing.NamedTuple):
    """A jail that waits for a fork: its supervisor, a link to it, its box, the way in, its control group if it has one."""

    number: int
    link: socket.socket
    box: str
    place: list
    group: object

    def let_go(self):
        self.link.close()
        forking.close(self.place)
        self.place.clear()

    def end(self):
        forking.end(self.number)
        self.let_go()
        if self.group:
            self.group.remove()


class Twin:
    """A copy of a resting kernel that nobody has asked for yet."""

    def __init__(self, kernel, spare):
        self.kernel = kernel
        self.spare = spare
        self.key = None
        self.cpu_ns = None  # what the original had used when the copy was known

    def is_the_same(self):
        """Time that the original has used since may have changed it, whatever it was: a signal, a timer."""
        return self.key is not None and measure.alive(self.spare.number) and self.cpu_ns == measure.own_cpu_ns(self.kernel.pid)


class Family:
    def __init__(self, supervisor, parent):
        self.supervisor = supervisor
        self.parent = parent
        if parent:
            parent.setblocking(False)
        self.homes = []
        self.forks = set()  # supervisors of forks
        self.copies = {}  # key of a fork's kernel: (its process, link to its supervisor)
        self.moving = None  # a kernel that has been copied and not yet moved aside
        self.expected = None  # the jail that a copy is walking into
        self.missed = []  # endings of processes that nobody knows, one of which may have been the expected copy
        self.note_at = None
        self.copied = False
        self.to_group = None
        self.move_at = 0.0
        self.spare = None  # a jail made ready for the next fork while nothing else was to do
        self.twin = None
        self.prepare_at = None
        self.dropped = set()

    def links(self):
        return [*(home.link for home in self.homes), *([self.parent] if self.parent else [])]

    def own(self):
        """Processes of ours that are no user code."""
        own = {home.keeper for home in self.homes}
        if self.moving:
            own.add(self.moving.pid)
        own.update(spare.number for spare in (self.spare, self.twin and self.twin.spare) if spare)
        return own

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
            if self.expected and key[0] == len(self.homes):
                self.missed.append(status)
            return False
        _, link = self.copies.pop(key)
        if self.twin and self.twin.key == key:
            self.drop_twin()
        else:
            forking.tell_ending(link, status)
            link.close()
        return True

    def lost(self, kernel):
        if self.moving is kernel:
            self.moving, self.copied, self.note_at = None, False, None
        if self.twin and self.twin.kernel is kernel:
            self.drop_twin()

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
        if not supervisor.config["forks"]:
            supervisor.refuse(request, "cannot-fork", "A copy could not be kept apart in a sandbox of this kind.")
            return
        kernel = supervisor.kernel("python")
        _, threads, _ = kernel.gauge.look()
        if threads > 1:
            supervisor.refuse(request, "cannot-fork", "The kernel has threads, which a copy would lose.")
            return
        supervisor.kill_others()
        order = {"id": request["id"], "limits": request["limits"]}
        try:
            if self.twin and self.twin.is_the_same():
                spare = self.hand_over(order)
            else:
                self.drop_twin()
                spare = self.copy(kernel, order)
            forking.name_box(spare.box, request["id"])
            self.forks.add(spare.number)
            self.moving, self.move_at = kernel, time.monotonic() + MOVE_DELAY
            supervisor.reply(request, {})
        except (OSError, forking.CannotFork) as error:
            supervisor.refuse(request, "cannot-fork", str(error))

    def hand_over(self, order):
        """The twin becomes the fork."""
        spare, self.twin = self.twin.spare, None
        forking.wake(spare.number)
        spare.link.sendall(frames.encode(order))
        self.copied = True
        return spare

    def copy(self, kernel, order=None):
        """Has the kernel copied into a jail; without an order its supervisor waits there for one."""
        self.check_spare()
        spare = self.spare or self.make_ready()
        self.spare = None
        forking.wake(spare.number)
        supervisor_end, kernel_end = socket.socketpair()
        socket.send_fds(kernel.control, [frames.encode({"type": "fork"})], [kernel_end.fileno(), *spare.place])
        socket.send_fds(spare.link, [frames.encode({"order": order})], [supervisor_end.fileno()])
        supervisor_end.close()
        kernel_end.close()
        forking.close(spare.place)
        spare.place.clear()
        self.expected = spare
        self.missed.clear()
        return spare

    def make_ready(self):
        """A supervisor in a finished jail of its own that waits to be told what it is for."""
        config = self.supervisor.config
        name = f"{forking.SPARE}{os.urandom(8).hex()}"
        group = cgroups.make(config["groups"], name, config["limits"]) if config.get("groups") else None
        child, link = forking.clone_below(self.homes[-1] if self.homes else None, group)
        if child == 0:
            self.become_fork(link, name, group)
        return Spare(forking.number_of(link), link, name, forking.place_behind(link, pipes=2), group)

    def become_fork(self, parent, box, group):
        """In the clone. Never returns: the stack below belongs to the original."""
        try:
            from .supervisor import Supervisor

            supervisor = self.supervisor
            self.leave_to_parent()
            jail.prepare_root(supervisor.config["system"])
            place = forking.make_place(parent, box)
            orders = frames.Channel(os.dup(parent.fileno()))
            task = orders.receive()
            if task is None:
                return  # the sandbox was closed and never forked
            kernel_link, order = socket.socket(fileno=orders.descriptors.pop()), task[0]["order"]
            arrival = None
            if order is None:
                try:
                    arrival = forking.Arrival(kernel_link, place)
                except (forking.CannotFork, OSError):
                    return  # the fork itself will say so
                task = orders.receive()
                if task is None:
                    return
                order = task[0]
            orders.close()
            config = {**supervisor.config, "limits": order["limits"], "home": None, "warm": (), "group": group}
            host = supervisor.connect(config)
            hello = {"type": "hello", "token": config["token"], "role": "sandbox", "id": order["id"]}
            host.sendall(frames.encode(hello))
            try:
                folder.copy(place.source, "/work")
                own = Supervisor(host, config, supervisor.connect, parent)
                kernel = (arrival or forking.Arrival(kernel_link, place)).kernel()
            except (forking.CannotFork, OSError) as error:
                host.sendall(frames.encode({"type": "failed", "message": str(error)}))
                return
            kernel.key = FROM_PARENT
            own.kernels["python"] = kernel
            own.serve()
        except BaseException:
            traceback.print_exc()  # a bug of ours: the host writes it to its log
        finally:
            os._exit(0)

    def leave_to_parent(self):
        """In a clone: what belongs to the original's supervisor is closed, not ended."""
        signal.set_wakeup_fd(-1)
        self.supervisor.host.close()
        for kernel in self.supervisor.kernels.values():
            kernel.close()
        for link in (*self.links(), *(link for _, link in self.copies.values())):
            link.close()
        if self.spare:
            self.spare.let_go()

    # -- ahead of the wish -------------------------------------------------------------------------------------

    def rested(self, delay=SPARE_DELAY):
        """Something in Python has ended. If nothing follows soon, the time is used to make the next fork quick."""
        if self.supervisor.config["forks"] and "python" in self.supervisor.kernels:
            self.prepare_at = time.monotonic() + delay

    def prepare(self):
        kernel = self.supervisor.kernels.get("python")
        if self.supervisor.busy or self.moving or self.twin or kernel is None:
            return
        try:
            self.check_spare()
            if self.spare is None:
                forking.remove_spare_boxes()
                self.spare = self.make_ready()
            _, threads, _ = kernel.gauge.look()
            # Nothing else may run meanwhile: it could see the copy. A kernel in JavaScript has timers.
            if threads == 1 and len(self.supervisor.kernels) == 1 and not self.supervisor.living_others():
                self.twin = Twin(kernel, self.copy(kernel))
        except (OSError, forking.CannotFork):
            pass  # the fork itself will say so

    def check_spare(self):
        """User code of the same sandbox can kill what waits for it; it then only waits longer for its fork."""
        if self.spare and not measure.alive(self.spare.number):
            self.drop_spare()

    def drop_spare(self):
        """One that was made before a move stands where the kernel can no longer go."""
        spare, self.spare = self.spare, None
        if spare:
            self.end_spare(spare)

    def drop_twin(self):
        """With its jail, where it may have left anything, and to the end: whoever runs next is not to see it."""
        twin, self.twin = self.twin, None
        if twin is None:
            return
        if twin.key in self.copies:
            forking.end(self.copies[twin.key][0])  # its jail takes it along, but it has as much to clear away
        self.end_spare(twin.spare)
        if self.expected is twin.spare:
            self.expected, self.note_at = None, None
        deadline = time.monotonic() + ARRIVAL_LIMIT
        while measure.alive(twin.spare.number) and time.monotonic() < deadline:
            self.supervisor.reap()  # the jail cannot end before somebody has taken note of the end of the copy
            time.sleep(0.0001)

    def end_spare(self, spare):
        self.forks.add(spare.number)  # it takes a moment to end, and is no process that a run has left behind
        spare.end()

    # -- moving aside ------------------------------------------------------------------------------------------

    def on_kernel(self, kernel, kind):
        if self.moving is not kernel and not (self.twin and self.twin.kernel is kernel):
            return
        try:
            if kind == "forked" and self.expected:
                # Looking for it takes the processor from the copy itself, which somebody waits for.
                self.note_at = time.monotonic() + NOTE_DELAY
            elif kind == "moved" and not self.copied:
                self.arrived(kernel)
        except (OSError, forking.CannotFork):
            self.give_up(kernel)

    def note_copy(self):
        spare, twin = self.expected, self.twin
        pid = self.newcomer(len(self.homes), spare.number)
        self.expected, self.note_at = None, None
        if pid is not None:
            key = self.key_of(pid, len(self.homes))
            self.copies[key] = (pid, spare.link)
            self.to_group = spare.group and (spare.group, pid)
        if twin is None:
            self.copied = True
        elif pid is None:
            self.drop_twin()
        else:
            self.move_to_group()
            twin.key, twin.cpu_ns = key, measure.own_cpu_ns(twin.kernel.pid)
        if pid is None and twin is None:
            for status in self.missed[-1:]:
                forking.tell_ending(spare.link, status)  # it has ended already
            spare.link.close()  # or it did not come to be, and its supervisor has said so

    def newcomer(self, level, through):
        """The process that has just become a child of whoever sees endings at that level. It came into the jail of
        `through`; when that is gone nobody will come."""
        seer = os.getpid() if level == 0 else self.homes[level - 1].keeper
        known = self.own() | self.relatives() | {kernel.pid for kernel in self.supervisor.kernels.values()}
        deadline = time.monotonic() + ARRIVAL_LIMIT
        while time.monotonic() < deadline and not self.missed and measure.alive(through):
            found = [pid for pid in measure.others(known) if measure.parent(pid) == seer and measure.alive(pid)]
            if len(found) == 1:
                return found[0]
            time.sleep(0.0005)  # the process that it came through is still leaving
            # Should it have ended already, the jail that it was in cannot end before somebody has taken note of that.
            self.supervisor.reap()
        return None

    @staticmethod
    def key_of(pid, level):
        numbers = measure.numbers(pid)
        return (level, numbers[level] if len(numbers) > level else 0)  # it may have ended and been forgotten by now

    def moments(self):
        found = (self.note_at, self.move_at if self.copied else None, self.prepare_at)
        return [moment for moment in found if moment is not None]

    def on_time(self):
        now = time.monotonic()
        if self.note_at is not None and now >= self.note_at:
            self.note_copy()
        if self.copied and now >= self.move_at:
            # It can wait a moment, because nothing runs here meanwhile: whoever wants the fork has it sooner.
            self.begin_moving()
        if self.prepare_at is not None and now >= self.prepare_at:
            self.prepare_at = None
            self.prepare()

    def begin_moving(self):
        self.copied = False
        try:
            self.move_to_group()
            self.move(self.moving)
        except (OSError, forking.CannotFork):
            self.give_up(self.moving)

    def move_to_group(self):
        """The copy came from this sandbox's group. Not done at once: the system takes its time over it."""
        if self.to_group:
            group, pid = self.to_group
            self.to_group = None
            group.take_in(pid)
            group.close()

    def move(self, kernel):
        """Kernels that cannot move are ended; their next run says so."""
        supervisor = self.supervisor
        for other in list(supervisor.kernels.values()):
            if other is not kernel:
                self.dropped.add(other.language)
                supervisor.drop(other)
        self.drop_spare()
        self.drop_twin()
        child, link = forking.clone_below(self.homes[-1] if self.homes else None)
        if child == 0:
            try:
                self.leave_to_parent()
                forking.keep_home(link)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        home = forking.Home(forking.number_of(link), link)
        socket.send_fds(kernel.control, [frames.encode({"type": "move"})], home.namespaces)
        self.homes.append(home)
        supervisor.config["home"] = home
        jail.children_into(home.namespaces[-1])

    def arrived(self, kernel):
        level = len(self.homes) - 1
        self.missed.clear()
        pid = self.newcomer(level, self.homes[-1].keeper)
        self.moving = None
        forking.end(kernel.pid)  # the original, should it not have left
        if pid is None:
            self.give_up(kernel)
            return
        kernel.became(pid, self.key_of(pid, level))
        kernel.rest()
        self.rested()

    def await_copy(self):
        """A copy that is on its way becomes known: until then it would be taken for a process of our own."""
        deadline = time.monotonic() + MOVE_LIMIT
        while self.expected and time.monotonic() < deadline:
            kernel = self.moving or (self.twin and self.twin.kernel)
            if kernel is None:
                return  # it has ended, and nobody will come
            if self.note_at is not None:
                self.note_copy()
            elif select.select([kernel.control], [], [], 0.1)[0]:
                self.supervisor.read_control(kernel)

    def settle(self, keep_twin=False):
        """Before anything else runs: a twin is ended, and a kernel on the move arrives, or is ended."""
        if self.twin:
            self.await_copy()
        if not keep_twin:
            self.drop_twin()
        kernel, deadline = self.moving, time.monotonic() + MOVE_LIMIT
        while self.moving is not None and time.monotonic() < deadline:
            if self.note_at is not None:
                self.note_copy()
            elif self.copied:
                self.begin_moving()
            elif select.select([kernel.control], [], [], 0.1)[0]:
                self.supervisor.read_control(kernel)
        if self.moving is not None:
            self.give_up(kernel)

    def give_up(self, kernel):
        self.moving, self.copied, self.note_at = None, False, None
        self.dropped.add("python")
        if self.supervisor.kernels.get("python") is kernel:
            self.supervisor.drop(kernel)
        self.supervisor.kill_others()
