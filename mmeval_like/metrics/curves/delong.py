"""DeLong's interval of the area under the ROC curve, from the totals of a ranking."""

from __future__ import annotations

import math
from fractions import Fraction

from mmeval_like.metrics.curves.areas import Areas
from mmeval_like.metrics.curves.ranking import FEW
from mmeval_like.writing.exact import sqrt_fraction
from mmeval_like.writing.intervals import Interval, delong, unknown

__all__ = ["area_interval"]


def area_interval(ranking: Areas, level: float) -> Interval:
    """Return the interval of `ranking.auroc()`, by DeLong's variance on the logit scale.

    The placement of a positive is the share of negatives that score higher, equal scores counting
    half; the placement of a negative is defined likewise. The variance of the area is the sum of
    two quotients: the variance of the placements of the m positives over m, and that of the k
    negatives over k (E. R. DeLong et al., Biometrics 44, 1988). Student's t has Satterthwaite's
    degrees of freedom (Biometrics Bulletin 2, 1946), rounded down.

    Args:
        ranking: The ranking of unweighted samples.
        level: As in `Interval`.

    Example:
        >>> import numpy as np
        >>> from mmeval_like.metrics.curves.ranking import Ranking
        >>> scores = np.array([0.1, 0.4, 0.6, 0.8])
        >>> ranking = Ranking.of_counts(scores, np.array([2, 1, 1, 0]), np.array([0, 1, 1, 3]))
        >>> found = area_interval(ranking, 0.95)
        >>> found.method, round(found.value, 4), round(found.low, 4)
        ('DeLong, logit t', 0.9, 0.3627)
    """
    positives, negatives = int(ranking.positives), int(ranking.negatives)
    value, units = ranking.auroc(), positives + negatives
    if not positives or not negatives:
        why = f"there are {positives} positive and {negatives} negative samples"
        return unknown(value, level, units, why)
    won, (of_positives, of_negatives) = ranking.doubled_pairs(), ranking.squares()
    lost = 2 * positives * negatives - won  # the sum of the positives' placements
    pieces = [
        _variance(lost, of_positives, positives) / (2 * negatives) ** 2 / positives,
        _variance(won, of_negatives, negatives) / (2 * positives) ** 2 / negatives,
    ]
    variance = sum(pieces, Fraction(0))
    freedom = 1
    if variance:
        sizes = (positives - 1, negatives - 1)
        parts = [p**2 / size for p, size in zip(pieces, sizes, strict=True) if p]
        freedom = max(1, math.floor(variance**2 / sum(parts, Fraction(0))))
    area = Fraction(won, 2 * positives * negatives)
    low, high = delong(area, variance, positives, negatives, freedom, level)
    thin = None
    if min(positives, negatives) < FEW:
        thin = f"there are only {positives} positive and {negatives} negative samples"
    error = sqrt_fraction(variance)
    method = "DeLong, logit t" if variance and 0 < area < 1 else "Wilson"
    low, high = min(low, value), max(high, value)
    return Interval(value, low, high, level, error, method, "sample", units, math.nan, thin)


def _variance(first: int, second: int, total: int) -> Fraction:
    """Return the sample variance of integers from their sum and their sum of squares."""
    if total < 2:
        return Fraction(0)
    return (second - Fraction(first * first, total)) / (total - 1)
