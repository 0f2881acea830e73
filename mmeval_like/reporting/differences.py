"""The verdict of a comparison in words for a terminal."""

from __future__ import annotations

import math

from mmeval_like._core.verdicts import Compared

__all__ = ["says"]


def says(of: Compared, a: str = "A", b: str = "B") -> str:
    """Return the verdict of a comparison in words; `a` and `b` are the names of the systems."""
    if not of.left_out:
        return _says(of, a, b)
    which = f"{of.left_out:,} sample{'s that are' if of.left_out > 1 else ' that is'} left out"
    return f"{_says(of, a, b)}; {which} could change this"


def _says(of: Compared, a: str, b: str) -> str:
    verdict, one = of.verdict, of.interval
    size = f"n = {of.samples:,}" if one.unit != "cluster" else f"{one.units:,} clusters"
    if verdict.outcome == "same":
        return f"{a} and {b} score the same on all {of.samples:,} samples"
    if verdict.decided:
        return f"{b} is {verdict.outcome}"
    if math.isnan(one.low):
        return f"nothing is known: {verdict.why}"
    if verdict.why is not None:
        return f"undecided: {verdict.why}"
    (least, most), detectable = of.bounds, verdict.detectable
    if math.isnan(detectable):
        return f"no difference shown by {size}"
    if detectable >= most - least:
        return f"no difference shown: {size} are too few to show any"
    words = f"{detectable:.3g}"
    if (least, most) in ((0, 1), (0, 100)):
        words = f"{100 * detectable / most:.2g} points"
    verb = "detect" if one.unit == "cluster" else "detects"
    return f"no difference shown; {size} {verb} {words} with 80% power"
