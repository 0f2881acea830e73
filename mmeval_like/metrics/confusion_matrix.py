"""ConfusionMatrix: how often each class was predicted for each label."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.metric import BaseMetric
from mmeval_like.metrics.class_counts import ConfusionCounts
from mmeval_like.results import Results

__all__ = ["ConfusionMatrix"]

_NORMALIZE = (None, "true", "pred", "all")


class ConfusionMatrix(BaseMetric):
    """The number of samples of each label (rows) and each predicted class (columns).

    Args:
        num_classes: The number of classes C.
        normalize: None: counts. "true": shares of each label's samples, rows add up to 1.
            "pred": shares of each prediction's samples, columns add up to 1. "all": shares of
            all samples. Shares of no samples are 0.
        use_sample_weight: `add` takes `sample_weight`; sums are then exact sums of floats, of
            560 bytes of memory each.
        **options: As for `BaseMetric`.

    Returns of `compute`: `confusion_matrix`, an array (C, C): int64 counts; float64 shares or
    sums of weights. Without samples: zeros.

    Raises:
        ValueError: num_classes below 1, or an unknown `normalize`.

    Example:
        >>> metric = ConfusionMatrix(num_classes=2)
        >>> metric.add(predictions=[0, 1, 1], labels=[0, 0, 1])
        >>> metric.compute()["confusion_matrix"]
        array([[1, 1],
               [0, 1]])
    """

    every_rank_computes = True

    def __init__(
        self,
        num_classes: int,
        normalize: str | None = None,
        use_sample_weight: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if num_classes < 1:
            raise ValueError(f"num_classes must be positive, got {num_classes}")
        if normalize not in _NORMALIZE:
            raise ValueError(f"normalize must be one of {_NORMALIZE}, got {normalize!r}")
        self.normalize = normalize
        self._counts = ConfusionCounts(num_classes, use_sample_weight)
        self.statistic = self._counts

    def compute_metric(self, results: Results) -> dict[str, np.ndarray]:
        """Return `confusion_matrix`."""
        matrix = self._counts.matrix(results)
        if self.normalize is None:
            return {"confusion_matrix": matrix.copy()}
        _, predicted, support = self._counts.table(results)[:, 0]
        total = {
            "true": support[:, None],
            "pred": predicted,
            "all": np.array(sum(support.tolist())),
        }[self.normalize]
        shares = np.zeros(matrix.shape)
        np.divide(matrix, total, out=shares, where=np.broadcast_to(total > 0, matrix.shape))
        return {"confusion_matrix": shares}
