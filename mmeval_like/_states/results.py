"""The merged states of all ranks, as `compute_metric` sees them."""

from __future__ import annotations

import copy
import reprlib
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.rows import Rows

__all__ = [
    "Results",
    "check_number",
    "check_state_names",
    "clusters_of",
    "ids_and_rows_of",
    "make_results",
    "with_clusters",
    "with_rows",
    "with_sums",
]

T = TypeVar("T")


class Results:
    """The merged states of one statistic: an attribute per state; `len()` is the sample count.

    Args:
        values: The value of each state, by name.
        count: The number of samples.
        sums: The unrounded sums of the float states.

    Example:
        >>> results = Results({"correct": 3}, 4)
        >>> results.correct / len(results)
        0.75
    """

    _rows: tuple[np.ndarray, Mapping[str, Rows]] | None = None
    _source: Results | None = None
    _clusters: Any = None  # `Clusters`, where samples were added with `clusters=`

    def __init__(
        self, values: Mapping[str, Any], count: int, sums: Mapping[str, ExactSum] | None = None
    ) -> None:
        self._count = count
        self._sums = sums or {}
        self._known: dict[str, Any] = {}
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:  # a value that `private` has not copied yet
        if name.startswith("_"):
            raise AttributeError(name)
        if self._source is None:
            raise AttributeError(f"no state {name!r}; the states are {self._names()}")
        value = copy.deepcopy(getattr(self._source, name))
        self.__dict__[name] = value
        return value

    def __repr__(self) -> str:
        named = [f"{name}={reprlib.repr(getattr(self, name))}" for name in self._names()]
        return f"<Results({', '.join(named)}): {len(self)} samples>"

    def _names(self) -> list[str]:
        if self._source is not None:
            return self._source._names()
        return [name for name in vars(self) if not name.startswith("_")]

    def private(self) -> Results:
        """Return equal results; changing their values in place does not change these results.

        Values are copied when they are asked for. What `once` computes is shared.
        """
        twin = Results({}, self._count, self._sums)
        twin._known, twin._source, twin._clusters = self._known, self, self._clusters
        return twin

    def __len__(self) -> int:
        return self._count

    def once(self, name: str, function: Callable[[Results], T]) -> T:
        """Return `function(results)`, computed once for all metrics that share these results.

        Args:
            name: The name of the computation; metrics of one statistic must not use one name
                for different computations.
            function: A pure function; several metrics share its value, which must not be changed.

        Example:
            >>> results = Results({"correct": 3}, 4)
            >>> results.once("share", lambda results: results.correct / len(results))
            0.75
        """
        if name not in self._known:
            # Compute it from the source, whose values were not changed in place.
            self._known[name] = function(self if self._source is None else self._source)
        found: T = self._known[name]
        return found

    def exact(self, name: str) -> Fraction | np.ndarray:
        """Return a float sum unrounded: a Fraction, or an object array of them.

        Formulas that subtract sums can lose all digits if the sums were rounded first.

        Raises:
            KeyError: No float sum has this name.
            ValueError: A nan was added.
            OverflowError: An infinity was added, and no nan.
        """
        exact: Fraction | np.ndarray = self._sums[name].fraction()
        return exact


def ids_and_rows_of(results: Results) -> tuple[np.ndarray, Mapping[str, Rows]] | None:
    """Return the ids of the samples, and their rows; None if samples have no ids."""
    return results._rows


def with_rows(results: Results, ids: np.ndarray, rows: Mapping[str, Rows]) -> Results:
    """Attach the ids of the samples and their rows to the results, and return the results."""
    results._rows = ids, rows
    return results


def clusters_of(results: Results) -> Any:
    """Return the `Clusters` of the samples; None if they were added without `clusters=`."""
    return results._clusters


def with_clusters(results: Results, clusters: Any) -> Results:
    """Attach the `Clusters` of the samples to the results, and return the results."""
    results._clusters = clusters
    return results


def with_sums(results: Results, sums: Mapping[str, ExactSum]) -> Results:
    """Return the results with the sums of some states replaced, and without clusters."""
    values = {name: getattr(results, name) for name in results._names()}
    values |= {name: one.value() for name, one in sums.items()}
    return Results(values, len(results), {**results._sums, **sums})


_MOST = (1 << 63) - 1  # counts are int64, as is the length of Python objects
_OWN = {*dir(Results({}, 0))}


def check_state_names(names: Collection[str]) -> None:
    """Refuse names of states that cannot be attributes of `Results`.

    Raises:
        ValueError: A name is an attribute of `Results`, or not a valid identifier.
    """
    taken = [name for name in names if name in _OWN]
    if taken:
        raise ValueError(f"states must not have the names of attributes of `Results`: {taken}")
    odd = [name for name in names if not name.isidentifier()]
    if odd:
        raise ValueError(f"states must have names of valid attributes of `Results`, got {odd}")


def check_number(samples: int) -> None:
    """Raise OverflowError if there are too many samples, which only repeated `merge` can add."""
    if samples > _MOST:
        raise OverflowError(
            f"there can be at most 2^63 - 1 samples, got {samples}: is a metric merged into itself?"
        )


def make_results(
    states: dict[str, State],
    folded: dict[str, Any],
    count: int,
    known: Mapping[str, tuple[Any, Any]] | None = None,
) -> Results:
    """Return the results of folded values.

    Args:
        states: The states by name.
        folded: Their folded values.
        count: The number of samples.
        known: Additional values by name, each with its `ExactSum` if it is a float sum, else None.

    Raises:
        OverflowError: As for `check_number`.
    """
    check_number(count)
    values: dict[str, Any] = {}
    sums: dict[str, Any] = {}
    for name, (value, exact) in (known or {}).items():
        values[name] = value
        if exact is not None:
            sums[name] = exact
    for name, state in states.items():
        value = folded[name]
        values[name] = state.value(value)
        if type(value) is ExactSum:
            sums[name] = value
    return Results(values, count, sums)
