"""Unequal units: how much a difference would vary if units of all sizes changed alike.

If few units change, all of them may happen to be small, and the variance of the jackknife is too
small by far: it knows nothing of large ones that change. Small units show as well as large ones
how often units change, and how much. So the variance is also estimated from a model in which the
mean difference of a unit of m samples has the variance b + w / m for units of any size, with the
variances between units, b, and of samples within them, w. If samples of a unit often change
together, as whole documents do, b is large, and large units decide; if they change one by one, it
is small, and the model has about the variance of the jackknife.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext

import numpy as np

from mmeval_like._intervals.jackknife.left_out import LeftOut
from mmeval_like._intervals.transforms import as_decimal

__all__ = ["variance_if_alike"]

_DIGITS = Context(prec=50)


def variance_if_alike(parts: np.ndarray, left: LeftOut, within: float) -> Decimal:
    """Return the variance of a difference if units of all sizes change alike; 0 for equal units.

    The variance between units is that of the analysis of variance, with the weights that are best
    for its own correlation r of two samples of a unit, m / (1 + (m - 1) r) for units of m samples
    (M. S. Ridout, C. G. B. Demetrio and D. Firth, Estimating intraclass correlation for binary
    data, Biometrics 55, 1999).

    Args:
        parts: What a unit of each kind adds to the difference.
        left: The units, left out one at a time.
        within: The variance of the differences of single samples within units; 0 if it is unknown:
            all samples of a unit are taken to change alike.

    Example:
        >>> left = LeftOut("cluster", 4, [1] * 4, dict, sizes=[1, 1, 1, 7])
        >>> small = np.array([0, 0, 1, 0]) / 10  # one small cluster of three changes
        >>> round(variance_if_alike(small, left, 0.0), 3)
        Decimal('0.146')
    """
    largest = float(np.abs(parts).max())
    if left.sizes is None or min(left.sizes) == max(left.sizes) or not largest:
        return Decimal(0)
    every = np.asarray(left.sizes, np.float64)
    counted = every > 0
    sizes, numbers = every[counted], np.asarray(left.weights, np.float64)[counted]
    units, shares = numbers.sum(), sizes / _sum(sizes * numbers)
    scaled = parts[counted] / largest
    means = scaled / shares - _sum(scaled * numbers)
    within = within / largest / largest
    between = together = 0.0
    for _ in range(2):
        weights = numbers * sizes / (1 + (sizes - 1) * together)
        between = _sum(weights * means * means) * units / (units - 1)
        between = (between - within * _sum(weights / sizes)) / _sum(weights)
        whole = between + within
        together = min(max(between / whole, 0.0), 1.0) if whole > 0 else 1.0
    squares = numbers * shares * shares
    with localcontext(_DIGITS):
        found = as_decimal(between * _sum(squares) + within * _sum(squares / sizes))
        return max(found, Decimal(0)) * as_decimal(largest) ** 2


def _sum(values: np.ndarray) -> float:
    """Return a sum that is rounded once, in any order."""
    return math.fsum(values.tolist())
