"""How a run ended that did not go well, as it is told."""

import os
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))


def exit_code(code):
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def problem(kind, error, lines, line=None):
    found = {
        "kind": kind,
        "name": type(error).__name__[:200],
        "message": str(error)[:10_000],
        "traceback": [text[:10_000] for text in lines[-100:]],
    }
    if line:
        found["line"] = line
    return found


def own(trace):
    """A traceback without the steps of the kernel that led to the cell."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(HERE):
        trace = trace.tb_next
    return trace


def describe(error, name):
    if isinstance(error, SyntaxError) and error.filename == name:
        lines = traceback.format_exception_only(type(error), error)
        return problem("syntax", error, lines, error.lineno)
    kept = own(error.__traceback__)
    line = None
    step = kept
    while step is not None:
        if step.tb_frame.f_code.co_filename == name:
            line = step.tb_lineno
        step = step.tb_next
    lines = [text.rstrip("\n") for text in traceback.format_exception(type(error), error, kept, limit=-50)]
    kind = "memory" if isinstance(error, MemoryError) else "runtime"
    return problem(kind, error, lines, line)


def release(error):
    """Empties the functions that were under way: a traceback that is kept would hold the memory that was too little."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
