"""The state of every group of rows of an Arrow table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from mmeval_like.integrations.states import STATE

__all__ = ["state_of_each"]


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
    table = table.unify_dictionaries()
    places = [str(place) for place in range(len(keys))]  # keys may have any names
    heads = table.select([*keys]).rename_columns(places)
    numbered = heads.append_column("row", pa.array(range(len(table)), pa.int64()))
    groups = numbered.group_by(places, use_threads=False).aggregate([("row", "list")])
    states = [state_of(table.take(rows.values)) for rows in groups["row_list"]]
    named = groups.select(places).rename_columns([*keys])
    return named.append_column(STATE, pa.array(states, pa.binary()))
