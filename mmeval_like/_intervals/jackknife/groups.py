"""Groups: samples are divided into groups, and each group is left out once.

Rows that were kept are dealt into groups at the end. Where they are not kept, each group has states
of its own from the first sample on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from mmeval_like._base.mixing import STEP, finalised
from mmeval_like._intervals.jackknife.estimand import Columns, Estimand
from mmeval_like._intervals.jackknife.left_out import LeftOut, effective_clusters
from mmeval_like._states.clusters import Clusters
from mmeval_like._states.results import Results, clusters_of
from mmeval_like._states.row_contents import content_order
from mmeval_like._states.sample_groups import GROUPS as _GROUPS

__all__ = ["groups_of", "groups_of_ids", "without_groups", "without_sample_groups"]

_FEW = 5  # groups: fewer are too few
_UNEVEN = 2  # the variance of the groups' sizes, over that of chance: more are equal samples
_SEED = np.uint64(0x6D6D6576616C)


def without_groups(estimand: Estimand) -> LeftOut | None:
    """Leave out groups of samples; None unless the states have kept their rows.

    States that do not keep them must add the same for every sample, 0 or 1. The content of the rows
    decides which group each sample is in, and in what order those of others are.
    """
    count, results, states = len(estimand.results), estimand.results, estimand.states
    kept = [name for name, state in states.items() if state.separable]
    same = estimand.constants(name for name in states if name not in kept)
    if not kept or same is None:
        return None
    listed = [getattr(results, name) for name in kept if states[name].ordered]
    order = content_order(listed) if listed else np.arange(count)
    groups = groups_of(count)
    number = int(groups.max()) + 1

    def each() -> Iterator[Results]:
        for group in range(number):
            places = order[groups != group]
            values = {name: states[name].at(getattr(results, name), places) for name in kept}
            values |= {name: one * len(places) for name, one in same.items()}
            yield Results(values, len(places))

    return LeftOut("group", number, [1] * number, lambda: estimand.columns(each()))


def without_sample_groups(estimand: Estimand) -> LeftOut | None:
    """Leave out the groups that samples were divided into while they were added; None: none were.

    The groups differ in size by chance, and so count as fewer. Their sizes differ more where
    many samples are equal, which are all in one group unless they have ids.
    """
    clusters: Clusters | None = clusters_of(estimand.results)
    if clusters is None or not clusters.grouped:
        return None
    sizes = clusters.sizes

    def evaluate() -> Columns:
        return estimand.columns(clusters.without([place]) for place in range(len(sizes)))

    return LeftOut(
        "group",
        len(sizes),
        [1] * len(sizes),
        evaluate,
        effective=effective_clusters(sizes),
        caveat=_caveat(sizes),
    )


def _caveat(sizes: Sequence[int]) -> str | None:
    """Return why groups of these sizes, and others without a sample, are no groups of chance."""
    if len(sizes) < _FEW:
        return f"the samples are in only {len(sizes)} groups"
    mean = Fraction(sum(sizes), _GROUPS)
    squares = sum(size * size for size in sizes) - _GROUPS * mean**2
    if squares > _UNEVEN * mean * (_GROUPS - 1):
        return "many samples are equal, which makes the interval too wide: pass ids="
    return None


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


def groups_of_ids(ids: np.ndarray) -> np.ndarray:
    """Return the group of every id, which depends on this id alone.

    A sample stays in its group when others arrive, so that a comparison which is computed again and
    again does not vary with how its samples are dealt.

    Args:
        ids: int64 (n,), or uint64 (n, 2) for texts.

    Example:
        >>> few, more = groups_of_ids(np.arange(1000)), groups_of_ids(np.arange(3000))
        >>> few.tolist() == more[:1000].tolist(), int(few.max())
        (True, 49)
    """
    words = ids.reshape(len(ids), -1).astype(np.uint64)
    mixed = np.full(len(ids), _SEED)
    for column in words.T:
        mixed = finalised((mixed ^ column) * STEP + _SEED)
    return (mixed % np.uint64(_GROUPS)).astype(np.intp)
