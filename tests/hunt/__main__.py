"""Hunts for wrong numbers, for as long as one likes: `python -m tests.hunt --minutes 10`."""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from tests.hunt.chase import HUNTS, chase, one


def main() -> int:
    """Run trials of all hunts in turn; return how many found something, at most 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.hunt", description=__doc__)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=None, help="random by default")
    parser.add_argument("--hunt", choices=sorted(HUNTS), default=None, help="only this one")
    parser.add_argument("--trial", type=int, default=None, help="only this one, of --hunt")
    asked = parser.parse_args()
    seed = int(np.random.SeedSequence().generate_state(1)[0]) if asked.seed is None else asked.seed
    if asked.trial is not None:
        found = one(asked.hunt, seed, asked.trial)
        print(found or "nothing found")
        return bool(found)
    names = [asked.hunt] if asked.hunt else sorted(HUNTS)
    done = chase(names, seed, time.monotonic() + 60 * asked.minutes, print)
    print(f"seed {seed}: {done.trials} trials, {done.comparisons} comparisons, "
          f"{len(done.found)} findings")  # fmt: skip
    return bool(done.found)


if __name__ == "__main__":
    sys.exit(main())
