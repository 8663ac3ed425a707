"""Tools outside of the sandbox that a run was granted: `tools.ledger.list_entries({...})`.

A call leaves as a frame and its answer comes back as one, in any order. Whoever waits for an answer reads for all: the
thread that finds nobody reading takes the role, sorts what comes and hands the role on when its own answer is there.
What stands here is user code's to break; the host checks every call against what was granted.
"""

import json
import os
import threading

from .later import later

asyncio = later("asyncio")
#: How long a thread beside the main one reads before it looks whether its run is over.
GLANCE = 0.02
MAX_BYTES = 1 << 20


class ToolError(Exception):
    """A tool was not called, or did not do what it was asked for. `code` says why in a word."""

    def __init__(self, code, message, tool=None):
        super().__init__(message)
        self.code, self.tool = code, tool


class ToolFile:
    """A result that is longer than 1 MB: a file of the working folder."""

    def __init__(self, path, size):
        self.path, self.bytes = path, size

    def text(self):
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def json(self):
        return json.loads(self.text())

    def __repr__(self):
        return f"ToolFile({self.path!r}, {self.bytes:,} bytes)"


class Frozen:
    """Names that cannot be replaced."""

    __slots__ = ("_names", "_missing")

    def __init__(self, names, missing):
        object.__setattr__(self, "_names", names)
        object.__setattr__(self, "_missing", missing)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self._names[name]
        except KeyError:
            return self._missing(name)

    def __setattr__(self, name, _value):
        raise AttributeError(f"{name} cannot be set: tools are given to a run by its approval.")

    __delattr__ = __setattr__

    def __dir__(self):
        return sorted(self._names)

    def __repr__(self):
        return f"tools: {', '.join(sorted(self._names)) or 'none'}"


class Tool:
    __slots__ = ("_calls", "_session", "_name")

    def __init__(self, calls, session, name):
        for field, value in (("_calls", calls), ("_session", session), ("_name", name)):
            object.__setattr__(self, field, value)

    def __setattr__(self, name, _value):
        raise AttributeError(f"{name} cannot be set.")

    def __call__(self, arguments=None, /, **named):
        """Calls it and waits for the answer."""
        return self._calls.call(self._session, self._name, together(arguments, named))

    def aio(self, arguments=None, /, **named):
        """The same for `await`, so that several can be under way."""
        return self._calls.call_async(self._session, self._name, together(arguments, named))

    def __repr__(self):
        return f"<tool {self._name}>"


class Waiting:
    """One call under way. Its lock is held until there is news."""

    def __init__(self, tool, loop=None):
        self.tool = tool
        self.answer = None
        self.news = threading.Lock()
        self.news.acquire()
        self.loop = loop
        self.future = loop.create_future() if loop else None

    def tell(self):
        try:
            self.news.release()
        except RuntimeError:
            pass  # there is news already

    def settle(self, answer):
        self.answer = answer
        self.tell()
        if self.loop:
            try:
                self.loop.call_soon_threadsafe(lambda: self.future.done() or self.future.set_result(None))
            except RuntimeError:
                pass  # the loop is closed


