"""The way out of a sandbox: each connection to a proxy on its loopback becomes a numbered stream of frames to the host.

    to the host:   net-open {s, to}   net-data {s} + bytes   net-credit {s, n}   net-end {s}   net-close {s}   net-name {name}
    from the host:                    net-data {s} + bytes   net-credit {s, n}   net-end {s}   net-close {s}

Nothing is decided here: user code can speak to this proxy as it likes, and the host judges every byte. `to` says what a
stream leads to, so that other services can ride on the same frames. Each side sends at most CREDIT bytes ahead of the
other's word that it has passed them on, so nothing piles up; `net-end` closes one direction, `net-close` both.

A name server that knows no name stands beside it. Programs that do not use the proxy ask it, and the host learns of that.
"""

import fcntl
import select
import socket
import struct

PROXY = ("127.0.0.1", 3128)
NAMES = ("127.0.0.1", 53)
CREDIT = 256 * 1024
PIECE = 32 * 1024
MAX_STREAMS = 64
MAX_NAMES = 200
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
REFUSED = 5


def listeners():
    """A proxy's socket and a name server's in the network namespace of this process; each is None where it cannot be."""
    raise_loopback()
    return [_bound(socket.SOCK_STREAM, PROXY), _bound(socket.SOCK_DGRAM, NAMES)]


def raise_loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            request = struct.pack("16sh14x", b"lo", 0)
            flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, SIOCGIFFLAGS, request))[1]
            if not flags & IFF_UP:
                fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))
        except OSError:
            pass  # a carrier that forbids it has raised it already


def _bound(kind, address):
    made = socket.socket(socket.AF_INET, kind | socket.SOCK_CLOEXEC)
    try:
        made.bind(address)
        if kind == socket.SOCK_STREAM:
            made.listen(256)
        made.setblocking(False)
        return made
    except OSError:
        made.close()
        return None


class Stream:
    """One connection of user code and what of it is under way."""

    def __init__(self, client):
        self.client = client
        self.credit = CREDIT  # bytes that the host will still take
        self.pending = bytearray()  # bytes from the host that the client has not taken yet
        self.reading = True  # the client may still send
        self.ending = False  # the host will send no more


