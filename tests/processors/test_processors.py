"""Metrics that do not declare `processor_dependent` have the same bits on every processor."""

import pytest

from tests.processors.levels import differing, inputs, metric_of


@pytest.mark.filterwarnings("ignore")
def test_metrics_have_the_same_bits_where_functions_round_in_another_way():
    """Without AVX, FMA and BLAS's kernels for them, and with other last bits of functions.

    `make processors` tries more levels and more samples.
    """
    with inputs(24, 2) as path:
        found = differing(path, "other functions")

    assert {case for case in found if metric_of(case).processor_dependent is None} == set()
