"""python -m benchmarks.peers [--only Precision F1Score] [--seconds 0.5] [--json]"""

from __future__ import annotations

import argparse
import json

from benchmarks.peers import SECONDS, compare, table

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--only", nargs="*", default=())
parser.add_argument("--seconds", type=float, default=SECONDS)
parser.add_argument("--json", action="store_true", help="print a line of JSON instead of a table")
arguments = parser.parse_args()
found = compare(arguments.only, arguments.seconds)
print(json.dumps(found) if arguments.json else table(found))
