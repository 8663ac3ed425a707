"""Questions about live state, asked of a kernel between runs and never waited for beyond a limit."""

import time

from . import bash

LIMIT = 2.0
TICK = 0.02


class Questions:
    def __init__(self, supervisor):
        self.supervisor = supervisor
        self.asking = None

    def moments(self):
        return (self.asking["deadline"], self.asking["tick"]) if self.asking else ()

    def ask(self, request, code):
        supervisor = self.supervisor
        language = "javascript" if request["language"] == "typescript" else request["language"]
        if supervisor.busy:
            supervisor.refuse(request, "busy", "A run is going on.")
            return
        if language not in supervisor.kernels and request["what"] == "variables":
            supervisor.reply(request, [])
            return
        try:
            kernel = supervisor.kernel(language)
        except OSError as error:
            supervisor.refuse(request, "unanswered", f"The kernel could not be started: {error.strerror}.")
            return
        self.asking = {"request": request, "kernel": kernel, "deadline": time.monotonic() + LIMIT, "value": None, "rest": b""}
        self.asking["tick"] = time.monotonic() + TICK * supervisor.patience
        try:
            if language == "bash":
                bash.ask(kernel, request, code)
            else:
                kernel.send({key: request[key] for key in ("type", "n", "what", "offset")}, code)
        except OSError:
            self.end("the kernel does not listen")

    def on_kernel(self, kernel, header, payload):
        asking = self.asking
        if not asking or asking["kernel"] is not kernel or asking["request"]["n"] != header.get("n"):
            return
        if header["type"] == "answer":
            asking["value"], asking["rest"] = header.get("value"), payload
            return
        if kernel.language == "bash":
            asking["value"] = bash.answer(kernel, asking["request"])
        self.end("the question was not answered in time")

    def kernel_gone(self, kernel):
        if self.asking and self.asking["kernel"] is kernel:
            self.end("the kernel ended")

    def on_time(self):
        if self.asking and time.monotonic() >= self.asking["tick"]:
            self.check_memory()
        if not self.asking or time.monotonic() < self.asking["deadline"]:
            return
        if self.asking["kernel"].language == "python":
            # It asks a copy of itself; ending the copy is enough, and the kernel then says that it has no answer.
            self.supervisor.kill_others()
            self.asking["deadline"] = time.monotonic() + LIMIT
            if not self.asking.get("late"):
                self.asking["late"] = True
                return
        self.end("it took too long")

    def check_memory(self):
        """What a cell left behind goes on while its kernel answers, and so does code of the values that are asked."""
        supervisor, kernel = self.supervisor, self.asking["kernel"]
        self.asking["tick"] = time.monotonic() + TICK * supervisor.patience
        idle = [each.pid for each in supervisor.kernels.values() if each is not kernel]
        if supervisor.running.memory_of([kernel.pid, *supervisor.others()], idle)[1]:
            supervisor.kill_others()
            if supervisor.running.memory_of([kernel.pid], idle)[1]:
                supervisor.drop(kernel)
            self.end("it took too much memory")

    def end(self, why):
        asked, self.asking = self.asking, None
        request = asked["request"]
        if asked["value"] is None and request["what"] != "hover":
            self.supervisor.refuse(request, "unanswered", f"The kernel could not say: {why}.")
        else:
            self.supervisor.reply(request, asked["value"], asked["rest"])
        if self.supervisor.running.run is not None:
            return  # it has begun meanwhile: the processes are its own, and its kernel must not be stopped
        self.supervisor.kill_others()
        kernel = asked["kernel"]
        if self.supervisor.kernels.get(kernel.language) is kernel:
            kernel.await_rest()
        self.supervisor.put_to_rest(kernel)  # the copy that was asked is not to be counted as the next run's
