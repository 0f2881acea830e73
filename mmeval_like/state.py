"""The kinds of state: how rows fold into a value, and how the values of ranks merge.

`sum`, `count`, `max` and `min` fold: their memory does not grow with the number of samples.
`cat` and `objects` keep every row, in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like._folding_states import Count, Extremum, FloatSum, GrowingCount, IntSum
from mmeval_like._ordered_states import Cat, Objects
from mmeval_like._state_base import State

__all__ = ["State", "cat", "count", "max", "min", "objects", "sum"]


def sum(dtype: type = float, shape: tuple[int, ...] = ()) -> State:
    """A sum over samples: of int, in int64; of float, exactly.

    Rows are arrays of shape (n, *shape); any width of integer or float is accepted.
    `compute_metric` sees an int or an int64 array, a float or a float64 array (the correctly
    rounded true sum); `results.exact(name)` is the unrounded sum of a float state.

    Example:
        >>> import numpy as np
        >>> state = sum()
        >>> state.value(state.fold(state.empty(), np.array([1e16, 1.0, -1e16])))
        1.0
    """
    return IntSum(dtype, shape) if dtype is int else FloatSum(dtype, shape)


def count(bins: int | None) -> State:
    """A histogram of integer codes in [0, bins); of any codes when `bins` is None.

    Rows are an array of codes (n,), several codes per sample (n, ...), or a `Ragged` of codes.
    `compute_metric` sees an int64 array of shape (bins,), or up to the largest code.

    Example:
        >>> import numpy as np
        >>> state = count(3)
        >>> state.value(state.fold(state.empty(), np.array([0, 2, 2]))).tolist()
        [1, 0, 2]
    """
    return GrowingCount() if bins is None else Count(bins)


def max(dtype: type = float, shape: tuple[int, ...] = ()) -> State:
    """The largest row, element by element; None when there are no rows. nan wins."""
    return Extremum(np.maximum, dtype, shape)


def min(dtype: type = float, shape: tuple[int, ...] = ()) -> State:
    """The smallest row, element by element; None when there are no rows. nan wins."""
    return Extremum(np.minimum, dtype, shape)


def cat(dtype: Any = np.float64, shape: tuple[int, ...] = ()) -> State:
    """All rows in global order, as an array (n, *shape) or a `Ragged` of that dtype."""
    return Cat(dtype, shape)


def objects() -> State:
    """All rows in global order, as a list of picklable objects."""
    return Objects()
