"""Averages over classes, against scikit-learn and numpy."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support, recall_score

import mmeval_like as mm
from mmeval_like.metrics._common.averages import check_average, class_average
from mmeval_like.metrics._common.shared_options import shared_options

LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12)


@given(LABELS, st.sampled_from(["macro", "micro", "weighted", None]), st.sampled_from([0, 1, None]))
def test_as_scikit_learn(pairs: list[tuple[int, int]], average: str, zero: float | None) -> None:
    """Recall by every average, for every value of a class that is no label."""
    predictions, labels = np.array(pairs).T
    support = [int((labels == c).sum()) for c in range(4)]
    right = [int(((labels == c) & (predictions == c)).sum()) for c in range(4)]
    zero = math.nan if zero is None else float(zero)

    found = class_average(right, support, support, average, zero)
    expected = recall_score(
        labels, predictions, labels=range(4), average=average, zero_division=zero
    )
    np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_ignored_classes_leave_every_average() -> None:
    """What is left is the average of the other classes."""
    rest = [1, 2], [3, 4], [3, 4]
    every = [9, 1, 2], [9, 3, 4], [9, 3, 4]
    for average in ("macro", "micro", "weighted"):
        assert class_average(*every, average, ignored=[0]) == class_average(*rest, average)
    found = class_average(*every, None, ignored=[0])
    assert math.isnan(found[0])
    assert found[1:] == class_average(*rest, None)


def test_no_class_at_all() -> None:
    """The mean of nothing is nan."""
    assert math.isnan(class_average([0], [0], [0], "macro", math.nan))
    assert math.isnan(class_average([1], [1], [1], "weighted", ignored=[0]))
    assert class_average([0], [0], [0], "micro", 1.0) == 1.0


def test_unknown_average() -> None:
    """The error names those that there are."""
    with pytest.raises(ValueError, match=r"average must be one of \['macro', None\], got 'mean'"):
        check_average("mean", ("macro", None))


@pytest.mark.parametrize(
    "make",
    [
        lambda average: mm.Precision(task="multiclass", num_classes=3, average=average),
        lambda average: mm.SingleLabelPrecisionRecallF1score(3, average=average),
        lambda average: mm.PrecisionRecallF1score("multilabel", 3, 0.5, average=average),
        lambda average: mm.Accuracy(num_classes=3, average=average),
        lambda average: mm.StatScores(task="multiclass", num_classes=3, average=average),
        lambda average: mm.AveragePrecision(average=average),
        lambda average: mm.AUROC(task="multiclass", num_classes=3, average=average),
    ],
)
def test_none_as_a_text(make: Any) -> None:
    """It is None, also to the fingerprint: such metrics are merged."""
    first, second = make("none"), make(None)
    first.merge(second)

    assert type(first).__name__ in repr(first)
    assert first.plan.identity == second.plan.identity


@given(data=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=20))
def test_the_average_binary_is_scikit_learns(data: list[tuple[int, int]]) -> None:
    """The value of class 1, of every metric that is a quotient of counts."""
    predictions, labels = zip(*data, strict=True)
    expected = precision_recall_fscore_support(
        labels, predictions, average="binary", zero_division=0.0
    )[:3]
    options: Any = {"average": "binary", "dist_backend": "non_dist"}
    items = ("precision", "recall", "f1-score", "support")

    found = [
        mm.Precision(**options)(predictions, labels)["precision"],
        mm.Recall(**options)(predictions, labels)["recall"],
        mm.FBetaScore(**options)(predictions, labels)["fbeta"],
    ]
    single = mm.SingleLabelPrecisionRecallF1score(2, items=items, percent=False, **options)
    values = single(predictions, labels)

    assert found == pytest.approx(expected)
    assert [values[f"{item}_binary"] for item in items] == pytest.approx([*expected, sum(labels)])


def test_the_average_binary_needs_two_classes() -> None:
    """It is refused where there are others: at the latest when scores say how many."""
    with pytest.raises(ValueError, match='average="binary" is for task="binary"'):
        mm.Precision(task="multiclass", num_classes=2, average="binary")
    with pytest.raises(ValueError, match="needs num_classes=2, got 3"):
        mm.SingleLabelPrecisionRecallF1score(3, average="binary")
    with pytest.raises(ValueError, match="needs two classes, got 3"):
        mm.SingleLabelPrecisionRecallF1score(average="binary")([[0.1, 0.2, 0.7]], [2])


def test_a_reference_to_another_class_stays() -> None:
    """Only what a family declares is put in place of a reference."""

    @shared_options
    class Family:
        """A family.

        Args:
            depth: How deep.
            **options: As for `BaseMetric`.
        """

        def __init__(self, *, depth: int = 1, **options: int) -> None: ...

    class Member(Family):
        """A member without a constructor.

        Args:
            **options: As for `Family`.

        Raises:
            ValueError: Never.
        """

    assert "    depth: How deep.\n    **options: As for `BaseMetric`.\n\nRaises" in Member.__doc__
