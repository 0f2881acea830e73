"""StructuralSimilarity against scikit-image; options and bad inputs are tested with PSNR."""

import math
from typing import Any

import numpy as np
import pytest

from mmeval_like import StructuralSimilarity
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.pictures import images, of_many_sizes


def oracle(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """scikit-image with the settings of Wang et al., image by image."""
    similarity = requires("skimage.metrics").structural_similarity
    values = [
        similarity(
            np.float64(t),
            np.float64(p),
            data_range=255,
            gaussian_weights=True,
            sigma=1.5,
            use_sample_covariance=False,
            channel_axis=0,
        )
        for p, t in zip(predictions, groundtruths, strict=True)
    ]
    return {"ssim": np.mean(values)}


EMPTY = {"ssim": math.nan}
CASES = {
    "StructuralSimilarity": MetricCase(
        StructuralSimilarity, images(2, 13, 12), oracle, 1e-11, empty=EMPTY, most=8
    ),
}
VARIANTS = {
    "StructuralSimilarity of lists": MetricCase(
        StructuralSimilarity, of_many_sizes(11, 60), oracle, 1e-11, most=6
    ),
}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals scikit-image's and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(3))


def test_itself() -> None:
    """An image is exactly as similar to itself as can be."""
    image = np.random.default_rng(0).integers(0, 256, (1, 3, 40, 40), np.uint8)

    assert StructuralSimilarity()(image, image) == {"ssim": 1.0}


def test_small_images() -> None:
    """The window must fit into the image."""
    image = np.zeros((1, 3, 10, 20))

    with pytest.raises(ValueError, match="11 x 11 pixels, got 10 x 20"):
        StructuralSimilarity().add(image, image)
