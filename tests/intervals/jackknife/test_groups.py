"""Intervals from rows that were kept: areas under curves, correlations of ranks, lists."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like import state
from tests.helpers.examples import examples
from tests.helpers.sharding import check_same_bits

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less", "ignore:.*undefined")

POSITIVES = [0.8, 0.7, 0.65, 0.9, 0.55, 0.6]
NEGATIVES = [0.3, 0.5, 0.6, 0.2, 0.75, 0.1, 0.4]
METRICS: dict[str, Callable[..., mm.BaseMetric]] = {
    "auroc": mm.AUROC,
    "average precision": lambda **o: mm.AveragePrecision(task="binary", percent=False, **o),
    "gini": mm.GiniCoefficient,
    "spearman": mm.SpearmanCorrCoef,
    "kendall": mm.KendallRankCorrCoef,
}


class MeanLength(mm.BaseMetric):
    """A metric in MMEval's way."""

    def add(self, texts: list[str]) -> None:
        """Keep the lengths."""
        self._results.extend(len(text) for text in texts)

    def compute_metric(self, results: list[int]) -> dict[str, float]:
        """Their mean."""
        return {"length": float(np.mean(results)) if results else math.nan}


def test_an_area_has_delongs_interval() -> None:
    """A worked example: the area, and the ends by DeLong's variance on the logit scale."""
    metric = mm.AUROC(interval=0.95)
    metric.add(POSITIVES + NEGATIVES, [1] * 6 + [0] * 7)
    metric.compute()
    found = metric.intervals["auroc"]
    assert found.value == pytest.approx(0.8690476, abs=1e-7)
    assert (found.low, found.high) == (
        pytest.approx(0.432806, abs=1e-6),
        pytest.approx(0.982969, abs=1e-6),
    )
    assert found.method == "DeLong, logit t"
    assert found.thin == "there are only 6 positive and 7 negative samples"


@pytest.mark.filterwarnings("ignore:all scores are 0 or 1")
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=4, max_size=40))
@settings(max_examples=examples(40), deadline=None)
def test_the_variance_of_an_area_is_that_of_its_placements(pairs: list[tuple[int, bool]]) -> None:
    """DeLong's variance, written in the plainest way with fractions."""
    scores, labels = map(np.array, zip(*pairs, strict=True))
    above = [
        [Fraction((p > n) * 2 + (p == n), 2) for n in scores[~labels].tolist()]
        for p in scores[labels].tolist()
    ]
    if len(above) < 2 or len(above[0]) < 2:
        return
    rows = [sum(row) / len(row) for row in above]
    columns = [sum(column) / len(column) for column in zip(*above, strict=True)]
    expected = sum(
        (sum(v * v for v in one) - sum(one) ** 2 / len(one)) / (len(one) - 1) / len(one)
        for one in (rows, columns)
    )
    found = mm.AUROC(interval=0.9)(scores, labels.astype(int)).intervals["auroc"]
    assert found.standard_error == pytest.approx(math.sqrt(expected), rel=1e-12)
    assert found.low <= found.value <= found.high


def test_every_class_has_its_own_interval() -> None:
    """Class by class it is that of the class against the rest; an average has that of groups."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 60)
    scores = rng.normal(size=(60, 3)) + np.eye(3)[labels]
    each = mm.AUROC("multiclass", 3, average=None, interval=0.9)(scores, labels)
    for c in range(3):
        alone = mm.AUROC(interval=0.9)(scores[:, c], (labels == c).astype(int))
        assert each["auroc_classwise_low"][c] == alone["auroc_low"]
        assert each["auroc_classwise_high"][c] == alone["auroc_high"]
    mean = mm.AUROC("multiclass", 3, interval=0.9)(scores, labels)
    assert 0 < mean["auroc_low"] < mean["auroc"] < mean["auroc_high"] < 1
    binned = mm.AUROC(bins=1000, interval=0.9)(np.clip(scores[:, 0] / 6 + 0.5, 0, 1), labels == 0)
    assert binned.intervals["auroc"].method == "DeLong, logit t"


def scored(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores, many of them equal, and labels."""
    labels = rng.integers(0, 2, count)
    return labels + rng.normal(size=count).round(1), labels


def test_the_same_bits_on_any_ranks() -> None:
    """Ends, errors and methods are equal for any shards, batches and order, also with ids."""
    check_same_bits({name: make(interval=0.95) for name, make in METRICS.items()}, scored, 120)


@pytest.mark.parametrize("count", [400, 500, 1000])
def test_no_number_of_samples_has_too_small_an_error(count: int) -> None:
    """Of average precisions, 0.89, 1.13 and 0.83 of that by leaving out each sample, on average."""
    rng, squares = np.random.default_rng(6), np.zeros(2)
    for _ in range(40):
        labels = (rng.random(count) < 0.1).astype(int)
        scores = rng.normal(size=count) + 1.5 * labels
        for place, weights in enumerate([None, np.ones(count)]):
            metric = mm.AveragePrecision(
                task="binary", use_sample_weight=place == 1, percent=False, interval=0.95
            )
            [found] = metric(scores, labels, weights).intervals.values()
            assert found.unit == ("sample", "group")[place]
            squares[place] += found.standard_error**2
    assert np.sqrt(squares[1] / squares[0]) == pytest.approx(1, abs=0.06)


