"""What `get_ipython()` answers: as much of IPython as cells use, where a sandbox allows it."""

import builtins
import io
import os
import re
import sys
import traceback

from . import display as forms
from . import comms, extending, magics
from .everyday import NO_PACKAGES, WITHOUT_EFFECT, EverydayMagics
from .extending import UsageError
from .failures import own
from .history import History, HistoryMagics
from .later import later
from .reloading import Reloading

shlex, shutil, subprocess = map(later, ("shlex", "shutil", "subprocess"))

HERE = os.path.dirname(os.path.abspath(__file__))
BASH = "/bin/bash"
SHOWN = {
    "html": ("text/html", "HTML"),
    "HTML": ("text/html", "HTML"),
    "markdown": ("text/markdown", "Markdown"),
    "latex": ("text/latex", "Latex"),
    "svg": ("image/svg+xml", "SVG"),
    "SVG": ("image/svg+xml", "SVG"),
    "javascript": ("application/javascript", "Javascript"),
    "js": ("application/javascript", "Javascript"),
}
NO_BACKGROUND = "The script has run to its end: in a sandbox, processes end with the cell that started them.\n"
PROGRAMS = ("ls", "cat", "cp", "mv", "rm", "mkdir", "rmdir", "head", "tail", "less", "more", "man", "ll", "lf")


class Lines(list):
    """Lines that a command has printed, also as one text (`.n`), as words (`.s`) and as paths (`.p`)."""

    n = nlstr = property("\n".join)
    s = spstr = property(" ".join)
    l = list = property(list)

    @property
    def p(self):
        import pathlib

        return [pathlib.Path(each) for each in self if os.path.exists(each)]

    paths = p

    def grep(self, pattern, prune=False, field=None):
        matches = pattern if callable(pattern) else re.compile(pattern, re.IGNORECASE).search
        of = lambda line: line if field is None else (line.split()[field : field + 1] or [""])[0]
        return Lines(line for line in self if bool(matches(of(line))) != prune)

    def fields(self, *wanted):
        rows = [line.split() for line in self]
        return Lines(" ".join(row[at] for at in wanted if at < len(row)) for row in rows) if wanted else rows

    def sort(self, field=None, nums=False):
        def key(line):
            text = line if field is None else (line.split()[field : field + 1] or [""])[0]
            return int("".join(filter(str.isdigit, text)) or 0) if nums else text

        return Lines(sorted(self, key=key))


class Read(bytes):
    """Is there already, also for code that waits for it."""

    def __await__(self):
        yield from ()
        return self


class Printed(io.BytesIO):
    """What a script in the background has printed, to be read as from the pipe of one that still runs."""

    def read(self, *size):
        return Read(super().read(*size))

    def readline(self, *size):
        return Read(super().readline(*size))

    async def __aiter__(self):
        for line in self.readlines():
            yield line


class Tracebacks:
    """`InteractiveTB`: errors as text, for who shows them in another place."""

    def text(self, kind, error, trace, *_, **__):
        return "".join(traceback.format_exception(kind, error, own(trace)))

    def structured_traceback(self, *given, **named):
        return self.text(*given, **named).splitlines()

    def stb2text(self, lines):
        return "\n".join(lines)

    def set_mode(self, mode=None):
        pass


class Finished:
    """What `run_cell` gives back."""

    def __init__(self, result=None, error=None):
        self.result, self.error_in_exec, self.error_before_exec = result, error, None

    @property
    def success(self):
        return self.error_in_exec is None

    def raise_error(self):
        if self.error_in_exec is not None:
            raise self.error_in_exec


class Found:
    """`magics_manager`: what magics there are, by kind and name."""

    def __init__(self, shell):
        self._shell = shell

    @property
    def magics(self):
        return {kind: {name[6:]: getattr(self._shell, name) for name in dir(self._shell) if name.startswith(f"_{kind}_")} for kind in ("line", "cell")}

    def lsmagic(self):
        return {kind: sorted(found) for kind, found in self.magics.items()}

    def register(self, *made):
        self._shell.register_magics(*made)


