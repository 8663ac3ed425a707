"""What `get_ipython()` answers: as much of IPython as cells use, where a sandbox allows it."""

import builtins
import fnmatch
import importlib
import io
import os
import re
import sys
import time
import types

from .later import later

getopt, inspect, pydoc, runpy = map(later, ("getopt", "inspect", "pydoc", "runpy"))
shlex, statistics, subprocess, timeit = map(later, ("shlex", "statistics", "subprocess", "timeit"))

BASH = "/bin/bash"
NO_PACKAGES = "Packages cannot be installed in a sandbox: it has no network. Choose an environment that has them, on the Environments page.\n"
#: What they would change is done already, or has no meaning here.
WITHOUT_EFFECT = {"matplotlib", "config", "autoreload", "autosave", "precision", "colors", "xmode", "automagic", "autocall", "pylab",
                  "pdb", "pprint", "store", "logstart", "logstop", "logon", "logoff", "bookmark", "dirs", "dhist", "notebook",
                  "macro", "autoindent", "gui", "doctest_mode", "autoawait", "killbgscripts", "logstate", "tb"}
SHOWN = {
    "html": "text/html",
    "HTML": "text/html",
    "markdown": "text/markdown",
    "latex": "text/latex",
    "svg": "image/svg+xml",
    "SVG": "image/svg+xml",
    "javascript": "application/javascript",
    "js": "application/javascript",
}
PROGRAMS = ("ls", "cat", "cp", "mv", "rm", "mkdir", "rmdir", "head", "tail", "less", "more", "man", "ll", "lf")
UNITS = (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))


class UsageError(Exception):
    pass


class Lines(list):
    """Lines that a command has printed, also as one text (`.n`) and as words (`.s`)."""

    n = property("\n".join)
    s = property(" ".join)
    l = property(list)


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


class Events:
    """Libraries ask to be called after a cell; figures are shown by the kernel itself."""

    def register(self, *_):
        pass

    unregister = trigger = register


class History:
    """What was run is on the record; a kernel remembers it only as long as it lives."""

    hist_file = ":memory:"
    session_number = 1
    input_hist_raw = input_hist_parsed = property(lambda _: In)  # noqa: F821  (a builtin of every cell)
    output_hist = property(lambda _: Out)  # noqa: F821


