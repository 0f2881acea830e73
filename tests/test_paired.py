"""Two systems on the same samples: differences, tests, flips and gates."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like.testing.local_world import LocalWorld
from tests.helpers import requires
from tests.helpers.examples import examples

stats = requires("scipy.stats")
pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less", "ignore:.*no samples")


def compared(metric: mm.BaseMetric, a: Any, b: Any, labels: Any, **options: Any) -> mm.Paired:
    """A pair with these predictions, computed."""
    pair = mm.Paired(metric, dist_backend="non_dist", **options)
    for side, predictions in ((pair.a, a), (pair.b, b)):
        side.add(predictions, labels, ids=np.arange(len(labels)))
    pair.compute()
    return pair


def systems(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predictions of two systems, and labels, of three classes."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, count)
    return (
        np.where(rng.random(count) < 0.6, labels, rng.integers(0, 3, count)),
        np.where(rng.random(count) < 0.7, labels, rng.integers(0, 3, count)),
        labels,
    )


def test_flips_are_mcnemars() -> None:
    """10 samples flip up and 3 down: McNemar's exact p, as the metric `McNemar` has it."""
    a = np.r_[np.zeros(10, int), np.ones(3, int), np.ones(40, int)]
    b = np.r_[np.ones(10, int), np.zeros(3, int), np.ones(40, int)]
    labels = np.ones(53, int)
    found = compared(mm.Accuracy(), a, b, labels).compute()
    assert (found["flips_up"], found["flips_down"]) == (10, 3)
    assert found["flips_p"] == 0.09228515625
    assert found["flips_p"] == mm.McNemar()(a, b, labels)["p_value"]
    assert found["top1_difference"] == found["top1_b"] - found["top1_a"]
    assert found["samples"] == 53


def test_a_difference_of_means_is_the_paired_t_test() -> None:
    """For means it is the test of Student, as scipy has it."""
    rng = np.random.default_rng(1)
    labels = np.zeros(40)
    a, b = rng.normal(size=(2, 40)) + rng.normal(size=40)
    pair = compared(mm.MeanAbsoluteError(), a, b, labels)
    found, interval = pair.compute(), pair.intervals["mae_difference"]
    theirs = stats.ttest_rel(np.abs(b), np.abs(a))
    ends = theirs.confidence_interval(0.95)
    assert found["mae_p"] == pytest.approx(theirs.pvalue, rel=1e-9)
    assert (interval.low, interval.high) == pytest.approx((ends.low, ends.high), rel=1e-9)
    assert (interval.method, interval.unit, interval.units) == ("paired t", "sample", 40)


@pytest.mark.parametrize("make", [lambda: mm.CohenKappa(3), lambda: mm.SpearmanCorrCoef()])
def test_samples_are_left_out_of_both(make: Any) -> None:
    """The standard error is that of n differences without a sample, and half a flip each way."""
    a, b, labels = systems(60)
    pair = compared(make(), a, b, labels)
    [found] = pair.intervals.values()
    left = []
    for i in range(60):
        both = [make()(np.delete(p, i), np.delete(labels, i)) for p in (a, b)]
        left.append(next(iter(both[1].values())) - next(iter(both[0].values())))
    expected = math.sqrt(59 * np.var(left) + 1 / 60**2)
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


def test_equal_systems_do_not_differ() -> None:
    """No difference: p is 1, and the interval is not empty."""
    a, _, labels = systems(50)
    found = compared(mm.Accuracy(), a, a, labels).compute()
    assert (found["top1_difference"], found["top1_p"], found["flips_p"]) == (0.0, 1.0, 1.0)
    assert found["top1_difference_low"] < 0 < found["top1_difference_high"]


def test_many_different_rows_are_dealt_into_groups() -> None:
    """Above 1,024 kinds of rows 50 groups are left out, and tell nearly the same."""
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 3000)) + rng.normal(size=3000)
    pair = compared(mm.MeanSquaredError(), a, b, np.zeros(3000))
    found = pair.intervals["mse_difference"]
    assert (found.unit, found.units) == ("group", 50)
    usual = np.std(b**2 - a**2, ddof=1) / math.sqrt(3000)
    assert found.standard_error == pytest.approx(usual, rel=0.3)


