"""D2PinballScore and D2TweedieScore: losses relative to that of the best constant."""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.number_inputs import read_pair
from mmeval_like.metrics.regression.tweedie_deviance_score import check_power, unit_deviance
from mmeval_like.writing import BELOW_ONE, BaseMetric, MetricOptions, Results, Unpack, arrays, state
from mmeval_like.writing.exact import ExactSum

__all__ = ["D2PinballScore", "D2TweedieScore"]


_MOST = 1e100
_LEAST_LOSS = np.finfo(np.float64).tiny


class BesideConstant(BaseMetric):
    """The base class of metrics 1 - loss / (loss of the best constant prediction)."""

    key: ClassVar[str]
    zero_if_equal: ClassVar[bool] = False
    """Whether a loss is 0 only for equal numbers."""

    loss = state.sum()
    labels = state.cat()

    @abstractmethod
    def losses(self, predictions: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the loss of every number; raise ValueError where no loss is defined."""

    @abstractmethod
    def constant(self, labels: np.ndarray) -> float:
        """Return the constant of least loss for labels (n,) in ascending order."""

    def excess(self, labels: np.ndarray) -> float:
        """Return the part of the loss that comes from rounding the constant; 0 by default."""
        return 0.0

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        """Return the loss and the label of every sample.

        Args:
            predictions: Numbers (N,) of any real dtype.
            labels: The same shape.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes do not fit; a value is nan or infinite; an integer is beyond 2^53; a
                magnitude is above 1e100; or a loss is not defined, or too large or too small for
                float64.
        """
        wide, truth = (column[:, 0] for column in read_pair(predictions, labels, 1))
        for name, column in (("predictions", wide), ("labels", truth)):
            rule = f"must not exceed {_MOST:g} in magnitude"
            arrays.require(name, column, np.abs(column) <= _MOST, rule)
        with np.errstate(over="ignore", invalid="ignore"):
            loss = self.losses(wide, truth)
        held = np.isfinite(loss)
        if self.zero_if_equal:
            held &= (loss >= _LEAST_LOSS) | (wide == truth)
        arrays.require("predictions", wide, held, "must have a loss that float64 can represent")
        return {"loss": loss, "labels": truth}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the share of the constant's loss that is saved; 1 or 0 if that loss is 0."""
        labels = np.sort(np.asarray(results.labels))
        if len(labels) < 2:
            return {self.key: math.nan}
        constant = np.full(len(labels), self.constant(labels))
        total = ExactSum()
        with np.errstate(over="ignore", invalid="ignore"):
            total.add(self.losses(constant, labels))
        least = total.value()
        if math.isfinite(least):
            total.add(np.array([-self.excess(labels)]))
            least = total.value()
        if not least:
            return {self.key: float(not results.loss)}
        if not math.isfinite(least):
            return {self.key: math.nan}
        return {self.key: 1 - results.loss / least}


class D2PinballScore(BesideConstant):
    """How much of the pinball loss of the best constant the predictions save.

    The value is 1 - (loss of the predictions p) / (loss of the best constant). The best constant is
    q_alpha, the quantile of the labels y at `alpha`; at 0.5 it is their median, and the losses are
    then absolute errors. A value of 1 is perfect, 0 is no better than the constant, and below 0 is
    worse. Labels are kept, 8 bytes each. Source: R. Koenker and J. A. F. Machado, "Goodness of fit
    and related inference processes for quantile regression", JASA 94 (1999).

    `add` takes `predictions` and `labels`, (N,), of any real dtype, finite.

    Formula:
        D^2 = 1 - (sum loss(y, p)) / (sum loss(y, q_alpha))
        loss(y, p) = max(alpha (y - p), (alpha - 1) (y - p))

    Args:
        alpha: The quantile in [0, 1].
        **options: As for `BaseMetric`.

    Returns of `compute`: `d2_pinball`, at most 1; nan with fewer than two samples. If the best
    constant has no loss, for instance because all labels are equal, the value is 1 for perfect
    predictions and 0 otherwise. Higher is better.

    Raises:
        ValueError: `alpha` is out of [0, 1].

    Example:
        >>> metric = D2PinballScore()
        >>> metric.add(predictions=[1.0, 3.0, 5.0], labels=[1.0, 2.0, 5.0])
        >>> metric.compute()  # 1 - 1 / (1 + 0 + 3)
        {'d2_pinball': 0.75}
    """

    key = "d2_pinball"
    ranges = BELOW_ONE
    higher_is_better = True

    def __init__(self, alpha: float = 0.5, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        if not 0 <= alpha <= 1:
            raise ValueError(f"alpha must be in [0, 1], got {alpha}")
        self.alpha = float(alpha)

    def losses(self, predictions: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the pinball losses."""
        error = labels - predictions
        found: np.ndarray = np.maximum(self.alpha * error, (self.alpha - 1) * error)
        return found

    def constant(self, labels: np.ndarray) -> float:
        """Return the lower quantile; every number from it to the upper one has the same loss."""
        return float(labels[max(math.ceil(Fraction(self.alpha) * len(labels)) - 1, 0)])


class D2TweedieScore(BesideConstant):
    """How much of the Tweedie deviance of the labels' mean the predictions save.

    The value is 1 - (deviance of the predictions p) / (deviance of the mean of the labels y). A
    value of 1 is perfect, 0 is no better than always predicting the mean, and below 0 is worse;
    with power 0 the value is R2. The deviance dev is that of `TweedieDevianceScore`. Labels are
    kept, 8 bytes each. Source: T. Hastie, R. Tibshirani and M. Wainwright, "Statistical learning
    with sparsity" (2015), section 3.

    `add` takes `predictions` and `labels`, (N,), of any real dtype, finite. Powers other than 0
    need predictions > 0; for powers in [1, 2) labels must not be negative, and for powers of 2 or
    more they must be positive.

    Formula:
        D^2 = 1 - (sum dev(y, p)) / (sum dev(y, bar y))

    Args:
        power: The power of `TweedieDevianceScore`: 0 for a normal, 1 for a Poisson, 2 for a gamma
            distribution. It must not be in (0, 1).
        **options: As for `BaseMetric`.

    Returns of `compute`: `d2_tweedie`, at most 1; for labels that are all equal, 1 if predictions
    are perfect and 0 otherwise; nan with fewer than two samples, or if the deviance of the mean is
    undefined or beyond float64. Higher is better.

    Raises:
        ValueError: The power is in (0, 1), or not finite.

    Example:
        >>> metric = D2TweedieScore(power=1)
        >>> metric.add(predictions=[1.0, 3.0], labels=[1.0, 2.0])
        >>> round(metric.compute()["d2_tweedie"], 6)  # 1 - 0.378140 / 0.339798
        -0.112836
    """

    processor_dependent = "log and power"
    key = "d2_tweedie"
    zero_if_equal = True
    ranges = BELOW_ONE
    higher_is_better = True

    def __init__(self, power: float = 0.0, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        self.power = check_power(power)

    def losses(self, predictions: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the deviances."""
        return unit_deviance(predictions, labels, self.power)

    def constant(self, labels: np.ndarray) -> float:
        """Return the mean, rounded once: that of equal labels is the label."""
        return float(_mean(labels))

    def excess(self, labels: np.ndarray) -> float:
        """Return the number of labels times the deviance of the mean from the rounded mean.

        It matters for labels so far from 0 that their mean is between two floats.
        """
        mean = _mean(labels)
        rounded = float(mean)
        error = float(mean - Fraction(rounded))
        if not error:
            return 0.0
        with np.errstate(over="ignore", under="ignore"):
            found = len(labels) * np.square(error / rounded) * np.power(rounded, 2 - self.power)
        return float(found)


def _mean(labels: np.ndarray) -> Fraction:
    """Return the exact mean."""
    total = ExactSum()
    total.add(labels)
    return Fraction(total.fraction()) / len(labels)
