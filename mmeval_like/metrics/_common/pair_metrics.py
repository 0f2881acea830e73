"""Signatures of `add`, for type checkers, of metrics whose `rows` are those of a statistic.

At run time both names are `BaseMetric`: a metric declares its inputs by `_takes_inputs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mmeval_like.writing import BaseMetric

__all__ = ["PairMetric", "WeightedPairMetric"]

if TYPE_CHECKING:

    class PairMetric(BaseMetric):
        """The base class of metrics that take `predictions` and `labels`."""

        def rows(self, predictions: Any, labels: Any) -> Mapping[str, Any]:
            """For type checkers."""

    class WeightedPairMetric(BaseMetric):
        """The base class of metrics that take `predictions`, `labels` and `sample_weight`."""

        def rows(
            self, predictions: Any, labels: Any, sample_weight: Any = None
        ) -> Mapping[str, Any]:
            """For type checkers."""

else:
    PairMetric = WeightedPairMetric = BaseMetric
