"""The metrics that follow from counts of classes, against scikit-learn."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

import mmeval_like
from mmeval_like import GeometricMean, HammingDistance, JaccardIndex, MetricCollection, Precision
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.decisions import SAMPLES, SIZE, TASKS, decided, make, tables, weighted


def beta_score(tn: Any, fp: Any, fn: Any, tp: Any) -> tuple[Any, Any]:
    """The parts of F0.5."""
    return 1.25 * tp, 1.25 * tp + fp + 0.25 * fn


FORMULAS: dict[str, Callable[..., tuple[Any, Any]]] = {
    "Precision": lambda tn, fp, fn, tp: (tp, tp + fp),
    "Recall": lambda tn, fp, fn, tp: (tp, tp + fn),
    "FBetaScore": beta_score,
    "Specificity": lambda tn, fp, fn, tp: (tn, tn + fp),
    "NegativePredictiveValue": lambda tn, fp, fn, tp: (tn, tn + fn),
    "FalsePositiveRate": lambda tn, fp, fn, tp: (fp, fp + tn),
    "FalseNegativeRate": lambda tn, fp, fn, tp: (fn, fn + tp),
    "JaccardIndex": lambda tn, fp, fn, tp: (tp, tp + fp + fn),
}
KEYS = {
    "FBetaScore": "fbeta",
    "NegativePredictiveValue": "npv",
    "FalsePositiveRate": "fpr",
    "FalseNegativeRate": "fnr",
    "JaccardIndex": "jaccard",
}


def averaged(name: str, task: str, average: str | None, zero: float, *batch: Any) -> dict[str, Any]:
    """The average by numpy, from scikit-learn's counts."""
    table = tables(task, *batch)
    key = KEYS.get(name, name.lower())
    with np.errstate(invalid="ignore", divide="ignore"):
        if average == "micro" and task != "binary":
            numerator, denominator = FORMULAS[name](*table.sum(axis=1))
            return {key: numerator / denominator if denominator else zero}
        numerator, denominator = FORMULAS[name](*table)
        values = np.where(denominator > 0, numerator / denominator, zero)
    if task == "binary":
        return {key: values[0]}
    if average is None:
        return {f"{key}_classwise": values}
    known = ~np.isnan(values)
    support = (table[2] + table[3])[known]
    weights = support if average == "weighted" and support.any() else None
    return {key: np.average(values[known], weights=weights) if known.any() else math.nan}


def case(name: str, task: str, average: str | None, with_weights: bool) -> MetricCase:
    """One metric with its oracle."""
    options = {"average": average, "use_sample_weight": with_weights}
    samples = weighted(task) if with_weights else SAMPLES[task]
    return MetricCase(
        partial(make, name, task, **options), samples, partial(averaged, name, task, average, 0.0)
    )


CASES = {
    **{f"{name}, {task}": case(name, task, "macro", False) for name in FORMULAS for task in TASKS},
    **{
        f"FBetaScore, {task}, {average}": case("FBetaScore", task, average, True)
        for task in TASKS
        for average in ("micro", "weighted", None)
    },
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's value and keeps every law."""
    check_metric(CASES[name], examples=examples(2), libraries=["array_api_strict"])


@settings(max_examples=examples(15), deadline=None)
@given(st.integers(0, 9999), st.sampled_from(["micro", "macro", "weighted", None]),
       st.sampled_from([0.0, 1.0, math.nan]), st.booleans(), st.integers(1, 12))  # fmt: skip
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", FORMULAS)
def test_every_option(
    name: str, task: str, seed: int, average: Any, zero: float, weights: bool, n: int
) -> None:
    """Every metric, average and value of 0 / 0, with and without weights."""
    batch = (weighted(task) if weights else SAMPLES[task])(np.random.default_rng(seed), n)
    metric = make(name, task, average=average, zero_division=zero, use_sample_weight=weights)

    expected = averaged(name, task, average, zero, *batch)
    found = metric(*batch)
    assert list(found) == list(expected)
    for key, value in expected.items():
        np.testing.assert_allclose(found[key], value, rtol=1e-12)


SK = {
    "Precision": sk.precision_score,
    "Recall": sk.recall_score,
    "FBetaScore": partial(sk.fbeta_score, beta=0.5),
    "JaccardIndex": sk.jaccard_score,
}


@pytest.mark.parametrize("task", ["multiclass", "multilabel"])
@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None, "samples"])
@pytest.mark.parametrize("name", SK)
def test_scikit_learn_has_the_same_names(name: str, average: str, task: str) -> None:
    """Its functions of these names give the same values, also the mean over samples."""
    if average == "samples" and task != "multilabel":
        with pytest.raises(ValueError, match="samples"):
            make(name, task, average=average)
        return
    for seed in range(8):
        scores, labels = SAMPLES[task](np.random.default_rng(seed), 9)
        found = make(name, task, average=average)(scores, labels)
        expected = SK[name](
            labels,
            decided(task, scores),
            labels=range(SIZE),
            average=average,
            zero_division=0.0,
        )
        np.testing.assert_allclose(next(iter(found.values())), expected, rtol=1e-12)


