"""Groups: samples are divided into groups, and each group is left out in turn.

Rows that were kept are divided into groups at the end. Otherwise each group has its own states from
the first sample on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from mmeval_like._base.mixing import STEP, finalised
from mmeval_like._intervals.jackknife.estimand import Estimand, Numbers
from mmeval_like._intervals.jackknife.left_out import LeftOut, effective_clusters
from mmeval_like._states.clusters import Clusters
from mmeval_like._states.results import Results, clusters_of
from mmeval_like._states.row_contents import content_order
from mmeval_like._states.sample_groups import GROUPS as _GROUPS

__all__ = ["groups_of", "groups_of_ids", "without_groups", "without_sample_groups"]

_FEW = 5  # fewer groups are too few
_UNEVEN = 2  # a larger variance of the groups' sizes, relative to chance, means equal samples
_SEED = np.uint64(0x6D6D6576616C)


def without_groups(estimand: Estimand) -> LeftOut | None:
    """Leave out groups of samples; return None unless the states have kept their rows.

    To states that do not keep rows, every sample must add the same, 0 or 1. The content of the
    rows determines the group of each sample, and the order of the samples that are not left out.
    The value determines how they are dealt: dealt alike, the error of an average precision would
    be too small by a sixth for any 1,000 samples, and too large by an eighth for any 500.
    """
    count, results, states = len(estimand.results), estimand.results, estimand.states
    kept = [name for name, state in states.items() if state.separable]
    same = estimand.constants(name for name in states if name not in kept)
    if not kept or same is None:
        return None
    listed = [getattr(results, name) for name in kept if states[name].ordered]
    order = content_order(listed) if listed else np.arange(count)
    groups = groups_of(count, _seed_of(estimand.numbers))
    number = int(groups.max()) + 1

    def each() -> Iterator[Results]:
        for group in range(number):
            places = order[groups != group]
            values = {name: states[name].at(getattr(results, name), places) for name in kept}
            values |= {name: one * len(places) for name, one in same.items()}
            yield Results(values, len(places))

    return LeftOut("group", number, [1] * number, lambda: estimand.columns(each()))


def without_sample_groups(estimand: Estimand) -> LeftOut | None:
    """Leave out the groups into which samples were divided when added; None without such groups.

    The groups differ in size by chance, and so count as fewer. Their sizes differ more if many
    samples are equal, since equal samples without ids are in one group.
    """
    clusters: Clusters | None = clusters_of(estimand.results)
    if clusters is None or not clusters.grouped:
        return None
    sizes = clusters.sizes

    def rest() -> Iterator[Results]:
        return (clusters.without([place]) for place in range(len(sizes)))

    return LeftOut(
        "group",
        len(sizes),
        [1] * len(sizes),
        lambda: estimand.columns(rest()),
        effective=effective_clusters(sizes),
        caveat=_caveat(sizes),
        rest=rest,
    )


def _caveat(sizes: Sequence[int]) -> str | None:
    """Return why the groups, of these sizes or empty, are not random, or None if they are."""
    if len(sizes) < _FEW:
        return f"the samples are in only {len(sizes)} groups"
    mean = Fraction(sum(sizes), _GROUPS)
    squares = sum(size * size for size in sizes) - _GROUPS * mean**2
    if squares > _UNEVEN * mean * (_GROUPS - 1):
        return "many samples are equal, which makes the interval too wide: pass ids="
    return None


def _seed_of(numbers: Numbers) -> np.uint64:
    """Return a seed from the values of a metric to seven digits, without their rounding errors."""
    values = [value for key in sorted(numbers) for value in numbers[key]]
    with np.errstate(over="ignore"):
        rounded = np.array(values).astype(np.float32) + np.float32(0)  # -0 is 0
    seed = np.full(1, _SEED)
    for word in np.where(np.isnan(rounded), np.float32(0), rounded).view(np.uint32):
        seed = finalised((seed ^ np.uint64(word)) * STEP + _SEED)
    return np.uint64(seed[0])


def groups_of(count: int, seed: np.uint64 = _SEED) -> np.ndarray:
    """Return the group of every row: rows are dealt in turn, in a pseudorandom order.

    The order is that of the outputs of splitmix64.

    Args:
        count: The number of rows.
        seed: Where the outputs begin.

    Example:
        >>> np.bincount(groups_of(120)).tolist() == [3] * 20 + [2] * 30
        True
    """
    numbers = finalised(np.arange(count, dtype=np.uint64) * STEP + seed)
    groups = np.empty(count, np.intp)
    groups[np.argsort(numbers, kind="stable")] = np.arange(count) % min(count, _GROUPS)
    return groups


def groups_of_ids(ids: np.ndarray) -> np.ndarray:
    """Return the group of every id, which depends only on the id.

    A sample stays in its group when others arrive, so that a comparison that is computed repeatedly
    does not vary with the division into groups.

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
