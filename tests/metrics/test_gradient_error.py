"""GradientError against two-dimensional filters of scipy."""

import math
from typing import Any

import numpy as np
import pytest

from mmeval_like import GradientError
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.mattes import check_refusals, mattes


def steepness(alpha: np.ndarray, sigma: float) -> np.ndarray:
    """The gradient's length, by one dense filter for each direction."""
    convolve = requires("scipy.ndimage").convolve
    normal = requires("scipy.stats").norm(scale=sigma)
    radius = math.ceil(sigma * math.sqrt(-2 * math.log(math.sqrt(2 * math.pi) * sigma * 0.01)))
    x = np.arange(-radius, radius + 1.0)
    dense = np.outer(normal.pdf(x), -x * normal.pdf(x) / sigma**2)
    dense /= np.linalg.norm(dense)
    scaled = (alpha - alpha.min()) / np.ptp(alpha)
    along = [convolve(scaled, taps, mode="nearest") for taps in (dense, dense.T)]
    return np.hypot(*along)


def oracle(
    predictions: Any, groundtruths: Any, trimaps: Any, sigma: float = 1.4
) -> dict[str, float]:
    """The summed squares over unknown pixels."""
    total = sum(
        ((steepness(p, sigma) - steepness(t, sigma)) ** 2)[m == 128].sum()
        for p, t, m in zip(predictions, groundtruths, trimaps, strict=True)
    )
    return {"gradient_error": total / len(predictions) / 1000}


def wide(**options: Any) -> GradientError:
    """The metric with a wider filter."""
    return GradientError(2.5, **options)


def wide_oracle(*arguments: Any) -> dict[str, float]:
    """What it should give."""
    return oracle(*arguments, sigma=2.5)


CASES = {
    "GradientError": MetricCase(
        GradientError, mattes, oracle, 1e-11, empty={"gradient_error": math.nan}, most=8
    ),
}
VARIANTS = {"GradientError, wide": MetricCase(wide, mattes, wide_oracle, 1e-11, most=8)}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals scipy's filters and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(3))


def test_scale_and_flat_images() -> None:
    """8-bit alphas and those in [0, 1] agree; a flat matte has no gradient; nor an empty one."""
    rng = np.random.default_rng(0)
    prediction, truth, trimap = mattes(rng, 2)
    eight_bit = [np.rint(255 * alpha).astype(np.uint8) for alpha in (prediction, truth)]
    unit = [alpha / 255 for alpha in eight_bit]
    (a,), (b,) = (
        GradientError()(*eight_bit, trimap).values(),
        GradientError()(*unit, trimap).values(),
    )

    assert math.isclose(a, b, rel_tol=1e-12)
    assert GradientError()(truth * 0 + 0.3, truth * 0, trimap) == {"gradient_error": 0.0}
    assert GradientError()(*[np.zeros((1, 0, 4))] * 3) == {"gradient_error": 0.0}


def test_bad_inputs() -> None:
    """What is no matte with a trimap is refused, as are options out of range."""
    check_refusals(GradientError())
    for options in ({"sigma": 0}, {"sigma": 40}, {"norm_const": 0}):
        with pytest.raises(ValueError, match=next(iter(options))):
            GradientError(**options)
