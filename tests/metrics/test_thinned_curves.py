"""Curves at a chosen number of points: points of the whole curve."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like.metrics.curves import thinned_curves
from mmeval_like.metrics.curves.score_runs import counted
from mmeval_like.testing import MetricCase, check_metric
from mmeval_like.testing.same import same
from tests.helpers.examples import examples
from tests.metrics import classes
from tests.metrics.test_dealt_scores import CLASSES, SAMPLES, SCORES, labels_of
from tests.metrics.test_precision_recall_curve import oracle as precision_recall_oracle
from tests.metrics.test_roc import oracle as roc_oracle

CURVES: dict[str, Callable[..., Any]] = {
    "roc": mm.ROC,
    "det": mm.DETCurve,
    "precision and recall": mm.PrecisionRecallCurve,
    "numbers": partial(mm.MetricAtThresholds, ("accuracy", "fbeta")),
}
TASKS: dict[str, dict[str, Any]] = {
    "binary": {"task": "binary"},
    "classes": {"task": "multiclass", "ignore_index": 1},
    "classes together": {"task": "multiclass", "average": "micro", "ignore_index": 1},
    "label sets": {"task": "multilabel", "num_classes": CLASSES},
    "label sets together": {"task": "multilabel", "average": "micro"},
}


def chosen(scores: np.ndarray, truth: np.ndarray, points: int) -> list[float]:
    """The thresholds of a curve, by loops over sorted lists."""
    sides = [sorted(scores[truth == kind].tolist()) for kind in (0, 1)]
    half = (points - 1) // 2
    found = set()
    for own, other in (sides, sides[::-1]):
        number = min(len(own), max(half, points - 1 - len(other)))
        found |= {own[(len(own) - 1) * k // max(1, number - 1)] for k in range(number)}
    return sorted(found)


def thinned(whole: Callable[..., Any], points: int) -> Callable[..., Any]:
    """The oracle of the whole curve, at the chosen thresholds."""

    def oracle(scores: np.ndarray, truth: np.ndarray, weights: Any = None) -> dict[str, Any]:
        found = whole(scores, truth, weights)
        wanted = chosen(scores, truth, points)
        here = np.flatnonzero(np.isin(found["thresholds"], [np.inf, *wanted]))
        at = here
        if "recall" in found:  # behind the thresholds is one point more
            at = np.append(here, len(found["recall"]) - 1)
        rate = found.get("recall", found.get("tpr"))[at]
        step = {"error_bound": np.abs(np.diff(rate)).max() if truth.any() else np.nan}
        return {k: v[here if k == "thresholds" else at] for k, v in found.items()} | step

    return oracle


START = {"fpr": np.full(1, np.nan), "tpr": np.full(1, np.nan), "thresholds": np.full(1, np.inf)}
END = {"precision": np.ones(1), "recall": np.zeros(1), "thresholds": np.zeros(0)}
CASES = {
    "ROC, few points": MetricCase(
        partial(mm.ROC, max_points=7),
        classes.logits,
        thinned(roc_oracle, 7),
        empty=START | {"error_bound": np.nan},
    ),
    "PrecisionRecallCurve, few points": MetricCase(
        partial(mm.PrecisionRecallCurve, max_points=6),
        classes.binary,
        thinned(precision_recall_oracle, 6),
        empty=END | {"error_bound": np.nan},
    ),
    "ROC, few points of classes": MetricCase(
        partial(mm.ROC, "multiclass", max_points=8), classes.tied_scores, None
    ),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore:No positive class")
@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's curve at the chosen thresholds, and keeps every law."""
    check_metric(CASES[name], examples=examples(3), libraries=["array_api_strict"])


