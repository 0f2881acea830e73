"""Matching the arguments of the metrics to columns of the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mmeval_like._core.leaf import own_statistic
from mmeval_like._core.metric import BaseMetric
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.first_rows import if_possible
from mmeval_like.cli.readers import Table
from mmeval_like.cli.specs import Spec, arguments_of
from mmeval_like.logs import guess
from mmeval_like.tables.arguments import Naming, taken, unknown_inputs
from mmeval_like.tables.column_matching import Match, check_order, fitting, match_columns

__all__ = [
    "check_there",
    "classes_of",
    "find_columns",
    "gaps_of",
    "read_assignment",
    "texts_of",
]


def find_columns(
    metrics: Sequence[BaseMetric],
    specs: Sequence[Spec],
    tables: Sequence[Table],
    given: dict[str, list[str]],
    classes: Sequence[str],
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the columns of each argument, and of the guessed ones all that fit, the guess first.

    Arguments have the names that the first metric has for them.

    Args:
        metrics: The metrics.
        specs: The metrics as the user wrote them.
        tables: The files.
        given: The columns in `--column`, by argument.
        classes: The names of the classes; none if they are not known.

    Raises:
        InputError: A column is missing, no metric has a given argument, the metrics do not take
            the same arguments, or the columns of classes are in different orders.
    """
    first, *others = tables
    names = [name for name in first.columns if all(name in table.columns for table in others)]
    from_file = [{"groundtruths"} if spec.arguments.get("ann_file") else () for spec in specs]
    try:
        found = match_columns(metrics, names, given, from_file)
    except ValueError as error:
        raise InputError(f"--column: {error}") from error
    if not found:
        takes = ", ".join(taken(metrics[0]))
        raise InputError(
            f"{first.path}: no column for {specs[0].text}, which takes {takes}; name one by "
            f"--column ARGUMENT=COLUMN; it has {', '.join(names) or 'none'}"
        )
    naming = Naming.of(metrics)
    read = {argument for argument, one in found.items() if one.columns}
    for metric, spec in zip(metrics, specs, strict=True):
        for argument in sorted(read - naming.taken(metric).keys()):
            other = specs[found[argument].asked_by].text
            raise InputError(
                f"{spec.text} does not take {argument}, but {other} does: score them in two calls"
            )
    weights = found["sample_weight"].columns if "sample_weight" in found else ()
    for spec in specs:
        weighs = spec.arguments.get("use_sample_weight")
        if weighs and not weights:
            raise InputError(
                f"{first.path}: no column 'sample_weight' (for {spec.text}; name it by --column "
                f"sample_weight=COLUMN); it has {', '.join(names)}"
            )
        if weights and "use_sample_weight" in arguments_of(spec.cls) and not weighs:
            option = f"{spec.text}{',' if ':' in spec.text else ':'}use_sample_weight=true"
            raise InputError(
                f"{first.path}: {spec.text} counts every sample once, but there is the column "
                f"{weights[0]!r} of weights: --metric {option} weights the samples; --column "
                f"sample_weight= leaves the column out"
            )
    columns = {
        argument: [
            column
            for name in match.columns
            for column in _expand(name, _asking(argument, match, specs), tables)
        ]
        for argument, match in found.items()
    }
    try:
        check_order(columns, classes)
    except ValueError as error:
        raise InputError(f"--column: {error}") from error
    return columns, {name: [*match.usual] for name, match in found.items() if match.usual}


def texts_of(
    metrics: Sequence[BaseMetric], naming: Naming, columns: Mapping[str, Sequence[str]]
) -> frozenset[str]:
    """Return the columns that are read as strings, whatever their cells contain."""
    names = {naming.name(name) for metric in metrics for name in _takes_texts(metric)}
    return frozenset(column for name in names for column in columns.get(name, ()))


def gaps_of(
    metrics: Sequence[BaseMetric], naming: Naming, columns: Mapping[str, Sequence[str]]
) -> frozenset[str]:
    """Return the columns whose cells may have no value, since that number is not known."""
    some = unknown_inputs(metrics, naming)
    return frozenset(name for argument in some for name in columns.get(argument, ()))


def classes_of(metrics: Sequence[BaseMetric], naming: Naming) -> frozenset[str]:
    """Return the arguments that may hold class indices."""
    statistics = [own_statistic(metric) for metric in metrics]
    return frozenset(naming.name(name) for one in statistics for name in one.class_inputs)


def _takes_texts(metric: BaseMetric) -> list[str]:
    """Return the metric's arguments if it accepts strings; this is tried with one string."""
    if metric.plan.lists:
        return []
    names = [n for n, p in taken(metric).items() if p.default is p.empty]
    try:
        metric.statistic.rows(**{name: ["7"] for name in names})
    except MemoryError:
        raise
    except Exception:
        return []
    return names


def _asking(argument: str, match: Match, specs: Sequence[Spec]) -> str:
    """Return for which metric a column is needed, and how to name it if the user did not."""
    advice = "" if [*match.columns] != [argument] else f"; name it by --column {argument}=COLUMN"
    return f"{specs[match.asked_by].text}{advice}"


def _expand(name: str, what: str, tables: Sequence[Table]) -> list[str]:
    try:
        found = fitting(name, tables[0].columns)
    except ValueError as error:
        raise InputError(f"{tables[0].path}: {error}") from error
    if found == []:
        raise InputError(f"{tables[0].path}: no column fits {name!r}")
    for column in found or [name]:
        check_there(column, what, tables)
    if found is None:
        return [name]
    for table in tables:
        more = [one for one in table.columns if one not in found and fitting(name, [one])]
        if more:
            raise InputError(
                f"{table.path}: {name!r} fits {', '.join(more)}, which {tables[0].path} does not "
                f"have: name the columns one by one"
            )
    return found


def check_there(name: str, what: str, tables: Sequence[Table]) -> None:
    """Raise InputError unless every file has one column of this name."""
    for table in tables:
        if name not in table.columns:
            names = ", ".join(table.columns) or "none"
            raise InputError(
                f"{table.path}: no column {name!r} (for {what}); it has {names}"
                f"{_how_to_write(table)}"
            )
        if table.columns.count(name) > 1:
            raise InputError(f"{table.path}: more than one column is called {name!r}")


def _how_to_write(table: Table) -> str:
    """Return advice if a file is a log, or a .csv file has other separators, or no header."""
    if Path(table.path).suffix.lower() not in (".csv", ".tsv"):
        log = if_possible(lambda: guess(table.path))
        return f": for its scores, as it is a log of {log}, give --score NAME" if log else ""
    if len(table.columns) == 1 and ";" in table.columns[0]:
        return ": the cells of a CSV file are separated by commas, not by ;"
    if len(table.columns) == 1 and "\t" in table.columns[0]:
        return ": if the cells are separated by tabs, the name of the file must end in .tsv"
    if all(name.lstrip("-").replace(".", "", 1).isdecimal() for name in table.columns):
        return ": the first line must contain the names of the columns"
    return ""


def read_assignment(text: str | tuple[str, list[str]]) -> tuple[str, list[str]]:
    """Return the argument and the columns of `argument=column,column`, or a record's pair.

    `argument=` has no columns: the argument is not given.

    Raises:
        InputError: The string does not have this form.
    """
    if isinstance(text, tuple):
        return text
    name, equals, columns = text.partition("=")
    if not equals:
        raise InputError(f"--column must look like argument=column, got {text!r}")
    return name, columns.split(",") if columns else []
