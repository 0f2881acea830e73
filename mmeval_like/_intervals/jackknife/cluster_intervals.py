"""Clusters: samples that belong together are left out together.

Leaving out each cluster in turn is the cluster jackknife (R. M. Bell and D. F. McCaffrey, Bias
reduction in standard errors for linear regression with multi-stage samples, Survey Methodology
2002). Where all clusters count alike there are G - 1 degrees of freedom; where some are larger,
fewer, by the effective number of L. Kish (Survey Sampling, 1965).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from mmeval_like._intervals.hull import Smoothed, hull
from mmeval_like._intervals.interval import Interval, estimate
from mmeval_like._intervals.jackknife.codes import Codes
from mmeval_like._intervals.jackknife.estimand import Estimand, column
from mmeval_like._intervals.jackknife.groups import groups_of
from mmeval_like._intervals.leave_out import MOST_UNITS, chosen_units, variance_without_one
from mmeval_like._states.clusters import Clusters

__all__ = ["cluster_intervals", "effective_clusters", "too_few"]

_FEW, _FEW_EFFECTIVE = 5, 3  # clusters: below, an interval is thin


def cluster_intervals(estimand: Estimand, clusters: Clusters) -> dict[str, list[Interval]]:
    """Return the interval of every number.

    Raises:
        TypeError: A state does not know what it was without some samples.
        Exception: The metric raised it.
    """
    members, weights, sizes = _left_out(clusters)
    units = len(sizes)
    alike = effective_clusters(sizes)
    without = estimand.evaluate(clusters.without(each) for each in members)
    thin = too_few(clusters.sizes)
    df = max(1, math.floor(alike) - 1)
    unit = "cluster" if units == len(clusters.sizes) else "group"
    smoothed: Mapping[str, list[Smoothed]] = {}
    codes = Codes.of(estimand) if clusters.folds and units > 1 else None
    if codes is not None:
        firsts = [each[0] for each in members]
        smoothed = codes.smoothed(lambda name: clusters.counts(name, firsts), weights, units)
    found: dict[str, list[Interval]] = {}
    for key, values in estimand.numbers.items():
        found[key] = []
        for place, value in enumerate(values):
            left = column(without, key, place)
            known = [(v, w) for v, w in zip(left, weights, strict=True) if math.isfinite(v)]
            why = thin or estimand.statistic.why_thin(estimand.results)
            if len(known) < len(left):
                why = thin or "it is undefined without some of the clusters"
            variance = 0.0
            if known:
                variance = variance_without_one([v for v, _ in known], [w for _, w in known], units)
            own = estimand.own_counts[key][place] if key in estimand.own_counts else alike
            args = (estimand.range(key), estimand.level, units, df, unit, why, min(alike, own))
            one = estimate(value, variance, *args)
            if key in smoothed:
                one = hull(one, smoothed[key][place], estimand.range(key), df)
            found[key].append(one)
    return found


def effective_clusters(sizes: Sequence[int]) -> Fraction:
    """Return as how many clusters of equal size they count.

    Example:
        >>> effective_clusters([10, 10, 10]), effective_clusters([20, 5, 5])
        (Fraction(3, 1), Fraction(2, 1))
    """
    return Fraction(sum(sizes) ** 2, max(1, sum(size * size for size in sizes)))


def _left_out(clusters: Clusters) -> tuple[list[list[int]], list[int], list[int]]:
    """Return the clusters that are left out at once, the weight of each, and the units' sizes.

    Of many clusters those are left out that stand at equal distances in an order that only what
    they add decides. States that keep their rows are computed anew for each, which takes long:
    their clusters are dealt into groups.
    """
    sizes = clusters.sizes
    number = len(sizes)
    if not clusters.folds:
        groups = groups_of(number)
        dealt = [np.flatnonzero(groups == g).tolist() for g in range(int(groups.max()) + 1)]
        return dealt, [1] * len(dealt), [sum(sizes[place] for place in each) for each in dealt]
    if number <= MOST_UNITS:
        return [[place] for place in range(number)], [1] * number, sizes
    kinds: dict[tuple[bytes, ...], list[int]] = {}
    for place, content in enumerate(clusters.contents()):
        kinds.setdefault(content, []).append(place)
    alike = [kinds[content] for content in sorted(kinds)]
    places, weights = chosen_units([len(each) for each in alike])
    return [[alike[place][0]] for place in places], weights, sizes


def too_few(sizes: Sequence[int]) -> str | None:
    """Return why an interval rests on too few clusters; None: it does not.

    Example:
        >>> too_few([10, 10, 10]), too_few([1] * 5)
        ('there are only 3 clusters', None)
    """
    alike = effective_clusters(sizes)
    if len(sizes) < _FEW:
        return f"there are only {len(sizes)} clusters"
    if alike < _FEW_EFFECTIVE:
        return f"by their sizes {len(sizes)} clusters count as {round(float(alike), 1)}"
    return None