def test_few_positives_are_thin() -> None:
    """Every number of scores says so where there are fewer than ten positives."""
    for make in (mm.AUROC, METRICS["average precision"], METRICS["gini"]):
        few = make(interval=0.9)(np.arange(40.0), np.arange(40) > 34)
        [found] = few.intervals.values()
        assert found.thin == "there are only 5 positive and 35 negative samples"


@pytest.mark.parametrize(("percent", "largest"), [(True, 100.0), (False, 1.0)])
def test_an_average_precision_ends_within_its_range(percent: bool, largest: float) -> None:
    """No end lies beyond 1, or 100 per cent, where the value is near to it and uncertain."""
    scores = np.linspace(0.0, 1.0, 60)
    labels = (scores > 0.5) & (scores < 0.97)
    metric = mm.AveragePrecision(task="binary", percent=percent, interval=0.95)
    result = metric(scores, labels.astype(int))
    assert 0 <= result["mAP_low"] < result["mAP"] < result["mAP_high"] <= largest
    assert result.intervals["mAP"].method == "jackknife, logit t"


@pytest.mark.parametrize(
    "make",
    [
        lambda: mm.AUROC(bins=100, interval=0.9),
        lambda: mm.AveragePrecision(task="binary", bins=100, interval=0.9),
    ],
)
def test_an_error_bound_has_no_interval(make: Callable[[], mm.BaseMetric]) -> None:
    """It is about the bins, not about the samples: the value alone has an interval."""
    scores = np.linspace(0.0, 1.0, 60)
    labels = (scores > 0.5) & (scores < 0.9)
    result = make()(scores, labels.astype(int))
    [value] = result.intervals
    assert set(result) == {value, f"{value}_low", f"{value}_high", f"{value}_error_bound"}


def test_groups_are_left_out() -> None:
    """50 groups; with fewer samples every sample is one, and the error is the jackknife's."""
    rng = np.random.default_rng(1)
    labels = rng.normal(size=40)
    predictions = labels + rng.normal(size=40)
    metric = mm.SpearmanCorrCoef(interval=0.95)
    metric.add(predictions, labels)
    metric.compute()
    [found] = metric.intervals.values()
    left = [
        next(iter(mm.SpearmanCorrCoef()(np.delete(predictions, i), np.delete(labels, i)).values()))
        for i in range(40)
    ]
    assert found.standard_error == pytest.approx(math.sqrt(39 * np.var(left)), rel=1e-9)
    assert (found.unit, found.units, found.method) == ("group", 40, "Wilson, effective n")
    metric.add(rng.normal(size=80), rng.normal(size=80))
    metric.compute()
    assert metric.intervals["spearman"].units == 50


def test_lists_in_mmevals_way() -> None:
    """Entries of `_results` are samples as well."""
    metric = MeanLength(interval=0.9)
    metric.add(["a" * n for n in range(100)])
    result = metric.compute()
    assert result["length_low"] < result["length"] == 49.5 < result["length_high"]
    assert metric.intervals["length"].method == "tilted t"


class MeanOfEntries(mm.BaseMetric):
    """A metric in MMEval's way, whose entries are dicts with arrays, lists and sets."""

    def add(self, values: np.ndarray, others: np.ndarray) -> None:
        """Keep an entry for every sample."""
        for value, other in zip(values.tolist(), others.tolist(), strict=True):
            names = {f"{value:.1f}", f"{other:.1f}", "all"}
            entry = {"parts": [np.array([value, other]), (value,)], "names": names}
            self._results.append(entry)

    def compute_metric(self, results: list[dict[str, Any]]) -> dict[str, float]:
        """The mean, rounded once, so that it has the same bits in any order."""
        found = [float(one["parts"][0].sum()) for one in results]
        return {"mean": math.fsum(found) / len(found) if found else math.nan}


class Together(mm.BaseMetric):
    """How two kept columns vary together."""

    values = state.cat(float)
    others = state.cat(float)

    def rows(self, values: np.ndarray, others: np.ndarray) -> dict[str, np.ndarray]:
        """Both columns."""
        return {"values": values, "others": others}

    def compute_metric(self, results: Any) -> dict[str, float]:
        """The mean of the products, rounded once."""
        products = (results.values * results.others).tolist()
        return {"together": math.fsum(products) / len(products) if products else math.nan}


def two_columns(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, some of them equal."""
    values = rng.normal(size=count).round(1)
    return values, values + rng.normal(size=count).round(1)


def test_intervals_of_entries_do_not_depend_on_the_order() -> None:
    """Item 19: the same samples have the same interval in any order, batches and ranks."""
    check_same_bits({"entries": MeanOfEntries(interval=0.95)}, two_columns, 120, with_ids=False)
    check_same_bits({"columns": Together(interval=0.95)}, two_columns, 120)


def test_columns_of_a_sample_stay_together() -> None:
    """The error of a value of two kept columns is that of the same numbers in one column."""
    values, others = two_columns(np.random.default_rng(3), 40)
    columns = Together(interval=0.95)(values, others)
    products = MeanOfProducts(interval=0.95)(values * others)
    expected = products.intervals["product"].standard_error
    assert columns.intervals["together"].standard_error == pytest.approx(expected, rel=1e-9)


class MeanOfProducts(mm.BaseMetric):
    """The mean of one kept column."""

    product = state.cat(float)

    def rows(self, product: np.ndarray) -> dict[str, np.ndarray]:
        """The column."""
        return {"product": product}

    def compute_metric(self, results: Any) -> dict[str, float]:
        """Its mean."""
        return {"product": math.fsum(results.product.tolist()) / len(results.product)}
