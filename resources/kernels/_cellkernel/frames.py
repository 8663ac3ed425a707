"""Frames: one header in JSON and, behind it, bytes that need no encoding.

    u32 header length | u32 payload length | header | payload      (little endian)

Host, supervisor and kernels all speak these. Whoever reads them treats them as untrusted: lengths are bounded before
anything is allocated, and a header that is no object is an error.
"""

import json
import math
import select
import socket
import struct

HEAD = struct.Struct("<II")
MAX_HEADER = 24 * 1024 * 1024
MAX_PAYLOAD = 64 * 1024 * 1024
#: How many values one header may hold. A long text of nothing but `{}` takes forty times its length when it is read.
MAX_VALUES = 500_000
FEW_BYTES = 1 << 20
_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


class BadFrame(Exception):
    pass


def encode(header, payload=b""):
    try:
        body = _to_json(header).encode("utf-8", "replace")
    except RecursionError:
        raise BadFrame("the header is too deep") from None
    if len(body) > MAX_HEADER:
        raise BadFrame("the frame is too large")
    check_values(body)
    return HEAD.pack(len(body), len(payload)) + body + payload


def check_values(body):
    if len(body) < FEW_BYTES:
        return
    unescaped = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    if unescaped.count(b'"') <= 4 * MAX_VALUES:
        outside = b"".join(unescaped.split(b'"')[::2])
        if sum(map(outside.count, (b",", b"[", b"{"))) <= MAX_VALUES:
            return
    raise BadFrame("the frame holds too many values")


def finite(text):
    """JSON knows no other numbers, and whoever reads one could not write it again."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is out of bounds")
    return number


_from_json = json.JSONDecoder(parse_float=finite, parse_constant=finite).decode


class Decoder:
    """Takes bytes as they come and gives whole frames."""

    def __init__(self, max_header=MAX_HEADER, max_payload=MAX_PAYLOAD):
        self._buffer = bytearray()
        self._max_header = max_header
        self._max_payload = max_payload

    def feed(self, data):
        self._buffer += data
        while len(self._buffer) >= HEAD.size:
            header_length, payload_length = HEAD.unpack_from(self._buffer)
            if header_length > self._max_header or payload_length > self._max_payload:
                raise BadFrame("a length is out of bounds")
            end = HEAD.size + header_length + payload_length
            if len(self._buffer) < end:
                return
            body = self._buffer[HEAD.size : HEAD.size + header_length]
            payload = bytes(self._buffer[HEAD.size + header_length : end])
            del self._buffer[:end]
            check_values(body)
            try:
                header = _from_json(body.decode("utf-8", "surrogatepass"))
            except (ValueError, RecursionError):
                raise BadFrame("the header is no JSON") from None
            if not isinstance(header, dict):
                raise BadFrame("the header is no object")
            yield header, payload


class Channel:
    """A blocking end of a stream socket; what a kernel uses."""

    def __init__(self, fd):
        self._socket = socket.socket(fileno=fd)
        self._socket.setblocking(True)
        self._decoder = Decoder()
        self._ready = []

    def fileno(self):
        return self._socket.fileno()

    def send(self, header, payload=b""):
        self._socket.sendall(encode(header, payload))

    def send_encoded(self, data):
        self._socket.sendall(data)

    def receive(self):
        """The next frame, or None when the other end is gone."""
        while not self._ready:
            data = self._socket.recv(1 << 16)
            if not data:
                return None
            self._ready.extend(self._decoder.feed(data))
        return self._ready.pop(0)

    def take(self):
        """Whole frames out of what has come, without waiting for more; None when the other end is gone."""
        data = self._socket.recv(1 << 18)
        return list(self._decoder.feed(data)) if data else None

    def put_back(self, frame):
        """For whoever receives next."""
        self._ready.append(frame)

    def waiting(self, seconds=0):
        """Whether there is something to receive."""
        return bool(self._ready or self.readable(seconds))

    def readable(self, seconds):
        return bool(select.select([self._socket], [], [], seconds)[0])

    def close(self):
        self._socket.close()
