"""Rows: the same samples are left out of two systems at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np

from mmeval_like._base.warning import quiet
from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like._intervals.jackknife.estimand import Columns, Evaluate, Numbers, column, numbers_of
from mmeval_like._intervals.jackknife.groups import groups_of
from mmeval_like._intervals.jackknife.left_out import MOST_UNITS, LeftOut, effective_clusters
from mmeval_like._intervals.rounding import without_rounding
from mmeval_like._states.grouped.apart import by_code
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import FloatSum
from mmeval_like._states.results import Results, make_results
from mmeval_like._states.rows import Rows, take

__all__ = ["Side", "without_rows"]

_FEW_CODES = 1 << 20  # up to this size, a table is faster than sorting


@dataclass(frozen=True)
class Side:
    """The samples of one of two systems, one row for each, in the same order for both.

    Attributes:
        states: The states of the statistic.
        rows: The rows of every state.
        compute: Computes the metric's values from results.
        clusters: The number of the cluster of each row; None if the rows are independent.
        groups: The group of each row, if groups have to be left out; None: rows are dealt.
        why_few: Given results, returns why they rest on too few samples, or None.
    """

    states: Mapping[str, State]
    rows: Mapping[str, Rows]
    compute: Callable[[Results], Any]
    clusters: np.ndarray | None = None
    groups: np.ndarray | None = None
    why_few: Callable[[Results], str | None] | None = None

    def __len__(self) -> int:
        return len(next(iter(self.rows.values())))

    def at(self, places: np.ndarray) -> Side:
        """Return a side with only the rows at these places."""
        rows = {name: take(rows, places) for name, rows in self.rows.items()}
        tags = (self.clusters, self.groups)
        clusters, groups = (None if tag is None else tag[places] for tag in tags)
        return Side(self.states, rows, self.compute, clusters, groups, self.why_few)

    def numbers(self) -> Numbers:
        """Return the metric's values for all rows."""
        return numbers_of(self.compute(self._results()))

    def caveat(self) -> str | None:
        """Return why there are too few rows, such as of a class; None if there are enough."""
        if self.why_few is None or not len(self):
            return None
        weighing = [name for name, state in self.states.items() if state.weighs]
        counted = {name: self.states[name].unweighted(self.rows[name]) for name in weighing}
        return self.why_few(replace(self, rows={**self.rows, **counted})._results())

    def _results(self) -> Results:
        folded: dict[str, Any] = {
            name: self.rows[name].copy()
            if state.ordered
            else state.fold(state.empty(), self.rows[name])
            for name, state in self.states.items()
        }
        return make_results(dict(self.states), folded, len(self))

    def kinds(self) -> np.ndarray | None:
        """Return the kind of each row, equal for equal rows; None if there are too many kinds."""
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
        """Return the values without some rows, for each of several arrays of places."""
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


def without_rows(
    a: Side, b: Side, keys: Sequence[str], weighing: np.ndarray | None = None
) -> LeftOut:
    """Return the differences b - a of the systems' values, with samples of both left out.

    The values have three places: the difference, and the value of a and of b.

    Groups of samples are left out if there are more than 1,024 kinds of rows, and groups of
    clusters if there are more than 1,024 clusters.

    Args:
        a: The first system.
        b: The second system.
        keys: The keys of scalar values.
        weighing: The weight of each sample, (n,); None: all count alike.
    """
    if a.clusters is not None:
        units = clusters = _groups(a.clusters)
        if len(clusters) > MOST_UNITS:
            units = _groups(groups_of(len(clusters))[a.clusters])
        sizes, each = _sizes(units, weighing), [*map(len, clusters)]
        left = LeftOut.of_clusters(sizes, [1] * len(units), _without(a, b, units, keys), each)
        return replace(left, sizes=sizes)
    kinds_of_a, kinds_of_b = a.kinds(), b.kinds()
    if kinds_of_a is None or kinds_of_b is None:
        groups = _groups(groups_of(len(a)) if a.groups is None else a.groups)
        sizes, weights = _sizes(groups, weighing), [1] * len(groups)
        without = _without(a, b, groups, keys)
        effective = None if weighing is None else effective_clusters(sizes)
        return LeftOut("group", len(groups), weights, without, effective=effective, sizes=sizes)
    width = int(kinds_of_b.max(initial=-1)) + 1
    pairs, first, numbers = np.unique(
        kinds_of_a * width + kinds_of_b, return_index=True, return_counts=True
    )

    def differences() -> Columns:
        left = a.without(_firsts(kinds_of_a)), b.without(_firsts(kinds_of_b))
        return _differences(left, map(divmod, pairs.tolist(), repeat(width)), keys)

    left = LeftOut("sample", len(a), numbers.tolist(), differences)
    if weighing is None:
        return left
    effective = effective_clusters(weighing.tolist())
    return replace(left, effective=effective, sizes=weighing[first].tolist())


