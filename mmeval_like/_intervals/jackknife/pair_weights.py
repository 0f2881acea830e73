"""Weights: how much each sample of two systems counts, if the samples are weighted."""

from __future__ import annotations

import numpy as np

from mmeval_like._intervals.jackknife.changed_units import differ_on
from mmeval_like._intervals.jackknife.left_out import effective_clusters
from mmeval_like._intervals.jackknife.pair_differences import Side

__all__ = ["pair_weights"]


def pair_weights(a: Side, b: Side) -> np.ndarray | None:
    """Return the weight of each sample, (n,), or None if all samples count alike.

    Weights, and the denominators of ratios, are what a state adds for a sample of either system,
    whatever was predicted. If several states do so, those count that are the least alike.

    Args:
        a: The first system.
        b: The second system, with the same samples in the same order.
    """
    found: list[np.ndarray] = []
    changes = False
    for name, state in a.states.items():
        own, other = (state.amounts(side.rows[name]) for side in (a, b))
        changes = changes or bool(differ_on(a.rows[name], b.rows[name]).any())
        if own is None or other is None or not np.array_equal(own, other):
            continue
        counted = own[own != 0]
        if len(counted) and np.isfinite(counted).all() and counted.min() > 0:
            found.append(own)
    unequal = [one for one in found if len(np.unique(one[one != 0])) > 1]
    if not changes or not unequal:  # without changes, nothing tells a weight from a value
        return None
    return min(unequal, key=lambda one: effective_clusters(one.tolist()))
