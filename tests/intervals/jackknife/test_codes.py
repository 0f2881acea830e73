"""Intervals of hits and of class codes: published figures, brute force, any shards, the meaning."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like._intervals.transforms import wilson
from tests.helpers.examples import examples
from tests.helpers.sharding import check_same_bits

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less", "ignore:.*no samples")

MATRIX = [[40, 3, 2], [4, 20, 1], [1, 1, 8]]
THREE: dict[str, Any] = {"task": "multiclass", "num_classes": 3}

CLASS_METRICS: dict[str, Callable[..., mm.BaseMetric]] = {
    "f1": lambda **o: mm.FBetaScore(**THREE, **o),
    "weighted recall": lambda **o: mm.Recall(average="weighted", **THREE, **o),
    "precision of each": lambda **o: mm.Precision(average=None, **THREE, **o),
    "balanced": lambda **o: mm.BalancedAccuracy(**THREE, **o),
    "kappa": lambda **o: mm.CohenKappa(3, **o),
    "linear kappa": lambda **o: mm.CohenKappa(3, weights="linear", **o),
    "mcc": lambda **o: mm.MatthewsCorrCoef(3, **o),
    "percent": lambda **o: mm.SingleLabelPrecisionRecallF1score(num_classes=3, **o),
}


def samples_of(matrix: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Predictions and labels with this confusion matrix."""
    cells = [(p, t) for t, row in enumerate(matrix) for p, n in enumerate(row) for _ in range(n)]
    predictions, labels = np.array(cells).T
    return predictions, labels


@pytest.mark.parametrize(
    ("make", "value", "error", "low", "high"),
    [
        (CLASS_METRICS["f1"], 0.8223733938, 0.0519624919, 0.690948, 0.913549),
        (CLASS_METRICS["kappa"], 2705 / 3665, 0.0701076225, 0.556541, 0.861677),
        (CLASS_METRICS["mcc"], 0.7382695814, None, 0.554906, 0.862799),
    ],
)
def test_figures_of_a_worked_example(
    make: Callable[..., mm.BaseMetric], value: float, error: float | None, low: float, high: float
) -> None:
    """Value, standard error and both ends of a matrix that was worked out apart from this code."""
    metric = make(interval=0.95)
    metric.add(*samples_of(MATRIX))
    metric.compute()
    [found] = metric.intervals.values()

    assert found.value == pytest.approx(value, abs=1e-10)
    assert error is None or found.standard_error == pytest.approx(error, abs=1e-10)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6))
    assert (found.method, found.units, found.unit) == (
        "Wilson, effective n, smoothed",
        80,
        "sample",
    )


def test_accuracy_has_the_interval_of_a_proportion() -> None:
    """45 of 50 right: Wilson's interval, whatever k; statsmodels' to the last bit but one."""
    predictions = np.r_[np.zeros(45, int), np.ones(5, int)]
    result = mm.Accuracy(interval=0.95)(predictions, np.zeros(50, int))

    assert list(result) == ["top1", "top1_low", "top1_high"]
    ends = float.fromhex("0x1.92a2b7aad217dp-1"), float.fromhex("0x1.e9bd8b66e5dc5p-1")
    assert (result["top1_low"], result["top1_high"]) == pytest.approx(ends, rel=2**-52)
    scores = np.eye(4)[np.r_[np.zeros(30, int), np.full(20, 2)]] + [0, 0.1, 0, 0]
    several = mm.Accuracy(topk=(1, 2), interval=0.95)(scores, np.r_[np.zeros(40, int), [1] * 10])
    assert several.intervals["top1"].method == several.intervals["top2"].method == "Wilson"
    assert several["top2"] == 0.8
    assert several["top2_low"] == wilson(Fraction(4, 5), 50, 0.95)[0]


