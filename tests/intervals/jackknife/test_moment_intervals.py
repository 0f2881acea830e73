"""Intervals of sums: means, ratios of sums, and what follows from the moments of pairs."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

import mmeval_like as mm
from mmeval_like.testing.local_world import LocalWorld
from tests.helpers.examples import examples
from tests.helpers.sharding import check_same_bits

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less", "ignore:.*no samples")

METRICS: dict[str, Callable[..., mm.BaseMetric]] = {
    "r2": mm.R2Score,
    "pearson": mm.PearsonCorrCoef,
    "rmse": mm.RootMeanSquaredError,
    "mse": mm.MeanSquaredError,
    "mae": mm.MeanAbsoluteError,
    "weighted percentages": mm.WeightedMeanAbsolutePercentageError,
    "explained variance": mm.ExplainedVariance,
    "relative error": mm.RelativeSquaredError,
    "concordance": mm.ConcordanceCorrCoef,
    "normalized rmse": mm.NormalizedRootMeanSquaredError,
    "kge": mm.KlingGuptaEfficiency,
    "kge of 2012": lambda **o: mm.KlingGuptaEfficiency(variant="2012", **o),
}


class WordErrors(mm.RatioOfSums):
    """Wrong words over words: whole numbers."""

    key, dtype = "wer", int
    ranges = {"wer": (0.0, math.inf)}  # noqa: RUF012

    def parts(self, errors: Any, words: Any) -> tuple[np.ndarray, np.ndarray]:
        """Both, as given."""
        return np.asarray(errors), np.asarray(words)


def pairs(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Predictions and labels."""
    labels = rng.normal(size=count) + 3
    return labels + rng.normal(size=count) / 2, labels


def test_a_mean_of_skewed_samples_ends_where_its_variance_has_grown() -> None:
    """At its upper end, and at that of the mean square: the lower end is that of Student's t."""
    values = np.repeat([1.0, 2.0, 3.0, 4.0, 30.0], 8)
    n, skewness = len(values), stats.skew(values)
    squared, quantile = values.var(ddof=1) / n, stats.t.ppf(0.975, n - 1)
    grown = skewness * (1 + 50 / n) * values.std() / n

    def beyond(end: float) -> float:
        distance = end - values.mean()
        return float(distance**2 - quantile**2 * (squared + grown * distance))

    high = optimize.brentq(beyond, values.mean() + 1e-9, 100)
    for metric, batch, key in (
        (mm.Mean, (values,), "mean"),
        (mm.MeanSquaredError, (np.sqrt(values), np.zeros(n)), "mse"),
    ):
        one: mm.BaseMetric = metric(interval=0.95)
        one.add(*batch)
        found = one.compute()
        assert found[f"{key}_low"] == pytest.approx(values.mean() - quantile * squared**0.5)
        assert found[f"{key}_high"] == pytest.approx(high, rel=1e-9)
        assert one.intervals[key].method == "tilted t"
    squares = mm.MeanSquaredError(interval=0.95)(np.sqrt([1, 2, 3, 4, 100]), np.zeros(5))
    assert squares["mse_low"] == 0.0  # the range's end


@pytest.mark.parametrize("count", [2, 3, 5, 30, 100, 1000])
def test_a_root_of_one_error_among_many(count: int) -> None:
    """Its mean may be 0, whatever the standard error rounds to: the ends are the roots of both."""
    errors = np.zeros(count)
    errors[0] = 3.0
    mean = mm.MeanSquaredError(interval=0.95)(errors, np.zeros(count))
    root = mm.RootMeanSquaredError(interval=0.95)(errors, np.zeros(count))

    assert root["rmse_low"] == mean["mse_low"] == 0.0
    assert root["rmse_high"] == pytest.approx(math.sqrt(mean["mse_high"]), rel=1e-12)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("outputs", [1, 3])
