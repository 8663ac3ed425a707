"""Calls that user code makes to tools outside: from its kernel to the host, and the answers back.

    from a kernel:  call {k, tool} + arguments        to the host:    call {run, c, tool} + arguments
    to the kernel:  called {k, ok, …} + result        from the host:  called {run, c, ok, …} + result

The run is written here, never taken from a kernel, so that no kernel can speak for another run. `k` is the kernel's own
number and means nothing to anybody else. The host decides; here is only bounded what passes.
"""

#: Calls of a run. The same figure as in `tools.ts`.
MAX_MADE = 200
MAX_BYTES = 1 << 20
MAX_NAME = 200


class Calls:
    def __init__(self, supervisor):
        self.supervisor = supervisor
        self.open = {}  # our number -> (kernel, its number, whether the tool was granted)
        self.last = 0
        self.made = 0  # by the run that goes on

    def end(self):
        self.open.clear()
        self.made = 0

    def restart(self):
        """In a copy of a machine: its link is a new one, on which calls are counted from the beginning."""
        self.end()
        self.last = 0

    def on_kernel(self, kernel, header, payload):
        running = self.supervisor.running
        number, tool = header.get("k"), header.get("tool")
        if not running.is_of(kernel) or type(number) is not int or type(tool) is not str:
            return  # a thread of an earlier run, or nonsense: nobody waits for an answer
        self.made += 1
        if self.made > MAX_MADE:
            return refuse(kernel, number, f"A run may make {MAX_MADE} calls; this one made more.")
        if len(payload) > MAX_BYTES or len(tool) > MAX_NAME:
            return refuse(kernel, number, "The arguments of a call are longer than 1 MB, or its name is too long.")
        self.last += 1
        self.open[self.last] = (kernel, number, tool in running.run.tools)
        self.count_waiting(running.run)
        self.supervisor.tell({"type": "call", "run": running.run.id, "c": self.last, "tool": tool}, payload)

    def on_host(self, header, payload):
        run = self.supervisor.running.run
        kernel, number, _ = self.open.pop(header.get("c"), (None, None, False))
        if run is None or kernel is None or header.get("run") != run.id:
            return  # its run is over
        self.count_waiting(run)
        answer = {key: header[key] for key in ("ok", "code", "message", "file", "bytes") if key in header}
        kernel.send_later({"type": "called", "k": number, **answer}, payload)

    def count_waiting(self, run):
        """The clock stands still for tools that were granted: code that asks for others gains no time by it."""
        run.waits(any(granted for _, _, granted in self.open.values()))


def refuse(kernel, number, message):
    kernel.send_later({"type": "called", "k": number, "ok": False, "code": "tool.limit", "message": message}, b"")
