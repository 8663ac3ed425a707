"""`sys.stdout`, `sys.stderr` and `sys.stdin` of cells."""

import fcntl
import io
import os
import struct
import termios
import time


class InputNotAvailable(RuntimeError):
    pass


class Stream(io.TextIOWrapper):
    """sys.stdout or sys.stderr. Each has a pipe of its own; when output moves from one to the other the first is
    left to drain, so that the supervisor reads both in the order in which they were written."""

    last = None
    kernel_pid = 0

    def __init__(self, fd, own):
        # By a descriptor of its own: a cell that takes 1 away, to read what C code prints, goes on printing.
        super().__init__(
            io.BufferedWriter(io.FileIO(own, "w", closefd=False), 8192),
            encoding="utf-8",
            errors="backslashreplace",
            newline="\n",
            line_buffering=True,
        )
        self._fd, self._own = fd, own

    def fileno(self):
        return self._fd

    def write(self, text):
        if Stream.last is not self:
            self.take_turn()
        return super().write(text)

    def take_turn(self):
        other, Stream.last = Stream.last, self
        if other is not None and usable(other) and os.getpid() == Stream.kernel_pid:
            other.flush()
            drained(other._own)


def drained(fd):
    """Waits, briefly, until what was written has been read."""
    for attempt in range(200):
        try:
            waiting = struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0"))[0]
        except OSError:
            return
        if waiting == 0:
            return
        time.sleep(0 if attempt < 20 else 0.0005)


class NoInput(io.TextIOBase):
    def readable(self):
        return True

    def _refuse(self, *_):
        raise InputNotAvailable("A cell cannot ask for input: nobody sits at its keyboard. Put the value into the code.")

    read = readline = readlines = __next__ = _refuse


def usable(stream):
    try:
        return not stream.closed
    except ValueError:  # detached
        return False


def same_file(one, other):
    try:
        a, b = os.fstat(one), os.fstat(other)
    except OSError:
        return False
    return (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino)
