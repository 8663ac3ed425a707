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
    os.environ.update(config["env"])
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


def keep_names(own):
    """The names in the supervisor's code stay for good: to take thousands of them out of the interpreter's large table of
    names would copy most of that table in every kernel. They are text and lead nowhere."""
    names = set()
    codes = [thing.__code__ for thing in own if isinstance(thing, types.FunctionType)]
    while codes:
        code = codes.pop()
        names.update((*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars, code.co_name, code.co_filename))
        names.update(value for value in (getattr(code, "co_qualname", ""), *code.co_consts) if isinstance(value, str))
        names.update(name for value in code.co_consts if isinstance(value, tuple) for name in value if isinstance(name, str))
        codes += [value for value in code.co_consts if isinstance(value, types.CodeType)]
    for thing in own:
        if type(thing) is dict:
            names.update(key for key in thing if isinstance(key, str))
    for name in names:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(sys.intern(name)))


def set_aside(own):
    """The collector would otherwise write into every shared page and so copy it. What is set aside is never collected; so
    the supervisor's own objects are kept out of it, for the kernels to collect."""
    keep_names(own)
    tracked = [thing for thing in own if gc.is_tracked(thing)]
    for thing in tracked:
        ctypes.pythonapi.PyObject_GC_UnTrack(ctypes.py_object(thing))
    gc.freeze()
    for thing in tracked:
        ctypes.pythonapi.PyObject_GC_Track(ctypes.py_object(thing))
