"""The Python kernel: runs cells in one namespace and answers questions about it.

It shares its process with user code, so nothing it says is trusted: the supervisor takes time, memory, exit codes and
file changes from outside, and bounds what comes over the channel.
"""

import __future__
import _signal
import ast
import builtins
import gc
import linecache
import os
import signal
import sys
import threading
import time
import types

from . import calls, display, extending, frames, handlers, history, ipython, magics, questions, shell, shown, state
from .descriptors import CONTROL
from .failures import describe, exit_code, problem, release
from .later import later
from .streams import NoInput, Stream, same_file, usable

asyncio = later("asyncio")
TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
#: What `from __future__ import …` of one cell turns on holds for those after it.
FUTURE = __future__.annotations.compiler_flag
CO_COROUTINE = 0x80
HERE = os.path.dirname(os.path.abspath(__file__))
#: Modules for cells. The jail shows these alone of all that stands beside this package.
LIBRARY = next(filter(os.path.isdir, ("/opt/countersign/library", os.path.join(os.path.dirname(HERE), "library"))))


class Nowhere:
    """A channel on which nobody listens."""

    def send_encoded(self, data):
        pass


FINE = {"type": "done", "exitCode": 0, "error": None}
#: The end of a run that left all variables as they were.
NOTHING_NEW = frames.encode({**FINE, "state": state.compare({}, {})})
#: How many inputs and results of earlier cells stay at hand.
MOST_REMEMBERED = 100
#: What works only while a loop runs: notebooks have one all the time.
WANTS_LOOP = frozenset(("create_task", "ensure_future", "get_running_loop"))


def assigned(node):
    """The name that a last line gives a value to, to be shown."""
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) or not isinstance(target, ast.Name):
        return None
    return ast.copy_location(ast.Expr(ast.copy_location(ast.Name(target.id, ast.Load()), node)), node)


async def inside(compiled, space):
    return eval(compiled, space)


def shows_itself(value):
    """Some objects draw what they are and leave nothing to be shown."""
    own = None if isinstance(value, type) else getattr(value, "_ipython_display_", None)
    if not callable(own):
        return False
    try:
        own()
    except NotImplementedError:
        return False
    return True


def shows(node):
    """A statement that is only a value shows it."""
    if not isinstance(node, ast.Expr):
        return node
    call = ast.Call(ast.Name("display", ast.Load()), [node.value], [])
    return ast.fix_missing_locations(ast.copy_location(ast.Expr(ast.copy_location(call, node)), node))


