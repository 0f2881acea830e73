"""Images that have no score, or are refused."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mmeval_like import (
    ERGAS,
    LearnedPerceptualImagePatchSimilarity,
    MultiScaleStructuralSimilarity,
    SpatialCorrelationCoefficient,
    SpectralAngleMapper,
    TotalVariation,
    UniversalImageQualityIndex,
    VisualInformationFidelity,
)


def test_images_without_a_score() -> None:
    """They are left out of the mean, with a warning."""
    flat = np.full((1, 1, 48, 48), 9.0)
    noisy = np.random.default_rng(0).integers(0, 256, flat.shape)
    metric = VisualInformationFidelity()
    metric.add(np.concatenate([noisy, noisy]), np.concatenate([flat, noisy]))
    with pytest.warns(RuntimeWarning, match="undefined for 1 of 2 samples"):
        assert metric.compute()["vif"] == pytest.approx(1.0)

    zeros, ones = np.zeros((1, 2, 3, 3)), np.ones((1, 2, 3, 3))
    assert math.isnan(SpectralAngleMapper().per_sample(zeros, ones)["sam"][0])
    assert ERGAS().per_sample(ones, zeros)["ergas"][0] == math.inf
    assert math.isnan(ERGAS().per_sample(zeros, zeros)["ergas"][0])


def test_black_pixels_have_no_angle() -> None:
    """The mean is over the others."""
    p, y = np.ones((1, 2, 1, 2)), np.ones((1, 2, 1, 2))
    p[0, :, 0, 0] = 0
    y[0, 1, 0, 1] = 0
    assert SpectralAngleMapper()(p, y)["sam"] == pytest.approx(math.pi / 4)


BAD = [
    (lambda: MultiScaleStructuralSimilarity(()), ValueError, "betas must be positive"),
    (lambda: MultiScaleStructuralSimilarity((0.5, -1)), ValueError, "betas must be positive"),
    (lambda: UniversalImageQualityIndex(1), ValueError, "window must be at least 2"),
    (lambda: SpatialCorrelationCoefficient(2.5), TypeError, "window must be an integer"),
    (lambda: VisualInformationFidelity(0), ValueError, "sigma_n_sq must be positive"),
    (lambda: ERGAS(-4), ValueError, "ratio must be positive"),
    (lambda: LearnedPerceptualImagePatchSimilarity(3), TypeError, "distance must be a function"),
    (lambda: LearnedPerceptualImagePatchSimilarity().add([-1.0]), ValueError, "not be negative"),
    (lambda: LearnedPerceptualImagePatchSimilarity().add([math.nan]), ValueError, "nan"),
    (lambda: LearnedPerceptualImagePatchSimilarity().add(1.0), ValueError, "shape"),
    (
        lambda: LearnedPerceptualImagePatchSimilarity().add([1.0], [1.0]),
        TypeError,
        "distances alone",
    ),
    (lambda: LearnedPerceptualImagePatchSimilarity(min).add([1.0]), TypeError, "two batches"),
    (
        lambda: LearnedPerceptualImagePatchSimilarity(lambda p, y: p).add([1.0, 2.0], [1.0]),
        ValueError,
        "same length",
    ),
    (
        lambda: LearnedPerceptualImagePatchSimilarity(lambda p, y: p[:1]).add(
            [1.0, 2.0], [1.0, 2.0]
        ),
        ValueError,
        "shape",
    ),
]


@pytest.mark.parametrize(("action", "error", "text"), BAD)
def test_bad_arguments(action: Callable[[], Any], error: type[Exception], text: str) -> None:
    """What means nothing is refused."""
    with pytest.raises(error, match=text):
        action()


PAIRS = [
    MultiScaleStructuralSimilarity,
    UniversalImageQualityIndex,
    SpatialCorrelationCoefficient,
    VisualInformationFidelity,
]


@pytest.mark.parametrize("make", PAIRS)
def test_small_images_and_bad_pixels(make: Callable[..., Any]) -> None:
    """The windows must fit into the image, whose pixels are numbers."""
    image = np.ones((1, 7, 500))
    with pytest.raises(
        ValueError, match=r"predictions must have at least \d+ x \d+ pixels, got 7 x"
    ):
        make().add(image, image)
    for bad in (math.nan, math.inf, 1e61):
        image = np.ones((1, 180, 180))
        image[0, 3, 3] = bad
        with pytest.raises(ValueError, match="groundtruths must be finite"):
            make().add(np.ones((1, 180, 180)), image)


def test_other_bad_images() -> None:
    """One channel has no spectrum; a nan is no step."""
    image = np.ones((1, 9, 9))
    with pytest.raises(ValueError, match="2 channels"):
        SpectralAngleMapper().add(image, image)
    with pytest.raises(ValueError, match="nan"):
        TotalVariation().add([[[1.0, math.nan]]])
    with pytest.raises(ValueError, match="within float64"):
        TotalVariation().add([[[1e308, -1e308]]])
