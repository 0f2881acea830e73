"""DiceScore, GeneralizedDiceScore, VolumetricSimilarity and MeanIoU of single images, by sets."""

import math
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest

from mmeval_like import DiceScore, GeneralizedDiceScore, MeanIoU, VolumetricSimilarity
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.class_maps import CLASSES, maps, masks, masks_of, of_sizes, with_ignored


def sizes(predictions: Any, truths: Any) -> list[list[tuple[int, int, int]]]:
    """The pixels in both, in the prediction and in the truth, of every class of every image."""
    found = []
    for prediction, truth in zip(predictions, truths, strict=True):
        where = [truth != 255] * 2 if truth.ndim == 2 else [np.ones(truth.shape[1:], bool)] * 2
        sides = [
            [{*np.flatnonzero(mask & kept)} for mask in masks_of(side)]
            for side, kept in zip((prediction, truth), where, strict=True)
        ]
        found.append([(len(p & t), len(p), len(t)) for p, t in zip(*sides, strict=True)])
    return found


def mean(values: list[float]) -> float:
    """The mean of what is not nan."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def dice_of(counts: list[tuple[int, int, int]], average: str = "macro") -> float:
    """Of classes together."""
    if average == "micro":
        counts = [tuple(map(sum, zip(*counts, strict=True)))]  # type: ignore[arg-type]
    known = [(2 * b / (p + t), t) for b, p, t in counts if p + t]
    if average == "weighted":
        total = sum(t for _, t in known)
        return sum(d * t for d, t in known) / total if total else math.nan
    return mean([d for d, _ in known])


def dice(predictions: Any, truths: Any, average: str = "macro", first: int = 0) -> dict[str, float]:
    """The mean of the images' values."""
    return {"dice": mean([dice_of(c[first:], average) for c in sizes(predictions, truths)])}


def classwise(predictions: Any, truths: Any) -> dict[str, list[float]]:
    """The mean of the images' values, class by class."""
    columns = zip(*sizes(predictions, truths), strict=True)
    return {"dice_classwise": [mean([dice_of([c]) for c in column]) for column in columns]}


def pooled(predictions: Any, truths: Any, average: str | None = "macro") -> dict[str, Any]:
    """Of the pixels of all images together."""
    columns = zip(*sizes(predictions, truths), strict=True)
    totals = [tuple(map(sum, zip(*column, strict=True))) for column in columns]
    if average is None:
        return {"dice_classwise": [dice_of([total]) for total in totals]}  # type: ignore[list-item]
    return {"dice": dice_of(totals, average)}  # type: ignore[arg-type]


def generalized(predictions: Any, truths: Any, power: int = 2) -> dict[str, float]:
    """With every class's weight written out."""
    values = []
    for counts in sizes(predictions, truths):
        weights = [1 / t**power for _, _, t in counts if t]
        each = [1 / t**power if t else max(weights, default=1.0) for _, _, t in counts]
        both = sum(w * b for w, (b, _, _) in zip(each, counts, strict=True))
        total = sum(w * (p + t) for w, (_, p, t) in zip(each, counts, strict=True))
        values.append(2 * both / total if total else math.nan)
    return {"generalized_dice": mean(values)}


def similarity(predictions: Any, truths: Any) -> dict[str, float]:
    """1 - |t - p| / (t + p)."""
    return {
        "volumetric_similarity": mean(
            [
                mean([1 - abs(t - p) / (t + p) for _, p, t in counts if t + p])
                for counts in sizes(predictions, truths)
            ]
        )
    }


def each_iou(predictions: Any, truths: Any, first: int = 0) -> dict[str, Any]:
    """MeanIoU, image by image."""
    metric = MeanIoU(CLASSES, ignore_index=255)
    values = [
        metric(p[None], t[None]) | {"mIoU": mean([b / (x + y - b) for b, x, y in c if x + y])}
        for p, t, c in zip(predictions, truths, sizes(predictions, truths), strict=True)
    ]
    return {key: mean([value[key] for value in values]) for key in values[0]}


