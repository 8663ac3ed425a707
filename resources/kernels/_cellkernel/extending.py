"""What extensions and notebooks add to the shell: magics, formatters, callbacks, options."""

import sys

from .later import later

argparse, shlex = map(later, ("argparse", "shlex"))


class UsageError(Exception):
    pass


# -- magics --------------------------------------------------------------------------------------------------------


def marks(*kinds):
    """A decorator for methods, with a name of their own or without: `@line_magic`, `@line_magic('name')`."""

    def decorator(given):
        def mark(made, name=None):
            made._magic = (kinds, name or made.__name__)
            return made

        return mark(given) if callable(given) else lambda made: mark(made, given)

    return decorator


def registers(shell, *kinds):
    """The same for functions, which are at hand at once."""

    def decorator(given):
        def register(made, name=None):
            for kind in kinds:
                setattr(shell, f"_{kind}_{name or made.__name__}", made)
            return made

        return register(given) if callable(given) else lambda made: register(made, given)

    return decorator


class Magics:
    def __init__(self, shell=None, **more):
        self.shell = shell or get_ipython()  # noqa: F821  (a builtin of every cell)
        self.__dict__.update(more)

    @property
    def magics(self):
        found = {"line": {}, "cell": {}}
        for name in dir(type(self)):
            kinds, named = getattr(getattr(type(self), name), "_magic", ((), None))
            for kind in kinds:
                found[kind][named] = getattr(self, name)
        return found

    def parse_options(self, line, short, *long, mode="string", **_):
        import getopt

        given, rest = getopt.getopt(shlex.split(line), short, list(long))
        options = Options((name.lstrip("-"), value) for name, value in given)
        return options, rest if mode == "list" else " ".join(rest)

    def arg_err(self, function):
        print("Error in arguments:\n", function.__doc__)


class Options(dict):
    """`options.n` and `options['n']`; what was not given is None."""

    __getattr__ = dict.get
    __setattr__ = dict.__setitem__


def argument(*names, **given):
    def mark(made):
        made._arguments = [(names, given), *getattr(made, "_arguments", [])]
        return made

    return mark


def argument_group(*_, **__):
    return lambda made: made


kwds = argument_group


def magic_arguments(name=None):
    def mark(made):
        parser = argparse.ArgumentParser(prog=f"%{name or made.__name__}", description=made.__doc__, add_help=False, exit_on_error=False)
        for names, given in getattr(made, "_arguments", []):
            parser.add_argument(*names, **given)

        def fail(message):
            raise UsageError(f"{message}\n{parser.format_usage()}")

        parser.error = fail
        made.parser = parser
        made.__doc__ = parser.format_help()
        return made

    return mark


def parse_argstring(function, line):
    try:
        return function.parser.parse_args(shlex.split(line))
    except argparse.ArgumentError as error:
        raise UsageError(str(error)) from None


# -- how values are shown ------------------------------------------------------------------------------------------


class Formatter:
    """How values of some types are shown in one form, beside what the values themselves can do."""

    def __init__(self, mime="text/plain", builtin=(), **_):
        self.format_type = mime
        self.enabled = True
        self.type_printers = dict(builtin)
        self.deferred_printers = {}

    def for_type(self, kind, printer=None):
        if isinstance(kind, str):
            return self.for_type_by_name(*kind.rpartition(".")[::2], printer)
        before = self.type_printers.get(kind)
        if printer is not None:
            self.type_printers[kind] = printer
        return before

    def for_type_by_name(self, module, name, printer=None):
        before = self.deferred_printers.get((module, name))
        if printer is not None:
            self.deferred_printers[module, name] = printer
        return before

    def lookup_by_type(self, kind):
        for each in kind.__mro__:
            if each in self.type_printers:
                return self.type_printers[each]
            named = (getattr(each, "__module__", None), each.__name__)
            if named in self.deferred_printers:
                self.type_printers[each] = self.deferred_printers.pop(named)
                return self.type_printers[each]
        raise KeyError(f"No registered printer for {kind!r}")

    def lookup(self, thing):
        return self.lookup_by_type(type(thing))

    def pop(self, kind, *default):
        return self.type_printers.pop(kind, *default)

    def __contains__(self, kind):
        try:
            return bool(self.lookup_by_type(kind))
        except KeyError:
            return False

    def __call__(self, thing):
        if not (self.type_printers or self.deferred_printers):  # as nearly always
            return None
        return self.lookup(thing)(thing) if self.enabled and type(thing) in self else None


class DisplayFormatter:
    def __init__(self, bundle):
        self._bundle = bundle
        self.formatters = {mime: Formatter(mime) for mime in FORMS}
        self.active_types = list(FORMS)

    def format(self, thing, include=None, exclude=None):
        data, metadata = self._bundle(thing)
        return {mime: each for mime, each in data.items() if wanted(mime, include, exclude)}, metadata

    @property
    def format_types(self):
        return list(self.formatters)


def wanted(mime, include, exclude):
    return mime == "text/plain" or ((not include or mime in include) and not (exclude and mime in exclude))


FORMS = ("text/plain", "text/html", "text/markdown", "image/svg+xml", "image/png", "application/pdf", "image/jpeg",
         "text/latex", "application/json", "application/javascript")


# -- callbacks and options -----------------------------------------------------------------------------------------


class Events:
    """Called around every cell. What one of them throws is told and ends nothing."""

    names = ("pre_execute", "pre_run_cell", "post_execute", "post_run_cell", "shell_initialized")

    def __init__(self):
        self.callbacks = {name: [] for name in self.names}

    def register(self, event, function):
        if not callable(function):
            raise TypeError(f"Need a callable, got {function!r}")
        if function not in self.callbacks[event]:
            self.callbacks[event].append(function)

    def unregister(self, event, function):
        self.callbacks[event].remove(function)

    def trigger(self, event, *given):
        for function in list(self.callbacks[event]):
            try:
                function(*given[: takes(function)])
            except Exception as error:
                print(f"Error in callback {function} (for {event}): {type(error).__name__}: {error}", file=sys.stderr)


def takes(function):
    import inspect

    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return 1
    return sum(each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in parameters)


class Config(dict):
    """`config.Section.option = value`: kept and given back; nothing here depends on it."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.setdefault(name, Config())

    __setattr__ = dict.__setitem__