def test_the_interval_of_a_root_is_the_root_of_that_of_the_square(
    outputs: int, weights: bool, clusters: bool, ranks: int
) -> None:
    """RMSE's ends, squared, are those of MSE of the same samples, and its value stays as it is."""
    rng = np.random.default_rng(outputs)
    errors = rng.standard_t(3, (60, outputs) if outputs > 1 else 60)
    named: dict[str, Any] = {"sample_weight": rng.random(60)} if weights else {}
    if clusters:
        named["clusters"] = np.arange(60) // 2
    kept = {"num_outputs": outputs, "multioutput": "raw_values"}

    def evaluate(backend: Any) -> Any:
        here = slice(backend.rank, None, ranks)
        metrics = mm.MetricCollection(
            root=mm.RootMeanSquaredError(interval=0.95, **kept),
            mean=mm.MeanSquaredError(interval=0.95, **kept),
            alone=mm.RootMeanSquaredError(**kept),
            dist_backend=backend,
        )
        batch = {name: column[here] for name, column in named.items()}
        metrics.add(errors[here], np.zeros_like(errors[here]), **batch)
        return metrics.compute(), metrics.intervals

    for found, intervals in LocalWorld(ranks).run(evaluate):
        assert found["root"]["rmse"] == found["alone"]["rmse"]
        for end in ("low", "high"):
            squared = np.square(found["root"][f"rmse_{end}"])
            assert squared == pytest.approx(np.array(found["mean"][f"mse_{end}"]), rel=1e-12)
        for root, mean in zip(intervals["root"]["rmse"], intervals["mean"]["mse"], strict=True):
            assert (root.method, root.unit, root.thin) == (mean.method, mean.unit, mean.thin)


def test_the_mean_of_several_roots_has_an_interval() -> None:
    """Of several outputs' roots the mean is no root: its interval follows from all of them."""
    rng = np.random.default_rng(5)
    errors = rng.normal(size=(80, 2)) * [1, 3]
    metric = mm.RootMeanSquaredError(2, interval=0.95)
    metric.add(errors, np.zeros((80, 2)))
    value = metric.compute()["rmse"]
    found = metric.intervals["rmse"]

    squares = np.square(errors)
    influence = ((squares - squares.mean(0)) / (2 * np.sqrt(squares.mean(0)))).mean(1)
    assert found.value == value
    assert found.standard_error == pytest.approx(influence.std(ddof=2) / math.sqrt(80), rel=0.02)
    assert found.low < value < found.high


def test_sums_that_cannot_be_have_no_numbers() -> None:
    """Few pairs may be moved to where one has no correlation: what is unknown says so."""
    metric = mm.PearsonCorrCoef(interval=0.95)
    found = metric([1, 2, 3, 5.0, 7, 8], [1, 3, 2, 4.0, 5, 5])

    assert math.isnan(found["pearson_low"])
    assert math.isnan(found["pearson_high"])
    with pytest.warns(RuntimeWarning, match="the value is undefined close to these sums"):
        metric([1, 2, 3, 5.0, 7, 8], [1, 3, 2, 4.0, 5, 5])


def test_a_mean_of_bounded_scores() -> None:
    """Where the bounds are known, the interval stays inside; bounds in disorder are refused."""
    for more, method in (([0.9] * 20 + [0.0], "betting"), ([0.5] * 20, "Wilson, effective n")):
        found = mm.Mean(bounds=(0, 1), interval=0.95)([0.9, 1.0] * 20 + more).intervals["mean"]
        assert (found.method, found.thin) == (method, None)
        assert 0.7 < found.low < found.value < found.high < 1
    with pytest.raises(ValueError, match="bounds must be the least and the largest"):
        mm.Mean(bounds=(1, 0))


@pytest.mark.parametrize("name", METRICS)
def test_the_standard_error_is_that_of_samples_left_out(name: str) -> None:
    """With many samples it is near that of the jackknife, which it replaces."""
    predictions, labels = pairs(np.random.default_rng(1), 150)
    metric = METRICS[name](interval=0.95)
    metric.add(predictions, labels)
    metric.compute()
    found = next(iter(metric.intervals.values()))
    left = [
        next(iter(METRICS[name]()(np.delete(predictions, i), np.delete(labels, i)).values()))
        for i in range(150)
    ]
    assert found.standard_error == pytest.approx(math.sqrt(149 * np.var(left)), rel=0.06)
    assert found.low < found.value < found.high
    assert found.units == 150


