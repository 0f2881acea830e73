"""DeLong's interval of the area under the ROC curve, from the totals of a ranking."""

from __future__ import annotations

import math
from fractions import Fraction

from mmeval_like.metrics.curves.areas import Areas
from mmeval_like.metrics.curves.ranking import FEW
from mmeval_like.writing.exact import sqrt_fraction
from mmeval_like.writing.intervals import Interval, delong, newcombe, unknown

__all__ = ["area_interval"]

_FEW = 40  # with fewer wrong samples, their placements do not show how far away others may lie


def area_interval(ranking: Areas, level: float) -> Interval:
    """Return the interval of `ranking.auroc()`, by DeLong's variance on the logit scale.

    The placement of a positive is the share of negatives that score higher, equal scores counting
    half; the placement of a negative is defined likewise. The variance of the area is the sum of
    two quotients: the variance of the placements of the m positives over m, and that of the k
    negatives over k (E. R. DeLong et al., Biometrics 44, 1988). Student's t has Satterthwaite's
    degrees of freedom (Biometrics Bulletin 2, 1946), rounded down.

    Near an area of 1, a few samples with a wrong order make most of the variance, and unseen ones
    may lie even farther away. If the effective number of such samples is below 40, the result also
    contains Newcombe's interval, which depends only on the area and the numbers of samples.

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
    freedom, wrong = 1, math.inf
    if variance:
        sizes = (positives - 1, negatives - 1)
        parts = [p**2 / size for p, size in zip(pieces, sizes, strict=True) if p]
        freedom = max(1, math.floor(variance**2 / sum(parts, Fraction(0))))
        parts = [p**2 / size for p, size in zip(pieces, _wrong(ranking), strict=True) if p]
        wrong = float(variance**2 / sum(parts, Fraction(0)))
    area = Fraction(won, 2 * positives * negatives)
    low, high = delong(area, variance, positives, negatives, freedom, level)
    method = "DeLong, logit t" if variance and 0 < area < 1 else "Wilson"
    if wrong < _FEW and 0 < area < 1:
        ends = newcombe(area, positives, negatives, level)
        if ends[0] < low or high < ends[1]:
            low, high, method = min(low, ends[0]), max(high, ends[1]), "DeLong, Newcombe"
    thin = None
    if min(positives, negatives) < FEW:
        thin = f"there are only {positives} positive and {negatives} negative samples"
    error = sqrt_fraction(variance)
    low, high = min(low, value), max(high, value)
    return Interval(value, low, high, level, error, method, "sample", units, math.nan, thin)


def _wrong(ranking: Areas) -> tuple[Fraction, Fraction]:
    """Return the effective numbers of positives, and of negatives, in a wrong order.

    They are those of L. Kish (Survey Sampling, 1965), weighted by the placements. Below an area of
    1/2, the right order is the wrong one.
    """
    positives, negatives = int(ranking.positives), int(ranking.negatives)
    won, squares = ranking.doubled_pairs(), ranking.squares()
    lost = 2 * positives * negatives - won
    # The placements of positives count wrong pairs, and those of negatives right ones.
    first = squares[0], squares[1] - 4 * positives * won + 4 * positives**2 * negatives
    second = squares[0] - 4 * negatives * lost + 4 * negatives**2 * positives, squares[1]
    total, (of_positives, of_negatives) = (lost, first) if lost <= won else (won, second)
    return Fraction(total**2, max(of_positives, 1)), Fraction(total**2, max(of_negatives, 1))


def _variance(first: int, second: int, total: int) -> Fraction:
    """Return the sample variance of integers from their sum and their sum of squares."""
    if total < 2:
        return Fraction(0)
    return (second - Fraction(first * first, total)) / (total - 1)
