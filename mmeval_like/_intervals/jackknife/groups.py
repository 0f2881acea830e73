"""Groups: rows that were kept are dealt into groups, and each group is left out once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mmeval_like._intervals.jackknife.estimand import Estimand
from mmeval_like._intervals.jackknife.left_out import LeftOut
from mmeval_like._states.results import Results
from mmeval_like._states.row_contents import content_order
from mmeval_like.arrays.mixing import STEP, finalised

__all__ = ["groups_of", "groups_of_ids", "without_groups"]

_GROUPS = 50
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
