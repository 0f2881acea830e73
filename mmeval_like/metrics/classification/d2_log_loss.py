"""D2LogLoss and D2Brier: scores of probabilities relative to predicting the class shares."""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.classification.log_loss import epsilon_of, minus_log
from mmeval_like.metrics.classification.probabilities import as_probabilities
from mmeval_like.metrics.classification.weighted_counts import WeightedCount, code_rows
from mmeval_like.writing import (
    BELOW_ONE,
    BaseMetric,
    MetricOptions,
    Results,
    State,
    Unpack,
    arrays,
    state,
)
from mmeval_like.writing.exact import entropy_of
from mmeval_like.writing.weights import as_weights, products

__all__ = ["D2Brier", "D2LogLoss"]


@shared_options
class ExplainedLoss(BaseMetric):
    """The base class of 1 - loss / (loss of always predicting the shares of classes in the labels).

    Args:
        num_classes: The number of classes C.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: `num_classes` is below 1.
    """

    every_rank_computes = True
    takes_scores = True

    key: ClassVar[str]

    def __init__(self, num_classes: int = 2, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        self.num_classes = check_count("num_classes", num_classes)

    @abstractmethod
    def losses(self, probabilities: np.ndarray, labels: np.ndarray, eps: float) -> np.ndarray:
        """Return the loss of every sample.

        Args:
            probabilities: float64, of all classes (N, C).
            labels: Class indices (N,).
            eps: The machine epsilon of the original dtype of the probabilities.
        """

    @abstractmethod
    def least(self, shares: list[Fraction]) -> float:
        """Return the mean loss of always predicting the shares: two or more, all positive."""

    def states(self) -> dict[str, State]:
        """Return the sum of losses, and of weights by class."""
        return {"loss": state.sum(), "classes": WeightedCount(self.num_classes)}

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return every sample's weighted loss, weight and class.

        Args:
            predictions: Probabilities of all classes (N, C), or with two classes of class 1 (N,).
            labels: Class indices (N,).
            sample_weight: The weight of each sample, numbers of at least 0 (N,); None: all are 1.

        Raises:
            TypeError, ValueError: The inputs are not numbers, shapes or lengths do not fit, labels
                are out of range, predictions have the wrong number of classes, or are not
                probabilities: nan, out of [0, 1], or, for all classes, not adding up to 1.
        """
        given, truth = as_probabilities(predictions, labels)
        values, eps = given.astype(np.float64), epsilon_of(given)
        if values.ndim == 1:
            values = np.stack([1 - values, values], axis=1)
        if values.shape[1] != self.num_classes and len(truth):
            raise ValueError(
                f"predictions must have num_classes={self.num_classes} classes, "
                f"got {values.shape[1]}"
            )
        weights = as_weights(sample_weight, len(truth))
        losses = self.losses(values, truth, eps) if len(truth) else np.zeros(0)
        return {
            "loss": products("the losses", losses, weights),
            "classes": code_rows(truth, weights),
        }

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return 1 minus the relative loss."""
        weights: Any = results.exact("classes")
        total = sum(weights.tolist(), Fraction(0))
        shares = [weight / total for weight in weights.tolist() if weight]
        if len(shares) < 2:
            return {self.key: math.nan}
        return {self.key: 1 - results.loss / float(total) / self.least(shares)}


class D2LogLoss(ExplainedLoss):
    """The fraction of the log loss of predicting class shares that a model avoids.

    The value is 1 - log loss / entropy. 1 is perfect, 0 is as good as always predicting q, the
    shares of the classes in the labels, and below 0 is worse than predicting q. Probabilities are
    clipped to [eps, 1 - eps], where eps is the machine epsilon of their dtype. Source: D. McFadden,
    "Conditional logit analysis of qualitative choice behavior" (1974).

    `add` takes `predictions`, probabilities (N, C), or (N,) of class 1, `labels` (N,), and
    `sample_weight` (N,).

    Formula:
        D^2 = 1 - (sum w (-ln(p_y))) / (sum w (-ln(q_y)))
        q_c = (sum w [y = c]) / (sum w)

    Args:
        **options: As for `ExplainedLoss`.

    Returns of `compute`: `d2_log_loss`, at most 1; nan where all labels are of one class, as
    without samples. Higher is better.

    Example:
        >>> metric = D2LogLoss()
        >>> metric.add([0.75, 0.25, 0.5, 0.5], [1, 0, 1, 0])
        >>> round(metric.compute()["d2_log_loss"], 6)  # 1 - (ln(4 / 3) + ln 2) / 2 / ln 2
        0.292481
    """

    processor_dependent = "log and exp"
    class_inputs = ("labels",)

    key = "d2_log_loss"
    ranges = BELOW_ONE
    higher_is_better = True

    def losses(self, probabilities: np.ndarray, labels: np.ndarray, eps: float) -> np.ndarray:
        """Return the negative logarithm of the label's probability for every sample."""
        return minus_log(probabilities[np.arange(len(labels)), labels], eps)

    def least(self, shares: list[Fraction]) -> float:
        """Return the entropy."""
        return entropy_of(shares)


class D2Brier(ExplainedLoss):
    """The Brier skill score: the fraction of the class shares' Brier score that a model avoids.

    The value is 1 - (Brier score of the predictions) / (Brier score of always predicting q, the
    shares of the classes in the labels). 1 is perfect, 0 is no better than predicting q, and below
    0 is worse. Source: G. W. Brier, "Verification of forecasts expressed in terms of
    probability", Monthly Weather Review 78 (1950).

    `add` takes `predictions`, probabilities (N, C), or (N,) of class 1, `labels` (N,), and
    `sample_weight` (N,).

    Formula:
        D^2 = 1 - brier(p) / brier(q)
        q_c = (sum w [y = c]) / (sum w)

    Args:
        **options: As for `ExplainedLoss`.

    Returns of `compute`: `d2_brier`, at most 1; nan where all labels are of one class, as without
    samples. Higher is better.

    Example:
        >>> metric = D2Brier()
        >>> metric.add([0.75, 0.25, 0.5, 0.5], [1, 0, 1, 0])
        >>> metric.compute()  # 1 - (1/16 + 1/4) / 2 / (1/4)
        {'d2_brier': 0.375}
    """

    class_inputs = ("labels",)

    key = "d2_brier"
    ranges = BELOW_ONE
    higher_is_better = True

    def losses(self, probabilities: np.ndarray, labels: np.ndarray, eps: float) -> np.ndarray:
        """Return the squared distances of the probabilities from the outcomes."""
        errors = probabilities.copy()
        errors[np.arange(len(labels)), labels] -= 1
        return arrays.sum_rows(errors * errors)

    def least(self, shares: list[Fraction]) -> float:
        """Return the mean squared distance of the shares from the outcomes."""
        return float(1 - sum((share * share for share in shares), Fraction(0)))
