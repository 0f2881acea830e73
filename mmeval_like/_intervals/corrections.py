"""Corrections for multiple tests: of twenty true null hypotheses, one has p < 0.05."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

__all__ = ["CORRECTIONS", "adjusted", "at_once"]

CORRECTIONS = ("holm", "bh", None)


def adjusted(values: Sequence[float], correction: str | None) -> list[float]:
    """Return p-values adjusted for their number, in the order of the values.

    "holm" keeps the probability of any false alarm below the level (S. Holm, A simple sequentially
    rejective multiple test procedure, Scand. J. Statist. 1979). "bh" keeps the expected share of
    false alarms among all alarms below it too (Y. Benjamini and Y. Hochberg, Controlling the false
    discovery rate, J. R. Stat. Soc. B 1995).

    Args:
        values: P-values in [0, 1]; nan stays nan, and does not count as a test.
        correction: "holm", "bh" or None, which changes nothing.

    Example:
        >>> [round(p, 2) for p in adjusted([0.01, 0.04, 0.03, 0.005], "holm")]
        [0.03, 0.06, 0.06, 0.02]
        >>> [round(p, 2) for p in adjusted([0.01, 0.04, 0.03, 0.005], "bh")]
        [0.02, 0.04, 0.04, 0.02]
    """
    found = list(values)
    places = sorted((p, i) for i, p in enumerate(values) if not math.isnan(p))
    tests = len(places)
    if correction == "holm":
        least = 0.0
        for rank, (p, place) in enumerate(places):
            least = found[place] = max(least, min(1.0, p * (tests - rank)))
    elif correction == "bh":
        most = 1.0
        for rank in reversed(range(tests)):
            p, place = places[rank]
            most = found[place] = min(most, p * tests / (rank + 1))
    return found


def at_once(level: float, number: int) -> float:
    """Return the level of each of several intervals that together have the given level.

    C. E. Bonferroni, Teoria statistica delle classi e calcolo delle probabilita (1936).

    Example:
        >>> at_once(0.95, 1), at_once(0.95, 5)
        (0.95, 0.99)
    """
    return float(1 - (1 - Fraction(repr(level))) / number)
