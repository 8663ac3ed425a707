"""One run: its start, its limits, its end. Time, memory, files and exit codes are taken from outside the kernel."""

import errno
import os
import signal
import time

from _cellkernel import frames

from . import bash, folder, launch, measure

TICK = 0.02
DISK_TICK = 0.2
#: How long a kernel that was asked to stop may take before it is killed. Python sees the request only between two steps
#: of the interpreter, and a library may be in the middle of a long one; the others see it at once or never.
GRACE = {"python": 2.0, "javascript": 0.4, "bash": 0.4}
#: A second request within this time is the first one, come by two ways.
AGAIN = 0.3
#: How long the clock of a run may stand still in all while it waits for tools. The same figure as in `tools.ts`.
WAIT_LIMIT = 600.0
#: Kernels of other languages hold less than this by themselves.
NOTEWORTHY = 64 << 20


class Run:
    def __init__(self, request, kernel, group, tick):
        self.id = request["run"]
        self.kernel = kernel
        self.started = time.monotonic()
        self.deadline = self.started + request["timeoutMs"] / 1000
        self.tools = {f"{server}.{name}" for server, names in request.get("tools", {}).items() for name in names}
        self.waiting_since = None  # since when it waits for the answer to a call
        self.wait_left = WAIT_LIMIT
        self.cpu_limit_ns = request["timeoutMs"] * 2_000_000
        self.stopped_at = None
        self.ask_at = None  # when it is asked once more to stop
        self.kill_at = None
        self.reason = None  # why the supervisor ended it: timeout, interrupt, memory, disk, cpu, output
        self.cpu_before = measure.own_cpu_ns(kernel.pid) + kernel.ended_cpu_ns
        self.cpu_after = None
        self.cpu_others = 0.0
        self.group = group
        self.group_before = self.cpu_of_group()
        self.killed_before = group.out_of_memory() if group else 0
        self.state = None  # what the kernel says of its variables
        self.seen = {}  # processor time of processes, by number
        self.peak = 0
        self.held_elsewhere = 0  # by other kernels, when there was too much
        self.threads = 1
        self.next_tick = self.started + tick / 4
        self.next_disk = self.started + DISK_TICK

    def waits(self, waiting):
        """The clock stands still while a call is under way; processor time and memory are limited all the same."""
        if waiting and self.waiting_since is None:
            self.waiting_since = time.monotonic()
        elif not waiting and self.waiting_since is not None:
            stood = self.stood_still(time.monotonic())
            self.deadline += stood
            self.wait_left -= stood
            self.waiting_since = None

    def stood_still(self, now):
        return 0 if self.waiting_since is None else min(now - self.waiting_since, self.wait_left)

    def look(self):
        of_children, self.threads, peak = self.kernel.gauge.look()
        self.cpu_after = measure.own_cpu_ns(self.kernel.pid) + of_children
        self.peak = max(self.peak, peak)

    def spent_ns(self, pids):
        """Of every process that was ever seen: one whose parent does not ask how it ended is added to nobody's time."""
        self.seen.update((pid, measure.cpu_ns(pid)) for pid in pids)
        alive = set(pids)
        ended = sum(spent for pid, spent in self.seen.items() if pid not in alive)
        of_alive = sum(self.seen[pid] for pid in alive) - self.cpu_before
        return max(of_alive + self.cpu_others * 1e9, self.seen[self.kernel.pid] - self.cpu_before + ended)

    def cpu_of_group(self):
        """Of the kernels and of all that they started, without the supervisor, which is in the group as well."""
        return self.group.cpu_ns() - time.process_time_ns() if self.group else 0

    def cpu_ms(self):
        kernel = 0 if self.cpu_after is None else max(0, self.cpu_after - self.cpu_before)
        return max(kernel / 1e6 + self.cpu_others * 1e3, (self.cpu_of_group() - self.group_before) / 1e6)

    def is_out_of_memory(self):
        return self.group is not None and self.group.out_of_memory() > self.killed_before