class Kernel:
    def __init__(self, channel):
        self.channel = channel
        self.count = 0
        self.loop = None
        self.future = 0
        self.lock = threading.Lock()
        self.streams = ()
        self.broken = []
        self.spare = (os.dup(1), os.dup(2))
        self.main = types.ModuleType("__main__")
        self.main.__dict__.update(__builtins__=builtins, __name__="__main__", __annotations__={})
        sys.modules["__main__"] = self.main
        self.pid = os.getpid()
        self.exposed = False
        self.interrupts = 0
        self.captured = None  # what is shown while a cell captures it
        self.calls = calls.Calls(self)
        self.handlers = handlers.Handlers(self)

    def serve(self):
        builtins.input = NoInput()._refuse
        for name in ("HTML", "Markdown", "JSON", "SVG"):
            setattr(builtins, name, getattr(shown, name))
        builtins.ToolError = calls.ToolError
        self.shell = answer = shell.Shell(self)
        builtins.display = ipython.offer(self, answer)
        builtins.In, builtins.Out, builtins._dh = [""], {}, [os.getcwd()]
        builtins._ih, builtins._oh = builtins.In, builtins.Out
        builtins.get_ipython = lambda: answer
        self.names_before = set(self.main.__dict__)
        self.hear_interrupts()
        if not self.channel.waiting():
            self.rehearse()
        while True:
            frame = self.channel.receive()
            if frame is None:
                os._exit(0)
            request, payload = frame
            kind = request.get("type")
            if kind == "run":
                self.run(payload.decode("utf-8"), request)
            elif kind == "ask":
                self.answer(request, payload.decode("utf-8"))
            elif kind == "reap":
                reap()
            elif kind == "copied":
                self.copied()

    # -- interrupts --------------------------------------------------------------------------------------------

    def hear_interrupts(self):
        """The cell may have changed it. Without the module `signal`, which spends longer on looking for a number by the
        name of this method than a small cell takes to run."""
        _signal.signal(_signal.SIGINT, self.on_interrupt)

    def on_interrupt(self, *_):
        """Outside of user code an interrupt is only counted: an exception there would lose a frame that is half read or
        half written, and with it the kernel."""
        self.interrupts += 1
        if self.exposed:
            raise KeyboardInterrupt

    def expose(self, interrupts):
        """From here on an interrupt stops the cell. One that was meant for this cell may have come before the cell did:
        then more have come than the supervisor had sent by the time it asked for the run."""
        self.exposed = True
        self.handlers.ring_of_earlier()
        early, self.interrupts = self.interrupts > interrupts, interrupts
        if early:
            raise KeyboardInterrupt

    def catch_up(self, before):
        """What came while the kernel worked for itself strikes the cell that goes on."""
        self.handlers.ring_late()
        if self.interrupts > before:
            raise KeyboardInterrupt

    # -- running -----------------------------------------------------------------------------------------------

    def run(self, code, request):
        self.count += 1
        self.name = name = f"<cell {self.count}>"
        before = state.look(self.main.__dict__, self.names_before)
        tail = b""
        outcome = dict(FINE)
        self.prepare(code, name, request)
        self.enter(code)
        try:
            try:
                self.expose(request["interrupts"])
                tail = self.perform(code, name)
            except SystemExit as leaving:
                outcome["exitCode"] = exit_code(leaving.code)
                if outcome["exitCode"] != 0:
                    outcome["error"] = problem("runtime", leaving, [])
            except BaseException as error:  # whatever user code throws ends its run, never the kernel
                sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
                if not self.shell.handles(error):
                    outcome["exitCode"] = 130 if isinstance(error, KeyboardInterrupt) else 1
                    outcome["error"] = describe(error, name)
                if isinstance(error, MemoryError):
                    release(error)
            self.flush()
            self.exposed = False
        except BaseException as error:  # a second interrupt, or a __str__ that throws
            self.exposed = False
            outcome["exitCode"] = 1
            outcome["error"] = {"kind": "runtime", "name": type(error).__name__, "message": "", "traceback": []}
        self.hear_interrupts()
        self.calls.end()
        try:
            after = state.look(self.main.__dict__, self.names_before)
            if outcome == FINE and after == before:
                end = tail + NOTHING_NEW
            else:
                end = tail + frames.encode({**outcome, "state": state.compare(before, after)})
        except (ValueError, frames.BadFrame):
            end = frames.encode({"type": "done", "exitCode": 1, "error": None})
        with self.lock:
            self.channel.send_encoded(end)

    def perform(self, code, name):
        """Runs the cell and shows what it comes to; the frame that is still to be sent."""
        events, tail = self.shell.events, b""
        events.trigger("pre_execute")
        events.trigger("pre_run_cell", self.shell)
        try:
            value = self.execute(code, name)
            if isinstance(value, history.Again):
                value = self.execute(value, name)
        except BaseException:
            display.leave_no_figures(self.display)
            raise
        if value is not None:
            self.remember(value)
            if not shows_itself(value):
                data, metadata = display.bundle(value)
                tail = display.frame("result", data, metadata)
        if tail and display.has_figures():
            # As in other notebooks: what the last line says, then what was drawn.
            self.flush()
            with self.lock, calls.Shielded(self):
                self.channel.send_encoded(tail)
            tail = b""
        display.show_figures(self.display)
        events.trigger("post_execute")
        events.trigger("post_run_cell", self.shell)
        return tail

    def remember(self, value):
        """`_`, `__`, `___`, `_7` and `Out`, as in IPython; only the last of them, since each keeps its value alive."""
        space = vars(builtins)
        builtins.___, builtins.__, builtins._ = space.get("__"), space.get("_"), value
        builtins.Out[self.count] = space[f"_{self.count}"] = value
        while (oldest := next(iter(builtins.Out))) <= self.count - MOST_REMEMBERED:
            del builtins.Out[oldest]
            space.pop(f"_{oldest}", None)

    def enter(self, code):
        """`In`, `_i`, `_ii`, `_iii`: the inputs of cells."""
        entered, space = builtins.In, vars(builtins)
        for at, name in enumerate(("_i", "_ii", "_iii"), 1):
            space[name] = entered[-at] if len(entered) >= at else ""
        entered.append(code)
        self.shell.kernel.hear(code)

    def prepare(self, code, name, request):
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        sys.argv = ["cell", *request.get("args", [])]
        if request.get("env"):
            os.environ.update(request["env"])
        builtins.tools = self.calls.begin(request.get("tools", {}))
        self.hear_interrupts()
        self.captured = None
        Stream.kernel_pid, Stream.last = self.pid, None
        for fd, spare in zip((1, 2), self.spare):
            if not same_file(fd, spare):
                os.dup2(spare, fd)  # an earlier cell closed or replaced it
        if not all(map(usable, self.streams)):
            self.streams = ()
        if not self.streams:
            self.streams = (Stream(1, self.spare[0]), Stream(2, self.spare[1]))
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__ = self.streams
        sys.stdin = sys.__stdin__ = NoInput()

    def execute(self, code, name):
        space = self.main.__dict__
        code = magics.translate(code, space.keys())
        tree = ast.parse(code, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        value = None
        wanted = self.shell.ast_node_interactivity
        if wanted == "all":
            tree.body = [shows(node) for node in tree.body]
        elif wanted == "none":
            tree.body, last = [*tree.body, *([last] if last else [])], None
        elif wanted == "last_expr_or_assign" and last is None and tree.body:
            last = assigned(tree.body[-1])
        for transformer in self.shell.ast_transformers:
            tree = ast.fix_missing_locations(transformer.visit(tree))
        if tree.body:
            self.evaluate(self.compile(tree, name, "exec"), space)
        if last is not None and not silenced(code, last):
            value = self.evaluate(self.compile(ast.Expression(last.value), name, "eval"), space)
        elif last is not None:
            self.evaluate(self.compile(ast.Module([last], []), name, "exec"), space)
        return value

    def compile(self, tree, name, mode):
        compiled = compile(tree, name, mode, TOP_LEVEL_AWAIT | self.future, dont_inherit=True)
        self.future |= compiled.co_flags & FUTURE
        return compiled

    def evaluate(self, compiled, space):
        is_plain = not compiled.co_flags & CO_COROUTINE
        if is_plain and not WANTS_LOOP.intersection(compiled.co_names):
            return eval(compiled, space)
        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
        task = self.loop.create_task(inside(compiled, space) if is_plain else types.FunctionType(compiled, space)())
        try:
            return self.loop.run_until_complete(task)
        except KeyboardInterrupt:
            task.cancel()
            raise

    def flush(self):
        try:
            for stream in self.streams:
                if usable(stream):
                    stream.flush()
        except OSError:
            # The cell closed the descriptor. What the object still holds must not turn up in a later cell's output,
            # so it is neither used again nor destroyed, which would write it.
            self.broken.append(self.streams)
            self.streams = ()

    def display(self, *objects, raw=False, include=None, exclude=None, metadata=None, display_id=None, update=False, **_):
        """Shows each object in the richest forms that it knows; with a name, so that it can be updated later."""
        for thing in objects:
            if not raw and shows_itself(thing):
                continue
            data, found = (display.raw_bundle(thing), {}) if raw else display.bundle(thing)
            data = {mime: each for mime, each in data.items() if extending.wanted(mime, include, exclude)}
            if self.captured is not None:
                self.captured.append(data)
                continue
            self.show(display.frame("update" if update else "display", data, {**found, **(metadata or {})}, display_id))

    def clear(self, wait=False):
        """Takes back what the cell has shown: at once, or when there is something to show instead."""
        if self.captured is not None:
            self.captured.clear()
        else:
            self.show(frames.encode({"type": "output", "output": {"type": "clear", "wait": bool(wait)}}))

    def show(self, frame):
        self.flush()
        with self.lock:
            if os.getpid() != self.pid:
                return
            with calls.Shielded(self) as shield:
                if shield.is_main:
                    self.calls.show(frame)  # until the supervisor has taken it: what is printed next comes after it
                else:
                    self.channel.send_encoded(frame)

    def rehearse(self):
        """Does what a run does, with nothing in it: the memory that it writes to is still shared with the process that
        this one was forked from, and is copied now, while nobody waits, rather than in the first cell."""
        channel, self.channel = self.channel, Nowhere()
        try:
            self.run("0;", {"interrupts": self.interrupts})
        except Exception:
            pass  # of names that the user's code has replaced: the run itself will tell
        self.channel = channel
        self.count -= 1
        del builtins.In[-1:]

    # -- copies ------------------------------------------------------------------------------------------------

    def copied(self):
        """This process is now a copy, or goes on as another process; its supervisor has seen to the rest."""
        self.pid = os.getpid()
        self.lock = threading.Lock()
        self.calls.reset()
        self.interrupts = 0  # as the supervisor counts them from now on: an old one would stop the first cell
        self.abandoned = self.loop  # its descriptors were the original's; destroyed, it would close them a second time
        self.loop = None
        self.rehearse()

    # -- questions ---------------------------------------------------------------------------------------------

    def answer(self, request, code):
        """In a forked copy: a __repr__ that loops or destroys costs the copy, not the variables."""
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            self.channel.send({"type": "asked", "n": request.get("n")})
            return
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            nothing = os.open("/dev/null", os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(nothing, fd)
            space = {k: v for k, v in self.main.__dict__.items() if k not in self.names_before or k == "_"}
            value, rest = questions.answer(request.get("what"), space, self.main.__dict__, code, request.get("offset", 0))
            self.channel.send({"type": "answer", "n": request.get("n"), "value": value}, rest)
        except BaseException:
            pass
        finally:
            os._exit(0)


def serve(work):
    """Gives the process over to cells, for good."""
    gc.enable()
    sys.argv = ["cell"]
    kernels = os.path.dirname(HERE)
    sys.path[:] = [work, *(entry for entry in sys.path if entry not in ("", kernels)), LIBRARY]
    seed()
    Kernel(frames.Channel(CONTROL)).serve()


def seed():
    """Libraries are loaded before a kernel is forked: unseeded, every sandbox would draw the same random numbers."""
    if "random" in sys.modules:
        sys.modules["random"].seed()
    numpy = sys.modules.get("numpy")
    if "numpy.random" in sys.modules:
        # The whole state: its own way of drawing a new one goes through half of the library, and everybody waits for it.
        numpy.random.set_state(("MT19937", numpy.frombuffer(os.urandom(4 * 624), numpy.uint32), 624))


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except OSError:
        pass


def silenced(code, last):
    """A semicolon behind the last expression asks for no display, as in other notebooks."""
    if ";" not in code:
        return False
    lines = code.splitlines()
    end = lines[last.end_lineno - 1].encode()[last.end_col_offset :].decode(errors="replace")
    return end.split("#")[0].strip().startswith(";")
