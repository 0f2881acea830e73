"""Which columns the arguments of the metrics are read from."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

from mmeval_like._columns.arguments import taken
from mmeval_like._columns.guess import usual_column
from mmeval_like._names import did_you_mean
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers import Table
from mmeval_like.cli.specs import Spec
from mmeval_like.metric import BaseMetric

__all__ = ["check_there", "match_columns", "read_assignment", "takes_texts"]


def match_columns(
    metrics: Sequence[BaseMetric],
    specs: Sequence[Spec],
    tables: Sequence[Table],
    given: dict[str, list[str]],
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return the columns of each argument, and which of them nobody named, by argument.

    Args:
        metrics: The metrics.
        specs: As the user named them.
        tables: The files.
        given: What `--column` says, by argument.

    Raises:
        InputError: A column that is not there, or an argument that no metric has.
    """
    parameters_of = [taken(metric) for metric in metrics]
    known = {name for parameters in parameters_of for name in parameters}
    unknown = [name for name in given if name not in known]
    if unknown:
        raise InputError(
            f"--column {unknown[0]}=...: no metric takes it; they take {', '.join(sorted(known))}"
            f"{did_you_mean(unknown[0], known)}"
        )
    columns: dict[str, list[str]] = {}
    guessed: dict[str, str] = {}
    for parameters, spec in zip(parameters_of, specs, strict=True):
        for name, parameter in parameters.items():
            wanted = given.get(name, [name])
            optional = parameter.default is not parameter.empty
            if optional and name not in given and not _everywhere(name, tables):
                continue
            if optional and name == "groundtruths" and spec.arguments.get("ann_file"):
                continue
            if name not in given and not _everywhere(name, tables):
                usual = usual_column(name, tables[0].columns)
                if usual is not None and _everywhere(usual, tables):
                    wanted, guessed[name] = [usual], usual
            columns[name] = [
                c for w in wanted for c in _expand(w, f"{spec.text}, see --column", tables)
            ]
    return columns, guessed


def takes_texts(metric: BaseMetric) -> list[str]:
    """Return the metric's arguments if it takes texts for them: it is asked with one."""
    if metric._appends_to_list:
        return []
    names = [n for n, p in taken(metric).items() if p.default is p.empty]
    try:
        metric.statistic.rows(**{name: ["7"] for name in names})
    except Exception:
        return []
    return names


def _expand(name: str, what: str, tables: Sequence[Table]) -> list[str]:
    if any(character in name for character in "*?["):
        found = fnmatch.filter(tables[0].columns, name)
        if not found:
            raise InputError(f"{tables[0].path}: no column fits {name!r}")
        for column in found:
            check_there(column, what, tables)
        return found
    check_there(name, what, tables)
    return [name]


def _everywhere(name: str, tables: Sequence[Table]) -> bool:
    return all(name in table.columns for table in tables)


def check_there(name: str, what: str, tables: Sequence[Table]) -> None:
    """Raise InputError unless every file has one column of this name."""
    for table in tables:
        if name not in table.columns:
            raise InputError(
                f"{table.path}: no column {name!r} (for {what}); it has "
                f"{', '.join(table.columns) or 'none'}"
            )
        if table.columns.count(name) > 1:
            raise InputError(f"{table.path}: more than one column is called {name!r}")


def read_assignment(text: str) -> tuple[str, list[str]]:
    """Return the argument and the columns of `argument=column,column`.

    Raises:
        InputError: The text is no such thing.
    """
    name, equals, columns = text.partition("=")
    if not equals or not columns:
        raise InputError(f"--column must look like argument=column, got {text!r}")
    return name, columns.split(",")
