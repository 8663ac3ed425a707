"""Data frames as tables: the first rows for the record, and any rows for the viewer."""

import json
import math
import sys

from .later import later

datetime, decimal = map(later, ("datetime", "decimal"))

ROW_LIMIT = 1_000
COLUMN_LIMIT = 200
MIME = "application/vnd.dataresource+json"

# What one answer to the viewer holds: a few frames' work for the window that reads it.
PIECE_CELLS = 200_000
PIECE_BYTES = 4_000_000
LARGEST = 4 * PIECE_BYTES
SAMPLE_ROWS = 100


def as_frame(thing):
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return None
    if isinstance(thing, pandas.Series):
        return thing.to_frame()
    return thing if isinstance(thing, pandas.DataFrame) else None


def shown(thing):
    """A table of the first rows and what was left out; None when the thing is no table."""
    frame = as_frame(thing)
    if frame is None:
        return None
    rows, columns = frame.shape
    head = frame.iloc[:ROW_LIMIT, :COLUMN_LIMIT]
    parts = columns_of(head)
    names = [name for name, _, _ in parts]
    values = [cells(column) for _, column, _ in parts]
    schema = {"fields": fields(parts)}
    keys = [name for name, _, is_key in parts if is_key]
    if keys:
        schema["primaryKey"] = keys
    data = [dict(zip(names, row)) for row in zip(*values)] if values else [{} for _ in range(len(head))]
    about = {"rows": rows, "columns": columns, "truncated": rows > ROW_LIMIT or columns > COLUMN_LIMIT}
    variable = name_of(thing)
    if variable:
        about["variable"] = variable
    return {"schema": schema, "data": data}, about


def piece(thing, start):
    """What a viewer needs to know of a table, and some of its rows from `start` on, column by column, as JSON."""
    frame = as_frame(thing)
    if frame is None:
        return None
    rows = len(frame)
    columns = columns_of(frame.iloc[:0])
    about = {
        # Whoever reads on must learn that the variable has another value by now.
        "value": f"{id(thing)} {rows} {len(columns)}",
        "rows": rows,
        "fields": [dict(field, key=is_key) for field, (_, _, is_key) in zip(fields(columns), columns)],
    }
    sample = encoded(frame.iloc[start : start + SAMPLE_ROWS])
    by_size = PIECE_BYTES * SAMPLE_ROWS // max(1, len(sample))
    count = max(1, min(PIECE_CELLS // max(1, len(columns)), by_size))
    body = encoded(frame.iloc[start : start + count])
    while len(body) > LARGEST and count > 1:  # the sample promised shorter texts
        count = max(1, count // 8)
        body = encoded(frame.iloc[start : start + count])
    return about, body


def encoded(frame):
    values = [cells(column) for _, column, _ in columns_of(frame)]
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")


def columns_of(frame):
    """(name, values, whether it is part of the row's key): the index first where it is more than a count."""
    index, seen, found = frame.index, set(), []
    levels = [] if type(index).__name__ == "RangeIndex" else range(index.nlevels)
    for level in levels:
        said = index.names[level]
        name = str(said) if said is not None else "index" if index.nlevels == 1 else f"level_{level}"
        found.append((unlike(name, seen), index.get_level_values(level), True))
    for at, said in enumerate(frame.columns):
        name = " · ".join(map(str, said)) if isinstance(said, tuple) else str(said)
        found.append((unlike(name, seen), frame.iloc[:, at], False))
    return found


def unlike(name, seen):
    while name in seen:
        name += "′"
    seen.add(name)
    return name


def fields(parts):
    return [{"name": name, "type": field_type(values.dtype)} for name, values, _ in parts]


def field_type(dtype):
    kind = getattr(dtype, "kind", "O")
    return {"i": "integer", "u": "integer", "f": "number", "b": "boolean", "M": "datetime", "m": "duration"}.get(kind, "string")


def cells(values):
    """Plain numbers go over whole: asking each of a million what it is would take seconds."""
    dtype = values.dtype
    if type(dtype).__module__.startswith("numpy"):
        if dtype.kind == "b":
            return values.tolist()
        if dtype.kind in "iu" and (dtype.itemsize < 8 or len(values) == 0 or (-(2**53) < values.min() and values.max() < 2**53)):
            return values.tolist()
        if dtype.kind == "f" and dtype.itemsize <= 8:
            found = values.tolist()
            return found if all(map(math.isfinite, found)) else [cell(value) for value in found]
    return [cell(value) for value in values]


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


def name_of(thing):
    """The variable that holds it, by which the viewer can ask for the rest."""
    names = vars(sys.modules["__main__"])
    return next((name for name, value in list(names.items()) if value is thing and not name.startswith("_")), None)
