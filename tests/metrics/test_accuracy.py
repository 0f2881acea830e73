"""Accuracy against a ranking spelled out, and scikit-learn."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, top_k_accuracy_score

from mmeval_like import Accuracy, MetricCollection
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

TOPK = (1, 2, 4)
THRS = (0.0, 0.5, None)


def from_indices(
    predictions: np.ndarray, labels: np.ndarray, weights: Any = None
) -> dict[str, float]:
    """scikit-learn's accuracy."""
    return {"top1": accuracy_score(labels, predictions, sample_weight=weights)}


def ranked(scores: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Sorted by falling score, then rising class, one sample at a time."""
    hits = dict.fromkeys(((k, thr) for k in TOPK for thr in THRS), 0)
    for row, label in zip(scores.tolist(), labels.tolist(), strict=True):
        order = sorted(range(len(row)), key=lambda c: (-row[c], c))
        for k, thr in hits:
            hits[k, thr] += label in order[:k] and (thr is None or row[label] > thr)
    names = {thr: "no-thr" if thr is None else f"thr-{thr:.2f}" for thr in THRS}
    return {f"top{k}_{names[thr]}": count / len(labels) for (k, thr), count in hits.items()}


CASES = {
    "Accuracy, class indices": MetricCase(
        Accuracy, classes.indices, from_indices, 0, empty={"top1": math.nan}
    ),
    "Accuracy, class indices, several keys": MetricCase(
        partial(Accuracy, TOPK, THRS), classes.indices, from_indices, 0
    ),
    "Accuracy, class indices, weighted": MetricCase(
        partial(Accuracy, use_sample_weight=True),
        classes.weighted_indices,
        from_indices,
        empty={"top1": math.nan},
    ),
    "Accuracy, scores": MetricCase(partial(Accuracy, TOPK, THRS), classes.tied_scores, ranked, 0),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals its oracle and keeps every law."""
    check_metric(CASES[name], examples=examples(5), libraries=["array_api_strict"])


@given(st.integers(1, 5), st.integers(0, 99))
def test_topk_is_scikit_learns(k: int, seed: int) -> None:
    """Without ties, top-k accuracy is scikit-learn's, also with logits and weights."""
    rng = np.random.default_rng(seed)
    scores, labels = rng.normal(size=(30, 6)), rng.integers(0, 6, 30)
    weights = classes.weights(rng, 30)
    metric = Accuracy(k, thrs=None, use_sample_weight=True)

    expected = top_k_accuracy_score(labels, scores, k=k, sample_weight=weights, labels=range(6))
    assert metric(scores, labels, weights)[f"top{k}"] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("size", [1, 255, 256, 511, 700])
def test_many_classes_are_ranked(size: int) -> None:
    """Counts of higher scores do not stop at 255; of equal scores the lowest index is first."""
    rng = np.random.default_rng(size)
    labels = rng.integers(0, size, 20)
    for levels in (1, 3, 10**6):  # all equal, many ties, none
        scores = rng.integers(0, levels, (20, size)).astype(np.float32)
        scores[:5, 0] = scores[5:9, -1] = -1  # the last rank of all
        labels[:5] = 0
        order = np.argsort(-scores, axis=1, kind="stable")
        ranks = np.argmax(order == labels[:, None], axis=1)
        topk = tuple(range(1, size + 1))

        found = Accuracy(topk, thrs=None)(scores, labels)

        assert list(found.values()) == [(ranks < k).sum() / 20 for k in topk]


def test_thresholds_in_the_scores_own_dtype() -> None:
    """The float32 nearest to 0.7 is not above the threshold 0.7, in any width."""
    for dtype in (np.float16, np.float32, np.float64):
        scores = np.array([[0.7, 0.1], [0.75, 0.1]], dtype)

        assert Accuracy(thrs=0.7)(scores, [0, 0]) == {"top1": 0.5}


def test_keys_never_collide() -> None:
    """Thresholds that agree in two decimals have keys with all of theirs."""
    metric = Accuracy(thrs=[0.501, 0.504])

    assert metric([[0.503, 0.1]], [0]) == {"top1_thr-0.501": 1.0, "top1_thr-0.504": 0.0}


def test_negative_scores_warn_once() -> None:
    """Logits with the default threshold: the documented value, and one warning with the cure."""
    metric = Accuracy()
    with pytest.warns(UserWarning, match="thrs=None"):
        metric.add([[-1.0, -2.0]], [0])
    metric.add([[-1.0, -2.0]], [0])

    assert metric.compute() == {"top1": 0.0}
    assert Accuracy(thrs=None)([[-1.0, -2.0]], [0]) == {"top1": 1.0}


def test_infinities_are_ordered() -> None:
    """Infinite scores rank like numbers."""
    scores = [[math.inf, 1.0, -math.inf], [-math.inf, -math.inf, -1.0]]

    assert Accuracy((1, 2), None)(scores, [0, 0]) == {"top1": 0.5, "top2": 1.0}


def test_many_samples() -> None:
    """Counters do not stop at 2^24."""
    metric = Accuracy()
    ones = np.ones(1 << 20, np.int8)
    for _ in range(20):
        metric.add(ones, ones)

    assert metric.compute() == {"top1": 1.0}


def test_an_error_leaves_the_metric_as_it_was() -> None:
    """A refused batch is not recorded, alone or in a collection, whose error names the member."""
    metrics = MetricCollection({"first": Accuracy(), "second": Accuracy(topk=3, thrs=None)})
    metrics.add([[0.7, 0.2, 0.1]], [0])
    with pytest.raises(ValueError, match="second"):
        metrics.add([[0.7, 0.3]], [1])

    assert metrics.compute() == {"first": {"top1": 1.0}, "second": {"top3": 1.0}}


def test_indices_and_scores_do_not_mix() -> None:
    """Where these have different keys, a mixture is an error of `compute`."""
    metric = Accuracy(topk=(1, 2))
    metric.add([0, 1], [0, 0])
    metric.add([[0.7, 0.3]], [0])
    with pytest.raises(ValueError, match="indices for 2 of 3"):
        metric.compute()


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (([0, 1], [0]), ValueError, "predictions and labels must have the same length.* 2 and 1"),
        (([[0.5, 0.5]], [0, 1]), ValueError, "same length.* 1 and 2"),
        (([[0.5, 0.5]], [2]), ValueError, r"labels must be in \[0, 2\), got 2 at index 0"),
        (([[0.5, 0.5]], [-1]), ValueError, r"labels must be in \[0, 2\), got -1"),
        (([[0.5, math.nan]], [1]), ValueError, r"predictions must not contain nan.*\(0, 1\)"),
        (([1.9], [1]), TypeError, "predictions must be integers"),
        (([1], [0.5]), TypeError, "labels must be integers"),
        (([[[0.5]]], [0]), ValueError, "shape"),
        (([[0.5]], [[0]]), ValueError, "shape"),
        (([0], [[0]]), ValueError, "labels must have shape"),
        ((["a"], [0]), TypeError, "predictions"),
        (([0, 1], [0, -100]), ValueError, r"labels must not be negative.*ignore_index=.*got -100"),
        (([0, -1], [0, 1]), ValueError, "predictions must not be negative.* got -1"),
        (([0], [0], [1.0]), ValueError, "use_sample_weight=True"),
    ],
)
def test_bad_inputs(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    """What cannot be judged is refused, with the argument's name and both values."""
    with pytest.raises(error, match=text):
        Accuracy().add(*arguments)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"topk": 0}, ValueError, "topk"),
        ({"topk": ()}, ValueError, "topk"),
        ({"topk": 1.5}, TypeError, "topk"),
        ({"thrs": ()}, ValueError, "thrs"),
        ({"thrs": math.nan}, ValueError, "thrs"),
        ({"thrs": "0.5"}, TypeError, "thrs"),
    ],
)
def test_bad_arguments(options: dict[str, Any], error: type[Exception], text: str) -> None:
    """Arguments that mean nothing are refused."""
    with pytest.raises(error, match=text):
        Accuracy(**options)


