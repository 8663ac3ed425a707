"""Entry of the trusted half: reads its configuration, one line of JSON, from standard input."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from countersign import zygote  # noqa: E402


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


zygote.main(configuration())
