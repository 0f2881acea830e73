"""The metrics that follow from operating points, against scikit-learn and scipy."""

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import ks_2samp
from sklearn import metrics as sk

from mmeval_like import (
    AUROC,
    ROC,
    AveragePrecision,
    BestThreshold,
    DETCurve,
    EqualErrorRate,
    GiniCoefficient,
    KolmogorovSmirnov,
    LogAUC,
    MetricAtThresholds,
    MetricCollection,
    PrecisionAtFixedRecall,
    PrecisionRecallCurve,
    RecallAtFixedPrecision,
    SensitivityAtSpecificity,
    SpecificityAtSensitivity,
)
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

SIZE = classes.CLASSES
UNDEFINED = np.full(1, np.nan)


def both(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Scores and labels, of which there are both."""
    scores, labels = classes.binary(rng, n)
    labels[:2] = 0, 1
    return scores, labels


def weighted(rng: np.random.Generator, n: int) -> classes.Arguments:
    """The same with weights."""
    return *both(rng, n), rng.integers(1, 9, n) / 8


def roc(scores: Any, labels: Any, weights: Any = None) -> tuple[np.ndarray, ...]:
    """scikit-learn's curve, all points."""
    fpr, tpr, thresholds = sk.roc_curve(labels, scores, sample_weight=weights,
                                        drop_intermediate=False)  # fmt: skip
    return fpr, tpr, thresholds


def eer(scores: Any, labels: Any, weights: Any = None) -> dict[str, float]:
    """Where the polyline meets fpr = 1 - tpr, by a root finder along the curve."""
    fpr, tpr, thresholds = roc(scores, labels, weights)
    place = np.arange(len(fpr))

    def excess(at: float) -> float:
        return float(np.interp(at, place, fpr) + np.interp(at, place, tpr) - 1)

    root = brentq(excess, 0, len(fpr) - 1, xtol=1e-14)
    before = thresholds[(fpr + tpr <= 1 + 1e-12)].min()
    return {"eer": float(np.interp(root, place, fpr)), "threshold": before}


def at_fixed(kind: str, minimum: float, scores: Any, labels: Any, weights: Any = None) -> Any:
    """The best first value over scikit-learn's points, one by one."""
    fpr, tpr, thresholds = roc(scores, labels, weights)
    if kind in ("precision_at_recall", "recall_at_precision"):
        precision, recall, cuts = sk.precision_recall_curve(labels, scores, sample_weight=weights)
        points = [*zip(precision[:-1], recall[:-1], cuts, strict=True)]
    else:
        points = [*zip(1 - fpr, tpr, thresholds, strict=True)]
    if kind in ("recall_at_precision", "sensitivity_at_specificity"):
        points = [(second, first, cut) for first, second, cut in points]
    reached = [point for point in points if point[1] >= minimum]
    if not reached:
        return {kind: 0.0, "threshold": math.nan}
    value, _, threshold = max(reached)
    return {kind: value, "threshold": threshold}


def log_auc(scores: Any, labels: Any, low: float = 0.05, high: float = 0.7) -> dict[str, float]:
    """The trapezoids by numpy, on a fine grid between scikit-learn's points."""
    fpr, tpr, _ = roc(scores, labels)
    x = np.unique(np.concatenate([[low, high], fpr[(fpr > low) & (fpr < high)]]))
    total = 0.0
    for left, right in pairwise(x):
        first = tpr[fpr == left].max() if (fpr == left).any() else np.interp(left, fpr, tpr)
        last = tpr[fpr == right].min() if (fpr == right).any() else np.interp(right, fpr, tpr)
        total += (first + last) / 2 * (np.log10(right) - np.log10(left))
    return {"log_auc": total / np.log10(high / low)}


def ks(scores: Any, labels: Any) -> dict[str, float]:
    """The distance of two samples as scipy has it."""
    scores = np.asarray(scores, float)  # of float32, scipy 1.18 rounds to float32
    return {"ks": ks_2samp(scores[labels == 1], scores[labels == 0]).statistic}


def gini(scores: Any, labels: Any, weights: Any = None) -> dict[str, float]:
    """From scikit-learn's area."""
    return {"gini": 2 * sk.roc_auc_score(labels, scores, sample_weight=weights) - 1}


def det(scores: Any, labels: Any) -> dict[str, np.ndarray]:
    """From scikit-learn's ROC curve: its own DET curve drops the ends."""
    fpr, tpr, thresholds = roc(scores, labels)
    return {"fpr": fpr, "fnr": 1 - tpr, "thresholds": thresholds}


SK: dict[str, Callable[..., float]] = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "fbeta": partial(sk.fbeta_score, beta=0.5, zero_division=0.0),
    "jaccard": partial(sk.jaccard_score, zero_division=0.0),
    "mcc": sk.matthews_corrcoef,
    "precision": partial(sk.precision_score, zero_division=0.0),
    "recall": sk.recall_score,
    "specificity": partial(sk.recall_score, pos_label=0),
}


