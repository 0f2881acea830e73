"""Tools for states whose values are too large for one rank, and are dealt over the ranks.

- `Ranks` is the argument of `State.deal`: the operations that ranks perform together.
- `Run`s are sorted entries that `Ranks.partition` divides; a `Partition` is this rank's share.
- `Table`s hold rows that are brought together by group; `Ranks.grouped` returns these `Groups`.
- `Column` is a state; several columns form one table.
- `Below` counts numbers below some values, for `Ranks.numbers_at`.

A metric sees neither the number of ranks nor bytes: a state offers keys and totals.

Example:
    >>> import numpy as np
    >>> from mmeval_like.writing.dealing import Below
    >>> ascending = np.array([1.0, 2.0, 2.0])
    >>> below: Below = lambda column, values: np.searchsorted(ascending, values)
    >>> below(0, np.array([2.0, 3.0])).tolist()
    [1, 3]
"""

from mmeval_like._states.dealing import Below, Groups, Partition, Ranks, Run, Table
from mmeval_like._states.kinds.column import Column

__all__ = ["Below", "Column", "Groups", "Partition", "Ranks", "Run", "Table"]
