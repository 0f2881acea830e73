"""Ray Data, Dask and Spark: metrics of tables that are larger than one machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pandas as pd

from mmeval_like import Sliced, merge
from mmeval_like._core.evaluation import emptied
from mmeval_like.integrations.given import Metrics, as_metrics
from mmeval_like.tables.scoring import counted

__all__ = ["MapReduce"]


class MapReduce:
    """Evaluates metrics on blocks of a table where they are stored, and merges the results.

    Every block becomes a data frame of one row, with a metric as bytes. `reduce` takes all these
    frames together and merges them: the result has the bits of one process, however the rows were
    divided.

    Args:
        metrics: A metric, a collection, or metrics by name. It is not changed.
        by: Columns whose values are slices, as in `mm.score`.
        ids: The column of the samples' indices, as in `mm.score`: a row of a task that ran twice
            then counts once.
        **columns: The column of each argument, as in `mm.score`.

    Attributes:
        meta: The columns of what `map` returns, in the form for Dask.
        schema: These columns in the form for Spark.

    Example:
        >>> from mmeval_like import Accuracy
        >>> job = MapReduce(Accuracy(), predictions="p", labels="y")
        >>> blocks = [pd.DataFrame({"p": [0, 1], "y": [0, 0]}), pd.DataFrame({"p": [2], "y": [2]})]
        >>> job.reduce(pd.concat(map(job.map, blocks))).compute()
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
        self.meta, self.schema = {"part": object}, "part binary"

    def map(self, block: pd.DataFrame) -> pd.DataFrame:
        """Count a block: for Ray's `map_batches` and Dask's `map_partitions`."""
        part = counted(block, self.metrics, **self.columns).to_bytes()
        return pd.DataFrame({"part": [part]}, dtype=object)

    def map_each(self, blocks: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        """Count every block: for Spark's `mapInPandas`."""
        return map(self.map, blocks)

    def reduce(self, parts: pd.DataFrame) -> Any:
        """Return the metrics with the samples of all parts; their `compute` returns the values.

        Args:
            parts: The results of `map` for all blocks, in one data frame.
        """
        by = self.columns["by"]
        empty = emptied(self.metrics) if by is None else Sliced(self.metrics, by)
        return merge([empty, *map(empty.from_bytes, parts["part"])])