@pytest.mark.parametrize("name", CLASS_METRICS)
def test_the_standard_error_is_that_of_samples_left_out_one_by_one(name: str) -> None:
    """Codes of the count give what n evaluations on the samples themselves give."""
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 3, 40)
    predictions = np.where(rng.random(40) < 0.7, labels, rng.integers(0, 3, 40))
    metric = CLASS_METRICS[name](interval=0.9)
    whole = metric(predictions, labels)
    plain = CLASS_METRICS[name]
    if name == "percent":  # rounded values do not move

        def plain(**options: Any) -> mm.BaseMetric:
            return mm.SingleLabelPrecisionRecallF1score(num_classes=3, percent=False, **options)

    left = [plain()(np.delete(predictions, i), np.delete(labels, i)) for i in range(40)]
    for key, found in whole.intervals.items():
        for place, interval in enumerate(found if isinstance(found, list) else [found]):
            values = np.array([np.atleast_1d(one[key])[place] for one in left])
            expected = math.sqrt(39 * values.var()) * (100 if name == "percent" else 1)
            assert interval.standard_error == pytest.approx(expected, rel=1e-9)


def test_the_same_bits_on_any_ranks() -> None:
    """Ends, errors and methods are equal for any shards, batches, order, with or without ids."""
    members = {name: make(interval=0.95) for name, make in CLASS_METRICS.items()}
    members["accuracy"] = mm.Accuracy(thrs=None, interval=0.8)
    check_same_bits(members, lambda rng, count: rng.integers(0, 3, (2, count)), 60)


@given(
    st.lists(st.integers(0, 30), min_size=9, max_size=9).filter(sum), st.sampled_from([0.5, 0.9])
)
@settings(max_examples=examples(20), deadline=None)
def test_intervals_mean_what_they_say(cells: list[int], level: float) -> None:
    """The value lies inside, a lower level lies inside, and names of classes do not matter."""
    matrix = np.array(cells).reshape(3, 3)
    predictions, labels = samples_of(matrix.tolist())
    for make in CLASS_METRICS.values():
        wide = make(interval=0.95)(predictions, labels).intervals
        narrow = make(interval=level)(predictions, labels).intervals
        for key, found in wide.items():
            if isinstance(found, list):
                continue
            if math.isnan(found.value) or math.isnan(found.low):
                continue
            assert found.low <= found.value <= found.high
            assert found.low <= narrow[key].low <= narrow[key].high <= found.high
    turned = mm.CohenKappa(3, interval=0.95)((predictions + 1) % 3, (labels + 1) % 3)
    straight = mm.CohenKappa(3, interval=0.95)(predictions, labels)
    for key in ("kappa_low", "kappa_high"):
        assert turned[key] == pytest.approx(straight[key], rel=1e-12, nan_ok=True)


def test_without_interval_nothing_changes() -> None:
    """Value and bytes with `interval=` are those without, but for the number of odd samples."""
    predictions, labels = samples_of(MATRIX)
    for make in [*CLASS_METRICS.values(), mm.Accuracy]:
        plain, sure = make(), make(interval=0.95)
        plain.add(predictions, labels)
        sure.add(predictions, labels)
        before, after = plain.compute(), sure.compute()
        assert {key: after[key] for key in before} == dict(before)
        sent = [[*each._samples().stores()[0].vector()] for each in (plain, sure)]
        odd = [0, 0] if len(sent[1]) > len(sent[0]) else []  # samples of no, or several, codes
        assert sent[1] == [*sent[0], *odd]
        assert plain.intervals == {}


def test_slices_saved_samples_and_parts_have_intervals() -> None:
    """`Sliced`, `from_bytes`, members of collections and `compute_local` carry the intervals."""
    predictions, labels = samples_of(MATRIX)
    metric = mm.CohenKappa(3, interval=0.95)
    metric.add(predictions, labels)
    expected = metric.compute()
    again = mm.CohenKappa(3, interval=0.95).from_bytes(metric.to_bytes())
    assert again.compute() == metric.compute_local() == expected
    sliced = mm.Sliced(mm.CohenKappa(3, interval=0.95), by="part", summaries=True)
    sliced.add(predictions, labels, by={"part": ["one"] * 80})
    result = sliced.compute()
    assert result["all"] == result["part=one"] == expected
    assert sliced.intervals["part=one"] == metric.intervals
    assert [*result["between part"]] == [
        f"kappa_{end}" for end in ("min", "max", "difference", "ratio")
    ]
    members = mm.MetricCollection(
        kappa=mm.CohenKappa(3, interval=0.95), mcc=mm.MatthewsCorrCoef(3), prefix="val_"
    )
    members.add(predictions, labels)
    assert members.compute()["val_kappa"] == members["kappa"].compute() == expected
    assert [*members.intervals] == ["val_kappa"]
    flat = members.compute().flat()
    assert flat["val_kappa_kappa_low"] == expected["kappa_low"]


