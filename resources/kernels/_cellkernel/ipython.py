"""The names that cells import from IPython: as much of them as a notebook here can show or do.

IPython itself would show things to a front end that is not there, also where it is installed.
"""

import base64
import contextlib
import io
import os
import sys
import types

from . import display as shown
from .later import later
from .shell import Captured

pprint = later("pprint")


class Latex(shown._Shown):
    mime = "text/latex"


class Math(Latex):
    def __init__(self, data):
        super().__init__(f"$\\displaystyle {data.strip('$')}$")


class Javascript(shown._Shown):
    mime = "application/javascript"


class Pretty(shown._Shown):
    def __repr__(self):
        return str(self.data)


class Code(Pretty):
    def __init__(self, data=None, url=None, filename=None, language=None):
        if filename is not None:
            with open(filename, encoding="utf-8") as file:
                data = file.read()
        super().__init__(data or "")
        self.language = language


class _Media:
    """Pictures, sounds and films: from bytes or a file of the working folder. Addresses lead nowhere from here."""

    kinds = {}
    usual = ""

    def __init__(self, data=None, url=None, filename=None, format=None, embed=None, width=None, height=None, **_):
        if isinstance(data, str) and os.path.exists(data):
            data, filename = None, data
        if filename is not None:
            with open(filename, "rb") as file:
                data = file.read()
            format = format or os.path.splitext(filename)[1].lstrip(".")
        self.data, self.url, self.width, self.height = data, url, width, height
        self.format = (format or self.usual).lower().replace("jpg", "jpeg")

    def _repr_mimebundle_(self, **_):
        mime = self.kinds.get(self.format)
        if self.data is None or mime is None:
            return {"text/plain": repr(self)}
        data = self.data if isinstance(self.data, str) else base64.b64encode(self.data).decode("ascii")
        if mime.startswith("image/"):
            return {mime: data, "text/plain": repr(self)}
        tag = mime.split("/")[0]
        return {"text/html": f'<{tag} controls src="data:{mime};base64,{data}"></{tag}>', "text/plain": repr(self)}

    def __repr__(self):
        return f"<{type(self).__name__}>"


