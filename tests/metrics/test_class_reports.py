"""Balanced accuracy, likelihood ratios and whole reports, against scikit-learn."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

from mmeval_like import LikelihoodRatios
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.decisions import SAMPLES, SIZE, TASKS, decided, make, tables, weighted
from tests.metrics.test_class_metrics import averaged


def balanced(scores: Any, labels: Any, weights: Any = None) -> dict[str, float]:
    """scikit-learn's value, plain."""
    recalls = sk.recall_score(labels, scores.argmax(1), average=None, labels=range(SIZE),
                              sample_weight=weights, zero_division=math.nan)  # fmt: skip
    return {"balanced_accuracy": np.nanmean(recalls)}


def adjusted(scores: Any, labels: Any) -> dict[str, float]:
    """scikit-learn's value, adjusted; a single class is no task."""
    if len(set(labels.tolist())) == 1:
        return {"balanced_accuracy": math.nan}
    value = sk.balanced_accuracy_score(labels, scores.argmax(1), adjusted=True)
    return {"balanced_accuracy": value}


def geometric(scores: Any, labels: Any) -> dict[str, float]:
    """The product of the recalls, by numpy."""
    recalls = sk.recall_score(labels, scores.argmax(1), average=None, labels=np.unique(labels))
    return {"geometric_mean": np.prod(recalls) ** (1 / len(recalls))}


def likelihoods(scores: Any, labels: Any) -> dict[str, float]:
    """scikit-learn's ratios where it has them."""
    tn, fp, fn, tp = tables("binary", scores, labels)[:, 0].tolist()
    with np.errstate(all="ignore"):
        sensitivity, specificity = np.divide([tp, tn], [tp + fn, tn + fp])
        return {
            "positive_likelihood_ratio": sensitivity / (fp / np.float64(fp + tn)),
            "negative_likelihood_ratio": (fn / np.float64(fn + tp)) / specificity,
        }


def report(task: str, scores: Any, labels: Any) -> dict[str, Any]:
    """scikit-learn's report as a dict."""
    size = 2 if task == "binary" else SIZE
    found = sk.classification_report(
        labels,
        decided(task, scores),
        labels=range(size),
        target_names=[*map(str, range(size))],
        output_dict=True,
        zero_division=0.0,
    )
    found.pop("samples avg", None)
    if task == "multilabel":
        return {"report": found}
    found.pop("micro avg", None)
    found.pop("accuracy", None)
    return {"report": found, "accuracy": sk.accuracy_score(labels, decided(task, scores))}


def exact(task: str, scores: Any, labels: Any, weights: Any = None) -> dict[str, Any]:
    """scikit-learn's accuracy, of whole rows for sets of labels."""
    value = sk.accuracy_score(labels, decided(task, scores), sample_weight=weights)
    return {"subset_accuracy": value}


def scores_of(task: str, scores: Any, labels: Any, weights: Any = None) -> dict[str, Any]:
    """The counts, class by class."""
    tn, fp, fn, tp = tables(task, scores, labels, weights)
    counts = {"tp": tp, "fp": fp, "tn": tn, "fn": fn, "support": tp + fn}
    if task == "binary":
        return {key: numbers[0] for key, numbers in counts.items()}
    return {f"{key}_classwise": numbers for key, numbers in counts.items()}


CASES = {
    "BalancedAccuracy": MetricCase(
        partial(make, "BalancedAccuracy", "multiclass"), SAMPLES["multiclass"], balanced,
        empty={"balanced_accuracy": math.nan},
    ),
    "BalancedAccuracy, weighted": MetricCase(
        partial(make, "BalancedAccuracy", "multiclass", use_sample_weight=True),
        weighted("multiclass"), balanced,
    ),
    "BalancedAccuracy, adjusted": MetricCase(
        partial(make, "BalancedAccuracy", "multiclass", adjusted=True),
        SAMPLES["multiclass"], adjusted,
    ),
    "GeometricMean": MetricCase(
        partial(make, "GeometricMean", "multiclass"), SAMPLES["multiclass"], geometric,
        empty={"geometric_mean": math.nan},
    ),
    "LikelihoodRatios": MetricCase(
        LikelihoodRatios, SAMPLES["binary"], likelihoods,
        empty={"positive_likelihood_ratio": math.nan, "negative_likelihood_ratio": math.nan},
    ),
    **{
        f"ClassificationReport, {task}": MetricCase(
            partial(make, "ClassificationReport", task), SAMPLES[task], partial(report, task)
        )
        for task in TASKS
    },
    **{
        f"SubsetAccuracy, {task}": MetricCase(
            partial(make, "SubsetAccuracy", task), SAMPLES[task], partial(exact, task),
            empty={"subset_accuracy": math.nan},
        )
        for task in TASKS
    },
    **{
        f"SubsetAccuracy, {task}, weighted": MetricCase(
            partial(make, "SubsetAccuracy", task, use_sample_weight=True),
            weighted(task), partial(exact, task),
        )
        for task in TASKS
    },
    **{
        f"StatScores, {task}": MetricCase(
            partial(make, "StatScores", task, average=None), SAMPLES[task],
            partial(scores_of, task), tolerance=0, empty=0.0,
        )
        for task in TASKS
    },
    "StatScores, weighted": MetricCase(
        partial(make, "StatScores", "multilabel", average=None, use_sample_weight=True),
        weighted("multilabel"), partial(scores_of, "multilabel"), empty=0.0,
    ),
    # Their values are tested below.
    **{
        name: MetricCase(partial(make, name, "multiclass"), SAMPLES["multiclass"], None)
        for name in ("HammingDistance", "Informedness", "Markedness")
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's value and keeps every law."""
    check_metric(CASES[name], examples=examples(2), libraries=["array_api_strict"])


@pytest.mark.parametrize("name", ["Informedness", "Markedness"])
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None])
def test_informedness_and_markedness(name: str, task: str, average: Any) -> None:
    """They are the sum of two other metrics, less one."""
    first, second = {
        "Informedness": ("Recall", "Specificity"),
        "Markedness": ("Precision", "NegativePredictiveValue"),
    }[name]
    batch = SAMPLES[task](np.random.default_rng(0), 20)
    parts = [averaged(part, task, average, 0.0, *batch) for part in (first, second)]

    [(key, value)] = make(name, task, average=average)(*batch).items()
    assert key == name.lower() + "_classwise" * (average is None and task != "binary")
    np.testing.assert_allclose(value, sum(np.array(next(iter(p.values()))) for p in parts) - 1)


def test_likelihood_ratios_without_errors() -> None:
    """One without errors is infinite or 0; without samples of a kind it is nan."""
    assert LikelihoodRatios()([1, 0], [1, 0]) == {
        "positive_likelihood_ratio": math.inf,
        "negative_likelihood_ratio": 0.0,
    }
    assert math.isnan(LikelihoodRatios()([0, 0], [0, 1])["positive_likelihood_ratio"])
