"""python -m benchmarks.peers [--only Precision F1Score] [--seconds 0.5] [--page FILE]"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks.peers import SECONDS, compare, refreshed, table

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--only", nargs="*", default=())
parser.add_argument("--seconds", type=float, default=SECONDS)
parser.add_argument("--json", action="store_true", help="print a line of JSON instead of a table")
parser.add_argument("--page", type=Path, help="put the rows into the table of this page")
arguments = parser.parse_args()
found = compare(arguments.only, arguments.seconds)
print(json.dumps(found) if arguments.json else table(found))
if arguments.page:
    page = arguments.page.read_text(encoding="utf-8")
    arguments.page.write_text(refreshed(page, found), encoding="utf-8")
