"""Two systems on the same samples: differences, tests, flips and gates."""

import math
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like._intervals.interval import BEYOND
from mmeval_like._intervals.jackknife.left_out import variance_without_one
from mmeval_like._intervals.share_differences import difference_of_shares
from mmeval_like.testing.local_world import LocalWorld
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.helpers.paired import compared, systems

stats = requires("scipy.stats")
pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less", "ignore:.*no samples")


def test_flips_are_counted() -> None:
    """10 samples flip up and 3 down; there is one p-value, that of the interval."""
    a = np.r_[np.zeros(10, int), np.ones(3, int), np.ones(40, int)]
    b = np.r_[np.ones(10, int), np.zeros(3, int), np.ones(40, int)]
    labels = np.ones(53, int)
    found = compared(mm.Accuracy(), a, b, labels).compute()
    assert (found["flips_up"], found["flips_down"]) == (10, 3)
    assert [key for key in found if key.endswith("_p")] == ["top1_p"]
    assert 0.05 < found["top1_p"] < mm.McNemar()(a, b, labels)["p_value"]  # 0.092
    assert found["top1_difference"] == found["top1_b"] - found["top1_a"]
    assert found["samples"] == 53


@pytest.mark.parametrize("seed", range(5))
def test_a_difference_of_means_is_a_t_test_of_the_supposed_difference(seed: int) -> None:
    """The ends are the last that a t test does not reject with the variance that they imply.

    It is never below the variance that was measured, so that Student's interval lies inside.
    """
    rng = np.random.default_rng(seed)
    labels = np.zeros(40)
    a, b = rng.normal(size=(2, 40)) + rng.normal(size=40)
    pair = compared(mm.MeanAbsoluteError(), a, b, labels)
    found, interval = pair.compute(), pair.intervals["mae_difference"]
    moved = np.abs(b) - np.abs(a)
    third, second = stats.moment(moved, 3), stats.moment(moved, 2)
    more = 1 + 50 / 40 * min(1, third * third / second**3)  # few samples show too little skewness

    def p_at(supposed: float) -> float:
        growth = more * third / second * (supposed - moved.mean()) / 40
        variance = second / 39 + max(0, growth)
        return float(2 * stats.t.sf(abs(supposed - moved.mean()) / math.sqrt(variance), 39))

    assert found["mae_p"] == interval.p == pytest.approx(p_at(0.0), rel=1e-9)
    assert (p_at(interval.low), p_at(interval.high)) == pytest.approx((0.05, 0.05), rel=1e-6)
    theirs = stats.ttest_rel(np.abs(b), np.abs(a))
    ends = theirs.confidence_interval(0.95)
    assert interval.low <= ends.low + 1e-12 < ends.high - 1e-12 <= interval.high
    if abs(stats.skew(moved)) < 0.5:
        assert interval.high - interval.low <= 1.1 * (ends.high - ends.low)
    assert interval.p >= theirs.pvalue - 1e-12
    assert (interval.method, interval.unit, interval.units) == ("paired t", "sample", 40)


@pytest.mark.parametrize("make", [lambda: mm.CohenKappa(3), lambda: mm.SpearmanCorrCoef()])
def test_samples_are_left_out_of_both(make: Any) -> None:
    """The standard error is that of n differences without a sample.

    To it is added what one of the samples on which the systems agree would add, if it changed: as
    one of those that differ, or, in a confusion matrix, as the most different ones of a system.
    """
    a, b, labels = systems(60)
    pair = compared(make(), a, b, labels)
    [found] = pair.intervals.values()
    sides = [
        np.array(
            [next(iter(make()(np.delete(p, i), np.delete(labels, i)).values())) for i in range(60)]
        )
        for p in (a, b)
    ]
    left = sides[1] - sides[0]
    whole = [next(iter(make()(p, labels).values())) for p in (a, b)]
    part = np.abs(whole[1] - whole[0] - 59 / 60 * left).max()
    if isinstance(make(), mm.CohenKappa):
        part = max(part, *(np.ptp(side) for side in sides))
    expected = math.sqrt(59 * np.var(left) + part**2 * np.mean(a == b))
    assert found.standard_error == pytest.approx(expected, rel=1e-9)


