"""BoundaryIoU against scipy's chessboard distances, and ReferringSegmentation by sets."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from mmeval_like import BoundaryIoU, ReferringSegmentation
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.class_maps import CLASSES, maps, masks, masks_of


def bands(predictions: Any, truths: Any, ratio: float = 0.02, first: int = 1) -> dict[str, float]:
    """Pixels that are at most so far from one outside, image by image; from a class on."""
    ndimage = requires("scipy.ndimage")
    images = []
    for prediction, truth in zip(predictions, truths, strict=True):
        width, values = max(1, round(ratio * math.hypot(*truth.shape[-2:]))), []
        for pair in [*zip(masks_of(prediction), masks_of(truth), strict=True)][first:]:
            far = [ndimage.distance_transform_cdt(np.pad(m, 1), "chessboard") for m in pair]
            found, goal = ((d > 0) & (d <= width) for d in far)
            if (found | goal).any():
                values.append((found & goal).sum() / (found | goal).sum())
        images += [sum(values) / len(values)] if values else []
    return {"boundary_iou": sum(images) / len(images) if images else math.nan}


def single(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """One mask each, some empty."""
    return tuple((side > 1).astype(np.uint8) for side in maps(rng, n))


def referring(predictions: Any, truths: Any) -> dict[str, float]:
    """By sets of pixels."""
    sides = [[{*np.flatnonzero(mask)} for mask in side] for side in (predictions, truths)]
    pairs = [(len(p & t), len(p | t)) for p, t in zip(*sides, strict=True)]
    ious = [both / either if either else 1.0 for both, either in pairs]
    total = sum(either for _, either in pairs)
    values = {"ciou": sum(both for both, _ in pairs) / total if total else math.nan}
    values["mean_iou"] = sum(ious) / len(ious)
    return values | {
        f"precision@{t}": sum(i > t for i in ious) / len(ious) for t in (0.5, 0.7, 0.9)
    }


CASES = {
    "BoundaryIoU": MetricCase(partial(BoundaryIoU, num_classes=CLASSES), maps, bands),
    "ReferringSegmentation": MetricCase(ReferringSegmentation, single, referring),
}
VARIANTS = {
    "wide": MetricCase(
        partial(BoundaryIoU, num_classes=CLASSES, dilation_ratio=0.22), masks,
        partial(bands, ratio=0.22),
    ),
    "background": MetricCase(
        partial(BoundaryIoU, num_classes=CLASSES, include_background=True), maps,
        partial(bands, first=0),
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*is undefined for:RuntimeWarning")
@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals what distances and sets say, and keeps every law."""
    requires("scipy")
    check_metric((CASES | VARIANTS)[name], examples=examples(2))


def test_ignored_pixels_are_in_no_mask() -> None:
    """Whatever is predicted there."""
    truth, prediction = np.array([[[1, 1, 9, 9]]]), np.array([[[1, 1, 1, 7]]])

    assert BoundaryIoU(2, ignore_index=9)(prediction, truth) == {"boundary_iou": 1.0}


def test_every_threshold_has_a_key() -> None:
    """Also those that differ behind the sixth digit."""
    thresholds = [0.5, 1 / 3, 0.333333]
    keys = ReferringSegmentation(thresholds)([[[1]]], [[[1]]])
    assert [key for key in keys if "@" in key] == [f"precision@{t}" for t in thresholds]


def test_bad_inputs() -> None:
    """Numbers that are no mask, shapes, options."""
    metric = ReferringSegmentation()
    with pytest.raises(ValueError, match=r"masks in predictions must be in \[0, 2\)"):
        metric.add([[[2]]], [[[1]]])
    with pytest.raises(ValueError, match="same shape"):
        metric.add([[[1]]], [[[1, 0]]])
    for thresholds in ([], [0.5, 0.5], [1.5]):
        with pytest.raises(ValueError, match="thresholds"):
            ReferringSegmentation(thresholds)
    with pytest.raises(ValueError, match="dilation_ratio"):
        BoundaryIoU(2, dilation_ratio=0)
