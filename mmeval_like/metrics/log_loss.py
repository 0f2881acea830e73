"""LogLoss: the mean negative logarithm of the labels' predicted probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like.metrics._shared.probabilities import as_probabilities
from mmeval_like.metrics.means import SampleMean
from mmeval_like.options import MetricOptions, Unpack

__all__ = ["LogLoss"]


class LogLoss(SampleMean):
    """Cross-entropy: sum(w * -ln(p[label])) / sum(w).

    Probabilities are first clipped to [eps, 1 - eps], so that one label of probability 0 does
    not make the mean infinite; probabilities of two or more classes are not rescaled. With label
    smoothing s the label has the share 1 - s, and all C classes (of class 1 alone: two) s / C
    each: (1 - s) * -ln(p[label]) + s / C * sum over classes of -ln(p[c]). Source: C. Szegedy et
    al., "Rethinking the Inception architecture for computer vision" (CVPR 2016).

    Args:
        eps: None: the machine epsilon of the probabilities' own dtype (2.2e-16 for float64,
            1.2e-7 for float32, 9.8e-4 for float16), as in scikit-learn; 0: no clipping.
        from_logits: Predictions are logits, finite numbers before softmax, or before a sigmoid
            where they are (N,). Logarithms are then taken without rounding probabilities, and
            nothing is clipped.
        label_smoothing: s in [0, 1).
        **options: As for `BaseMetric`.

    Returns of `compute`: `log_loss`, in nats, >= 0; nan without samples.

    Raises:
        ValueError: `eps` out of [0, 0.5), or `label_smoothing` out of [0, 1).

    Example:
        >>> metric = LogLoss()
        >>> metric.add([[0.25, 0.75], [0.5, 0.5]], [1, 0])
        >>> round(metric.compute()["log_loss"], 6)  # (ln(4 / 3) + ln 2) / 2
        0.490415
        >>> metric = LogLoss(from_logits=True)
        >>> metric.add([-800.0], [1])
        >>> metric.compute()
        {'log_loss': 800.0}
    """

    key = "log_loss"

    def __init__(
        self,
        eps: float | None = None,
        *,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        if not 0 <= label_smoothing < 1:
            raise ValueError(f"label_smoothing must be in [0, 1), got {label_smoothing}")
        if eps is not None and not 0 <= eps < 0.5:
            raise ValueError(f"eps must be None or in [0, 0.5), got {eps}")
        self.eps, self.from_logits, self.label_smoothing = eps, from_logits, label_smoothing

    def scores(self, predictions: Any, labels: Any) -> np.ndarray:
        """Return the loss of every sample.

        Args:
            predictions: Probabilities, or logits, of all classes (N, C), or of class 1 (N,).
            labels: Class indices (N,).

        Raises:
            TypeError, ValueError: As `as_probabilities`.
        """
        values, labels = as_probabilities(predictions, labels, from_logits=self.from_logits)
        # C-contiguous: only then is every element of exp and log the same wherever it stands.
        wide, own = np.ascontiguousarray(values, np.float64), (np.arange(len(labels)), labels)
        if self.from_logits:
            costs = _costs(wide)
        else:
            eps = float(np.finfo(values.dtype).eps) if self.eps is None else self.eps
            shares = np.stack([1 - wide, wide], axis=1) if wide.ndim == 1 else wide
            if not self.label_smoothing:
                return _minus_log(shares[own], eps)
            costs = _minus_log(shares, eps)
        losses: np.ndarray = costs[own]
        if self.label_smoothing and costs.size:
            spread = arrays.sum_rows(costs) * (self.label_smoothing / costs.shape[1])
            losses = (1 - self.label_smoothing) * losses + spread
        return losses


def _minus_log(shares: np.ndarray, eps: float) -> np.ndarray:
    with np.errstate(divide="ignore"):
        found: np.ndarray = -np.log(np.clip(shares, eps, 1 - eps))
    return found


def _costs(logits: np.ndarray) -> np.ndarray:
    """Return -ln of every class's probability (N, C), from logits."""
    if logits.ndim == 1:
        both: np.ndarray = np.logaddexp(0.0, np.stack([logits, -logits], axis=1))
        return both
    with np.errstate(over="ignore"):  # a loss beyond float64 is infinite
        shifted = logits - logits.max(axis=1, initial=-np.inf)[:, None]
    costs: np.ndarray = np.log(arrays.sum_rows(np.exp(shifted)))[:, None] - shifted
    return costs