@given(st.integers(1, 4), st.integers(1, 60), st.integers(0, 2**32))
@settings(max_examples=examples(15), deadline=None)
def test_the_same_bits_on_any_ranks(ranks: int, count: int, seed: int) -> None:
    """Any shards, other ones for both systems, and any order; exchanged systems are mirrored."""
    a, b, labels = systems(count, seed)
    expected = compared(mm.CohenKappa(3), a, b, labels)
    mirrored = compared(mm.CohenKappa(3), b, a, labels)
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(count), rng.permutation(count)]

    def evaluate(backend: Any) -> Any:
        pair = mm.Paired(mm.CohenKappa(3), dist_backend=backend)
        for side, predictions, order in zip((pair.a, pair.b), (a, b), orders, strict=True):
            for batch in np.array_split(order[backend.rank :: ranks], 2):
                side.add(predictions[batch], labels[batch], ids=batch)
        return pair.compute(), pair.intervals

    one = expected.intervals["kappa_difference"]
    for result, intervals in LocalWorld(ranks).run(evaluate):
        assert repr(result) == repr(expected.compute())
        assert repr(intervals) == repr(expected.intervals)
    other = mirrored.intervals["kappa_difference"]
    assert (-other.high, -other.low) == pytest.approx((one.low, one.high), nan_ok=True)
    if not math.isnan(one.low):
        assert one.low <= one.value <= one.high
        outside = not one.low <= 0 <= one.high
        assert (expected.compute()["kappa_p"] < 0.05) == outside


class ErrorRate(mm.BaseMetric):
    """How many of 100 samples are wrong."""

    right = mm.state.sum(bool)
    ranges: ClassVar[Any] = {"*": (0.0, 100.0)}

    def rows(self, predictions: Any, labels: Any) -> dict[str, Any]:
        """Whether it is right."""
        return {"right": np.equal(predictions, labels)}

    def compute_metric(self, results: Any) -> dict[str, float]:
        """The share of the others; and a number that is no share."""
        wrong = 100 - 100 * results.right / len(results)
        return {"wrong": wrong, "twice": wrong / 2}


def test_shares_of_hits_and_of_misses() -> None:
    """Both have Tango's interval of the samples that flip, in the metric's unit; others not."""
    a, b, labels = systems(90)
    up, down = ((a != labels) & (b == labels)).sum(), ((a == labels) & (b != labels)).sum()
    low, high = difference_of_shares(int(up), int(down), 90, 0.9)

    hits = compared(mm.Accuracy(), a, b, labels, interval=0.9).intervals["top1_difference"]
    pair = compared(ErrorRate(), a, b, labels, interval=0.9)
    misses, other = (pair.intervals[f"{key}_difference"] for key in ("wrong", "twice"))

    assert up > down > 0
    assert (hits.method, misses.method, other.method) == ("Tango", "Tango", "paired t")
    assert (hits.low, hits.high) == (low, high)
    assert (misses.low, misses.high) == pytest.approx((-100 * high, -100 * low))


def test_a_difference_lies_between_its_bounds() -> None:
    """Few samples that all flip: no end is beyond the largest difference that there can be."""
    pair = compared(mm.CohenKappa(2), [0, 1, 0, 1], [1, 0, 1, 0], [1, 0, 1, 0])
    one = pair.intervals["kappa_difference"]

    assert one.low < one.value == one.high == 2


def test_equal_systems_do_not_differ() -> None:
    """No difference: p is 1, and the interval is not empty."""
    a, _, labels = systems(50)
    found = compared(mm.Accuracy(), a, a, labels).compute()
    assert (found["top1_difference"], found["top1_p"]) == (0.0, 1.0)
    assert found["top1_difference_low"] < 0 < found["top1_difference_high"]


def test_many_different_rows_are_dealt_into_groups() -> None:
    """Above 1,024 kinds of rows 50 groups are left out, and tell nearly the same."""
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 3000)) + rng.normal(size=3000)
    pair = compared(mm.RootMeanSquaredError(), a, b, np.zeros(3000))
    found = pair.intervals["rmse_difference"]
    assert (found.unit, found.units) == ("group", 50)
    moved = [x**2 / 2 / math.sqrt(np.mean(x**2)) for x in (a, b)]
    usual = np.std(moved[1] - moved[0], ddof=1) / math.sqrt(3000)
    assert found.standard_error == pytest.approx(usual, rel=0.3)


@pytest.mark.parametrize("clusters", [None, [0, 0, 1, 1, 2, 2]])
def test_differences_whose_square_is_no_float_have_no_interval(clusters: Any) -> None:
    """One prediction of 1e300: the difference is told, and why nobody knows how sure it is."""
    labels = np.arange(6.0)
    pair = mm.Paired(mm.MeanAbsoluteError())
    pair.a.add(np.where(labels == 3, 1e300, labels), labels, ids=range(6), clusters=clusters)
    pair.b.add(labels, labels, ids=range(6), clusters=clusters)

    assert pair.compute()["mae_difference"] == -1e300 / 6
    found = pair.intervals["mae_difference"]
    assert (found.method, found.thin) == ("none", BEYOND)
    assert math.isnan(found.low)
    assert variance_without_one([1e308, 1e308, -1e308], [2, 2, 2], 6) == math.inf


