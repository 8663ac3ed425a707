"""What may wait in the sockets of a sandbox.

It is memory of no process, and not all sockets have a descriptor: those that nobody has accepted yet, those that are
under way in a message, those that were closed before all was read. The system knows how many there are in a network
namespace, and how much one may hold is set there when it is made.
"""

import os

from . import measure

#: How much one connection of TCP may hold in each direction. By itself it would take megabytes.
TCP_BUFFER = 512 * 1024
#: Ordinary code has no more, and they need not be counted.
FEW = 64


def bound():
    """For the network namespace of this process, before user code is in it."""
    for name, usual in (("rmem", 131_072), ("wmem", 16_384)):
        try:
            with open(f"/proc/sys/net/ipv4/tcp_{name}", "w", encoding="ascii") as file:
                file.write(f"4096 {usual} {TCP_BUFFER}")
        except OSError:
            pass  # whoever carries this sandbox has not given us the right


class Sockets:
    """Those of the network namespaces in which code of one sandbox lives or has lived: it keeps what it made there."""

    def __init__(self):
        self._files = []

    def look_at(self, process="self"):
        """In the namespace of a process as well."""
        for name in ("sockstat", "sockstat6"):
            try:
                self._files.append(os.open(f"/proc/{process}/net/{name}", os.O_RDONLY | os.O_CLOEXEC))
            except OSError:
                pass  # a system without IPv6, or one that tells nothing

    def bytes(self):
        """None when the system does not tell."""
        count = of_tcp = 0
        for said in (os.pread(file, 4096, 0) for file in self._files):
            count += measure.number_after(said, b"sockets: used", 0)
            of_tcp += sum(measure.number_after(said, label, 0) for label in (b"TCP: inuse", b"TCP6: inuse"))
        if count == 0:
            return None
        return count * measure.SOCKET_BUFFER + of_tcp * 2 * TCP_BUFFER if count > FEW else 0
