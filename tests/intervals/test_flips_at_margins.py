"""Flips: the p-value of a margin, where none or few samples flip in one direction."""

import pytest

import mmeval_like as mm
from mmeval_like._intervals.flips import Flips


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("count", [20, 60, 300])
def test_p_is_below_the_level_exactly_if_the_margin_is_outside(count: int, level: float) -> None:
    """Without a flip in one direction, the p-value of every margin on that side was 1."""
    outside = 0
    for up in range(4):
        for down in range(6):
            flips = Flips(up, down, count, 1.0)
            low, high = flips.ends(level)
            for margin in (-0.5, -0.3, -0.1, -0.02, 0.0, 0.02, 0.1, 0.3, 0.5):
                apart = not low <= margin <= high
                assert (flips.p_at(margin) < 1 - level) == apart, (up, down, margin)
                outside += apart
    assert outside


def test_equal_systems_that_pass_have_a_small_p() -> None:
    """The gate passed with a p-value of 0.5."""
    pair = mm.Paired(mm.Accuracy())
    for side in (pair.a, pair.b):
        side.add([1] * 57 + [0] * 3, [1] * 60, ids=range(60))
    pair.compute()
    for both in (False, True):
        verdict = mm.gate(pair, "top1", margin=0.1, both=both)
        assert verdict.outcome == "pass"
        assert 0.9**60 <= verdict.p < 0.025  # no flip of 60, if one in ten flips
