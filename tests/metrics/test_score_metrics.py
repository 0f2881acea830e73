"""The metrics that follow from operating points, against scikit-learn and scipy."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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
from tests.metrics.curves import SK, at_fixed, at_thresholds, best, det, eer, gini, ks, log_auc

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


def exactly(metric: str, tp: Fraction, fp: Fraction, fn: Fraction, tn: Fraction) -> Fraction:
    """A number that is larger if the metric is; beta is 1/3 as a float, and MCC is squared."""
    square = Fraction(1 / 3) ** 2
    if metric == "mcc":
        spread = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        covariance = tp * tn - fp * fn
        return covariance * abs(covariance) / spread if spread else Fraction(0)
    return {
        "accuracy": tp + tn,
        "balanced_accuracy": tp / (tp + fn) + tn / (tn + fp),
        "fbeta": (1 + square) * tp / ((1 + square) * tp + square * fn + fp),
        "informedness": tp / (tp + fn) + tn / (tn + fp),
        "jaccard": tp / (tp + fp + fn),
    }[metric]


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("metric", BestThreshold.choices)
def test_of_equal_thresholds_the_highest_is_the_best(metric: str, weights: bool) -> None:
    """Equal as fractions: what the rounding of two quotients makes of them does not matter."""
    rng = np.random.default_rng(0)
    for _ in range(examples(40)):
        size = int(rng.integers(4, 30))
        scores, labels = rng.permutation(size) / 32, rng.integers(0, 2, size)
        labels[:2] = 0, 1
        heavy = rng.integers(1, 4, size) if weights else np.ones(size, int)
        found = {}
        for threshold in (math.inf, *sorted(scores.tolist(), reverse=True)):
            table = [
                Fraction(int(heavy[(labels == label) & ((scores >= threshold) == high)].sum()))
                for label, high in ((1, True), (0, True), (1, False), (0, False))
            ]
            found[threshold] = exactly(metric, *table)
        one = BestThreshold(metric, 1 / 3, use_sample_weight=weights)
        one.add(scores, labels, *([heavy] if weights else []))
        assert one.compute()["threshold"] == max(found, key=lambda threshold: found[threshold])


@pytest.mark.parametrize("metric", ["balanced_accuracy", "informedness"])
@pytest.mark.parametrize("label", [0, 1])
def test_the_best_of_one_kind_is_undefined(metric: str, label: int) -> None:
    """Numbers of both kinds are nan, as their page says, when there is one kind only."""
    found = BestThreshold(metric)([0.1, 0.7], [label, label])

    assert all(map(math.isnan, found.values()))


@pytest.mark.filterwarnings("ignore:all scores are 0 or 1")
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


@pytest.mark.parametrize("task", ["binary", "multiclass", "multilabel"])
@pytest.mark.parametrize(
    "metric", [ROC, PrecisionRecallCurve, DETCurve, MetricAtThresholds, EqualErrorRate,
               BestThreshold, partial(RecallAtFixedPrecision, 0.5), partial(ROC, max_points=5)]
)  # fmt: skip
def test_samples_of_weight_0_leave_no_trace(metric: Callable[..., Any], task: str) -> None:
    """Their scores are no thresholds: the result is that without them, as for scikit-learn."""
    rng = np.random.default_rng(0)
    sample = {"binary": both, "multiclass": classes.probabilities, "multilabel": classes.label_sets}
    scores, labels = sample[task](rng, 30)
    weights = rng.integers(0, 3, 30) / 2
    counted = weights > 0
    build = partial(metric, task=task, use_sample_weight=True)
    found = build()(scores, labels, weights)
    assert repr(found) == repr(build()(scores[counted], labels[counted], weights[counted]))
    if metric is ROC and task == "binary":
        wanted = sk.roc_curve(labels, scores, sample_weight=weights, drop_intermediate=False)
        assert np.array_equal(found["thresholds"], wanted[2])


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

    assert len(metrics._samples().stores()) == 1


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


@pytest.mark.parametrize("rate", [np.float32(0.5), Fraction(1, 2), np.int64(1)])
def test_a_rate_may_be_a_number_of_any_type(rate: Any) -> None:
    """One of numpy's is not refused after all samples have been added."""
    data = [0.1, 0.4, 0.35, 0.8, 0.6], [0, 0, 1, 1, 0]
    assert AUROC(max_fpr=rate)(*data) == AUROC(max_fpr=float(rate))(*data)


@pytest.mark.parametrize(("build", "text"), BAD)
def test_bad_arguments(build: Callable[[], Any], text: str) -> None:
    """Options that mean nothing are refused."""
    with pytest.raises(ValueError, match=text):
        build()
