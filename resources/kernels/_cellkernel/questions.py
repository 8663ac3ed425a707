"""What the inspector and the editor ask of a live kernel. Runs in a throw-away copy under the supervisor's time limit."""

import builtins
import keyword
import re
import reprlib
import sys
import types

from . import fingerprints, tables
from .later import later

inspect = later("inspect")

PREVIEW = 120
MAX_VARIABLES = 500
MAX_COMPLETIONS = 300

short = reprlib.Repr()
short.maxstring = short.maxother = PREVIEW
short.maxlist = short.maxtuple = short.maxdict = short.maxset = 6


def answer(what, space, everything, code, offset):
    """The answer, and bytes that go with it."""
    if what == "table":
        return tables.piece(space.get(code), offset) or (False, b"")
    if what == "fingerprints":
        return fingerprints.fingerprints(space, code.split()), b""
    if what == "variables":
        return variables(space), b""
    if what == "complete":
        return completions(everything, code[:offset]), b""
    if what == "hover":
        return hover(everything, code, offset), b""
    return None, b""


def variables(space):
    found = []
    for name, value in space.items():
        if name.startswith("_") or isinstance(value, types.ModuleType):
            continue
        found.append(
            {
                "name": name,
                "type": type(value).__name__,
                "shape": guarded(lambda: shape(value)),
                "bytes": guarded(lambda: size(value)),
                "preview": (guarded(lambda: preview(value)) or "")[:PREVIEW],
                "table": tables.as_frame(value) is not None,
            }
        )
        if len(found) >= MAX_VARIABLES:
            break
    return found


def guarded(ask):
    try:
        return ask()
    except Exception:
        return None


def shape(value):
    dimensions = getattr(value, "shape", None)
    if isinstance(dimensions, tuple) and all(isinstance(n, int) for n in dimensions):
        return " × ".join(f"{n:,}" for n in dimensions) if dimensions else None
    if isinstance(value, dict):
        return f"{len(value):,} keys"
    if isinstance(value, (str, bytes, bytearray, list, tuple, set, frozenset)):
        return f"{len(value):,}"
    return None


def size(value):
    usage = getattr(value, "memory_usage", None)
    if callable(usage) and type(value).__module__.startswith("pandas"):
        total = usage(deep=False)
        return int(total.sum() if hasattr(total, "sum") else total)
    if hasattr(value, "nbytes") and type(value).__module__ == "numpy":
        return int(value.nbytes)
    return sys.getsizeof(value)


def preview(value):
    if type(value).__module__.startswith("pandas") and hasattr(value, "columns"):
        return ", ".join(map(str, list(value.columns)[:12]))
    return short.repr(value).replace("\n", " ")


def completions(space, before):
    match = re.search(r"((?:\w+\.)*)(\w*)$", before)
    path, start = (match.group(1), match.group(2)) if match else ("", "")
    if path:
        try:
            owner = resolve(space, path[:-1].split("."))
        except (LookupError, AttributeError):
            return []
        names = {name: None for name in dir(owner)}
        inherited = set(dir(type(owner)))
        look = lambda name: inspect.getattr_static(owner, name, None) if name in inherited else guarded(lambda: getattr(owner, name))
    else:
        names = dict.fromkeys([*space, *dir(builtins), *keyword.kwlist])
        inherited = {*dir(builtins), *keyword.kwlist} - set(space)
        look = lambda name: space.get(name, getattr(builtins, name, None))
    wanted = [name for name in names if name.startswith(start) and (start.startswith("_") or not name.startswith("_"))]
    # What the analyst made (variables, columns) is likelier than what every such thing has.
    wanted.sort(key=lambda name: (name in inherited, name.lower(), name))
    found = []
    for name in wanted[:MAX_COMPLETIONS]:
        entry = {"label": name, "kind": kind(name, look(name), bool(path))}
        if entry["kind"] in ("variable", "property"):
            entry["detail"] = type(look(name)).__name__
        found.append(entry)
    return found


def resolve(space, names):
    first, *rest = names
    value = space[first] if first in space else vars(builtins)[first]
    for name in rest:
        value = getattr(value, name)
    return value


def kind(name, value, attribute):
    if not attribute and keyword.iskeyword(name):
        return "keyword"
    if isinstance(value, types.ModuleType):
        return "module"
    if isinstance(value, type):
        return "class"
    if callable(value) or isinstance(value, (staticmethod, classmethod)):
        return "function"
    return "property" if attribute else "variable"


def hover(space, code, offset):
    start, end = offset, offset
    while start > 0 and re.match(r"[\w.]", code[start - 1]):
        start -= 1
    while end < len(code) and re.match(r"\w", code[end]):
        end += 1
    name = code[start:end].strip(".")
    if not re.fullmatch(r"[^\W\d]\w*(\.\w+)*", name):
        return None
    try:
        value = resolve(space, name.split("."))
    except (LookupError, AttributeError):
        return None
    signature = guarded(lambda: name + str(inspect.signature(value))) if callable(value) else None
    documentation = guarded(lambda: inspect.getdoc(value)) if callable(value) or isinstance(value, types.ModuleType) else None
    if documentation is None and not callable(value):
        documentation = guarded(lambda: preview(value))
    return {"signature": signature, "documentation": (documentation or "")[:4_000], "type": type(value).__name__}
