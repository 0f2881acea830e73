"""LogLoss: the mean negative logarithm of the labels' predicted probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import TASKS, check_ignore_index
from mmeval_like.metrics.classification.class_inputs import flatten
from mmeval_like.metrics.classification.probabilities import as_probabilities
from mmeval_like.writing import NOT_NEGATIVE, MetricOptions, RatioOfSums, Unpack, arrays
from mmeval_like.writing.weights import weighted

__all__ = ["LogLoss", "minus_log", "minus_logs"]


class LogLoss(RatioOfSums):
    """The log loss, or cross-entropy: the mean of -ln of the label's predicted probability.

    Probabilities are first clipped to [eps, 1 - eps], so that one label of probability 0 does not
    make the mean infinite. After clipping they are not rescaled to add up to 1. With label
    smoothing s a sample's loss is (1 - s) * -ln(p[label]) + s / C * (sum over the C classes of
    -ln(p[c])); if only probabilities of class 1 are given, C is 2. Source: C. Szegedy et al.,
    "Rethinking the Inception architecture for computer vision" (CVPR 2016).

    A sample may have many positions, such as tokens or pixels, or an entry for each of many
    classes. Each position or entry counts once, with the weight of its sample.

    Formula:
        loss = (sum w (-ln(p_y))) / (sum w)

    Args:
        eps: The bound for clipping. None: the machine epsilon of the probabilities' own dtype
            (2.2e-16 for float64 and wider, 1.2e-7 for float32, 9.8e-4 for float16), as in
            scikit-learn. 0: probabilities are not clipped.
        from_logits: Whether predictions are logits: finite numbers before a softmax, or before a
            sigmoid if they are logits of class 1. No probability is then rounded or clipped before
            its logarithm is taken.
        label_smoothing: The share s, in [0, 1), that is spread evenly over all classes.
        task: "multiclass": predictions are of all classes, (N, C, ...), and labels are class
            indices (N, ...). "binary": predictions are of class 1, (N, ...), and labels are 0 and
            1 (N, ...). "multilabel": predictions are of classes that do not exclude each other,
            (N, C, ...), and labels are 0 and 1 (N, C, ...). None: binary if predictions are (N,),
            otherwise multiclass.
        ignore_index: Positions (multilabel: entries) with this label do not count.
        **options: As for `BaseMetric`.

    Returns of `compute`: `log_loss`, in nats, >= 0; nan without positions that count. Lower is
    better.

    Raises:
        ValueError: `eps` is out of [0, 0.5), `label_smoothing` is out of [0, 1), or the task is
            unknown.

    Example:
        >>> metric = LogLoss()
        >>> metric.add([[0.25, 0.75], [0.5, 0.5]], [1, 0])
        >>> round(metric.compute()["log_loss"], 6)  # (ln(4 / 3) + ln 2) / 2
        0.490415
        >>> metric = LogLoss(from_logits=True)
        >>> metric.add([-800.0], [1])
        >>> metric.compute()
        {'log_loss': 800.0}
        >>> metric = LogLoss(task="multilabel", ignore_index=-1)
        >>> metric.add([[0.5, 0.5, 0.9]], [[0, 1, -1]])
        >>> round(metric.compute()["log_loss"], 6)  # ln 2
        0.693147
    """

    processor_dependent = "log and exp"
    class_inputs = ("labels",)
    takes_scores = True

    key = "log_loss"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(
        self,
        eps: float | None = None,
        *,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        task: str | None = None,
        ignore_index: int | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        if not 0 <= label_smoothing < 1:
            raise ValueError(f"label_smoothing must be in [0, 1), got {label_smoothing}")
        if eps is not None and not 0 <= eps < 0.5:
            raise ValueError(f"eps must be None or in [0, 0.5), got {eps}")
        if task not in (None, *TASKS):
            raise ValueError(f"task must be None or one of {[*TASKS]}, got {task!r}")
        self.eps, self.from_logits, self.label_smoothing = eps, from_logits, label_smoothing
        check_ignore_index(ignore_index)
        self.task, self.ignore_index = task, ignore_index

    def parts(self, predictions: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return every sample's summed loss, and the number of its positions that count.

        Args:
            predictions: Probabilities, or logits, of all classes (N, C, ...), or of class 1 (N,
                ...); a list of arrays where samples have different numbers of positions.
            labels: Class indices (N, ...), or 0 and 1 in the shape of the predictions.

        Raises:
            TypeError, ValueError: The inputs are not numbers, shapes or lengths do not fit, labels
                are out of range, or predictions are not probabilities: nan, out of [0, 1], or, for
                all classes, not adding up to 1.
        """
        values, truth, layout = flatten(predictions, labels)
        one_class = self.task in ("binary", "multilabel")
        if self.task is None and layout.lengths is not None and values.ndim == 1:
            raise ValueError(
                "predictions must have the classes on axis 1, or pass task=: predictions of the "
                'labels\' shape may be "binary" or "multilabel"; if the labels are one-hot, pass '
                "labels.argmax(1)"
            )
        if self.task == "multilabel" and layout.lengths is None and len(truth):
            raise ValueError(f"labels must have shape (N, C, ...), got {truth.shape}")
        counted = np.ones(len(truth), np.bool_)
        if self.ignore_index is not None:
            counted = truth != self.ignore_index
            truth = np.where(counted, truth, 0)
        task = "binary" if one_class else self.task
        losses = self._losses(*as_probabilities(values, truth, task, self.from_logits))
        losses = np.where(counted, losses, 0.0)
        return layout.sums(losses), layout.sums(counted)

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return rows of samples of one position with a given loss."""
        loss = self.score_of(fill, self.key)
        if loss is None or fill == "best":  # there is no worst one
            return None
        rows = weighted(np.full(count, loss), inputs.get("sample_weight"))
        return {"numerator": rows["score"], "denominator": rows["weight"]}

    def _losses(self, values: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the loss of every position."""
        # C-contiguous, so that exp and log do not depend on the position of an element.
        wide, own = np.ascontiguousarray(values, np.float64), (np.arange(len(labels)), labels)
        if self.from_logits:
            costs = _costs(wide)
        else:
            eps = epsilon_of(values) if self.eps is None else self.eps
            if not self.label_smoothing and wide.ndim == 2:
                return minus_log(wide[own], eps)
            costs = minus_logs(wide, eps) if wide.ndim == 1 else minus_log(wide, eps)
        losses: np.ndarray = costs[own]
        if self.label_smoothing and costs.size:
            spread = arrays.sum_rows(costs) * (self.label_smoothing / costs.shape[1])
            losses = (1 - self.label_smoothing) * losses + spread
        return losses


