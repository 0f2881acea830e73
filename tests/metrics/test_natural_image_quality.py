"""NaturalImageQualityEvaluator against the published steps in other code."""

import math
from typing import Any

import numpy as np
import pytest

from mmeval_like import NaturalImageQualityEvaluator
from mmeval_like.metrics.image_quality.natural_image_quality import _normalise
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples

RNG = np.random.default_rng(0)
MEAN = RNG.random(36)
FACTOR = RNG.normal(size=(36, 40))
COVARIANCE = FACTOR @ FACTOR.T / 40
SHAPES = np.arange(0.2, 10.0005, 0.001)


def images(rng: np.random.Generator, n: int) -> tuple[np.ndarray]:
    """Smooth images with noise, (n, 3, 200, 199)."""
    smooth = rng.normal(size=(n, 3, 202, 201)).cumsum(axis=2).cumsum(axis=3)
    smooth = smooth[..., 2:, 2:] / np.abs(smooth).max(axis=(2, 3), keepdims=True)
    return (np.rint(128 + 70 * smooth + rng.normal(size=smooth.shape) * 9).astype(np.uint8),)


def halving(size: int) -> np.ndarray:
    """The matrix of MATLAB's bicubic reduction to one half, with antialiasing."""
    matrix = np.zeros((size // 2, size))
    for row in range(size // 2):
        for column in range(2 * row - 4, 2 * row + 6):
            x = abs(column - (2 * row + 0.5)) / 2
            near, far = 1.5 * x**3 - 2.5 * x**2 + 1, -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2
            weight = near if x <= 1 else far if x <= 2 else 0.0
            mirrored = -column - 1 if column < 0 else column
            matrix[row, 2 * size - 1 - mirrored if mirrored >= size else mirrored] += weight
    return matrix / matrix.sum(axis=1, keepdims=True)


def fit(block: np.ndarray) -> tuple[float, float, float, float]:
    """Shape, mean, left and right scale of one block, by search over all shapes."""
    gamma = requires("scipy.special").gamma
    left, right = np.sqrt((block[block < 0] ** 2).mean()), np.sqrt((block[block > 0] ** 2).mean())
    skew = left / right
    observed = np.abs(block).mean() ** 2 / (block**2).mean()
    observed *= (skew**3 + 1) * (skew + 1) / (skew**2 + 1) ** 2
    moments = gamma(2 / SHAPES) ** 2 / (gamma(1 / SHAPES) * gamma(3 / SHAPES))
    shape = SHAPES[((moments - observed) ** 2).argmin()]
    scale = np.sqrt(gamma(1 / shape) / gamma(3 / shape))
    mean = (right - left) * scale * gamma(2 / shape) / gamma(1 / shape)
    return shape, mean, left * scale, right * scale


def features(image: np.ndarray, size: int) -> list[list[float]]:
    """18 parameters of every block."""
    correlate = requires("scipy.ndimage").correlate
    x = np.arange(-3, 4)
    window = np.exp(-(x[:, None] ** 2 + x**2) / (2 * (7 / 6) ** 2))
    window /= window.sum()
    mean = correlate(image, window, mode="nearest")
    deviation = np.sqrt(np.abs(correlate(image**2, window, mode="nearest") - mean**2))
    normal = (image - mean) / (deviation + 1)
    found = []
    for top in range(0, image.shape[0], size):
        for start in range(0, image.shape[1], size):
            block = normal[top : top + size, start : start + size]
            shape, _, left, right = fit(block)
            found.append([shape, (left + right) / 2])
            for shift in ((0, 1), (1, 0), (1, 1), (1, -1)):
                found[-1] += fit(block * np.roll(block, shift, axis=(0, 1)))
    return found


def niqe(image: np.ndarray) -> float:
    """The value of one image (3, H, W)."""
    gray = np.rint(np.tensordot([299, 587, 114], image.astype(int), 1) / 1000)
    gray = gray[: gray.shape[0] // 96 * 96, : gray.shape[1] // 96 * 96]
    half = halving(gray.shape[0]) @ gray @ halving(gray.shape[1]).T
    table = np.concatenate([features(gray, 96), features(half, 48)], axis=1)
    distance = table.mean(axis=0) - MEAN
    inverse = np.linalg.pinv((np.cov(table.T) + COVARIANCE) / 2)
    return float(np.sqrt(distance @ inverse @ distance))


def oracle(predictions: Any) -> dict[str, float]:
    """The mean over images."""
    return {"niqe": np.mean([niqe(image) for image in predictions])}


def make(**options: Any) -> NaturalImageQualityEvaluator:
    """The metric with a model of ours."""
    return NaturalImageQualityEvaluator(model=(MEAN, COVARIANCE), **options)


CASES = {
    "NaturalImageQualityEvaluator": MetricCase(
        make, images, oracle, 1e-8, empty={"niqe": math.nan}, most=2
    ),
}


def test_laws() -> None:
    """The metric equals the published steps and keeps every law."""
    check_metric(CASES["NaturalImageQualityEvaluator"], examples=examples(2))


def test_orders_and_channels() -> None:
    """Axes and channels may come in every order; gray images are taken as they are; borders go."""
    (image,) = images(np.random.default_rng(1), 1)
    for convert_to in ("gray", "Y"):
        expected = make(convert_to=convert_to)(image)
        last = make(convert_to=convert_to, input_order="HWC", channel_order="BGR")
        assert last(np.moveaxis(image, 1, 3)[..., ::-1]) == expected
        assert make(convert_to=convert_to)(image[:, ::-1], channel_order="bgr") == expected
    gray = image[:, 0]
    assert make()(gray) == make()(gray[:, None]) == make()(np.stack([gray] * 3, axis=1))
    assert make(crop_border=3)(image) == make()(image[..., 3:-3, 3:-3])


def test_luma() -> None:
    """With "Y" the plane is BT.601's luma, rounded."""
    (image,) = images(np.random.default_rng(1), 1)
    weights = np.array([65.481, 128.553, 24.966]) / 255
    luma = np.rint(16 + np.tensordot(weights, image[0].astype(float), 1))

    assert make(convert_to="y")(image) == make()(luma[None])


def test_flat_blocks_are_left_out() -> None:
    """Blocks without any contrast change nothing, whatever their level; only such: nan."""
    (image,) = images(np.random.default_rng(2), 1)
    image = image[0, 0, :192, :192].astype(float)
    image[:, 95:] = 77.0  # so that the filters see no edge inside the second column of blocks
    flat = np.concatenate([image, np.full((192, 192), 77.0)], axis=1)

    assert make()(flat[None]) == make()(flat[None, :, :288])
    assert math.isnan(make()(np.full((1, 192, 192), 200.0))["niqe"])


def test_rounding_is_no_contrast() -> None:
    """Where an image is flat its normalised form is 0, whatever its level."""
    for level in range(256):
        assert not _normalise(np.full((8, 8), float(level))).any()


@pytest.mark.parametrize("shape", [(1, 3, 96, 191), (1, 3, 95, 400)])
def test_small_images(shape: tuple[int, ...]) -> None:
    """Less than two blocks have no covariance."""
    with pytest.raises(ValueError, match="two blocks of 96 x 96"):
        make().add(np.zeros(shape))


@pytest.mark.parametrize("pixel", [math.nan, math.inf, -math.inf, 1e200])
def test_a_pixel_that_is_no_number(pixel: float) -> None:
    """It is refused: its block must not be taken for a flat one, and be left out."""
    (image,) = images(np.random.default_rng(4), 1)
    metric = make()
    metric.add(image)
    before = metric.compute()
    spoiled = image.astype(float)
    spoiled[0, 1, 50, 60] = pixel
    with pytest.raises(ValueError, match="must be finite, and within 1e"):
        metric.add(spoiled)

    assert metric.compute() == before


def test_bad_options() -> None:
    """Conversions that are none, or need other channels, are refused."""
    for convert_to in (None, "rgb"):
        with pytest.raises(ValueError, match="convert_to"):
            make(convert_to=convert_to)
    with pytest.raises(ValueError, match="3 channels, got 2"):
        make().add(np.zeros((1, 2, 200, 200)))
    with pytest.raises(ValueError, match="3 channels, got 1"):
        make(convert_to="Y").add(np.zeros((1, 1, 200, 200)))
