"""The columns for metrics' arguments: named by the user, equal to the argument's name, or usual."""

from __future__ import annotations

import fnmatch
import itertools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from mmeval_like._base.column_order import check_class_order, check_same_order
from mmeval_like._base.names import did_you_mean
from mmeval_like._core.leaf import own_statistic
from mmeval_like._core.metric import BaseMetric
from mmeval_like.tables.arguments import Naming
from mmeval_like.tables.guess import alike, usual_columns

__all__ = ["Match", "check_order", "fitting", "known", "match_columns", "numbers_of"]


@dataclass(frozen=True)
class Match:
    """The columns from which an argument is read.

    Attributes:
        columns: Names of columns, or patterns of names; the columns may be missing. There are none
            if the user said that the argument, which is optional, is not given.
        asked_by: The place of the first metric that takes the argument.
        usual: All columns that fit, the chosen one first, if the user did not name the column, and
            its name differs from the argument's, or there is a column of scores, too, where the
            metrics take scores; otherwise none.
    """

    columns: Sequence[str]
    asked_by: int
    usual: Sequence[str] = ()


def match_columns(
    metrics: Sequence[BaseMetric],
    names: Sequence[str],
    given: Mapping[str, str | Sequence[str]],
    known_already: Sequence[Collection[str]] | None = None,
) -> dict[str, Match]:
    """Return the columns of each argument; optional arguments are included if they have columns.

    An argument with different names in several metrics has the first metric's name.

    Args:
        metrics: The metrics.
        names: The columns of the table.
        given: The columns that the user named, by argument; none for an argument that is not given.
        known_already: For each metric, the arguments for which it needs no columns.

    Raises:
        ValueError: No metric takes a given argument, several columns match one argument,
            predictions and true values are the same columns, or none are named for an argument
            that a metric needs.
    """
    naming = Naming.of(metrics)
    parameters_of = [naming.taken(metric) for metric in metrics]
    called = {name: [name] for parameters in parameters_of for name in parameters}
    for other, name in naming.first.items():
        called[name].append(other)
    known = [name for several in called.values() for name in several]
    for argument in given:
        if argument not in known:
            hint = did_you_mean(argument, known)
            raise ValueError(f"no metric takes {argument!r}; they take {', '.join(known)}{hint}")
    found: dict[str, Match] = {}
    for place, parameters in enumerate(parameters_of):
        spared = [*map(naming.name, known_already[place])] if known_already else []
        for argument, parameter in parameters.items():
            if argument in found:
                continue
            named = {name: given[name] for name in called[argument] if name in given}
            listed = [[one] if isinstance(one, str) else [*one] for one in named.values()]
            there = [name for name in called[argument] if name in names]
            takers = zip(metrics, parameters_of, strict=True)
            scores = all(own_statistic(m).takes_scores for m, p in takers if argument in p)
            usual = usual_columns(argument, names, scores)
            if any(one != listed[0] for one in listed) or (len(there) > 1 and not named):
                several = " and ".join(named or there)
                raise ValueError(f"{several} are names for one thing: say which column it is")
            if named:
                if not listed[0] and parameter.default is parameter.empty:
                    raise ValueError(f"{argument} need a column, got none")
                found[argument] = Match(listed[0], place)
            elif there:
                if argument not in spared:
                    better = scores and alike("predictions", argument) and usual[0] not in there
                    found[argument] = Match(there, place, [*there, usual[0]] if better else [])
            elif parameter.default is parameter.empty:
                found[argument] = Match(usual[:1] or [argument], place, usual)
    _check_different(found)
    return found


def _check_different(found: Mapping[str, Match]) -> None:
    """Raise ValueError if predictions and true values are read from the same columns."""
    guesses = {argument: one for argument, one in found.items() if alike("predictions", argument)}
    truths = {argument: one for argument, one in found.items() if alike("labels", argument)}
    for guess, truth in itertools.product(guesses, truths):
        if guesses[guess].columns == truths[truth].columns:
            columns = ", ".join(map(repr, guesses[guess].columns))
            raise ValueError(f"{guess} and {truth} are both read from {columns}: name two columns")


def fitting(name: str, names: Sequence[str]) -> list[str] | None:
    """Return the columns that fit a pattern such as "p_*", in their order; None: not a pattern.

    Example:
        >>> fitting("p_*", ["p_0", "y", "p_1"]), fitting("y", ["y"])
        (['p_0', 'p_1'], None)

    Raises:
        ValueError: The columns end with numbers, and are not in the order of these numbers; or the
            star stands for a number in some columns only, such as p_0, p_1 and p_max.
    """
    if name in names or not any(character in name for character in "*?["):
        return None
    found = fnmatch.filter(names, name)
    numbers = numbers_of(found)
    if numbers is not None and numbers != sorted(numbers):
        raise ValueError(
            f"{name!r} fits {', '.join(found)}, which are not in the order of their numbers: name "
            f"these columns one by one, in the order of the classes"
        )
    begin = name.removesuffix("*")
    counted = [one for one in found if re.fullmatch("[0-9]+", one.removeprefix(begin))]
    others = [one for one in found if one not in counted]
    if counted and others:
        raise ValueError(
            f"{name!r} fits {', '.join(found)}, of which {', '.join(others)} have no number: name "
            f"the columns one by one, in the order of the classes"
        )
    return found


def known(name: str, names: Sequence[str]) -> str:
    """Return the name of a column.

    Raises:
        ValueError: The table has no such column.
    """
    if name not in names:
        hint = did_you_mean(name, names)
        raise ValueError(f"no column {name!r} in the table; it has {', '.join(names)}{hint}")
    return name


def numbers_of(names: Sequence[str]) -> list[int] | None:
    """Return the numbers with which names end; None unless all end with one.

    Example:
        >>> numbers_of(["p_0", "p_10"]), numbers_of(["p_0", "p_cat"])
        ([0, 10], None)
    """
    ends = [re.search("[0-9]+$", name) for name in names]
    return [int(end.group()) for end in ends if end] if all(ends) else None


def check_order(columns: Mapping[str, Sequence[str]], classes: Sequence[str]) -> None:
    """Check that the columns of classes are in one order: that of `classes`, in each argument.

    Args:
        columns: The columns of each argument.
        classes: The names of the classes; none if they are not known.

    Raises:
        ValueError: The columns are named after the classes, or after those of the predictions, and
            are in another order.
    """
    check_class_order(columns, classes)
    guesses = [argument for argument in columns if alike("predictions", argument)]
    truths = [argument for argument in columns if alike("labels", argument)]
    for guess, truth in itertools.product(guesses, truths):
        check_same_order(columns, guess, truth)
