"""LogLoss: the mean negative logarithm of the labels' predicted probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like import state
from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._common import ratio
from mmeval_like.metrics._probabilities import as_probabilities
from mmeval_like.metrics._weights import weighted
from mmeval_like.results import Results

__all__ = ["LogLoss"]


class LogLoss(BaseMetric):
    """Cross-entropy: sum(w * -ln(p[label])) / sum(w).

    Probabilities are first clipped to [eps, 1 - eps], so that one label of probability 0 does
    not make the mean infinite; probabilities of two or more classes are not rescaled.

    Args:
        eps: None: the machine epsilon of the probabilities' own dtype (2.2e-16 for float64,
            1.2e-7 for float32, 9.8e-4 for float16), as in scikit-learn; 0: no clipping.
        **options: As for `BaseMetric`.

    Returns of `compute`: `log_loss`, in nats, >= 0; nan without samples.

    Raises:
        ValueError: `eps` out of [0, 0.5).

    Example:
        >>> metric = LogLoss()
        >>> metric.add([[0.25, 0.75], [0.5, 0.5]], [1, 0])
        >>> round(metric.compute()["log_loss"], 6)  # (ln(4 / 3) + ln 2) / 2
        0.490415
    """

    every_rank_computes = True

    score = state.sum()
    weight = state.sum()

    def __init__(self, eps: float | None = None, **options: Any) -> None:
        super().__init__(**options)
        if eps is not None and not 0 <= eps < 0.5:
            raise ValueError(f"eps must be None or in [0, 0.5), got {eps}")
        self.eps = eps

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return the loss and the weight of every sample.

        Args:
            predictions: Probabilities of all classes (N, C), or of class 1 (N,).
            labels: Class indices (N,).
            sample_weight: Non-negative numbers (N,); None: all 1.

        Raises:
            TypeError, ValueError: As `as_probabilities` and `as_weights`.
        """
        values, labels = as_probabilities(predictions, labels)
        eps = float(np.finfo(values.dtype).eps) if self.eps is None else self.eps
        if values.ndim == 1:
            wide = values.astype(np.float64)
            own = np.where(labels == 1, wide, 1 - wide)
        else:
            own = values[np.arange(len(labels)), labels].astype(np.float64)
        with np.errstate(divide="ignore"):
            losses = -np.log(np.clip(own, eps, 1 - eps))
        return weighted(losses, sample_weight)

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `log_loss`."""
        return {"log_loss": ratio(results.score, results.weight)}