@pytest.mark.parametrize("variant", ["2009", "2012"])
def test_the_error_of_the_kling_gupta_efficiency_is_about_the_same_for_all_samples(
    variant: str,
) -> None:
    """Temperatures near 290 K: the standard error follows from r and alpha, whatever the digits."""
    rng = np.random.default_rng(3)
    errors = []
    for _ in range(8):
        labels = rng.normal(290, 10, 300)
        metric = mm.KlingGuptaEfficiency(variant=variant, interval=0.95)
        metric.add(labels + rng.normal(0, 7, 300), labels)
        metric.compute()
        errors.append(metric.intervals["kge"].standard_error)
    assert errors == pytest.approx([0.033] * 8, rel=0.3)


def test_a_ratio_of_whole_numbers() -> None:
    """The textbook's standard error of a ratio of sums, times the correction for two sums."""
    rng = np.random.default_rng(2)
    words = rng.integers(5, 30, 40)
    errors = rng.binomial(words, 0.2)
    metric = WordErrors(interval=0.95)
    metric.add(errors, words)
    value = metric.compute()["wer"]
    found = metric.intervals["wer"]
    rest = errors - value * words
    textbook = math.sqrt((rest**2).sum() / 40 / 38) / words.mean()
    assert found.standard_error == pytest.approx(textbook, rel=5e-3)
    assert found.method == "log t, tilted t"
    arm = math.exp(stats.t.ppf(0.975, 38) * found.standard_error / value)
    assert found.low == pytest.approx(value / arm, rel=2e-3)
    assert 0.999 < found.high / (value * arm) < 1.01  # these errors are hardly skewed


def test_the_same_bits_on_any_ranks() -> None:
    """Ends, errors and methods are equal for any shards, batches and order, also with ids."""
    check_same_bits({name: make(interval=0.95) for name, make in METRICS.items()}, pairs, 40)


def test_members_share_what_is_kept() -> None:
    """With one member that asks, moments are kept once; without, they are not kept at all."""
    predictions, labels = pairs(np.random.default_rng(3), 50)
    for sure in (None, 0.95):
        metrics = mm.MetricCollection(
            r2=mm.R2Score(),
            pearson=mm.PearsonCorrCoef(interval=sure),
            rmse=mm.RootMeanSquaredError(),
        )
        metrics.add(predictions, labels)
        [store] = metrics._samples().stores()
        assert len(store.states) == (1 if sure is None else 2)
        result = metrics.compute()
        assert [*result["r2"]] == ["r2"]
        assert result["r2"] == mm.R2Score()(predictions, labels) == metrics["r2"].compute()
        assert metrics["pearson"].compute() == result["pearson"]
        assert len(result["pearson"]) == (1 if sure is None else 3)


def test_samples_are_taken_away_and_saved() -> None:
    """`subtract`, `from_bytes` and slices keep what intervals need."""
    predictions, labels = pairs(np.random.default_rng(4), 60)
    metric, first = mm.R2Score(interval=0.9), mm.R2Score(interval=0.9)
    first.add(predictions[:20], labels[:20])
    metric.add(predictions, labels)
    metric.subtract(first)
    expected = mm.R2Score(interval=0.9)(predictions[20:], labels[20:])
    assert metric.compute() == expected
    assert mm.R2Score(interval=0.9).from_bytes(metric.to_bytes()).compute() == expected
    sliced = mm.Sliced(mm.R2Score(interval=0.9), by="half")
    sliced.add(predictions, labels, by={"half": [0] * 20 + [1] * 40})
    assert sliced.compute()["half=1"] == expected
    assert metric.per_sample(predictions[:2], labels[:2])["r2"].shape == (2,)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e3))
@settings(max_examples=examples(20), deadline=None)
def test_units_of_measurement_do_not_matter(offset: float, scale: float) -> None:
    """Moved and scaled samples have the moved and scaled interval, also far from zero."""
    values = np.random.default_rng(5).exponential(size=50).round(3)
    plain = mm.Mean(interval=0.95)(values).intervals["mean"]
    moved = mm.Mean(interval=0.95)(values * scale + offset).intervals["mean"]
    size = abs(offset) + scale
    for name in ("low", "high"):
        expected = getattr(plain, name) * scale + offset
        assert getattr(moved, name) == pytest.approx(expected, abs=1e-9 * size)
    assert moved.standard_error == pytest.approx(plain.standard_error * scale, abs=1e-9 * size)


