"""What widgets ask of a kernel. No script of theirs runs in the page, so that what they send goes nowhere; the widgets work
in Python, and their text is shown."""

import os
import sys
import time


class Comm:
    kernel = None
    _closed = True

    def __init__(self, target_name="", data=None, metadata=None, buffers=None, comm_id=None, primary=True, **_):
        self.target_name, self.primary = target_name, primary
        self.comm_id = comm_id or os.urandom(16).hex()

    def open(self, *_, **__):
        pass

    send = close = on_msg = on_close = handle_msg = handle_close = open


class Comms:
    def __init__(self):
        self.targets, self.comms = {}, {}

    def register_target(self, name, made):
        self.targets[name] = made

    def unregister_target(self, name, *_):
        return self.targets.pop(name, None)

    def register_comm(self, comm):
        self.comms[comm.comm_id] = comm
        return comm.comm_id

    def unregister_comm(self, comm):
        self.comms.pop(comm.comm_id, None)

    def get_comm(self, comm_id):
        return self.comms.get(comm_id)


class Session:
    """Libraries that show things by message of the protocol: those that show something here."""

    username = "username"

    def __init__(self, kernel):
        self._kernel = kernel
        self.session = os.urandom(16).hex()

    def request(self, code, at):
        """The message that would have asked for a cell, in the form that ipykernel gives it to whoever looks."""
        import datetime

        name, kind = f"{self.session}_{self._kernel.count}", "execute_request"
        date = datetime.datetime.fromtimestamp(at, datetime.timezone.utc)
        header = {"msg_id": name, "msg_type": kind, "username": self.username, "session": self.session, "date": date, "version": "5.3"}
        wanted = {"silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False, "stop_on_error": True}
        content = {"code": code, **wanted}
        return {"header": header, "msg_id": name, "msg_type": kind, "parent_header": {}, "metadata": {}, "content": content, "buffers": []}

    def send(self, _, kind, content=None, **__):
        if kind in ("display_data", "update_display_data", "execute_result"):
            name = content.get("transient", {}).get("display_id")
            self._kernel.display(
                content["data"], raw=True, metadata=content.get("metadata"), display_id=name, update=kind == "update_display_data"
            )
        elif kind == "stream":
            getattr(sys, content["name"]).write(content["text"])


class Front:
    """`get_ipython().kernel`."""

    iopub_socket = None

    def __init__(self, shell, kernel):
        self.shell = shell
        self.comm_manager = Comms()
        self.session = Session(kernel)

    execution_count = property(lambda self: self.shell.execution_count)
    user_ns = property(lambda self: self.shell.user_ns)

    def hear(self, code):
        self._asked, self._parent = (code, time.time()), None

    def get_parent(self, channel="shell"):
        """What asked for this cell: one object as long as the cell runs."""
        if channel == "shell" and self._parent is None:
            self._parent = self.session.request(*self._asked)
        return self._parent if channel == "shell" else {}

    _parent_header = property(get_parent)
