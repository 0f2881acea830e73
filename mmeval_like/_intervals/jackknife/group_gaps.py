"""Gaps between two groups of samples in clusters, if few clusters of a group have hits, or misses.

These few do not show how much clusters vary: without a single hit in a group, the jackknife sees no
variance of its share at all, and one hit fewer halves the share of two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from mmeval_like._intervals.exact_shares import FEW
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.estimand import Estimand
from mmeval_like._intervals.jackknife.left_out import LeftOut, effective_clusters
from mmeval_like._intervals.transforms import Ends, wilson

__all__ = ["ends_of_few_hits", "with_ends"]

_Share = tuple[Any, Any]  # the hits and the samples of a group, or sums of weights


def ends_of_few_hits(estimand: Estimand, left: LeftOut) -> dict[str, list[Ends | None]]:
    """Return, by key, the ends of gaps of which few clusters have hits; None: of another gap.

    They are Newcombe's of the difference of two shares (Statist. Med. 17, 1998), in which every
    cluster counts as one sample, as if all its samples were alike: a share is that of the effective
    number of clusters of its group (L. Kish, Survey Sampling, 1965).

    Args:
        estimand: The metric and its results.
        left: What is left out.
    """
    shares = estimand.statistic.jackknife.shares
    every = shares(estimand.results)
    if not every or left.members != "clusters" or left.rest is None:
        return {}
    rest = [shares(one) for one in left.rest()]
    return {
        key: [
            _ends(gap, [one[key][place] for one in rest], left.weights, estimand.level)
            for place, gap in enumerate(gaps)
        ]
        for key, gaps in every.items()
    }


def with_ends(one: Interval, ends: Ends | None) -> Interval:
    """Return the interval, extended to these ends."""
    if ends is None or math.isnan(one.low):
        return one
    low, high = min(one.low, ends[0]), max(one.high, ends[1])
    return replace(one, low=low, high=high, method=f"{one.method}, Newcombe")


def _ends(
    gap: Sequence[_Share], without: Sequence[Sequence[_Share]], weights: Sequence[int], level: float
) -> Ends | None:
    """Return Newcombe's ends, or None if no group has few clusters with hits, or with misses.

    Args:
        gap: The shares of both groups.
        without: The same without a cluster of each kind.
        weights: The number of clusters of each kind.
        level: The level.
    """
    few, found = False, []
    for place, (hits, count) in enumerate(gap):
        if not count:
            return None
        clusters = [(hits - one[place][0], count - one[place][1]) for one in without]
        numbered = [*zip(clusters, weights, strict=True)]
        hit = sum(w for (h, _), w in numbered if h)
        missed = sum(w for (h, n), w in numbered if n > h)
        few = few or min(hit, missed) <= FEW
        share = Fraction(hits) / Fraction(count)
        sizes = [n for (_, n), w in numbered for _ in range(w)]
        found.append((float(share), *wilson(share, effective_clusters(sizes), level)))
    if not few:
        return None
    (one, one_low, one_high), (other, other_low, other_high) = found
    low = one - other - math.hypot(one - one_low, other_high - other)
    return low, one - other + math.hypot(one_high - one, other - other_low)