def test_wrong_passes_are_rare() -> None:
    """Of systems that are just as much worse as the margin allows, 2.5 of 100 pass at most."""
    rng = np.random.default_rng(4)
    passed, labels = 0, np.ones(100, int)
    for _ in range(200):
        hard = rng.random(100)
        a = (hard < 0.8).astype(int)
        b = np.where(rng.random(100) < 0.3, rng.random(100) < 0.8 - 0.1 / 0.3, a).astype(int)
        passed += (
            mm.gate(compared(mm.Accuracy(), a, b, labels), "top1", margin=0.1).outcome == "pass"
        )
    assert passed <= 200 * 0.025 + 3 * math.sqrt(200 * 0.025 * 0.975)


def test_false_alarms_are_rare() -> None:
    """Of systems that are equally good, about 5 of 100 comparisons say that they differ."""
    rng = np.random.default_rng(3)
    alarms = 0
    for _ in range(250):
        right = rng.random((2, 80)) < rng.random(80)  # as difficult for both
        pair = compared(mm.Accuracy(), *right.astype(int), np.ones(80, int))
        alarms += pair.compute()["top1_p"] < 0.05
    assert alarms <= 250 * 0.05 + 3 * math.sqrt(250 * 0.05 * 0.95)


def sliced_pair(a: Any, b: Any, labels: Any, by: Any, **options: Any) -> mm.Paired:
    """A pair of slices, computed."""
    metric = mm.Sliced(mm.Accuracy(), by=["language"])
    pair = mm.Paired(metric, dist_backend="non_dist", **options)
    for side, predictions in ((pair.a, a), (pair.b, b)):
        side.add(predictions, labels, ids=np.arange(len(labels)), by={"language": by})
    pair.compute()
    return pair


def test_a_slice_is_compared_as_if_it_were_all() -> None:
    """Every slice, and the whole, to the last bit; p-values of slices are corrected beside that."""
    a, b, labels = systems(200)
    languages = np.random.default_rng(0).choice(["de", "en", "fr"], 200)
    pair = sliced_pair(a, b, labels, languages)
    found = pair.compute()
    assert list(found) == ["all", "language=de", "language=en", "language=fr"]
    assert found["all"] == compared(mm.Accuracy(), a, b, labels).compute()
    p_values = []
    for name in ("de", "en", "fr"):
        mine = languages == name
        values = dict(found[f"language={name}"])
        p_values.append((values["top1_p"], values.pop("top1_p_adjusted")))
        values.pop("flips_p_adjusted")
        assert values == compared(mm.Accuracy(), a[mine], b[mine], labels[mine]).compute()
    small, middle, large = sorted(p_values)
    assert small[1] == min(1, 3 * small[0])
    assert middle[1] == min(1, max(small[1], 2 * middle[0]))
    assert large[1] == max(middle[1], large[0])
    plain = sliced_pair(a, b, labels, languages, correction=None).compute()["language=de"]
    assert plain["top1_p_adjusted"] == plain["top1_p"]


def test_slices_on_any_ranks() -> None:
    """Any shards and another order for each system give the bits of one process."""
    a, b, labels = systems(60)
    languages = np.array(["de", "en"])[np.arange(60) % 2]
    expected = sliced_pair(a, b, labels, languages, list_flips=True).compute()
    rng = np.random.default_rng(0)
    orders = [rng.permutation(60), rng.permutation(60)]

    def evaluate(backend: Any) -> Any:
        metric = mm.Sliced(mm.Accuracy(), by="language")
        pair = mm.Paired(metric, list_flips=True, dist_backend=backend)
        for side, predictions, order in zip((pair.a, pair.b), (a, b), orders, strict=True):
            for batch in np.array_split(order[backend.rank :: backend.world_size], 2):
                by = {"language": languages[batch]}
                side.add(predictions[batch], labels[batch], ids=batch, by=by)
        return pair.compute()

    for result in LocalWorld(3).run(evaluate):
        assert repr(result) == repr(expected)
    hits = [predictions == labels for predictions in (a, b)]
    assert expected["all"]["flips_up_ids"] == np.flatnonzero(~hits[0] & hits[1]).tolist()
    assert expected["all"]["flips_down_ids"] == np.flatnonzero(hits[0] & ~hits[1]).tolist()


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


