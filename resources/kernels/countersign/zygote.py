"""Has the interpreter and the usual libraries loaded, and forks a fresh jailed supervisor for every sandbox.

It never runs user code and is never the super-user. It is told what to do by the host over a socket; every supervisor
opens a connection of its own to the same place, so that the zygote carries no one's traffic.
"""

import os
import signal
import socket
import sys
import traceback

from _cellkernel import frames

from . import cgroups, cloning, forking, jail, launch, seccomp
from .stdio import Stdio
from .supervisor import Supervisor


def main(config):
    if config["linux"] and config["jailed"]:
        # A Python kernel may enter namespaces: its supervisor makes it do so when it is copied. By itself it can enter
        # none, because that takes a capability.
        config["filters"] = {False: seccomp.build(config["seccomp"]), True: seccomp.build(config["seccomp"], ("setns",))}
    folder = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    config["groups"] = usable_groups(os.open(config["groups"], folder)) if config.get("groups") else None
    if config["mode"] == "single":
        if config["linux"]:
            jail.adopt_orphans()
        sandbox = cloning.await_copy(config) if config.get("copied") else config["sandbox"]
        serve_one({**config, **sandbox}, folder)
        return
    config["meeting"] = os.open(os.path.dirname(config["socket"]), folder)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    host = connect(config)
    channel = frames.Channel(host.detach())
    about = {"loaded": loaded(config["preload"]), "grouped": config["groups"] is not None}
    channel.send({"type": "hello", "token": config.pop("token"), "role": "zygote", **about})
    while True:
        frame = channel.receive()
        reap()
        if frame is None:
            os._exit(0)  # the host is gone; the namespace, and with it every sandbox, ends with this process
        request, _ = frame
        if request["type"] == "open":
            open_sandbox(config, request, channel)


def loaded(names):
    return [name for name in names if name in sys.modules]


def usable_groups(folder):
    """The folder of control groups if a process can really be started in one with limits, or None."""
    try:
        group = cgroups.make(folder, "trial", {"memoryBytes": 1 << 30, "diskBytes": 1 << 30, "processes": 16})
        try:
            child = jail.clone(0, group.fd)
            if child == 0:
                os._exit(0)
            os.waitpid(child, 0)
        finally:
            group.remove()
        return folder
    except OSError as error:
        print(f"no control groups: {error}", file=sys.stderr, flush=True)
        return None


def connect(config):
    """By way of a descriptor of the socket's folder: a supervisor that forks can no longer see that folder."""
    host = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    here = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fchdir(config["meeting"])
        host.connect("link")
    finally:
        os.fchdir(here)
        os.close(here)
    return host


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def open_sandbox(config, request, channel):
    uid, gid = os.getuid(), os.getgid()
    try:
        group = cgroups.make(config["groups"], request["id"], request["limits"]) if config["groups"] else None
        child = jail.clone(jail.ALL, group.fd if group else None)
    except OSError as error:
        channel.send({"type": "failed", "id": request["id"], "message": str(error)})
        return
    if child:
        if group:
            group.close()
        return
    try:
        channel.close()
        jail.map_ids(uid, gid)
        host = connect(config)
        introduce(host, request)
        try:
            jail.make_root(config["system"], request["limits"]["diskBytes"])
            Supervisor(host, {**config, **request, "group": group}, connect).serve()
        except OSError as error:
            traceback.print_exc()
            host.sendall(frames.encode({"type": "failed", "id": request["id"], "message": str(error)}))
        os._exit(0)
    except (launch.Confined, forking.Elsewhere):
        raise
    except BaseException:
        traceback.print_exc()  # a bug of ours: the host writes it to its log
        os._exit(1)


def introduce(host, request):
    """By a token that serves once, and so is of no use to whoever may find it later."""
    hello = {"type": "hello", "token": request.pop("token"), "role": "sandbox", "id": request["id"]}
    host.sendall(frames.encode(hello))


def serve_one(config, folder):
    """A sandbox of its own, whose walls somebody else has built: a container, a machine, a profile, or nobody."""
    if config.get("socket") is None:
        Supervisor(Stdio(), config, connect).serve()
        return
    config["meeting"] = os.open(os.path.dirname(config["socket"]), folder)
    host = connect(config)
    introduce(host, config)
    Supervisor(host, config, connect).serve()
