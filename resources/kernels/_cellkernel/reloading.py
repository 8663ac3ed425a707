"""`%autoreload`: modules that a notebook has written and changed are loaded anew before the next cell.

Without it a cell would go on with the old code of a file that stands changed beside it. Only files of the working folder
can change: what an environment brings along cannot.
"""

import importlib
import os
import sys
import types

#: What a class has for itself.
OWN = {"__dict__", "__weakref__"}


class Reloading:
    def __init__(self, folder):
        self.folder = folder
        self.mode = 0  # 1: those that were named, 2: all
        self.named = set()
        self.excluded = set()
        self.seen = {}

    def before_cell(self, *_):
        if self.mode:
            self.check(all=self.mode > 1)

    def check(self, all=True):
        for name, module in list(sys.modules.items()):
            stamp = self.stamp(module)
            if stamp is None or name in self.excluded or not (all or name in self.named):
                continue
            before = self.seen.setdefault(name, stamp)
            if before != stamp:
                self.seen[name] = stamp
                self.reload(name, module)

    def look(self):
        """What is loaded now counts as it is."""
        self.seen = {name: self.stamp(module) for name, module in list(sys.modules.items()) if self.stamp(module)}

    def stamp(self, module):
        path = getattr(module, "__file__", None)
        if not isinstance(path, str) or not path.startswith(self.folder + os.sep):
            return None
        try:
            found = os.stat(path)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size

    def reload(self, name, module):
        old = dict(vars(module))
        try:
            importlib.reload(module)
        except Exception as error:
            print(f"[autoreload of {name} failed: {type(error).__name__}: {error}]", file=sys.stderr)
            return
        for key, new in list(vars(module).items()):
            if getattr(new, "__module__", None) == name and becomes(old.get(key), new):
                setattr(module, key, old[key])


def becomes(old, new):
    """Makes an old function or class what the new one is: whoever holds it has the new code. False where it cannot."""
    if old is new or type(old) is not type(new):
        return False
    if isinstance(new, types.FunctionType):
        return becomes_function(old, new)
    # Classes with rules of their own, such as enumerations, are replaced.
    if type(new) is not type or old.__bases__ != new.__bases__ or "__slots__" in {**vars(old), **vars(new)}:
        return False
    for key in set(vars(old)) - set(vars(new)):
        delattr(old, key)
    for key, value in vars(new).items():
        before = vars(old).get(key)
        if key not in OWN and not (type(before) is type(value) and becomes_function(inner(before), inner(value))):
            of_class(inner(value), old)
            setattr(old, key, value)
    return True


def becomes_function(old, new):
    if not isinstance(old, types.FunctionType) or not isinstance(new, types.FunctionType):
        return False
    try:
        old.__code__ = new.__code__
    except ValueError:  # it takes another number of variables from around it
        return False
    for name in ("__defaults__", "__kwdefaults__", "__doc__", "__dict__"):
        setattr(old, name, getattr(new, name))
    return True


def inner(value):
    return value.__func__ if isinstance(value, (staticmethod, classmethod)) else value


def of_class(function, owner):
    """`super()` in a method that comes in means the class that it comes into."""
    if isinstance(function, types.FunctionType) and "__class__" in function.__code__.co_freevars:
        function.__closure__[function.__code__.co_freevars.index("__class__")].cell_contents = owner