def test_false_alarms_are_rare() -> None:
    """Of systems that are equally good, about 5 of 100 comparisons say that they differ."""
    rng = np.random.default_rng(3)
    alarms = 0
    for _ in range(250):
        right = rng.random((2, 80)) < rng.random(80)  # as difficult for both
        pair = compared(mm.Accuracy(), *right.astype(int), np.ones(80, int))
        alarms += pair.compute()["top1_p"] < 0.05
    assert alarms <= 250 * 0.05 + 3 * math.sqrt(250 * 0.05 * 0.95)


def test_what_is_rounded_is_compared_unrounded() -> None:
    """A metric that rounds to 4 digits: one of 60,000 samples changes less, and that is seen."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 60_000)
    a, b = (np.where(rng.random(60_000) < q, labels, 1 - labels) for q in (0.7, 0.71))
    metric = mm.SingleLabelPrecisionRecallF1score(num_classes=2, items=("f1-score",), percent=False)
    error = compared(metric, a, b, labels).intervals["f1-score_difference"].standard_error
    exact = compared(mm.FBetaScore(task="multiclass", num_classes=2), a, b, labels)
    [other] = exact.intervals.values()
    assert error == pytest.approx(other.standard_error, rel=1e-6)


def test_what_has_no_honest_interval_is_compared_without() -> None:
    """A difference of maxima is shown, and said to be of unknown worth."""
    pair = compared(mm.MaxError(), [1.0, 2.0, 3.0], [1.0, 2.0, 5.0], [1.0, 1.0, 1.0])
    found = pair.compute()
    assert found["max_error_difference"] == 2
    assert math.isnan(found["max_error_p"])
    assert math.isnan(found["max_error_difference_low"])
    [one] = pair.intervals.values()
    assert (one.method, one.thin) == ("none", "the largest of more samples is larger")


class Span(mm.BaseMetric):
    """How far the values reach beyond their mean."""

    total, largest = mm.state.sum(), mm.state.max()

    def rows(self, values: Any, targets: Any) -> dict[str, Any]:
        """The values, twice."""
        return {"total": np.asarray(values), "largest": np.asarray(values)}

    def compute_metric(self, results: Any) -> dict[str, float]:
        """The largest less the mean."""
        return {"span": float(results.largest) - results.total / len(results)}


def test_a_state_that_cannot_be_subtracted_is_found_anew() -> None:
    """The largest value of those that remain: the jackknife, written out."""
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 25))
    found = compared(Span(), a, b, np.zeros(25)).intervals["span_difference"]
    left = [
        (np.delete(b, i).max() - np.delete(b, i).mean())
        - (np.delete(a, i).max() - np.delete(a, i).mean())
        for i in range(25)
    ]
    assert found.standard_error == pytest.approx(math.sqrt(24 * np.var(left)), rel=1e-9)


class WeightedMean(mm.BaseMetric):
    """A mean by exact sums of two numbers for each sample."""

    both = mm.state.sum(shape=(2,))

    def rows(self, values: Any, weights: Any) -> dict[str, Any]:
        """The weighted value, and the weight."""
        return {"both": np.stack([np.asarray(values) * weights, weights], axis=1)}

    def compute_metric(self, results: Any) -> dict[str, float]:
        """From unrounded sums."""
        value, weight = results.exact("both")
        assert np.allclose(results.both, [float(value), float(weight)], rtol=1e-12)
        return {"mean": float(value / weight)}


def test_exact_sums_without_a_sample() -> None:
    """A metric that asks for unrounded sums gets those of the other samples."""
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(2, 25))
    weights = rng.uniform(0.5, 2, 25)
    found = compared(WeightedMean(), a, b, weights).intervals["mean_difference"]
    left = [np.average(np.delete(b - a, i), weights=np.delete(weights, i)) for i in range(25)]
    assert found.standard_error == pytest.approx(math.sqrt(24 * np.var(left)), rel=1e-9)


def test_ids_are_needed_and_must_be_the_same() -> None:
    """Samples without ids, and samples of one system alone, are errors that name them."""
    pair = mm.Paired(mm.Accuracy())
    pair.a.add([1, 1], [1, 0])
    pair.b.add([1, 1], [1, 0])
    with pytest.raises(ValueError, match="pass ids= to both"):
        pair.compute()
    pair.reset()
    pair.a.add([1, 1], [1, 0], ids=[0, 7])
    pair.b.add([1, 1], [1, 0], ids=[0, 5])
    with pytest.raises(ValueError, match=r"only a has the ids \[7\], and only b has the ids \[5\]"):
        pair.compute()
    pair.reset()
    pair.a.add([1, 1], [1, 0], ids=["img-0", "img-7"])
    pair.b.add([1, 1], [1, 0], ids=["img-7", "img-1"])
    with pytest.raises(ValueError, match=r"only a has the ids \['img-0'\], and only b has"):
        pair.compute()
    pair.reset()
    pair.a.add([1, 0], [1, 1], ids=["x", "y"])
    pair.b.add([1, 0], [1, 1], ids=["y", "x"])
    assert (pair.compute()["flips_up"], pair.compute()["flips_down"]) == (1, 1)
    pair.reset()
    assert pair.compute() == {"samples": 0}
    with pytest.raises(
        TypeError, match="metric must be a metric, a MetricCollection, or Sliced of one, got int"
    ):
        mm.Paired(3)  # type: ignore[arg-type]


def test_a_reset_forgets_the_intervals() -> None:
    """A gate does not decide by samples that were forgotten."""
    metric = mm.Accuracy(interval=0.95)
    metric.add([1] * 90 + [0] * 10, [1] * 100)
    metric.compute()
    metric.reset()
    assert metric.intervals == {}
    with pytest.raises(ValueError, match="no interval of 'top1'"):
        mm.gate(metric, "top1", at_least=0.8)


PROBABILITIES = np.random.default_rng(0).random((60, 3)).astype(np.float32)
TRUTHS = np.random.default_rng(1).integers(0, 3, 60)
WITH_LABELS: dict[str, tuple[Any, Any, Any]] = {
    "f1": (lambda: mm.FBetaScore(task="multiclass", num_classes=3), PROBABILITIES, TRUTHS),
    "precision": (lambda: mm.SingleLabelPrecisionRecallF1score(num_classes=3), TRUTHS, TRUTHS),
    "classwise": (
        lambda: mm.BalancedAccuracy(task="multiclass", num_classes=3),
        PROBABILITIES,
        TRUTHS,
    ),
    "kappa": (lambda: mm.CohenKappa(3), TRUTHS, TRUTHS),
    "auroc": (mm.AUROC, PROBABILITIES[:, 0], TRUTHS % 2),
    "gini": (mm.GiniCoefficient, PROBABILITIES[:, 0], TRUTHS % 2),
    "r2": (mm.R2Score, PROBABILITIES[:, 0], TRUTHS / 2),
    "spearman": (mm.SpearmanCorrCoef, PROBABILITIES[:, 0], TRUTHS / 2),
}


def test_samples_that_one_system_leaves_out_are_no_other_labels() -> None:
    """A nan that is omitted takes its label with it."""
    for make in (mm.R2Score, mm.SpearmanCorrCoef):
        pair = mm.Paired(make(nan="omit"))
        pair.a.add(np.where(TRUTHS == 0, np.nan, PROBABILITIES[:, 0]), TRUTHS / 2, ids=range(60))
        pair.b.add(PROBABILITIES[:, 0], TRUTHS / 2, ids=range(60))
        assert pair.compute()["samples"] == 60


@pytest.mark.parametrize("name", WITH_LABELS)
def test_other_labels_for_the_same_ids_are_refused(name: str) -> None:
    """Item 19: the error names the ids; equal labels of any dtype and order are compared."""
    make, predictions, labels = WITH_LABELS[name]
    backwards = np.arange(60)[::-1]
    pair = mm.Paired(make())
    pair.a.add(predictions, labels, ids=range(60))
    wide = predictions.astype(np.float64) if predictions.dtype == np.float32 else predictions
    pair.b.add(wide[backwards], labels[backwards], ids=backwards)
    assert pair.compute()["samples"] == 60
    other = labels.copy()
    other[[7, 50]] = 1 - other[[7, 50]].clip(0, 1)
    pair.b.reset()
    pair.b.add(predictions, other, ids=range(60))
    with pytest.raises(ValueError, match=r"those of the ids \[7, 50\] have different labels"):
        pair.compute()


def test_a_member_without_differences_has_no_intervals_by_its_name() -> None:
    """A list of values is not compared: its intervals are {}, and not a missing key."""
    each = mm.FBetaScore(task="multiclass", num_classes=3, average=None)
    pair = mm.Paired(mm.MetricCollection({"each": each, "all": mm.Accuracy()}))
    for side in (pair.a, pair.b):
        side.add([0, 1, 2, 1], [0, 1, 2, 2], ids=range(4))

    found = pair.compute().intervals

    assert found["each"] == {}
    assert [*found["all"]] == ["top1_difference"]
