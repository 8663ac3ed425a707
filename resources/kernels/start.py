"""Entry of the trusted half: reads its configuration, one line of JSON, from standard input.

Python kernels are forks of this process as well. One that has been confined comes back to this file by an exception, so
that no frame of the supervisor is left below it, forgets all of the supervisor's code and objects, and serves cells.
"""

import ctypes
import gc
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from _cellkernel import kernel  # noqa: E402

PR_SET_DUMPABLE = 4
ours = []


def configuration():
    """The first line that is ours: some container engines put a line of their own before it. Read byte by byte, because
    what follows it may be frames, which a buffer would swallow."""
    while True:
        line = bytearray()
        while not line.endswith(b"\n"):
            byte = os.read(0, 1)
            if not byte:
                sys.exit("no configuration came")
            line += byte
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict) and "mode" in found:
            return found


def supervise():
    """Returns only in a process that has become a kernel, with where that works."""
    config = configuration()
    # Held while it is compared: an object that is freed meanwhile leaves its number to one of the supervisor's.
    before = gc.get_objects()
    known = {id(before), *map(id, before)}
    from countersign import beginning, forking, launch, zygote

    # Loaded before the libraries, so that all of it lies together and is quickly forgotten.
    own = [thing for thing in gc.get_objects() if id(thing) not in known and thing is not known]
    del before, known
    beginning.prepare(config, own)
    del own
    ours.extend(name for name in sys.modules if name.partition(".")[0] in ("countersign", "_cellkernel"))
    task = lambda: zygote.main(config)
    while True:
        try:
            task()
            os._exit(0)
        except launch.Confined as confined:
            return confined.work, confined.linux
        except forking.Elsewhere as elsewhere:
            task = elsewhere.task
        gc.collect()  # what belonged to the other supervisor closes its descriptors now, and not when numbers are in use


def forget():
    """What the supervisor was made of; a kernel's own modules stay in use but cannot be imported either. By a list made
    beforehand: to go through all modules would count a use of each, and so copy the memory of each."""
    for name in ours:
        module = sys.modules.pop(name)
        if not name.startswith("_"):
            vars(module).clear()
    sys.path_importer_cache.pop(sys.path[0], None)
    sys.last_value = sys.last_traceback = None
    gc.collect()


work, linux = supervise()
forget()
if linux:
    # From here on this process may be looked at: nothing in it is the supervisor's any more.
    ctypes.PyDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
del supervise, forget, configuration, ours, linux, ctypes, json
kernel.serve(work)
