"""TweedieDevianceScore, PoissonLoss, MeanSquaredLogError and LogCoshError: losses per number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import combine_outputs
from mmeval_like.metrics.regression.regression_metrics import RegressionMean
from mmeval_like.writing import NOT_NEGATIVE, Results, arrays

__all__ = [
    "LogCoshError",
    "MeanSquaredLogError",
    "PoissonLoss",
    "TweedieDevianceScore",
    "check_power",
    "unit_deviance",
]


_AT, _OF = np.polynomial.legendre.leggauss(8)
_NODES, _NODE_WEIGHTS = (_AT + 1) / 2, _OF / 2  # Gauss's rule on [0, 1]


class TweedieDevianceScore(RegressionMean):
    """The mean deviance of a Tweedie distribution, such as Poisson or gamma.

    The prediction p is the mean of the distribution, and y the label. The deviance of a sample is
    d_0 for power 0, a normal distribution, which gives the squared error; d_1 for power 1, a
    Poisson distribution; d_2 for power 2, a gamma distribution; and d_r for any other power r.
    Source: B. Jørgensen, "The theory of dispersion models" (1997).

    `add` takes `predictions` and `labels`, (N,) or (N, D), of any real dtype, finite, and
    `sample_weight` (N,). Powers other than 0 need predictions > 0; for powers in [1, 2) labels must
    not be negative, and for powers of 2 or more they must be positive.

    Formula:
        d_0 = (y - p)^2
        d_1 = 2 (y ln(y/p) - y + p)
        d_2 = 2 (ln(p/y) + y/p - 1)
        d_r = 2 (max(y, 0)^(2 - r) / ((1 - r) (2 - r)) - y p^(1 - r)/(1 - r) + p^(2 - r)/(2 - r))

    Args:
        power: The power r for which the variance is proportional to mean^r; not in (0, 1).
        **options: As for `RegressionMean`.

    Returns of `compute`: `tweedie`, at least 0; nan without samples. Lower is better.

    Raises:
        ValueError: The power is in (0, 1), or not finite.

    Example:
        >>> metric = TweedieDevianceScore(power=2)
        >>> metric.add(predictions=[1.0, 2.0], labels=[1.0, 1.0])
        >>> round(metric.compute()["tweedie"], 6)  # ln 2 + 1 / 2 - 1
        0.193147
    """

    processor_dependent = "log and power"
    key = "tweedie"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(self, power: float = 0.0, **options: Any) -> None:
        super().__init__(**options)
        self.power = check_power(power)

    def errors(self, predictions: np.ndarray, labels: np.ndarray) -> Any:
        """Return the deviances."""
        return unit_deviance(predictions, labels, self.power)


def check_power(power: float) -> float:
    """Return the power of a Tweedie distribution; raise ValueError in (0, 1), where none exists."""
    if 0 < power < 1 or not math.isfinite(power):
        raise ValueError(f"power must be finite and not in (0, 1), got {power}")
    return power


def unit_deviance(predictions: np.ndarray, labels: np.ndarray, power: float) -> np.ndarray:
    """Return the deviance of every number; see `TweedieDevianceScore`.

    Raises:
        ValueError: A number has a sign that the distribution does not allow.
    """
    p, y, r = predictions, labels, float(power)
    if r == 0:
        squares: np.ndarray = np.square(y - p)
        return squares
    arrays.require("predictions", p, p > 0, f"must be positive with power={power}")
    if r >= 1:
        good, sign = (y > 0, "be positive") if r >= 2 else (y >= 0, "not be negative")
        arrays.require("labels", y, good, f"must {sign} with power={power}")
    if r == 1:
        terms = y * _log_quotient(np.where(y > 0, y, p), p) - y + p
    elif r == 2:
        terms = _log_quotient(p, y) + y / p - 1
    else:
        first = np.power(np.maximum(y, 0), 2 - r) / ((1 - r) * (2 - r))
        terms = first - y * np.power(p, 1 - r) / (1 - r) + np.power(p, 2 - r) / (2 - r)
    found: np.ndarray = np.maximum(2 * terms, 0.0)  # rounding may give values below 0
    close = np.abs(y - p) <= p / 8  # the terms would cancel each other
    if close.any():
        found[close] = _close_deviance(p[close], y[close], r)
    return found


def _close_deviance(p: np.ndarray, y: np.ndarray, r: float) -> np.ndarray:
    """Return the deviance of labels near their predictions, as an integral of positive numbers.

    It is 2 p^(2 - r) d^2 times the integral from 0 to 1 of (1 - s) (1 + s d)^(-r), where
    d = (y - p) / p.
    """
    d = (y - p) / p
    integral = np.zeros_like(d)
    for s, weight in zip(_NODES, _NODE_WEIGHTS, strict=True):
        integral += weight * (1 - s) * (1 + s * d) ** -r
    found: np.ndarray = 2 * np.power(p, 2 - r) * np.square(d) * integral
    return found


def _log_quotient(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return ln(above / below) for positive numbers, even if the quotient is not a normal float."""
    with np.errstate(over="ignore", under="ignore"):
        quotient = above / below
    normal = (quotient >= np.finfo(np.float64).tiny) & (quotient < np.inf)
    found = np.log(np.where(normal, quotient, 1.0))
    if not normal.all():
        found = np.where(normal, found, np.log(above) - np.log(below))
    return found


