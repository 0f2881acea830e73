"""Kendall's tau counts every pair, with ties and without, for any number of samples."""

import numpy as np
import pytest

from mmeval_like import KendallRankCorrCoef


@pytest.mark.parametrize("kinds", [1, 2, 10, 10**6])
@pytest.mark.parametrize("count", [2, 3, 4, 5, 31, 32, 33, 255, 256, 257])
def test_every_pair_counts(count: int, kinds: int) -> None:
    """The numbers of concordant and discordant pairs are those of a look at every single pair."""
    rng = np.random.default_rng(count)
    x, y = (rng.integers(0, kinds, count) - 1.5 for _ in range(2))
    y[0] = np.inf
    orders = [(side[:, None] > side).astype(int) - (side[:, None] < side) for side in (x, y)]
    difference, pairs = int((orders[0] * orders[1]).sum()) // 2, count * (count - 1) // 2
    untied = [int(np.abs(order).sum()) // 2 for order in orders]

    assert KendallRankCorrCoef("a")(x, y)["kendall"] == difference / pairs
    found = KendallRankCorrCoef("b")(x, y)["kendall"]
    if all(untied):
        assert found == pytest.approx(difference / (untied[0] * untied[1]) ** 0.5, rel=1e-14)
    else:
        assert np.isnan(found)