def epsilon_of(shares: np.ndarray) -> float:
    """Return the epsilon of the dtype, at least that of float64, in which 1 - eps is below 1."""
    return float(max(np.finfo(shares.dtype).eps, np.finfo(np.float64).eps))


def minus_log(shares: np.ndarray, eps: float) -> np.ndarray:
    """Return -ln of probabilities, clipped to [eps, 1 - eps]."""
    with np.errstate(divide="ignore"):
        found: np.ndarray = -np.log(np.clip(shares, eps, 1 - eps))
    return found


def minus_logs(shares: np.ndarray, eps: float) -> np.ndarray:
    """Return -ln(1 - p) and -ln(p) (N, 2) of probabilities p of class 1, clipped likewise."""
    clipped = np.clip(shares, eps, 1 - eps)
    with np.errstate(divide="ignore"):  # 1 - p would be rounded
        found: np.ndarray = np.stack([-np.log1p(-clipped), -np.log(clipped)], axis=1)
    return found


def _costs(logits: np.ndarray) -> np.ndarray:
    """Return -ln of every class's probability (N, C), from logits.

    For the likeliest class, it is ln(1 + r) with the sum r of the others' probabilities relative to
    its own. r is summed on its own, since 1 + r would hide a small one.
    """
    if logits.ndim == 1:
        both: np.ndarray = np.logaddexp(0.0, np.stack([logits, -logits], axis=1))
        return both
    if not logits.size:
        return np.zeros(logits.shape)
    top = np.arange(len(logits)), logits.argmax(axis=1)
    with np.errstate(over="ignore"):  # a loss above float64 is infinite
        shifted = logits - logits[top][:, None]
    powers = np.exp(shifted)
    powers[top] = 0.0
    costs: np.ndarray = np.log1p(arrays.sum_rows(powers))[:, None] - shifted
    return costs
