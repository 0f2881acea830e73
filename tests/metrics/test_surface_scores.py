"""HausdorffDistance and its relatives against scipy's erosion and distance transforms."""

import math
import sys
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like import AverageSurfaceDistance, HausdorffDistance, NormalizedSurfaceDistance
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.class_maps import CLASSES, maps, masks, masks_of, of_sizes


def distances(prediction: Any, truth: Any, spacing: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Both directed distances of two masks; None if one is empty."""
    ndimage = requires("scipy.ndimage")
    if not prediction.any() or not truth.any():
        return None
    edges = [mask & ~ndimage.binary_erosion(mask) for mask in (prediction, truth)]
    away = [ndimage.distance_transform_edt(~edge, sampling=spacing) for edge in edges]
    return away[1][edges[0]], away[0][edges[1]]


def oracle(
    predictions: Any, truths: Any, key: str, value: Any, missing: float, spacing: Any = None
) -> dict[str, float]:
    """The mean over images of the mean over classes but the first."""
    images = []
    for prediction, truth in zip(predictions, truths, strict=True):
        classes = []
        for p, t in [*zip(masks_of(prediction), masks_of(truth), strict=True)][1:]:
            found = distances(p, t, spacing)
            if found is not None:
                classes.append(value(*found))
            elif p.any() or t.any():
                classes.append(missing)
        known = [one for one in classes if not math.isnan(one)]
        images += [sum(known) / len(known)] if known else []
    return {key: sum(images) / len(images) if images else math.nan}


def farthest(there: Any, back: Any, percentile: float = 100) -> float:
    """The larger percentile."""
    return max(np.percentile(side, percentile) for side in (there, back))


def average(there: Any, back: Any) -> float:
    """Over all points."""
    return np.concatenate([there, back]).mean()


def near(there: Any, back: Any) -> float:
    """The share within one."""
    return (np.concatenate([there, back]) <= 1.2).mean()


make = partial(partial, num_classes=CLASSES)
CASES = {
    "HausdorffDistance": MetricCase(
        make(HausdorffDistance, missing=9.0), maps,
        partial(oracle, key="hausdorff", value=farthest, missing=9.0), most=12,
    ),
    "AverageSurfaceDistance": MetricCase(
        make(AverageSurfaceDistance, missing=math.nan), maps,
        partial(oracle, key="assd", value=average, missing=math.nan), most=12,
    ),
    "NormalizedSurfaceDistance": MetricCase(
        make(NormalizedSurfaceDistance, tolerance=1.2, spacing=(1, 1.1)), maps,
        partial(oracle, key="nsd", value=near, missing=0.0, spacing=(1, 1.1)), most=12,
    ),
}  # fmt: skip
VARIANTS = {
    "percentile, masks": MetricCase(
        make(HausdorffDistance, percentile=95, spacing=(0.7, 2)), masks,
        partial(
            oracle, key="hausdorff_95", value=partial(farthest, percentile=95), missing=math.inf,
            spacing=(0.7, 2),
        ), most=12,
    ),
    "directed, sizes": MetricCase(
        make(AverageSurfaceDistance, symmetric=False, missing=math.nan), of_sizes,
        partial(oracle, key="asd", value=lambda there, back: there.mean(), missing=math.nan),
        most=12,
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*is undefined for:RuntimeWarning")
@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals what distance transforms say, and keeps every law."""
    requires("scipy")
    check_metric((CASES | VARIANTS)[name], examples=examples(2))


@pytest.mark.parametrize(
    ("distance", "metric"), [("taxicab", "taxicab"), ("chessboard", "chessboard")]
)
def test_other_distances(distance: str, metric: str) -> None:
    """Along the axes, and the longest of these, as scipy's transforms have them."""
    ndimage = requires("scipy.ndimage")
    predictions, truths = (np.array([side[0]]) for side in maps(np.random.default_rng(4), 1))
    predictions[0, 0, 0] = truths[0, -1, -1] = 1
    edges = [(m[0] == 1) & ~ndimage.binary_erosion(m[0] == 1) for m in (predictions, truths)]
    away = [ndimage.distance_transform_cdt(~edge, metric=metric) for edge in edges]

    value = HausdorffDistance(CLASSES, average=None, distance=distance)(predictions, truths)

    assert value["hausdorff_classwise"][1] == max(away[1][edges[0]].max(), away[0][edges[1]].max())


def test_volumes_and_directions() -> None:
    """Three axes; only the prediction's distances; a tolerance for every class."""
    requires("scipy")
    prediction, truth = np.zeros((2, 1, 3, 4, 9), int)
    prediction[0, 1, 1, 1] = truth[0, 1, 1, 1] = truth[0, 1, 1, 6] = 1
    options: dict[str, Any] = {"spatial_ndim": 3, "spacing": (1, 1, 2)}

    assert HausdorffDistance(2, **options)(prediction, truth) == {"hausdorff": 10.0}
    assert HausdorffDistance(2, directed=True, **options)(prediction, truth) == {"hausdorff": 0.0}
    for tolerance, share in ((9.9, 2 / 3), (10, 1.0)):
        metric = NormalizedSurfaceDistance(2, tolerance=[0, tolerance], **options)
        assert metric(prediction, truth) == {"nsd": share}


def test_ignored_pixels_are_in_no_mask() -> None:
    """Whatever is predicted there."""
    requires("scipy")
    truth = np.array([[[1, 1, 255, 255, 255]]])
    prediction = np.array([[[1, 1, 0, 1, 7]]])

    assert HausdorffDistance(2, ignore_index=255)(prediction, truth) == {"hausdorff": 0.0}


def test_every_percentile_has_a_key() -> None:
    """Also one that six digits do not tell from 100."""
    requires("scipy")
    keys = [
        *(HausdorffDistance(2, percentile=p).key for p in (100, 95, 95.5, 99.99999999)),
    ]

    assert keys == ["hausdorff", "hausdorff_95", "hausdorff_95.5", "hausdorff_99.99999999"]


@given(st.integers(0, 30), st.integers(1, 9), st.sampled_from([0.1, 0.7, 0.35, 0.9]))
def test_a_distance_does_not_depend_on_the_place(place: int, steps: int, length: float) -> None:
    """Three steps of 0.1 are within 0.3, wherever they are, and two of 0.7 within 1.4."""
    requires("scipy")
    truth, prediction = np.zeros((2, 1, 1, 40), int)
    truth[..., place] = prediction[..., place + steps] = 1
    within, spacing = round(steps * length, 12), (1.0, length)
    near = NormalizedSurfaceDistance(2, tolerance=within, spacing=spacing)(prediction, truth)
    assert near == {"nsd": 1.0}
    below = within - 1e-9
    far = NormalizedSurfaceDistance(2, tolerance=below, spacing=spacing)(prediction, truth)
    assert far == {"nsd": 0.0}
    for distance in ("euclidean", "taxicab", "chessboard"):
        metric = HausdorffDistance(2, spacing=spacing, distance=distance)
        assert metric(prediction, truth) == {"hausdorff": steps * length}


def test_bad_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lengths, percentiles and tolerances out of range; what to install."""
    requires("scipy")
    for make, text in (
        (lambda: HausdorffDistance(2, spacing=(1, 0)), "spacing must be 2 positive numbers"),
        (lambda: HausdorffDistance(2, percentile=0), "percentile"),
        (lambda: HausdorffDistance(2, distance="manhattan"), "distance"),
        (lambda: NormalizedSurfaceDistance(2, tolerance=[1, 2, 3]), "tolerance"),
        (lambda: NormalizedSurfaceDistance(2, tolerance=-1), "tolerance"),
    ):
        with pytest.raises(ValueError, match=text):
            make()
    monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    with pytest.raises(ImportError, match="mmeval-like\\[image\\]"):
        HausdorffDistance(2)
