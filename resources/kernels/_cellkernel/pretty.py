"""The text of a value as notebooks show it: nested values over several lines, objects that say how they want to be read.

A value becomes pieces of text, places where a line may end, and groups of both. A group that fits into the line stays on
it; in one that does not, every place ends the line.
"""

import contextlib

from .later import later

inspect = later("inspect")
WIDTH = 79
MOST_ITEMS = 1000
DEEPEST = 60
#: A longer text is cut anyway; what would be cut is not made first.
MOST_VALUES = 100_000
#: Types whose text is one line.
PLAIN = frozenset((int, float, bool, complex, str, bytes, type(None)))
#: Set by `%pprint`.
wraps = True


class Group(list):
    def __init__(self, indent):
        super().__init__()
        self.indent = indent


class Place:
    """Where a line may end; `forced` ends it in any case."""

    def __init__(self, otherwise, forced=False):
        self.otherwise, self.forced = otherwise, forced


class Printer:
    """What `_repr_pretty_(p, cycle)` is given."""

    def __init__(self, printers=(), most=MOST_ITEMS):
        self.printers = dict(printers)
        self.most = most
        self.open = [Group(0)]
        self.within = []
        self.count = 0

    def text(self, text):
        self.open[-1].append(str(text))

    def breakable(self, sep=" "):
        self.open[-1].append(Place(sep))

    def break_(self):
        self.open[-1].append(Place("", forced=True))

    def begin_group(self, indent=0, open=""):
        if open:
            self.text(open)
        group = Group(indent)
        self.open[-1].append(group)
        self.open.append(group)

    def end_group(self, dedent=0, close=""):
        self.open.pop()
        if close:
            self.text(close)

    @contextlib.contextmanager
    def group(self, indent=0, open="", close=""):
        self.begin_group(indent, open)
        try:
            yield
        finally:
            self.end_group(indent, close)

    @contextlib.contextmanager
    def indent(self, indent):
        self.begin_group(indent)
        try:
            yield
        finally:
            self.end_group()

    def pretty(self, thing):
        cycle = any(each is thing for each in self.within)
        self.count += 1
        if len(self.within) > DEEPEST or self.count > MOST_VALUES:
            return self.text("...")
        self.within.append(thing)
        try:
            self.by_kind(thing, cycle)
        finally:
            self.within.pop()

    def by_kind(self, thing, cycle):
        kind = type(thing)
        for each in kind.__mro__:
            if each in self.printers:
                return self.printers[each](thing, self, cycle)
            if each in BUILT_IN and kind.__repr__ is each.__repr__:
                return BUILT_IN[each](thing, self, cycle)
            own = each.__dict__.get("_repr_pretty_")
            if callable(own):
                return own(thing, self, cycle)
            if each is not object and "__repr__" in each.__dict__:
                break
        if kind.__repr__ is object.__repr__:
            return self.text(f"<{name_of(kind)} at {id(thing):#x}>")
        for at, line in enumerate(repr(thing).splitlines()):
            if at:
                self.break_()
            self.text(line)

    def whole(self):
        return "".join(laid_out(self.open[0]))


def name_of(kind):
    name = getattr(kind, "__qualname__", kind.__name__)
    module = getattr(kind, "__module__", None)
    return name if module in (None, "builtins", "exceptions") else f"{module}.{name}"


def sequence(opening, closing):
    def show(thing, p, cycle):
        if cycle:
            return p.text(f"{opening}...{closing}")
        with p.group(len(opening), opening, closing):
            for at, each in enumerate(thing):
                if at:
                    p.text(",")
                    p.breakable()
                if at >= p.most:
                    p.text("...")
                    break
                p.pretty(each)
            if type(thing) is tuple and len(thing) == 1:
                p.text(",")

    return show


def unordered(opening, closing, empty):
    shown = sequence(opening, closing)

    def show(thing, p, cycle):
        if not thing:
            return p.text(empty)
        try:
            thing = sorted(thing)
        except Exception:
            pass
        shown(thing, p, cycle)

    return show


def mapping(thing, p, cycle):
    if cycle:
        return p.text("{...}")
    with p.group(1, "{", "}"):
        for at, (key, value) in enumerate(thing.items()):
            if at:
                p.text(",")
                p.breakable()
            if at >= p.most:
                p.text("...")
                break
            p.pretty(key)
            p.text(": ")
            p.pretty(value)


def error(thing, p, cycle):
    name = name_of(type(thing))
    with p.group(len(name) + 1, f"{name}(", ")"):
        for at, each in enumerate(getattr(thing, "args", ())):
            if at:
                p.text(",")
                p.breakable()
            p.pretty(each)


def function(thing, p, _):
    try:
        name = f"{name_of(thing)}{inspect.signature(thing)}"
    except (TypeError, ValueError):
        name = name_of(thing)
    p.text(f"<function {name}>")


BUILT_IN = {
    list: sequence("[", "]"),
    tuple: sequence("(", ")"),
    set: unordered("{", "}", "set()"),
    frozenset: unordered("frozenset({", "})", "frozenset()"),
    dict: mapping,
    type: lambda thing, p, _: p.text(name_of(thing)),
    type(name_of): function,
    type(len): function,
    BaseException: error,
}


def laid_out(group, width=WIDTH):
    """The pieces of text in order, with line ends where they have to be."""
    out, column = [], 0
    # Of each: what is left of it, how far its lines are indented, and whether it stays on one line.
    stack = [(iter(group), 0, fits(group, 0, width))]
    while stack:
        parts, indent, flat = stack[-1]
        part = next(parts, None)
        if part is None:
            stack.pop()
        elif isinstance(part, Group):
            starts = indent + part.indent
            stack.append((iter(part), starts, flat or fits(part, column, width)))
        elif isinstance(part, Place):
            if part.forced or not flat:
                out.append("\n" + " " * indent)
                column = indent
            else:
                out.append(part.otherwise)
                column += len(part.otherwise)
        else:
            out.append(part)
            column += len(part)
    return out


def fits(group, column, width):
    """Whether it has room in the rest of the line, the bracket behind it included; only as much is looked at as has."""
    left = width - column - 1
    stack = [iter(group)]
    while stack:
        part = next(stack[-1], None)
        if part is None:
            stack.pop()
        elif isinstance(part, Group):
            stack.append(iter(part))
        elif isinstance(part, Place) and part.forced:
            return False
        else:
            left -= len(part.otherwise if isinstance(part, Place) else part)
            if left < 0:
                return False
    return True


def pretty(thing, printers=(), max_width=WIDTH, max_seq_length=MOST_ITEMS, **_):
    if not wraps or type(thing) in PLAIN and not printers:
        return repr(thing)
    printer = Printer(printers, max_seq_length)
    printer.pretty(thing)
    return printer.whole()
