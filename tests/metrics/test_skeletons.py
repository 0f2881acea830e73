"""ClDice against shares of scikit-image's skeletons, and what it promises on its own."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from mmeval_like import ClDice
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.class_maps import CLASSES, maps, masks, masks_of


def oracle(predictions: Any, truths: Any, ndim: int = 2, first: int = 1) -> dict[str, float]:
    """The harmonic mean of two shares of pixels, as sets, class by class from the first one on."""
    skeletonize = requires("skimage.morphology").skeletonize
    images = []
    for pair in zip(predictions, truths, strict=True):
        values = []
        for found, truth in [*zip(*(masks_of(side, ndim) for side in pair), strict=True)][first:]:
            p, t = ({*np.flatnonzero(mask)} for mask in (found, truth))
            if not (p and t):
                values += [0.0] if p or t else []
                continue
            lines = [{*np.flatnonzero(skeletonize(mask))} for mask in (found, truth)]
            precision, recall = len(lines[0] & t) / len(lines[0]), len(lines[1] & p) / len(lines[1])
            both = precision + recall
            values.append(2 * precision * recall / both if both else 0.0)
        images += [sum(values) / len(values)] if values else []
    return {"cl_dice": sum(images) / len(images) if images else math.nan}


def volumes(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Maps of three axes."""
    return maps(rng, n, (4, 5, 6))


CASES = {"ClDice": MetricCase(partial(ClDice, num_classes=CLASSES), maps, oracle, most=8)}
VARIANTS = {
    "masks": MetricCase(partial(ClDice, num_classes=CLASSES), masks, oracle, most=6),
    "volumes": MetricCase(
        partial(ClDice, num_classes=CLASSES, spatial_ndim=3), volumes, partial(oracle, ndim=3),
        most=4,
    ),
    "background": MetricCase(
        partial(ClDice, num_classes=CLASSES, include_background=True), maps,
        partial(oracle, first=0), most=4,
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*is undefined for:RuntimeWarning")
@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals what sets of pixels say, and keeps every law."""
    requires("skimage")
    check_metric((CASES | VARIANTS)[name], examples=examples(2))


def test_a_tube_that_breaks() -> None:
    """The same number of pixels is missing: at the border nothing changes, across it breaks."""
    requires("skimage")
    truth = np.zeros((1, 9, 30), int)
    truth[:, 3:6, 2:28] = 1
    thinner, broken = truth.copy(), truth.copy()
    thinner[:, 3, 12:15] = 0
    broken[:, 3:6, 14] = 0
    metric = ClDice(num_classes=2)

    assert (thinner != truth).sum() == (broken != truth).sum()
    assert metric(thinner, truth)["cl_dice"] > metric(broken, truth)["cl_dice"]
    assert metric(truth, truth) == {"cl_dice": 1.0}


def test_a_skeleton_of_ones_own() -> None:
    """Any function of masks; what it returns is checked, and what is no function refused."""
    whole = ClDice(num_classes=2, skeletonize=lambda mask: mask)
    found, truth = [[[1, 1, 0, 0]]], [[[0, 1, 1, 1]]]

    assert whole(found, truth) == {"cl_dice": 2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3)}
    for wrong in (lambda mask: mask[:1, :2], lambda mask: mask.astype(int)):
        with pytest.raises(ValueError, match="skeletonize must return masks"):
            ClDice(num_classes=2, skeletonize=wrong).add(found, truth)
    with pytest.raises(TypeError, match="skeletonize must be a function"):
        ClDice(num_classes=2, skeletonize="lee")  # type: ignore[arg-type]
