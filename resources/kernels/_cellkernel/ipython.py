"""The names that cells import from IPython: as much of them as a notebook here can show or do.

IPython itself would show things to a front end that is not there, also where it is installed.
"""

import binascii
import builtins
import contextlib
import io
import os
import sys
import types

from . import comms, extending, pretty, shown
from .everyday import Captured
from .shell import Shell

DISPLAYS = ("HTML", "Markdown", "Latex", "Math", "SVG", "JSON", "GeoJSON", "Javascript", "Pretty", "Code", "Image", "Audio", "Video",
            "IFrame", "YouTubeVideo", "VimeoVideo", "ScribdDocument", "FileLink", "FileLinks", "ProgressBar", "DisplayHandle",
            "DisplayObject", "TextDisplayObject")


@contextlib.contextmanager
def capture_output(stdout=True, stderr=True, display=True):
    kernel = get_ipython()._kernel  # noqa: F821
    out, err, kept = io.StringIO(), io.StringIO(), []
    captured = Captured("", "", kept)
    before, captured_before = (sys.stdout, sys.stderr), kernel.captured
    sys.stdout, sys.stderr = (out if stdout else before[0]), (err if stderr else before[1])
    kernel.captured = kept if display else captured_before
    try:
        yield captured
    finally:
        sys.stdout, sys.stderr = before
        kernel.captured = captured_before
        captured.stdout, captured.stderr = out.getvalue(), err.getvalue()