def points_of(curve: Any) -> list[list[tuple[float, ...]]]:
    """The points of each curve of a result, with their thresholds; nan as None."""
    names = [name for name in curve if name not in ("thresholds", "error_bound")]
    several = isinstance(curve["thresholds"], list)
    found = []
    for c in range(len(curve["thresholds"]) if several else 1):
        columns = [curve[name][c] if several else curve[name] for name in ["thresholds", *names]]
        if len(columns[0]) < len(columns[1]):
            columns[0] = np.append(columns[0], np.inf)
        rows = np.stack(columns, axis=1).astype(object)
        rows[rows != rows] = None
        found.append([tuple(row) for row in rows])
    return found


@given(
    st.sampled_from([*CURVES]),
    st.sampled_from([*TASKS]),
    st.sampled_from([*SCORES]),
    st.integers(5, 40) | st.just(SAMPLES + 1) | st.just(10**6),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_every_point_is_one_of_the_whole_curve(
    curve: str, task: str, kind: str, points: int, weighted: bool, seed: int
) -> None:
    """At most so many, with both ends; the whole curve if there are as many samples."""
    rng = np.random.default_rng(seed)
    options = TASKS[task]
    labels = labels_of(rng, options["task"])
    scores = SCORES[kind](rng, SAMPLES if task == "binary" else (SAMPLES, CLASSES))
    columns = (scores, labels, *([rng.random(SAMPLES) + 0.1] if weighted else []))
    make = partial(CURVES[curve], use_sample_weight=weighted, dist_backend="non_dist", **options)
    whole, few = make(), make(max_points=points)
    whole.add(*columns)
    few.add(*columns)
    found = points_of(few.compute())
    for thin, every in zip(found, points_of(whole.compute()), strict=True):
        assert set(thin) <= set(every)
        assert len(set(thin)) == len(thin) <= points
        assert (thin[0], thin[-1]) == (every[0], every[-1])
        if points > SAMPLES * (CLASSES if "together" in task else 1):
            assert thin == every
        elif task == "binary":
            thresholds = [float(point[0]) for point in thin if point[0] != math.inf]
            wanted = [float(value) for value in chosen(scores + 0, labels, points)]
            assert sorted(thresholds) == [value for value in wanted if value != math.inf]


@pytest.mark.filterwarnings("ignore:all scores are 0 or 1")
@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=60),
    st.lists(st.integers(0, 30), max_size=12),
    st.integers(5, 30),
)
def test_few_samples_lie_between_neighbouring_points(
    negatives: list[int], positives: list[int], points: int
) -> None:
    """Of either kind, however rare it is: the bound of the documentation; ties come on top."""
    scores, labels = np.array(negatives + positives), [0] * len(negatives) + [1] * len(positives)
    thresholds = mm.ROC(max_points=points)(scores, labels)["thresholds"]

    for above, below in pairwise(thresholds):
        for side in (negatives, positives):
            between = sum(below < score < above for score in side)
            assert between == 0 or between < 2 * len(side) / (points - 4)


steps = st.lists(st.integers(-3, 3), max_size=40).map(lambda values: np.sort(values) / 4.0)


@given(steps, steps, st.integers(5, 20), st.integers(0, 3))
def test_scores_that_are_kept_with_their_number(
    negatives: np.ndarray, positives: np.ndarray, points: int, which: int
) -> None:
    """Of one kind or of both, in one run or in two: the curve is that of the scores one by one."""
    expected = thinned_curves.thinned([negatives], [positives], points)
    kept = [
        [counted([side])] if which & (kind + 1) else [side[::2], side[1::2]]
        for kind, side in enumerate((negatives, positives))
    ]

    assert same(vars(thinned_curves.thinned(*kept, points)), vars(expected))


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"max_points": 4}, ValueError, "max_points must be at least 5, got 4"),
        ({"max_points": 0}, ValueError, "max_points must be positive"),
        ({"max_points": 9.5}, TypeError, "max_points must be an integer"),
        ({"max_points": 9, "bins": 10}, ValueError, "max_points= is for curves without bins="),
    ],
)
def test_options_that_make_no_sense(options: Any, error: type[Exception], text: str) -> None:
    """Are refused when the metric is constructed."""
    with pytest.raises(error, match=text):
        mm.ROC(**options)