def at_thresholds(scores: Any, labels: Any) -> dict[str, Any]:
    """scikit-learn's function of every decision."""
    cuts = np.unique(scores)[::-1]
    found = {name: [f(labels, scores >= t) for t in cuts] for name, f in SK.items()}
    return {"thresholds": cuts, **found}


def best(name: str, scores: Any, labels: Any) -> dict[str, float]:
    """The best of all decisions, of equal ones the highest threshold."""
    cuts = [math.inf, *np.unique(scores)[::-1].tolist()]
    values = [SK[name](labels, scores >= t) for t in cuts]
    top = max(values)
    place = next(i for i, value in enumerate(values) if value > top - 1e-12)
    return {f"best_{name}": top, "threshold": cuts[place]}


FIXED = {
    "precision_at_recall": PrecisionAtFixedRecall,
    "recall_at_precision": RecallAtFixedPrecision,
    "sensitivity_at_specificity": SensitivityAtSpecificity,
    "specificity_at_sensitivity": SpecificityAtSensitivity,
}


def case(make: Any, samples: Any, oracle: Any, **options: Any) -> MetricCase:
    """A case that has both kinds of samples."""
    return MetricCase(make, samples, oracle, least=2, **options)


CASES = {
    "EqualErrorRate": case(
        EqualErrorRate, both, eer, empty={"eer": math.nan, "threshold": math.nan}
    ),
    "EqualErrorRate, weighted": case(
        partial(EqualErrorRate, use_sample_weight=True), weighted, eer
    ),
    **{
        f"{cls.__name__}, {minimum}": case(
            partial(cls, minimum),
            both,
            partial(at_fixed, name, minimum),
            empty={name: math.nan, "threshold": math.nan},
        )
        for name, cls in FIXED.items()
        for minimum in (0.0, 0.5, 0.8)
    },
    "SensitivityAtSpecificity, weighted": case(
        partial(SensitivityAtSpecificity, 0.55, use_sample_weight=True),
        weighted,
        partial(at_fixed, "sensitivity_at_specificity", 0.55),
    ),
    "LogAUC": case(partial(LogAUC, (0.05, 0.7)), both, log_auc, empty={"log_auc": math.nan}),
    "KolmogorovSmirnov": case(
        KolmogorovSmirnov, both, ks, empty={"ks": math.nan, "threshold": math.nan}
    ),
    "GiniCoefficient": case(GiniCoefficient, both, gini, empty={"gini": math.nan}),
    "GiniCoefficient, weighted": case(
        partial(GiniCoefficient, use_sample_weight=True), weighted, gini
    ),
    "DETCurve": case(
        DETCurve,
        both,
        det,
        empty={"fpr": UNDEFINED, "fnr": UNDEFINED, "thresholds": np.full(1, np.inf)},
    ),
    "MetricAtThresholds": case(partial(MetricAtThresholds, [*SK], 0.5), both, at_thresholds),
    **{
        f"BestThreshold, {name}": case(
            partial(BestThreshold, name, 0.5),
            both,
            partial(best, name),
            empty={f"best_{name}": math.nan, "threshold": math.nan},
        )
        for name in ("fbeta", "accuracy", "balanced_accuracy", "jaccard", "mcc")
    },
    "AUROC, max_fpr": case(
        partial(AUROC, max_fpr=0.4),
        both,
        lambda s, t: {"auroc": sk.roc_auc_score(t, s, max_fpr=0.4)},
        empty={"auroc": math.nan},
    ),
    "AUROC, micro": case(
        partial(AUROC, "multiclass", SIZE, "micro"),
        classes.tied_scores,
        lambda s, t: {"auroc": sk.roc_auc_score(np.eye(SIZE)[t], s, average="micro")},
    ),
    **{
        f"AUROC, one against one, {average}": MetricCase(
            partial(AUROC, "multiclass", SIZE, average, multi_class="ovo"),
            lambda rng, n: every_class(rng, n),
            partial(lambda average, s, t: {"auroc": one_vs_one(s, t, average)}, average),
            least=SIZE,
            empty={"auroc": math.nan},
        )
        for average in ("macro", "weighted")
    },
    **{
        f"AveragePrecision, {average}": MetricCase(
            partial(AveragePrecision, average, task="multilabel", percent=False, num_classes=SIZE),
            classes.label_sets,
            partial(
                lambda average, s, t: {"mAP": sk.average_precision_score(t, s, average=average)},
                average,
            ),
        )
        for average in ("macro", "micro")
    },
}


