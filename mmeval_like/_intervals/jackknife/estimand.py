"""Estimand: the values of a metric that get intervals, for the merged and for other results."""

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

__all__ = [
    "Columns",
    "Estimand",
    "Evaluate",
    "Numbers",
    "column",
    "matches",
    "numbers_of",
    "range_of",
]

_EVERYTHING: Range = (-math.inf, math.inf)

Numbers = dict[str, list[float]]
Columns = dict[str, list[list[float]]]  # by key and place, the value for each of several results
Evaluate = Callable[[], Columns]


@dataclass(frozen=True)
class Estimand:
    """The values of a metric whose intervals are wanted, with the function that computes them.

    Attributes:
        compute: The metric's `compute_metric`.
        statistic: The statistic that was accumulated.
        states: Its states, by name.
        results: The merged results, unchanged.
        level: The level of the intervals.
        ranges: The least and the largest possible value, by key or pattern.
        numbers: The metric's values for the results, not rounded, by key.
        pooled_keys: The keys, or patterns, of values that pool all classes.
    """

    compute: Callable[[Results], Any]
    statistic: Statistic
    states: Mapping[str, State]
    results: Results
    level: float
    ranges: Ranges
    numbers: Numbers
    pooled_keys: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        compute: Callable[[Results], Any],
        statistic: Statistic,
        states: Mapping[str, State],
        results: Results,
        level: float,
        ranges: Ranges,
        pooled_keys: Sequence[str] = (),
    ) -> Estimand:
        """Return the estimand of all values of a metric.

        Raises:
            Exception: What the metric raised.
        """
        made = cls(compute, statistic, states, results, level, ranges, {}, pooled_keys)
        return replace(made, numbers=made.evaluate([results.private()])[0])

    def range(self, key: str) -> Range:
        """Return the range of a key: the first one whose pattern matches."""
        return range_of(self.ranges, key)

    def caveat(self, key: str) -> str | None:
        """Return why an interval rests on too few samples; None if it does not."""
        return None if matches(self.pooled_keys, key) else self._caveat

    @cached_property
    def _caveat(self) -> str | None:
        """What the statistic says of the samples of classes.

        A sum of weights is not a number of samples. For weighted sums, the units that contribute to
        each sum are counted.
        """
        results, clusters = self.results, clusters_of(self.results)
        weighing = [name for name, state in self.states.items() if state.weighs]
        if weighing and clusters is not None:
            counts = {name: _sum_of(clusters.presence(name)) for name in weighing}
            results = with_sums(results, counts)
        return self.statistic.jackknife.caveat(results)

    @cached_property
    def own_counts(self) -> dict[str, list[float]]:
        """The number of samples that the value of each class rests on, by key, where it is known.

        A share of n samples is higher by 1 / (n + 1) with one more hit than with one more miss. Any
        other quotient of a class's counts is as certain as the share that one sample changes as
        much.
        """
        return self._own_counts_of(self.results)

    def parts(self, results: Results) -> dict[str, list[list[float]]]:
        """Return the numbers of samples of the parts of each value, by key, where they are known.

        The statistic knows them, or else they are the sum of all weights, or the counts of classes.
        """
        known, found = self.statistic.jackknife.parts(results), {}
        weighing = [name for name, state in self.states.items() if state.weighs]
        whole = math.fsum(float(np.sum(getattr(results, name))) for name in weighing)
        for key, values in self.numbers.items():
            several = _matching(known, key, ())
            if len(several) == len(values):
                found[key] = [[*map(float, parts)] for parts in several]
            elif weighing:
                found[key] = [[whole]] * len(values)
        if found:
            return found
        if all(len(values) == 1 for values in self.numbers.values()):
            return {}
        return {key: [[one] for one in own] for key, own in self._own_counts_of(results).items()}

    def _own_counts_of(self, results: Results) -> dict[str, list[float]]:
        more = self.evaluate(self.statistic.jackknife.plus_one(results))
        found: dict[str, list[float]] = {}
        for key, values in self.numbers.items():
            least, most = self.range(key)
            if more and len(values) > 1 and math.isfinite(most - least):
                found[key] = []
                for place in range(len(values)):
                    reached = column(more, key, place)
                    step = (max(reached) - min(reached)) / (most - least)
                    own = 1 / step - 1 if step > 0 else math.inf
                    found[key].append(min(max(own, 0.0), len(results)))
        return found

    def constants(self, names: Iterable[str]) -> dict[str, Any] | None:
        """Return what each sample adds to these states; None unless all add 0, or all add 1."""
        count, found = len(self.results), {}
        for name in names:
            value = getattr(self.results, name)
            if name in self.statistic.jackknife.flags:
                value = count * bool(value)
            if not isinstance(self.states[name], IntSum) or not np.isin(value, (0, count)).all():
                return None
            found[name] = value // max(count, 1)
        return found

    def perturbed(self, results: Results, codes: np.ndarray, step: int) -> Columns | None:
        """Return the values of many results at once; None if they must be evaluated one by one.

        Args:
            results: Results of the statistic.
            codes: Codes of its histogram, (m,).
            step: How many more samples of its code each result has; negative: fewer.
        """
        if not getattr(self.compute, "vectorised", False):
            return None
        many = self.statistic.jackknife.perturbed(results, codes, step)
        if many is None:
            return None
        try:
            with quiet(), np.errstate(all="ignore"), without_rounding():
                found = self.compute(many)
        except AttributeError:  # perturbed results lack a state that these options need
            return None
        return {
            key: [
                np.broadcast_to(value, codes.shape).tolist()
                for value in (found[key] if isinstance(found[key], list) else [found[key]])
            ]
            for key in self.numbers
        }

    def columns(self, several: Iterable[Results]) -> Columns:
        """Return each value for several results; nan where a result lacks the key.

        Raises:
            Exception: What the metric raised.
        """
        found = self.evaluate(several)
        return {
            key: [column(found, key, place) for place in range(len(values))]
            for key, values in self.numbers.items()
        }

    def evaluate(self, several: Iterable[Results]) -> list[Numbers]:
        """Return the metric's values for each of several results, without warnings.

        Raises:
            Exception: What the metric raised.
        """
        with quiet(), np.errstate(all="ignore"), without_rounding():
            return [numbers_of(self.compute(one)) for one in several]


