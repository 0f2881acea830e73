"""Codes: a histogram with one code for each sample can lose a sample of every code.

Whether each sample has one code is no matter of sums: samples of three codes and of none may have
as many codes as there are samples. The samples of another number of codes are counted, therefore.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from mmeval_like._intervals.hull import SCALE, Clustered, Smoothed, hull, smoothed_values
from mmeval_like._intervals.interval import Interval, estimate
from mmeval_like._intervals.jackknife.augmented import Augmented
from mmeval_like._intervals.jackknife.estimand import Columns, Estimand, Numbers, columns
from mmeval_like._intervals.leave_out import chosen_units, variance_without_one
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import Count, GrowingCount, IntSum
from mmeval_like._states.kinds.tally import Tally
from mmeval_like._states.results import Results
from mmeval_like._states.rows import Ragged
from mmeval_like._states.statistic import Statistic

__all__ = ["Codes", "WithOddRows", "constant"]

_FEW_CLASSES = 32  # up to so many, every cell of the confusion matrix is moved
_ODD = "odd_rows"  # the state beside the statistic's own


class WithOddRows(Augmented):
    """A statistic of one histogram that also counts the samples of more, or less, than one code.

    The count is negative: so it is never the number of samples, whatever share of them is odd.
    """

    @classmethod
    def of(cls, inner: Statistic) -> WithOddRows | None:
        """Return it for a statistic of one histogram and sums of integers; None for any other."""
        states = inner.states().values()
        sums = [state for state in states if isinstance(state, IntSum)]
        one = len(_histograms(inner.states())) == 1
        return cls(inner) if one and len(sums) == len(states) - 1 else None

    @property
    def on_accelerator(self) -> bool:
        """As the statistic of the metric says."""
        return self.inner.on_accelerator

    @property
    def confusion_classes(self) -> int | None:
        """As the statistic of the metric says."""
        return self.inner.confusion_classes

    def why_thin(self, results: Results) -> str | None:
        """Return what the statistic of the metric says."""
        return self.inner.why_thin(results)

    def moved(self, results: Results, codes: np.ndarray, step: int) -> Results | None:
        """Return what the statistic of the metric does."""
        return self.inner.moved(results, codes, step)

    def states(self) -> dict[str, State]:
        """Return the states of the metric's statistic, and the number of odd rows."""
        return self.inner.states() | {_ODD: IntSum(int, ())}

    def rows(self, *batch: Any, **named: Any) -> Mapping[str, Any]:
        """Return the rows of the metric's statistic, and for each whether it is odd."""
        states, rows = self.inner.states(), dict(self.inner.rows(*batch, **named))
        [name] = _histograms(states)
        return rows | {_ODD: -_odd(states[name].check(name, rows[name])).astype(np.int8)}


def _histograms(states: Mapping[str, State]) -> list[str]:
    return [n for n, s in states.items() if isinstance(s, Count | GrowingCount | Tally)]


def _odd(rows: Any) -> np.ndarray:
    """Return which rows of codes hold more, or less, than one code."""
    if isinstance(rows, Ragged):
        odd: np.ndarray = rows.lengths != 1
        return odd
    return np.full(len(rows), math.prod(rows.shape[1:]) != 1)


