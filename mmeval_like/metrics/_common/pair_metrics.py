"""What `add` takes of metrics whose rows are those of a shared statistic: for type checkers.

At run time a metric says so by `_takes_inputs`, and these bases do nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mmeval_like.writing import BaseMetric

__all__ = ["PairMetric", "WeightedPairMetric"]


class PairMetric(BaseMetric):
    """The base of metrics that take `predictions` and `labels`."""

    if TYPE_CHECKING:

        def rows(self, predictions: Any, labels: Any) -> Mapping[str, Any]:
            """For type checkers."""


class WeightedPairMetric(BaseMetric):
    """The base of metrics that take `predictions`, `labels` and `sample_weight`."""

    if TYPE_CHECKING:

        def rows(
            self, predictions: Any, labels: Any, sample_weight: Any = None
        ) -> Mapping[str, Any]:
            """For type checkers."""
