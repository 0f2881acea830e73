"""score: the metrics of a table that holds predictions and labels in its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mmeval_like._base.optional import needed_for
from mmeval_like._core.collection import MetricCollection
from mmeval_like._core.evaluation import emptied
from mmeval_like._core.metric import BaseMetric
from mmeval_like._core.result import Result
from mmeval_like._core.sliced import Sliced
from mmeval_like.arrays import describe
from mmeval_like.tables.arguments import Naming
from mmeval_like.tables.column_matching import check_order, fitting, known, match_columns
from mmeval_like.tables.guess import is_truth
from mmeval_like.tables.unscored import marks_of, reasons_of_rows, stacked

__all__ = ["counted", "read_columns", "score"]


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
    **columns: str | Sequence[str],
) -> Result:
    """Return metrics of the rows of a table, without exchange between ranks.

    The command `mmeval_like score` does the same with files.

    Args:
        table: A pandas or polars DataFrame, a pyarrow Table, a DuckDB relation, any other object
            with Arrow's protocol (all of these need pyarrow), or a dict of arrays by name.
        metrics: A metric, a collection, or metrics by name, which are not changed.
        by: Columns whose values are slices, as `Sliced` takes them.
        ids: The column of dataset indices, or of names of samples; each sample then counts once.
        clusters: The column that identifies groups of dependent rows, for metrics with `interval=`.
        unscored: What rows without a score count as, for the metrics that do not say so themselves;
            see `BaseMetric`. Rows whose prediction is empty or nan then have the reason "absent".
        unscored_column: A column that says why a row has no score: any entry that is not empty, or
            those that are named, such as "status=error,timeout". Or several such columns.
        **columns: For each argument of the metrics the column from which it is read, such as
            `labels="y"`; where one metric calls it `labels` and another one `groundtruths`, by
            either name. Several columns, or a pattern such as "p_*", are the columns of one
            array, in the table's order for a pattern. By default it is the column with the
            argument's own name, or, for required arguments, with a usual one such as "y_true".

    Returns:
        What the metrics' `compute` returns; with `by`, what `Sliced` returns.

    Raises:
        TypeError: `table` is not a table of columns, or an entry of `metrics` is not a metric.
        ValueError: A column does not exist, no metric takes a given argument, the columns of
            classes are in different orders, a cell has no value (the text names its row), or rows
            have no score and no metric says what they count as.
        ModuleNotFoundError: pyarrow is not installed: `pip install pyarrow`.

    Example:
        >>> from mmeval_like import Accuracy
        >>> table = {"p_0": [0.9, 0.2], "p_1": [0.1, 0.8], "y_true": [0, 0], "day": [1, 2]}
        >>> score(table, Accuracy(), predictions="p_*")
        {'top1': 0.5}
        >>> score(table, Accuracy(), predictions="p_*", by="day")["day=1"]
        {'top1': 1.0}
        >>> answers = {"predictions": [0, 1, None], "labels": [0, 0, 1], "error": ["", "", "limit"]}
        >>> result = score(answers, Accuracy(), unscored=0, unscored_column="error")
        >>> result, result.account.said()
        ({'top1': 0.3333333333333333}, '2 of 3 scored; 1 limit')
    """
    total = counted(
        table, metrics, by=by, ids=ids, clusters=clusters, unscored=unscored,
        unscored_column=unscored_column, **columns,
    )  # fmt: skip
    result: Result = total.compute_local()
    return result


def counted(
    table: Any,
    metrics: BaseMetric | MetricCollection | Mapping[str, BaseMetric],
    /,
    *,
    by: str | Sequence[str | Sequence[str]] | None = None,
    ids: str | None = None,
    clusters: str | None = None,
    unscored: float | str | None = None,
    unscored_column: str | Sequence[str] = (),
    **columns: str | Sequence[str],
) -> Any:
    """Return copies of the metrics with the rows of a table; with `by` they are `Sliced`.

    Arguments and errors are those of `score`.

    Example:
        >>> from mmeval_like import Accuracy
        >>> counted({"predictions": [0, 1], "y": [0, 0]}, Accuracy())
        <Accuracy(): 2 samples>
    """
    names, read, read_by = _reader(table)
    if isinstance(metrics, Mapping):
        metrics = MetricCollection(metrics)
    _check_metrics(metrics)
    asked = _accounted(metrics, unscored)
    members = [place.metric for place in asked.plan.places()]
    marks = {known(name, names): found for name, found in marks_of(unscored_column).items()}
    accounts = bool(marks) or any(member.unscored is not None for member in members)
    expanded = _expanded(members, names, columns)
    for metric in members:
        check_order(expanded, [str(one) for one in (metric.dataset_meta or {}).get("classes", ())])
    arguments, predictions = {}, []
    for argument, chosen in expanded.items():
        if accounts and not is_truth(argument):
            parts = [read_by(name) for name in chosen]
            predictions += parts
        else:
            parts = [_whole(read, name, argument) for name in chosen]
        arguments[argument] = stacked(parts)
    places = {} if ids is None else {"ids": read(known(ids, names))}
    if accounts:
        said = {name: (reasons, read_by(name)) for name, reasons in marks.items()}
        count = min(map(len, arguments.values()))
        places["unscored"] = reasons_of_rows(said, predictions, count)
    if clusters is not None:
        places["clusters"] = read_by(known(clusters, names))
    if by is None:
        total: Any = emptied(asked)
    else:
        total = Sliced(asked, by)
        places["by"] = {name: read_by(known(name, names)) for name in total.plan.columns}
    passed, named = Naming.of(members).passed(arguments)
    total.add(*passed, **named, **places)
    return total


def read_columns(
    names: Sequence[str],
    metrics: BaseMetric | MetricCollection | Mapping[str, BaseMetric],
    /,
    *,
    by: str | Sequence[str | Sequence[str]] | None = None,
    ids: str | None = None,
    clusters: str | None = None,
    unscored: float | str | None = None,
    unscored_column: str | Sequence[str] = (),
    **columns: str | Sequence[str],
) -> list[str]:
    """Return which columns of a table `score` reads, in the order of the table.

    Args:
        names: The columns of the table. The other arguments and the errors are those of `score`.

    Example:
        >>> from mmeval_like import Accuracy
        >>> read_columns(["p_0", "p_1", "y", "text"], Accuracy(), predictions="p_*", labels="y")
        ['p_0', 'p_1', 'y']
    """
    if isinstance(metrics, Mapping):
        metrics = MetricCollection(metrics)
    _check_metrics(metrics)
    members = [place.metric for place in metrics.plan.places()]
    wanted = {one for some in _expanded(members, names, columns).values() for one in some}
    families = [by] if isinstance(by, str) else by or []
    slices = [one for some in families for one in ([some] if isinstance(some, str) else some)]
    others = [*slices, *marks_of(unscored_column), *[one for one in (ids, clusters) if one]]
    wanted.update(known(one, names) for one in others)
    return [name for name in names if name in wanted]


def _expanded(
    members: Sequence[BaseMetric], names: Sequence[str], columns: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Return the columns of each argument."""
    return {
        argument: [name for one in match.columns for name in _expand(one, names)]
        for argument, match in match_columns(members, names, columns).items()
    }


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


def _check_metrics(metrics: Any) -> None:
    if not isinstance(metrics, (BaseMetric, MetricCollection)):
        made = isinstance(metrics, type)
        given = f"the class {metrics.__name__}: construct one" if made else describe(metrics)
        raise TypeError(f"metrics must be a metric, a collection or a dict of metrics, got {given}")


def _reader(table: Any) -> tuple[list[str], Callable[[str], Any], Callable[[str], Any]]:
    """Return the names of the columns, and functions that read a column without and with nulls."""
    if isinstance(table, Mapping):
        return list(table), table.__getitem__, table.__getitem__
    if not hasattr(table, "__arrow_c_stream__"):
        text = "table must be a DataFrame, an Arrow table, a DuckDB relation or a dict of arrays"
        hint = "; read a file first, or use the command `mmeval_like score`"
        raise TypeError(f"{text}, got {describe(table)}{hint if isinstance(table, str) else ''}")
    with needed_for("a table", "pip install 'mmeval-like[cli]'"):
        from mmeval_like.tables import arrow_columns

    read = arrow_columns.Columns(table)
    return read.names, read.values, read.entries


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