def test_more_than_all_classes() -> None:
    """K beyond the number of classes is an error, not a guess."""
    with pytest.raises(ValueError, match="at most the 2 classes"):
        Accuracy(topk=3)([[0.5, 0.5]], [0])


def test_bad_weights() -> None:
    """Weights must be finite, not negative and one per sample."""
    for bad in ([-1.0], [math.nan], [1.0, 1.0], [[1.0]]):
        with pytest.raises(ValueError, match="sample_weight"):
            Accuracy(use_sample_weight=True)([0], [0], bad)


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("bad", [77, -100])
def test_class_indices_out_of_range(place: int, bad: int) -> None:
    """With num_classes an index out of range is refused, among predictions as among labels."""
    batch = [[0, 1, 2], [0, 1, 1]]
    batch[place][2] = bad
    metric = Accuracy(num_classes=3)
    metric.add([0, 1], [0, 0])
    with pytest.raises(ValueError, match=rf"must be in \[0, 3\), got {bad}"):
        metric.add(*batch)

    assert metric.compute() == {"top1": 0.5}
    if place:
        assert Accuracy(num_classes=3, ignore_index=bad)(*batch) == {"top1": 1.0}


def test_predictions_at_ignored_labels_may_be_anything() -> None:
    """A position whose label is ignored does not count, even if its prediction is no class."""
    assert Accuracy(num_classes=3, ignore_index=-1)([0, 99, -5], [0, -1, -1]) == {"top1": 1.0}


def test_names_of_classes_tell_the_range() -> None:
    """A label beyond the named classes is refused, also where predictions are class indices."""
    metric = Accuracy(classes=["a", "b"])
    metric.add([0, 1], [1, 1])
    with pytest.raises(ValueError, match=r"labels must be in \[0, 2\), got 255"):
        metric.add([0, 1], [255, 1])
    with pytest.raises(ValueError, match=r"predictions must be in \[0, 2\), got 2"):
        metric.add([0, 2], [1, 1])

    assert metric.compute() == {"top1": 0.5}