def test_slices_must_be_the_same_in_both() -> None:
    """A sample that is in other slices for the other system is named; so is what cannot be."""
    pair = mm.Paired(mm.Sliced(mm.Accuracy(), by="language"))
    pair.a.add([1, 1], [1, 0], ids=[3, 7], by={"language": ["de", "en"]})
    pair.b.add([1, 1], [1, 0], ids=[3, 7], by={"language": ["de", "fr"]})
    with pytest.raises(ValueError, match=r"the ids \[7\] are in others"):
        pair.compute()
    with pytest.raises(TypeError, match="a metric, or Sliced of one metric"):
        mm.Paired(mm.Sliced({"a": mm.Accuracy(), "b": mm.Accuracy()}, by="language"))
    with pytest.raises(ValueError, match="correction must be one of"):
        mm.Paired(mm.Accuracy(), correction="sidak")
    for options in ({"anytime": True}, {"planned": 100}, {"anytime": False, "planned": 5}):
        with pytest.raises(TypeError, match="go together"):
            mm.Paired(mm.Accuracy(), **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="planned must be at least 1"):
        mm.Paired(mm.Accuracy(), anytime=True, planned=0)


def test_looks_at_any_time() -> None:
    """The interval is wider than that of one look, p is larger, and few samples decide nothing."""
    a, b, labels = systems(400)
    once = compared(mm.Accuracy(), a, b, labels)
    often = compared(mm.Accuracy(), a, b, labels, anytime=True, planned=2000)
    one, other = (pair.intervals["top1_difference"] for pair in (once, often))
    assert (other.method, other.thin) == ("confidence sequence", None)
    assert other.standard_error == one.standard_error
    assert other.low < one.low < one.value == other.value < one.high < other.high
    assert once.compute()["top1_p"] < often.compute()["top1_p"]
    assert once.compute()["flips_p"] < often.compute()["flips_p"]
    few = compared(mm.Accuracy(), a[:99], b[:99], labels[:99], anytime=True, planned=2000)
    found = few.compute()
    assert (found["top1_p"], found["top1_difference_low"], found["top1_difference_high"]) == (
        1,
        -1,
        1,
    )
    assert "nothing is decided below 100 samples" in str(few.intervals["top1_difference"].thin)
    alike = compared(mm.Accuracy(), a, a, labels, anytime=True, planned=2000)
    assert "there are 400 and 0" in str(alike.intervals["top1_difference"].thin)
    assert mm.gate(alike, "top1", margin=0.5).outcome == "undecided"


def test_gates_of_slices() -> None:
    """Pass if every slice passes; fail if one does so after Holm; else undecided, naming one."""
    count = 900
    labels, languages = np.ones(count, int), np.array(["de", "en", "fr"])[np.arange(count) % 3]
    rng = np.random.default_rng(0)
    a = (rng.random(count) < 0.7).astype(int)
    better = np.where(rng.random(count) < 0.5, 1, a)
    verdict = mm.gate(sliced_pair(a, better, labels, languages), "top1", margin=0.0)
    assert (verdict.outcome, verdict.worst) == ("pass", None)
    assert {one.outcome for one in verdict.slices.values()} == {"pass"}
    broken = np.where(languages == "fr", rng.random(count) < 0.3, better).astype(int)
    verdict = mm.gate(sliced_pair(a, broken, labels, languages), "top1", margin=0.0)
    assert (verdict.outcome, verdict.worst) == ("fail", "language=fr")
    assert verdict.slices["language=fr"].outcome == "fail"
    weaker = np.where((languages == "fr") & (rng.random(count) < 0.5), a, better)
    weaker = np.where((languages == "fr") & (rng.random(count) < 0.12), 0, weaker)
    verdict = mm.gate(sliced_pair(a, weaker, labels, languages), "top1", margin=0.0)
    assert (verdict.outcome, verdict.worst) == ("undecided", "language=fr")
    scores = mm.Sliced({"acc": mm.Accuracy(interval=0.95)}, by="language")
    scores.add(broken, labels, by={"language": languages})
    scores.compute()
    verdict = mm.gate(scores, "acc.top1", at_least=0.5)
    assert (verdict.outcome, verdict.worst) == ("fail", "language=fr")


def test_a_slice_at_its_holm_level() -> None:
    """One slice of 20 that fails by itself alone, but not after the correction, is no failure."""
    count = 20 * 100
    labels, slices = np.ones(count, int), np.arange(count) % 20
    a = np.ones(count, int)
    a[slices > 0] = np.arange((slices > 0).sum()) % 2
    b = np.where(slices > 0, 1, np.where(np.arange(count) < 20 * 7, 0, 1))
    pair = sliced_pair(a, b, labels, slices)
    verdict = mm.gate(pair, "top1", margin=0.0)
    assert verdict.slices["language=0"].outcome == "fail"
    assert (verdict.outcome, verdict.worst) == ("undecided", "language=0")


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
    with pytest.raises(TypeError, match="metric must be a metric, or Sliced of one metric, got"):
        mm.Paired(3)  # type: ignore[arg-type]