def _without(a: Side, b: Side, units: list[np.ndarray], keys: Sequence[str]) -> Evaluate:
    """Return a function that computes the differences without the rows of each unit."""

    def differences() -> Columns:
        pairs = ((place, place) for place in range(len(units)))
        return _differences((a.without(units), b.without(units)), pairs, keys)

    return differences


def _differences(
    left: tuple[list[Numbers], list[Numbers]],
    pairs: Iterable[tuple[int, int]],
    keys: Sequence[str],
) -> Columns:
    """Return the differences of two systems' values, and both values, for pairs of places."""
    several = [*pairs]
    found: Columns = {}
    for key in keys:
        a, b = (column(side, key, 0) for side in left)
        found[key] = [
            [b[j] - a[i] for i, j in several],
            [a[i] for i, _ in several],
            [b[j] for _, j in several],
        ]
    return found


def _sizes(units: list[np.ndarray], weighing: np.ndarray | None) -> list[float]:
    """Return the number of samples of each unit, or the sum of their weights."""
    if weighing is None:
        return [*map(len, units)]
    return [math.fsum(weighing[places].tolist()) for places in units]


def _groups(codes: np.ndarray) -> list[np.ndarray]:
    """Return the places of every code."""
    return [places for _, places in by_code(codes)]


def _firsts(kinds: np.ndarray) -> list[np.ndarray]:
    """Return the first place of every kind, each in its own array."""
    firsts = np.empty(int(kinds.max(initial=-1)) + 1, np.intp)
    firsts[kinds[::-1]] = np.arange(len(kinds))[::-1]  # among equal kinds, the last assignment wins
    return [*firsts[:, None]]


class _Sum:
    """A float sum from which single rows are subtracted."""

    def __init__(self, state: State, total: ExactSum) -> None:
        self._rounded, self._total = state.value(total), total

    @cached_property
    def _exact(self) -> Any:
        return self._total.fraction()

    def without(self, row: Any) -> tuple[Any, _WithoutOne]:
        """Return the sum without a row: rounded once, and in exact form."""
        less = _WithoutOne(self, row)
        try:
            return np.asarray(less.fraction(), object).astype(np.float64)[()], less
        except (ValueError, OverflowError):  # a row is nan or infinite, or the sum is too large
            return self._rounded - row.astype(np.float64)[()], less


class _WithoutOne:
    def __init__(self, whole: _Sum, row: Any) -> None:
        self._whole, self._row = whole, row

    def fraction(self) -> Any:
        return self._exact

    @cached_property
    def _exact(self) -> Any:
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
    except TypeError:  # such as a maximum, which is recomputed
        return False
    return True


def _numbered(values: np.ndarray) -> np.ndarray:
    """Return the index of every value among the sorted distinct values, int64."""
    if values.dtype.kind in "biu" and len(values):
        least, most = int(values.min()), int(values.max())
        if most - least < _FEW_CODES:
            codes = values.astype(np.int64) - least
            table: np.ndarray = np.cumsum(np.bincount(codes) > 0) - 1
            return table[codes]
    return np.unique(values, return_inverse=True)[1].astype(np.int64)
