"""Rich display: an object in as many forms as it knows, keyed by MIME type."""

import base64
import builtins
import json
import sys

from . import frames, pretty, tables

TEXT_LIMIT = 100_000

METHODS = (
    ("_repr_html_", "text/html"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_png_", "image/png"),
    ("_repr_jpeg_", "image/jpeg"),
    ("_repr_latex_", "text/latex"),
    ("_repr_json_", "application/json"),
)


def formatters():
    """What notebooks and libraries have added with `display_formatter`."""
    shell = vars(builtins).get("get_ipython")
    return shell().display_formatter.formatters if shell else {}


def bundle(thing):
    """(data, metadata); always has text/plain."""
    data, metadata, added = {}, {}, formatters()
    if not isinstance(thing, type) and type(thing) not in pretty.PLAIN:
        whole = getattr(thing, "_repr_mimebundle_", None)
        if callable(whole):
            given = whole(include=None, exclude=None)
            if isinstance(given, tuple):
                given, metadata = given
            data.update(given or {})
        for name, mime in METHODS:
            method = getattr(thing, name, None)
            if mime not in data and callable(method):
                given = method()
                if isinstance(given, tuple):
                    given, metadata[mime] = given[0], given[1]
                if given is not None:
                    data[mime] = given
        table = tables.shown(thing)
        if table:
            data[tables.MIME], metadata[tables.MIME] = table
        if "matplotlib.figure" in sys.modules and isinstance(thing, sys.modules["matplotlib.figure"].Figure):
            data.update(picture(thing))
    for mime, formatter in added.items():
        given = formatter(thing) if mime != "text/plain" else None
        if isinstance(given, tuple):
            given, metadata[mime] = given[0], given[1]
        if given is not None:
            data[mime] = given
    if "text/plain" not in data:
        data["text/plain"] = plain(thing, added)
    return raw_bundle(data), metadata


def plain(thing, added):
    formatter = added.get("text/plain")
    if formatter is None:
        return pretty.pretty(thing)
    if formatter.deferred_printers:
        formatter.lookup_by_type(type(thing)) if type(thing) in formatter else None
    return pretty.pretty(thing, formatter.type_printers)


def raw_bundle(data):
    return {str(mime): encodable(value) for mime, value in dict(data).items()}


def encodable(value):
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, str):
        return value if len(value) <= TEXT_LIMIT * 20 else value[: TEXT_LIMIT * 20]
    return value


def frame(kind, data, metadata, name=None):
    plain = data.get("text/plain")
    if isinstance(plain, str) and len(plain) > TEXT_LIMIT:
        data["text/plain"] = plain[:TEXT_LIMIT] + "…"
    output = {"type": kind, "data": data}
    if metadata:
        output["metadata"] = metadata
    if name is not None:
        output["displayId"] = name
    try:
        return frames.encode({"type": "output", "output": output})
    except (TypeError, ValueError, frames.BadFrame):
        return frames.encode({"type": "output", "output": json.loads(json.dumps(output, default=str).replace("NaN", "null"))})


# -- figures ---------------------------------------------------------------------------------------------------


def picture(figure):
    import io

    png, svg = io.BytesIO(), io.StringIO()
    figure.savefig(png, format="png", bbox_inches="tight")
    found = {"image/png": base64.b64encode(png.getvalue()).decode("ascii")}
    if sum(len(axes.get_children()) for axes in figure.axes) < 500:
        figure.savefig(svg, format="svg", bbox_inches="tight")
        if len(svg.getvalue()) < 300_000:
            found["image/svg+xml"] = svg.getvalue()
    return found


def has_figures():
    pyplot = sys.modules.get("matplotlib.pyplot")
    return pyplot is not None and bool(pyplot.get_fignums())


def show_figures(display):
    """Figures that the cell left open are shown at its end and closed, as notebooks do."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    for number in pyplot.get_fignums():
        figure = pyplot.figure(number)
        display(figure)
        pyplot.close(figure)


def leave_no_figures(display):
    """Of a cell that failed: left open, they would be shown under the next cell, as if that had drawn them."""
    try:
        show_figures(display)
    except Exception:  # the error of the cell is what counts
        sys.modules["matplotlib.pyplot"].close("all")
