"""Magics and shell lines: `%name`, `%%name`, `!command`, `x = !command`, `thing?`.

A cell that reads as Python is Python. Only one that does not is looked through for lines that begin a statement with one
of these signs; each becomes a call of `get_ipython()` on the same line, so that line numbers stay what they were.
"""

import ast
import re

SIGN = re.compile("[%!?]")
CELL = re.compile(r"%%(\w[\w.]*|!)[ \t]*([^\n]*)(?:\n|\Z)")
LINE = re.compile(r"(\s*)%(\w[\w.]*)[ \t]*(.*)", re.DOTALL)
SHELL = re.compile(r"(\s*)(!!?)(.*)", re.DOTALL)
ASSIGNED = re.compile(r"(\s*)([A-Za-z_][\w.,\s\[\]'\"]*?)\s*=\s*(?:!(?P<command>.+)|%(?P<magic>\w+)[ \t]*(?P<rest>.*))", re.DOTALL)
#: Commands without a sign, where no Python could be meant: a name that another word follows.
PLAIN = re.compile(
    r"^([ \t]*)(ls|ll|lf|cd|cat|cp|mv|rm|mkdir|rmdir|less|more|man|who|whos|time|timeit|prun)[ \t]+"
    r"(?=(?:-[\w-]+[ \t]+)*(?!(?:and|as|else|for|if|in|is|not|or)\b)(?:[\w\"'~$]|\*\.[A-Za-z]|\.\.?(?:[/\s]|$)))([^\n]*)",
    re.MULTILINE | re.ASCII,
)
HELP = re.compile(r"(\s*)(?:(\?\??)\s*(%{0,2}[\w.*]+)|(%{0,2}[\w.*]+)\s*(\?\??))\s*;?\s*")
#: A cell that is one of these words and nothing else, where nothing has that name: it shows something and changes nothing.
ALONE = re.compile(r"\s*(ls|ll|lf|pwd|who|whos|who_ls|env|history|hist|lsmagic|dhist|dirs)\s*")
#: How the first line of what was copied from an interactive shell begins, and how each of its lines may.
PROMPTS = (
    (re.compile(r">>>(?: |\r?$)"), re.compile(r"^(?:>>>|\.\.\.)(?: |\r?$)")),
    (re.compile(r"(?:(?:\[(?:nav|ins)\])? )?In \[\d+\]: "), re.compile(r"^(?:(?:\[(?:nav|ins)\])? )?In \[\d+\]: |^[ \t]*\.{3,}: ?")),
)
PASTED = re.compile(r"\s*\n?(?:[ \t]+\S|>>>|(?:\[(?:nav|ins)\])? ?In \[)")


def unpasted(code):
    """Without the prompts of an interactive shell, or the indent of a block, that it was copied with; lines stay where they are."""
    if not PASTED.match(code):
        return code
    lines = code.split("\n")
    first = next(line for line in lines if line.strip())
    indent = first[: len(first) - len(first.lstrip(" \t"))]
    prompt = next((each for begins, each in PROMPTS if begins.match(first.removeprefix(indent))), None)
    if prompt is None and reads(code):  # it begins with a comment
        return code
    plain = [line.removeprefix(indent) for line in lines]
    return "\n".join(plain if prompt is None else [prompt.sub("", line, count=1) for line in plain])


def reads(code):
    try:
        ast.parse(code)
        return True
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False


def translate(code, known=frozenset()):
    """The cell as Python. `known` are the names that it could mean."""
    code = unpasted(code)
    alone = ALONE.fullmatch(code)
    if alone and alone[1] not in known:
        return call("run_line_magic", alone[1], "")
    whole = CELL.match(code.lstrip("\n"))
    if whole:
        skipped = len(code) - len(code.lstrip("\n"))
        body = code.lstrip("\n")[whole.end() :]
        # As in IPython, where every line of a cell has an end: a file that is written ends with one.
        body += "\n" * bool(body and not body.endswith("\n"))
        if HELP.fullmatch(code.strip()):
            return "\n" * skipped + statement(code.strip())
        return "\n" * skipped + call("run_cell_magic", "sx" if whole[1] == "!" else whole[1], whole[2].strip(), body)
    if not SIGN.search(code) and not PLAIN.search(code):
        return code
    return code if reads(code) else "\n".join(statements(code.split("\n")))


def statements(lines):
    depth, quote, at = 0, None, 0
    while at < len(lines):
        line, taken = lines[at], 1
        if depth == 0 and quote is None:
            # A backslash at the end takes the next line along, as in a shell.
            while line.endswith("\\") and at + taken < len(lines) and is_special(line):
                line = line[:-1] + lines[at + taken].lstrip()
                taken += 1
            changed = statement(line)
            if changed is not None:
                yield changed
                yield from [""] * (taken - 1)
                at += taken
                continue
            line, taken = lines[at], 1
        depth, quote = scan(line, depth, quote)
        yield line
        # A line that ends with a backslash goes on; what follows begins no statement.
        while line.endswith("\\") and quote is None and at + taken < len(lines):
            line = lines[at + taken]
            depth, quote = scan(line, depth, quote)
            yield line
            taken += 1
        at += taken


def is_special(line):
    return bool(LINE.fullmatch(line) or SHELL.fullmatch(line) or ASSIGNED.fullmatch(line))


def statement(line):
    """One line as Python, or None when it is nothing of ours."""
    if line.strip() == "?":
        return call("run_line_magic", "quickref", "")
    if (found := HELP.fullmatch(line)) and not line.strip().startswith("#"):
        name, signs = found[3] or found[4], found[2] or found[5]
        search = "psearch" if "*" in name else "pinfo2" if signs == "??" else "pinfo"
        return found[1] + call("run_line_magic", search, name)
    if found := SHELL.fullmatch(line):
        return found[1] + call("getoutput" if found[2] == "!!" else "system", found[3].strip())
    if found := LINE.fullmatch(line):
        return found[1] + call("run_line_magic", found[2], found[3].strip())
    if found := ASSIGNED.fullmatch(line):
        if found["command"] is not None:
            return f"{found[1]}{found[2]} = {call('getoutput', found['command'].strip())}"
        return f"{found[1]}{found[2]} = {call('run_line_magic', found['magic'], found['rest'].strip())}"
    if found := PLAIN.fullmatch(line):
        return found[1] + call("run_line_magic", found[2], found[3].strip())
    return None


def call(method, *arguments):
    return f"get_ipython().{method}({', '.join(map(repr, arguments))})"


def scan(line, depth, quote):
    """How deep in brackets, and in which long string, the end of a line is."""
    at = 0
    while at < len(line):
        if quote:
            if line[at] == "\\":
                at += 2
                continue
            if line.startswith(quote, at):
                at += len(quote)
                quote = None
                continue
            at += 1
            continue
        sign = line[at]
        if sign == "#":
            break
        if sign in "\"'":
            quote = sign * 3 if line.startswith(sign * 3, at) else sign
            at += len(quote)
            continue
        depth += (sign in "([{") - (sign in ")]}")
        at += 1
    return max(0, depth), quote if quote and len(quote) == 3 else None