class Shell:
    def __init__(self, kernel):
        self._kernel = kernel
        self._left = []
        self.events = Events()
        self.history_manager = History()

    def enable_gui(self, *_):
        pass

    @property
    def user_ns(self):
        return self._kernel.main.__dict__

    def run_line_magic(self, name, line, *_, **__):
        if name in WITHOUT_EFFECT:
            return None
        if name in PROGRAMS:
            return self.system(f"{'ls -l' if name in ('ll', 'lf') else name} {line}")
        method = getattr(self, f"_line_{name}", None)
        if method is None:
            hint = f" There is a cell magic: %%{name}." if hasattr(self, f"_cell_{name}") else ""
            raise UsageError(f"Line magic function `%{name}` not found.{hint}")
        return method(self._expand(line) if name not in ("time", "timeit") else line)

    def run_cell_magic(self, name, line, body):
        if name in SHOWN:
            display({SHOWN[name]: body, "text/plain": f"<{name}>"}, raw=True)  # noqa: F821
            return None
        method = getattr(self, f"_cell_{name}", None)
        if method is None:
            raise UsageError(f"Cell magic `%%{name}` not found.")
        return method(line, body)

    magic = property(lambda self: lambda text: self.run_line_magic(*(text.lstrip("%").split(None, 1) + [""])[:2]))

    # -- programs ----------------------------------------------------------------------------------------------

    def system(self, command):
        command = self._expand(command)
        if re.match(r"(\S*python\S* -m )?(pip3?|conda|mamba|uv pip) install\b", command):
            sys.stderr.write(NO_PACKAGES)
            return
        self.user_ns["_exit_code"] = self._run([BASH, "-c", command])

    def getoutput(self, command):
        done = subprocess.run([BASH, "-c", self._expand(command)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.user_ns["_exit_code"] = done.returncode
        return Lines(done.stdout.decode("utf-8", "replace").splitlines())

    def _run(self, command, text=None):
        """What it prints goes where print goes: into the output of the cell, or into what captures that."""
        given = {"input": text.encode()} if text is not None else {"stdin": subprocess.DEVNULL}
        sys.stdout.flush()
        sys.stderr.flush()
        if sys.stdout in self._kernel.streams and sys.stderr in self._kernel.streams:
            return subprocess.run(command, stdout=1, stderr=2, **given).returncode
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **given)
        sys.stdout.write(done.stdout.decode("utf-8", "replace"))
        sys.stderr.write(done.stderr.decode("utf-8", "replace"))
        return done.returncode

    def _expand(self, text):
        """`{expression}` and `$name`, where they mean something here; everything else is the shell's."""

        def value(found):
            try:
                return str(eval(found[1], self.user_ns))
            except Exception:
                return found[0]

        text = re.sub(r"\{([^{}]+)\}", value, text)
        known = lambda found: str(self.user_ns[found[1]]) if found[1] in self.user_ns else found[0]
        return re.sub(r"\$\$", "$", re.sub(r"(?<!\$)\$([A-Za-z_]\w*)", known, text))

    def _script(self, program):
        def run(line, body):
            options, rest = getopt.gnu_getopt(shlex.split(line), "", ["out=", "err=", "no-raise-error"])
            options = dict(options)
            if "--out" in options or "--err" in options:
                done = subprocess.run([program, *rest], input=body.encode(), capture_output=True)
                for name, data in (("--out", done.stdout), ("--err", done.stderr)):
                    if name in options:
                        self.user_ns[options[name]] = data.decode("utf-8", "replace")
                code = done.returncode
            else:
                code = self._run([program, *rest], body)
            if code and "--no-raise-error" not in options:
                raise subprocess.CalledProcessError(code, program)

        return run

    _cell_bash = property(lambda self: self._script(BASH))
    _cell_sh = property(lambda self: self._script("/bin/sh"))
    _cell_system = property(lambda self: lambda line, body: self.system(body))

    _cell_python = _cell_python3 = property(lambda self: self._script(sys.executable))
    _cell_perl = property(lambda self: self._script("/usr/bin/perl"))
    _cell_ruby = property(lambda self: self._script("/usr/bin/ruby"))

    def _cell_script(self, line, body):
        program, _, rest = line.partition(" ")
        return self._script(program)(rest, body)

    def _line_sx(self, line):
        return self.getoutput(line)

    _line_system = _line_sx

    # -- time --------------------------------------------------------------------------------------------------

    def _line_time(self, line):
        return self._cell_time("", line)

    def _cell_time(self, line, body):
        begun, cpu = time.perf_counter(), os.times()
        try:
            return self._kernel.execute("\n" + body if not line else f"{line}\n{body}", self._kernel.name)
        finally:
            used, now = time.perf_counter() - begun, os.times()
            user, system = now.user - cpu.user, now.system - cpu.system
            print(f"CPU times: user {readable(user)}, sys: {readable(system)}, total: {readable(user + system)}")
            print(f"Wall time: {readable(used)}")

    def _line_timeit(self, line):
        return self._cell_timeit(line, None)

    def _cell_timeit(self, line, body):
        options, rest = getopt.getopt(line.split(" "), "n:r:qo")
        options, statement = dict(options), " ".join(rest)
        setup, code = ("pass", statement) if body is None else (statement or "pass", body)
        timer = timeit.Timer(code, setup, globals=self.user_ns)
        loops = int(options["-n"]) if "-n" in options else timer.autorange()[0]
        runs = [spent / loops for spent in timer.repeat(int(options.get("-r", 7)), loops)]
        if "-q" not in options:
            mean, spread = readable(statistics.fmean(runs)), readable(statistics.pstdev(runs))
            many = f"{len(runs)} run{'s' * (len(runs) != 1)}, {loops:,} loop{'s' * (loops != 1)} each"
            print(f"{mean} ± {spread} per loop (mean ± std. dev. of {many})")
        return runs if "-o" in options else None

    def _line_prun(self, line):
        return self._cell_prun(line, "")

    def _cell_prun(self, line, body):
        import cProfile
        import pstats

        options, rest = getopt.getopt(line.split(" "), "qrs:l:T:D:")
        profile = cProfile.Profile()
        profile.runctx(" ".join(rest) + "\n" + body, self.user_ns, self.user_ns)
        if "-q" not in dict(options):
            pstats.Stats(profile, stream=sys.stdout).sort_stats(dict(options).get("-s", "tottime")).print_stats(30)

    # -- files and names ---------------------------------------------------------------------------------------

    def _cell_capture(self, line, body):
        names = [word for word in line.split() if not word.startswith("--")]
        out, err, shown = io.StringIO(), io.StringIO(), []
        streams, (sys.stdout, sys.stderr) = (sys.stdout, sys.stderr), (out, err)
        self._kernel.captured = shown
        try:
            self._kernel.execute("\n" + body, self._kernel.name)
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
        print(f"{'Appending to' if appends else 'Overwriting' if os.path.exists(path) else 'Writing'} {path}")
        with open(path, "a" if appends else "w", encoding="utf-8") as file:
            file.write(body)

    _cell_file = _cell_writefile

    def _names(self, line):
        kinds = set(line.split())
        own = ((name, value) for name, value in self.user_ns.items() if name not in self._kernel.names_before)
        return sorted(
            name
            for name, value in own
            if not name.startswith("_") and not isinstance(value, types.ModuleType) and (not kinds or type(value).__name__ in kinds)
        )

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
        os.chdir(os.path.expanduser(line.strip("'\"") or "/work"))
        print(os.getcwd())

    def _line_pushd(self, line):
        self._left.append(os.getcwd())
        self._line_cd(line)

    def _line_popd(self, _):
        if not self._left:
            raise UsageError("Directory stack is empty")
        self._line_cd(self._left.pop())

    def _line_history(self, line):
        numbered = "-n" in line.split()
        for count, code in enumerate(In[1:], 1):  # noqa: F821  (a builtin of every cell)
            print(f"{count:>4}: {code}" if numbered else code)

    _line_hist = _line_history

    def _line_psearch(self, line):
        print("\n".join(fnmatch.filter(sorted({**vars(builtins), **self.user_ns}), line.split()[-1])))

    def _line_xdel(self, line):
        del self.user_ns[line.split()[-1]]

    def _line_load(self, line):
        with open(shlex.split(line)[-1], encoding="utf-8") as file:
            print(file.read())

    _line_pycat = _line_load

    def _line_alias_magic(self, line):
        new, old = [word for word in line.split() if not word.startswith("-")][:2]
        for kind in ("line", "cell"):
            method = getattr(self, f"_{kind}_{old.lstrip('%')}", None)
            if method is not None:
                setattr(self, f"_{kind}_{new.lstrip('%')}", method)

    def _line_pwd(self, _):
        return os.getcwd()

    def _line_run(self, line):
        _, (path, *arguments) = getopt.getopt(shlex.split(line), "ine")
        before, sys.argv = sys.argv, [path, *arguments]
        try:
            made = runpy.run_path(path, run_name="__main__")
        finally:
            sys.argv = before
        self.user_ns.update((name, value) for name, value in made.items() if not name.startswith("__"))

    def _line_reset(self, _):
        for name in self._names(""):
            del self.user_ns[name]

    _line_reset_selective = _line_reset

    def _line_lsmagic(self, _):
        lines = sorted({name[6:] for name in dir(type(self)) if name.startswith("_line_")} | WITHOUT_EFFECT | set(PROGRAMS))
        cells = sorted({name[6:] for name in dir(type(self)) if name.startswith("_cell_")} | set(SHOWN))
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

    def _line_load_ext(self, line):
        if line in ("autoreload",):
            return
        try:
            module = importlib.import_module(line)
        except ImportError:
            sys.stderr.write(f"The extension {line} is not in this environment.\n")
            return
        if not hasattr(module, "load_ipython_extension"):
            sys.stderr.write(f"The {line} module is not an IPython extension.\n")
            return
        sys.stderr.write(f"Extensions of IPython are not loaded in this kernel: {line}.\n")

    _line_reload_ext = _line_unload_ext = _line_load_ext

    # -- help --------------------------------------------------------------------------------------------------

    def _line_pinfo(self, line, source=False):
        try:
            thing = eval(line, self.user_ns)
        except Exception:
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


def readable(seconds):
    if seconds >= 60:
        return f"{int(seconds // 60)}min {seconds % 60:.0f}s"
    unit, scale = next(((unit, scale) for unit, scale in UNITS if seconds >= scale), UNITS[-1])
    return f"{seconds / scale:.3g} {unit}"
