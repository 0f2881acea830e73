"""What is refused: the error names the argument, and what was added before still counts."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from tests.helpers.optional import requires

BOX = {"bboxes": [[0, 0, 4, 4]], "labels": [0]}
MASK = {"size": [4, 4], "counts": [0, 16]}
LONG = {"size": [5, 4], "counts": [0, 20]}


def images(*masks: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """One image: a detection for each of these masks, and one truth."""
    boxes, labels = np.tile([0, 0, 4, 4], (len(masks), 1)), np.zeros(len(masks), int)
    found = {"bboxes": boxes, "scores": np.ones(len(masks)), "labels": labels, "masks": [*masks]}
    return [found], [{**BOX, "masks": [MASK]}]


# A metric, a batch that it takes, one that it refuses, and what the error says.
BATCHES = {
    "hinge: other classes": (
        lambda: mm.HingeLoss("multiclass", num_classes=3),
        ([[0.5, 0.1, 0.2]], [0]),
        ([[0.5, 0.1]], [0]),
        "predictions must have 3 classes, got 2",
    ),
    "pinball: a table": (
        lambda: mm.PinballLoss(),
        ([0.5], [0.5]),
        ([[0.5, 0.1]], [0.5]),
        r"predictions must have shape \(N,\), got \(1, 2\)",
    ),
    "MASE: a number for a series": (
        lambda: mm.MeanAbsoluteScaledError(),
        ([[1.0, 2.0]], [[1.0, 3.0]], [[1.0, 2.0, 3.0]]),
        ([[1.0, 2.0]], [[[1.0, 3.0]]], [[1.0, 2.0, 3.0]]),
        r"must be series \(T,\)",
    ),
    "clicks: a table": (
        lambda: mm.ClickThroughRate(),
        ([1, 0],),
        ([[1, 0]],),
        r"clicks must have shape \(N,\), got \(1, 2\)",
    ),
    "slices: columns of other lengths": (
        lambda: mm.Sliced(mm.Accuracy(), by=["camera", "city"]),
        ([1], [1], {"camera": ["a"], "city": ["b"]}),
        ([1, 0], [1, 0], {"camera": ["a", "b"], "city": ["a"]}),
        "by must have a value for each sample in every column",
    ),
}


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_is_refused_and_the_others_count(name: str) -> None:
    """The metric says what it would say had the bad batch never come."""
    make, good, bad, message = BATCHES[name]
    metric, alone = make(), make()

    def add(to: Any, batch: tuple[Any, ...]) -> None:
        *inputs, last = batch
        to.add(*inputs, by=last) if isinstance(last, dict) else to.add(*batch)

    for one in (metric, alone):
        add(one, good)
    with pytest.raises((TypeError, ValueError), match=message):
        add(metric, bad)

    assert str(metric.compute()) == str(alone.compute())


@pytest.mark.parametrize(
    ("masks", "error", "message"),
    [
        (7, TypeError, r"\['masks'\] must be a list of RLE dicts, got"),
        ([MASK, MASK], ValueError, "as many 'masks' as 'bboxes', got 2 and 1"),
        ([{"size": [4, 4], "counts": [0, 15]}], ValueError, r"counts that add up to 4 \* 4"),
    ],
)
def test_masks_that_do_not_fit_the_boxes(masks: Any, error: type, message: str) -> None:
    """Masks of instances: a list of run lengths, one for each box, which fill the image."""
    requires("pycocotools")
    metric = mm.COCODetection(metric="segm", classes=["a"])
    found = {"bboxes": [[0, 0, 4, 4]], "scores": [1.0], "labels": [0], "masks": masks}

    with pytest.raises(error, match=message):
        metric.add([found], [{**BOX, "masks": [MASK]}])


def test_masks_of_one_image_have_one_size() -> None:
    """Also where every mask by itself is sound, and between detections and truths."""
    requires("pycocotools")
    metric = mm.COCODetection(metric="segm", classes=["a"])

    with pytest.raises(ValueError, match="must have the same size"):
        metric.add(*images(MASK, LONG))
    with pytest.raises(ValueError, match="the masks of an image must have the same size"):
        metric(*images(LONG))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mm.ConfusionMatrix(3, task="many"), "task must be"),
        (lambda: mm.ConfusionMatrix(3, task="binary"), "num_classes must be 2"),
        (lambda: mm.BestThreshold(beta=0), "beta must be positive and finite, got 0"),
    ],
)
def test_options_are_refused_where_they_are_given(make: Callable[[], Any], message: str) -> None:
    """Not at the first batch, and not at compute."""
    with pytest.raises(ValueError, match=message):
        make()


def test_a_member_that_refuses_is_named() -> None:
    """A collection's `per_sample` says which member the error comes from."""
    both = mm.MetricCollection(
        {"right": mm.Accuracy(), "hinge": mm.HingeLoss("multiclass", num_classes=3)}
    )

    with pytest.raises(ValueError) as caught:
        both.per_sample([[0.5, 0.1]], [0])
    assert "'hinge'" in "".join([str(caught.value), *getattr(caught.value, "__notes__", [])])


def test_evaluation_blocks_are_not_nested() -> None:
    """The inner block would take the samples of the outer one."""
    metric = mm.Accuracy()

    with metric.evaluation() as run:
        with pytest.raises(RuntimeError, match="available after the evaluation block"):
            run.result  # noqa: B018
        with pytest.raises(RuntimeError, match="cannot be nested"), metric.evaluation():
            pass
        metric.add([1], [1])

    assert run.result == {"top1": 1.0}
