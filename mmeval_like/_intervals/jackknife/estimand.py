"""Estimand: the numbers of a metric, of the merged results and of others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

import numpy as np

from mmeval_like._base.warning import quiet
from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like._intervals.rounding import without_rounding
from mmeval_like._intervals.value_ranges import Range, Ranges
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import IntSum
from mmeval_like._states.results import Results, clusters_of, with_sums
from mmeval_like._states.statistic import Statistic

__all__ = ["Columns", "Estimand", "Evaluate", "Numbers", "column", "numbers_of", "range_of"]

_EVERYTHING: Range = (-math.inf, math.inf)

Numbers = dict[str, list[float]]
Columns = dict[str, list[list[float]]]  # of each number, what it is in each of several results
Evaluate = Callable[[], Columns]


@dataclass(frozen=True)
class Estimand:
    """The numbers of a metric whose intervals are wanted, with the function that computes them.

    Attributes:
        compute: The metric's `compute_metric`.
        statistic: What was accumulated.
        states: Its states, by name.
        results: The merged results, unchanged.
        level: The level of the intervals.
        ranges: The least and the largest possible value, by key or pattern.
        numbers: The metric's numbers of the results, not rounded, by key.
    """

    compute: Callable[[Results], Any]
    statistic: Statistic
    states: Mapping[str, State]
    results: Results
    level: float
    ranges: Ranges
    numbers: Numbers

    @classmethod
    def of(
        cls,
        compute: Callable[[Results], Any],
        statistic: Statistic,
        states: Mapping[str, State],
        results: Results,
        level: float,
        ranges: Ranges,
    ) -> Estimand:
        """Return the estimand of all numbers of a metric.

        Raises:
            Exception: The metric raised it.
        """
        made = cls(compute, statistic, states, results, level, ranges, {})
        return replace(made, numbers=made.evaluate([results.private()])[0])

    def range(self, key: str) -> Range:
        """Return the range of a key: the first whose pattern fits it."""
        return range_of(self.ranges, key)

    @cached_property
    def caveat(self) -> str | None:
        """Why an interval rests on too few samples, as the statistic says; None: it does not.

        What weights add up to is not a number of samples. Of weighted sums, the units that add to
        each of them are counted.
        """
        results, clusters = self.results, clusters_of(self.results)
        weighing = [name for name, state in self.states.items() if state.weighs]
        if weighing and clusters is not None:
            counts = {name: _sum_of(clusters.presence(name)) for name in weighing}
            results = with_sums(results, counts)
        return self.statistic.jackknife.caveat(results)

    @cached_property
    def own_counts(self) -> dict[str, list[float]]:
        """How many samples the numbers of single classes rest on, by key, where this is known.

        A share of n samples is by 1 / (n + 1) higher with a hit more than with a miss more. Any
        other quotient of a class's counts is as sure as the share that a sample moves as far.
        """
        more = self.evaluate(self.statistic.jackknife.plus_one(self.results))
        found: dict[str, list[float]] = {}
        for key, values in self.numbers.items():
            least, most = self.range(key)
            if more and len(values) > 1 and math.isfinite(most - least):
                found[key] = []
                for place in range(len(values)):
                    reached = column(more, key, place)
                    step = (max(reached) - min(reached)) / (most - least)
                    own = 1 / step - 1 if step > 0 else math.inf
                    found[key].append(min(max(own, 0.0), len(self.results)))
        return found

    def constants(self, names: Iterable[str]) -> dict[str, Any] | None:
        """Return what a sample adds to each of these states; None unless all add 0, or all 1."""
        count, found = len(self.results), {}
        for name in names:
            value = getattr(self.results, name)
            if not isinstance(self.states[name], IntSum) or not np.isin(value, (0, count)).all():
                return None
            found[name] = value // max(count, 1)
        return found

    def perturbed(self, results: Results, codes: np.ndarray, step: int) -> Columns | None:
        """Return the numbers of many results at once; None: they have to be evaluated one by one.

        Args:
            results: Of the statistic.
            codes: Codes of its histogram, (m,).
            step: How many more samples of code i result i has; negative: fewer.
        """
        if not getattr(self.compute, "vectorised", False):
            return None
        many = self.statistic.jackknife.perturbed(results, codes, step)
        if many is None:
            return None
        try:
            with quiet(), np.errstate(all="ignore"), without_rounding():
                found = self.compute(many)
        except AttributeError:  # these options need what perturbed results do not have
            return None
        return {
            key: [
                np.broadcast_to(value, codes.shape).tolist()
                for value in (found[key] if isinstance(found[key], list) else [found[key]])
            ]
            for key in self.numbers
        }

    def columns(self, several: Iterable[Results]) -> Columns:
        """Return each number of several results; nan where one lacks the key.

        Raises:
            Exception: The metric raised it.
        """
        found = self.evaluate(several)
        return {
            key: [column(found, key, place) for place in range(len(values))]
            for key, values in self.numbers.items()
        }

    def evaluate(self, several: Iterable[Results]) -> list[Numbers]:
        """Return the metric's numbers of each of several results, without warnings.

        Raises:
            Exception: The metric raised it.
        """
        with quiet(), np.errstate(all="ignore"), without_rounding():
            return [numbers_of(self.compute(one)) for one in several]


def range_of(ranges: Ranges, key: str) -> Range:
    """Return the range of a key: the first whose pattern fits it.

    Example:
        >>> range_of({"top*": (0.0, 1.0)}, "top5"), range_of({}, "loss")
        ((0.0, 1.0), (-inf, inf))
    """
    fitting = (r for pattern, r in ranges.items() if fnmatchcase(key, pattern))
    return next(fitting, _EVERYTHING)


def numbers_of(values: Any) -> Numbers:
    """Return the floats of a metric's values, and its lists of floats, by key.

    Integers are counts, arrays are curves and matrices, an error bound is about bins, not about
    samples, and a key that is not a string, such as a threshold, leads to more keys: these have no
    intervals.

    Example:
        >>> numbers_of({"f1": 0.5, "recall": [0.5, 1.0], "samples": 3})
        {'f1': [0.5], 'recall': [0.5, 1.0]}
    """
    found: Numbers = {}
    for key, value in values.items() if isinstance(values, Mapping) else ():
        if not isinstance(key, str) or "error_bound" in key:
            continue
        if isinstance(value, float):
            found[key] = [value]
        elif isinstance(value, list) and value and all(isinstance(v, float) for v in value):
            found[key] = value
    return found


def column(found: Sequence[Numbers], key: str, place: int) -> list[float]:
    """Return a number of each of several results; nan where it lacks the key."""
    return [one[key][place] if key in one else math.nan for one in found]


def _sum_of(numbers: np.ndarray) -> ExactSum:
    found = ExactSum(numbers.shape)
    found.add(numbers[None])
    return found
