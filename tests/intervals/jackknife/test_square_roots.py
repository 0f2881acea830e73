"""Intervals of values whose variance is proportional to their distance from a bound."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import stats

import mmeval_like as mm


def test_few_misses_are_rarely_fewer_than_the_lower_end() -> None:
    """The ratio of rates of 40 positives and 60 negatives, over all likely outcomes.

    The binomial distributions of both rates give the exact probability.
    """
    hits, alarms = stats.binom(40, 0.8), stats.binom(60, 0.1)
    labels, true = np.repeat([1, 0], [40, 60]), 0.2 / 0.9
    below = total = 0.0
    for found in range(21, 40):
        for wrong in range(1, 16):
            metric = mm.LikelihoodRatios(interval=0.95)
            metric.add(np.repeat([1, 0, 1, 0], [found, 40 - found, wrong, 60 - wrong]), labels)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                metric.compute()
            one = metric.intervals["negative_likelihood_ratio"]
            chance = hits.pmf(found) * alarms.pmf(wrong)
            total += chance
            below += chance * (one.low > true)
    assert one.method == "log t, square root"
    assert total > 0.99
    assert below < 0.025  # 0.032 on the logarithmic scale alone
