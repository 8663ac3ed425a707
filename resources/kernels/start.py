"""Entry of the trusted half: reads its configuration, one line of JSON, from standard input."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from countersign import zygote  # noqa: E402

zygote.main(json.loads(sys.stdin.readline()))