@pytest.mark.parametrize("name", ["powered", *METRICS])
def test_tiny_numbers_have_the_intervals_of_large_ones(name: str) -> None:
    """Samples times a power of two have the interval times that power, or its square.

    A standard error below 1e-8 was taken for a value that no number of samples changes.
    """
    make = mm.PredictionPoweredMean if name == "powered" else METRICS[name]
    predictions, labels = pairs(np.random.default_rng(3), 60)
    found = []
    for power in (0, -40, -80, 80):
        metric = make(interval=0.9)
        metric.add(np.ldexp(predictions, power), np.ldexp(labels, power))
        metric.compute()
        found.append(
            {
                key: [(end - one.value) / abs(one.value or 1.0) for end in (one.low, one.high)]
                for key, one in metric.intervals.items()
            }
        )
    for one in found[1:]:
        assert one == {key: pytest.approx(ends, rel=1e-9) for key, ends in found[0].items()}


@pytest.mark.parametrize("digits", [52, 10])
@pytest.mark.parametrize(
    "make",
    [
        mm.R2Score,
        mm.RelativeSquaredError,
        mm.ExplainedVariance,
        mm.PearsonCorrCoef,
        mm.ConcordanceCorrCoef,
        mm.Mean,
    ],
)
def test_a_constant_changes_no_interval_that_is_not_marked(
    make: Callable[..., Any], digits: int
) -> None:
    """Rounded products, cubes and fourth powers hide how numbers far from 0 vary: it says so.

    Also where rounding removes all that a square of numbers with few digits adds to the numbers.
    """
    rng = np.random.default_rng(33)
    labels = np.ldexp(np.rint(np.ldexp(rng.uniform(-1, 1, 200), digits)), -digits)
    predictions = labels + np.ldexp(np.rint(np.ldexp(rng.uniform(-1, 1, 200), digits)), -digits)

    def found(offset: float) -> Any:
        batch = [predictions] if make is mm.Mean else [predictions, labels]
        metric = make(interval=0.95)
        metric.add(*(offset + numbers for numbers in batch))
        metric.compute()
        return next(iter(metric.intervals.values()))

    near = found(0.0)
    assert near.thin is None
    for exponent in range(3, 52, 2):
        offset = 2.0**exponent
        one = found(offset)
        expected = offset if make is mm.Mean else 0.0
        wide = near.high - near.low + abs(expected) * 1e-15
        ends = [abs(getattr(one, e) - getattr(near, e) - expected) for e in ("low", "high")]
        assert one.thin is not None or max(ends) < 0.01 * wide, f"{offset:g}: {one}"
    assert one.thin is not None


def test_what_cannot_be_told() -> None:
    """nan, infinities, one sample, equal samples, too few for their sums, totals."""
    assert "nan or infinite" in mm.Mean(interval=0.9)([1.0, math.nan]).intervals["mean"].thin
    assert "only one sample" in mm.Mean(interval=0.9)([1.0]).intervals["mean"].thin
    same = mm.Mean(interval=0.9)([2.0] * 30)
    assert (same["mean_low"], same["mean_high"]) == (2.0, 2.0)
    assert same.intervals["mean"].thin == "no sample changes the value"
    few = mm.R2Score(interval=0.9)([1.0, 2.0, 4.0], [1.0, 3.0, 4.0])
    assert few["r2_low"] < -10
    assert few.intervals["r2"].thin == "there are only 3 samples"
    total = mm.Sum(interval=0.9)([1.0, 2.0])
    assert total.intervals["sum"].thin.startswith("it is a total")
    bounded = mm.CosineSimilarity(interval=0.9)(np.eye(3), np.eye(3))
    assert bounded["cosine_similarity"] == bounded["cosine_similarity_high"] == 1.0
    assert bounded["cosine_similarity_low"] < 0.9


@pytest.mark.parametrize("right", [0, 1])
def test_samples_of_weight_0_make_nothing_surer(right: int) -> None:
    """Ten samples that are all right, or all wrong, are ten beside any number of weight 0."""

    def found(zeros: int) -> Any:
        metric = mm.Accuracy(use_sample_weight=True, interval=0.95)
        labels = np.ones(10 + zeros, int)
        metric.add(labels * right, labels, sample_weight=np.r_[np.ones(10), np.zeros(zeros)])
        metric.compute()
        return metric.intervals["top1"]

    alone, beside = found(0), found(990)
    assert (alone.effective, beside.effective) == (10, 10)
    assert beside.high - beside.low > 0.9 * (found(11).high - found(11).low) > 0.2
    assert beside == replace(alone, units=1000)  # the interval of ten hits or misses, as unweighted


