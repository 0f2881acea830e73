"""The interval of average precision, by leaving out each sample in closed form."""

from __future__ import annotations

import math

import numpy as np

from mmeval_like.metrics.curves.count_products import total
from mmeval_like.metrics.curves.ranking import FEW, Ranking
from mmeval_like.writing.intervals import Interval, delong, unknown

__all__ = ["precision_interval"]

_BIAS = 2  # times the estimated bias of few positives, which is too small
_FEWEST = 20  # degrees of freedom: where fewer samples decide, the logit scale allows for it


def precision_interval(ranking: Ranking, level: float) -> Interval:
    """Return the interval of `ranking.average_precision()`, by the jackknife on the logit scale.

    Leaving out a negative raises the precision at every positive that scores no higher, and leaving
    out a positive lowers it: with R samples that score at least as high, of which T are positives,
    by T / R (R - 1), and by (R - T) / R (R - 1). The variance is the jackknife's (B. Efron and C.
    Stein, Annals of Statistics 9, 1981). Few samples of high scores make most of it: with the
    kurtosis k of what n samples change, it is as uncertain as with 2 n / (k - 1) degrees of freedom
    of Student's t, which are at least 20, and fewer than the rarer class has samples.

    The average precision of few positives is too high: by a fifth of its error for 40 positives
    among 400 samples, of which the jackknife sees two thirds. So the result also contains the
    interval around the value without twice the estimated bias. The logit of the value is too far
    from 0, by half of its second derivative times the variance (the delta method), and both
    intervals are shifted by this: else, 3.5% of those of 100 samples, half of them positive, end
    above the true value, and 1% below it.

    Args:
        ranking: The ranking of unweighted samples.
        level: As in `Interval`.

    Example:
        >>> scores = np.arange(4.0)
        >>> negatives, positives = np.array([40, 20, 10, 2]), np.array([2, 5, 10, 20])
        >>> found = precision_interval(Ranking.of_counts(scores, negatives, positives), 0.95)
        >>> round(found.value, 4), round(found.low, 4), round(found.high, 4)
        (0.7734, 0.6007, 0.8766)
    """
    positives, negatives = int(ranking.positives), int(ranking.negatives)
    value, units = ranking.average_precision(), positives + negatives
    few = f"there are only {positives} positive and {negatives} negative samples"
    if positives < 2:
        return unknown(value, level, units, few)
    bias, variance, freedom = _moments(ranking, value)
    rarer = min(positives, negatives)
    slope = 1 / (value * (1 - value)) if value < 1 else 0.0  # of the logit
    shift = (value - 0.5) * variance * slope * slope
    ends = positives, negatives, max(min(freedom, rarer - 1), 1), level, shift
    low, high = delong(value, variance, *ends)
    nearer = value - _BIAS * bias
    if variance > 0 and nearer < 1:
        other = delong(nearer, variance, *ends) if nearer > 0 else (0.0, high)
        low, high = min(low, other[0]), max(high, other[1])
    error = math.sqrt(variance)
    thin = few if rarer < FEW else None
    if thin is None and abs(bias) > error:
        thin = "it depends on the number of samples: its bias is above its error"
    low, high = min(low, value), max(high, value)
    method = "jackknife, logit t" if variance > 0 else "Wilson"
    return Interval(value, low, high, level, error, method, "sample", units, math.nan, thin)


def _moments(ranking: Ranking, value: float) -> tuple[float, float, int]:
    """Return the estimated bias, the variance and its degrees of freedom, of two positives or more.

    Args:
        ranking: The ranking.
        value: Its average precision.
    """
    _, *counts = ranking.counts()
    _, *above = ranking.above()
    false, true = (each.astype(np.float64) for each in counts)
    above_false, above_true = (each.astype(np.float64) for each in above)
    others = above_false + above_true - 1  # that score at least as high
    alone = others == 0
    others = np.where(alone, 1.0, others)
    pairs = others * (others + 1)
    raised = np.cumsum(np.where(alone, 0.0, true * above_true / pairs))
    lowered = np.cumsum(np.where(alone, 0.0, true * above_false / pairs))
    own = np.where(alone, 1.0, (above_true - 1) / others)
    positives, count = ranking.positives, ranking.positives + ranking.negatives
    moved = [raised / positives, (value - own - lowered) / (positives - 1)]

    def mean_of(values: list[np.ndarray]) -> float:
        return float(sum(total(n * x) for n, x in zip((false, true), values, strict=True)) / count)

    middle = mean_of(moved)
    squares = [(x - middle) * (x - middle) for x in moved]
    second, fourth = mean_of(squares), mean_of([x * x for x in squares])
    beyond = fourth / (second * second) - 1 if second else 0.0  # the kurtosis less one
    freedom = math.floor(min(2 * count / beyond, count)) if beyond > 0 else count
    return (count - 1) * middle, second * (count - 1), max(freedom, _FEWEST)
