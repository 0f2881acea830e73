"""Gates refuse bounds that decide before there are samples; odd samples decide nothing."""

import math
import warnings
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")

LABELS = [1] * 90 + [0] * 10


def pair_of(metric: Any, a: Any, b: Any, *labels: Any) -> mm.Paired:
    """Two systems, compared."""
    pair = mm.Paired(metric)
    pair.a.add(a, *labels, ids=range(len(a)))
    pair.b.add(b, *labels, ids=range(len(b)))
    pair.compute()
    return pair


def test_bounds_lie_where_values_do() -> None:
    """85 for a share, or a margin of 1, is per cent that was meant: an error, and no verdict."""
    metric = mm.Accuracy(interval=0.95)
    metric.add([1] * 100, LABELS)
    metric.compute()
    for bound in ({"at_least": 85}, {"at_least": -0.1}, {"at_most": 1.5}):
        with pytest.raises(ValueError, match=r"must lie in \[0, 1\], as values do"):
            mm.gate(metric, "top1", **bound)
    pair = pair_of(mm.Accuracy(), [1] * 100, [1] * 100, LABELS)
    with pytest.raises(ValueError, match=r"margin must be less than 1, as values lie in \[0, 1\]"):
        mm.gate(pair, "top1", margin=1)
    a, b = np.arange(100.0), np.arange(100.0) + np.sin(np.arange(100))
    error = pair_of(mm.MeanAbsoluteError(), a, b, LABELS)
    assert mm.gate(error, "mae", margin=10).outcome == "pass"
    alike = pair_of(mm.MeanAbsoluteError(), a, a, LABELS)  # nobody knows what one may change
    assert mm.gate(alike, "mae", margin=10).outcome == "undecided"


def test_a_share_is_no_bound_of_percentages() -> None:
    """0.9 for per cent is a share that was meant, and all but the worst values would pass it."""
    options: Any = {"num_classes": 2, "average": "micro", "interval": 0.95}
    metric = mm.SingleLabelPrecisionRecallF1score(**options)
    labels = [0, 1] * 50
    predictions = labels[:30] + [1 - label for label in labels[30:]]
    metric.add(predictions, labels)
    metric.compute()
    for share in (0.9, 1, 0.005):
        with pytest.raises(ValueError, match=f"be a percentage.*: pass {100 * share:g}, or"):
            mm.gate(metric, "recall_micro", at_least=share)
    assert mm.gate(metric, "recall_micro", at_least=10).outcome == "pass"
    assert mm.gate(metric, "recall_micro", at_least=90).outcome == "fail"
    assert mm.gate(metric, "recall_micro", at_most=0.9).outcome == "fail"
    shares = mm.SingleLabelPrecisionRecallF1score(**options, percent=False)
    shares.add(predictions, labels)
    shares.compute()
    assert mm.gate(shares, "recall_micro", at_least=0.9).outcome == "fail"


def test_bounds_of_members_and_slices() -> None:
    """Each member has its own range: per cent of the one are no shares of the other."""
    members = {
        "share": mm.Accuracy(interval=0.95),
        "percent": mm.SingleLabelPrecisionRecallF1score(num_classes=2, interval=0.95),
    }
    together = mm.MetricCollection(members, prefix="val_")
    sliced = mm.Sliced(members, by="day")
    together.add([1] * 100, LABELS)
    sliced.add([1] * 100, LABELS, by={"day": ["mon", "tue"] * 50})
    for metric, prefix in ((together, "val_"), (sliced, "")):
        metric.compute()
        assert mm.gate(metric, f"{prefix}percent.recall", at_least=40).sign == ">="
        with pytest.raises(ValueError, match=r"in \[0, 100\], as values do, got 101"):
            mm.gate(metric, f"{prefix}percent.recall", at_least=101)
        with pytest.raises(ValueError, match=r"in \[0, 1\], as values do, got 40"):
            mm.gate(metric, f"{prefix}share.top1", at_least=40)


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_a_difference_that_is_no_number_decides_nothing(odd: float) -> None:
    """Without a warning of numpy: the difference is said not to be finite."""
    values = np.arange(30.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "intervals that promise less")
        pair = pair_of(mm.MeanAbsoluteError(), values, np.append(values[1:], odd), np.zeros(30))
    found = pair.intervals["mae_difference"]
    assert math.isnan(found.low)
    assert found.thin == "the difference is not finite"
    assert mm.gate(pair, "mae", margin=1e9).outcome == "undecided"


def test_a_value_at_the_bound_needs_no_number_of_samples() -> None:
    """Nor does one that differs from the bound by the rounding of a difference: 0.72 - 0.74."""
    labels = np.ones(300, int)
    a, b = labels.copy(), labels.copy()
    a[:78], b[:84] = 0, 0
    pair = pair_of(mm.Accuracy(), a, b, labels)
    at_bound = mm.gate(pair, "top1", margin=0.02)
    assert at_bound.interval.value != at_bound.bound
    assert (at_bound.outcome, at_bound.needed) == ("undecided", None)
    assert 300 < (mm.gate(pair, "top1", margin=0.025).needed or 0) < 10**6
