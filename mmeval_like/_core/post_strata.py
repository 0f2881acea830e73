"""post_stratified: the values of slices, weighted by their known shares of the population."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like._base.keys import Key, Value, key_text
from mmeval_like._core.result import Result
from mmeval_like._intervals.interval import Interval, WithIntervals
from mmeval_like._intervals.weighted_means import weighted_mean

__all__ = ["post_stratified"]

_CLOSE = Fraction(1, 10**9)  # how far the sum of shares may be from 1, by rounding

Share = tuple[str, Fraction]  # the name of a slice, and its share of the population


def post_stratified(result: Result, shares: Mapping[Any, float], by: str | Sequence[str]) -> Result:
    """Return the values that samples would have with given shares of the slices.

    If a test set has as many German as English texts, but 70% of the users write English, the value
    for users is 0.7 times that of English texts and 0.3 times that of German ones. For metrics that
    are means of one value per sample, such as accuracy, losses, NDCG and pass@k, this is the value
    of the population. For others, such as F1, it is the weighted mean of the values of slices.

    Intervals combine those of the slices, which are independent samples: the squares of the arms
    add up, each times the square of the share (G. Y. Zou, W. Huang and X. Zhang, A note on
    confidence interval estimation for a linear function of binomial proportions, Comput. Stat. Data
    Anal. 53, 2009). Near 1, the arms of many slices are too short: slices without a miss have no
    upper arm. So the interval of shares of hits also contains Wilson's with the effective number of
    samples that follows from the variances of the slices (E. L. Korn and B. I. Graubard, Survey
    Methodology 24, 1998). The numbers of samples in the slices are taken as given (W. G. Cochran,
    Sampling Techniques, 3rd edition, 1977, section 5A.9). The shares must be known, not estimated
    from the same samples.

    Formula:
        value = sum_h W_h y_h
        low = value - sqrt(sum_h W_h^2 (y_h - low_h)^2)
        high = value + sqrt(sum_h W_h^2 (high_h - y_h)^2)

    Args:
        result: What `compute` of a `Sliced` returned.
        shares: The share of every slice in the population, by the value of the column, or by the
            tuple of values for several columns. They add up to 1. A slice without samples must
            have the share 0, and every other slice must be named.
        by: The column, or the columns, of the slices: an entry of `by=` of the `Sliced`.

    Returns:
        The value of every float of the metrics, by key, with its interval if the metrics have
        `interval=`. nan if a slice with a share has no value. Lists, integers and arrays are left
        out.

    Raises:
        TypeError: `result` is not the result of a `Sliced`, or a share is not a number.
        ValueError: A slice has no share, a share belongs to no slice, a share is negative, or the
            shares do not add up to 1.

    Example:
        >>> from mmeval_like import Accuracy, Sliced, post_stratified
        >>> sliced = Sliced(Accuracy(interval=0.95), by="language")
        >>> right = [1] * 45 + [0] * 5 + [1] * 30 + [0] * 20
        >>> sliced.add(right, [1] * 100, by={"language": ["en"] * 50 + ["de"] * 50})
        >>> found = post_stratified(sliced.compute(), {"en": 0.7, "de": 0.3}, by="language")
        >>> for key, value in found.items():
        ...     print(key, round(value, 3))
        top1 0.81
        top1_low 0.72
        top1_high 0.871
    """
    if not isinstance(result, Result):
        raise TypeError(f"result must be what compute() returned, got {type(result).__name__}")
    names = (by,) if isinstance(by, str) else tuple(by)
    parts = _parts(result, _checked(shares, len(names)), names)
    slices = [(result[name], share) for name, share in parts]
    intervals = [(result.intervals.get(name, {}), share) for name, share in parts]
    found = _weighted(slices, intervals)
    known = getattr(found, "intervals", None)
    of_slices = result.accounts or {}
    account = _account([(of_slices.get(name), share) for name, share in parts])
    return Result(found, result.samples, intervals=known, metrics=result.metrics, accounts=account)


def _checked(shares: Mapping[Any, float], columns: int) -> dict[Key, Fraction]:
    """Return the shares, which add up to 1 exactly, by key of a slice."""
    if not isinstance(shares, Mapping):
        raise TypeError(f"shares must be a dict, such as {{'en': 0.7, 'de': 0.3}}, got {shares!r}")
    exact: dict[Key, Fraction] = {}
    for value, share in shares.items():
        key = value if isinstance(value, tuple) else (value,)
        if len(key) != columns:
            raise ValueError(f"shares must name a value of each of {columns} columns: got {value}")
        if isinstance(share, bool) or not isinstance(share, int | float | Fraction | np.number):
            raise TypeError(f"shares must be numbers, got {share!r} for {value!r}")
        if not 0 <= share <= 1:
            raise ValueError(f"shares must be between 0 and 1, got {share} for {value!r}")
        exact[tuple(map(_plain, key))] = Fraction(share.item() if hasattr(share, "item") else share)
    total = sum(exact.values(), Fraction(0))
    if abs(total - 1) > _CLOSE:
        raise ValueError(f"shares must add up to 1, got {float(total):.12g}")
    return {key: share / total for key, share in exact.items()}


def _plain(value: Any) -> Value:
    found: Value = value.item() if isinstance(value, np.generic) else value
    return str(found).lower() if isinstance(found, bool) else found  # as slices are named


def _parts(
    result: Mapping[str, Any], shares: Mapping[Key, Fraction], names: Sequence[str]
) -> list[Share]:
    """Return the slices that have a share above 0, in the order of the result."""
    given = {key_text(names, key): share for key, share in shares.items()}
    columns = _columns_of(key_text(names, (None,) * len(names)))
    there = [name for name in result if _columns_of(name) == columns]
    if not there:
        raise TypeError(
            f"result has no slices by {', '.join(names)}: pass what compute() of a Sliced returned"
        )
    if without := [name for name in there if name not in given]:
        raise ValueError(f"shares must name every slice: there is none for {_listed(without)}")
    if absent := [name for name, share in given.items() if share and name not in there]:
        raise ValueError(f"there are no samples for the shares of {_listed(absent)}")
    return [(name, given[name]) for name in there if given[name]]


def _columns_of(name: str) -> list[str]:
    """Return the columns in the name of a slice; a quoted value may contain anything."""
    plain = re.sub(r'="(?:\\.|[^"\\])*"', "=", name)
    return [part.split("=")[0] for part in plain.split(",")]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more


def _weighted(
    slices: Sequence[tuple[Any, Fraction]], intervals: Sequence[tuple[Any, Fraction]]
) -> dict[str, Any]:
    """Return the weighted means of the floats of slices, or of the members of a collection."""
    first = slices[0][0]
    values: dict[str, Any] = {}
    ends = {f"{key}_{end}" for one, _ in intervals for key in one for end in ("low", "high")}
    made: dict[str, Interval] = {}
    for key in first:
        several = [(one.get(key, math.nan), share) for one, share in slices]
        inner = [(one.get(key), share) for one, share in intervals]
        if all(isinstance(value, Mapping) for value, _ in several):
            values[key] = _weighted(several, [(one or {}, share) for one, share in inner])
        elif all(isinstance(value, float) for value, _ in several) and key not in ends:
            values[key] = _mean(several)
            if all(isinstance(one, Interval) for one, _ in inner):
                made[key] = weighted_mean(values[key], inner)
    return WithIntervals.together(values) if not made else WithIntervals.of(values, made)


def _account(several: Sequence[tuple[Any, Fraction]]) -> Any:
    """Return the account of the samples of all slices, or of the members of a collection."""
    first = several[0][0]
    if isinstance(first, Mapping):
        return {key: _account([(one[key], share) for one, share in several]) for key in first}
    if first is None:
        return None
    unscored: Counter[str] = Counter()
    for one, _ in several:
        unscored.update(one.unscored)
    return replace(
        first,
        planned=sum(one.planned for one, _ in several),
        unscored={reason: unscored[reason] for reason in sorted(unscored)},
        outer=any(one.outer for one, _ in several),
        bounds={
            key: tuple(
                _mean([(one.bounds[key][end], share) for one, share in several]) for end in (0, 1)
            )
            for key, ends in first.bounds.items()
            if isinstance(ends[0], float)
        },
    )


def _mean(several: Sequence[tuple[float, Fraction]]) -> float:
    if not all(math.isfinite(value) for value, _ in several):
        return math.fsum(value * float(share) for value, share in several)
    return float(sum((Fraction(value) * share for value, share in several), Fraction(0)))
