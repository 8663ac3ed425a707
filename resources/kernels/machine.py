"""First program of a virtual machine, as its super-user: builds what the guest lives in, starts the supervisor as
somebody without rights in a process namespace of its own, and then only keeps what needs the super-user.

Descriptor 0 is the port that leads to the host. User code can neither see nor signal this process.
"""

import fcntl
import os
import socket
import struct
import sys
import time

sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)

from countersign import cloning, jail, network  # noqa: E402

USER = 1000
REBOOT = 0x1234567
ADD_ENTROPY, RESEED = 0x40085203, 0x5207
DEVICES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9)}
LINKS = (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2"))
LIMITED = jail.MS_NOSUID | jail.MS_NODEV


def furnish():
    """All that can be written to is memory of a fixed size; the disk is read-only for the machine as well."""
    jail.mount("proc", "/proc", "proc", LIMITED | jail.MS_NOEXEC)
    with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", "w", encoding="ascii") as file:
        file.write("53")  # the supervisor answers for names on the loopback of this machine
    network.raise_loopback()
    jail.mount("tmpfs", "/dev", "tmpfs", jail.MS_NOSUID | jail.MS_NOEXEC, "mode=755,size=64k,nr_inodes=32")
    for name, (major, minor) in DEVICES.items():
        os.mknod(f"/dev/{name}", 0o20666, os.makedev(major, minor))
        os.chmod(f"/dev/{name}", 0o666)
    for name, target in LINKS:
        os.symlink(target, f"/dev/{name}")
    os.mkdir("/dev/shm")
    jail.mount("tmpfs", "/dev/shm", "tmpfs", LIMITED | jail.MS_NOEXEC, "mode=1777,size=64m,nr_inodes=1024")
    jail.mount(None, "/dev", None, jail.MS_REMOUNT | jail.MS_RDONLY | jail.MS_NOSUID | jail.MS_NOEXEC)
    jail.make_disk("/run", {"work": "/work", "tmp": "/tmp"}, 1 << 20)
    for folder in ("/work", "/tmp"):
        os.chown(folder, USER, USER)
    jail.mount("tmpfs", "/run", "tmpfs", LIMITED | jail.MS_NOEXEC, f"mode=700,uid={USER},gid={USER},size=1m,nr_inodes=64")


def supervise(keeper):
    """In the new process namespace, whose first process becomes the supervisor."""
    jail.mount("proc", "/proc", "proc", LIMITED | jail.MS_NOEXEC)
    os.dup2(0, 1)
    os.dup2(keeper.fileno(), cloning.KEEPER)
    os.chdir("/work")
    os.setgroups([])
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)
    jail.drop_capabilities()
    os.execve(sys.executable, [sys.executable, "-I", f"{here}/start.py"], {})


def keep(asked):
    """Clones of a machine start with the same random numbers and yesterday's time; each is given its own."""
    random = os.open("/dev/urandom", os.O_WRONLY)
    while True:
        message = asked.recv(cloning.RENEWAL.size)
        if len(message) != cloning.RENEWAL.size:
            return
        seed, now, disk_bytes = cloning.RENEWAL.unpack(message)
        fcntl.ioctl(random, ADD_ENTROPY, struct.pack(f"ii{len(seed)}s", len(seed) * 8, len(seed), seed))
        fcntl.ioctl(random, RESEED)
        time.clock_settime(time.CLOCK_REALTIME, now)
        if disk_bytes:
            jail.mount(None, "/work", None, jail.MS_REMOUNT | LIMITED, f"size={disk_bytes}")
        asked.send(b"1")


furnish()
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
if jail.clone(jail.NEW_PID) == 0:
    supervise(theirs)
theirs.close()
for fd in (0, 1):
    os.dup2(2, fd)
keep(ours)
jail.libc.reboot(REBOOT)
