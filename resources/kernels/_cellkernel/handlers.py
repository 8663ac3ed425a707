"""Signal handlers of cells. They ring while code of a cell runs and at no other time: what one throws while the kernel
works for itself would tear a frame in half, and with it lose the kernel and all variables."""

import functools
import signal


class Ring:
    """Stands around a handler that a cell has installed."""

    def __init__(self, handlers, handler):
        self.handlers, self.handler = handlers, handler

    def __call__(self, number, frame):
        if self.handlers.kernel.exposed:
            self.handler(number, frame)
        else:
            self.handlers.late[number] = self.handler


class Handlers:
    def __init__(self, kernel):
        self.kernel = kernel
        self.late = {}  # number: the handler that is still to ring
        install, find = signal.signal, signal.getsignal

        @functools.wraps(install)
        def install_around(number, handler):
            return inside(install(number, Ring(self, handler) if callable(handler) else handler))

        signal.signal = install_around
        signal.getsignal = functools.wraps(find)(lambda number: inside(find(number)))

    def ring_late(self):
        while self.late:
            number, handler = self.late.popitem()
            handler(number, None)

    def ring_of_earlier(self):
        """Before a cell begins: what is thrown belongs to one that is over."""
        for number, handler in [self.late.popitem() for _ in list(self.late)]:
            try:
                handler(number, None)
            except BaseException:
                pass


def inside(found):
    """What a cell asks for it finds as it was."""
    return found.handler if isinstance(found, Ring) else found
