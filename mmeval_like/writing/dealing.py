"""What states use whose values are too large for one rank: the ranks deal them.

- `Ranks` is what `State.deal` is given: what the ranks do together.
- `Run`s are sorted entries that `Ranks.partition` divides; a `Partition` is this rank's share.
- `Table`s are rows of which those of one group meet; `Groups` are those that `Ranks.grouped` makes.
- `Column` is a state of which several make up one table.
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
