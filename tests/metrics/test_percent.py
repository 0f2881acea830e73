"""Precision, recall and F1 as shares, with ignored labels, over samples, of the k best."""

import inspect
import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from mmeval_like import (
    CohenKappa,
    MatthewsCorrCoef,
    MultiLabelPrecisionRecallF1score,
    Precision,
    Recall,
    SingleLabelPrecisionRecallF1score,
    metrics,
)
from mmeval_like.testing import MetricCase, check_metric
from mmeval_like.testing.metric_case import draw
from mmeval_like.testing.same import same
from tests.helpers.examples import examples
from tests.metrics import classes

SIZE = classes.CLASSES
NAMES = ("precision", "recall", "f1-score")


def over_samples(scores: Any, labels: Any, weights: Any = None) -> dict[str, float]:
    """scikit-learn's mean over samples."""
    values = precision_recall_fscore_support(
        labels, scores >= 0.5, average="samples", sample_weight=weights, zero_division=0.0
    )
    return {f"{name}_samples": v for name, v in zip(NAMES, values[:3], strict=True)}


def weighted(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Sets of labels with weights."""
    return *classes.label_sets(rng, n), rng.integers(1, 9, n) / 8


Samples = partial(MultiLabelPrecisionRecallF1score, SIZE, 0.5, average="samples", percent=False)
CASES = {
    "MultiLabelPrecisionRecallF1score, samples": MetricCase(
        Samples, classes.label_sets, over_samples, empty=0
    ),
    "MultiLabelPrecisionRecallF1score, samples, weighted": MetricCase(
        partial(Samples, use_sample_weight=True), weighted, over_samples, empty=0
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The mean over samples keeps every law."""
    check_metric(CASES[name], examples=examples(3))


@pytest.mark.parametrize("zero", [0.0, 1.0, math.nan])
@pytest.mark.parametrize("average", ["macro", "micro", "weighted", None])
def test_shares_are_those_of_scikit_learn(average: Any, zero: float) -> None:
    """With percent=False nothing is rounded; 0 / 0 is what it is said to be."""
    suffix = {"macro": "", None: "_classwise"}.get(average, f"_{average}")
    for seed in range(6):
        predictions, labels = classes.indices(np.random.default_rng(seed), 5)
        metric = SingleLabelPrecisionRecallF1score(
            SIZE, average=average, percent=False, zero_division=zero
        )
        expected = precision_recall_fscore_support(
            labels, predictions, labels=range(SIZE), average=average, zero_division=zero
        )
        found = metric(predictions, labels)
        for name, value in zip(NAMES, expected[:3], strict=True):
            np.testing.assert_allclose(found[name + suffix], value, rtol=1e-12)


def test_percent_is_a_hundred_times_as_much() -> None:
    """Of every metric with the option: `percent=False` has the shares, which nothing rounds.

    With `percent=True` each of them is a hundred times as much, rounded to four decimals, and
    bounds of errors are rounded up; counts are the same.
    """
    from tests.metric_cases import CASES as EVERY

    tried = set()
    for case in EVERY.values():
        cls = type(case.make(dist_backend="non_dist"))
        if "percent" not in inspect.signature(cls).parameters:
            continue
        tried.add(cls.__name__)
        for seed in range(3):
            batch, _ = draw(case, np.random.default_rng(seed))
            found = [case.make(percent=percent)(*batch).flat() for percent in (True, False)]
            percents, shares = found
            for name, share in shares.items():
                if "error_bound" in name:
                    assert 100 * share <= percents[name] < 100 * share + 2e-4, name
                else:
                    wanted = share if "support" in name else round(100 * share, 4)
                    assert same(percents[name], wanted), (cls, name)
            assert percents.keys() == shares.keys()

    having = (name for name in metrics.__all__ if inspect.isclass(getattr(metrics, name)))
    optional = {n for n in having if "percent" in inspect.signature(getattr(metrics, n)).parameters}
    assert tried == optional - {"PrecisionRecallF1score"}  # which makes one of the others


def test_ignored_labels() -> None:
    """The values are those of what is left; a class that is ignored leaves the averages."""
    rng = np.random.default_rng(0)
    predictions, labels = classes.indices(rng, 60)
    for cls in (partial(SingleLabelPrecisionRecallF1score, percent=False), CohenKappa,
                MatthewsCorrCoef):  # fmt: skip
        out = rng.random(60) < 0.3
        found = cls(SIZE, ignore_index=255)(predictions, np.where(out, 255, labels))
        assert found == cls(SIZE)(predictions[~out], labels[~out])
    found = SingleLabelPrecisionRecallF1score(SIZE, percent=False, ignore_index=1)
    options = {"task": "multiclass", "num_classes": SIZE, "ignore_index": 1}
    values = found(predictions, labels)
    assert values["precision"] == Precision(**options)(predictions, labels)["precision"]
    assert values["recall"] == Recall(**options)(predictions, labels)["recall"]

    scores, sets = classes.label_sets(rng, 20)
    holes = np.where(rng.random(sets.shape) < 0.3, -1, sets.astype(int))
    metric = MultiLabelPrecisionRecallF1score(SIZE, 0.5, percent=False, ignore_index=-1)
    other = Recall(task="multilabel", num_classes=SIZE, ignore_index=-1)
    assert metric(scores, holes)["recall"] == other(scores, holes)["recall"]


def test_the_k_best_classes() -> None:
    """A label among the k best is right; as `Precision` counts it."""
    scores, labels = classes.probabilities(np.random.default_rng(0), 40)
    found = SingleLabelPrecisionRecallF1score(SIZE, percent=False, top_k=2)(scores, labels)

    options = {"task": "multiclass", "num_classes": SIZE, "top_k": 2}
    assert found["precision"] == Precision(**options)(scores, labels)["precision"]


def test_bad_arguments() -> None:
    """Options that mean nothing are refused."""
    with pytest.raises(ValueError, match="support"):
        MultiLabelPrecisionRecallF1score(3, 0.5, items=("support",), average="samples")
    with pytest.raises(ValueError, match="num_classes must be given for ignore_index"):
        SingleLabelPrecisionRecallF1score(ignore_index=1)
    with pytest.raises(ValueError, match="top_k"):
        SingleLabelPrecisionRecallF1score(3, top_k=0)
    with pytest.raises(ValueError, match="zero_division"):
        SingleLabelPrecisionRecallF1score(3, zero_division=2)
