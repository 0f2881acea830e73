"""Columns of one table: states whose rows belong together and are distributed together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from mmeval_like._states.dealing import Ranks
from mmeval_like._states.kinds.ordered import Cat
from mmeval_like._states.rows import Rows

__all__ = ["Column", "DealTable"]

DealTable: TypeAlias = Callable[
    [Callable[[], Mapping[str, Rows]], Callable[[], np.ndarray], frozenset[Any], Ranks], Any
]
"""A function that deals a table. Its first two arguments are functions to be called in a `work`:
they return this rank's columns by name, and the places of its rows among the rows of all ranks. The
others are what is wanted, and the ranks. Otherwise it works as `State.deal`."""


class Column(Cat):
    """A column of a table that keeps every row, in order.

    Args:
        dtype: The dtype of the entries.
        shape: The shape of an entry.
        deal_table: The function that deals the table, the same for all its columns. On rank 0,
            `compute_metric` sees what it returns instead of each column; a metric that every rank
            computes is given all rows.

    Example:
        >>> def deal_table(columns, places, wanted, ranks):
        ...     return ranks.gathered(columns)
        >>> Column(float, (), deal_table).check("scores", np.array([0.5])).tolist()
        [0.5]
    """

    deals = True

    def __init__(self, dtype: Any, shape: tuple[int, ...], deal_table: DealTable) -> None:
        super().__init__(dtype, shape)
        self.deal_table = deal_table
