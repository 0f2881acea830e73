"""Compare all metrics between levels of instructions: `python -m tests.processors`.

It prints the metrics whose states or values differ in a bit from those of this processor as it is.
The exit status is 1 if one of them does not declare this by `processor_dependent`.
"""

import sys
from collections.abc import Iterable

from tests.metric_cases import CASES
from tests.processors.levels import LEVELS, differing, inputs, metric_of

DRAWN = (
    *((12, 1, None), (24, 2, 0.95), (24, 3, None), (300, 4, 0.95), (1000, 5, None)),
    (5000, 6, None),
)
"""The numbers of samples, with a seed and the level of the intervals each."""


def main() -> int:
    """Compare, print, and return the exit status."""
    found: dict[str, set[str]] = {level: set() for level in LEVELS}
    for samples, seed, interval in DRAWN:
        with inputs(samples, seed, interval) as path:
            for level, cases in found.items():
                cases |= differing(path, level)
    for level, cases in found.items():
        print(f"{level}: {_named(cases)}")
    declared = {case for case in CASES if metric_of(case).processor_dependent is not None}
    seen = set().union(*found.values())
    print(f"declared, and the same here: {_named(declared - seen)}")
    print(f"not declared, and different: {_named(seen - declared)}")
    return int(bool(seen - declared))


def _named(cases: Iterable[str]) -> str:
    names = sorted({type(metric_of(case)).__name__ for case in cases})
    return f"{len(names)} metrics: {', '.join(names)}"


if __name__ == "__main__":
    sys.exit(main())
