"""ROC against scikit-learn."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_curve

from mmeval_like import ROC, DETCurve, MetricAtThresholds, PrecisionRecallCurve
from mmeval_like.testing import LocalWorld, MetricCase, check_metric
from mmeval_like.testing.same import same
from tests.helpers.examples import examples
from tests.metrics import classes
from tests.metrics.test_auroc import BAD

NAMES = ("fpr", "tpr", "thresholds")


def one(scores: np.ndarray, truth: np.ndarray, weights: Any = None) -> list[np.ndarray]:
    """scikit-learn's curve; nan for rates of no samples."""
    fpr, tpr, thresholds = roc_curve(truth, scores, sample_weight=weights, drop_intermediate=False)
    if not truth.any():
        tpr = np.full(len(fpr), math.nan)
    if truth.all():
        fpr = np.full(len(tpr), math.nan)
    return [fpr, tpr, thresholds]


def oracle(scores: np.ndarray, labels: np.ndarray, weights: Any = None) -> dict[str, Any]:
    """One class, or every class against the rest."""
    if scores.ndim == 1:
        return dict(zip(NAMES, one(scores, labels, weights), strict=True))
    truth = labels if labels.ndim == 2 else labels[:, None] == np.arange(classes.CLASSES)
    found = [one(s, t) for s, t in zip(scores.T, truth.T, strict=True)]
    return {
        name: list(arrays) for name, arrays in zip(NAMES, zip(*found, strict=True), strict=True)
    }


