"""Rich display: an object in as many forms as it knows, keyed by MIME type."""

import base64
import datetime
import decimal
import json
import math
import sys
import types

from . import frames

TEXT_LIMIT = 100_000
ROW_LIMIT = 1_000
COLUMN_LIMIT = 200
TABLE = "application/vnd.dataresource+json"

METHODS = (
    ("_repr_html_", "text/html"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_png_", "image/png"),
    ("_repr_jpeg_", "image/jpeg"),
    ("_repr_latex_", "text/latex"),
    ("_repr_json_", "application/json"),
)


class _Shown:
    mime = "text/plain"

    def __init__(self, data):
        self.data = data

    def _repr_mimebundle_(self, **_):
        return {self.mime: self.data, "text/plain": repr(self)}

    def __repr__(self):
        return f"<{type(self).__name__}>"


class HTML(_Shown):
    mime = "text/html"


class Markdown(_Shown):
    mime = "text/markdown"


class JSON(_Shown):
    mime = "application/json"


class SVG(_Shown):
    mime = "image/svg+xml"


def offer_ipython_names(display):
    """`from IPython.display import display, HTML` is what people type; where IPython is missing it works all the same."""
    if "IPython" in sys.modules:
        return
    package, module = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    package.display = module
    package.get_ipython = lambda: None
    module.display = display
    for shown in (HTML, Markdown, JSON, SVG):
        setattr(module, shown.__name__, shown)
    sys.modules.setdefault("IPython", package)
    sys.modules.setdefault("IPython.display", module)


def bundle(thing):
    """(data, metadata); always has text/plain."""
    data, metadata = {}, {}
    if not isinstance(thing, type):
        whole = getattr(thing, "_repr_mimebundle_", None)
        if callable(whole):
            given = whole()
            if isinstance(given, tuple):
                given, metadata = given
            data.update(given or {})
        for name, mime in METHODS:
            method = getattr(thing, name, None)
            if mime not in data and callable(method):
                given = method()
                if isinstance(given, tuple):
                    given = given[0]
                if given is not None:
                    data[mime] = given
        table = as_table(thing)
        if table:
            data[TABLE], metadata[TABLE] = table
        if "matplotlib.figure" in sys.modules and isinstance(thing, sys.modules["matplotlib.figure"].Figure):
            data.update(picture(thing))
    if "text/plain" not in data:
        data["text/plain"] = repr(thing)
    return raw_bundle(data), metadata


def raw_bundle(data):
    return {str(mime): encodable(value) for mime, value in dict(data).items()}


def encodable(value):
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, str):
        return value if len(value) <= TEXT_LIMIT * 20 else value[: TEXT_LIMIT * 20]
    return value


def frame(kind, data, metadata):
    plain = data.get("text/plain")
    if isinstance(plain, str) and len(plain) > TEXT_LIMIT:
        data["text/plain"] = plain[:TEXT_LIMIT] + "…"
    output = {"type": kind, "data": data}
    if metadata:
        output["metadata"] = metadata
    try:
        return frames.encode({"type": "output", "output": output})
    except (TypeError, ValueError, frames.BadFrame):
        return frames.encode({"type": "output", "output": json.loads(json.dumps(output, default=str).replace("NaN", "null"))})


# -- tables ----------------------------------------------------------------------------------------------------


def as_table(thing):
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return None
    if isinstance(thing, pandas.Series):
        thing = thing.to_frame()
    if not isinstance(thing, pandas.DataFrame):
        return None
    rows, columns = thing.shape
    head = thing.iloc[:ROW_LIMIT, :COLUMN_LIMIT]
    plain_index = isinstance(thing.index, pandas.RangeIndex)
    if not plain_index:
        head = head.reset_index()
    names, seen = [], set()
    for column in head.columns:
        name = " · ".join(map(str, column)) if isinstance(column, tuple) else str(column)
        while name in seen:
            name += "′"
        seen.add(name)
        names.append(name)
    fields = [{"name": name, "type": field_type(head.iloc[:, at].dtype)} for at, name in enumerate(names)]
    data = [dict(zip(names, map(cell, row))) for row in head.itertuples(index=False, name=None)]
    about = {"rows": rows, "columns": columns, "truncated": rows > ROW_LIMIT or columns > COLUMN_LIMIT}
    return {"schema": {"fields": fields}, "data": data}, about


def field_type(dtype):
    kind = getattr(dtype, "kind", "O")
    return {"i": "integer", "u": "integer", "f": "number", "b": "boolean", "M": "datetime", "m": "duration"}.get(kind, "string")


def cell(value):
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if -(2**53) < value < 2**53 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    if isinstance(value, (datetime.datetime, datetime.date)):
        return None if str(value) == "NaT" else value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    item = getattr(value, "item", None)
    if callable(item) and type(value).__module__ == "numpy":
        return cell(item())
    text = str(value)
    return None if text in ("<NA>", "NaT") else text[:1_000]


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


def show_figures(display):
    """Figures that the cell left open are shown at its end and closed, as notebooks do."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    for number in pyplot.get_fignums():
        figure = pyplot.figure(number)
        display(figure)
        pyplot.close(figure)
