"""Print a digest of the state, the values and the intervals of every case: `child.py INPUTS`.

INPUTS is a file that `levels.inputs` writes.
"""

import hashlib
import json
import os
import pickle
import sys
import warnings
from functools import cache
from pathlib import Path

from tests.net.canonical import canonical
from tests.processors.other_functions import differ


@cache
def digests(path: Path) -> dict[str, str]:
    """Return a digest of the state, the values and the intervals of every case."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: _digest(case) for name, case in pickle.loads(path.read_bytes()).items()}


def _digest(case: bytes) -> str:
    kind, options, arguments = pickle.loads(case)
    metric = kind(**options)
    metric.add(*arguments)
    found = [metric.state_dict(), result := metric.compute(), result.intervals]
    return hashlib.sha256(json.dumps(canonical(found)).encode()).hexdigest()


if __name__ == "__main__":
    if os.environ.get("OTHER_FUNCTIONS"):
        differ()
    json.dump(digests(Path(sys.argv[1])), sys.stdout)