class Image(_Media):
    kinds = {"png": "image/png", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
    usual = "png"


class Audio(_Media):
    kinds = {"wav": "audio/wav", "mp3": "audio/mpeg", "ogg": "audio/ogg"}
    usual = "wav"

    def __init__(self, data=None, filename=None, url=None, embed=None, rate=None, normalize=True, **more):
        if data is not None and not isinstance(data, (str, bytes)):
            if rate is None:
                raise ValueError("rate must be specified when data is a numpy array or list of audio samples.")
            data = _sound(data, rate, normalize)
        super().__init__(data, url, filename, **more)


def _sound(samples, rate, normalize):
    """Numbers from -1 to 1 as a sound of 16 bits; a list of lists has a channel in each."""
    # Not at the top: every kernel would start later for the few that make sounds.
    import array
    import wave

    samples = samples.tolist() if hasattr(samples, "tolist") else list(samples)
    channels = samples if samples and isinstance(samples[0], (list, tuple)) else [samples]
    peak = max((abs(each) for channel in channels for each in channel), default=0)
    if not normalize and peak > 1:
        raise ValueError("Audio data must be between -1 and 1 when normalize=False.")
    scale = 32767 / (peak or 1) if normalize else 32767
    frames = array.array("h", (int(each * scale) for frame in zip(*channels) for each in frame))
    if sys.byteorder == "big":
        frames.byteswap()
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(len(channels))
        sound.setsampwidth(2)
        sound.setframerate(int(rate))
        sound.writeframes(frames.tobytes())
    return file.getvalue()


class Video(_Media):
    kinds = {"mp4": "video/mp4", "webm": "video/webm"}
    usual = "mp4"


class IFrame:
    def __init__(self, src, width, height, **_):
        self.src = src

    def __repr__(self):
        return f"{type(self).__name__}: {self.src} (pages from elsewhere are not shown here)"


class YouTubeVideo(IFrame):
    def __init__(self, id, width=400, height=300, **_):
        super().__init__(id, width, height)


class FileLink:
    def __init__(self, path, **_):
        self.path = path

    def __repr__(self):
        return f"{os.path.abspath(self.path)} (see Files)"


class FileLinks(FileLink):
    pass


class DisplayHandle:
    def __init__(self, display_id=None):
        self.display_id = display_id or os.urandom(8).hex()

    def __repr__(self):
        return f"<DisplayHandle display_id={self.display_id}>"

    def display(self, thing, **given):
        get_ipython()._kernel.display(thing, display_id=self.display_id, **given)  # noqa: F821  (a builtin of every cell)

    def update(self, thing, **given):
        self.display(thing, update=True, **given)


class ProgressBar:
    def __init__(self, total):
        self.total, self._progress = total, 0
        self._handle = DisplayHandle()

    def __repr__(self):
        done = int(60 * self._progress / self.total) if self.total else 60
        return f"[{'=' * done}{' ' * (60 - done)}] {self._progress}/{self.total}"

    def display(self):
        self._handle.display(self)

    def update(self):
        self._handle.update(self)

    @property
    def progress(self):
        return self._progress

    @progress.setter
    def progress(self, value):
        self._progress = value
        self.update()

    def __iter__(self):
        self.display()
        for done in range(self.total):
            yield done
            self.progress = done + 1


class InteractiveShell:
    ast_node_interactivity = "last_expr"

    @classmethod
    def instance(cls):
        return get_ipython()  # noqa: F821  (a builtin of every cell)

    @classmethod
    def initialized(cls):
        return True


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
    def display(*things, display_id=None, clear=False, update=False, **given):
        if update and not display_id:
            raise TypeError("display_id required for update_display")
        if clear:
            kernel.clear(wait=True)
        if not display_id:
            kernel.display(*things, **given)
            return None
        handle = DisplayHandle(None if display_id is True else str(display_id))
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

    magic = {
        "register_line_magic": lambda made: _registered(shell, "line", made),
        "register_cell_magic": lambda made: _registered(shell, "cell", made),
        "register_line_cell_magic": lambda made: _registered(shell, "line", _registered(shell, "cell", made)),
        "magics_class": lambda made: made,
        "line_magic": lambda made: made,
        "cell_magic": lambda made: made,
        "Magics": type("Magics", (), {}),
    }
    classes = (shown.HTML, shown.Markdown, shown.JSON, shown.SVG, Latex, Math, Javascript, Pretty, Code, Image, Audio, Video,
               IFrame, YouTubeVideo, FileLink, FileLinks, ProgressBar, DisplayHandle)
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
        "display_latex": of("text/latex"),
        "display_json": of("application/json"),
        "display_pretty": of("text/plain"),
        **{made.__name__: made for made in classes},
    }
    pretty = {"pretty": lambda thing, **_: pprint.pformat(thing), "pprint": lambda thing, **_: pprint.pprint(thing)}
    shell_names = {"InteractiveShell": InteractiveShell, "get_ipython": lambda: shell}
    modules = {
        "IPython": {"get_ipython": lambda: shell, "version_info": (8, 0, 0, ""), "__version__": "8.0.0", "InteractiveShell": InteractiveShell},
        "IPython.display": displays,
        "IPython.core": {},
        "IPython.core.display": displays,
        "IPython.core.display_functions": displays,
        "IPython.core.magic": magic,
        "IPython.core.interactiveshell": shell_names,
        "IPython.core.getipython": shell_names,
        # Matplotlib looks here once it finds a shell.
        "IPython.core.pylabtools": {"backend2gui": {}, "configure_inline_support": nothing},
        "IPython.utils": {},
        "IPython.utils.capture": {"capture_output": capture_output},
        "IPython.utils.io": {"capture_output": capture_output},
        "IPython.lib": {},
        "IPython.lib.pretty": pretty,
    }
    made = {}
    for name, members in modules.items():
        module = made[name] = types.ModuleType(name)
        module.__dict__.update(members)
        if name in ("IPython", "IPython.core", "IPython.utils", "IPython.lib"):
            module.__path__ = []
        parent, _, own = name.rpartition(".")
        if parent:
            setattr(made[parent], own, module)
    sys.modules.update(made)
    return display


def _registered(shell, kind, made):
    setattr(shell, f"_{kind}_{made.__name__}", made)
    return made
