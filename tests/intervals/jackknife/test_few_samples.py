"""Intervals of two to eight samples: where nothing can be said, the reason is in plain words."""

import warnings

import numpy as np
import pytest

from tests.helpers.examples import examples
from tests.metric_cases import CASES


@pytest.mark.parametrize("name", sorted(CASES))
def test_no_interval_comes_of_an_error(name: str) -> None:
    """No metric raises at the sums that its interval asks about, nor divides by 0 there."""
    case = CASES[name]
    for seed in range(examples(4)):
        rng = np.random.default_rng(seed)
        least = max(case.least, 2)
        metric = case.make(interval=0.95, dist_backend="non_dist")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            metric.add(*case.samples(rng, int(rng.integers(least, least + 7))))
            metric.compute()
        for warning in said:
            assert "the metric raised" not in str(warning.message), (seed, warning.message)
            assert "encountered in" not in str(warning.message), (seed, warning.message)
