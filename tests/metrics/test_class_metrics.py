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
from mmeval_like import (
    GeometricMean,
    HammingDistance,
    JaccardIndex,
    LikelihoodRatios,
    MetricCollection,
    Precision,
    StatScores,
    SubsetAccuracy,
)
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

SIZE = classes.CLASSES
TASKS = ("binary", "multiclass", "multilabel")
SAMPLES = {
    "binary": classes.binary,
    "multiclass": classes.tied_scores,
    "multilabel": classes.label_sets,
}


def weighted(task: str) -> Callable[..., Any]:
    """The task's samples with weights, none of them 0."""
    return lambda rng, n: (*SAMPLES[task](rng, n), rng.integers(1, 9, n) / 8)


def decided(task: str, predictions: np.ndarray) -> np.ndarray:
    """The predicted classes."""
    return predictions.argmax(1) if task == "multiclass" else (predictions >= 0.5).astype(int)


def tables(task: str, predictions: Any, labels: Any, weights: Any = None) -> np.ndarray:
    """scikit-learn's tn, fp, fn, tp of every class, (4, C); of class 1 for a binary task."""
    found = sk.multilabel_confusion_matrix(
        labels,
        decided(task, predictions),
        sample_weight=weights,
        labels=None if task == "multilabel" else range(2 if task == "binary" else SIZE),
    )
    return found.reshape(-1, 4).T[:, 1:] if task == "binary" else found.reshape(-1, 4).T


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


def make(name: str, task: str, **options: Any) -> Any:
    """The metric of this name."""
    if name == "FBetaScore":
        options["beta"] = 0.5
    size = None if task == "binary" else SIZE
    return getattr(mmeval_like, name)(task=task, num_classes=size, **options)


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