class Calls:
    def __init__(self, kernel):
        self.kernel = kernel
        self.reset()

    def reset(self):
        """Also in a copy of the process: whoever waited is not in it."""
        self.session = 0
        self.open = {}
        self.last = 0
        self.role = threading.Lock()
        self.shown = None
        self.watched = None

    # -- a run -------------------------------------------------------------------------------------------------

    def begin(self, granted):
        """The namespaces of a run."""
        self.session += 1
        session = self.session
        servers = {}
        for server, names in granted.items():
            tools = {name: Tool(self, session, f"{server}.{name}") for name in names}
            servers[server] = Frozen(tools, lambda name, server=server: not_granted(f"{server}.{name}"))
        return Frozen(servers, unknown_server)

    def end(self):
        """What is still under way gets no answer, and nobody reads the channel any more."""
        self.session += 1
        self.unwatch()
        over = ({"ok": False, "code": "tool.run-over", "message": "The run was over before the tool had answered."}, b"")
        for number in list(self.open):
            waiting = self.open.pop(number, None)
            if waiting:
                waiting.settle(over)
        with self.role:
            pass

    # -- calls -------------------------------------------------------------------------------------------------

    def call(self, session, tool, arguments):
        with Shielded(self.kernel) as shield:
            number, waiting = self.send(session, tool, arguments)
            try:
                while waiting.answer is None:
                    self.wait(waiting, shield)
            finally:
                self.open.pop(number, None)
        return result_of(waiting)

    async def call_async(self, session, tool, arguments):
        loop = asyncio.get_running_loop()
        with Shielded(self.kernel):
            number, waiting = self.send(session, tool, arguments, loop)
            self.watch(loop)
        try:
            await waiting.future
        finally:
            self.open.pop(number, None)
            if not any(each.loop is loop for each in list(self.open.values())):
                self.unwatch()
        return result_of(waiting)

    def send(self, session, tool, arguments, loop=None):
        kernel = self.kernel
        if os.getpid() != kernel.pid:
            raise ToolError("tool.child", "A process that the cell started cannot call tools: call them in the cell itself.", tool)
        if session != self.session:
            raise ToolError("tool.run-over", f"tools.{tool} was given to a run that is over.", tool)
        try:
            payload = json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode("utf-8")
        except (TypeError, ValueError, UnicodeEncodeError, RecursionError) as error:
            raise ToolError("tool.arguments", f"The arguments of tools.{tool} are no JSON: {error}", tool) from None
        if len(payload) > MAX_BYTES:
            raise ToolError("tool.limit", f"The arguments of tools.{tool} are longer than 1 MB.", tool)
        waiting = Waiting(tool, loop)
        with kernel.lock:
            self.last += 1
            number = self.last
            self.open[number] = waiting
            kernel.channel.send({"type": "call", "k": number, "tool": tool}, payload)
        return number, waiting

    def wait(self, waiting, shield):
        """Until there is news: an answer, or that somebody else is to read."""
        if not self.role.acquire(False):
            with shield.opened():
                waiting.news.acquire(timeout=GLANCE)
            return
        try:
            with shield.opened():
                came = waiting.answer is None and self.kernel.channel.readable(None if shield.is_main else GLANCE)
            if came:
                self.sort()
        finally:
            self.role.release()
        for other in list(self.open.values()):
            if other is not waiting and other.loop is None:
                other.tell()
                break

    def show(self, frame):
        """Until the supervisor has taken what is displayed. The caller is shielded."""
        # Before it is sent: another thread may read the answer at once.
        self.shown = waiting = Waiting("display")
        self.kernel.channel.send_encoded(frame)
        while waiting.answer is None:
            self.wait(waiting, Closed)
        self.shown = None

    def sort(self):
        """Hands out what has come. Only whoever has the role."""
        found = self.kernel.channel.take()
        if found is None:
            os._exit(0)  # the supervisor is gone
        for frame in found:
            header, _ = frame
            kind = header.get("type")
            if kind == "called":
                waiting = self.open.pop(header.get("k"), None)
                if waiting:
                    waiting.settle(frame)
            elif kind == "shown":
                if self.shown:
                    self.shown.settle(frame)
            else:
                self.kernel.channel.put_back(frame)

    # -- await -------------------------------------------------------------------------------------------------

    def watch(self, loop):
        if self.watched is not loop:
            self.unwatch()
            loop.add_reader(self.kernel.channel.fileno(), self.on_readable)
            self.watched = loop

    def unwatch(self):
        loop, self.watched = self.watched, None
        if loop and not loop.is_closed():
            loop.remove_reader(self.kernel.channel.fileno())

    def on_readable(self):
        with Shielded(self.kernel):
            if self.role.acquire(False):
                try:
                    if self.kernel.channel.readable(0):
                        self.sort()
                finally:
                    self.role.release()


class Shielded:
    """On the main thread an interrupt is only counted meanwhile, and a handler of the cell waits: half a frame would lose
    the kernel. They strike when this is over, or while `opened`."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.is_main = threading.current_thread() is threading.main_thread()

    def __enter__(self):
        if self.is_main:
            self.exposed, self.before = self.kernel.exposed, self.kernel.interrupts
            self.kernel.exposed = False
        return self

    def __exit__(self, kind, *_):
        if self.is_main:
            self.kernel.exposed = self.exposed
            if self.exposed and kind is not KeyboardInterrupt:
                self.kernel.catch_up(self.before)

    def opened(self):
        return Opened(self) if self.is_main and self.exposed else Closed


class Opened:
    def __init__(self, shield):
        self.kernel, self.before = shield.kernel, shield.before

    def __enter__(self):
        self.kernel.exposed = True
        try:
            self.kernel.catch_up(self.before)
        except BaseException:
            self.kernel.exposed = False
            raise

    def __exit__(self, *_):
        self.kernel.exposed = False


class _Closed:
    """Where no interrupt may strike at all."""

    is_main = True

    def opened(self):
        return self

    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass


Closed = _Closed()


def together(arguments, named):
    if arguments is None:
        return named
    if named or not isinstance(arguments, dict):
        raise TypeError("A tool takes one dict, or its arguments by name.")
    return arguments


def result_of(waiting):
    header, payload = waiting.answer
    if not header.get("ok"):
        raise ToolError(str(header.get("code")), str(header.get("message")), waiting.tool)
    if "file" in header:
        return ToolFile(str(header["file"]), header.get("bytes"))
    return json.loads(payload)


def not_granted(name):
    raise ToolError(
        "tool.not-granted",
        f"tools.{name} is not granted to this run. A run is given the accepted tools that its code names; see the page MCP.",
        name,
    )


def unknown_server(server):
    return Frozen({}, lambda name: not_granted(f"{server}.{name}"))
