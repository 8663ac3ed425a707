"""A Python kernel of the peer: cells as JSON lines on standard input, messages of the service on descriptor 3."""
import ast, asyncio, inspect, io, json, os, socket, sys, traceback

out = os.fdopen(3, "w", buffering=1)
tell = lambda **message: (out.write(json.dumps(message) + "\n"), out.flush())
count = 0
space = sys.modules["__main__"].__dict__


class Stream(io.TextIOBase):
    def __init__(self, kind):
        self.kind = kind

    def write(self, text):
        if text:
            tell(type=self.kind, text=text)
        return len(text)


def forms(value):
    found = {"text": repr(value)}
    for name in ("html", "markdown", "svg", "png", "latex"):
        method = getattr(value, f"_repr_{name}_", None)
        shown = method() if callable(method) else None
        if shown is not None:
            found[name] = shown
    return found


def display(value):
    tell(type="result", is_main_result=False, **forms(value))


def run(code):
    tree = ast.parse(code, f"Cell In[{count}]")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) and not code.rstrip().endswith(";") else None
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    for part, mode in ((tree, "exec"), (last and ast.Expression(last.value), "eval")):
        if part is None:
            continue
        value = eval(compile(part, f"Cell In[{count}]", mode, flags=flags), space)
        if inspect.iscoroutine(value):
            value = asyncio.run(value)
        if mode == "eval" and value is not None:
            tell(type="result", is_main_result=True, **forms(value))


def copy(link, cwd, home):
    """Goes on twice: here, and with all variables at the other end of a socket."""
    global out, lines
    if os.fork() > 0:
        return
    end = socket.socket(socket.AF_UNIX)
    end.connect(link)
    os.dup2(end.fileno(), 3)
    lines = end.makefile("r")
    os.chdir(cwd)
    os.environ["HOME"] = home
    tell(type="pid", pid=os.getpid())


def serve():
    global count
    sys.stdout, sys.stderr = Stream("stdout"), Stream("stderr")
    while True:
        try:
            line = lines.readline()
        except KeyboardInterrupt:
            continue
        if not line:
            os._exit(0)
        asked = json.loads(line)
        if "copy" in asked:
            copy(**asked["copy"])
            continue
        os.environ.update(asked.get("env_vars") or {})
        count += 1
        try:
            run(asked["code"])
        except BaseException as error:
            name = f"Cell In[{count}]"
            at = [f"{name}, line {f.lineno}" for f in traceback.extract_tb(error.__traceback__) if f.filename == name]
            if isinstance(error, SyntaxError):
                at.append(f"{name}, line {error.lineno}")
            tell(type="error", name=type(error).__name__, value=str(error), traceback="\n".join([*at, f"{type(error).__name__}: {error}"]))
        tell(type="number_of_executions", execution_count=count)
        tell(type="end_of_execution")


lines, sys.stdin = sys.stdin, open(os.devnull)
serve()
