"""The magics that notebooks use every day: files, names, settings, help."""

import builtins
import fnmatch
import importlib
import io
import os
import re
import sys
import time
import traceback
import types

from . import pretty
from .display import show_figures
from .extending import UsageError
from .failures import own
from .later import later
from .timing import TimingMagics, readable

getopt, inspect, pydoc, runpy = map(later, ("getopt", "inspect", "pydoc", "runpy"))
shlex = later("shlex")

NO_PACKAGES = "Packages cannot be installed in a sandbox: it has no network. Choose an environment that has them, on the Environments page.\n"
#: What they would change is done already, or has no meaning here.
WITHOUT_EFFECT = {"matplotlib", "autosave", "colors", "xmode", "automagic", "autocall",
                  "pdb", "logstart", "logstop", "logon", "logoff", "bookmark", "notebook",
                  "autoindent", "gui", "doctest_mode", "autoawait", "killbgscripts", "logstate"}


class Captured:
    """What a cell has shown while it was captured."""

    def __init__(self, stdout, stderr, outputs):
        self.stdout, self.stderr, self.outputs = stdout, stderr, outputs

    def show(self):
        sys.stdout.write(self.stdout)
        sys.stderr.write(self.stderr)
        for data in self.outputs:
            display(data, raw=True)  # noqa: F821  (a builtin of every cell)

    __call__ = show

    def __str__(self):
        return self.stdout


