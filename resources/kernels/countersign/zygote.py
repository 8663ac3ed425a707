"""Has the interpreter and the usual libraries loaded, and forks a fresh jailed supervisor for every sandbox.

It never runs user code and is never the super-user. It is told what to do by the host over a socket; every supervisor
opens a connection of its own to the same place, so that the zygote carries no one's traffic.
"""

import gc
import importlib
import os
import signal
import socket
import sys
import traceback

from . import cgroups, frames, jail, launch, python_kernel, seccomp  # noqa: F401  (loaded here, used in the forks)
from .stdio import Stdio
from .supervisor import Supervisor


def main(config):
    become_nobody(config.get("become"), config["jailed"])
    # Set before anything is imported: a numerical library that starts threads here would be waited for in vain in every
    # fork, because threads do not survive one.
    os.environ.update(config["env"])
    preload(config["preload"])
    if config["linux"]:
        jail.set_dumpable(False)
        if config["jailed"]:
            # Only a Python kernel may enter namespaces, which is how a copy of it reaches its own jail. Without a
            # capability it can enter none but those that its supervisor hands it.
            config["filters"] = {False: seccomp.build(config["seccomp"]), True: seccomp.build(config["seccomp"], ("setns",))}
    folder = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    config["groups"] = usable_groups(os.open(config["groups"], folder)) if config.get("groups") else None
    if config["mode"] == "single":
        if config["linux"]:
            jail.adopt_orphans()
        serve_one({**config, **config["sandbox"]}, folder)
        return
    config["meeting"] = os.open(os.path.dirname(config["socket"]), folder)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    host = connect(config)
    channel = frames.Channel(host.detach())
    about = {"loaded": loaded(config["preload"]), "grouped": config["groups"] is not None}
    channel.send({"type": "hello", "token": config["token"], "role": "zygote", **about})
    while True:
        frame = channel.receive()
        reap()
        if frame is None:
            os._exit(0)  # the host is gone; the namespace, and with it every sandbox, ends with this process
        request, _ = frame
        if request["type"] == "open":
            open_sandbox(config, request, channel)


def become_nobody(ids, jailed):
    """Gives the super-user's rights up before anything else happens."""
    if ids is None or os.getuid() != 0:
        return
    if jailed:
        # bubblewrap covers parts of /proc when it runs as the super-user; the system then refuses the sandboxes a /proc
        # of their own. Nobody here will be able to write to the covered parts, so an uncovered one is safe.
        jail.mount("proc", "/proc", "proc", jail.MS_NOSUID | jail.MS_NODEV | jail.MS_NOEXEC)
    os.setgroups([])
    os.setresgid(ids, ids, ids)
    os.setresuid(ids, ids, ids)


def preload(names):
    for name in names:
        try:
            importlib.import_module(name)
        except Exception:
            pass  # not installed, or broken: the kernel will say so when it is asked for
    gc.collect()
    gc.freeze()  # the collector would otherwise write into every shared page and so copy it
    gc.disable()
    if sys.platform == "linux":
        jail.use_huge_pages()


def loaded(names):
    return [name for name in names if name in sys.modules]


def usable_groups(folder):
    """The folder of control groups if a process can really be started in one with limits, or None."""
    try:
        group = cgroups.make(folder, "trial", {"memoryBytes": 1 << 30, "processes": 16})
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
        host = connect(config)
        host.sendall(frames.encode({"type": "hello", "token": config["token"], "role": "sandbox", "id": request["id"]}))
        try:
            jail.map_ids(uid, gid)
            box = os.path.join(config["boxes"], request["box"])
            jail.prepare_root(config["system"])
            jail.move_into_root(f"{box}/work", f"{box}/tmp", f"{box}/forks")
            Supervisor(host, {**config, **request, "group": group}, connect).serve()
        except OSError as error:
            traceback.print_exc()
            host.sendall(frames.encode({"type": "failed", "id": request["id"], "message": str(error)}))
    except BaseException:
        traceback.print_exc()  # a bug of ours: the host writes it to its log
    finally:
        os._exit(0)


def serve_one(config, folder):
    """A sandbox of its own, whose walls somebody else has built: a container, a machine, a profile, or nobody."""
    if config.get("socket") is None:
        Supervisor(Stdio(), config, connect).serve()
        return
    config["meeting"] = os.open(os.path.dirname(config["socket"]), folder)
    host = connect(config)
    host.sendall(frames.encode({"type": "hello", "token": config["token"], "role": "sandbox", "id": config["id"]}))
    Supervisor(host, config, connect).serve()
