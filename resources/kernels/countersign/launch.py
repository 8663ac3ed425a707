"""Starts kernels as children of the supervisor: Python by forking what is already loaded, the others by exec."""

import _signal
import fcntl
import itertools
import os
import resource
import select
import signal
import socket
import struct
import threading
import time

from _cellkernel import frames
from _cellkernel.descriptors import BASH_STDERR, BASH_STDOUT, CONTROL, LAST

from . import jail, measure, seccomp


#: How long a kernel that has reported the end of a run may compute, or sleep elsewhere, before it waits for the next one.
REST_LIMIT = 0.3
#: How often it is asked whether it computes or sleeps.
REST_LOOK = 0.001
#: The same where it waits for a processor, as it does on a busy machine.
REST_PATIENCE = 20.0
#: Tells a kernel that it is another process than it was.
COPIED = frames.encode({"type": "copied"})
#: Memory that every process here shares with others from its first day.
SHARED = frozenset()


class Confined(BaseException):
    """In a fork that is to be a Python kernel, when it has been confined: takes it out of all that the supervisor was
    doing, up to the entry of the program."""

    def __init__(self, work, linux):
        self.work, self.linux = work, linux


class Kernel:
    """The supervisor's side of a kernel: its process, its channel and its two output pipes."""

    def __init__(self, language, pid, control, stdout, stderr, stdin=None, address=None, marks=None):
        self.language = language
        self.copied = False  # into another process, which does not know it yet
        self.marks = marks or {}  # what tells its channel and its pipes from all others, by their ends in the kernel
        self.stopped = False
        self.address = address  # where it is still to call; until then `control` listens there
        self.backlog = b""
        self.outgoing = bytearray()  # what it has not taken yet of answers to its calls
        self.gauge = measure.Gauge(pid)
        control.setblocking(False)
        self.control = control
        self.pipes = {stdout: "stdout", stderr: "stderr"}
        self.ends = select.poll()
        self.ends.register(control, select.POLLIN)
        for fd in self.pipes:
            os.set_blocking(fd, False)
            self.ends.register(fd, select.POLLIN)
        self.stdin = stdin
        if stdin is not None:
            os.set_blocking(stdin, False)
        self.decoder = frames.Decoder(max_payload=frames.MAX_HEADER)
        self.status = None
        self.interrupts = 0  # how often it has been asked to stop
        self.ended_cpu_ns = 0  # what its children had used by the end of the last run
        self.key = (0, pid)  # under which its end will be seen; see `family`

    @property
    def pid(self):
        return self.gauge.pid

    def became(self, pid, key):
        """It goes on as another process."""
        self.gauge.close()
        self.gauge, self.key, self.interrupts = measure.Gauge(pid), key, 0
        self.stopped = self.copied = True

    def send(self, header, payload=b""):
        data = frames.encode(header, payload)
        if self.copied:
            # Not told before: what waits on its channel would be in the way of the next copy.
            self.copied, data = False, COPIED + data
        if self.address:
            self.backlog += data
        elif self.outgoing:
            self.outgoing += data  # not into the middle of an answer
        else:
            self._send(data)
        self.wake()

    def send_later(self, header, payload):
        """For what may be large: code that computes does not read, and nobody is to wait for it."""
        self.outgoing += frames.encode(header, payload)
        self.flush()

    def flush(self):
        while self.outgoing:
            try:
                with memoryview(self.outgoing) as view:
                    sent = self.control.send(view[: 1 << 18])
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                self.outgoing.clear()  # its end is heard of on the other side
                return
            del self.outgoing[:sent]

    def greet(self):
        """Its call has come. Anybody in the sandbox could have called, so who it was is asked of the system."""
        call, _ = self.control.accept()
        pid, _, _ = struct.unpack("3i", call.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        if pid != self.pid:
            call.close()
            return
        self._stop_listening()
        call.setblocking(False)
        self.control, self.address = call, None
        self.ends.register(call, select.POLLIN)
        self._send(self.backlog)

    def _stop_listening(self):
        self.ends.unregister(self.control)
        self.control.close()
        try:
            os.unlink(self.address)
        except OSError:
            pass  # user code can remove it too

    def _send(self, data):
        try:
            data = data[self.control.send(data) :]
        except BlockingIOError:
            pass
        finally:
            self.wake()
        if data:
            self.control.settimeout(1)  # a kernel that stops reading must not hold the supervisor
            try:
                self.control.sendall(data)
            finally:
                self.control.setblocking(False)

    def readable(self):
        """Which of its ends have something to be read."""
        return [fd for fd, _ in self.ends.poll(0)]

    def lose_pipe(self, fd):
        """Every writer has closed it."""
        self.ends.unregister(fd)
        del self.pipes[fd]
        os.close(fd)

    def stop(self):
        """Nothing of a kernel runs between two runs: no thread that a cell left behind, no timer, no handler."""
        if not self.stopped:
            self.stopped = True
            signal_to(self.pid, signal.SIGSTOP)

    def wake(self):
        """After it has been sent what it is to do: its threads take the processor from whoever wakes them."""
        if self.stopped:
            self.stopped = False
            signal_to(self.pid, signal.SIGCONT)

    def await_rest(self, limit=REST_LIMIT):
        """Whether it waits for its next request, seen from outside. One that says so and goes on working does not."""
        began = looked = time.monotonic()
        spent, slept = measure.own_cpu_ns(self.pid), 0
        for attempt in itertools.count():
            if self.stopped or self.gauge.rests(self.language):
                return True
            now = time.monotonic()
            if now > looked + REST_LOOK:  # to look at all its tasks takes longer than most kernels need
                if b"R" not in measure.states(self.pid):
                    slept += now - looked
                looked = now
                if slept > limit or measure.own_cpu_ns(self.pid) - spent > limit * 1e9 or now > began + REST_PATIENCE:
                    return False
            give_way(attempt)

    def stop_at_rest(self):
        """Stops it if it waits for its next request already, as it does after most runs: the threads that it has left
        behind do nothing then while the rest of the sandbox is looked at."""
        if self.gauge.rests(self.language):
            self.stop()

    def check_channel(self):
        """Raises unless the kernel still has the channel that it was given."""
        info = os.stat(f"/proc/{self.pid}/fd/{CONTROL}")
        if self.marks.get((info.st_dev, info.st_ino)) != "control":
            raise OSError("The kernel has replaced its channel.")

    def rest(self):
        """Notes where the next run begins, and stops it until then."""
        self.stop()
        self.ended_cpu_ns = self.gauge.begin()

    def close(self):
        self.gauge.close()
        if self.address:
            self._stop_listening()
        self.control.close()
        for fd in self.pipes:
            os.close(fd)
        if self.stdin is not None:
            os.close(self.stdin)


def start(language, config):
    # Deno takes forty milliseconds to learn to read a descriptor that it was given; it is quicker to be called by it,
    # where the system says truly who calls. A kernel in user space does not.
    calls = language == "javascript" and config["jailed"] and not config.get("lenient", False)
    address = f"{config['tmp']}/.kernel-{os.urandom(8).hex()}" if calls else None
    ours, theirs = (listen(address), None) if address else socket.socketpair()
    pipes = []
    try:
        for make in (wide_pipe, wide_pipe, os.pipe if language == "bash" else lambda: (None, None)):
            pipes += make()
        out_read, out_write, err_read, err_write, in_read, in_write = pipes
        descriptors = (theirs and theirs.fileno(), out_write, err_write, in_read)
        pid = spawn(language, config, *descriptors, address) if spawns(language, config) else None
        if pid is None:
            # None of what the interpreter does after a fork is needed, and it takes a millisecond: there is one thread here.
            pid = jail.fork() if config["linux"] else os.fork()
    except OSError:
        for fd in filter(None, pipes):
            os.close(fd)
        if address:
            os.unlink(address)
        raise
    if pid == 0:
        try:
            become(language, config, *descriptors, address)
        except Confined:
            raise
        except BaseException as error:  # the supervisor's loop must never go on in the child
            os.write(2, f"the kernel could not start: {error}\n".encode())
            os._exit(127)
    ends = ((theirs and theirs.fileno(), "control"), (out_write, "stdout"), (err_write, "stderr"))
    marks = {(info.st_dev, info.st_ino): name for info, name in ((os.fstat(fd), name) for fd, name in ends if fd)}
    if theirs:
        theirs.close()
    for fd in (out_write, err_write, in_read):
        if fd is not None:
            os.close(fd)
    return Kernel(language, pid, ours, out_read, err_read, in_write, address, marks)


def give_way(attempt):
    """Between two looks at a process that is on its way. One that is not there at the second look waits for a processor,
    most likely for ours: to go on looking keeps it from it, and to yield hands it to everybody else on a busy machine."""
    if attempt:
        time.sleep(0.00002)


def signal_to(pid, number):
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass


def spawns(language, config):
    """Whether the kernel is another program in the supervisor's own jail. Copying this process, with all that is loaded
    in it, only to replace the copy takes five milliseconds."""
    return language != "python" and config["jailed"] and not config.get("home") and os.getcwd() == config["work"]


def spawn(language, config, control, stdout, stderr, stdin, address):
    """What `become` does, for a program that is started without a copy of this process.

    A program inherits what binds the thread that starts it: one thread gives up its rights, starts the program and ends.
    Limits bind processes and not threads, so they are set on the program itself, before it is told anything. None when it
    cannot be started like this: a copy then says why, and the supervisor lives on.
    """
    nothing = os.open("/dev/null", os.O_RDWR)
    wanted = {0: nothing if stdin is None else stdin}
    if language == "bash":
        wanted |= {1: nothing, 2: nothing, BASH_STDOUT: stdout, BASH_STDERR: stderr}
    else:
        wanted |= {1: stdout, 2: stderr}
    if control is not None:
        wanted[CONTROL] = control
    actions = [(os.POSIX_SPAWN_DUP2, fd, target) for target, fd in wanted.items()]
    actions += [(os.POSIX_SPAWN_CLOSE, int(fd)) for fd in os.listdir("/proc/self/fd") if int(fd) not in wanted]
    program, arguments = command(language, config, address)
    result = []

    def start_bound():
        try:
            jail.wake_within(jail.USUALLY)
            jail.drop_capabilities()
            seccomp.apply(jail.libc, config["filters"][False])
            result.append(
                os.posix_spawn(
                    program,
                    [program, *arguments],
                    config["env"],
                    file_actions=actions,
                    setsid=True,
                    setsigmask=[],
                    setsigdef=[number for number in range(1, signal.NSIG) if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33)],
                )
            )
        except OSError:
            pass

    try:
        thread = threading.Thread(target=start_bound)
        thread.start()
        thread.join()
        for started in result:
            jail.limit(config["limits"], own_bytes(language), others=0, process=started, lenient=config.get("lenient", False))
            return started
    except (OSError, RuntimeError):  # RuntimeError: no thread can be started
        for started in result:  # it must not go on without limits
            os.kill(started, signal.SIGKILL)
    finally:
        os.close(nothing)
    return None


