"""Metrics that do not declare `processor_dependent` have the same bits on every processor."""

import numpy as np
import pytest

from mmeval_like._intervals.jackknife.left_out import variance_without_one
from mmeval_like._intervals.jackknife.moved_sums import variance_of
from tests.processors.levels import differing, inputs, metric_of


@pytest.mark.filterwarnings("ignore")
def test_metrics_have_the_same_bits_where_functions_round_in_another_way() -> None:
    """Without AVX, FMA and BLAS's kernels for them, and with other last bits of functions.

    `make processors` tries more levels and more samples.
    """
    with inputs(24, 2) as path:
        found = differing(path, "other functions")

    assert {case for case in found if metric_of(case).processor_dependent is None} == set()


def test_squares_in_variances_are_products() -> None:
    """A square by `**` comes from the C library, and is another float once in 1,000 numbers."""
    numbers = np.random.default_rng(0).random(20_000).tolist()
    squares = [x * x for x in numbers]

    assert [variance_without_one([x, -x], [1, 1], 2) for x in numbers] == squares
    assert [variance_of([{"": [x]}, {"": [-x]}], "", 0) for x in numbers] == squares