def every_class(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Probabilities, and labels among which are all classes."""
    scores, labels = classes.probabilities(rng, n)
    labels[:SIZE] = range(SIZE)
    wide = np.round(scores.astype(float) * 8) + 1
    return wide / wide.sum(axis=1, keepdims=True), labels


def one_vs_one(scores: Any, labels: Any, average: str) -> float:
    """scikit-learn's mean over pairs."""
    return float(sk.roc_auc_score(labels, scores, multi_class="ovo", average=average))


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals the oracle's value and keeps every law."""
    with np.errstate(all="ignore"):
        check_metric(CASES[name], examples=examples(3), libraries=["array_api_strict"])


MAKE: dict[str, Callable[..., Any]] = {
    **{cls.__name__: partial(cls, 0.6) for cls in FIXED.values()},
    "EqualErrorRate": EqualErrorRate,
    "KolmogorovSmirnov": KolmogorovSmirnov,
    "GiniCoefficient": GiniCoefficient,
    "LogAUC": partial(LogAUC, (0.1, 0.9)),
    "BestThreshold": BestThreshold,
}


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.parametrize("task", ["multiclass", "multilabel"])
def test_several_classes_are_taken_one_by_one(name: str, task: str) -> None:
    """A list has the values of binary tasks; a mean is theirs."""
    sample = classes.probabilities if task == "multiclass" else classes.label_sets
    scores, labels = sample(np.random.default_rng(0), 60)
    truth = labels if task == "multilabel" else (labels[:, None] == np.arange(SIZE)).astype(int)
    single = [MAKE[name]()(s, t) for s, t in zip(scores.T, truth.T, strict=True)]
    key = next(iter(single[0]))
    values = [one[key] for one in single]

    listed = MAKE[name](task=task, average=None)(scores, labels)
    assert listed[f"{key}_classwise"] == values
    if "threshold" in single[0]:
        assert listed["threshold_classwise"] == [one["threshold"] for one in single]
    assert MAKE[name](task=task)(scores, labels)[key] == pytest.approx(np.mean(values))
    heavy = MAKE[name](task=task, average="weighted")(scores, labels)[key]
    assert heavy == pytest.approx(np.average(values, weights=truth.sum(axis=0)))


@pytest.mark.parametrize("name", [*MAKE, "AUROC", "AveragePrecision"])
def test_ignored_samples_do_not_count(name: str) -> None:
    """The value is that of the others, exact and binned, for every task."""
    make = MAKE | {
        "AUROC": AUROC,
        "AveragePrecision": partial(AveragePrecision, percent=False),
    }
    rng = np.random.default_rng(1)
    for bins in (None, 16):
        scores, labels = both(rng, 80)
        out = rng.random(80) < 0.3
        holes = np.where(out, -1, labels)
        one = make[name](task="binary", bins=bins, ignore_index=-1)(scores, holes)
        assert one == make[name](task="binary", bins=bins)(scores[~out], labels[~out])

        scores, labels = classes.probabilities(rng, 80)
        holes = np.where(out, -1, labels.astype(int))
        options = {"task": "multiclass", "num_classes": SIZE, "bins": bins}
        many = make[name](ignore_index=-1, **options)(scores, holes)
        assert many == make[name](**options)(scores[~out], labels[~out])

        scores, sets = classes.label_sets(rng, 80)
        options["task"] = "multilabel"
        holes = np.where(rng.random(sets.shape) < 0.3, -1, sets.astype(int))
        listed = make[name](average=None, ignore_index=-1, **options)(scores, holes)
        for c in range(SIZE):
            kept = holes[:, c] >= 0
            one = make[name](task="binary", bins=bins)(scores[kept, c], sets[kept, c])
            key = next(iter(one))
            listed_key = "AP_classwise" if name == "AveragePrecision" else f"{key}_classwise"
            assert listed[listed_key][c] == one[key]


def test_an_ignored_class_leaves_the_mean() -> None:
    """Its samples do not count, and it has no value of its own."""
    rng = np.random.default_rng(2)
    scores, labels = classes.probabilities(rng, 80)
    kept = labels != 1
    for make, key in ((AUROC, "auroc"), (EqualErrorRate, "eer"),
                      (partial(AveragePrecision, percent=False), "AP")):  # fmt: skip
        listed = make(task="multiclass", num_classes=SIZE, average=None, ignore_index=1)
        values = listed(scores, labels)[f"{key}_classwise"]
        expected = make(task="multiclass", num_classes=SIZE, average=None)(
            scores[kept], labels[kept]
        )
        assert math.isnan(values[1])
        others = [0, 2, 3]
        assert [values[c] for c in others] == [expected[f"{key}_classwise"][c] for c in others]


def test_an_ignored_label_need_not_be_a_class() -> None:
    """A label above the classes is left out like -1, whether or not their number is given."""
    rng = np.random.default_rng(5)
    scores, labels = classes.probabilities(rng, 80)
    labels = labels.astype(int)
    out = rng.random(80) < 0.3
    pooled = {"AUROC": partial(AUROC, average="micro"), "pairs": partial(AUROC, multi_class="ovo")}
    for name, make in {**MAKE, **pooled, "AveragePrecision": AveragePrecision}.items():
        for bins in (None, 16) if name != "pairs" else (None,):
            options = {"task": "multiclass", "num_classes": SIZE, "bins": bins}
            high, low = (
                make(ignore_index=ignored, **options)(scores, np.where(out, ignored, labels))
                for ignored in (200, -1)
            )
            assert high == low, name


def test_the_bound_is_that_of_the_classes_of_the_mean() -> None:
    """A class that leaves the mean of average precisions leaves the mean of their bounds."""
    rng = np.random.default_rng(6)
    scores, labels = classes.probabilities(rng, 80)
    kept = labels != 1
    options = {"task": "multiclass", "num_classes": SIZE, "bins": 4, "percent": False}
    others = AveragePrecision(average=None, **options)(scores[kept], labels[kept])
    bounds = np.delete(others["AP_error_bound_classwise"], 1)

    ignored = AveragePrecision(ignore_index=1, **options)
    assert ignored(scores, labels)["mAP_error_bound"] == pytest.approx(bounds.mean())
    left_out = AveragePrecision(zero_division=math.nan, **options)
    with pytest.warns(RuntimeWarning, match="left out|undefined"):
        found = left_out(scores[kept], labels[kept])
    assert found["mAP_error_bound"] == pytest.approx(bounds.mean())


@pytest.mark.parametrize("metric", ["balanced_accuracy", "informedness"])
@pytest.mark.parametrize("label", [0, 1])
def test_the_best_of_one_kind_is_undefined(metric: str, label: int) -> None:
    """Numbers of both kinds are nan, as their page says, when there is one kind only."""
    found = BestThreshold(metric)([0.1, 0.7], [label, label])

    assert all(map(math.isnan, found.values()))


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=20))
def test_equal_error_rate_of_any_scores(pairs: list[tuple[int, bool]]) -> None:
    """Also of perfect, reversed and constant ones."""
    scores, labels = np.array([s for s, _ in pairs]), np.array([t for _, t in pairs], int)
    labels[:2] = 0, 1

    found, expected = EqualErrorRate()(scores, labels), eer(scores, labels)
    assert found["eer"] == pytest.approx(expected["eer"], abs=1e-9)
    assert found["threshold"] == expected["threshold"]


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=16))
def test_log_auc_between_rates_that_samples_have(pairs: list[tuple[int, bool]]) -> None:
    """The curve may rise vertically where the range begins and where it ends."""
    scores = np.array([s for s, _ in pairs] + [0, 1, 2, 3, 4], float)
    labels = np.array([t for _, t in pairs] + [0, 1, 0, 0, 0], int)
    low, high = np.unique(sk.roc_curve(labels, scores, drop_intermediate=False)[0])[[1, -1]]
    if low == high:
        return

    found = LogAUC((low, high))(scores, labels)["log_auc"]
    assert found == pytest.approx(log_auc(scores, labels, low, high)["log_auc"], abs=1e-12)