def test_samples_of_weight_0_add_no_degrees_of_freedom() -> None:
    """Twelve samples of which eight are right: the interval is as wide beside 1,000."""

    def width(zeros: int) -> float:
        metric = mm.Accuracy(use_sample_weight=True, interval=0.95)
        predictions, labels = np.r_[np.ones(8, int), np.zeros(4 + zeros, int)], np.ones(12 + zeros)
        weights = np.r_[np.ones(12), np.zeros(zeros)]
        found = metric(predictions, labels.astype(int), sample_weight=weights)
        return float(found["top1_high"] - found["top1_low"])

    assert 0.97 < width(1000) / width(0) < 1.03


def test_unequal_weights_count_as_fewer_samples() -> None:
    """Of samples that are all right there are as many as Kish's effective number."""
    weights = np.r_[np.full(30, 3.0), np.ones(40)]
    metric = mm.Accuracy(use_sample_weight=True, interval=0.95)
    metric.add(np.ones(70, int), np.ones(70, int), sample_weight=weights)
    metric.compute()
    kish = weights.sum() ** 2 / (weights**2).sum()
    assert metric.intervals["top1"].effective == pytest.approx(kish, rel=1e-12)
    assert metric.intervals["top1"].thin is None


class Positive(mm.BaseMetric):
    """The share of positive values, of all samples."""

    ranges = {"share": (0.0, 1.0)}  # noqa: RUF012
    positive = mm.state.sum(int)

    def rows(self, values: Any) -> dict[str, np.ndarray]:
        """Whether they are."""
        return {"positive": np.asarray(values) > 0}

    def compute_metric(self, results: Any) -> dict[str, float]:
        """Return the share."""
        return {"share": results.positive / len(results)}


def test_few_hits_are_no_unequal_weights() -> None:
    """What is divided by the number of samples rests on all of them."""
    metric = Positive(interval=0.95)
    metric.add(np.arange(100) < 5)
    metric.compute()
    assert metric.intervals["share"].thin is None


def test_many_sums_move_as_leaving_out_each_text_does() -> None:
    """The 18 sums of chrF give a standard error near that of the jackknife."""
    rng = np.random.default_rng(4)
    words = ["tree", "house", "river", "stone", "cloud", "bird"]
    said = [" ".join(rng.choice(words, 8)) for _ in range(60)]
    kept = [rng.random(8) < share for share in rng.beta(6, 1, 60)]
    found = [
        " ".join(w if k else "moon" for w, k in zip(text.split(), some, strict=True))
        for text, some in zip(said, kept, strict=True)
    ]
    metric = mm.CHRFScore(interval=0.95)
    value = metric(found, said)
    whole = [
        mm.CHRFScore()(found[:i] + found[i + 1 :], said[:i] + said[i + 1 :])["chrf"]
        for i in range(60)
    ]

    interval = value.intervals["chrf"]
    assert interval.standard_error == pytest.approx(math.sqrt(59 * np.var(whole)), rel=0.2)
    assert value["chrf_low"] < value["chrf"] < value["chrf_high"] < 1
    assert mm.CHRFScore(word_order=2, interval=0.95)(found, said).intervals["chrf"].thin is None


def test_errors_by_total_are_marked_at_lighter_tails_than_means() -> None:
    """A ratio is tilted by one sum alone: of lognormal errors, a gate at the truth failed in 5%."""
    rng = np.random.default_rng(5)
    lognormal, normal = [], []
    for _ in range(80):
        labels = rng.exponential(size=100) + 0.5
        for found, errors in (
            (lognormal, rng.lognormal(size=100)),
            (normal, rng.normal(size=100)),
        ):
            metric = mm.WeightedMeanAbsolutePercentageError(interval=0.95)
            metric.add(labels + errors, labels)
            metric.compute()
            found += metric.intervals.values()
    truth = math.exp(0.5) / 1.5
    assert sum(one.thin is None and one.high < truth for one in lognormal) <= 5
    assert sum(one.thin is not None for one in normal) <= 12
