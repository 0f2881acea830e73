"""The hunts as tests: a few trials of each, and for as many minutes as are asked for."""

import os
import time

import numpy as np
import pytest

from tests.hunt.chase import HUNTS, chase, one

MINUTES = float(os.environ.get("MMEVAL_LIKE_HUNT", "0"))


@pytest.mark.parametrize("name", HUNTS)
def test_a_few_trials_find_nothing(name: str) -> None:
    """Metrics agree with independent oracles, and with themselves on every way."""
    for number in range(5):
        found = one(name, seed=0, number=number)
        assert not found, found


@pytest.mark.skipif(not MINUTES, reason="the minutes are in the variable MMEVAL_LIKE_HUNT")
def test_hunt() -> None:
    """The same for random seeds: what is found names the command that shows it again."""
    seed = int(np.random.SeedSequence().generate_state(1)[0])
    done = chase(sorted(HUNTS), seed, time.monotonic() + 60 * MINUTES, print)
    print(f"seed {seed}: {done.trials} trials, {done.comparisons} comparisons")

    assert not done.found, "\n".join(done.found)
