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
"""What deals a table. It is given this rank's columns by name, and of its rows the places among
those of all ranks, both as functions for a `work`; what is wanted; and the ranks. Beside that it is
as `State.deal`."""


class Column(Cat):
    """A column of a table that keeps every row, in order.

    Args:
        dtype: Of the entries.
        shape: Of an entry.
        deal_table: Deals the table: the same function for all its columns. What it returns on
            rank 0 is what `compute_metric` sees in place of each of them; a metric that every rank
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
