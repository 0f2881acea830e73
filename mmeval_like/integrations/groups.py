"""The state of every group of rows of an Arrow table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

__all__ = ["STATE", "state_of_each"]

STATE = "state"  # the column's name
_ROW = "row"


def state_of_each(
    table: pa.Table, keys: Sequence[str], state_of: Callable[[pa.Table], bytes]
) -> pa.Table:
    """Return a table with the keys and the column "state", with one row for each group of rows.

    Args:
        table: The rows.
        keys: The columns whose equal entries make a group; a null is a value of its own. Without
            keys all rows are one group, even if there are none.
        state_of: Returns the state of the rows of a group.

    Example:
        >>> table = pa.table({"day": ["mon", "tue", "mon"], "n": [1, 2, 3]})
        >>> found = state_of_each(table, ["day"], lambda rows: b"%d" % len(rows))
        >>> found.to_pylist()
        [{'day': 'mon', 'state': b'2'}, {'day': 'tue', 'state': b'1'}]
    """
    if not keys:
        return pa.table({STATE: pa.array([state_of(table)], pa.binary())})
    numbered = table.select([*keys]).append_column(_ROW, pa.array(range(len(table)), pa.int64()))
    groups = numbered.group_by([*keys], use_threads=False).aggregate([(_ROW, "list")])
    states = [state_of(table.take(rows.values)) for rows in groups[f"{_ROW}_list"]]
    return groups.select([*keys]).append_column(STATE, pa.array(states, pa.binary()))