make = partial(partial, num_classes=CLASSES)
CASES = {
    "DiceScore": MetricCase(make(DiceScore), maps, dice),
    "GeneralizedDiceScore": MetricCase(make(GeneralizedDiceScore), maps, generalized),
    "VolumetricSimilarity": MetricCase(make(VolumetricSimilarity), maps, similarity),
    "MeanIoU, per image": MetricCase(make(MeanIoU, per_image=True), with_ignored, each_iou),
}
VARIANTS = {
    "sizes": MetricCase(make(DiceScore), of_sizes, dice),
    "masks, without background": MetricCase(
        make(DiceScore, include_background=False), masks, partial(dice, first=1)
    ),
    "ignored": MetricCase(make(DiceScore, ignore_index=255), with_ignored, dice),
    "micro": MetricCase(make(DiceScore, average="micro"), maps, partial(dice, average="micro")),
    "weighted": MetricCase(
        make(DiceScore, average="weighted"), masks, partial(dice, average="weighted")
    ),
    "classwise": MetricCase(
        make(DiceScore, average=None), maps, classwise,
        empty={"dice_classwise": [math.nan] * CLASSES},
    ),
    "global": MetricCase(make(DiceScore, aggregation="global"), maps, pooled),
    "global, classwise": MetricCase(
        make(DiceScore, aggregation="global", average=None), maps, partial(pooled, average=None),
        empty={"dice_classwise": [math.nan] * CLASSES},
    ),
    "simple": MetricCase(
        make(GeneralizedDiceScore, weight_type="simple"), masks, partial(generalized, power=1)
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*is undefined for:RuntimeWarning")
@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals what sets of pixels say, and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(2))


def test_a_class_that_does_not_count() -> None:
    """Background and the ignored class leave means and are nan in lists."""
    prediction, truth = [[[0, 1, 2, 2]]], [[[0, 1, 1, 2]]]
    metric = DiceScore(3, average=None, include_background=False, ignore_index=2)

    value = metric(prediction, truth)["dice_classwise"]

    assert str(value) == str([math.nan, 2 / 3, math.nan])


def test_an_image_without_pixels_is_left_out_and_told_of() -> None:
    """The mean is over the others; a list of classes says nothing of it."""
    nothing, something = np.zeros((1, 2, 2), int), np.ones((1, 2, 2), int)
    metric = DiceScore(2, include_background=False)
    metric.add(nothing, nothing)
    metric.add(something, something)
    with pytest.warns(RuntimeWarning, match="undefined for 1 of 2 samples"):
        assert metric.compute() == {"dice": 1.0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = DiceScore(2, average=None)(nothing, nothing)["dice_classwise"]
    assert str(found) == "[1.0, nan]"


def test_false_alarms_cost() -> None:
    """A class that is only predicted weighs as much as the smallest class that is there."""
    metric = GeneralizedDiceScore(3)

    # Classes 0 and 1 have 2 and 1 pixels, 1/4 and 1; class 2 weighs 1 as well.
    value = metric([[[0, 0, 2, 1]]], [[[0, 0, 0, 1]]])["generalized_dice"]

    assert value == pytest.approx(2 * (2 / 9 + 1) / (5 / 9 + 2 + 1))


def test_volumes() -> None:
    """Three axes are one volume, four are its masks."""
    rng = np.random.default_rng(0)
    predictions, truths = maps(rng, 3, (5, 3, 4))
    stacked = [
        np.stack([side == c for c in range(CLASSES)], axis=1) for side in (predictions, truths)
    ]

    metric = DiceScore(CLASSES, spatial_ndim=3)

    assert metric(predictions, truths) == metric(*stacked)
    with pytest.raises(ValueError, match="maps of 2 axes, or masks of 4 classes"):
        DiceScore(CLASSES).add(predictions, truths)


def test_background_of_mean_iou() -> None:
    """Class 0 leaves the means over classes, not the accuracy of pixels."""
    prediction, truth = np.array([[[0, 1, 1, 1]]]), np.array([[[0, 0, 1, 1]]])
    value = MeanIoU(2, include_background=False)(prediction, truth)
    assert value["mIoU"] == pytest.approx(2 / 3)
    assert value["aAcc"] == 0.75
    both = MeanIoU(2, per_image=True, classwise_results=True)(prediction, truth)
    assert both["classwise_results"]["IoU"].tolist() == [0.5, 2 / 3]


def test_a_batch_without_images() -> None:
    """It adds nothing, also where pixels are counted."""
    for options in ({}, {"aggregation": "global"}, {"aggregation": "global", "average": None}):
        metric = DiceScore(2, **options)
        metric.add([], [])
        metric.add([[[1, 0]]], [[[1, 1]]])
        assert metric.compute() == DiceScore(2, **options)([[[1, 0]]], [[[1, 1]]])


def test_bad_inputs() -> None:
    """Shapes that differ, masks of other numbers, options that cannot be meant."""
    metric = DiceScore(3)
    for batch, text in (
        (([[[0]]], [[[0, 1]]]), "must have the same shape"),
        (([[[0]]], [[[0]], [[0]]]), "same length"),
        (([[[3]]], [[[0]]]), r"predictions must be in \[0, 3\)"),
        (([[[0]]], [[[3]]]), r"groundtruths must be in \[0, 3\)"),
        ((np.full((1, 3, 2, 2), 2), np.ones((1, 3, 2, 2), int)), r"masks in predictions"),
        ((np.ones((1, 2, 2, 2), int),) * 2, "masks of 3 classes"),
    ):
        with pytest.raises(ValueError, match=text):
            metric.add(*batch)
    with pytest.raises(TypeError, match="no sample_weight"):
        DiceScore(2, aggregation="global").add([[[0]]], [[[0]]], sample_weight=[1])
    for options, text in (
        ({"aggregation": "all"}, "aggregation"),
        ({"average": "samples"}, "average"),
        ({"num_classes": 1, "include_background": False}, "leave a class that counts"),
    ):
        with pytest.raises(ValueError, match=text):
            DiceScore(**{"num_classes": 3, **options})