def test_thin_intervals_say_so() -> None:
    """Classes of one or two samples are named, in a warning and in the interval."""
    metric = mm.Recall(**THREE, interval=0.95)
    metric.add([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2])
    with pytest.warns(RuntimeWarning, match="promise less than their level: recall: class 1 has 2"):
        metric.compute()
    assert metric.intervals["recall"].thin == "class 1 has 2 labels, class 2 has 1 label"


def test_few_samples() -> None:
    """One sample: the whole range. None: nan. All right: still not sure."""
    one = mm.CohenKappa(2, interval=0.95)([1], [1])
    assert math.isnan(one["kappa"])
    assert math.isnan(one["kappa_low"])
    with pytest.warns(RuntimeWarning, match="only one sample"):
        one = mm.FBetaScore(interval=0.95)([1], [1])
    assert (one["fbeta_low"], one["fbeta"], one["fbeta_high"]) == (0.0, 1.0, 1.0)
    none = mm.Accuracy(interval=0.95)([], [])
    assert math.isnan(none["top1_low"])
    assert none.intervals["top1"].thin == "there are no samples"
    right = mm.BalancedAccuracy(interval=0.95)([0] * 27 + [1] * 3, [0] * 27 + [1] * 3)
    assert right["balanced_accuracy"] == right["balanced_accuracy_high"] == 1.0
    assert right["balanced_accuracy_low"] < wilson_of_all_right(30)  # three positives are few


def wilson_of_all_right(count: int) -> float:
    """The lower end where all samples are right, were all of one class."""
    return mm.Accuracy(interval=0.95)([0] * count, [0] * count)["top1_low"]


def test_what_has_no_interval_says_why() -> None:
    """Many codes for a sample, p-values and raising metrics: nan, and the reason."""
    tokens = mm.Recall(**THREE, interval=0.95)([[0, 1], [1, 2]], [[0, 1], [2, 2]])
    assert math.isnan(tokens["recall_low"])
    assert "more counts than others" in tokens.intervals["recall"].thin
    test = mm.McNemar(interval=0.95)([1, 1], [0, 1], [1, 1])
    assert test.intervals["p_value"].thin.startswith("a p-value")

    class Unwilling(mm.BaseMetric):
        hits = mm.state.count(2)

        def rows(self, values: Any) -> dict[str, Any]:
            """The codes."""
            return {"hits": np.asarray(values)}

        def compute_metric(self, results: Any) -> dict[str, float]:
            """Needs three samples."""
            if len(results) < 3:
                raise ArithmeticError("too few")
            return {"share": results.hits[1] / len(results)}

    found = Unwilling(interval=0.95)([0, 1, 1]).intervals["share"]
    assert math.isnan(found.low)
    assert "ArithmeticError('too few')" in found.thin


@pytest.mark.parametrize("clusters", [None, np.arange(40) // 4])
def test_a_class_without_a_value_takes_no_interval_from_the_others(clusters: Any) -> None:
    """The numbers of class 2, which is never predicted, are nan; those of the others as without."""
    predictions = np.arange(40) % 2
    labels = np.where(np.arange(40) % 7, predictions, 1 - predictions)
    labels[3] = 2
    found = {}
    for undefined in (0.0, math.nan):
        metric = mm.Precision(average=None, zero_division=undefined, interval=0.95, **THREE)
        metric.add(predictions, labels, clusters=clusters)
        found[undefined] = metric.compute().intervals["precision_classwise"]

    *others, last = found[math.nan]
    assert repr(others) == repr(found[0.0][:2])
    assert all(one.low < one.value < one.high for one in others)
    assert (last.method, last.thin) == ("none", "the value is not finite")


@pytest.mark.parametrize("level", [0, 1, 95, math.nan, -0.5])
def test_levels_are_between_0_and_1(level: float) -> None:
    """95 is no level: 0.95 is."""
    with pytest.raises(ValueError, match="interval must lie between 0 and 1"):
        mm.Accuracy(interval=level)
    with pytest.raises(TypeError, match="interval must be a level"):
        mm.Accuracy(interval="0.95")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="interval must be a level"):
        mm.Accuracy(interval=True)