def test_gates() -> None:
    """A pair passes if b is not worse than a by more than the margin; a value, if beyond doubt."""
    a, b, labels = systems(400)
    pair = compared(mm.Accuracy(), a, b, labels)
    assert pair.compute()["top1_difference"] > 0
    assert mm.gate(pair, "top1", margin=0.02).outcome == "pass"
    worse = compared(mm.Accuracy(), b, a, labels)
    assert mm.gate(worse, "top1", margin=0.0).outcome == "fail"
    near = mm.gate(worse, "top1", margin=-worse.compute()["top1_difference"] + 0.001)
    assert near.outcome == "undecided"
    assert near.samples_needed is not None
    assert near.samples_needed > 400
    error = mm.MeanSquaredError(interval=0.95)
    error.add(np.random.default_rng(0).normal(size=300), np.zeros(300))
    error.compute()
    assert mm.gate(error, "mse", at_most=2).outcome == "pass"
    assert mm.gate(error, "mse", at_most=0.5).outcome == "fail"
    few = mm.MeanSquaredError(interval=0.95)
    few.add([0.1, 0.2, 0.1], [0.0, 0.0, 0.0])
    few.compute()
    assert mm.gate(few, "mse", at_most=5).outcome == "undecided"  # thin


def test_many_flips_are_tested_at_once() -> None:
    """The exact test of 200,000 flips is that of scipy, and takes no minutes."""
    labels = np.ones(200_000, int)
    a = (np.arange(200_000) < 100_300).astype(int)
    found = compared(mm.Accuracy(), a, 1 - a, labels).compute()
    theirs = stats.binomtest(99_700, 200_000).pvalue
    assert found["flips_p"] == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("bound", [math.nan, math.inf, "0.8", True])
def test_gates_refuse_what_is_no_finite_number(bound: Any) -> None:
    """A bound that no number reaches, or that is none, is named; no verdict comes of it."""
    metric = mm.Accuracy(interval=0.95)
    metric.add([1] * 90 + [0] * 10, [1] * 100)
    metric.compute()
    with pytest.raises((TypeError, ValueError), match=r"^at_least must be"):
        mm.gate(metric, "top1", at_least=bound)


def test_a_reset_forgets_the_intervals() -> None:
    """A gate does not decide by samples that were forgotten."""
    metric = mm.Accuracy(interval=0.95)
    metric.add([1] * 90 + [0] * 10, [1] * 100)
    metric.compute()
    metric.reset()
    assert metric.intervals == {}
    with pytest.raises(ValueError, match="no interval of 'top1'"):
        mm.gate(metric, "top1", at_least=0.8)


def test_gates_need_one_bound() -> None:
    """The bound of a pair is a margin, that of a metric is not."""
    a, b, labels = systems(30)
    pair = compared(mm.Accuracy(), a, b, labels)
    with pytest.raises(TypeError, match="pass one of margin, got at_least"):
        mm.gate(pair, "top1", at_least=0.5)
    with pytest.raises(ValueError, match="margin must not be negative"):
        mm.gate(pair, "top1", margin=-0.1)
    with pytest.raises(ValueError, match="no interval of 'top5_difference'"):
        mm.gate(pair, "top5", margin=0.1)
    with pytest.raises(TypeError, match="pass one of at_least and at_most, got none"):
        mm.gate(mm.Accuracy(), "top1")
    unknown = compared(mm.WeightedCalibration(), a / 3, b / 3, labels > 0)
    with pytest.raises(ValueError, match="whether more is better"):
        mm.gate(unknown, "weighted_calibration", margin=0.1)