def pooled(scores: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    """The entries of all classes as one binary task."""
    truth = labels if labels.ndim == 2 else labels[:, None] == np.arange(classes.CLASSES)
    return oracle(scores.reshape(-1), truth.reshape(-1))


def weighted(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Weights that are not 0: scikit-learn drops such samples with their thresholds."""
    return *classes.binary(rng, n), rng.random(n) + 0.1


UNDEFINED, START = np.full(1, np.nan), np.full(1, np.inf)
EMPTY = {"fpr": UNDEFINED, "tpr": UNDEFINED, "thresholds": START}
CASES = {
    "ROC, binary": MetricCase(ROC, classes.binary, oracle, empty=EMPTY),
    "ROC, logits": MetricCase(ROC, classes.logits, oracle, empty=EMPTY),
    "ROC, weighted": MetricCase(
        partial(ROC, use_sample_weight=True), weighted, oracle, empty=EMPTY
    ),
    "ROC, classes": MetricCase(partial(ROC, "multiclass"), classes.tied_scores, None),
    "ROC, label sets": MetricCase(
        partial(ROC, "multilabel", 4),
        classes.label_sets,
        None,
        empty={name: [entry] * 4 for name, entry in EMPTY.items()},
    ),
    "ROC, classes pooled": MetricCase(
        partial(ROC, "multiclass", average="micro"), classes.tied_scores, pooled, empty=EMPTY
    ),
    "ROC, label sets pooled": MetricCase(
        partial(ROC, "multilabel", average="micro"), classes.label_sets, pooled, empty=EMPTY
    ),
    "ROC, bins": MetricCase(
        partial(ROC, bins=10),
        classes.binary,
        None,
        empty={
            "fpr": np.full(11, np.nan),
            "tpr": np.full(11, np.nan),
            "thresholds": np.append(np.inf, np.arange(10)[::-1] / 10),
            "error_bound": math.nan,
        },
    ),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's curve and keeps every law."""
    check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize(
    ("task", "sample"), [("multiclass", classes.tied_scores), ("multilabel", classes.label_sets)]
)
def test_several_classes(task: str, sample: Any) -> None:
    """Every class has scikit-learn's curve of that class against the rest."""
    for seed in range(5):
        batch = sample(np.random.default_rng(seed), 15)
        value, expected = ROC(task)(*batch), oracle(*batch)
        for name in NAMES:
            for mine, theirs in zip(value[name], expected[name], strict=True):
                assert np.allclose(mine, theirs, rtol=1e-14, equal_nan=True)


@pytest.mark.parametrize("bins", [None, 7])
@pytest.mark.parametrize("metric", [DETCurve, MetricAtThresholds, PrecisionRecallCurve, ROC])
def test_one_curve_of_all_classes(metric: Any, bins: int | None) -> None:
    """It is the binary curve of all entries, also with weights; an ignored class has no part."""
    rng = np.random.default_rng(2)
    scores, labels = classes.tied_scores(rng, 30)
    weights, truth = rng.integers(1, 9, 30) / 8, labels[:, None] == np.arange(classes.CLASSES)
    make = partial(metric, bins=bins, use_sample_weight=True)
    several = partial(make, task="multiclass", num_classes=classes.CLASSES, average="micro")
    kept = labels != 1

    whole = several()(scores, labels, weights)
    part = several(ignore_index=1)(scores, labels, weights)

    assert same(whole, make()(scores.ravel(), truth.ravel(), weights.repeat(classes.CLASSES)))
    columns = np.delete(np.arange(classes.CLASSES), 1)
    rest = scores[kept][:, columns].ravel(), truth[kept][:, columns].ravel()
    assert same(part, make()(*rest, weights[kept].repeat(len(columns))))
    with pytest.raises(ValueError, match="average must be one of"):
        metric(average="macro")


def test_thresholds_keep_the_scores_dtype() -> None:
    """Scores come back as the numbers that they were."""
    for dtype in (np.float32, np.float64):
        thresholds = ROC()(np.array([0.1, 0.7], dtype), [0, 1])["thresholds"]

        assert thresholds.dtype == dtype
        assert thresholds[1:].tolist() == np.array([0.7, 0.1], dtype).tolist()


@pytest.mark.parametrize("options", [{}, {"max_points": 6}, {"use_sample_weight": True}])
@pytest.mark.parametrize("metric", [ROC, DETCurve, PrecisionRecallCurve])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_thresholds_of_ignored_samples(metric: Any, options: Any, dtype: Any) -> None:
    """Where no sample counts, the thresholds' dtype does not hang on the number of ranks."""
    make = partial(metric, "multilabel", ignore_index=1, **options)
    data: list[Any] = [np.array([[0.1, 0.7], [0.3, 0.2]], dtype), np.ones((2, 2), int)]
    if "use_sample_weight" in options:
        data.append(np.array([1.0, 2.0]))

    def evaluate(backend: Any) -> Any:
        other = make(dist_backend=backend)
        other.add(*[column[backend.rank :: backend.world_size] for column in data])
        return other.compute()

    alone = make()(*data)
    expected = np.dtype(float if "use_sample_weight" in options else dtype)
    assert [array.dtype for array in alone["thresholds"]] == [expected, expected]
    for value in LocalWorld(2).run(evaluate):
        assert same(value, alone)


@pytest.mark.parametrize("zeros", [[0.0, -0.0], [-0.0, 0.0]])
def test_zeros_are_one_threshold(zeros: list[float]) -> None:
    """Both zeros are the same score, and it comes back as 0.0 whichever came first."""
    thresholds = ROC()(zeros, [0, 1])["thresholds"]

    assert thresholds.tolist() == [math.inf, 0.0]
    assert not np.signbit(thresholds[1])


def test_bins_are_points_of_the_exact_curve() -> None:
    """At every threshold b / bins the rates are exact; the bound is the largest step of tpr."""
    rng = np.random.default_rng(3)
    scores, labels = rng.random(200).astype(np.float32), rng.integers(0, 2, 200)
    value = ROC(bins=10)(scores, labels)

    for threshold, fpr, tpr in zip(
        *(value[n][1:] for n in ("thresholds", "fpr", "tpr")), strict=True
    ):
        above = scores >= np.float32(threshold)
        assert fpr == (above & (labels == 0)).sum() / (labels == 0).sum()
        assert tpr == (above & (labels == 1)).sum() / (labels == 1).sum()
    assert value["error_bound"] == pytest.approx(np.diff(value["tpr"]).max(), rel=1e-12)
    assert value["thresholds"].tolist() == [math.inf, *(b / 10 for b in range(9, -1, -1))]


def test_no_samples() -> None:
    """Without samples there is the point of the threshold infinity, of which nothing is known."""
    with pytest.warns(RuntimeWarning, match="no samples"):
        value = ROC().compute()

    assert value["thresholds"].tolist() == [math.inf]
    assert math.isnan(value["tpr"][0])
    assert math.isnan(value["fpr"][0])
    with pytest.warns(RuntimeWarning, match="no samples"):
        assert ROC("multilabel").compute() == {"fpr": [], "tpr": [], "thresholds": []}


@pytest.mark.parametrize(("task", "arguments", "error", "text"), BAD)
def test_bad_inputs(task: str, arguments: Any, error: type[Exception], text: str) -> None:
    """What does not fit the task is refused, with both sides of the comparison."""
    with pytest.raises(error, match=text):
        ROC(task).add(*arguments)
