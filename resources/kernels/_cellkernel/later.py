"""Modules of the standard library that only some cells need. Loading all of them takes longer than Python's own start,
and whoever opens a sandbox waits for it."""

import importlib
import os
import sys

HOME = os.path.dirname(os.__file__)
STANDARD = [path for path in sys.path if path in (HOME, os.path.join(HOME, "lib-dynload"))]
known = {}


class Later:
    """Stands for a module until something of it is used."""

    def __init__(self, name):
        self._name = name
        self._module = None

    def __getattr__(self, attribute):
        return getattr(self._load(), attribute)

    def _load(self):
        if self._module is None:
            # A file of the same name in the working folder, where Python looks first, is not the one that is meant.
            path, sys.path[:] = sys.path[:], STANDARD
            try:
                self._module = importlib.import_module(self._name)
            finally:
                sys.path[:] = path
        return self._module


def later(name):
    """One for all who ask: what a kernel has loaded, none of its parts takes from cells."""
    return known.setdefault(name, Later(name))


def load_all():
    """For a process that many kernels are copies of: none of them waits for it."""
    for module in known.values():
        module._load()
