"""Metrics of pairs of images against their formulas in plain numpy and scipy."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like import (
    ERGAS,
    DeepImageStructureAndTextureSimilarity,
    LearnedPerceptualImagePatchSimilarity,
    MultiScaleStructuralSimilarity,
    SpatialCorrelationCoefficient,
    SpectralAngleMapper,
    StructuralSimilarity,
    TotalVariation,
    UniversalImageQualityIndex,
    VisualInformationFidelity,
)
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.pictures import images

windows = np.lib.stride_tricks.sliding_window_view


def channels(function: Callable[..., float], predictions: Any, groundtruths: Any) -> float:
    """The mean over images of the mean over channels of a function of planes (H, W)."""
    pairs = zip(np.float64(predictions), np.float64(groundtruths), strict=True)
    return float(np.mean([np.mean([*map(function, p, y)]) for p, y in pairs]))


def of_channels(key: str, function: Callable[..., float]) -> Callable[..., dict[str, float]]:
    """An oracle."""
    return lambda predictions, groundtruths: {key: channels(function, predictions, groundtruths)}


def multi_scale(x: Any, y: Any, betas: tuple[float, ...] = (0.5, 0.5)) -> float:
    """MS-SSIM of two planes, with scipy's filter."""
    blur = requires("scipy.ndimage").gaussian_filter
    blurred = partial(blur, sigma=1.5, truncate=5 / 1.5)
    score = 1.0
    for place, beta in enumerate(betas):
        mx, my = blurred(x), blurred(y)
        xx, yy, xy = (
            blurred(a * b) - c * d
            for a, b, c, d in ((x, x, mx, mx), (y, y, my, my), (x, y, mx, my))
        )
        factor = (2 * xy + 58.5225) / (xx + yy + 58.5225)
        if place == len(betas) - 1:
            factor *= (2 * mx * my + 6.5025) / (mx**2 + my**2 + 6.5025)
        score *= max(factor[5:-5, 5:-5].mean(), 0.0) ** beta
        height, width = (size // 2 * 2 for size in x.shape)
        x, y = (
            a[:height, :width].reshape(height // 2, 2, width // 2, 2).mean((1, 3)) for a in (x, y)
        )
    return score


def universal(x: Any, y: Any) -> float:
    """The index of two planes, window by window."""
    found = []
    for a, b in zip(
        windows(x, (8, 8)).reshape(-1, 64), windows(y, (8, 8)).reshape(-1, 64), strict=True
    ):
        covariance = np.cov(a, b)
        means = a.mean() * b.mean(), a.mean() ** 2 + b.mean() ** 2
        found.append(
            4 * covariance[0, 1] * means[0] / ((covariance[0, 0] + covariance[1, 1]) * means[1])
        )
    return float(np.mean(found))


def correlated(x: Any, y: Any) -> float:
    """The correlation of the edges of two planes, window by window."""
    correlate = requires("scipy.ndimage").correlate
    kernel = np.full((3, 3), -1.0)
    kernel[1, 1] = 8
    padded = [np.pad(correlate(a, kernel), (4, 3)) for a in (x, y)]
    edges = [windows(a, (8, 8)).reshape(-1, 64) for a in padded]
    return float(np.mean([np.corrcoef(a, b)[0, 1] for a, b in zip(*edges, strict=True)]))


def fidelity(y: Any, x: Any) -> float:
    """VIF of a plane y of the ground truth x, with scipy's filter."""
    correlate = requires("scipy.ndimage").correlate
    left = whole = 0.0
    for scale, side in enumerate((17, 9, 5, 3)):
        offsets = np.arange(side) - side // 2
        window = np.exp(-(offsets**2) / (2 * (side / 5) ** 2))
        window = np.outer(window, window) / window.sum() ** 2
        middle = slice(side // 2, -(side // 2))

        def blurred(plane: Any, w: Any = window, m: slice = middle) -> Any:
            return correlate(plane, w)[m, m]

        if scale:
            x, y = blurred(x)[::2, ::2], blurred(y)[::2, ::2]
        mx, my = blurred(x), blurred(y)
        xx, yy, xy = blurred(x * x) - mx * mx, blurred(y * y) - my * my, blurred(x * y) - mx * my
        gain = np.maximum(xy / xx, 0)
        noise = np.where(gain > 0, yy - gain * xy, yy)
        left += np.log10(1 + gain**2 * xx / (noise + 2)).sum()
        whole += np.log10(1 + xx / 2).sum()
    return float(left / whole)


def angles(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """Of every pixel, by the angle of the half of the chord."""
    found = []
    for p, y in zip(np.float64(predictions), np.float64(groundtruths), strict=True):
        p, y = (a / np.linalg.norm(a, axis=0) for a in (p, y))
        found.append(
            np.mean(2 * np.arctan2(np.linalg.norm(p - y, axis=0), np.linalg.norm(p + y, axis=0)))
        )
    return {"sam": float(np.mean(found))}


def relative(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """The relative global error."""
    found = []
    for p, y in zip(np.float64(predictions), np.float64(groundtruths), strict=True):
        shares = np.sqrt(((p - y) ** 2).mean((1, 2))) / y.mean((1, 2))
        found.append(25 * np.sqrt((shares**2).mean()))
    return {"ergas": float(np.mean(found))}


def variation(predictions: Any) -> dict[str, float]:
    """The sum of both directions' steps."""
    images = np.float64(predictions)
    steps = [np.abs(np.diff(images, axis=axis)).sum() for axis in (-1, -2)]
    return {"total_variation": float(sum(steps)) / len(images)}


def distances(rng: np.random.Generator, n: int) -> tuple[Any]:
    """What networks return."""
    return (rng.random(n, np.float32),)


def lit(*shape: int) -> Callable[..., tuple[Any, Any]]:
    """Images without black pixels."""

    def make(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
        return tuple(np.maximum(a, 1) for a in images(*shape)(rng, n))  # type: ignore[return-value]

    return make


CASES = {
    "MultiScaleStructuralSimilarity": MetricCase(
        partial(MultiScaleStructuralSimilarity, (0.5, 0.5)),
        images(2, 23, 22),
        of_channels("ms_ssim", multi_scale),
        1e-9,
        most=2,
    ),
    "UniversalImageQualityIndex": MetricCase(
        UniversalImageQualityIndex, images(2, 10, 9), of_channels("uqi", universal), 1e-9, most=5
    ),
    "SpatialCorrelationCoefficient": MetricCase(
        SpatialCorrelationCoefficient,
        images(2, 10, 9),
        of_channels("scc", correlated),
        1e-9,
        most=5,
    ),
    "VisualInformationFidelity": MetricCase(
        VisualInformationFidelity, images(1, 41, 43), of_channels("vif", fidelity), 1e-8, most=3
    ),
    "SpectralAngleMapper": MetricCase(SpectralAngleMapper, lit(3, 4, 5), angles, 1e-8, most=8),
    "ERGAS": MetricCase(ERGAS, lit(3, 4, 5), relative, most=8),
    "TotalVariation": MetricCase(
        TotalVariation, lambda rng, n: images(3, 4, 5)(rng, n)[:1], variation, most=8
    ),
    "LearnedPerceptualImagePatchSimilarity": MetricCase(
        LearnedPerceptualImagePatchSimilarity,
        distances,
        lambda d: {"lpips": np.mean(np.float64(d))},
    ),
    "DeepImageStructureAndTextureSimilarity": MetricCase(
        DeepImageStructureAndTextureSimilarity,
        distances,
        lambda d: {"dists": np.mean(np.float64(d))},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals its oracle and keeps every law."""
    check_metric(CASES[name], examples=examples(1))


def test_five_scales() -> None:
    """With the betas of the paper, on images of the least size; the last scale alone is SSIM."""
    p, y = images(1, 176, 180)(np.random.default_rng(0), 1)
    betas = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)

    expected = multi_scale(np.float64(p[0, 0]), np.float64(y[0, 0]), betas)
    assert MultiScaleStructuralSimilarity()(p, y)["ms_ssim"] == pytest.approx(expected, rel=1e-9)
    alone = MultiScaleStructuralSimilarity([1.0])(p, y)["ms_ssim"]
    assert alone == pytest.approx(StructuralSimilarity()(p, y)["ssim"], rel=1e-12)


@pytest.mark.parametrize(
    ("make", "value"),
    [
        (partial(MultiScaleStructuralSimilarity, (0.5, 0.5)), 1.0),
        (UniversalImageQualityIndex, 1.0),
        (SpatialCorrelationCoefficient, 1.0),
        (VisualInformationFidelity, 1.0),
        (SpectralAngleMapper, 0.0),
        (ERGAS, 0.0),
    ],
)
def test_an_image_and_itself(make: Callable[..., Any], value: float) -> None:
    """They are as alike as can be, in [0, 1] as in [0, 255]."""
    image = np.random.default_rng(0).integers(1, 256, (1, 3, 48, 48))
    for data_range, scale in ((255, 1), (1.0, 255)):
        [found] = make(data_range=data_range)(image / scale, image / scale).values()
        assert found == pytest.approx(value, abs=1e-7)


def test_the_range_of_images_is_known_to_vif() -> None:
    """Images in [0, 1] have the value that they have in [0, 255]."""
    p, y = images(1, 48, 48)(np.random.default_rng(0), 1)
    unit = VisualInformationFidelity(data_range=1.0)(p / 255, y / 255)["vif"]
    assert unit == pytest.approx(VisualInformationFidelity()(p, y)["vif"], rel=1e-9)


def test_flat_windows() -> None:
    """Of flat windows the index compares brightness, also where pixels are no binary fractions."""
    black, dark, light = (np.full((1, 8, 8), grey) for grey in (0.0, 0.1, 0.3))
    metric = UniversalImageQualityIndex()

    assert metric(black, black) == {"uqi": 1.0}
    assert metric(dark, light)["uqi"] == pytest.approx(0.6, rel=1e-12)
    edge = dark + np.arange(8)
    assert metric(dark, edge) == {"uqi": 0.0}
    assert SpatialCorrelationCoefficient()(dark, edge) == {"scc": 0.0}


@given(st.floats(-140, 0), st.floats(-100, 55), st.integers(1, 9))
def test_angles_of_any_size(size: float, brightness: float, times: int) -> None:
    """Small ones keep their digits, and equal colours have none, however dark."""
    scale = 10.0**brightness
    y = np.array([[[[scale]], [[0.0]]]])
    p = np.array([[[[scale]], [[scale * 10.0**size]]]])
    expected = math.atan(p[0, 1, 0, 0] / scale)
    assert SpectralAngleMapper()(p, y)["sam"] == pytest.approx(expected, rel=1e-12, abs=0)
    colours = np.random.default_rng(times).random((1, 3, 4, 4)) * scale
    assert SpectralAngleMapper()(colours, colours) == {"sam": 0.0}
    assert SpectralAngleMapper()(times * colours, colours)["sam"] < 1e-15


@pytest.mark.parametrize("unit", [1 / 255, 0.1, 1e-30, 1e30])
def test_a_slope_has_no_edges_in_any_unit(unit: float) -> None:
    """Rounding makes none, which would be correlated by chance."""
    slope = np.add.outer(np.arange(30), 2 * np.arange(30))
    whole = SpatialCorrelationCoefficient()([slope * 3], [slope])["scc"]
    found = SpatialCorrelationCoefficient()([slope * unit * 3], [slope * unit])["scc"]
    assert found == pytest.approx(whole, abs=1e-12)


def test_a_network_of_ones_own() -> None:
    """It is given the batches as they are, and may return N numbers in any shape."""

    def distance(predictions: Any, groundtruths: Any) -> Any:
        return np.abs(predictions - groundtruths).mean(axis=(1, 2, 3), keepdims=True)

    p, y = images(3, 4, 4, dtype=np.float32)(np.random.default_rng(0), 5)
    metric = LearnedPerceptualImagePatchSimilarity(distance)
    metric.add(p, y)
    assert metric.compute()["lpips"] == pytest.approx(np.abs(p - y).mean(), rel=1e-6)