def test_curves_with_ignored_samples() -> None:
    """ROC and precision-recall curves are those of the others."""
    scores, labels = both(np.random.default_rng(3), 40)
    out = np.arange(40) % 3 == 2
    for cls in (ROC, PrecisionRecallCurve, DETCurve):
        found = cls(ignore_index=-1)(scores, np.where(out, -1, labels))
        expected = cls()(scores[~out], labels[~out])
        assert all(np.array_equal(found[name], expected[name]) for name in expected)


def test_values_that_do_not_exist() -> None:
    """Unreachable precision is recall 0 without a threshold; one kind alone is undefined."""
    assert RecallAtFixedPrecision(0.9)([0.9, 0.1], [0, 1])["recall_at_precision"] == 0.0
    assert math.isnan(RecallAtFixedPrecision(0.9)([0.9, 0.1], [0, 1])["threshold"])
    assert SensitivityAtSpecificity(1.0)([0.9, 0.1], [0, 1]) == {
        "sensitivity_at_specificity": 0.0,
        "threshold": math.inf,
    }
    for name, make in MAKE.items():
        if name not in ("BestThreshold", "PrecisionAtFixedRecall", "RecallAtFixedPrecision"):
            value = make()([0.5, 0.2], [1, 1])
            assert all(map(math.isnan, value.values())), name
    with pytest.warns(RuntimeWarning, match=r"undefined for the classes \[2\]"):
        EqualErrorRate(task="multiclass")([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]], [0, 1])


