"""What a variable holds, as a hash: for results that are kept while nothing that they depend on has changed.

Asked of a throw-away copy of the kernel. None where it cannot be told; that only costs a run. Of two values of the same
hash each is as good as the other, so whatever can change what a value does goes into it, or it has none.
"""

import array
import sys
import types

from .later import later

datetime, decimal, fractions, hashlib = map(later, ("datetime", "decimal", "fractions", "hashlib"))

DEEPEST = 40
#: More than this takes longer to look at than most cells take to run.
MOST = 1 << 28


def plain_kinds():
    return (bool, int, float, complex, str, bytes, bytearray, decimal.Decimal, fractions.Fraction, range,
            datetime.date, datetime.datetime, datetime.time, datetime.timedelta)


class Unknown(Exception):
    pass


def fingerprints(space, names):
    return {name: of(space, name) for name in names[:200]}


def of(space, name):
    if name not in space:
        return "absent"
    hasher = Hasher(space)
    try:
        hasher.add(space[name], 0)
    except (Unknown, RecursionError, MemoryError):
        return None
    return hasher.sum.hexdigest()


class Hasher:
    def __init__(self, space):
        self.space = space
        self.plain = plain_kinds()
        self.sum = hashlib.sha256()
        self.bytes = 0
        self.seen = set()

    def feed(self, kind, data=b""):
        self.bytes += len(data)
        if self.bytes > MOST:
            raise Unknown
        self.sum.update(f"{kind} {len(data)} ".encode())
        self.sum.update(data)

    def add(self, value, depth):
        if depth > DEEPEST:
            raise Unknown
        kind = type(value)
        name = kind.__name__
        if value is None or value is Ellipsis:
            self.feed(repr(value))
        elif kind in self.plain:
            self.feed(name, repr(value).encode("utf-8", "surrogatepass"))
        elif kind in (list, tuple):
            self.feed(name, str(len(value)).encode())
            for each in value:
                self.add(each, depth + 1)
        elif kind is dict:
            self.feed(name, str(len(value)).encode())
            for key, each in value.items():
                self.add(key, depth + 1)
                self.add(each, depth + 1)
        elif kind is array.array:
            self.feed(name, value.typecode.encode() + value.tobytes())
        elif kind is types.ModuleType:
            self.module(value)
        elif kind is types.FunctionType:
            self.function(value, depth)
        elif kind is types.BuiltinFunctionType and isinstance(value.__self__, (types.ModuleType, type(None))):
            self.feed(name, f"{value.__module__}.{value.__qualname__}".encode())
        elif isinstance(value, type) and value.__module__ not in ("__main__", None):
            self.installed(getattr(sys.modules.get(value.__module__), "__file__", None))
            self.feed("class", f"{value.__module__}.{value.__qualname__}".encode())
        else:
            self.library(value, kind, depth)

    def installed(self, place):
        """What is installed is known by the environment; what stands in the working folder can change at any time."""
        if (place or "").startswith(("/work", "/tmp")):
            raise Unknown

    def module(self, module):
        self.installed(getattr(module, "__file__", None))
        self.feed("module", f"{module.__name__} {getattr(module, '__version__', '')}".encode())

    def function(self, function, depth):
        if function in self.seen:
            return
        self.seen.add(function)
        place = function.__code__.co_filename
        if not place.startswith("<cell"):
            self.installed(place)
            self.feed("function", f"{function.__module__}.{function.__qualname__}".encode())
            return
        if function.__dict__:
            raise Unknown
        self.code(function.__code__, depth)
        for extra in (function.__defaults__, function.__kwdefaults__):
            self.add(extra, depth + 1)
        for cell in function.__closure__ or ():
            self.add(cell.cell_contents, depth + 1)

    def code(self, code, depth):
        self.feed("code", code.co_code + repr((code.co_names, code.co_varnames, code.co_argcount, code.co_flags)).encode())
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self.code(constant, depth + 1)
            elif not isinstance(constant, frozenset):
                self.add(constant, depth + 1)
            else:
                self.feed("frozenset", repr(sorted(map(repr, constant))).encode())
        # What it finds by name when it is called counts as part of it.
        for name in code.co_names:
            if name in self.space:
                self.feed("name", name.encode())
                self.add(self.space[name], depth + 1)

    def library(self, value, kind, depth):
        numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
        if numpy and kind is numpy.ndarray:
            if value.dtype.hasobject:
                self.feed("objects", repr(value.shape).encode())
                self.add(value.ravel().tolist(), depth + 1)
            else:
                self.feed("array", repr((value.dtype.str, value.shape)).encode())
                self.feed("values", value.tobytes())
        elif numpy and isinstance(value, numpy.generic):
            self.feed(kind.__name__, value.tobytes())
        elif pandas and kind in (pandas.DataFrame, pandas.Series):
            self.frame(value, depth)
        elif pandas and isinstance(value, pandas.Index):
            self.feed(kind.__name__, repr((value.dtype, value.names)).encode())
            self.add(value.tolist(), depth + 1)
        elif pandas and (kind in (pandas.Timestamp, pandas.Timedelta, pandas.Period) or value is pandas.NA or value is pandas.NaT):
            self.feed(kind.__name__, repr(value).encode())
        else:
            raise Unknown

    def frame(self, value, depth):
        if value.attrs or value.flags.allows_duplicate_labels is False:
            raise Unknown
        self.add(value.index, depth + 1)
        columns = [value] if value.ndim == 1 else [value.iloc[:, at] for at in range(value.shape[1])]
        for column in columns:
            self.feed("column", repr(column.dtype).encode())
            self.add(column.name, depth + 1)
            values = column.to_numpy() if str(column.dtype) != "category" else column.astype(object).to_numpy()
            self.add(values, depth + 1)
