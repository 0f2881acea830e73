"""States of metrics in a column of bytes, for engines that divide a table among workers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mmeval_like._core.given import Metrics, as_metrics
from mmeval_like.records.rollup import sum_of_states
from mmeval_like.tables.column_matching import known
from mmeval_like.tables.scoring import columns_of_arguments, counted, read_columns, uncounted

__all__ = ["STATE", "States"]

STATE = "state"  # the column of the states


class States:
    """Turns blocks of a table into states, which any engine can move and merge as bytes.

    A state is the result of `metric.seal()`. The merge of states is associative and commutative: an
    engine may merge them in any order, on any worker, and the result has the bits of one process.

    Args:
        metrics: A metric, a collection, or metrics by name. It is not changed.
        by: Columns whose values are slices, as in `mm.score`.
        ids: The column of the samples' indices, as in `mm.score`: a row of a task that ran twice
            then counts once.
        **columns: The other arguments of `mm.score`, such as the column of each argument.

    Example:
        >>> from mmeval_like import Accuracy
        >>> states = States(Accuracy(), predictions="p", labels="y")
        >>> blocks = [{"p": [0, 1], "y": [0, 0]}, {"p": [2], "y": [2]}]
        >>> column = [states.of(block) for block in blocks]
        >>> states.read(column).compute()
        {'top1': 0.6666666666666666}
        >>> states.read([states.merged(column)]).compute()
        {'top1': 0.6666666666666666}
    """

    def __init__(
        self,
        metrics: Metrics,
        by: str | Sequence[str | Sequence[str]] | None = None,
        ids: str | None = None,
        **columns: str | Sequence[str],
    ) -> None:
        self.metrics = as_metrics(metrics)
        self.columns: dict[str, Any] = {"by": by, "ids": ids, **columns}

    def needed(self, names: Sequence[str], keys: Sequence[str] = ()) -> list[str]:
        """Return the columns that are read of a table with these columns: keys, then the others.

        Raises:
            TypeError: `keys` is a string.
            ValueError: As for `mm.score`; or a key is not there, is named twice, or has the name of
                the column of the states.
        """
        if isinstance(keys, str):
            raise TypeError(f"keys must be a list of columns, got {keys!r}: write [{keys!r}]")
        for place, key in enumerate(keys):
            if key in keys[:place]:
                raise ValueError(f"keys must name each column once, got {keys!r}")
            if known(key, names) == STATE:
                raise ValueError(f"rename the key {key!r}: the column of the states has this name")
        others = read_columns(names, self.metrics, **self.columns)
        return [*dict.fromkeys([*keys, *others])]

    def chosen(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Return from which columns of a block each argument is read; the blocks must agree.

        Raises:
            ValueError: As for `mm.score`.
        """
        self.needed(names)  # those of slices and ids are there, too
        return columns_of_arguments(names, self.metrics, **self.columns)

    def of(self, table: Any) -> bytes:
        """Return the state of a block of the table; tables and errors are those of `mm.score`.

        Raises:
            TypeError: As for `metric.seal`.
        """
        sealed: bytes = counted(table, self.metrics, **self.columns).seal()
        return sealed

    def merged(self, states: Iterable[bytes]) -> bytes:
        """Return the state of the samples of all states; there may be none."""
        sealed: bytes = self.read(states).seal()
        return sealed

    def read(self, states: Iterable[bytes]) -> Any:
        """Return the metrics with the samples of all states; their `compute` returns the values.

        Raises:
            TypeError: A state is no bytes, such as a null.
            ValueError: A state is damaged, or is of other metrics; the text says which one.
        """
        return sum_of_states([*states], uncounted(self.metrics, **self.columns))
