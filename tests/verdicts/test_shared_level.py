"""The level that candidates share: together they pass wrongly no more often than one."""

import numpy as np

from mmeval_like._intervals.flips import Flips
from mmeval_like._verdicts.repeated import allowed_level
from tests.helpers.optional import requires


def wrong_passes(count: int, differ: float, margin: float, levels: list[float]) -> np.ndarray:
    """The probability at each level that a system as much worse as the margin passes."""
    stats = requires("scipy.stats")
    found = np.zeros(len(levels))
    for flips in range(count + 1):
        of_flips = stats.binom.pmf(flips, count, differ)
        ups = stats.binom.pmf(np.arange(flips + 1), flips, (1 - margin / differ) / 2) * of_flips
        for up in range(flips + 1):
            if (2 * up - flips) / count > -margin and ups[up] > 1e-11:
                p = Flips(up, flips - up, count, 1.0).p_at(-margin)
                found += ups[up] * (p < 1 - np.array(levels))
    return found


def test_thirty_candidates_at_the_margin_pass_as_often_as_one() -> None:
    """By enumeration, with the intervals of differences, whose tails are approximate."""
    levels = [allowed_level(0.95, turn) for turn in range(1, 31)]
    alone, *shared = wrong_passes(100, 0.1, 0.05, [0.95, *levels])
    assert 1 - np.prod(1 - np.array(shared)) <= 0.025
    assert 1 - (1 - alone) ** 30 > 0.4
