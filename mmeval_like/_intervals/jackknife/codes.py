"""Codes: one sample of each code is subtracted from histograms.

Samples with equal codes are of one kind. A statistic of one histogram knows its kinds if every
sample has exactly one code. Sums do not show this: samples with three codes and samples with none
may have one code per sample on average. So samples with a different number of codes are counted. A
statistic of several histograms contains how often each code occurred, but not which codes occurred
together. So each combination is counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from mmeval_like._intervals.jackknife.estimand import Columns, Estimand
from mmeval_like._intervals.jackknife.left_out import LeftOut, chosen_units
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import Count, GrowingCount, IntSum
from mmeval_like._states.kinds.tally import Tally
from mmeval_like._states.results import Results
from mmeval_like._states.rows import Ragged
from mmeval_like._states.statistic import Augmented, Statistic

__all__ = [
    "WithJointCodes",
    "WithOddRows",
    "histogram_of",
    "without_codes",
    "without_joint_codes",
]

_ODD_ROWS, _JOINT = "odd_rows", "joint_codes"  # the states added to those of the statistic
_MOST = 1 << 62  # the maximum number of combinations, so that each is an int64
_ODD = -1  # marks a sample with another number of codes


class WithOddRows(Augmented):
    """A statistic of one histogram that also counts the samples of more, or less, than one code.

    The count is negative, so that it is never equal to the number of samples.
    """

    @classmethod
    def of(cls, inner: Statistic) -> WithOddRows | None:
        """Wrap a statistic of one histogram and sums of integers; return None for any other."""
        states = inner.states().values()
        sums = [state for state in states if isinstance(state, IntSum)]
        [*names] = _histograms(inner.states())
        one = len(names) == 1 and getattr(inner.states()[names[0]], "codes", 1) == 1
        return cls(inner) if one and len(sums) == len(states) - 1 else None

    @property
    def on_accelerator(self) -> bool:
        """The `on_accelerator` of the metric's statistic."""
        return self.inner.on_accelerator

    def states(self) -> dict[str, State]:
        """Return the states of the metric's statistic, and the number of odd rows."""
        return self.inner.states() | {_ODD_ROWS: IntSum(int, ())}

    def extended(self, rows: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the rows with whether each one is odd."""
        states = self.inner.states()
        [name] = _histograms(states)
        return {**rows, _ODD_ROWS: -_odd(states[name].check(name, rows[name])).astype(np.int8)}


class WithJointCodes(Augmented):
    """A statistic of several codes for each sample that also counts their combinations."""

    @classmethod
    def of(cls, inner: Statistic) -> WithJointCodes | None:
        """Wrap a statistic of histograms and sums of integers; return None for any other."""
        states = inner.states().values()
        counts = [state for state in states if type(state) is Count]
        sums = [state for state in states if isinstance(state, IntSum)]
        several = sum(state.codes for state in counts) > 1
        fits = math.prod(state.bins**state.codes for state in counts) < _MOST
        return cls(inner) if several and fits and len(counts) + len(sums) == len(states) else None

    def states(self) -> dict[str, State]:
        """Return the states of the metric's statistic, and the histogram of combinations."""
        return self.inner.states() | {_JOINT: Tally()}

    def extended(self, rows: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the rows with the combination of each sample."""
        joint: Any = 0
        for name, state in self.inner.states().items():
            if not isinstance(state, Count):
                continue
            codes: Any = state.check(name, rows[name])
            if not isinstance(codes, np.ndarray) or codes[:1].size != len(codes[:1]) * state.codes:
                joint = np.full(len(codes), _ODD, np.int64)
                break
            for column in codes.reshape(len(codes), state.codes).T:
                joint = joint * state.bins + column.astype(np.int64)
        return {**rows, _JOINT: joint}


def histogram_of(estimand: Estimand) -> str | None:
    """Return the state in which every sample has one code, or None if there is no such state."""
    counts = _histograms(estimand.states)
    others = [name for name in estimand.states if name not in counts]
    if len(counts) != 1 or estimand.constants(others) is None:
        return None
    _, numbers = _kinds(getattr(estimand.results, counts[0]))
    return counts[0] if sum(numbers.tolist()) == len(estimand.results) else None


def without_codes(estimand: Estimand) -> LeftOut | None:
    """Leave out a sample of each code; return None unless every sample has one code."""
    name = histogram_of(estimand)
    if name is None:
        return None
    counted, same = getattr(estimand.results, name), _of_each(estimand) or {}

    def without(codes: np.ndarray) -> Columns:
        found = None
        if not isinstance(counted, tuple):
            found = estimand.perturbed(estimand.results, codes, -1)
        if found is None:
            found = estimand.columns(_without(estimand, same, {name: [c]}) for c in codes.tolist())
        return found

    def alone(codes: np.ndarray) -> Columns:
        each = (_alone(estimand, same, {name: [code]}) for code in codes.tolist())
        return estimand.columns(each)

    return _left_out(estimand, *_kinds(counted), without, alone)


def without_joint_codes(estimand: Estimand) -> LeftOut | None:
    """Leave out a sample of each combination of codes; return None unless all are known."""
    if not isinstance(estimand.statistic, WithJointCodes):
        return None
    kinds, numbers = getattr(estimand.results, _JOINT)
    same = _of_each(estimand)
    if _ODD in kinds or same is None:
        return None
    counts = {n: state for n, state in estimand.states.items() if isinstance(state, Count)}

    def without(codes: np.ndarray) -> Columns:
        left = (_without(estimand, same, _apart(counts, code)) for code in codes.tolist())
        return estimand.columns(left)

    def alone(codes: np.ndarray) -> Columns:
        each = (_alone(estimand, same, _apart(counts, code)) for code in codes.tolist())
        return estimand.columns(each)

    return _left_out(estimand, kinds, numbers, without, alone)


def _left_out(
    estimand: Estimand,
    kinds: np.ndarray,
    numbers: np.ndarray,
    without: Callable[[np.ndarray], Columns],
    alone: Callable[[np.ndarray], Columns],
) -> LeftOut:
    places, weights = chosen_units(numbers.tolist())
    sampled = len(places) < len(kinds)
    chosen = kinds[places].astype(np.int64)
    return LeftOut(
        "sample",
        len(estimand.results),
        weights,
        lambda: without(chosen),
        sampled=sampled,
        alone=lambda: alone(chosen),
    )


def _of_each(estimand: Estimand) -> dict[str, Any] | None:
    """Return what each sample adds to the sums, or None if samples differ in this."""
    return estimand.constants(n for n, s in estimand.states.items() if isinstance(s, IntSum))


def _without(
    estimand: Estimand, same: Mapping[str, Any], codes: Mapping[str, Sequence[int]]
) -> Results:
    """Return the results without one sample, which has these codes in each histogram.

    Args:
        estimand: The estimand of all samples.
        same: What a sample adds to the sums.
        codes: The codes of the sample, by histogram.
    """
    left = len(estimand.results) - 1
    values: dict[str, Any] = {name: one * left for name, one in same.items()}
    for name, own in codes.items():
        value = getattr(estimand.results, name)
        if isinstance(value, tuple):
            kinds, numbers = value[0], value[1] - np.isin(value[0], own)
            values[name] = kinds[numbers > 0], numbers[numbers > 0]
            continue
        values[name] = value.copy()
        for code in own:
            values[name][code] -= 1
    return Results(values, left)


def _alone(
    estimand: Estimand, same: Mapping[str, Any], codes: Mapping[str, Sequence[int]]
) -> Results:
    """Return the results of one sample; the arguments are those of `_without`."""
    values: dict[str, Any] = dict(same)
    for name, own in codes.items():
        value = getattr(estimand.results, name)
        if isinstance(value, tuple):
            kinds, numbers = np.unique(np.array(own, value[0].dtype), return_counts=True)
            values[name] = kinds, numbers.astype(value[1].dtype)
            continue
        values[name] = np.zeros_like(value)
        for code in own:
            values[name][code] += 1
    return Results(values, 1)


def _apart(counts: Mapping[str, Count], joint: int) -> dict[str, list[int]]:
    """Return the codes, by histogram, that make up a combination."""
    codes: dict[str, list[int]] = {name: [] for name in counts}
    for name, state in reversed([*counts.items()]):
        for _ in range(state.codes):
            joint, code = divmod(joint, state.bins)
            codes[name].append(code)
    return codes


def _kinds(counted: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes that occur in a histogram, and the count of each."""
    if isinstance(counted, tuple):
        return counted
    return np.flatnonzero(counted), counted[counted > 0]


def _histograms(states: Mapping[str, State]) -> list[str]:
    return [n for n, s in states.items() if isinstance(s, Count | GrowingCount | Tally)]


def _odd(rows: Any) -> np.ndarray:
    """Return whether each row of codes has more, or less, than one code."""
    if isinstance(rows, Ragged):
        odd: np.ndarray = rows.lengths != 1
        return odd
    return np.full(len(rows), math.prod(rows.shape[1:]) != 1)
