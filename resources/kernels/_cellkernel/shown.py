"""Objects that show themselves: HTML, pictures, formulas, sounds, links. As much of `IPython.display` as can be shown here."""

import base64
import io
import json
import os
import sys


class DisplayObject:
    """Data, or a file of the working folder that holds it. Addresses lead nowhere from here."""

    mime = None
    method = None
    mode = "r"
    home = "IPython.core.display"

    def __init__(self, data=None, url=None, filename=None, metadata=None):
        if isinstance(data, os.PathLike):
            data = str(data)
        if url is None and filename is None and isinstance(data, str):
            if data.startswith(("http://", "https://")):
                url, data = data, None
            elif self.is_path(data):
                filename, data = data, None
        self.data, self.url, self.filename, self.metadata = data, url, filename, metadata or {}
        self.reload()
        self.check()

    def __init_subclass__(cls):
        # As it is called in IPython, so that `HTML('x')._repr_html_()` works.
        if cls.method and cls.method not in cls.__dict__:
            setattr(cls, cls.method, lambda self: self.formed())

    @staticmethod
    def is_path(_):
        return False

    def check(self):
        if self.data is not None and not isinstance(self.data, str):
            raise TypeError(f"{type(self).__name__} expects text, not {self.data!r}")

    def reload(self):
        if self.filename is not None:
            with open(self.filename, self.mode, **({} if "b" in self.mode else {"encoding": "utf-8"})) as file:
                self.data = file.read()

    def formed(self):
        return (self.data, self.metadata) if self.metadata else self.data

    def _repr_mimebundle_(self, **_):
        own = f"<{self.home}.{type(self).__name__} object>"
        return {**({self.mime: self.data} if self.mime and self.data is not None else {}), "text/plain": own}, (
            {self.mime: self.metadata} if self.metadata and self.mime else {}
        )

    def __repr__(self):
        return f"<{self.home}.{type(self).__name__} object>"


class TextDisplayObject(DisplayObject):
    pass


class HTML(TextDisplayObject):
    mime, method = "text/html", "_repr_html_"

    def __html__(self):
        return self.data


class Markdown(TextDisplayObject):
    mime, method = "text/markdown", "_repr_markdown_"


class Latex(TextDisplayObject):
    mime, method = "text/latex", "_repr_latex_"


class Math(Latex):
    def __init__(self, data=None, **given):
        super().__init__(data, **given)
        self.data = f"$\\displaystyle {self.data.strip('$')}$"


class SVG(DisplayObject):
    mime, method = "image/svg+xml", "_repr_svg_"
    is_path = staticmethod(lambda data: len(data) < 1000 and "<" not in data and os.path.exists(data))

    def check(self):
        if isinstance(self.data, bytes):
            self.data = self.data.decode("utf-8")


class JSON(DisplayObject):
    mime, method = "application/json", "_repr_json_"
    is_path = staticmethod(lambda data: data.lower().endswith(".json") and os.path.exists(data))

    def __init__(self, data=None, url=None, filename=None, expanded=False, metadata=None, root="root", **more):
        super().__init__(data, url, filename, {"expanded": expanded, "root": root, **(metadata or {}), **more})

    def check(self):
        if isinstance(self.data, (str, bytes)):
            self.data = json.loads(self.data)


class GeoJSON(JSON):
    def __init__(self, *given, url_template=None, layer_options=None, **more):
        super().__init__(*given, **more)


class Javascript(TextDisplayObject):
    mime, method = "application/javascript", "_repr_javascript_"

    def __init__(self, data=None, url=None, filename=None, lib=None, css=None):
        super().__init__(data, url, filename)


class Pretty(TextDisplayObject):
    mime = "text/plain"

    def _repr_pretty_(self, p, _):
        p.text(self.data)

    def _repr_mimebundle_(self, **_):
        return {"text/plain": self.data}


class Code(Pretty):
    is_path = staticmethod(lambda data: "\n" not in data and os.path.isfile(data))

    def __init__(self, data=None, url=None, filename=None, language=None):
        self.language = language
        super().__init__(data, url, filename)

    def __repr__(self):
        return self.data or ""


class _Media(DisplayObject):
    """Pictures, sounds and films."""

    mode = "rb"
    home = "IPython.core.display"
    kinds = {}
    usual = ""
    is_path = staticmethod(lambda data: len(data) < 1000 and os.path.exists(data))

    def __init__(self, data=None, url=None, filename=None, format=None, embed=None, width=None, height=None, metadata=None, **_):
        self.width, self.height, self.embed = width, height, embed
        super().__init__(data, url, filename, metadata)
        named = os.path.splitext(self.filename or "")[1].lstrip(".")
        self.format = (format or named or self.usual).lower().replace("jpg", "jpeg")

    def check(self):
        pass

    def formed(self):
        data = self._repr_mimebundle_()
        return next((value for mime, value in data.items() if mime != "text/plain"), None)

    def _repr_mimebundle_(self, **_):
        mime, plain = self.kinds.get(self.format), {"text/plain": repr(self)}
        if self.data is None or mime is None:
            return plain
        data = self.data if isinstance(self.data, str) else base64.b64encode(self.data).decode("ascii")
        if mime.startswith("image/"):
            size = {name: value for name, value in (("width", self.width), ("height", self.height)) if value is not None}
            return {mime: data, **plain}, ({mime: size} if size else {})
        tag = mime.split("/")[0]
        return {"text/html": f'<{tag} controls src="data:{mime};base64,{data}"></{tag}>', **plain}


class Image(_Media):
    kinds = {"png": "image/png", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
    usual = "png"


class Video(_Media):
    kinds = {"mp4": "video/mp4", "webm": "video/webm"}
    usual = "mp4"
    method = "_repr_html_"

    def formed(self):
        return self._repr_mimebundle_().get("text/html", "")


class Audio(_Media):
    home = "IPython.lib.display"
    kinds = {"wav": "audio/wav", "mp3": "audio/mpeg", "ogg": "audio/ogg"}
    usual = "wav"
    method = "_repr_html_"
    formed = Video.formed

    def __init__(self, data=None, filename=None, url=None, embed=None, rate=None, autoplay=False, normalize=True, **more):
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


class IFrame:
    def __init__(self, src, width, height, extras=None, **params):
        self.src, self.width, self.height, self.params = src, width, height, params

    def __repr__(self):
        return f"{type(self).__name__}: {self.src} (pages from elsewhere are not shown here)"


class YouTubeVideo(IFrame):
    def __init__(self, id, width=400, height=300, **more):
        super().__init__(id, width, height, **more)


class VimeoVideo(YouTubeVideo):
    pass


class ScribdDocument(YouTubeVideo):
    pass


class FileLink:
    def __init__(self, path, **_):
        self.path = str(path)

    def __repr__(self):
        return f"{os.path.abspath(self.path)} (see Files)"


class FileLinks(FileLink):
    pass


class DisplayHandle:
    def __init__(self, display_id=None):
        self.display_id = display_id or os.urandom(16).hex()

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