class EverydayMagics(TimingMagics):
    # -- files and names ---------------------------------------------------------------------------------------

    def _cell_capture(self, line, body):
        names = [word for word in line.split() if not word.startswith("--")]
        out, err, shown = io.StringIO(), io.StringIO(), []
        streams = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = (sys.stdout if "--no-stdout" in line else out), (sys.stderr if "--no-stderr" in line else err)
        if "--no-display" not in line:
            self._kernel.captured = shown
        try:
            value = self._kernel.execute("\n" + body, self._kernel.name)
            if value is not None:
                self._kernel.display(value)
            show_figures(self._kernel.display)
        finally:
            sys.stdout, sys.stderr = streams
            self._kernel.captured = None
            captured = Captured(out.getvalue(), err.getvalue(), shown)
            if names:
                self.user_ns[names[0]] = captured

    def _cell_writefile(self, line, body):
        options, (path, *_) = getopt.gnu_getopt(shlex.split(self._expand(line)), "a", ["append"])
        path = os.path.expanduser(path)
        appends = bool(options)
        print(f"{'Appending to' if appends and os.path.exists(path) else 'Overwriting' if os.path.exists(path) else 'Writing'} {path}")
        with open(path, "a" if appends else "w", encoding="utf-8") as file:
            file.write(body)

    _cell_file = _cell_writefile

    def _own(self):
        return [name for name in self.user_ns if name not in self._kernel.names_before and not name.startswith("_")]

    def _names(self, line):
        kinds = set(line.split())
        own = {name: self.user_ns[name] for name in self._own()}
        return sorted(name for name, value in own.items() if (not kinds and not isinstance(value, types.ModuleType)) or type(value).__name__ in kinds)

    def _line_who_ls(self, line):
        return self._names(line)

    def _line_who(self, line):
        print("\t ".join(self._names(line)) or "Interactive namespace is empty.")

    def _line_whos(self, line):
        names = self._names(line)
        width = max([8, *map(len, names)])
        print(f"{'Variable':<{width}}   Type         Data/Info\n{'-' * (width + 29)}")
        for name in names:
            value = self.user_ns[name]
            about = f"Shape: {value.shape}" if hasattr(value, "shape") else " ".join(repr(value)[:60].split())
            print(f"{name:<{width}}   {type(value).__name__:<12} {about}")

    def _line_env(self, line):
        if not line:
            return dict(os.environ)
        name, sign, value = line.partition("=") if "=" in line else line.partition(" ")
        if not sign:
            if name not in os.environ:
                raise UsageError(f"Environment does not have key: {name}")
            return os.environ[name]
        os.environ[name.strip()] = value.strip()
        print(f"env: {name.strip()}={value.strip()}")

    _line_set_env = _line_env

    def _line_cd(self, line):
        quiet, line = line.startswith("-q"), line.removeprefix("-q").strip()
        if line == "-" and len(builtins._dh) < 2:
            raise UsageError("There is no earlier folder to go back to.")
        os.chdir(builtins._dh[-2] if line == "-" else os.path.expanduser(line.strip("'\"") or "/work"))
        builtins._dh.append(os.getcwd())
        if not quiet:
            print(os.getcwd())

    def _line_dhist(self, _):
        print("Directory history (kept in _dh)")
        for count, folder in enumerate(builtins._dh):
            print(f"{count}: {folder}")

    def _line_dirs(self, _):
        return list(self._left)

    def _line_pushd(self, line):
        self._left.append(os.getcwd())
        self._line_cd(line)

    def _line_popd(self, _):
        if not self._left:
            raise UsageError("Directory stack is empty")
        self._line_cd(self._left.pop())

    def _line_psearch(self, line):
        owner, dot, pattern = line.split()[-1].rpartition(".")
        names = dir(eval(owner, self.user_ns)) if dot else sorted({**vars(builtins), **self.user_ns})
        print("\n".join(f"{owner}{dot}{name}" for name in fnmatch.filter(names, pattern)))

    def _line_xdel(self, line):
        del self.user_ns[line.split()[-1]]

    def _line_load(self, line):
        with open(shlex.split(line)[-1], encoding="utf-8") as file:
            print(file.read())

    _line_pycat = _line_loadpy = _line_page = _line_load

    def _line_pfile(self, line):
        thing = eval(line, self.user_ns) if not os.path.exists(line) else None
        self._line_load(shlex.quote(line if thing is None else inspect.getsourcefile(thing)))

    def _line_alias_magic(self, line):
        new, old = [word for word in line.split() if not word.startswith("-")][:2]
        for kind in ("line", "cell"):
            method = getattr(self, f"_{kind}_{old.lstrip('%')}", None)
            if method is not None:
                setattr(self, f"_{kind}_{new.lstrip('%')}", method)

    def _line_pwd(self, _):
        return os.getcwd()

    def _line_run(self, line):
        # Options stand before the file; what follows it is the file's own.
        options, (path, *arguments) = getopt.getopt(shlex.split(line), "intepG", ["ipython"])
        options = dict(options)
        path = path if os.path.exists(path) or path.endswith(".py") else f"{path}.py"
        if path.endswith((".ipy", ".ipynb")):
            raise UsageError(f"%run takes Python files: import {path} as a notebook instead.")
        before, sys.argv = sys.argv, [path, *arguments]
        name = os.path.splitext(os.path.basename(path))[0] if "-n" in options else "__main__"
        begun = time.perf_counter()
        try:
            made = runpy.run_path(path, self.user_ns if "-i" in options else None, name)
        except SystemExit:
            if "-e" not in options:
                raise
            made = {}
        finally:
            sys.argv = before
        self.user_ns.update((name, value) for name, value in made.items() if not name.startswith("__"))
        if "-t" in options:
            print(f"Wall time: {readable(time.perf_counter() - begun)}")

    def _line_reset(self, line):
        kinds = {word for word in line.split() if not word.startswith("-")}
        if kinds & {"out", "in", "dhist", "array"}:
            for name, kept in (("out", builtins.Out), ("in", builtins.In), ("dhist", builtins._dh)):
                if name in kinds:
                    kept.clear()
            if "in" in kinds:
                builtins.In.extend([""] * (self._kernel.count + 1))
            return
        for name in self._own():
            del self.user_ns[name]

    def _line_reset_selective(self, line):
        pattern = re.compile(next((word for word in line.split() if not word.startswith("-")), ""))
        for name in self._own():
            if pattern.search(name):
                del self.user_ns[name]

    def _line_lsmagic(self, _):
        lines = sorted({name[6:] for name in dir(type(self)) if name.startswith("_line_")} | WITHOUT_EFFECT)
        cells = sorted({name[6:] for name in dir(type(self)) if name.startswith("_cell_")})
        print("Line magics:\n" + "  ".join(f"%{name}" for name in lines) + "\n\nCell magics:\n" + "  ".join(f"%%{name}" for name in cells))

    _line_magic = _line_quickref = _line_lsmagic

    # -- what a sandbox does not have --------------------------------------------------------------------------

    def _line_connect_info(self, _):
        sys.stderr.write("A sandbox has no port, so no other program can connect to this kernel.\n")

    _line_qtconsole = _line_connect_info

    def _line_pip(self, line):
        if line.split()[:1] in (["list"], ["freeze"], ["show"], ["check"]):
            self._run([sys.executable, "-m", "pip", *shlex.split(line)])
        else:
            sys.stderr.write(NO_PACKAGES)

    _line_conda = _line_mamba = _line_uv = _line_pip

    def _extension(self, line, step):
        if line in ("autoreload", "storemagic"):  # part of the kernel
            return
        try:
            module = importlib.import_module(line)
        except ModuleNotFoundError as error:
            if error.name != line.split(".")[0]:
                raise
            sys.stderr.write(f"The extension {line} is not in this environment.\n")
            return
        given = getattr(module, step, None)
        if callable(given):
            given(self)
        elif step == "load_ipython_extension":
            sys.stderr.write(f"The {line} module is not an IPython extension.\n")

    def _line_load_ext(self, line):
        self._extension(line, "load_ipython_extension")

    def _line_autoreload(self, line):
        modes = {"0": 0, "off": 0, "1": 1, "explicit": 1, "2": 2, "all": 2, "3": 2, "complete": 2}
        word = line.split()[0].lower() if line.split() else "now"
        if word == "now":
            self.reloading.check()
        elif word in modes:
            self.reloading.mode = modes[word]
            self.reloading.look()
            if self.reloading.before_cell not in self.events.callbacks["pre_run_cell"]:
                self.events.register("pre_run_cell", self.reloading.before_cell)
        else:
            raise UsageError(f"%autoreload takes now, off, explicit or all, not {word!r}.")

    def _line_aimport(self, line):
        """Modules that `%autoreload 1` loads anew, and with a minus those that are never."""
        for name in line.replace(",", " ").split():
            if name.startswith("-"):
                self.reloading.excluded.add(name[1:])
                continue
            importlib.import_module(name)
            self.user_ns[name.partition(".")[0]] = sys.modules[name.partition(".")[0]]
            self.reloading.named.add(name)
            self.reloading.excluded.discard(name)
        self.reloading.look()

    def _line_unload_ext(self, line):
        self._extension(line, "unload_ipython_extension")

    def _line_reload_ext(self, line):
        self._line_unload_ext(line)
        if line in sys.modules:
            importlib.reload(sys.modules[line])
        self._line_load_ext(line)

    # -- settings ----------------------------------------------------------------------------------------------

    def _line_precision(self, line):
        line = line.strip()
        shown = f"%.{line}f" if line.isdigit() else line or "%r"
        texts = self.display_formatter.formatters["text/plain"]
        if not line:
            texts.pop(float, None)
        else:
            shown % 3.14159  # a form that is none fails here, not at the next result
            texts.for_type(float, lambda value, p, _: p.text(shown % value))
        numpy = sys.modules.get("numpy")
        if numpy:
            numpy.set_printoptions(precision=int(line) if line.isdigit() else 8)
        return shown

    def _line_pprint(self, _):
        pretty.wraps = not pretty.wraps
        print(f"Pretty printing has been turned {'ON' if pretty.wraps else 'OFF'}")

    def _line_config(self, line):
        name, sign, value = line.partition("=")
        section, dot, option = name.strip().partition(".")
        if not sign or not dot:
            return None
        try:
            value = eval(value, self.user_ns)
        except Exception:
            value = value.strip()
        if section in ("InteractiveShell", "ZMQInteractiveShell") and option == "ast_node_interactivity":
            self.ast_node_interactivity = value
        self.config.setdefault(section, type(self.config)())[option] = value

    def _line_pylab(self, line):
        """The names of numpy and pyplot, as old notebooks expect them."""
        found = {}
        exec("import numpy, numpy as np, matplotlib\nfrom matplotlib import pylab, mlab, pyplot\nplt = pyplot", found)
        if "--no-import-all" not in line:
            exec("from pylab import *\nfrom numpy import *", found)
        exec("from IPython.core.pylabtools import figsize, getfigs", found)
        found.pop("__builtins__", None)
        self.user_ns.update(found)
        print("Populating the interactive namespace from numpy and matplotlib")

    def _line_tb(self, _):
        last = getattr(sys, "last_value", None)
        if last is None:
            print("No traceback available to show.")
        else:
            print("".join(traceback.format_exception(type(last), last, own(last.__traceback__))))

    # -- help --------------------------------------------------------------------------------------------------

    def _line_pinfo(self, line, source=False):
        try:
            name = line.lstrip("%")
            thing = eval(line, self.user_ns) if name == line else self.find_magic(name) or self.find_cell_magic(name)
        except Exception:
            thing, source = None, None
        if thing is None and (source is None or line.startswith("%")):
            print(f"Object `{line}` not found.")
            return
        parts = []
        if callable(thing):
            try:
                parts.append(f"Signature: {line.rpartition('.')[2]}{inspect.signature(thing)}")
            except (TypeError, ValueError):
                pass
        else:
            parts.append(f"Type:        {type(thing).__name__}\nString form: {str(thing)[:500]}")
        text = None
        if source:
            try:
                text = inspect.getsource(thing)
            except (OSError, TypeError):
                pass
        parts.append(f"Source:\n{text}" if text else f"Docstring:\n{inspect.getdoc(thing) or '<no docstring>'}")
        if callable(thing):
            parts.append(f"Type:      {type(thing).__name__}")
        print("\n".join(parts))

    def _line_pinfo2(self, line):
        self._line_pinfo(line, source=True)

    def _line_psource(self, line):
        try:
            print(inspect.getsource(eval(line, self.user_ns)))
        except (OSError, TypeError):
            print(f"No source found for {line}")

    def _line_pdef(self, line):
        try:
            print(f" {line}{inspect.signature(eval(line, self.user_ns))}")
        except (TypeError, ValueError):
            print(f"No definition header found for {line}")

    def _line_pdoc(self, line):
        print(pydoc.getdoc(eval(line, self.user_ns)))
