"""Images far from 0: a constant changes nothing that the definition does not."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from mmeval_like import (
    MultiScaleStructuralSimilarity,
    NaturalImageQualityEvaluator,
    StructuralSimilarity,
    VisualInformationFidelity,
)
from tests.metrics.test_image_quality import fidelity

RNG = np.random.default_rng(33)
TRUTH = RNG.integers(0, 256, (44, 46)).astype(float)
IMAGE = np.clip(TRUTH + RNG.integers(-40, 41, TRUTH.shape), 0, 255)
STEP = np.where(np.arange(46) < 21, 0.0, 2.0**40)  # of some columns

METRICS = {
    "ssim": StructuralSimilarity,
    "ms_ssim": partial(MultiScaleStructuralSimilarity, betas=(0.4, 0.6)),
    "vif": VisualInformationFidelity,
}


def gaussian(side: int, sigma: float) -> np.ndarray:
    """The weights of a square window."""
    distances = np.arange(side) - side // 2
    weights = np.exp(-(distances**2) / (2 * sigma**2))
    window: np.ndarray = np.outer(weights, weights)
    return window / window.sum()


def moments(x: np.ndarray, y: np.ndarray, window: np.ndarray) -> tuple[np.ndarray, ...]:
    """Means, variances and covariance, every window less its own means; in long doubles."""
    seen = [
        np.lib.stride_tricks.sliding_window_view(image.astype(np.longdouble), window.shape)
        for image in (x, y)
    ]
    firsts = [views[..., :1, :1] for views in seen]
    shifts = [
        ((views - first) * window).sum((2, 3), keepdims=True)
        for views, first in zip(seen, firsts, strict=True)
    ]
    a, b = (views - first - shift for views, first, shift in zip(seen, firsts, shifts, strict=True))
    means = [(first + shift)[..., 0, 0] for first, shift in zip(firsts, shifts, strict=True)]
    return (*means, *((window * product).sum((2, 3)) for product in (a * a, b * b, a * b)))


def similarity(x: np.ndarray, y: np.ndarray, data_range: float) -> tuple[Any, Any]:
    """Luminance, and contrast and structure, as Wang et al. define them."""
    m_x, m_y, xx, yy, xy = moments(x, y, gaussian(11, 1.5))
    c1, c2 = (0.01 * data_range) ** 2, (0.03 * data_range) ** 2
    return (2 * m_x * m_y + c1) / (m_x**2 + m_y**2 + c1), (2 * xy + c2) / (xx + yy + c2)


def ssim(x: np.ndarray, y: np.ndarray, data_range: float) -> float:
    """The mean of the product of both."""
    luminance, structure = similarity(x, y, data_range)
    return float((luminance * structure).mean())


@pytest.mark.parametrize("scale", [1.0, 1 / 256])
@pytest.mark.parametrize("offset", [0.0, 1e4, 1e6, 1e8, 1e12])
def test_ssim_is_its_definition(offset: float, scale: float) -> None:
    """Item 11: SSIM is that of centred windows, at any offset and range; it was -122.6."""
    x, y = (IMAGE + offset) * scale, (TRUTH + offset) * scale
    found = StructuralSimilarity(data_range=255 * scale)([x], [y])["ssim"]
    assert found == pytest.approx(ssim(x, y, 255 * scale), rel=1e-9)


@pytest.mark.parametrize("offset", [2.0**20, -(2.0**30), 2.0**44])
@pytest.mark.parametrize("name", METRICS)
def test_a_constant(name: str, offset: float) -> None:
    """Item 11: a constant in both images leaves contrast and structure, and so VIF, as they are.

    At the least offset the luminance of SSIM and MS-SSIM is 1, to the digits that are compared.
    """
    make = METRICS[name]
    [found] = make()([IMAGE + offset], [TRUTH + offset]).values()
    if name == "vif":
        assert found == make()([IMAGE], [TRUTH])[name]
    else:
        [other] = make()([IMAGE - 2.0**35], [TRUTH - 2.0**35]).values()
        assert found == pytest.approx(other, rel=1e-8)


@pytest.mark.parametrize("offset", [1e6, 1e10])
def test_a_constant_in_one_image(offset: float) -> None:
    """Item 11: SSIM's luminance is about 0 then; VIF has none, and stays as it is."""
    expected = ssim(IMAGE + offset, TRUTH, 255)
    found = StructuralSimilarity()([IMAGE + offset], [TRUTH])["ssim"]
    assert found == pytest.approx(expected, rel=1e-7)
    vif = VisualInformationFidelity()
    assert vif([IMAGE + offset], [TRUTH]) == vif([IMAGE], [TRUTH])


def test_a_step() -> None:
    """Item 11: each window is centred by itself: half an image far from the other half."""
    x, y = IMAGE + STEP, TRUTH + STEP
    expected = ssim(x, y, 255)
    assert StructuralSimilarity()([x], [y])["ssim"] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("far", [0.0, 1e8])
def test_an_image_and_itself(name: str, far: float) -> None:
    """Item 11: 1, at any offset; exactly for SSIM."""
    [found] = METRICS[name]()([TRUTH + far + 0.1], [TRUTH + far + 0.1]).values()
    assert found == pytest.approx(1.0, abs=0.0 if name == "ssim" else 1e-9)


@pytest.mark.parametrize("offset", [2.0**27, -(2.0**40)])
def test_a_constant_is_as_natural(offset: float) -> None:
    """Item 11: NIQE takes images less their local means, and so no constant matters to it."""
    metric = NaturalImageQualityEvaluator(model=(np.zeros(36), np.eye(36)))
    image = np.kron(RNG.integers(0, 200, (12, 24)), np.ones((8, 8))) + RNG.integers(0, 9, (96, 192))
    assert metric([image + offset]) == metric([image])


@pytest.mark.parametrize("contrast", [1e-6, 1e3, 1e5])
def test_another_contrast(contrast: float) -> None:
    """Item 11: VIF's covariance keeps its digits where one image has far more contrast."""
    x, y = IMAGE * contrast, TRUTH
    found = VisualInformationFidelity()([x], [y])["vif"]
    assert found == pytest.approx(fidelity(x, y), rel=1e-6)
