"""What comes before everything else: no rights of the super-user, and the libraries that every kernel is to share."""

import gc
import importlib
import os
import sys

from . import jail


def prepare(config):
    become_nobody(config.get("become"), config["jailed"])
    # Set before anything is imported: a numerical library that starts threads here would be waited for in vain in every
    # fork, because threads do not survive one.
    os.environ.update(config["env"])
    if config["linux"]:
        jail.set_dumpable(False)
    preload(config["preload"])


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
