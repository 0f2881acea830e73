"""Verdicts at bounds."""

import pytest

import mmeval_like as mm


@pytest.mark.filterwarnings("ignore:intervals that promise less")
@pytest.mark.parametrize("bound", [0.2, 0.5, 0.9])
def test_one_sample_decides_nothing(bound: float) -> None:
    """A mean of one value has an interval, the whole range, and no degrees of freedom."""
    metric = mm.Mean(bounds=(0, 1), interval=0.95)
    metric.add([0.5])
    metric.compute()
    found = mm.gate(metric, "mean", at_least=bound)
    assert (found.outcome, found.p, found.why) == ("undecided", 1.0, "there is only one sample")