class Network:
    def __init__(self, supervisor):
        self.supervisor = supervisor
        self.listener = self.names = None
        self.streams = {}
        self.by_fd = {}
        self.last = 0
        self.reported = set()

    def listen(self):
        self.move(listeners())

    def move(self, found):
        """User code lives in another network namespace from now on."""
        self.let_go()
        self.listener, self.names = found

    def begin(self):
        """Of a run: names are reported anew."""
        self.reported.clear()

    def restart(self):
        """In a copy of a machine: its link is a new one, on which streams are counted from the beginning."""
        self._drop_all()
        self.last = 0

    def _drop_all(self):
        for number in list(self.streams):
            self._drop(number, tell=False)

    def let_go(self):
        self._drop_all()
        for held in (self.listener, self.names):
            if held:
                self.supervisor.forget((held.fileno(),))
                held.close()
        self.listener = self.names = None

    # -- the loop ----------------------------------------------------------------------------------------------

    def wanted(self, behind):
        """What to poll for. While the host is behind, user code waits."""
        found = {}
        if self.listener and len(self.streams) < MAX_STREAMS:
            found[self.listener.fileno()] = select.POLLIN
        if self.names:
            found[self.names.fileno()] = select.POLLIN
        for fd, number in self.by_fd.items():
            stream = self.streams[number]
            mask = select.POLLIN if stream.reading and stream.credit > 0 and not behind else 0
            if stream.pending:
                mask |= select.POLLOUT
            if mask or not stream.reading:
                found[fd] = mask
        return found

    def on_ready(self, fd, events):
        """Whether it was ours."""
        if self.listener and fd == self.listener.fileno():
            self._accept()
        elif self.names and fd == self.names.fileno():
            self._asked()
        elif fd in self.by_fd:
            number = self.by_fd[fd]
            if events & select.POLLOUT:
                self._write(number)
            if number in self.streams and events & (select.POLLIN | select.POLLHUP | select.POLLERR):
                self._read(number, events)
        else:
            return False
        return True

    def on_host(self, kind, header, payload):
        number = header.get("s")
        stream = self.streams.get(number)
        if stream is None:
            return  # it has just been closed here
        if kind == "net-data":
            stream.pending += payload
            self._write(number)
        elif kind == "net-credit":
            stream.credit += header["n"]
        elif kind == "net-end":
            stream.ending = True
            self._write(number)
        elif kind == "net-close":
            self._drop(number, tell=False)

    # -- streams -----------------------------------------------------------------------------------------------

    def _accept(self):
        try:
            client, _ = self.listener.accept()
        except OSError:
            return
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.last += 1
        self.streams[self.last] = Stream(client)
        self.by_fd[client.fileno()] = self.last
        self._tell("net-open", self.last, to="proxy")

    def _read(self, number, events):
        stream = self.streams[number]
        if not stream.reading:
            if events & (select.POLLHUP | select.POLLERR):
                self._drop(number)
            return
        try:
            data = stream.client.recv(min(PIECE, max(1, stream.credit)))
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self._drop(number)
            return
        if data:
            stream.credit -= len(data)
            self._tell("net-data", number, data)
        else:
            stream.reading = False
            self._tell("net-end", number)
            self._finish(number)

    def _write(self, number):
        stream = self.streams[number]
        if stream.pending:
            try:
                sent = stream.client.send(stream.pending)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                self._drop(number)
                return
            del stream.pending[:sent]
            self._tell("net-credit", number, n=sent)
        if stream.ending and not stream.pending:
            try:
                stream.client.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            self._finish(number)

    def _finish(self, number):
        stream = self.streams[number]
        if stream.ending and not stream.pending and not stream.reading:
            self._drop(number)

    def _drop(self, number, tell=True):
        stream = self.streams.pop(number)
        fd = stream.client.fileno()
        del self.by_fd[fd]
        self.supervisor.forget((fd,))
        stream.client.close()
        if tell:
            self._tell("net-close", number)

    def _tell(self, kind, number, payload=b"", **more):
        self.supervisor.tell({"type": kind, "s": number, **more}, payload)

    # -- names -------------------------------------------------------------------------------------------------

    def _asked(self):
        try:
            question, sender = self.names.recvfrom(512)
            answer, name = answer_to(question)
            self.names.sendto(answer, sender)
        except (OSError, ValueError, IndexError, struct.error):
            return
        if name and name not in self.reported and len(self.reported) < MAX_NAMES:
            self.reported.add(name)
            self.supervisor.tell({"type": "net-name", "name": name})


def answer_to(question):
    """The answer to a question of DNS, and the name if it is to be reported. `localhost` is the only name there is."""
    labels, at = [], 12
    while question[at]:
        size = question[at]
        if size > 63:
            raise ValueError("a label is too long")
        labels.append(question[at + 1 : at + 1 + size])
        at += size + 1
    kind = struct.unpack_from(">H", question, at + 1)[0]
    end = at + 5
    name = b".".join(labels).decode("latin-1").lower()
    if labels and labels[-1].lower() == b"localhost":
        data = {1: b"\x7f\0\0\1", 28: b"\0" * 15 + b"\1"}.get(kind, b"")
        record = struct.pack(">HHHIH", 0xC00C, kind, 1, 0, len(data)) + data if data else b""
        return question[:2] + struct.pack(">HHHHH", 0x8180, 1, 1 if data else 0, 0, 0) + question[12:end] + record, None
    own = name.endswith("127.in-addr.arpa")  # who this machine is: asked by servers that code starts for itself
    return question[:2] + struct.pack(">HHHHH", 0x8180 | REFUSED, 1, 0, 0, 0) + question[12:end], None if own else name