OTHERS = {
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
CASES |= OTHERS


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


def test_ignored_positions_do_not_count() -> None:
    """Of any label that means "ignore", every metric is that of the other samples."""
    rng = np.random.default_rng(0)
    for task in TASKS:
        scores, labels = SAMPLES[task](rng, 60)
        labels = labels.astype(int)
        if task == "multilabel":
            out = rng.random(labels.shape) < 0.3
            table = tables("binary", scores[~out].reshape(-1), labels[~out].reshape(-1))
            pooled = make("StatScores", task, ignore_index=-7)
            found = pooled(scores, np.where(out, -7, labels))
            assert [found[k] for k in ("tn", "fp", "fn", "tp")] == table[:, 0].tolist()
            continue
        out = rng.random(60) < 0.3
        for name in [*FORMULAS, "BalancedAccuracy", "SubsetAccuracy", "ClassificationReport"]:
            metric = make(name, task, ignore_index=-7)
            kept = make(name, task)(scores[~out], labels[~out])
            assert metric(scores, np.where(out, -7, labels)) == kept


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


@pytest.mark.parametrize("task", TASKS)
def test_many_positions_count_as_many_samples(task: str) -> None:
    """Pixels or tokens: the counts are those of the flattened samples, in any form."""
    rng = np.random.default_rng(2)
    flat_scores, flat_labels = SAMPLES[task](rng, 4 * 6)
    axes = flat_scores.shape[1:]
    scores = np.moveaxis(flat_scores.reshape(4, 2, 3, *axes), (1, 2), (-2, -1))
    inner = flat_labels.shape[1:]
    labels = np.moveaxis(flat_labels.reshape(4, 2, 3, *inner), (1, 2), (-2, -1))
    for name in ("FBetaScore", "StatScores"):
        expected = make(name, task)(flat_scores, flat_labels)

        assert make(name, task)(scores, labels) == expected
        if task != "multilabel":
            assert make(name, task)([*scores], [*labels]) == expected
            ragged = [scores[0], scores[1][..., :2], scores[1][..., 2:], *scores[2:]]
            truths = [labels[0], labels[1][..., :2], labels[1][..., 2:], *labels[2:]]
            assert make(name, task)(ragged, truths) == expected


def test_a_sample_is_right_if_all_its_positions_are() -> None:
    """Ignored positions are none of them; a sample without others is left out."""
    metric = SubsetAccuracy(task="multiclass", num_classes=3, ignore_index=-1)
    metric.add([[0, 1], [1, 2], [2, 2]], [[0, 1], [1, 0], [-1, -1]])
    metric.add([[0, 2]], [[0, -1]])

    assert metric.compute() == {"subset_accuracy": 2 / 3}
    lists = SubsetAccuracy(task="multiclass", num_classes=3)
    assert lists([[0, 1], [1]], [[0, 1], [2]]) == {"subset_accuracy": 0.5}


@pytest.mark.parametrize("top_k", [1, 2, 3])
def test_top_k(top_k: int) -> None:
    """A label among the k best is a hit; else the best class is what was predicted."""
    rng = np.random.default_rng(3)
    scores, labels = (
        rng.permuted(np.tile(np.arange(SIZE), (50, 1)), axis=1),
        rng.integers(0, SIZE, 50),
    )
    hits = sk.top_k_accuracy_score(labels, scores, k=top_k, normalize=False, labels=range(SIZE))
    order = np.argsort(-scores, axis=1)[:, :top_k]
    decided = np.where((order == labels[:, None]).any(1), labels, order[:, 0])

    assert (
        StatScores(task="multiclass", num_classes=SIZE, top_k=top_k)(scores, labels)["tp"] == hits
    )
    found = Precision(task="multiclass", num_classes=SIZE, top_k=top_k)(scores, labels)
    assert found["precision"] == pytest.approx(sk.precision_score(labels, decided, average="macro"))


def test_thresholds_are_reached_not_passed() -> None:
    """A score equal to the threshold is positive, in the scores' own width; labels are labels."""
    for dtype in (np.float16, np.float32, np.float64):
        scores = np.array([0.3, 0.2], dtype)
        assert StatScores(threshold=0.3)(scores, [1, 1])["tp"] == 1
    assert StatScores(threshold=7)([1, 0], [1, 1])["tp"] == 1  # integers are labels
    assert StatScores(threshold=-1.0)([-0.5, -2.0], [1, 1])["tp"] == 1


def test_one_count_for_all() -> None:
    """All metrics of one task share what is counted."""
    for task in TASKS:
        names = [*FORMULAS, "StatScores", "HammingDistance", "ClassificationReport", "Markedness"]
        metrics = MetricCollection({name: make(name, task) for name in names})

        assert len(metrics._stores()) == 1


BAD_INPUTS = [
    ({}, ([0.5], [2]), ValueError, r"labels must be in \[0, 2\), got 2"),
    ({}, ([math.nan], [1]), ValueError, "nan"),
    ({}, ([[0.5, 0.5]], [1]), ValueError, "predictions"),
    ({}, ([2], [1]), ValueError, "predictions must be in"),
    ({}, ([0.5, 0.5], [1]), ValueError, "same length"),
    ({}, ([0.5], [1], [1.0]), ValueError, "use_sample_weight"),
    ({"use_sample_weight": True}, ([[0.5, 0.5]], [[1, 0]], [1.0]), ValueError, "one position"),
    ({"task": "multilabel"}, ([[0.5] * 3], [[1] * 3]), ValueError, r"shape \(N, 4, ...\)"),
    ({"task": "multilabel"}, ([[0.5] * 4], [[2] * 4]), ValueError, "labels must be in"),
    ({"task": "multilabel"}, ([[2] * 4], [[1] * 4]), ValueError, "predictions must be in"),
    ({"task": "multilabel"}, ([[0.5] * 4], [[0.5] * 4]), TypeError, "labels must be integers"),
    ({"task": "multiclass"}, ([4], [1]), ValueError, "predictions must be in"),
    ({"task": "multiclass"}, ([[0, 1]], [[0, 1, 2]]), ValueError, "labels' shape"),
    ({"task": "multiclass", "top_k": 2}, ([1], [1]), ValueError, "top_k=2 needs scores"),
    ({"task": "multiclass"}, (["a"], [1]), TypeError, "predictions"),
]


@pytest.mark.parametrize(("options", "batch", "error", "text"), BAD_INPUTS)
def test_bad_inputs(options: Any, batch: Any, error: type[Exception], text: str) -> None:
    """What does not fit the task is refused, and loses nothing."""
    task = options.get("task", "binary")
    metric = make("JaccardIndex", **{"task": task} | options)
    with pytest.raises(error, match=text):
        metric.add(*batch)

    assert metric._samples().count == 0


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
