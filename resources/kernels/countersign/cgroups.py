"""Control groups (version 2): what all processes of a sandbox may take together, kept by the system itself.

Reached by descriptors only: a supervisor no longer sees the folder once it has its own root, and user code holds none.
"""

import os

#: The supervisor is in the group too, and stops the code at the limit itself, with a better word for it. This is for code
#: that is faster than it looks.
HEADROOM_BYTES = 64 * 1024 * 1024
HEADROOM_PROCESSES = 8
#: As much processor time as a run may use: twice the time that passes.
PROCESSOR = "200000 100000"


class Group:
    def __init__(self, folder, name):
        self.folder = folder
        self.name = name
        self.fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)

    def close(self):
        if self.fd is not None:
            os.close(self.fd)
        self.fd = None

    def remove(self):
        """As soon as it is empty; until then it is left to whoever removes them all."""
        self.close()
        try:
            os.rmdir(self.name, dir_fd=self.folder)
        except OSError:
            pass

    def take_in(self, pid):
        try:
            self._write("cgroup.procs", str(pid))
        except ProcessLookupError:
            pass  # it has just ended

    def set_limits(self, limits):
        # Files of a sandbox are memory as well, on a file system of their own size.
        self._write("memory.max", str(limits["memoryBytes"] + limits["diskBytes"] + HEADROOM_BYTES))
        self._write("pids.max", str(limits["processes"] + HEADROOM_PROCESSES))
        for name, value in (("memory.swap.max", "0"), ("cpu.max", PROCESSOR)):
            try:
                self._write(name, value)
            except OSError:
                pass  # a system without swap, or one that hands out no processor time

    def out_of_memory(self):
        """How many processes the system has ended because the group was full."""
        return self._number("memory.events", b"oom_kill")

    def cpu_ns(self):
        """Processor time of all that ever ran in it."""
        return self._number("cpu.stat", b"usage_usec") * 1000

    def _write(self, name, value):
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644, dir_fd=self.fd)
        try:
            os.write(file, value.encode())
        finally:
            os.close(file)

    def _number(self, name, key):
        try:
            file = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.fd)
        except OSError:
            return 0
        try:
            for line in os.read(file, 4096).splitlines():
                found, _, value = line.partition(b" ")
                if found == key:
                    return int(value)
        finally:
            os.close(file)
        return 0


def make(folder, name, limits):
    """A new group in `folder`, a descriptor, with these limits."""
    os.mkdir(name, 0o755, dir_fd=folder)
    group = Group(folder, name)
    try:
        group.set_limits(limits)
    except OSError:
        group.remove()
        raise
    return group
