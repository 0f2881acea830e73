"""ConnectivityError against scikit-image's regions and a loop over pixels."""

import math
import sys
from typing import Any

import numpy as np
import pytest

from mmeval_like import ConnectivityError
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.mattes import check_refusals, mattes


def source_regions(p: np.ndarray, t: np.ndarray, thresholds: list[float]) -> list[np.ndarray]:
    """The largest region of both alphas at every threshold, the first of several."""
    measure = requires("skimage.measure")
    regions = []
    for threshold in thresholds:
        labels = measure.label((p >= threshold) & (t >= threshold), connectivity=1)
        found = sorted(measure.regionprops(labels), key=lambda region: -region.area)
        regions.append(labels == found[0].label if found else np.zeros(p.shape, bool))
    return regions


def oracle(predictions: Any, groundtruths: Any, trimaps: Any, steps: int = 10) -> dict[str, float]:
    """Pixel by pixel: the threshold up to which it is connected, and the two degrees."""
    thresholds = [i / steps for i in range(steps + 1)]
    total = 0.0
    for p, t, m in zip(predictions, groundtruths, trimaps, strict=True):
        regions = source_regions(p, t, thresholds[1:])
        for place in zip(*np.nonzero(m == 128), strict=True):
            connected = 0
            while connected < steps and regions[connected][place]:
                connected += 1
            gaps = [alpha[place] - thresholds[connected] for alpha in (p, t)]
            degrees = [1 - gap if gap >= 0.15 else 1.0 for gap in gaps]
            total += abs(degrees[0] - degrees[1])
    return {"connectivity_error": total / len(predictions) / 1000}


def coarse(**options: Any) -> ConnectivityError:
    """The metric with four steps."""
    return ConnectivityError(0.25, **options)


def coarse_oracle(*arguments: Any) -> dict[str, float]:
    """What it should give."""
    return oracle(*arguments, steps=4)


CASES = {
    "ConnectivityError": MetricCase(
        ConnectivityError, mattes, oracle, empty={"connectivity_error": math.nan}, most=8
    ),
}
VARIANTS = {"ConnectivityError, coarse": MetricCase(coarse, mattes, coarse_oracle, most=8)}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals the loop over pixels and keeps every law."""
    requires("scipy")
    check_metric((CASES | VARIANTS)[name], examples=examples(3))


def test_thresholds_are_decimal() -> None:
    """An alpha of 0.3 reaches the threshold 0.3, though 3 * 0.1 is a little more in binary."""
    requires("scipy")
    metric = ConnectivityError(norm_const=1)
    truth, trimap = np.array([[[1.0, 0.3]]]), np.array([[[255, 128]]])

    # Both are connected up to 0.3, so that the prediction's gap is below the tolerance.
    assert metric(np.array([[[1.0, 0.44]]]), truth, trimap) == {"connectivity_error": 0.0}


def test_diagonal_neighbours_are_not_connected() -> None:
    """Pixels that touch at a corner only belong to different regions; the first largest wins."""
    requires("scipy")
    metric = ConnectivityError(norm_const=1)
    truth = np.array([[[1.0, 0.0], [0.0, 1.0]]])
    prediction = np.array([[[1.0, 0.0], [0.0, 0.5]]])

    assert metric(prediction, truth, np.full((1, 2, 2), 128)) == {"connectivity_error": 0.5}


def test_bad_inputs() -> None:
    """What is no matte in [0, 1] with a trimap is refused, as are options out of range."""
    requires("scipy")
    check_refusals(ConnectivityError())
    eight_bit, trimap = np.full((1, 2, 2), 255, np.uint8), np.full((1, 2, 2), 128)
    with pytest.raises(ValueError, match="divide 8-bit alphas by 255"):
        ConnectivityError().add(eight_bit, eight_bit, trimap)
    for options in ({"step": 0}, {"step": 1.5}, {"norm_const": 0}):
        with pytest.raises(ValueError, match=next(iter(options))):
            ConnectivityError(**options)


def test_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The constructor says what to install."""
    monkeypatch.setitem(sys.modules, "scipy.ndimage", None)

    with pytest.raises(ImportError, match="mmeval-like\\[image\\]"):
        ConnectivityError()