class Codes:
    """Results in which every sample has one code.

    Args:
        name: The state that counts the codes.
        estimand: The numbers, and the results that they come from.
    """

    def __init__(self, name: str, estimand: Estimand) -> None:
        self._name, self._estimand = name, estimand
        self._count = len(estimand.results)
        value = getattr(estimand.results, name)
        self._tallied = isinstance(value, tuple)
        codes, numbers = value if self._tallied else (np.flatnonzero(value), value[value > 0])
        self._codes: list[int] = codes.tolist()
        self._numbers: list[int] = numbers.tolist()

    @classmethod
    def of(cls, estimand: Estimand) -> Codes | None:
        """Return the codes of results; None if a sample is more, or less, than one code."""
        states = estimand.states
        counts = _histograms(states)
        others = [name for name in states if name not in counts]
        if len(counts) != 1 or not all(constant(states[n], estimand.results, n) for n in others):
            return None
        found = cls(counts[0], estimand)
        return found if sum(found._numbers) == found._count else None

    def intervals(self) -> dict[str, list[Interval]]:
        """Return the interval of every number."""
        places, weights = chosen_units(self._numbers)
        # Of some of the codes most are those of other classes than the one whose number it is.
        by_class = self._estimand.own_counts if len(places) < len(self._codes) else {}
        without: Columns = {}
        if by_class.keys() < self._estimand.numbers.keys():
            without = self._without_one(places)
        smoothed = self.smoothed()
        found: dict[str, list[Interval]] = {}
        for key, values in self._estimand.numbers.items():
            found[key] = []
            for place in range(len(values)):
                if key in by_class:
                    one = self._of_class(key, place)
                else:
                    one = self._interval(key, place, without[key][place], weights)
                if key in smoothed and self._count > 1:
                    bounds = self._estimand.range(key)
                    one = hull(one, smoothed[key][place], bounds, self._count - 1)
                found[key].append(one)
        return found

    def _interval(
        self, key: str, place: int, without: Sequence[float], weights: Sequence[int]
    ) -> Interval:
        estimand, count = self._estimand, self._count
        thin = estimand.statistic.why_thin(estimand.results)
        known = [(v, w) for v, w in zip(without, weights, strict=True) if math.isfinite(v)]
        if len(known) < len(without):
            thin = "it is undefined without some of the samples"
        variance = 0.0
        if known:
            values, numbers = zip(*known, strict=True)
            variance = variance_without_one(values, numbers, count)
        return self._estimate(key, place, variance, thin)

    def _of_class(self, key: str, place: int) -> Interval:
        """Return the interval of a class's number by its own samples alone."""
        estimand = self._estimand
        value, (least, most) = estimand.numbers[key][place], estimand.range(key)
        own = estimand.own_counts[key][place]
        variance = (value - least) * (most - value) / own if own else 0.0
        return self._estimate(key, place, variance, estimand.statistic.why_thin(estimand.results))

    def _estimate(self, key: str, place: int, variance: float, thin: str | None) -> Interval:
        estimand, df = self._estimand, self._count - 1
        value, bounds = estimand.numbers[key][place], estimand.range(key)
        own = estimand.own_counts[key][place] if key in estimand.own_counts else None
        return estimate(
            value, variance, bounds, estimand.level, self._count, df, thin=thin, rests_on=own
        )

    def _without_one(self, places: Sequence[int]) -> Columns:
        """Return every number without a sample of each of these codes."""
        estimand = self._estimand
        found = None
        if not self._tallied:
            codes = np.array([self._codes[place] for place in places], np.int64)
            found = estimand.moved(estimand.results, codes, -1)
        return found or columns(estimand.evaluate(map(self._without, places)), estimand.numbers)

    def _without(self, place: int) -> Results:
        """Return the results without one sample of a code."""
        values = self._others(self._count - 1)
        counted = getattr(self._estimand.results, self._name)
        if self._tallied:
            codes, numbers = counted[0], counted[1].copy()
            numbers[place] -= 1
            values[self._name] = codes[numbers > 0], numbers[numbers > 0]
        else:
            values[self._name] = counted.copy()
            values[self._name][self._codes[place]] -= 1
        return Results(values, self._count - 1)

    def _others(self, count: int) -> dict[str, Any]:
        """Return the other states of so many samples: for each of them they are the same."""
        results = self._estimand.results
        others = [name for name in self._estimand.states if name != self._name]
        return {n: getattr(results, n) // max(self._count, 1) * count for n in others}

    def smoothed(
        self,
        histograms: Callable[[str], np.ndarray] | None = None,
        weights: Sequence[int] = (),
        units: int = 0,
    ) -> Mapping[str, list[Smoothed]]:
        """Return the numbers of the smoothed confusion matrix that lie between two bounds.

        Args:
            histograms: Returns those of a state in every cluster, (m, bins); None: every sample is
                by itself.
            weights: For how many clusters each of the m stands.
            units: How many clusters there are.
        """
        estimand, size = self._estimand, self._estimand.statistic.confusion_classes
        if size is None or self._tallied or not 1 < size <= _FEW_CLASSES:
            return {}
        keys = [k for k in estimand.numbers if all(map(math.isfinite, estimand.range(k)))]
        counted = getattr(estimand.results, self._name)
        matrix = counted[: size * size].reshape(size, size).tolist()

        def results(scaled: list[list[int]], place: int = 0, step: int = 0) -> Results:
            counts = np.zeros_like(counted)
            counts[: size * size] = np.array(scaled).reshape(-1)
            counts[place] += step
            count = int(counts.sum())
            return Results({**self._others(count), self._name: counts}, count)

        def evaluate(scaled: list[list[int]]) -> Numbers:
            [found] = estimand.evaluate([results(scaled)])
            return {key: found[key] for key in keys}

        def moved(scaled: list[list[int]], step: int) -> Columns:
            cells = range(size * size)
            found = estimand.moved(results(scaled), np.array(cells), step)
            if found is not None:
                return found
            several = estimand.evaluate(results(scaled, cell, step) for cell in cells)
            return columns(several, estimand.numbers)

        same = evaluate([[cell * SCALE for cell in row] for row in matrix])
        ratios = [k for k in keys if np.allclose(same[k], estimand.numbers[k], equal_nan=True)]
        if not keys or len(ratios) < len(keys):  # a value that is no ratio of counts
            return {}
        if histograms is None:
            return smoothed_values(matrix, evaluate, moved)
        cells = histograms(self._name)[:, : size * size]
        return smoothed_values(matrix, evaluate, moved, Clustered(cells, weights, units))


def constant(state: State, results: Results, name: str) -> bool:
    """Return whether a state is the same for every sample, 0 or 1."""
    if not isinstance(state, IntSum):
        return False
    value = np.asarray(getattr(results, name))
    return bool(((value == 0) | (value == len(results))).all())
