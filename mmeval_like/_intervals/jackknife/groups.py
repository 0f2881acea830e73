"""Groups: rows that were kept are dealt into groups, each of which is left out once."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mmeval_like._intervals.interval import Interval, estimate
from mmeval_like._intervals.jackknife.estimand import Estimand, column
from mmeval_like._intervals.leave_out import variance_without_one
from mmeval_like._states.kinds.folding import IntSum
from mmeval_like._states.results import Results
from mmeval_like.arrays.mixing import STEP, finalised

__all__ = ["group_intervals", "groups_of"]

_GROUPS = 50
_SEED = np.uint64(0x6D6D6576616C)


def group_intervals(estimand: Estimand) -> dict[str, list[Interval]] | None:
    """Return the interval of every number; None unless all states have kept their rows."""
    count, results = len(estimand.results), estimand.results
    kept = [name for name, state in estimand.states.items() if state.separable]
    others = [name for name in estimand.states if name not in kept]
    constant = all(
        isinstance(estimand.states[n], IntSum) and np.isin(getattr(results, n), (0, count)).all()
        for n in others
    )
    if not kept or not constant:
        return None
    groups = groups_of(count)
    number = int(groups.max()) + 1

    def left() -> Iterator[Results]:
        for group in range(number):
            places = np.flatnonzero(groups != group)
            values = {n: estimand.states[n].at(getattr(results, n), places) for n in kept}
            values |= {n: getattr(results, n) // count * len(places) for n in others}
            yield Results(values, len(places))

    without = estimand.evaluate(left())
    found: dict[str, list[Interval]] = {}
    for key, values in estimand.numbers.items():
        found[key] = []
        for place, value in enumerate(values):
            known = [v for v in column(without, key, place) if math.isfinite(v)]
            variance = variance_without_one(known, [1] * len(known), number) if known else 0.0
            thin = estimand.statistic.why_thin(results)
            if len(known) < number:
                thin = "it is undefined without some of the samples"
            args = (estimand.range(key), estimand.level, number, number - 1, "group")
            found[key].append(estimate(value, variance, *args, thin=thin))
    return found


def groups_of(count: int) -> np.ndarray:
    """Return the group of every row: dealt in turns, in an order that only looks like chance.

    The order is that of the numbers of splitmix64.

    Example:
        >>> np.bincount(groups_of(120)).tolist() == [3] * 20 + [2] * 30
        True
    """
    numbers = finalised(np.arange(count, dtype=np.uint64) * STEP + _SEED)
    groups = np.empty(count, np.intp)
    groups[np.argsort(numbers, kind="stable")] = np.arange(count) % min(count, _GROUPS)
    return groups
