"""What comes before everything else: no rights of the super-user, and the libraries that every kernel is to share."""

import ctypes
import gc
import importlib
import os
import sys
import types

from _cellkernel import later

from . import jail


def prepare(config, own):
    """`own`: objects of the supervisor, which a kernel forgets."""
    become_nobody(config.get("become"), config["jailed"])
    # Set before anything is imported: a numerical library that starts threads here would be waited for in vain in every
    # fork, because threads do not survive one.
    os.environ.clear()
    os.environ.update(config["env"])  # what kernels find as well
    if config["linux"]:
        jail.set_dumpable(False)
    if config["mode"] != "single" or config.get("copied"):
        later.load_all()
    preload(config["preload"])
    set_aside(own)
    if sys.platform == "linux":
        jail.use_huge_pages()


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
    gc.disable()


def set_aside(own):
    """The collector would otherwise write into every shared page and so copy it. What is set aside is never collected; so
    the supervisor's own objects are kept out of it, for the kernels to collect.

    Functions and names are never freed, only let go of: to free them takes their names out of the interpreter's large
    table, and writes to the memory of half the library, in every kernel. A function that is left so stands in no list, no
    object leads to it, and the names that it would use are gone.
    """
    functions = [thing for thing in own if isinstance(thing, types.FunctionType)]
    names = {sys.intern(key) for thing in own if type(thing) is dict for key in thing if isinstance(key, str)}
    for thing in (*functions, *names):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
    tracked = [thing for thing in own if gc.is_tracked(thing)]
    for thing in tracked:
        ctypes.pythonapi.PyObject_GC_UnTrack(ctypes.py_object(thing))
    gc.freeze()
    for thing in tracked:
        if not isinstance(thing, types.FunctionType):
            ctypes.pythonapi.PyObject_GC_Track(ctypes.py_object(thing))