def test_samples_may_be_left_out_and_weighted() -> None:
    """A mean over samples: nan leaves a sample out, weights count, ignored entries do not."""
    scores = np.array([[0.9, 0.9], [0.1, 0.1], [0.9, 0.1]])
    labels = np.array([[1, 0], [0, 0], [-1, -1]])
    make_one = partial(Precision, task="multilabel", num_classes=2, average="samples")

    assert make_one(ignore_index=-1)(scores, labels) == {"precision": 0.25}
    left_out = make_one(ignore_index=-1, zero_division=math.nan)
    assert left_out(scores, labels) == {"precision": 0.5}
    heavy = make_one(ignore_index=-1, use_sample_weight=True)
    assert heavy(scores, labels, [3, 1, 7]) == {"precision": 0.375}


def test_hamming_distance() -> None:
    """scikit-learn's hamming_loss is the micro average of every task."""
    for task in TASKS:
        for seed in range(5):
            scores, labels = SAMPLES[task](np.random.default_rng(seed), 9)
            found = make("HammingDistance", task)(scores, labels)["hamming_distance"]
            assert found == pytest.approx(sk.hamming_loss(labels, decided(task, scores)), rel=1e-13)
    shares = HammingDistance(task="multiclass", num_classes=3, average=None)
    assert shares([0, 1, 1], [0, 0, 1]) == {"hamming_distance_classwise": [0.5, 0.0, 0.0]}


def test_an_ignored_class_leaves_every_average() -> None:
    """scikit-learn's way: only the labels of the other classes, predictions of it are wrong."""
    rng = np.random.default_rng(1)
    predictions, labels = rng.integers(0, SIZE, 80), rng.integers(0, SIZE, 80)
    kept, others = labels != 1, [0, 2, 3]
    for average in ("micro", "macro", "weighted"):
        for name in SK:
            found = make(name, "multiclass", average=average, ignore_index=1)(predictions, labels)
            expected = SK[name](labels[kept], predictions[kept], labels=others, average=average)
            np.testing.assert_allclose(next(iter(found.values())), expected, rtol=1e-12)
    values = make("Recall", "multiclass", average=None, ignore_index=1)(predictions, labels)
    assert [c for c, v in enumerate(values["recall_classwise"]) if math.isnan(v)] == [1]


def test_one_count_for_all() -> None:
    """All metrics of one task share what is counted."""
    for task in TASKS:
        names = [*FORMULAS, "StatScores", "HammingDistance", "ClassificationReport", "Markedness"]
        metrics = MetricCollection({name: make(name, task) for name in names})

        assert len(metrics._samples().stores()) == 1


def test_jaccard_is_that_of_sets() -> None:
    """The example of the page: two sets, by hand."""
    assert JaccardIndex()([1, 1, 0], [1, 0, 1]) == {"jaccard": 1 / 3}
    assert GeometricMean()([1, 1], [1, 0]) == {"geometric_mean": 0.0}


def test_help_is_whole() -> None:
    """The options of the family stand in the help and the signature of every member."""
    for name in [*FORMULAS, "HammingDistance", "SubsetAccuracy", "StatScores"]:
        cls = getattr(mmeval_like, name)
        for option in ("task", "num_classes", "threshold", "ignore_index"):
            assert f"    {option}: " in cls.__doc__, (name, option)
        assert "As for `Class" not in cls.__doc__