@pytest.mark.parametrize("size", [1, 6])
def test_equal_clusters_are_the_paired_t_test_of_their_means(size: int) -> None:
    """Every cluster is one difference, as scipy has it; on any ranks, with clusters by name."""
    rng = np.random.default_rng(size)
    groups = np.repeat(np.arange(30), size)
    shared = rng.normal(size=(2, 30))[:, groups]
    errors = rng.normal(size=(2, 30 * size)) + shared
    labels = np.zeros(30 * size)

    def program(backend: Any, ranks: int) -> tuple[Any, Any]:
        pair = mm.Paired(mm.MeanAbsoluteError(), dist_backend=backend)
        for side, values in ((pair.a, errors[0]), (pair.b, errors[1])):
            mine = rng.permutation(30 * size) if ranks == 1 else np.arange(30 * size)
            mine = mine[backend.rank :: ranks]
            names = [f"document {g}" for g in groups[mine].tolist()]
            side.add(values[mine], labels[mine], ids=mine, clusters=names)
        return pair.compute(), pair.intervals

    means = np.abs(errors).reshape(2, 30, size).mean(axis=2)
    theirs = stats.ttest_rel(means[1], means[0])
    ends = theirs.confidence_interval(0.95)
    every = [
        found
        for ranks in (1, 3)
        for found in LocalWorld(ranks).run(lambda b, n=ranks: program(b, n))
    ]
    for found, intervals in every:
        assert repr((found, intervals)) == repr(every[0])
        assert found["mae_p"] == pytest.approx(theirs.pvalue)
        assert found["mae_difference_low"] == pytest.approx(ends.low)
        assert found["mae_difference_high"] == pytest.approx(ends.high)
        assert intervals["mae_difference"].unit == "cluster"
        assert intervals["mae_difference"].units == 30


def test_a_cluster_for_each_sample_changes_no_comparison() -> None:
    """The same interval and p; flips are counted, and their exact test is left out."""
    a, b, labels = systems(300, 4)
    for metric in (mm.Accuracy(), mm.BalancedAccuracy(task="multiclass", num_classes=3)):
        alone = compared(metric, a, b, labels).compute()
        pair = mm.Paired(mm.Sliced(metric, by="x"), dist_backend="non_dist")
        for side, predictions in ((pair.a, a), (pair.b, b)):
            ids, by = np.arange(300), {"x": labels}
            side.add(predictions, labels, ids=ids, clusters=ids, by=by)
        together = pair.compute()
        known = {key: value for key, value in alone.items() if key != "flips_p"}
        assert together["all"] == pytest.approx(known, rel=1e-9)
        which = labels == 1
        part = compared(metric, a[which], b[which], labels[which]).compute()
        key = next(name for name in part if name.endswith("_p"))
        assert together["x=1"][key] == pytest.approx(part[key], rel=1e-9)


def test_many_clusters_are_dealt_into_groups() -> None:
    """More than 1,024: fifty groups of whole clusters; the interval is about as wide."""
    a, b, labels = systems(6000, 5)
    clusters = np.arange(6000) // 4
    pair = mm.Paired(mm.Accuracy(), dist_backend="non_dist")
    for side, predictions in ((pair.a, a), (pair.b, b)):
        side.add(predictions, labels, ids=np.arange(6000), clusters=clusters)
    pair.compute()
    found = pair.intervals["top1_difference"]
    alone = compared(mm.Accuracy(), a, b, labels).intervals["top1_difference"]
    assert (found.unit, found.units) == ("group", 50)
    assert found.standard_error == pytest.approx(alone.standard_error, rel=0.3)


def test_both_systems_have_the_same_clusters() -> None:
    """Samples in other clusters are named; clusters of one system alone are refused."""
    pair = mm.Paired(mm.Accuracy(), dist_backend="non_dist")
    pair.a.add([1, 0, 1], [1, 1, 1], ids=[5, 6, 7], clusters=["x", "x", "y"])
    pair.b.add([1, 1, 1], [1, 1, 1], ids=[5, 6, 7], clusters=["x", "y", "y"])
    with pytest.raises(ValueError, match=r"same slices and clusters; the ids \[6\]"):
        pair.compute()
    pair.b.reset()
    pair.b.add([1, 1, 1], [1, 1, 1], ids=[5, 6, 7])
    with pytest.raises(ValueError, match="both systems must have clusters="):
        pair.compute()
    pair = mm.Paired(mm.Accuracy(), anytime=True, planned=9, dist_backend="non_dist")
    for side in (pair.a, pair.b):
        side.add([1], [1], ids=[5], clusters=[1])
    with pytest.raises(ValueError, match="anytime=True takes no clusters="):
        pair.compute()


def test_few_clusters_are_said_to_be_few() -> None:
    """Three clusters: the interval says so; one: there is none."""
    for number, why in ((3, "there are only 3 clusters"), (1, "there is only one cluster")):
        a, b, labels = systems(60, 6)
        pair = mm.Paired(mm.Accuracy(), dist_backend="non_dist")
        for side, predictions in ((pair.a, a), (pair.b, b)):
            side.add(predictions, labels, ids=np.arange(60), clusters=np.arange(60) % number)
        pair.compute()
        assert pair.intervals["top1_difference"].thin == why
