"""Pairs: samples that two systems share are left out of both at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like._intervals.jackknife.cluster_intervals import effective_clusters, too_few
from mmeval_like._intervals.jackknife.estimand import Numbers, column, numbers_of
from mmeval_like._intervals.jackknife.groups import groups_of
from mmeval_like._intervals.leave_out import MOST_UNITS, variance_without_one
from mmeval_like._intervals.rounding import without_rounding
from mmeval_like._states.grouped.apart import by_code
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import FloatSum
from mmeval_like._states.results import Results, make_results
from mmeval_like._states.rows import Rows, take
from mmeval_like.errors import quiet

__all__ = ["Differences", "Side"]


_FEW_CODES = 1 << 20  # a table of so many entries is faster than sorting


@dataclass(frozen=True)
class Side:
    """The samples of one of two systems, one row for each, in the same order for both.

    Attributes:
        states: The states of the statistic.
        rows: The rows of every state.
        compute: From results to the metric's values.
        clusters: The number of the cluster of each row; None: they are independent.
    """

    states: Mapping[str, State]
    rows: Mapping[str, Rows]
    compute: Callable[[Results], Any]
    clusters: np.ndarray | None = None

    def __len__(self) -> int:
        return len(next(iter(self.rows.values())))

    def at(self, places: np.ndarray) -> Side:
        """Return it with the rows at these places alone."""
        rows = {name: take(rows, places) for name, rows in self.rows.items()}
        clusters = None if self.clusters is None else self.clusters[places]
        return Side(self.states, rows, self.compute, clusters)

    def numbers(self) -> Numbers:
        """Return the metric's numbers of all rows."""
        folded: dict[str, Any] = {
            name: self.rows[name].copy()
            if state.ordered
            else state.fold(state.empty(), self.rows[name])
            for name, state in self.states.items()
        }
        return numbers_of(self.compute(make_results(dict(self.states), folded, len(self))))

    def kinds(self) -> np.ndarray | None:
        """Return of which kind each row is, equal rows being of one; None: there are too many."""
        count = len(self)
        kinds = np.zeros(count, np.int64)
        for rows in self.rows.values():
            if not isinstance(rows, np.ndarray) or rows.dtype.kind not in "biuf":
                if count > MOST_UNITS:
                    return None
                kinds = np.arange(count)
                continue
            for numbers in rows.reshape(count, -1).T:
                own = _numbered(numbers)
                kinds = _numbered(kinds * (int(own.max(initial=0)) + 1) + own)
                if int(kinds.max(initial=0)) >= MOST_UNITS:
                    return None
        return kinds

    def without(self, chosen: Sequence[np.ndarray]) -> list[Numbers]:
        """Return the numbers without the rows at each of several choices of places."""
        with quiet(), np.errstate(all="ignore"):
            return self._without(chosen)

    def _without(self, chosen: Sequence[np.ndarray]) -> list[Numbers]:
        count = len(self)
        folding = {n: s for n, s in self.states.items() if not s.ordered}
        total = {n: s.fold(s.empty(), self.rows[n]) for n, s in folding.items()}
        subtracts = {n for n, s in folding.items() if _subtracts(s, total[n])}
        sums = {n: _Sum(s, total[n]) for n, s in folding.items() if type(s) is FloatSum}
        found = []
        for places in chosen:
            folded, less = {}, {}
            for name, state in self.states.items():
                if name not in subtracts:
                    kept = take(self.rows[name], np.delete(np.arange(count), places)).copy()
                    folded[name] = kept if state.ordered else state.fold(state.empty(), kept)
                elif name in sums and len(places) == 1:
                    less[name] = sums[name].without(np.asarray(self.rows[name])[places[0]])
                else:
                    part = state.fold(state.empty(), take(self.rows[name], places))
                    folded[name] = state.subtract(total[name], part)
            others = {name: state for name, state in self.states.items() if name in folded}
            results = make_results(others, folded, count - len(places), less)
            with without_rounding():
                found.append(numbers_of(self.compute(results)))
        return found


