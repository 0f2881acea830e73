"""score: the metrics of a table that holds predictions and labels in its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from mmeval_like._core.collection import MetricCollection
from mmeval_like._core.evaluation import emptied
from mmeval_like._core.given import as_metrics
from mmeval_like._core.metric import BaseMetric
from mmeval_like._core.result import Result
from mmeval_like._core.sliced import Sliced
from mmeval_like._core.together import together
from mmeval_like.arrays import describe
from mmeval_like.errors import DisagreementError
from mmeval_like.tables.arguments import Naming, unknown_inputs
from mmeval_like.tables.column_matching import check_order, fitting, known, match_columns
from mmeval_like.tables.guess import is_truth
from mmeval_like.tables.opened import opened
from mmeval_like.tables.unscored import marks_of, reasons_of_rows, stacked

__all__ = ["columns_of_arguments", "counted", "read_columns", "score", "uncounted"]


def score(
    table: Any,
    metrics: BaseMetric | MetricCollection | Mapping[str, BaseMetric],
    /,
    *,
    by: str | Sequence[str | Sequence[str]] | None = None,
    ids: str | None = None,
    clusters: str | None = None,
    unscored: float | str | None = None,
    unscored_column: str | Sequence[str] = (),
    divided: bool = False,
    **columns: str | Sequence[str],
) -> Result:
    """Return metrics of the rows of a table, which may be read in the memory of one block.

    The command `mmeval_like score` does the same with files.

    Args:
        table: A pandas or polars DataFrame, a pyarrow Table, any other object with Arrow's protocol
            (all of these need pyarrow), or a dict of arrays by name. Or a source of blocks, which
            are read one after the other: a dataset, scanner or reader of pyarrow, a relation of
            DuckDB, a lazy frame of polars, an iterator of tables, or the path of a Parquet, Feather
            or CSV file or of a folder of Parquet files, also as `s3://`, `gs://` or `hf://` (these
            need `pip install 'mmeval-like[remote]'`). All tables have the columns of the first.
        metrics: A metric, a collection, or metrics by name, which are not changed.
        by: Columns whose values are slices, as `Sliced` takes them. Dates and times of tables that
            are no dicts are strings such as "2026-11-29" and "2026-11-29 12:00:00", or, if the
            column has a zone, "2026-11-29 12:00:00+0900", whatever unit stores them.
        ids: The column of dataset indices, or of names of samples; each sample then counts once.
        clusters: The column that identifies groups of dependent rows, for metrics with `interval=`.
        unscored: What rows without a score count as, for the metrics that do not say so themselves;
            see `BaseMetric`. Rows whose prediction is empty or nan then have the reason "absent".
        unscored_column: A column that says why a row has no score: any entry that is not empty, or
            those that are named, such as "status=error,timeout". Or several such columns.
        divided: Whether the ranks divide the row groups of a path or a dataset among themselves.
            All ranks must then call `score` with the same arguments, and each returns the metrics
            of all rows. False: there is no exchange between the ranks, and each reads all rows.
        **columns: For each argument of the metrics the column from which it is read, such as
            `labels="y"`; where one metric calls it `labels` and another one `groundtruths`, by
            either name. Several columns, or a pattern such as "p_*", are the columns of one
            array, in the table's order for a pattern. By default it is the column with the
            argument's own name, or, for required arguments, with a usual one such as "y_true".
            With no column, as in `sample_weight=[]`, an optional argument is not given.

    Returns:
        What the metrics' `compute` returns; with `by`, what `Sliced` returns.

    Raises:
        TypeError: `table` is not a table of columns, an entry of `metrics` is not a metric, or the
            source cannot be divided.
        ValueError: A column does not exist, no metric takes a given argument, the columns of
            classes are in different orders, a cell has no value (the text names its row), rows have
            no score and no metric says what they count as, or a reader was read before.
        ModuleNotFoundError: pyarrow is not installed: `pip install pyarrow`.
        RemoteError: With `divided`, another rank failed.
        DisagreementError: With `divided`, the ranks found different files.

    Example:
        >>> from mmeval_like import Accuracy
        >>> table = {"p_0": [0.9, 0.2], "p_1": [0.1, 0.8], "y_true": [0, 0], "day": [1, 2]}
        >>> score(table, Accuracy(), predictions="p_*")
        {'top1': 0.5}
        >>> score(table, Accuracy(), predictions="p_*", by="day")["day=1"]
        {'top1': 1.0}
        >>> score(iter([table, table]), Accuracy(), predictions="p_*").samples
        4
        >>> answers = {"predictions": [0, 1, None], "labels": [0, 0, 1], "error": ["", "", "limit"]}
        >>> result = score(answers, Accuracy(), unscored=0, unscored_column="error")
        >>> result, result.account.said()
        ({'top1': 0.3333333333333333}, '2 of 3 scored; 1 limit')
    """
    asked = _Asked(
        metrics, by=by, ids=ids, clusters=clusters, unscored=unscored,
        unscored_column=unscored_column, **columns,
    )  # fmt: skip
    total = asked.empty()
    if not divided:
        asked.read(table, total)
        result: Result = total.compute_local()
        return result
    # The parts of a file are in the order of the ranks.
    total.dist_collect_mode = "cat"
    ranks = total.dist_comm
    share = (ranks.rank, ranks.world_size)
    parts = together(ranks, lambda: asked.read(table, total, share))
    other = next((rank for rank, part in enumerate(parts) if part != parts[0]), None)
    if other is not None:
        raise DisagreementError(
            f"divided=True is for ranks that find the same files: rank 0 found {parts[0]}, "
            f"rank {other} {parts[other]}; files must not come or go before all ranks have read"
        )
    found: Result = total.compute()
    return found


def counted(table: Any, metrics: Any, /, **asked: Any) -> Any:
    """Return copies of the metrics with the rows of a table; with `by` they are `Sliced`.

    Arguments and errors are those of `score`.

    Example:
        >>> from mmeval_like import Accuracy
        >>> counted({"predictions": [0, 1], "y": [0, 0]}, Accuracy())
        <Accuracy(): 2 samples>
    """
    found = _Asked(metrics, **asked)
    total = found.empty()
    found.read(table, total)
    return total


def uncounted(metrics: Any, /, **asked: Any) -> Any:
    """Return what `counted` returns for a table without rows.

    Example:
        >>> from mmeval_like import Accuracy
        >>> uncounted(Accuracy(), unscored="drop").unscored
        'drop'
    """
    return _Asked(metrics, **asked).empty()


def read_columns(names: Sequence[str], metrics: Any, /, **asked: Any) -> list[str]:
    """Return which columns of a table `score` reads, in the order of the table.

    Args:
        names: The columns of the table.
        metrics: The metrics.
        **asked: The other arguments of `score`. The errors are those of `score`.

    Example:
        >>> from mmeval_like import Accuracy
        >>> read_columns(["p_0", "p_1", "y", "text"], Accuracy(), predictions="p_*", labels="y")
        ['p_0', 'p_1', 'y']
    """
    return _Matched(_Asked(metrics, **asked), names).needed()


def columns_of_arguments(
    names: Sequence[str], metrics: Any, /, **asked: Any
) -> dict[str, list[str]]:
    """Return from which columns of a table `score` reads each argument of the metrics, in order.

    Arguments and errors are those of `read_columns`.

    Example:
        >>> from mmeval_like import Accuracy
        >>> columns_of_arguments(["y", "p_0", "p_1"], Accuracy(), predictions="p_*", labels="y")
        {'predictions': ['p_0', 'p_1'], 'labels': ['y']}
    """
    return _Matched(_Asked(metrics, **asked), names).columns


class _Asked:
    """The arguments of `score`, except for the table.

    Attributes:
        metrics: The metrics, with the option `unscored` where it was given.
        members: Every metric.
        by: The families of slices, or None.
        ids: The column of the ids, or None.
        clusters: The column of the clusters, or None.
        marks: As `marks_of` returns them.
        columns: The columns that were named, by argument.
    """

    def __init__(
        self,
        metrics: BaseMetric | MetricCollection | Mapping[str, BaseMetric],
        *,
        by: str | Sequence[str | Sequence[str]] | None = None,
        ids: str | None = None,
        clusters: str | None = None,
        unscored: float | str | None = None,
        unscored_column: str | Sequence[str] = (),
        **columns: str | Sequence[str],
    ) -> None:
        given = as_metrics(metrics)
        if not isinstance(given, (BaseMetric, MetricCollection)):
            raise TypeError(f"metrics must be a metric or a collection, got {describe(given)}")
        self.metrics = _accounted(given, unscored)
        self.members = [place.metric for place in self.metrics.plan.places()]
        self.by, self.ids, self.clusters = by, ids, clusters
        self.marks, self.columns = marks_of(unscored_column), columns

    def empty(self) -> Any:
        """Return copies of the metrics without samples; with `by` they are `Sliced`."""
        return emptied(self.metrics) if self.by is None else Sliced(self.metrics, self.by)

    def read(self, table: Any, total: Any, share: tuple[int, int] | None = None) -> str:
        """Add the rows of a table; return what the ranks divide, in words.

        Args:
            table: The table, or a source of blocks.
            total: What `empty` returned.
            share: The rank and the number of ranks that divide the rows; None: all rows.
        """
        source = opened(table) if share is None else opened(table).share(*share)
        matched, row = _Matched(self, source.names), 0
        source.chosen = lambda names: _Matched(self, names).needed()
        source.gaps = matched.gaps()
        for block in source.blocks(matched.needed()):
            row += matched.add(block, total, row)
        return source.parts


class _Matched:
    """The columns of a table that are read for each argument.

    Args:
        asked: The arguments of `score`.
        names: The columns of the table.

    Attributes:
        columns: The columns from which each argument is read.
    """

    def __init__(self, asked: _Asked, names: Sequence[str]) -> None:
        self._asked, self._names = asked, names
        self._marks = {known(name, names): found for name, found in asked.marks.items()}
        self._accounts = bool(self._marks) or any(
            member.unscored is not None for member in asked.members
        )
        self.columns = {
            argument: [name for one in match.columns for name in _expand(one, names)]
            for argument, match in match_columns(asked.members, names, asked.columns).items()
        }
        for metric in asked.members:
            classes = (metric.dataset_meta or {}).get("classes", ())
            check_order(self.columns, [str(one) for one in classes])
        self._naming = Naming.of(asked.members)
        self._unknown = unknown_inputs(asked.members, self._naming)

    def needed(self) -> list[str]:
        """Return which columns are read, in the order of the table."""
        wanted = {name for some in self.columns.values() for name in some}
        by = self._asked.by
        families = [by] if isinstance(by, str) else by or []
        slices = [one for some in families for one in ([some] if isinstance(some, str) else some)]
        others = [*slices, *self._marks, self._asked.ids, self._asked.clusters]
        wanted.update(known(one, self._names) for one in others if one is not None)
        return [name for name in self._names if name in wanted]

    def gaps(self) -> list[str]:
        """Return the columns whose empty cells are missing: leave no score, or are an error."""
        found = [some for argument, some in self.columns.items() if self._may_lack(argument)]
        ids = [] if self._asked.ids is None else [known(self._asked.ids, self._names)]
        return ids + [name for some in found for name in some]

    def _may_lack(self, argument: str) -> bool:
        return self._accounts and not is_truth(argument)

    def add(self, block: Any, total: Any, row: int = 0) -> int:
        """Add the rows of a block to what `_Asked.empty` returned; return their number.

        Args:
            block: An Arrow table, or a dict of arrays.
            total: The metrics.
            row: How many rows of the source come before.
        """
        asked = self._asked
        read, read_by, read_known = _readers(block, row)
        arguments, predictions = {}, []
        for argument, chosen in self.columns.items():
            if not chosen:
                continue
            if self._may_lack(argument):
                parts = [read_by(name) for name in chosen]
                predictions += parts
            elif argument in self._unknown:
                parts = [read_known(name) for name in chosen]
            else:
                parts = [_whole(read, name, argument) for name in chosen]
            arguments[argument] = stacked(parts)
        count = min(map(len, arguments.values()))
        places: dict[str, Any] = {}
        if asked.ids is not None:
            places["ids"] = read(known(asked.ids, self._names))
        if self._accounts:
            said = {name: (reasons, read_by(name)) for name, reasons in self._marks.items()}
            places["unscored"] = reasons_of_rows(said, predictions, count)
        if asked.clusters is not None:
            places["clusters"] = read_by(known(asked.clusters, self._names))
        if asked.by is not None:
            columns = total.plan.columns
            places["by"] = {name: read_by(known(name, self._names)) for name in columns}
        passed, named = self._naming.passed(arguments)
        try:
            total.add(*passed, **named, **places)
        except Exception as error:
            if row and error.args and isinstance(error.args[0], str):
                text = f"{error.args[0]} (in the block that begins at row {row})"
                error.args = (text, *error.args[1:])
            raise
        return count


def _accounted(metrics: Any, unscored: float | str | None) -> Any:
    """Return metrics with the option `unscored`, where they do not have it."""
    if unscored is None or getattr(metrics, "unscored", None) is not None:
        return metrics
    if isinstance(metrics, MetricCollection):
        members = metrics.plan.members
        members = {name: _accounted(member, unscored) for name, member in members.items()}
        return MetricCollection(members, name=metrics.name or None, prefix=metrics.prefix)
    found = emptied(metrics)
    found._account(unscored)
    return found


def _readers(block: Any, row: int) -> tuple[Callable[[str], Any], ...]:
    """Return functions that read a column of a block without nulls, with them, and as nan."""
    if isinstance(block, Mapping):
        return block.__getitem__, block.__getitem__, block.__getitem__
    from mmeval_like.tables.arrow_columns import Columns

    read = Columns(block, row)
    return read.values, read.entries, partial(read.values, gaps=True)


def _expand(name: str, names: Sequence[str]) -> list[str]:
    return fitting(name, names) or [known(name, names)]


def _whole(read: Callable[[str], Any], name: str, argument: str) -> Any:
    """Return a column without nulls; the error of one says what to do with a missing prediction."""
    try:
        return read(name)
    except ValueError as error:
        if is_truth(argument) or not hasattr(error, "row"):
            raise
        text = 'unscored="drop" leaves such rows out, 0 or "bounds" counts them'
        raise ValueError(f"{error}; {text}") from error
