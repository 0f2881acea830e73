"""The extremes of the disagreement relative to that by chance, over all predictions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["chance_quotients"]


def chance_quotients(
    distance: np.ndarray, support: np.ndarray, missing: np.ndarray, observed: Any, predicted: Any
) -> list[tuple[Any, Any]]:
    """Return the observed and the expected disagreement with their least and greatest quotient.

    With known labels, both are linear in the predictions. Dinkelbach's method finds the extremes of
    their quotient: all labels of a class get the prediction that is best for the last quotient,
    until nothing changes. A disagreement of which none is expected is left out. Source: W.
    Dinkelbach, "On nonlinear fractional programming", Management Science 13 (1967).

    Args:
        distance: The disagreement of each label (rows) with each prediction (C, C), integers.
        support: The labels of all samples, by class: Python numbers (C,), as are all others.
        missing: The labels of the samples without a score.
        observed: The disagreement of the other samples.
        predicted: The predictions of the other samples, by class.

    Example:
        >>> labels, none = np.array([2, 2], object), np.array([0, 0], object)
        >>> chance_quotients(1 - np.eye(2, dtype=int), labels, labels, 0, none)
        [(0, 8), (4, 8)]
    """
    each = distance @ support  # the disagreement by chance of a prediction of each class
    by_chance = each @ predicted
    found = []
    for sign in (-1, 1):
        quotient, last, parts = Fraction(0), None, (0, 0)
        while quotient != last:
            chosen = (sign * (distance - quotient * each)).argmax(axis=1)
            seen = observed + missing @ np.take_along_axis(distance, chosen[:, None], 1)[:, 0]
            expected, last = by_chance + missing @ each[chosen], quotient
            if expected:
                quotient, parts = Fraction(seen) / Fraction(expected), (seen, expected)
        found.append(parts)
    return found