def listen(address):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(address)
    listener.listen(1)
    return listener


def wide_pipe():
    ends = os.pipe()
    try:
        fcntl.fcntl(ends[1], 1031, 256 * 1024)  # F_SETPIPE_SZ
    except (OSError, ValueError):
        pass
    return ends


def become(language, config, control, stdout, stderr, stdin, address):
    os.setsid()
    if config.get("home"):
        jail.enter(config["home"].namespaces[:-1])
    nothing = os.open("/dev/null", os.O_RDWR)
    if control is not None:
        place(control, CONTROL)
    if language == "bash":
        place(stdout, BASH_STDOUT)
        place(stderr, BASH_STDERR)
        stdout = stderr = nothing
    # Lift all three above the standard numbers first, so that no dup2 overwrites one that is still to be moved.
    for target, fd in enumerate([lift(fd) for fd in (nothing if stdin is None else stdin, stdout, stderr)]):
        os.dup2(fd, target)
    os.closerange(3, CONTROL if control is not None else CONTROL + 1)
    os.closerange(LAST + 1 if language == "bash" else CONTROL + 1, min(65_536, resource.getrlimit(resource.RLIMIT_NOFILE)[0]))
    for number in range(1, signal.NSIG):
        if _signal.getsignal(number) not in (_signal.SIG_DFL, None):  # None: not ours to set
            _signal.signal(number, _signal.SIG_DFL)  # `signal` looks up the name of each, which nobody wants to know
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.chdir(config["work"])
    jail_self(language, config)
    if language == "python":
        raise Confined(config["work"], config["linux"])
    program, arguments = command(language, config, address)
    os.execve(program, [program, *arguments], config["env"])


def command(language, config, address):
    program, *arguments = config["programs"][language]
    if language == "javascript" and config["jailed"]:
        *flags, script = arguments
        # Its network namespace holds nothing but the proxy.
        arguments = [*flags, "--allow-net", script, *([address] if address else [])]
    return program, arguments


def place(fd, target):
    if fd != target:
        os.dup2(fd, target)


def lift(fd):
    return fcntl.fcntl(fd, fcntl.F_DUPFD, 16)


def jail_self(language, config):
    others = 0 if config["jailed"] else measure.tasks_of(os.getuid())
    jail.limit(config["limits"], own_bytes(language), others, lenient=config.get("lenient", False))
    if not config["linux"]:
        return
    jail.wake_within(jail.USUALLY)
    if config["jailed"]:
        jail.drop_capabilities()
    seccomp.apply(jail.libc, config["filters"][language == "python"] if config["jailed"] else None)


def own_bytes(language):
    """What a kernel has mapped for itself, which is not the analyst's."""
    if language == "python":
        return jail.private_bytes()
    # V8 maps its code and tables as writable memory; the supervisor counts what is used.
    return (576 if language == "javascript" else 64) * 1024 * 1024
