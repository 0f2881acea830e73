"""The result of a comparison of two systems, in words for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from mmeval_like._base.keys import WHOLE
from mmeval_like._core.paired import Paired
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.estimand import range_of

__all__ = ["comparisons", "says"]


def comparisons(
    pair: Paired, values: Mapping[str, Any]
) -> Iterator[tuple[str, str, Interval, Mapping[str, Any]]]:
    """Yield slice, key, interval of the difference, and all values of every comparison.

    Args:
        pair: The `Paired` that compared the systems, after `compute`.
        values: The results of `compute`, by slice.
    """
    for which, found in values.items():
        intervals = pair.intervals[which] if WHOLE in pair.intervals else pair.intervals
        for name, one in intervals.items():
            yield which, name.removesuffix("_difference"), one, found


def says(pair: Paired, key: str, one: Interval, found: Mapping[str, Any]) -> str:
    """Return the result of a comparison, as `comparisons` yields it, in words."""
    samples, p = found["samples"], found.get(f"{key}_p_adjusted", found[f"{key}_p"])
    if math.isnan(one.low):
        return f"nothing is known: {one.thin}"
    if p < 1 - one.level:
        if pair.higher_is_better is None:
            return "B is higher" if one.value > 0 else "B is lower"
        return "B is better" if (one.value > 0) == pair.higher_is_better else "B is worse"
    if math.isnan(found[f"{key}_detectable"]):
        return f"no difference shown: all {samples:,} samples score the same in A and B"
    least, most = range_of(pair.metric.ranges, key)
    detectable: float = found[f"{key}_detectable"]
    if detectable >= most - least:
        return f"no difference shown: n = {samples:,} are too few to show any"
    words = f"{detectable:.3g}"
    if (least, most) in ((0, 1), (0, 100)):
        words = f"{100 * detectable / most:.2g} points"
    return f"no difference shown; n = {samples:,} detects {words} with 80% power"