class Running:
    def __init__(self, supervisor):
        self.supervisor = supervisor
        # Where everything is slow, looking is too: a small run would spend a tenth of its time on being looked at.
        self.tick = TICK * supervisor.patience
        self.run = None
        self.before = supervisor.files.snapshot()
        self.was_full = self.is_full()

    def is_of(self, kernel):
        return self.run is not None and self.run.kernel is kernel

    def moments(self):
        if self.run is None:
            return ()
        run = self.run
        latest = run.deadline + (0 if run.waiting_since is None else run.wait_left)
        return (run.next_tick, latest if run.kill_at is None else run.kill_at)

    # -- start and end -----------------------------------------------------------------------------------------

    def start(self, request, code):
        supervisor = self.supervisor
        for kernel in list(supervisor.kernels.values()):
            for _ in range(64):  # what a kernel said before belongs to no run: the answer to a question, a second end
                if not kernel.readable() or not supervisor.read_control(kernel):
                    break
        # After that, since the end of a question puts its kernel to rest.
        supervisor.goes_on(request["language"])
        for kernel in list(supervisor.kernels.values()):
            supervisor.drain(kernel)  # nor does what a left-over thread printed between two runs
        try:
            kernel = supervisor.kernel(request["language"])
        except OSError as error:
            self.tell_end({**NOTHING, "run": request["run"], "error": not_started(error)})
            return
        self.run = Run(request, kernel, supervisor.group, self.tick)
        try:
            if kernel.language == "bash":
                bash.run(kernel, request, code)
            else:
                wanted = {key: request[key] for key in ("type", "language", "args", "env")}
                tools = request.get("tools", {})
                kernel.send({**wanted, "tools": tools, "interrupts": kernel.interrupts}, code)
        except OSError:
            supervisor.channel_lost(kernel)

    def on_kernel(self, kernel, header):
        if not self.is_of(kernel):
            return
        if header["type"] == "done":
            code, error = header.get("exitCode"), header.get("error")
            self.run.state = header.get("state")
            self.finish(code if type(code) is int and 0 <= code <= 255 else None, error if isinstance(error, dict) else None)
            return
        output = header.get("output")
        if isinstance(output, dict) and output.get("type") in ("display", "update", "clear", "result", "stream"):
            self.supervisor.tell({"type": "output", "output": output})
            if output["type"] in ("display", "update", "clear") and kernel.language == "python":
                kernel.send({"type": "shown"})

    def kernel_gone(self, kernel, exit_code, error):
        if self.is_of(kernel):
            if self.run.reason is None and self.run.is_out_of_memory():
                self.run.reason = "memory"
            self.finish(exit_code, error)

    def add_cpu(self, seconds):
        if self.run:
            self.run.cpu_others += seconds

    def interrupt(self):
        """Whoever asks a second time does not want to wait for the variables."""
        if self.run is None:
            return
        if self.run.reason is None:
            self.stop("interrupt")
        elif time.monotonic() > self.run.stopped_at + AGAIN:
            self.kill(self.run.reason)

    def stop(self, reason):
        """Asks the kernel to stop and keep its variables; after a grace it is killed."""
        run, kernel = self.run, self.run.kernel
        run.reason = reason
        run.stopped_at = time.monotonic()
        run.next_tick = run.stopped_at + self.tick
        grace = GRACE[kernel.language] * self.supervisor.patience
        run.kill_at = run.stopped_at + grace
        # The first signal may reach a shell before it has read what it is to run, and what it raises in Python is lost
        # where it strikes a finalizer.
        run.ask_at = {"bash": run.next_tick, "python": run.stopped_at + grace / 2}.get(kernel.language)
        kernel.interrupts += 1
        self.signal()

    def signal(self):
        kernel = self.run.kernel
        if kernel.language == "javascript":
            try:
                kernel.send({"type": "interrupt"})
            except OSError:
                pass
            return
        for number in (signal.SIGCONT, signal.SIGINT):
            try:
                if kernel.language == "bash":
                    os.killpg(kernel.pid, number)
                else:
                    os.kill(kernel.pid, number)
            except (ProcessLookupError, PermissionError):
                pass

    def kill(self, reason):
        run = self.run
        if run is None:
            return
        run.reason = reason if run.reason is None else run.reason
        run.look()
        self.supervisor.drain(run.kernel)
        self.supervisor.drop(run.kernel)
        self.finish(None, None)

    def finish(self, exit_code, error):
        supervisor, run = self.supervisor, self.run
        alive = supervisor.kernels.get(run.kernel.language) is run.kernel
        if alive:
            run.look()
            if run.threads > 1 and run.kernel.language != "javascript":  # which always has some
                run.kernel.stop_at_rest()
        left = supervisor.kill_others()
        full = self.is_full()
        filled = run.reason == "disk" or (full and not self.was_full)
        if run.reason is None and filled:
            run.reason = "disk"
        self.run = None
        supervisor.calls.end()
        elapsed = time.monotonic() - run.started
        after = supervisor.files.snapshot()
        if alive and run.reason is None and not run.kernel.await_rest(launch.REST_LIMIT * supervisor.patience):
            # It has written the end of its own run and goes on.
            supervisor.drop(run.kernel)
            left, alive, exit_code, error = supervisor.kill_others(), False, None, WENT_ON
            after = supervisor.files.snapshot()
        if filled:
            self.undo_files()
            if alive and self.is_full():
                supervisor.drop(run.kernel)  # it holds files that have no name
                alive = False
            after, full = supervisor.files.snapshot(), self.is_full()
        self.tell_end(
            {
                "type": "done",
                "run": run.id,
                "exitCode": exit_code if run.reason in (None, "interrupt") else None,
                "error": error,
                "reason": run.reason,
                "stateLost": not alive,
                "state": run.state if alive else None,
                "elapsedMs": elapsed * 1000,
                "cpuMs": run.cpu_ms(),
                "peakBytes": run.peak,
                "files": folder.changes(self.before, after),
                "warnings": self.notes(run, alive, left, filled, after),
            }
        )
        self.before, self.was_full = after, full
        supervisor.flush()  # what follows is for the next run, and nobody is to wait for it
        supervisor.put_to_rest(run.kernel)

    def tell_end(self, done):
        """Whatever else cannot be told, the end of a run is."""
        try:
            self.supervisor.tell(done)
        except frames.BadFrame:
            self.supervisor.tell({**done, "error": TOO_LONG, "state": None})

    def notes(self, run, alive, left, filled, after):
        notes = []
        if self.supervisor.family.was_dropped(run.kernel.language):
            notes.append("The variables of this language were dropped when the sandbox was forked.")
        if left and run.reason is None:
            notes.append(f"{left} process(es) that the run left behind were ended.")
        if run.held_elsewhere > NOTEWORTHY:
            notes.append(f"{run.held_elsewhere >> 20} MB of that are held by kernels of other languages.")
        if alive and run.threads > 1 and run.kernel.language == "python":
            notes.append("The run left a thread behind; it stands still between runs.")
        if filled and run.reason != "disk":
            notes.append("The run filled the disk; the files it made were removed.")
        if not after.complete:
            notes.append("The working folder holds too many files, or closed folders, to list all changes.")
        return notes

    # -- limits ------------------------------------------------------------------------------------------------

    def on_time(self):
        run, now = self.run, time.monotonic()
        if run is None:
            return
        if run.kill_at is not None and now >= run.kill_at:
            self.kill(run.reason)
        elif run.kill_at is None and now >= run.deadline + run.stood_still(now):
            self.stop("timeout")
        elif now >= run.next_tick:
            run.next_tick = now + self.tick
            if run.ask_at is not None and now >= run.ask_at:
                run.ask_at = None
                run.kernel.interrupts += 1
                self.signal()
            self.check_limits(now)

    def check_limits(self, now):
        run, config = self.run, self.supervisor.config
        self.supervisor.stop_woken()
        pids = [run.kernel.pid, *self.supervisor.others()]
        idle = [kernel.pid for kernel in self.supervisor.kernels.values() if kernel is not run.kernel]
        used, is_too_much = self.memory_of(pids, idle)
        run.peak = max(run.peak, used)
        if is_too_much:
            run.held_elsewhere = measure.proportional(idle)
            self.kill("memory")
        elif run.spent_ns(pids) > run.cpu_limit_ns:
            self.kill("cpu")
        elif now >= run.next_disk:
            has_locks = config["jailed"] and measure.locks() > measure.MOST_LOCKS
            full = not config["sized"] and self.disk_bytes(pids) > config["limits"]["diskBytes"]
            # What takes long to look at is looked at less often.
            run.next_disk = time.monotonic() + max(DISK_TICK, 5 * (time.monotonic() - now))
            if has_locks or full:
                self.kill("memory" if has_locks else "disk")

    def memory_of(self, pids, idle):
        """(bytes of the first, whether those of both are more than a sandbox may have)"""
        limit = self.supervisor.config["limits"]["memoryBytes"]
        held = measure.Held([*pids, *idle])
        in_line = held.bytes(self.supervisor.sockets.bytes())
        used, of_idle = measure.resident(pids) + in_line, measure.resident(idle)
        if used + of_idle > limit:
            used, of_idle = measure.proportional(pids) + in_line, measure.proportional(idle)
        return used, used + of_idle > limit or held.too_many()

    def disk_bytes(self, pids):
        """What the sandbox has on disk. What cannot be counted to the end counts as too much."""
        config = self.supervisor.config
        if config["sized"]:
            return folder.used(config["work"])[0]
        work, tmp = self.supervisor.files.snapshot(), folder.walk_at(config["tmp"])
        counted = work.bytes + tmp.bytes + measure.unlinked_bytes(pids)
        return counted if work.counted and tmp.counted else max(counted, config["limits"]["diskBytes"] + 1)

    def is_full(self):
        return self.supervisor.config["sized"] and folder.used(self.supervisor.config["work"])[1]

    # -- files -------------------------------------------------------------------------------------------------

    def files_changed(self):
        """The person changed a file: no run is to be blamed for it."""
        if self.run is None:
            self.before, self.was_full = self.supervisor.files.snapshot(), self.is_full()

    def undo_files(self):
        """A run that filled the disk loses what it made; otherwise the next one would find the disk full."""
        self.supervisor.files.undo(self.before)
        folder.clear(self.supervisor.config["tmp"])


def error_of(kind, name, message):
    return {"kind": kind, "name": name, "message": message, "traceback": []}


def not_started(error):
    why = "the disk of the sandbox is full" if error.errno == errno.ENOSPC else os.strerror(error.errno or errno.EIO)
    return error_of("runtime", "KernelNotStarted", f"The kernel could not be started: {why}.")


#: The end of a run that has not begun.
NOTHING = {
    "type": "done",
    "exitCode": None,
    "reason": None,
    "stateLost": False,
    "state": None,
    "elapsedMs": 0,
    "cpuMs": 0,
    "peakBytes": 0,
    "files": {"created": [], "modified": [], "deleted": []},
    "warnings": [],
}
TOO_LONG = error_of("runtime", "TooLong", "What the kernel said of the end of its run is too long to be shown.")
WENT_ON = error_of("killed", "NotAtRest", "The code went on after it had reported its own end, so it was ended.")


def verdict_of(status):
    """(exit code, error) of a kernel that ended by itself."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
        return None, error_of("killed", name, f"The process was ended by {name}.")
    code = os.WEXITSTATUS(status)
    return code, error_of("runtime", "Exit", f"The process ended with exit code {code}.") if code else None
