"""Metrics of classes without samples, and options that they refuse."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import (
    BalancedAccuracy,
    ClassificationReport,
    CohenKappa,
    ConfusionMatrix,
    FBetaScore,
    HammingDistance,
    Informedness,
    JaccardIndex,
    LikelihoodRatios,
    Markedness,
    MatthewsCorrCoef,
    Precision,
    Recall,
    Specificity,
    StatScores,
)

EMPTY = [
    (Precision(), {"precision": math.nan}),
    (Recall(task="multilabel", num_classes=2, average=None), {"recall_classwise": [math.nan] * 2}),
    (Specificity(task="multiclass", num_classes=2, zero_division=1.0), {"specificity": math.nan}),
    (Informedness(average=None), {"informedness": math.nan}),
    (Markedness(task="multiclass", num_classes=3), {"markedness": math.nan}),
    (FBetaScore(task="multilabel", num_classes=3, average="samples"), {"fbeta": math.nan}),
    (StatScores(), {"tp": 0, "fp": 0, "tn": 0, "fn": 0, "support": 0}),
]


@pytest.mark.parametrize(("metric", "expected"), EMPTY, ids=lambda value: repr(value)[:40])
def test_no_samples(metric: Any, expected: dict[str, Any]) -> None:
    """Without samples every share is nan and every count 0."""
    with pytest.warns(RuntimeWarning, match="no samples"):
        found = metric.compute()

    assert list(found) == list(expected)
    np.testing.assert_equal(found, expected)


BAD_ARGUMENTS = [
    (partial(Precision, task="regression"), "task must be one of"),
    (partial(Precision, task="multiclass"), "num_classes must be given"),
    (partial(Precision, task="multiclass", num_classes=0), "positive"),
    (partial(Precision, num_classes=3), 'must be 2 for task="binary", got 3'),
    (partial(Precision, average="mean"), "average must be one of"),
    (partial(Precision, top_k=2), "top_k"),
    (partial(Precision, task="multiclass", num_classes=3, top_k=4), "top_k"),
    (partial(Precision, zero_division=0.5), "zero_division"),
    (partial(Precision, threshold=math.nan), "threshold"),
    (partial(FBetaScore, beta=0), "beta"),
    (partial(StatScores, average="macro"), "average"),
    (partial(Informedness, average="samples"), "average"),
    (partial(BalancedAccuracy, task="multilabel", num_classes=2), "task"),
    (partial(LikelihoodRatios, task="multiclass", num_classes=2), "task"),
    (partial(ClassificationReport, class_names=["a", "a"]), "class_names"),
    (partial(ClassificationReport, class_names=["a"]), "class_names"),
]


@pytest.mark.parametrize(("build", "text"), BAD_ARGUMENTS)
def test_bad_arguments(build: Callable[[], Any], text: str) -> None:
    """Options that mean nothing are refused."""
    with pytest.raises(ValueError, match=text):
        build()


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", None])
def test_an_average_that_is_passed_to_a_binary_task_has_no_effect_and_a_warning(
    average: Any,
) -> None:
    """The value is that of class 1, not scikit-learn's average over both; the default is quiet."""
    for cls in (Precision, FBetaScore, JaccardIndex, Specificity):
        with pytest.warns(UserWarning, match="average=.* has no effect"):
            metric = cls(average=average)
        assert metric([1, 0, 0], [1, 1, 0]) == cls()([1, 0, 0], [1, 1, 0])
        cls(average="binary"), cls(task="multiclass", num_classes=2, average=average)
    assert type(Precision().average) is str
    HammingDistance(average=average)  # both classes have the same distance


@pytest.mark.parametrize("cls", [FBetaScore, ConfusionMatrix, CohenKappa, MatthewsCorrCoef])
def test_the_number_of_classes_follows_from_their_names_or_the_task(cls: Any) -> None:
    """As if it were given; without both, the error says what to pass."""
    named, given = {"classes": ["cat", "dog", "emu"]}, {"num_classes": 3}
    batch = ["cat", "emu", "emu"], ["cat", "dog", "emu"]
    same = cls(task="multiclass", **named), cls(task="multiclass", **named, **given)
    np.testing.assert_equal(*(dict(metric(*batch)) for metric in same))
    for task in ({"task": "binary"}, {"task": "binary", "num_classes": 2}):
        np.testing.assert_equal(
            dict(cls(**task)([0.2, 0.9], [1, 1])), dict(cls(task="binary")([0, 1], [1, 1]))
        )
    with pytest.raises(ValueError, match=r"num_classes must be given.*classes=\[...\]"):
        cls(task="multiclass")


def test_a_report_has_the_names_of_the_classes():
    """Those of `classes=` and of a dataset that is named later, in the report and in `flat()`; of
    another number of classes is an error.
    """
    named = ClassificationReport(classes=["cat", "dog"])
    later = ClassificationReport()
    later.dataset_meta = {"classes": ["cat", "dog"]}
    for metric in (named, later):
        metric.add([1, 0], [0, 0])
        assert [*metric.compute()["report"]][:2] == ["cat", "dog"]
        assert metric.compute().flat()["report_cat_recall"] == 0.5
    own = ClassificationReport(class_names=["a", "b"], classes=["cat", "dog"])
    assert [*own(["cat"], ["cat"])["report"]][:2] == ["a", "b"]
    with pytest.raises(ValueError, match="number of classes must be 2"):
        ClassificationReport(dataset_meta={"classes": ["cat", "dog", "pig"]})


@pytest.mark.parametrize("name", sorted(mm.metrics.__all__))
def test_no_binary_metric_is_made_of_three_names(name):
    """By default some tasks are binary: more names of classes mean another task, or an error."""
    try:
        metric = getattr(mm, name)(classes=["cat", "dog", "pig"])
    except (TypeError, ValueError, ModuleNotFoundError, FileNotFoundError):
        return  # it needs other options, or says that the task is not binary
    assert getattr(metric, "task", None) != "binary"
