"""MultiLabelPrecisionRecallF1score against scikit-learn, and how it reads its inputs."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from mmeval_like import MultiLabelPrecisionRecallF1score as Metric
from mmeval_like import Precision
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes
from tests.metrics.test_single_label import NAMES, ROUNDED, SUFFIX

SIZE = classes.CLASSES


def from_sets(
    predictions: np.ndarray,
    labels: np.ndarray,
    weights: Any = None,
    average: Any = "macro",
    suffix: str = "",
) -> dict[str, Any]:
    """scikit-learn's values of one-hot rows, in percent."""
    values = precision_recall_fscore_support(
        labels, predictions, average=average, zero_division=0, sample_weight=weights
    )
    found = {n: 100 * v for n, v in zip(NAMES[:3], values[:3], strict=True)}
    return {f"{name}{suffix}{SUFFIX[average]}": value for name, value in found.items()}


def from_threshold(
    scores: np.ndarray, labels: np.ndarray, weights: Any = None, *, thr: float = 0.5, **named: Any
) -> dict[str, Any]:
    """A class is predicted from the threshold on."""
    return from_sets(scores >= thr, labels, weights, **named)


def from_topk(scores: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    """The two highest scores, of equal ones the lower class."""
    chosen = np.zeros(scores.shape, bool)
    for row, picked in zip(scores.tolist(), chosen, strict=True):
        picked[sorted(range(SIZE), key=lambda c: (-row[c], c))[:2]] = True
    return from_sets(chosen, labels, suffix="_top2")


def onehot(lists: Any) -> np.ndarray:
    """Lists of class indices as rows."""
    return np.array([[c in entry for c in range(SIZE)] for entry in lists])


def from_lists(predictions: Any, labels: Any) -> dict[str, Any]:
    """Lists of class indices."""
    return from_sets(onehot(predictions), onehot(labels))


def weighted_sets(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Scores, one-hot rows and weights."""
    return *classes.label_sets(rng, n), classes.weights(rng, n)


def case(sample: Any, oracle: Any, **options: Any) -> MetricCase:
    """A case of the metric."""
    return MetricCase(partial(Metric, SIZE, **options), sample, oracle, ROUNDED, empty=0.0)


CASES = {
    **{
        f"MultiLabelPrecisionRecallF1score, {average}": case(
            classes.label_sets,
            partial(from_threshold, average=average),
            average=average,
            thr=0.5,
        )
        for average in SUFFIX
    },
    "MultiLabelPrecisionRecallF1score, other threshold": case(
        classes.label_sets, partial(from_threshold, thr=0.25, suffix="_thr-0.25"), thr=0.25
    ),
    "MultiLabelPrecisionRecallF1score, topk": case(classes.label_sets, from_topk, topk=2),
    "MultiLabelPrecisionRecallF1score, lists": case(
        classes.label_lists, from_lists, thr=0.5, label_is_onehot=False, pred_is_onehot=False
    ),
    "MultiLabelPrecisionRecallF1score, weighted samples": case(
        weighted_sets, from_threshold, thr=0.5, use_sample_weight=True
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's values and keeps every law."""
    check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


@given(st.integers(3, 5), st.data())
def test_forms_agree(size: int, data: st.DataObject) -> None:
    """One-hot rows and lists of indices are told apart by themselves, in any mixture of batches."""
    sets = data.draw(st.lists(st.sets(st.integers(0, size - 1)), min_size=1, max_size=6))
    lists = [sorted(entry) for entry in sets]
    rows = np.array([[c in entry for c in range(size)] for entry in sets], np.int64)
    metric = Metric(size, thr=0.5)
    for entry in lists:  # one by one, every list on its own
        metric.add([entry], [entry])

    expected = metric(rows, rows)
    assert metric(lists, lists) == expected
    assert metric(rows, lists) == expected
    assert metric(rows.astype(np.float32), rows.tolist()) == expected
    assert metric.compute() == expected


def test_scores_of_two_classes_are_scores() -> None:
    """Rows of width C are never taken for index lists when they hold floats."""
    assert Metric(2, thr=0.5)([[0.9, 0.2], [0.1, 0.8]], [[1, 0], [0, 1]])["precision"] == 100.0


def test_scores_above_one_are_scores() -> None:
    """Logits are compared with the threshold, not cut down to indices."""
    metric = Metric(3, thr=0.0, items=("precision", "recall"), average="micro")

    assert metric([[3.2, -1.0, 2.5]], [[1, 0, 1]]) == {
        "precision_thr-0.00_micro": 100.0,
        "recall_thr-0.00_micro": 100.0,
    }


def test_thresholds_in_the_scores_own_dtype() -> None:
    """A float32 score of 0.7 reaches the threshold 0.7."""
    scores = np.full((1, 3), 0.7, np.float32)

    assert Metric(3, thr=0.7)(scores, [[1, 1, 1]])["recall_thr-0.70"] == 100.0


def test_ties_of_many_classes() -> None:
    """Of very many equal scores the lowest classes are the best."""
    scores = np.random.default_rng(0).integers(0, 3, 300)
    metric = Metric(300, topk=7, average=None, items=("recall",))
    value = metric(scores[None].astype(np.float32), np.ones((1, 300), int))

    best = np.flatnonzero(scores == 2)[:7]
    assert np.flatnonzero(value["recall_top7_classwise"]).tolist() == best.tolist()


def test_two_classes_can_be_lists() -> None:
    """Where a row may be either, the argument or the property says which."""
    given_lists = Metric(2, thr=0.5, pred_is_onehot=False, label_is_onehot=False, average="micro")
    by_property = Metric(2, thr=0.5, average="micro")
    by_property.pred_is_onehot = by_property.label_is_onehot = False

    assert given_lists([[0, 1]], [[1, 0]])["recall_micro"] == 100.0
    assert by_property([[0, 1]], [[1, 0]])["recall_micro"] == 100.0
    assert Metric(2, thr=0.5, average="micro")([[0, 1]], [[1, 0]])["recall_micro"] == 0.0


def test_mixed_forms_are_refused() -> None:
    """Rows that look one-hot among lists: an error in one batch, and over several batches."""
    metric = Metric(2, thr=0.5)
    with pytest.raises(ValueError, match="sample 1 is a list, sample 0 may be either"):
        metric.add([[0, 1], [0]], [[0], [0]])
    metric.add([[0, 1]], [[0]])
    metric.add([[0]], [[0]])
    with pytest.raises(ValueError, match="predictions must be one-hot rows"):
        metric.compute()


def test_samples_without_labels() -> None:
    """Empty lists are samples without labels."""
    assert Metric(3, thr=0.5, average="micro")([[0], []], [[], [1]]) == {
        "precision_micro": 0.0,
        "recall_micro": 0.0,
        "f1-score_micro": 0.0,
    }


@pytest.mark.parametrize("zero_division", [0.0, 1.0, math.nan])
def test_a_mean_over_no_samples_is_the_value_of_their_shares(zero_division: float) -> None:
    """If every sample's recall is 0 / 0, so is the mean: scikit-learn has the same value."""
    scores, labels = [[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]], [[0, 0, 0], [0, 0, 0]]
    metric = Metric(3, 0.5, average="samples", zero_division=zero_division, percent=False)
    metric.add(scores, labels)
    rows = np.greater_equal(scores, 0.5)
    *expected, _ = precision_recall_fscore_support(
        labels, rows, average="samples", zero_division=zero_division
    )
    np.testing.assert_array_equal([*metric.compute().values()], expected)


@pytest.mark.parametrize("weights", [None, [2.0, 1.0, 3.0]])
@pytest.mark.parametrize("zero_division", [0.0, 1.0, math.nan])
def test_a_sample_without_entries_that_count(zero_division: float, weights: Any) -> None:
    """It is in no mean over samples, whatever `zero_division` is, as for `Precision`."""
    scores = [[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    labels = [[-1, -1, -1], [1, 0, -1], [1, -1, 0]]
    given: dict[str, Any] = {"use_sample_weight": weights is not None}
    alone = {} if weights is None else {"sample_weight": weights[1:]}
    metrics = [
        Metric(
            3,
            0.5,
            average="samples",
            ignore_index=-1,
            zero_division=zero_division,
            percent=False,
            **given,
        )
        for _ in range(2)
    ]
    metrics[0].add(scores, labels, **({} if weights is None else {"sample_weight": weights}))
    metrics[1].add(scores[1:], labels[1:], **alone)
    found, expected = (metric.compute() for metric in metrics)
    np.testing.assert_array_equal([*found.values()], [*expected.values()])
    precision = Precision(
        task="multilabel",
        num_classes=3,
        average="samples",
        ignore_index=-1,
        zero_division=zero_division,
        **given,
    )
    precision.add(scores, labels, **({} if weights is None else {"sample_weight": weights}))
    assert found["precision_samples"] == precision.compute()["precision"]


def test_default_threshold_warns() -> None:
    """Without thr and topk: 0.5 and a warning; with both: thr, and a warning."""
    with pytest.warns(UserWarning, match="thr=0.5 is used"):
        assert "recall" in Metric(3)([[0.5, 0.4, 0.3]], [[1, 0, 0]])
    with pytest.warns(UserWarning, match="topk is not used"):
        assert "recall_thr-0.30" in Metric(3, 0.3, 2)([[0.5, 0.4, 0.3]], [[1, 0, 0]])


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (([[0.5, 0.5, 0.1]], [[1, 0, 0], [1, 0, 0]]), ValueError, "same length.* 1 and 2"),
        (([[0.5, math.nan, 0.1]], [[1, 0, 0]]), ValueError, "predictions must not contain nan"),
        (([[3]], [[1, 0, 0]]), ValueError, r"predictions must be in \[0, 3\), got 3"),
        (([[0]], [[-1]]), ValueError, r"labels must be in \[0, 3\), got -1"),
        (([[0.5, 0.5]], [[0]]), TypeError, "predictions must be integers"),
        (([[0]], [[0.5]]), TypeError, "labels must be integers"),
        (([[[0]]], [[0]]), ValueError, "one row"),
        (([["a"]], [[0]]), TypeError, "predictions"),
        (([[0]], np.array([[0, 1, 0], [2, 2, 2]])[1:]), ValueError, "or lists of different"),
        (([[0], [1]], [[1], [0, 2, 2]]), ValueError, r"got \[0 2 2\] at index 1"),
        (([[0]], [[0]], [1]), ValueError, "use_sample_weight=True"),
    ],
)
def test_bad_inputs(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    """What cannot be read as sets of labels is refused."""
    with pytest.raises(error, match=text):
        Metric(3, thr=0.5).add(*arguments)


def test_rows_that_must_be_onehot() -> None:
    """With label_is_onehot=True anything else is refused."""
    metric = Metric(3, thr=0.5, label_is_onehot=True)
    for bad in ([[0, 1]], [[0, 2, 1]], [[0.5, 0, 0]]):
        with pytest.raises(ValueError, match="labels must be one-hot rows"):
            metric.add([[0.5, 0.5, 0.1]], bad)


def test_bad_arguments() -> None:
    """Arguments that mean nothing are refused."""
    with pytest.raises(ValueError, match="num_classes"):
        Metric(0, thr=0.5)
    for options in (
        {"topk": 4},
        {"topk": 0},
        {"thr": 0.5, "items": ("x",)},
        {"thr": 0.5, "average": "mean"},
        {"thr": math.nan},
    ):
        with pytest.raises(ValueError, match=[*options][-1]):
            Metric(3, **options)


@pytest.mark.parametrize("labels", [[], np.zeros((0, 3), int)])
def test_an_empty_batch_with_a_label_that_is_ignored(labels: Any) -> None:
    """It is none, as without such a label."""
    metric = Metric(3, thr=0.5, ignore_index=-1)
    metric.add(np.zeros((0, 3)), labels)
    metric.add(np.eye(3), np.eye(3, dtype=int))

    assert metric.compute() == Metric(3, thr=0.5)(np.eye(3), np.eye(3, dtype=int))