class Shell(HistoryMagics, EverydayMagics):
    UsageError = UsageError
    ast_node_interactivity = "last_expr"
    colors = "NoColor"
    banner1 = banner2 = ""

    def __init__(self, kernel):
        self._kernel = kernel
        self._left = []
        self._stored = {}
        self._space = None
        self._began = os.getcwd()
        self._handler = ((), None)
        self.events = extending.Events()
        self.history_manager = History()
        self.display_formatter = extending.DisplayFormatter(forms.bundle)
        self.magics_manager = Found(self)
        self.InteractiveTB = Tracebacks()
        self.reloading = Reloading(self._began)
        self.config = extending.Config()
        self.ast_transformers, self.input_transformers_cleanup, self.input_transformers_post = [], [], []
        self.display_pub = self
        self.kernel = comms.Front(self, kernel)

    custom_exceptions = property(lambda self: self._handler[0])
    profile = "default"
    ipython_dir = starting_dir = property(lambda self: self._began)
    parent = None
    parent_header = property(lambda self: self.get_parent())

    def get_parent(self):
        return self.kernel.get_parent()

    def has_trait(self, name):
        return hasattr(self, name)

    @classmethod
    def instance(cls, *_, **__):
        return get_ipython()  # noqa: F821  (a builtin of every cell)

    @classmethod
    def initialized(cls):
        return True

    def enable_gui(self, *_):
        pass

    enable_matplotlib = enable_pylab = enable_gui

    @property
    def user_ns(self):
        return self._space or self._kernel.main.__dict__

    @user_ns.setter
    def user_ns(self, space):
        """Notebooks that load notebooks as modules put the module's names there while its cells run."""
        self._space = None if space is self._kernel.main.__dict__ else space

    user_global_ns = property(lambda self: self.user_ns)
    user_module = property(lambda self: self._kernel.main)
    execution_count = property(lambda self: self._kernel.count)

    # -- running what is given as text ---------------------------------------------------------------------------

    def ev(self, expression):
        return eval(expression, self.user_ns)

    def ex(self, code):
        exec(code, self.user_ns)

    def run_cell(self, code, store_history=False, silent=False, **_):
        try:
            value = self._kernel.execute(code, self._kernel.name)
        except Exception as error:
            self.showtraceback()
            return Finished(error=error)
        if value is not None and not silent:
            self._kernel.display(value)
        return Finished(value)

    def push(self, variables, interactive=True):
        if isinstance(variables, (str, list, tuple)):
            names = variables.split() if isinstance(variables, str) else variables
            caller = self._caller()
            variables = {name: caller[name] for name in names}
        self.user_ns.update(variables)

    def drop_by_id(self, variables):
        for name, value in variables.items():
            if self.user_ns.get(name) is value:
                del self.user_ns[name]

    def reset(self, new_session=True, aggressive=False):
        self._line_reset("-f")

    def transform_cell(self, code):
        return magics.translate(code).rstrip("\n") + "\n"

    input_transformer_manager = property(lambda self: self)

    def showtraceback(self, *_, **__):
        traceback.print_exc()

    def set_custom_exc(self, kinds, handler):
        self._handler = (tuple(kinds), handler)

    def handles(self, error):
        """Whether the notebook has a handler for it, which is then called."""
        kinds, handler = self._handler
        if handler is None or not isinstance(error, kinds):
            return False
        handler(self, type(error), error, error.__traceback__, tb_offset=None)
        return True

    def set_next_input(self, text, replace=False):
        print(text)

    def complete(self, text, line=None, cursor_pos=None):
        import rlcompleter

        completer, found = rlcompleter.Completer(self.user_ns), []
        while (each := completer.complete(text, len(found))) is not None:
            found.append(each)
        return text, found

    def publish(self, data, metadata=None, **_):
        self._kernel.display(data, raw=True, metadata=metadata)

    # -- magics --------------------------------------------------------------------------------------------------

    def register_magic_function(self, function, magic_kind="line", magic_name=None):
        for kind in ("line", "cell") if magic_kind == "line_cell" else (magic_kind,):
            setattr(self, f"_{kind}_{magic_name or function.__name__}", function)

    def register_magics(self, *made):
        for each in made:
            for kind, found in (each(self) if isinstance(each, type) else each).magics.items():
                for name, method in found.items():
                    setattr(self, f"_{kind}_{name}", method)

    def find_magic(self, name, magic_kind="line"):
        return getattr(self, f"_{magic_kind}_{name}", None)

    find_line_magic = find_magic

    def find_cell_magic(self, name):
        return self.find_magic(name, "cell")

    def run_line_magic(self, name, line, *_, **__):
        if name in WITHOUT_EFFECT:
            return None
        method = self.find_magic(name)
        if method is None and name in PROGRAMS:
            return self.system(f"{'ls -l' if name in ('ll', 'lf') else name} {line}")
        if method is None:
            hint = f" There is a cell magic: %%{name}." if self.find_cell_magic(name) else ""
            raise UsageError(f"Line magic function `%{name}` not found.{hint}")
        return method(self._expand(line) if name not in ("time", "timeit") else line)

    def run_cell_magic(self, name, line, body):
        if name in SHOWN:
            mime, kind = SHOWN[name]
            display({mime: body, "text/plain": f"<IPython.core.display.{kind} object>"}, raw=True)  # noqa: F821
            return None
        method = self.find_cell_magic(name)
        if method is None:
            raise UsageError(f"Cell magic `%%{name}` not found.")
        return method(self._expand(line) if name not in ("time", "timeit", "prun") else line, body)

    def magic(self, text):
        return self.run_line_magic(*(text.lstrip("%").split(None, 1) + [""])[:2])

    # -- programs ------------------------------------------------------------------------------------------------

    def system(self, command):
        command = self._expand(command)
        if re.match(r"(\S*python\S* -m )?(pip3?|conda|mamba|uv pip) install\b", command):
            sys.stderr.write(NO_PACKAGES)
            return
        self.user_ns["_exit_code"] = self._run([BASH, "-c", command])

    system_raw = system_piped = system

    def getoutput(self, command, split=True):
        done = subprocess.run([BASH, "-c", self._expand(command)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.user_ns["_exit_code"] = done.returncode
        text = done.stdout.decode("utf-8", "replace")
        return Lines(text.splitlines()) if split else text

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

    def _caller(self):
        """The names where the cell's own code stands that asked: inside a function its own come first."""
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(HERE):
            frame = frame.f_back
        return self.user_ns if frame is None else {**self.user_ns, **frame.f_locals}

    def _expand(self, text):
        """`{expression}` and `$name`, where they mean something here; everything else is the shell's."""
        if "{" not in text and "$" not in text:
            return text
        names = self._caller()

        def value(found):
            try:
                return found[0] if found[1] is None else str(eval(found[1], names))
            except Exception:
                return found[0]

        text = re.sub(r"\{\{.*?\}\}|\{([^{}]+)\}", value, text)
        text = text.replace("{{", "{").replace("}}", "}") if re.search(r"\{\{[^{}]*\}\}", text) else text
        known = lambda found: str(names[found[1]]) if found[1] in names else found[0]
        return re.sub(r"\$\$", "$", re.sub(r"(?<!\$)\$([A-Za-z_]\w*)", known, text))

    var_expand = _expand

    def _script(self, command):
        def run(line, body):
            given, words = {}, shlex.split(command + " " + line)
            program, rest = words[0], iter(words[1:])
            kept = [program]
            for word in rest:
                name, sign, value = word.partition("=")
                if name in ("--out", "--err", "--proc"):
                    given[name] = value if sign else next(rest)
                elif name in ("--bg", "--no-raise-error"):
                    given[name] = True
                else:
                    kept.append(word)
            if shutil.which(program) is None:
                print(f"Couldn't find program: {program!r}")
                self.user_ns.update((given[name], "") for name in ("--out", "--err") if name in given)
                return
            if given.keys() & {"--out", "--err", "--proc", "--bg"}:
                done = subprocess.run(kept, input=body.encode(), capture_output=True)
                for name, data, stream in (("--out", done.stdout, sys.stdout), ("--err", done.stderr, sys.stderr)):
                    if name in given:
                        self.user_ns[given[name]] = Printed(data) if "--bg" in given else data.decode("utf-8", "replace")
                    elif "--bg" not in given:
                        stream.write(data.decode("utf-8", "replace"))
                if "--proc" in given:
                    self.user_ns[given["--proc"]] = done
                if "--bg" in given:
                    sys.stderr.write(NO_BACKGROUND)
                code = done.returncode
            else:
                code = self._run(kept, body)
            if code and "--no-raise-error" not in given and "--bg" not in given:
                raise subprocess.CalledProcessError(code, program)

        return run

    _cell_bash = property(lambda self: self._script(BASH))
    _cell_sh = property(lambda self: self._script("/bin/sh"))
    _cell_python = _cell_python3 = property(lambda self: self._script(shlex.quote(sys.executable)))
    _cell_perl = property(lambda self: self._script("perl"))
    _cell_ruby = property(lambda self: self._script("ruby"))

    def _cell_script(self, line, body):
        words = line.split()
        # The options of the magic may stand before the program.
        at = next((at for at, word in enumerate(words) if not word.startswith("--") and words[at - 1 : at] not in (["--out"], ["--err"], ["--proc"])), 0)
        return self._script(words[at])(" ".join(words[:at] + words[at + 1 :]), body)

    def _cell_system(self, line, body):
        return self.system(body)

    def _cell_sx(self, line, body):
        return self.getoutput(f"{line}\n{body}" if line else body)

    def _line_sx(self, line):
        return self.getoutput(line)

    _line_system = _line_sx

    def _line_alias(self, line):
        name, _, command = line.partition(" ")
        if command:
            self.register_magic_function(lambda rest: self.system(command.replace("%l", rest) if "%l" in command else f"{command} {rest}"), "line", name)

    def _line_unalias(self, line):
        self.__dict__.pop(f"_line_{line.strip()}", None)


# As many libraries recognise that they are in a notebook.
Shell.__name__ = Shell.__qualname__ = "ZMQInteractiveShell"
Shell.__module__ = "ipykernel.zmqshell"
