"""Shares of hits: a value that is a share of the samples has Wilson's interval."""

from __future__ import annotations

import math

import numpy as np

from mmeval_like._intervals.interval import Interval, share, unknown
from mmeval_like._intervals.jackknife.estimand import Estimand
from mmeval_like._states.kinds.folding import Hits

__all__ = ["share_intervals"]


def share_intervals(estimand: Estimand) -> dict[str, list[Interval]] | None:
    """Return the interval of every value; None unless all states of the statistic count hits."""
    states = estimand.states.values()
    if not states or not all(isinstance(state, Hits) for state in states):
        return None
    hits = np.concatenate(
        [np.ravel(getattr(estimand.results, name)) for name in estimand.states]
    ).tolist()
    return {
        key: [_interval(estimand, key, value, hits) for value in values]
        for key, values in estimand.numbers.items()
    }


def _interval(estimand: Estimand, key: str, value: float, hits: list[int]) -> Interval:
    count, level = len(estimand.results), estimand.level
    least, most = estimand.range(key)
    if math.isnan(value):
        return unknown(value, level, count, "the value is not finite")
    if not math.isfinite(most - least):
        return unknown(value, level, count, "the metric declares no ranges of its values")
    near = round((value - least) / (most - least) * count)
    if near not in hits and count - near not in hits:
        return unknown(value, level, count, "the value is not a share of all samples")
    return share(value, level, count, (least, most))