class Differences:
    """How the difference of two systems varies, from samples, or groups of them, left out of both.

    Args:
        a: The one.
        b: The other.

    Attributes:
        unit: "sample", "cluster", or "group" where more than 1,024 kinds of rows differ.
        units: How many.
        df: The degrees of freedom of a variance.
        thin: Why there are too few clusters; None: there are enough, or none.
    """

    def __init__(self, a: Side, b: Side) -> None:
        count = len(a)
        self.unit, self.units, self.df = "sample", count, count - 1
        self.thin: str | None = None
        if a.clusters is not None:
            self._leave_out_clusters(a, b, a.clusters)
            return
        kinds = [a.kinds(), b.kinds()]
        if kinds[0] is None or kinds[1] is None:
            self._leave_out("group", a, b, [places for _, places in by_code(groups_of(count))])
            return
        self._sides = []
        for side, each in ((a, kinds[0]), (b, kinds[1])):
            firsts = np.empty(int(each.max(initial=-1)) + 1, np.intp)
            firsts[each[::-1]] = np.arange(count)[::-1]  # of equal places the last one stays
            self._sides.append(side.without([*firsts[:, None]]))
        width = len(self._sides[1])
        numbers = np.bincount(kinds[0] * width + kinds[1])
        found = np.flatnonzero(numbers)
        self._pairs = [divmod(pair, width) for pair in found.tolist()]
        self._numbers = numbers[found].tolist()

    def _leave_out_clusters(self, a: Side, b: Side, clusters: np.ndarray) -> None:
        """Leave out every cluster; of too many, groups of them."""
        left = [places for _, places in by_code(clusters)]
        sizes = [len(places) for places in left]
        self.thin = too_few(sizes)
        if len(left) <= MOST_UNITS:
            self._leave_out("cluster", a, b, left)
        else:
            group_of = groups_of(len(left))[clusters]
            self._leave_out("group", a, b, [places for _, places in by_code(group_of)])
            sizes = np.bincount(group_of).tolist()
        if self.units > 1:
            self.df = max(1, math.floor(effective_clusters(sizes)) - 1)

    def _leave_out(self, unit: str, a: Side, b: Side, left: list[np.ndarray]) -> None:
        self.unit, self.units, self.df = unit, len(left), len(left) - 1
        self._sides = [a.without(left), b.without(left)]
        self._pairs = [(each, each) for each in range(len(left))]
        self._numbers = [1] * len(left)

    def variance(self, key: str) -> float:
        """Return the variance of the difference of a number; nan where it is undefined."""
        a, b = (column(side, key, 0) for side in self._sides)
        without = [b[j] - a[i] for i, j in self._pairs]
        if not all(map(math.isfinite, without)):
            return math.nan
        return variance_without_one(without, self._numbers, self.units)


class _Sum:
    """A float sum that is asked for without single rows."""

    def __init__(self, state: State, total: ExactSum) -> None:
        self._rounded, self._total = state.value(total), total

    @cached_property
    def _exact(self) -> Any:
        return self._total.fraction()

    def without(self, row: Any) -> tuple[Any, _WithoutOne]:
        """Return the sum without a row: rounded twice, and exactly where that is asked for."""
        return self._rounded - row.astype(np.float64)[()], _WithoutOne(self, row)


class _WithoutOne:
    def __init__(self, whole: _Sum, row: Any) -> None:
        self._whole, self._row = whole, row

    def fraction(self) -> Any:
        return self._whole._exact - _fractions(self._row)


def _fractions(row: Any) -> Any:
    """Return the numbers of a row exactly, in an object array if it has several."""
    if not np.ndim(row):
        return Fraction(row.item())
    flat = np.array([*map(Fraction, row.reshape(-1).tolist()), None], object)[:-1]
    return flat.reshape(row.shape)


def _subtracts(state: State, total: Any) -> bool:
    try:
        state.subtract(total, state.empty())
    except TypeError:  # such as a maximum, which is found anew
        return False
    return True


def _numbered(values: np.ndarray) -> np.ndarray:
    """Return which of the different values, ascending, every one is: int64."""
    if values.dtype.kind in "biu" and len(values):
        least, most = int(values.min()), int(values.max())
        if most - least < _FEW_CODES:
            codes = values.astype(np.int64) - least
            table: np.ndarray = np.cumsum(np.bincount(codes) > 0) - 1
            return table[codes]
    return np.unique(values, return_inverse=True)[1].astype(np.int64)
