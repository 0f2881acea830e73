"""SignalNoiseRatio against its formula; options and bad inputs are tested with PSNR."""

import math
from typing import Any

import numpy as np
import pytest

from mmeval_like import SignalNoiseRatio
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.pictures import images, of_many_sizes


def oracle(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """Differences of logarithms of norms, in numpy."""
    ratios = [
        20 * np.log10(np.linalg.norm(np.ravel(t).astype(float)))
        - 20 * np.log10(np.linalg.norm(np.ravel(t).astype(float) - np.ravel(p)))
        for p, t in zip(predictions, groundtruths, strict=True)
    ]
    return {"snr": np.mean(ratios)}


EMPTY = {"snr": math.nan}
CASES = {
    "SignalNoiseRatio": MetricCase(SignalNoiseRatio, images(3, 6, 7), oracle, empty=EMPTY),
}
VARIANTS = {
    "SignalNoiseRatio of lists": MetricCase(SignalNoiseRatio, of_many_sizes(3, 9), oracle),
}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals the formula and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(4))


def test_extremes() -> None:
    """No noise is infinitely good, noise without a signal infinitely bad, both are nan."""
    black, gray = np.zeros((1, 3, 2, 2)), np.ones((1, 3, 2, 2))

    assert SignalNoiseRatio()(black, black) == {"snr": math.inf}
    assert SignalNoiseRatio()(gray, black) == {"snr": -math.inf}
    assert math.isnan(SignalNoiseRatio()([black[0], gray[0]], [black[0], black[0]])["snr"])


def test_an_image_of_one_pixel() -> None:
    """Its own square is the power, and the square of its error the noise."""
    assert SignalNoiseRatio()(np.full((1, 3, 1, 1), 90.0), np.full((1, 3, 1, 1), 100.0)) == {
        "snr": 20.0
    }
    luma = SignalNoiseRatio(crop_border=1, convert_to="Y")
    assert luma(np.full((1, 3, 3, 3), 90.0), np.full((1, 3, 3, 3), 100.0))["snr"] > 0
