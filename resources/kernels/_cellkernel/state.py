"""Which variables a run made, changed and removed. A kernel's word about its own code, shown and never relied upon.

A name that stands for another object has changed. What changes inside an object is seen where looking is cheap and runs
no code of the object: size and shape, and the contents of small lists, dictionaries, sets and arrays.
"""

import sys
import types
import zlib

MOST = 200
SMALL = 1000
SMALL_BYTES = 1 << 16


def look(space, known):
    return {
        name: (id(value), inside(value))
        for name, value in list(space.items())
        if type(name) is str and name not in known and not name.startswith("_") and not isinstance(value, types.ModuleType)
    }


def inside(value):
    kind = type(value)
    if kind in (list, tuple, set):
        return (len(value), sum(id(each) for each in value) if len(value) <= SMALL else None, id(value[-1]) if kind is list and value else None)
    if kind is dict:
        return (len(value), sum(id(each) ^ id(key) for key, each in value.items()) if len(value) <= SMALL else None)
    if kind is bytearray:
        return (len(value), zlib.crc32(value) if len(value) <= SMALL_BYTES else None)
    numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
    if numpy and kind is getattr(numpy, "ndarray", None):
        return (value.shape, zlib.crc32(value.tobytes()) if value.nbytes <= SMALL_BYTES and not value.dtype.hasobject else None)
    if pandas and kind is getattr(pandas, "DataFrame", None):
        blocks = value._mgr.blocks if hasattr(value, "_mgr") else ()
        return (value.shape, tuple(id(block.values) for block in blocks[:50]), id(value.columns))
    return None


def compare(before, after):
    names = lambda found: sorted(found)[:MOST]
    return {
        "created": names(name for name in after if name not in before),
        "changed": names(name for name in after if name in before and after[name] != before[name]),
        "removed": names(name for name in before if name not in after),
    }
