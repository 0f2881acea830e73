"""What is kept beside a metric's statistic, so that there are intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mmeval_like._states.results import Results
from mmeval_like._states.statistic import Statistic

__all__ = ["Augmented"]


@dataclass(frozen=True)
class Augmented(Statistic):
    """A statistic with states of its own beside those of a metric's.

    Attributes:
        inner: The statistic of the metric.
    """

    inner: Statistic

    @property
    def without_intervals(self) -> Statistic:
        """The statistic of the metric."""
        return self.inner

    def one_more(self, results: Results) -> Sequence[Results]:
        """Return what the statistic of the metric does."""
        return self.inner.one_more(results)
