"""PID 1 of a sandbox. Starts kernels, times and limits their runs, frames their output, and kills.

It never runs user code, and user code cannot reach it: it is not dumpable, it is the first process of its namespace
(which takes no signal from inside), and its link to the host is closed in every kernel before that kernel starts.

This file is the loop and the kernels; `running` is what happens during a run, `family` what happens in a fork.
"""

import itertools
import os
import select
import signal
import time

from _cellkernel import frames

from . import bash, census, cloning, folder, jail, launch, measure, sockets, stdio
from .calling import Calls
from .family import Family
from .network import Network
from .questioning import Questions
from .running import Running, error_of, verdict_of

CHUNK = 1 << 16
QUEUE_LIMIT = 1 << 20
#: More than the answers to all calls that may be open are, unless they are very long.
OUTGOING_LIMIT = 32 << 20
KILL_LIMIT = 20.0
EXIT_LIMIT = 0.5
#: How long a kernel that was told to stand still may take before it is ended.
STOP_LIMIT = 2.0
#: At the latest after this it is looked at again whether all stand still, however much there is to do.
SETTLE_LIMIT = 0.002
FEW = 8


class Supervisor:
    def __init__(self, host, config, connect, parent=None):
        self.host = host
        self.writing = host.write_fileno() if isinstance(host, stdio.Stdio) else host.fileno()
        self.config = config
        self.patience = config.get("patience", 1)  # how much slower than usual everything is here
        self.connect = connect
        self.decoder = frames.Decoder()
        self.queue = bytearray()
        self.gathering = False
        self.kernels = {}
        self.group = config.get("group")
        self.files = folder.Folder(config["work"], config["sized"])
        self.census = census.Census()
        self.sockets = sockets.Sockets()
        self.running = Running(self)
        self.questions = Questions(self)
        self.calls = Calls(self)
        self.family = Family(self, parent)
        self.network = Network(self)
        self.poll = select.poll()
        self.polled = {}
        self.closing = False
        self.resting = None  # a kernel that has been told to stand still, and was not looked at since
        self.settle_at = 0
        self.has_ended = False  # some process, of which nobody has taken note yet

    # -- the loop ----------------------------------------------------------------------------------------------

    def serve(self):
        self.host.setblocking(False)
        self.wake, wake_write = os.pipe()
        for fd in (self.wake, wake_write):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Python's own handler would end the supervisor at a wish from inside
        if self.config["linux"]:
            jail.ignore_stops()
            jail.wake_within(jail.SOON)
        self.tell({"type": "ready"})  # first: whoever waits for it gets ready while the kernels start
        for language in self.config.get("warm", ()):
            self.kernel(language)
        if self.config["jailed"]:
            # Before any user code is let in, and while its kernel gets ready.
            if self.config["linux"]:
                sockets.bound()
                self.sockets.look_at()
            self.network.listen()
        while not self.closing:
            self.watch_descriptors()
            ready = self.poll.poll(self.wait_ms())
            for fd, events in ready:
                if not self.network.on_ready(fd, events):
                    self.on_ready(fd)
            if self.has_ended or not ready:
                self.has_ended = False
                self.reap()
            self.questions.on_time()
            self.running.on_time()
            if self.resting and (not ready or time.monotonic() > self.settle_at):
                self.settle()
        self.end_everything()

    def watch_descriptors(self):
        """Polls what may be read now. While the host is behind, what user code prints and says waits in its pipe or its
        channel: that is back-pressure. So it does while a kernel does not take the answers to its calls."""
        wanted = {self.host.fileno(): select.POLLIN, self.wake: select.POLLIN}
        if self.queue:
            wanted[self.writing] = wanted.get(self.writing, 0) | select.POLLOUT
        for link in self.family.links():
            wanted[link.fileno()] = select.POLLIN  # read by `reap`
        behind = len(self.queue) >= QUEUE_LIMIT
        for kernel in self.kernels.values():
            hears = not behind and len(kernel.outgoing) < OUTGOING_LIMIT
            wanted[kernel.control.fileno()] = (select.POLLIN if hears else 0) | (select.POLLOUT if kernel.outgoing else 0)
            if not behind:
                for fd in kernel.pipes:
                    wanted[fd] = select.POLLIN
        wanted |= self.network.wanted(behind)
        if wanted != self.polled:
            for fd in self.polled:
                if fd not in wanted:
                    self.poll.unregister(fd)
            for fd, mask in wanted.items():
                if self.polled.get(fd) != mask:
                    self.poll.register(fd, mask)
            self.polled = wanted

    def forget(self, fds):
        for fd in fds:
            if self.polled.pop(fd, None) is not None:
                self.poll.unregister(fd)

    def wait_ms(self):
        if self.resting:
            return 1
        moments = [*self.running.moments(), *self.questions.moments()]
        return max(0, min(moments) - time.monotonic()) * 1000 + 0.5 if moments else None

    def on_ready(self, fd):
        if fd == self.writing:
            self.flush()
        if fd == self.host.fileno():
            self.on_host()
        elif fd == self.wake:
            self.has_ended = True
            try:
                os.read(self.wake, 512)
            except BlockingIOError:
                pass
        elif fd != self.writing:
            for kernel in list(self.kernels.values()):
                if fd in kernel.pipes:
                    self.read_pipe(kernel, fd)
                    return
                if fd == kernel.control.fileno():
                    kernel.flush()
                    self.read_control(kernel)
                    return
            self.has_ended = True  # the family has word of it

    # -- the host ----------------------------------------------------------------------------------------------

    def tell(self, header, payload=b""):
        self.queue += frames.encode(header, payload)
        if not self.gathering:
            self.flush()

    def reply(self, request, value, payload=b""):
        try:
            self.tell({"type": "reply", "n": request["n"], "ok": True, "value": value}, payload)
        except frames.BadFrame:  # code has made it so: very long names, very deep values
            self.refuse(request, "failed", "The answer is too long to be told.")

    def refuse(self, request, code, message):
        self.tell({"type": "reply", "n": request["n"], "ok": False, "code": code, "message": message})

    def flush(self):
        while self.queue:
            try:
                with memoryview(self.queue) as view:
                    sent = self.host.send(view[: 1 << 18])
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                self.closing = True
                return
            del self.queue[:sent]

    def on_host(self):
        try:
            data = self.host.recv(CHUNK)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data:
            self.closing = True  # the application is gone, or has let go of this sandbox
            return
        for header, payload in self.decoder.feed(data):
            self.on_request(header, payload)

    def on_request(self, header, payload):
        kind = header["type"]
        if kind != "run":
            self.settle()
        if kind == "run":
            self.network.begin()
            self.running.start(header, payload)
        elif kind == "interrupt":
            self.running.interrupt()
        elif kind == "output-limit":
            self.running.kill("output")
        elif kind == "restart":
            self.restart()
            self.reply(header, {})
        elif kind.startswith("net-"):
            self.network.on_host(kind, header, payload)
        elif kind == "called":
            self.calls.on_host(header, payload)
        elif kind == "ask":
            self.questions.ask(header, payload)
        elif kind == "file":
            self.on_file(header, payload)
        elif kind == "ping":
            self.reply(header, {})
        elif kind == "usage":
            self.reply(header, self.usage())
        elif kind == "fork":
            self.family.fork(header)
        elif kind == "renew":
            cloning.renew(header["renewal"])
            self.network.restart()
            self.calls.restart()
            self.reply(header, {})
        elif kind == "close":
            self.closing = True

    @property
    def busy(self):
        return self.running.run is not None or self.questions.asking is not None

    # -- kernels -----------------------------------------------------------------------------------------------

    def kernel(self, language):
        language = "javascript" if language == "typescript" else language
        found = self.kernels.get(language)
        if found is None:
            found = self.kernels[language] = launch.start(language, self.config)
            self.census.forget()
            if language == "bash":
                bash.introduce(found, self.config["run"])
        return found

    def let_go(self, kernel):
        self.forget((kernel.control.fileno(), *kernel.pipes))
        kernel.close()
        self.census.forget()
        if self.kernels.get(kernel.language) is kernel:
            del self.kernels[kernel.language]

    def drop(self, kernel):
        """Kills a kernel and forgets it; the next run in its language gets a fresh one."""
        if not measure.HAS_PROC:
            kill(-kernel.pid)  # its children cannot be looked up; those that stayed in its group go with it
        kill(kernel.pid)
        if kernel.status is None and kernel.key[0] == 0:
            try:
                kernel.status = os.waitpid(kernel.pid, 0)[1]
            except ChildProcessError:
                pass
        self.let_go(kernel)

    def reap(self):
        """Takes in what has ended, of our own children and of those that others see end for us."""
        while True:
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            self.ended((0, pid), status, used.ru_utime + used.ru_stime)
        for key, status in self.family.endings():
            self.ended(key, status, 0)

    def ended(self, key, status, cpu_seconds):
        if self.family.copy_ended(key, status):
            return
        kernel = next((kernel for kernel in self.kernels.values() if kernel.key == key), None)
        if kernel is None:
            self.running.add_cpu(cpu_seconds)
        else:
            kernel.status = status
            self.drain(kernel)
            self.let_go(kernel)
            self.running.kernel_gone(kernel, *verdict_of(status))
            self.questions.kernel_gone(kernel)

    def read_pipe(self, kernel, fd):
        try:
            data = os.read(fd, CHUNK)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            data = b""
        if not data:
            self.forget((fd,))  # or the loop would spin on the hang-up
            kernel.lose_pipe(fd)
            return False
        if self.running.is_of(kernel):
            self.tell({"type": "stream", "name": kernel.pipes[fd]}, data)
        return True

    def drain(self, kernel):
        """What was written before this moment comes before whatever is told next. Bounded: a child may write for ever."""
        for fd in kernel.readable():
            for _ in range(64):
                if fd not in kernel.pipes or not self.read_pipe(kernel, fd):
                    break

    def read_control(self, kernel):
        """Whether there was something, and may be more."""
        try:
            if kernel.address:
                kernel.greet()
                return False
            data = kernel.control.recv(CHUNK)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            data = b""
        if not data:
            self.channel_lost(kernel)
            return False
        self.gathering = True  # a result and the end of its run come together, and need wake the host only once
        try:
            if self.running.is_of(kernel):
                self.drain(kernel)
            for header, payload in kernel.decoder.feed(data):
                self.on_kernel(kernel, header, payload)
            return True
        except (frames.BadFrame, OSError):
            self.channel_lost(kernel)
            return False
        finally:
            self.gathering = False
            self.flush()

    def channel_lost(self, kernel):
        """The kernel closed its channel or spoke nonsense on it: nothing more can be expected of it."""
        deadline = time.monotonic() + EXIT_LIMIT
        while time.monotonic() < deadline:  # one that is just exiting gets its true exit code
            self.reap()
            if self.kernels.get(kernel.language) is not kernel:
                return
            time.sleep(0.001)
        self.drain(kernel)
        self.drop(kernel)
        message = "The code closed the kernel's own channel."
        self.running.kernel_gone(kernel, None, error_of("killed", "ChannelClosed", message))
        self.questions.kernel_gone(kernel)

    def on_kernel(self, kernel, header, payload):
        """A kernel's word, which is user code's word: believed only about that user code's own run."""
        kind = header.get("type")
        if kind in ("output", "done"):
            self.running.on_kernel(kernel, header)
        elif kind == "call":
            self.calls.on_kernel(kernel, header, payload)
        elif kind in ("answer", "asked"):
            self.questions.on_kernel(kernel, header, payload)

    def others(self):
        """Processes of this sandbox besides its kernels. Its forks are below it, but they are not its own."""
        return self.census.others({kernel.pid for kernel in self.kernels.values()} | self.family.own(), self.family.relatives())

    def living_others(self):
        """Without those that have ended and that the code has not waited for: they stay until it does, or ends."""
        return [pid for pid in self.others() if measure.alive(pid)]

    def kill_others(self):
        """Ends every process but the kernels, and says how many there were.

        First all are stopped, then killed: a fork bomb whose processes are killed one by one makes a new one for each
        that it loses, while stopped ones keep their places and cannot.
        """
        if self.census.nobody_came():
            return 0
        deadline = time.monotonic() + KILL_LIMIT
        stopped = set()
        left = self.living_others()
        while len(left) > 1 and not stopped.issuperset(left) and time.monotonic() < deadline:
            for pid in left:
                kill(pid, signal.SIGSTOP)
            stopped.update(left)
            left = self.living_others()
        count = len(left)
        while left and time.monotonic() < deadline:
            for pid in left:
                kill(pid)
            self.reap()
            left = self.living_others()
            if left:
                time.sleep(0.001)  # the dying need the processor too
        if count > FEW:
            self.reap_below()
        return count

    def put_to_rest(self, kernel):
        """After it has run, nothing of the sandbox runs. That it really stands still is seen a moment later, or before
        anything else is asked for: whoever waits for the end of the run, or for the next, is not to wait for this."""
        if self.kernels.get(kernel.language) is kernel:
            kernel.rest()
        if kernel.language != "javascript":  # which may start no process and send no signal
            self.resting, self.settle_at = kernel, time.monotonic() + SETTLE_LIMIT

    def goes_on(self, language):
        """It runs again before it was looked at: only what it has started meanwhile is ended."""
        if self.resting and self.resting.language == language:
            self.resting = None
            self.kill_others()
        else:
            self.settle()

    def settle(self):
        """Sees that nothing runs. A thread may have started a process since the others were ended; the code may have woken
        another kernel; and the end of a child wakes its parent, if the parent has asked for that."""
        if not self.resting:
            return
        self.resting = None
        deadline = time.monotonic() + STOP_LIMIT * self.patience
        while not self.all_stand(deadline) or self.kill_others() or not self.all_stand(deadline):
            if time.monotonic() > deadline:
                for each in self.woken():
                    self.drop(each)
                self.kill_others()
                return

    def woken(self):
        """Kernels that should stand still and do not."""
        return [kernel for kernel in self.kernels.values() if kernel.stopped and not kernel.gauge.stands()]

    def stop_woken(self):
        for kernel in self.woken():
            launch.signal_to(kernel.pid, signal.SIGSTOP)

    def all_stand(self, deadline):
        """Whether all do, which each that does not is told once more."""
        for attempt in itertools.count():
            woken = self.woken()
            if not woken or time.monotonic() > deadline:
                return not woken
            if attempt % 50 == 49:  # at first it is most likely on its way
                self.stop_woken()
            launch.give_way(attempt)

    def reap_below(self):
        """The dead count as processes until somebody has waited for them: after a fork bomb there would be no room for
        new ones. A few are left to the code, which may want to know how they ended."""
        python = self.kernels.get("python")
        if python:
            try:
                python.send({"type": "reap"})
            except OSError:
                pass  # it does not listen; the next run will find out

    def restart(self):
        self.running.kill("interrupt")
        for kernel in list(self.kernels.values()):
            self.drop(kernel)
        self.kill_others()

    def end_everything(self):
        for kernel in list(self.kernels.values()):
            kill(kernel.pid)
        self.kill_others()
        self.host.close()
        # A fork lives in namespaces below this one and would end with it: stay, holding nothing, while there is one.
        wait = 0.001
        while self.family.relatives():
            time.sleep(wait)
            wait = min(0.5, wait * 2)
            self.reap()

    # -- files and figures ---------------------------------------------------------------------------------------

    def on_file(self, request, payload):
        try:
            op = request["op"]
            if op == "list":
                self.reply(request, self.files.list(request["path"]))
            elif op == "read":
                data, size = self.files.read(request["path"], request["offset"], request["length"])
                self.reply(request, {"size": size}, data)
            elif op == "write":
                self.files.write(request["path"], payload, request["append"])
                self.reply(request, {})
            elif op == "remove":
                self.files.remove(request["path"])
                self.reply(request, {})
            if op in ("write", "remove"):
                self.running.files_changed()
        except folder.Refused as error:
            self.refuse(request, "refused", str(error))
        except FileNotFoundError:
            self.refuse(request, "missing", "There is no such file.")
        except OSError as error:
            self.refuse(request, "failed", os.strerror(error.errno or 5))

    def usage(self):
        pids = [*(kernel.pid for kernel in self.kernels.values()), *self.living_others()]
        return {
            "memoryBytes": measure.resident(pids),
            "cpuTimeMs": sum(map(measure.cpu_ns, pids)) / 1e6,
            "processes": len(pids),
            "diskBytes": self.running.disk_bytes(pids),
        }


def kill(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass
