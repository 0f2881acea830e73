"""Intervals from the worst to the best value, where they are combined: what is missing adds up."""

from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from tests.helpers import requires

# Of each slice, how many samples are right, wrong, and without a score.
NIGHTS = {"a": (640, 40, 120), "b": (340, 300, 160)}


def sliced(nights: dict[str, tuple[int, int, int]], times: int = 1) -> mm.Sliced:
    """The accuracy by night, with the bounds of what is missing."""
    found = mm.Sliced(mm.Accuracy(interval=0.95, unscored="bounds"), by="night", rest=True)
    for name, (right, wrong, missing) in nights.items():
        predictions = [1] * right * times + [0] * (wrong + missing) * times
        reasons = [None] * (right + wrong) * times + ["timeout"] * missing * times
        labels = np.ones(len(predictions), int)
        by = {"night": [name] * len(predictions)}
        found.add(predictions, labels, unscored=reasons, by=by)
    return found


def possible(right: int, wrong: int, missing: int) -> tuple[float, float]:
    """The worst and the best value."""
    count = right + wrong + missing
    return right / count, (right + missing) / count


@pytest.mark.parametrize("times", [1, 20])
def test_a_slice_and_the_others_contain_all_possible_differences(times: int) -> None:
    """However many samples there are: the distance from worst to best is no error by chance."""
    metric = sliced(NIGHTS, times)
    result = metric.compute()
    a, b = (possible(*NIGHTS[name]) for name in "ab")
    apart = result.intervals["night=a"]["top1"].apart.interval
    assert apart.low < a[0] - b[1]
    assert a[1] - b[0] < apart.high
    assert apart.method == "independent, worst to best"


def test_what_is_missing_alone_decides_nothing() -> None:
    """The same model: on one night wrong answers are missing, on the other one right answers."""
    metric = sliced({"a": (1_280, 120, 600), "b": (680, 720, 600)})
    result = metric.compute()
    for name in "ab":
        verdict = result.intervals[f"night={name}"]["top1"].apart
        assert verdict.outcome == "undecided"
        assert verdict.p == 1.0


def test_a_log_calls_no_difference_real_that_may_be_missing() -> None:
    """From records, which have the ends of the intervals, and the worst and the best value."""
    requires("pandas")
    records = []
    for right, wrong, missing in [(1_280, 120, 600), (680, 720, 600), (30, 1_970, 0)]:
        metric = mm.Recorded(mm.Accuracy(interval=0.95, unscored="bounds"))
        reasons = [None] * (right + wrong) + ["timeout"] * missing
        predictions = [1] * right + [0] * (wrong + missing)
        metric.add(predictions, [1] * 2_000, unscored=reasons)
        metric.compute()
        records.append(metric.record())
    lines = mm.record_log(records)
    assert lines["verdict"].tolist()[1:] == ["may be chance", "real"]
    low, high = (lines[f"difference_{end}"][1] for end in ("low", "high"))
    assert low < 0.34 - 0.94
    assert high > 0.64 - 0.64


@pytest.mark.parametrize("slices", [2, 10])
def test_a_weighted_mean_contains_all_possible_means(slices: int) -> None:
    """It does not become narrower with the number of slices, and has all samples' interval."""
    nights = {f"{place}": (960, 640, 400) for place in range(slices)}
    metric = sliced(nights)
    result = metric.compute()
    shares = dict.fromkeys(nights, 1 / slices)
    found = mm.post_stratified(result, shares, by="night")
    assert found["top1"] == pytest.approx(result["all"]["top1"])
    assert found["top1_low"] < 0.48
    assert found["top1_high"] > 0.68
    assert found.bounds == {"top1": (pytest.approx(0.48), pytest.approx(0.68))}
    assert (found.planned, found.unscored) == (result.planned, result.unscored)
    for end in ("low", "high"):
        assert found[f"top1_{end}"] == pytest.approx(result["all"][f"top1_{end}"], abs=5e-3)


@pytest.mark.parametrize("goal", [{"half_width": 0.02}, {"detect": 0.1}])
def test_no_plan_narrows_what_is_missing(goal: dict[str, Any]) -> None:
    """More samples of which as many are missing have as wide a range from worst to best."""
    labels, reasons = [1] * 200, ["timeout"] * 20 + [None] * 180
    if "detect" in goal:
        pair = mm.Paired(mm.Accuracy(unscored="bounds"))
        pair.a.add([0, 1] * 100, labels, unscored=reasons, ids=range(200))
        pair.b.add([1] * 200, labels, unscored=reasons, ids=range(200))
        pair.compute()
        pilot = pair.intervals["top1_difference"]
    else:
        metric = mm.Accuracy(interval=0.95, unscored="bounds")
        metric.add([0, 1] * 100, labels, unscored=reasons)
        metric.compute()
        pilot = metric.intervals["top1"]
    with pytest.raises(ValueError, match="pilot has samples without a score"):
        mm.plan(pilot, **goal)