def offer(kernel, shell):
    def display(*things, display_id=None, clear=False, update=False, transient=None, **given):
        if update and not display_id:
            raise TypeError("display_id required for update_display")
        if clear:
            kernel.clear(wait=True)
        display_id = display_id or (transient or {}).get("display_id")
        if not display_id:
            kernel.display(*things, **given)
            return None
        handle = shown.DisplayHandle(None if display_id is True else str(display_id))
        if not things:
            things, given = ({},), {"raw": True}  # a place that is filled later
        kernel.display(*things, display_id=handle.display_id, update=update, **given)
        return handle

    def publish(data, metadata=None, source=None, *, transient=None, update=False, **_):
        kernel.display(data, raw=True, metadata=metadata, display_id=(transient or {}).get("display_id"), update=update)

    def of(mime):
        def show(*things, raw=False, **_):
            for thing in things:
                kernel.display({mime: thing} if raw else thing, raw=raw)

        return show

    def nothing(*_, **__):
        return None

    kinds = {"line": ("line",), "cell": ("cell",), "line_cell": ("line", "cell")}
    magic = {
        "Magics": extending.Magics,
        "magics_class": lambda made: made,
        "needs_local_scope": lambda made: made,
        "no_var_expand": lambda made: made,
        "output_can_be_silenced": lambda made: made,
        "UsageError": extending.UsageError,
        **{f"{name}_magic": extending.marks(*of_kind) for name, of_kind in kinds.items()},
        **{f"register_{name}_magic": extending.registers(shell, *of_kind) for name, of_kind in kinds.items()},
    }
    magic_arguments = {
        name: getattr(extending, name) for name in ("argument", "argument_group", "kwds", "magic_arguments", "parse_argstring", "UsageError")
    }
    displays = {
        "display": display,
        "clear_output": kernel.clear,
        "update_display": lambda thing, *, display_id, **given: display(thing, display_id=display_id, update=True, **given) and None,
        "publish_display_data": publish,
        "set_matplotlib_formats": nothing,
        "set_matplotlib_close": nothing,
        "display_html": of("text/html"),
        "display_markdown": of("text/markdown"),
        "display_svg": of("image/svg+xml"),
        "display_png": of("image/png"),
        "display_jpeg": of("image/jpeg"),
        "display_pdf": of("application/pdf"),
        "display_javascript": of("application/javascript"),
        "display_latex": of("text/latex"),
        "display_json": of("application/json"),
        "display_pretty": of("text/plain"),
        **{name: getattr(shown, name) for name in DISPLAYS},
    }
    printing = {
        "pretty": pretty.pretty,
        "pprint": lambda thing, *given, **named: print(pretty.pretty(thing)),
        "PrettyPrinter": pretty.Printer,
        "RepresentationPrinter": pretty.Printer,
        "for_type": lambda kind, printer: shell.display_formatter.formatters["text/plain"].for_type(kind, printer),
        "for_type_by_name": lambda *given: shell.display_formatter.formatters["text/plain"].for_type_by_name(*given),
    }
    shell_names = {"InteractiveShell": Shell, "InteractiveShellABC": Shell, "get_ipython": lambda: shell}
    capturing = {"capture_output": capture_output, "CapturedIO": Captured}
    modules = {
        "IPython": {
            "get_ipython": lambda: shell, "version_info": (8, 0, 0, ""), "__version__": "8.0.0", "InteractiveShell": Shell,
            "embed": lambda *_, **__: input("embed"),
        },
        "IPython.display": displays,
        "IPython.core": {},
        "IPython.core.display": displays,
        "IPython.core.display_functions": displays,
        "IPython.core.error": {"UsageError": extending.UsageError, "IPythonCoreError": Exception, "TryNext": type("TryNext", (Exception,), {})},
        "IPython.core.formatters": {"DisplayFormatter": extending.DisplayFormatter, "PlainTextFormatter": extending.Formatter, "BaseFormatter": extending.Formatter},
        "IPython.core.getipython": shell_names,
        "IPython.core.inputtransformer2": {"TransformerManager": type("TransformerManager", (), {"transform_cell": lambda _, code: shell.transform_cell(code)})},
        "IPython.core.interactiveshell": shell_names,
        "IPython.core.magic": magic,
        "IPython.core.magic_arguments": magic_arguments,
        # Matplotlib looks here once it finds a shell.
        "IPython.core.pylabtools": {
            "backend2gui": {}, "configure_inline_support": nothing, "figsize": figsize, "getfigs": getfigs,
            "print_figure": print_figure, "select_figure_formats": nothing,
        },
        "IPython.utils": {},
        "IPython.utils.capture": capturing,
        "IPython.utils.io": capturing,
        "IPython.lib": {},
        "IPython.lib.display": displays,
        "IPython.lib.pretty": printing,
        "ipykernel": {"version_info": (6, 0, 0), "__version__": "6.0.0"},
        "ipykernel.comm": {"Comm": comms.Comm, "CommManager": comms.Comms},
        "ipykernel.zmqshell": {"ZMQInteractiveShell": Shell},
    }
    if not installed("matplotlib_inline"):
        inline = {"set_matplotlib_formats": nothing, "set_matplotlib_close": nothing, "flush_figures": nothing}
        modules.update({"matplotlib_inline": {}, "matplotlib_inline.backend_inline": inline})
    made, folders = {}, {package: installed(package) for package in ("IPython", "ipykernel")}
    for name, members in modules.items():
        module = made[name] = types.ModuleType(name)
        module.__dict__.update(members)
        package, *inner = name.split(".")
        if name in ("IPython", "IPython.core", "IPython.utils", "IPython.lib", "ipykernel"):
            module.__path__ = [os.path.join(folder, *inner) for folder in folders[package]]
            if module.__path__:
                module.__file__ = os.path.join(module.__path__[0], "__init__.py")
        parent, _, own = name.rpartition(".")
        if parent:
            setattr(made[parent], own, module)
    sys.modules.update(made)
    return display


def installed(package):
    """Where the environment has the package itself: what it has beyond these names is loaded from there."""
    folders = (os.path.join(entry, package) for entry in sys.path if entry)
    return [folder for folder in folders if os.path.isfile(os.path.join(folder, "__init__.py"))][:1]


def print_figure(figure, fmt="png", bbox_inches="tight", base64=False, **given):
    written = io.BytesIO()
    figure.savefig(written, format=fmt, bbox_inches=bbox_inches, **given)
    if fmt == "svg":
        return written.getvalue().decode()
    return binascii.b2a_base64(written.getvalue()).decode() if base64 else written.getvalue()


def getfigs(*numbers):
    from matplotlib._pylab_helpers import Gcf

    return [Gcf.figs[number].canvas.figure for number in numbers or Gcf.figs if number in Gcf.figs]


def figsize(width, height):
    from matplotlib import rcParams

    rcParams["figure.figsize"] = [width, height]
