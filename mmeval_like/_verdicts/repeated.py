"""Verdicts over time: how the level is shared among looks, nights and candidates."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mmeval_like._intervals.corrections import adjusted

__all__ = ["allowed_level", "over_time", "spent"]


def spent(turn: int) -> float:
    """Return the part of an error rate that the test of this number, from 1 on, may spend.

    It is 1 / (t (t + 1)), which adds up to 1 over all tests to come (J. Tian and A. Ramdas, Online
    control of the familywise error rate, Stat. Methods Med. Res. 30, 2021).

    Example:
        >>> spent(1), round(spent(2), 3), sum(spent(t) for t in range(1, 10_000)) < 1
        (0.5, 0.167, True)
    """
    return 1 / (turn * (turn + 1))


def allowed_level(level: float, turn: int) -> float:
    """Return the level of the interval with which the test of this number decides.

    All tests together are then wrong no more often than one test of this level would be.

    Example:
        >>> allowed_level(0.95, 1), round(allowed_level(0.95, 2), 5)
        (0.975, 0.99167)
    """
    return 1 - (1 - level) * spent(turn)


def over_time(values: Sequence[float], turn: int) -> list[float]:
    """Return the p-values of one record, corrected for their number and for all records.

    The numbers of one record are corrected by Holm's method, and those of the t-th record are
    divided by `spent(t)`. The verdict on a record does not change when others follow.

    Args:
        values: The p-values; nan stays nan.
        turn: The number of this record among those that are compared, from 1 on.

    Example:
        >>> [round(p, 6) for p in over_time([0.01, 0.5], 2)]
        [0.12, 1.0]
    """
    found = adjusted(values, "holm")
    return [min(1.0, p / spent(turn)) if not math.isnan(p) else p for p in found]
