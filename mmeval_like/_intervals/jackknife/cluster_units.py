"""Clusters: samples that belong together are left out together.

Leaving out each cluster in turn is the cluster jackknife (R. M. Bell and D. F. McCaffrey, Bias
reduction in standard errors for linear regression with multi-stage samples, Survey Methodology
2002).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from mmeval_like._intervals.jackknife.estimand import Columns, Estimand
from mmeval_like._intervals.jackknife.groups import groups_of
from mmeval_like._intervals.jackknife.left_out import MOST_UNITS, LeftOut, chosen_units
from mmeval_like._intervals.jackknife.moved_sums import WEIGHT
from mmeval_like._states.clusters import Clusters
from mmeval_like._states.results import Results, clusters_of

__all__ = ["without_clusters"]

_UNIT = 1 << 26  # of the share of a cluster in all weights: equal ones are equal, squares exact


def without_clusters(estimand: Estimand) -> LeftOut | None:
    """Leave out clusters; return None unless the samples were added with `clusters=`.

    If there are many clusters, those at equal distances are left out, in an order that depends only
    on their folded values. States that keep their rows are recomputed for each unit, which is slow:
    their clusters are divided into groups.
    """
    clusters: Clusters | None = clusters_of(estimand.results)
    if clusters is None or clusters.grouped:
        return None
    sizes = clusters.sizes
    units: list[float] = [*sizes]
    members, weights = [[place] for place in range(len(sizes))], [1] * len(sizes)
    if not clusters.folds:
        groups = groups_of(len(sizes))
        members = [np.flatnonzero(groups == g).tolist() for g in range(int(groups.max()) + 1)]
        weights, units = [1] * len(members), [sum(sizes[p] for p in each) for each in members]
    elif len(sizes) > MOST_UNITS:
        kinds: dict[tuple[bytes, ...], list[int]] = {}
        for place, content in enumerate(clusters.contents()):
            kinds.setdefault(content, []).append(place)
        equal = [kinds[content] for content in sorted(kinds)]
        places, weights = chosen_units([len(each) for each in equal])
        members = [[equal[place][0]] for place in places]
    every = range(len(sizes))

    def rest() -> Iterator[Results]:
        return (clusters.without(each) for each in members)

    known: list[float] | None = units if len(units) == len(members) else None
    if clusters.folds and known is not None:
        heavy = _weights(estimand, rest())
        if heavy is not None and heavy != known:
            known, units = heavy, [round(one * _UNIT / len(estimand.results)) for one in heavy]
    left = LeftOut.of_clusters(
        units,
        weights,
        lambda: estimand.columns(rest()),
        sizes,
        histograms=(lambda name: clusters.counts(name, [each[0] for each in members]))
        if clusters.folds
        else None,
    )

    def alone() -> Columns:
        others = ([other for other in every if other not in each] for each in members)
        return estimand.columns(clusters.without(each) for each in others)

    return replace(left, alone=alone, sizes=known, rest=rest if clusters.folds else None)


def _weights(estimand: Estimand, rest: Iterable[Results]) -> list[float] | None:
    """Return the weights of the clusters of a weighted mean; None for other values.

    Their unit makes the sum of all of them the number of samples.

    Args:
        estimand: The values.
        rest: The results without each cluster.
    """
    whole, count = getattr(estimand.results, WEIGHT, None), len(estimand.results)
    if not isinstance(whole, float) or not 0 < whole < math.inf:
        return None
    return [(whole - float(getattr(one, WEIGHT))) * count / whole for one in rest]