def range_of(ranges: Ranges, key: str) -> Range:
    """Return the range of a key: the first one whose pattern matches.

    Example:
        >>> range_of({"top*": (0.0, 1.0)}, "top5"), range_of({}, "loss")
        ((0.0, 1.0), (-inf, inf))
    """
    found: Range = _matching(ranges, key, _EVERYTHING)
    return found


def matches(patterns: Iterable[str], key: str) -> bool:
    """Return whether a key matches one of several patterns.

    Example:
        >>> matches(["top*"], "top5"), matches([], "loss")
        (True, False)
    """
    return any(fnmatchcase(key, pattern) for pattern in patterns)


def _matching(by_pattern: Mapping[str, Any], key: str, otherwise: Any) -> Any:
    fitting = (one for pattern, one in by_pattern.items() if fnmatchcase(key, pattern))
    return next(fitting, otherwise)


def numbers_of(values: Any) -> Numbers:
    """Return the floats of a metric's values, and its lists of floats, by key.

    Other values have no intervals: integers are counts, arrays are curves and matrices, an error
    bound is about bins, not about samples, and a key that is not a string, such as a threshold, has
    a dict as its value.

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
    """Return one value for each of several results; nan where the key is missing."""
    return [one[key][place] if key in one else math.nan for one in found]


def _sum_of(numbers: np.ndarray) -> ExactSum:
    found = ExactSum(numbers.shape)
    found.add(numbers[None])
    return found
