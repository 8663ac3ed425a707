"""First program of a container whose kernel lives in user space (gVisor): starts the supervisor in a process namespace of
its own and passes on what it and the host say to each other.

There, one process may open the pipes of another of the same user, dumpable or not, and user code could have spoken to the
host in the supervisor's name. The pipes stay here, with another user; the supervisor has a socket, which nobody can open.
"""

import os
import socket
import sys
import threading

sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)

from countersign import jail  # noqa: E402

USER = 1000


def supervise(link):
    jail.mount("proc", "/proc", "proc", jail.MS_NOSUID | jail.MS_NODEV | jail.MS_NOEXEC)
    for fd in (0, 1):
        os.dup2(link.fileno(), fd)
    os.setgroups([])
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)
    jail.drop_capabilities()
    os.chdir("/work")
    os.execve(sys.executable, [sys.executable, "-I", f"{here}/start.py"], {})


def pass_on(link):
    while data := os.read(0, 1 << 18):
        link.sendall(data)
    link.shutdown(socket.SHUT_WR)


for device in ("/dev/fuse", "/dev/net/tun"):
    if os.path.exists(device):
        os.unlink(device)  # nobody here has a use for it
ours, theirs = socket.socketpair()
if jail.clone(jail.NEW_PID) == 0:
    ours.close()
    supervise(theirs)
theirs.close()
jail.drop_capabilities()
threading.Thread(target=pass_on, args=(ours,), daemon=True).start()
while data := ours.recv(1 << 18):
    while data:
        data = data[os.write(1, data) :]
os._exit(0)