def test_average_precision_without_positives() -> None:
    """Such a class is what it is said to be, or leaves the mean with a warning."""
    batch = [[0.9, 0.1], [0.2, 0.8]], [[1, 0], [1, 0]]
    make = partial(AveragePrecision, task="multilabel", percent=False)

    assert make()(*batch) == {"mAP": 0.5}
    assert make(zero_division=1.0)(*batch) == {"mAP": 1.0}
    assert make(average="weighted")(*batch) == {"mAP": 1.0}
    with pytest.warns(RuntimeWarning, match=r"without positive samples: \[1\]"):
        assert make(zero_division=math.nan)(*batch) == {"mAP": 1.0}


def test_scores_are_kept_once() -> None:
    """All metrics of one task share the scores."""
    metrics = MetricCollection({name: make() for name, make in MAKE.items()})

    assert len(metrics._stores()) == 1


BAD = [
    (partial(EqualErrorRate, task="regression"), "task"),
    (partial(EqualErrorRate, average="micro"), "average"),
    (partial(PrecisionAtFixedRecall, 1.5), "min_recall"),
    (partial(LogAUC, (0.5, 0.1)), "fpr_range"),
    (partial(BestThreshold, "recall"), "metric"),
    (partial(BestThreshold, beta=0), "beta"),
    (partial(MetricAtThresholds, "recall"), "metrics"),
    (partial(MetricAtThresholds, ["auc"]), "metrics"),
    (partial(AUROC, max_fpr=0), "max_fpr"),
    (partial(AUROC, "multilabel", max_fpr=0.5), "max_fpr"),
    (partial(AUROC, "multiclass", multi_class="all"), "multi_class"),
    (partial(AUROC, "multilabel", multi_class="ovo"), "multi_class"),
    (partial(AUROC, "multiclass", multi_class="ovo"), "num_classes"),
    (partial(AveragePrecision, ignore_index=1), "task must be given"),
    (partial(AveragePrecision, zero_division=2), "zero_division"),
]


@pytest.mark.parametrize(("build", "text"), BAD)
def test_bad_arguments(build: Callable[[], Any], text: str) -> None:
    """Options that mean nothing are refused."""
    with pytest.raises(ValueError, match=text):
        build()
