"""Joint codes: several histograms can lose a sample of every kind, if each kind is counted.

A statistic of several histograms knows how often each code came, and not which of them came
together. Beside them it is counted how often each combination did.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mmeval_like._intervals.jackknife.augmented import Augmented
from mmeval_like._intervals.jackknife.codes import Codes, constant
from mmeval_like._intervals.jackknife.estimand import Estimand
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import Count, IntSum
from mmeval_like._states.kinds.tally import Tally
from mmeval_like._states.results import Results
from mmeval_like._states.statistic import Statistic

__all__ = ["JointCodes", "WithJointCodes"]

_JOINT = "joint_codes"  # the state beside the statistic's own
_MOST = 1 << 62  # combinations, so that each is an int64
_ODD = -1  # stands for a sample that has another number of codes


class WithJointCodes(Augmented):
    """A statistic of several codes for each sample that also counts which of them come together."""

    @classmethod
    def of(cls, inner: Statistic) -> WithJointCodes | None:
        """Return it for a statistic of histograms and sums of integers; None for any other."""
        states = inner.states().values()
        counts = [state for state in states if type(state) is Count]
        sums = [state for state in states if isinstance(state, IntSum)]
        several = sum(state.codes for state in counts) > 1
        fits = math.prod(state.bins**state.codes for state in counts) < _MOST
        return cls(inner) if several and fits and len(counts) + len(sums) == len(states) else None

    def why_thin(self, results: Results) -> str | None:
        """Return what the statistic of the metric says."""
        return self.inner.why_thin(results)

    def states(self) -> dict[str, State]:
        """Return the states of the metric's statistic, and the histogram of combinations."""
        return self.inner.states() | {_JOINT: Tally()}

    def rows(self, *batch: Any, **named: Any) -> Mapping[str, Any]:
        """Return the rows of the metric's statistic, and for each sample its combination."""
        rows = dict(self.inner.rows(*batch, **named))
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
        return rows | {_JOINT: joint}


class JointCodes(Codes):
    """Results in which every combination of codes is known.

    Args:
        estimand: The numbers, and the results that they come from.
    """

    def __init__(self, estimand: Estimand) -> None:
        super().__init__(_JOINT, estimand)

    @classmethod
    def of(cls, estimand: Estimand) -> JointCodes | None:
        """Return the combinations of results; None if a sample has another number of codes."""
        if not isinstance(estimand.statistic, WithJointCodes):
            return None
        codes, _ = getattr(estimand.results, _JOINT)
        sums = {n: s for n, s in estimand.states.items() if isinstance(s, IntSum)}
        if _ODD in codes or not all(constant(s, estimand.results, n) for n, s in sums.items()):
            return None
        return cls(estimand)

    def _without(self, place: int) -> Results:
        results, joint, count = self._estimand.results, self._codes[place], self._count - 1
        values: dict[str, Any] = {}
        for name, state in reversed([*self._estimand.states.items()]):
            if not isinstance(state, Count):
                if name != _JOINT:
                    values[name] = getattr(results, name) // self._count * count
                continue
            values[name] = getattr(results, name).copy()
            for _ in range(state.codes):
                joint, code = divmod(joint, state.bins)
                values[name][code] -= 1
        return Results(values, count)
