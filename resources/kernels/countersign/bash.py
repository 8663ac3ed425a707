"""Bash as a kernel: an interactive shell without a terminal, fed on its standard input.

Interactive, because only then does an interrupt bring it back to the next line with its variables intact. Each run is
one line that sources the cell and one that reports its status; the second is read also after an interrupt.
"""

import os
import re
import select
import time

from _cellkernel import frames
from _cellkernel.descriptors import BASH_STDERR, BASH_STDOUT, CONTROL

CELL, ANSWER, BASE = "cell", "answer", "base"
ARGUMENTS = ("--noprofile", "--norc", "--noediting", "-i")
MAX_NAMES = 300
#: A shell that stops reading must not hold the supervisor.
READ_LIMIT = 1.0


def introduce(kernel, run_folder):
    """Ends the prompts and notes which variables the shell itself has. Until a cell runs, output goes nowhere: bash has
    complaints about its missing terminal."""
    kernel.folder = run_folder
    type_lines(kernel, f"PS1= PS2=; set +H +m +o history; unset MAILCHECK")
    type_lines(kernel, f"builtin declare -p >{quote(path(kernel, BASE))}")


def run(kernel, request, code):
    put(path(kernel, CELL), code + b"\n")
    exports = "".join(
        f"export {name}={quote(value)}; " for name, value in request["env"].items() if re.fullmatch(r"[A-Za-z_]\w*", name)
    )
    arguments = " ".join(map(quote, request["args"]))
    cell = f"{exports}. {quote(path(kernel, CELL))} {arguments} </dev/null >&{BASH_STDOUT} 2>&{BASH_STDERR}"
    # The status has a fixed width, so that the length in front of the frame is known beforehand.
    frame = frames.encode({"type": "done", "exitCode": 333})
    escaped = "".join(f"\\{byte:03o}" for byte in frame).replace("\\063\\063\\063", "%3d")
    type_lines(kernel, cell, f"builtin printf '{escaped}' \"$?\" >&{CONTROL}")


def ask(kernel, request, code):
    text = code.decode("utf-8")[: request["offset"]]
    word = re.search(r"[\w./-]*$", text).group(0)
    question = {
        "variables": "builtin declare -p",
        "complete": f"builtin compgen -A variable -A function -A command -A file -- {quote(word)}",
    }.get(request["what"], "builtin true")
    put(path(kernel, ANSWER), b"")
    escaped = "".join(f"\\{byte:03o}" for byte in frames.encode({"type": "asked", "n": request["n"]}))
    type_lines(kernel, f"{question} >{quote(path(kernel, ANSWER))} 2>/dev/null; builtin printf '{escaped}' >&{CONTROL}")


def answer(kernel, request):
    if request["what"] == "variables":
        known = set(declared(get(path(kernel, BASE))))
        return [
            {"name": name, "type": kind, "shape": None, "bytes": len(value), "preview": value[:120]}
            for name, (kind, value) in declared(get(path(kernel, ANSWER))).items()
            if name not in known and name not in ("_", "BASHPID", "RANDOM", "LINENO", "SECONDS", "PIPESTATUS")
        ][:MAX_NAMES]
    if request["what"] == "complete":
        names = sorted(set(get(path(kernel, ANSWER)).split("\n")) - {""})[:MAX_NAMES]
        return [{"label": name, "kind": "file" if "/" in name or "." in name else "function"} for name in names]
    return None


def declared(text):
    found = {}
    for match in re.finditer(r"^declare -(\S+) (\w+)(?:=(.*))?$", text, re.MULTILINE):
        flags, name, value = match.groups()
        kind = "array" if "a" in flags else "map" if "A" in flags else "integer" if "i" in flags else "string"
        value = value or ""
        if kind in ("string", "integer") and value.startswith('"'):
            value = value[1:-1]
        found[name] = (kind, value)
    return found


def type_lines(kernel, *lines):
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    try:
        data = data[os.write(kernel.stdin, data) :]
    except BlockingIOError:
        pass
    finally:
        kernel.wake()
    deadline = time.monotonic() + READ_LIMIT
    while data:
        _, writable, _ = select.select((), (kernel.stdin,), (), max(0, deadline - time.monotonic()))
        if not writable:
            raise TimeoutError("The shell does not read.")
        data = data[os.write(kernel.stdin, data) :]


def quote(text):
    return "'" + text.replace("\0", "").replace("'", "'\\''") + "'"


def path(kernel, name):
    return os.path.join(kernel.folder, name)


def put(name, data):
    """A fresh file: the old name may by now be a link or a pipe."""
    try:
        os.unlink(name)
    except OSError:
        pass
    file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        while data:
            data = data[os.write(file, data) :]
    finally:
        os.close(file)


def get(name):
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        return os.read(file, 1 << 20).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(file)
