"""The kinds of state: how rows fold into a value, and how the values of ranks merge.

`sum`, `count`, `tally`, `max`, `min` and `last` fold: their memory does not grow with the number
of samples. `cat` and `objects` keep every row, in order. Sums and counts can be subtracted. For
another kind of state, derive from `State`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import Count, Extremum, FloatSum, GrowingCount, Hits, IntSum
from mmeval_like._states.kinds.last import Last
from mmeval_like._states.kinds.ordered import Cat, Objects
from mmeval_like._states.kinds.tally import Tally

__all__ = ["State", "cat", "count", "last", "max", "min", "objects", "sum", "tally"]

_MOST_BINS = 2**31  # 16 GiB: a larger number is a mistake


def sum(dtype: type = float, shape: tuple[int, ...] = ()) -> State:
    """A sum over samples, exact for bool, int and float.

    Rows are arrays of shape (n, *shape); any width of integer or float is accepted. Integers as
    rows of a float sum must not need more than the 53 bits of a float.
    `compute_metric` sees an int or an int64 array, a float or a float64 array (the correctly
    rounded true sum); `results.exact(name)` is the unrounded sum of a float state. Arrays of
    integer sums beyond int64 raise OverflowError; a single int has no limit.

    `sum(bool)` counts hits: its rows are bool, and each number of the metric is the share of hits,
    or of misses, of one element. With `interval=` such a metric has Wilson's interval.

    Example:
        >>> import numpy as np
        >>> state = sum()
        >>> state.value(state.fold(state.empty(), np.array([1e16, 1.0, -1e16])))
        1.0
    """
    if dtype is bool:
        return Hits(shape)
    return IntSum(dtype, shape) if dtype is int else FloatSum(dtype, shape)


def count(bins: int | None, codes: int = 1) -> State:
    """A histogram of integer codes in [0, bins); of any codes when `bins` is None.

    Rows are an array of codes (n,), several codes per sample (n, ...), or a `Ragged` of codes.
    `compute_metric` sees an int64 array of shape (bins,), or up to the largest code.

    Args:
        bins: The number of bins.
        codes: The number of codes of a sample; 0: it varies. If the number of codes of some samples
            differs from the declared one, the metric has no intervals, unless this is 0.

    Raises:
        ValueError: `bins` is more than 2**31, which would take 16 GiB.

    Example:
        >>> import numpy as np
        >>> state = count(3)
        >>> state.value(state.fold(state.empty(), np.array([0, 2, 2]))).tolist()
        [1, 0, 2]
    """
    if bins is None:
        return GrowingCount(codes)
    if bins > _MOST_BINS:
        raise ValueError(
            f"a histogram of {bins} codes would take {bins // 2**27} GiB on every rank: use fewer "
            f"classes, or state.tally(), which stores only the codes that occur"
        )
    return Count(bins, codes)


def tally() -> State:
    """A histogram of any int64 codes, including negative ones.

    The memory grows with the number of different codes, not with their size or the number of
    samples. Rows are as those of `count`. `compute_metric` sees a pair of int64 arrays: the
    codes that occurred, ascending, and how often each did.

    Example:
        >>> import numpy as np
        >>> state = tally()
        >>> codes, counts = state.value(state.fold(state.empty(), np.array([10**12, -3, -3])))
        >>> codes.tolist(), counts.tolist()
        ([-3, 1000000000000], [2, 1])
    """
    return Tally()


def max(dtype: type = float, shape: tuple[int, ...] = ()) -> State:
    """The largest row, element by element; None when there are no rows. nan wins; -0.0 is 0.0."""
    return Extremum(np.maximum, dtype, shape)


def min(dtype: type = float, shape: tuple[int, ...] = ()) -> State:
    """The smallest row, element by element; None when there are no rows. nan wins; -0.0 is 0.0."""
    return Extremum(np.minimum, dtype, shape)


def cat(dtype: Any = np.float64, shape: tuple[int, ...] = ()) -> State:
    """All rows in global order, as an array (n, *shape) or a `Ragged` of that dtype."""
    return Cat(dtype, shape)


def last(n: int, dtype: Any = np.float64, shape: tuple[int, ...] = ()) -> State:
    """The last n rows in global order, as an array (at most n, *shape) or a `Ragged`.

    Raises:
        ValueError: `n` is less than 1.

    Example:
        >>> import numpy as np
        >>> state = last(2)
        >>> state.value(state.fold(state.empty(), np.array([1.0, 2.0, 3.0])))
        array([2., 3.])
    """
    return Last(n, dtype, shape)


def objects() -> State:
    """All rows in global order, as a list of picklable objects.

    numpy arrays and torch tensors are copied when they are added, including those in lists, tuples
    and dicts. Objects of other classes are not copied: changing them later changes the rows.
    """
    return Objects()