class PoissonLoss(RegressionMean):
    """The Poisson loss: the negative log-likelihood of counts, up to a term of the labels alone.

    Training libraries call this the Poisson loss. The loss minus its minimum, which it reaches at p
    = y, is half the deviance of `TweedieDevianceScore(power=1)`. Source: J. A. Nelder and R. W. M.
    Wedderburn, "Generalized linear models", Journal of the Royal Statistical Society A 135 (1972).

    `add` takes `predictions` > 0 and `labels` >= 0, (N,) or (N, D), of any real dtype, finite, and
    `sample_weight` (N,).

    Formula:
        loss = (sum w (p - y ln(p))) / (sum w)

    Args:
        **options: As for `RegressionMean`.

    Returns of `compute`: `poisson`, of any sign; nan without samples. Lower is better.

    Example:
        >>> metric = PoissonLoss()
        >>> metric.add(predictions=[1.0, 2.0], labels=[3.0, 1.0])
        >>> round(metric.compute()["poisson"], 6)  # (1 + 2 - ln 2) / 2
        1.153426
    """

    processor_dependent = "log"
    key = "poisson"
    higher_is_better = False

    def errors(self, predictions: np.ndarray, labels: np.ndarray) -> Any:
        """Return the losses."""
        arrays.require("predictions", predictions, predictions > 0, "must be positive")
        arrays.check_not_negative("labels", labels)
        return predictions - labels * np.log(predictions)


class MeanSquaredLogError(RegressionMean):
    """The mean squared logarithmic error, which compares ratios of numbers, not differences.

    `add` takes `predictions` and `labels` > -1, (N,) or (N, D), of any real dtype, finite, and
    `sample_weight` (N,).

    Formula:
        msle = (sum w (ln(1 + p) - ln(1 + y))^2) / (sum w)

    Args:
        squared: True: the mean. False: the root of the mean, taken for each output separately.
        **options: As for `RegressionMean`.

    Returns of `compute`: `msle`, or with `squared=False` `rmsle`, at least 0; nan without samples.
    Lower is better.

    Example:
        >>> metric = MeanSquaredLogError()
        >>> metric.add(predictions=[1.0, 3.0], labels=[0.0, 3.0])
        >>> round(metric.compute()["msle"], 6)  # (ln 2)^2 / 2
        0.240227
    """

    processor_dependent = "log"
    combined_last = True
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(self, *, squared: bool = True, **options: Any) -> None:
        super().__init__(**options)
        self.squared = squared
        self.key = "msle" if squared else "rmsle"

    def errors(self, predictions: np.ndarray, labels: np.ndarray) -> Any:
        """Return the squared differences of logarithms."""
        for name, values in (("predictions", predictions), ("labels", labels)):
            arrays.require(name, values, values > -1, "must be greater than -1")
        # Equal digits of two logarithms would cancel each other.
        step = (predictions - labels) / (1 + labels)
        close = np.abs(step) < 0.5
        apart = np.log1p(predictions) - np.log1p(labels)
        return np.square(np.where(close, np.log1p(np.where(close, step, 0.0)), apart))

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the mean, or its root."""
        means = self.mean(results)
        values = means if self.squared else [math.sqrt(mean) for mean in means]
        return {self.key: combine_outputs(values, self.multioutput)}


class LogCoshError(RegressionMean):
    """The mean of ln(cosh(p - y)): quadratic in small errors, linear in large ones.

    A small error e = p - y costs about e^2 / 2, a large one about |e| - ln 2. Large errors do not
    overflow. `add` takes `predictions` and `labels`, (N,) or (N, D), of any real dtype, finite, and
    `sample_weight` (N,).

    Formula:
        error = (sum w ln(cosh(p - y))) / (sum w)

    Args:
        **options: As for `RegressionMean`.

    Returns of `compute`: `log_cosh`, at least 0; nan without samples. Lower is better.

    Example:
        >>> metric = LogCoshError()
        >>> metric.add(predictions=[1.0, 1000.0], labels=[1.0, 0.0])
        >>> round(metric.compute()["log_cosh"], 6)  # (1000 - ln 2) / 2
        499.653426
    """

    processor_dependent = "log, exp and sinh"
    key = "log_cosh"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def errors(self, predictions: np.ndarray, labels: np.ndarray) -> Any:
        """Return the losses."""
        size = np.abs(predictions - labels)
        # ln 2 would absorb small errors: for these, cosh(e) = 1 + 2 sinh(e / 2)^2.
        small = np.minimum(size, 1.0)
        near = np.log1p(2 * np.square(np.sinh(small / 2)))
        return np.where(size < 1, near, size + np.log1p(np.exp(-2 * size)) - math.log(2))
