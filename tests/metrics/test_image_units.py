"""Images in [0, 1] where 8-bit images are expected, and errors that were divided by 255."""

import warnings
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.arrays import accelerator
from tests.helpers import requires

RNG = np.random.default_rng(0)
UNIT = RNG.random((2, 3, 64, 64)).astype(np.float32)
OTHER = RNG.random((2, 3, 64, 64)).astype(np.float32)
SCALED = [
    mm.PeakSignalNoiseRatio, mm.StructuralSimilarity, mm.VisualInformationFidelity,
    mm.MultiScaleStructuralSimilarity,
]  # fmt: skip
SIZES = {mm.MultiScaleStructuralSimilarity: 3}  # so many times larger images


def images(kind: Any, values: np.ndarray) -> np.ndarray:
    """The images, large enough for the metric."""
    times = SIZES.get(kind, 1)
    return np.tile(values, (1, 1, times, times))


@pytest.mark.parametrize("kind", SCALED)
def test_images_in_the_unit_range_warn_once(kind: Any) -> None:
    """Nobody said that white is 1: one warning, and none if somebody did."""
    given = images(kind, UNIT), images(kind, OTHER)
    metric = kind()
    with pytest.warns(UserWarning, match="pass data_range=1"):
        metric.add(*given)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric.add(*given)
        kind(data_range=1).add(*given)
        kind(data_range=255).add(*given)
        kind().add(*(255 * one for one in given))
        kind().add(*((one > 0.5).astype(np.uint8) for one in given))


def test_images_around_the_unit_range_warn() -> None:
    """Networks overshoot, and their images may lie in [-1, 1]: neither is an 8-bit image."""
    for given in (1.1 * UNIT - 0.05, 2 * UNIT - 1):
        with pytest.warns(UserWarning, match="data_range=2 for"):
            mm.PeakSignalNoiseRatio().add(given, OTHER)


def test_a_black_image_says_nothing_of_the_range() -> None:
    """It is warned of by the first image that shows one, after a black one."""
    metric = mm.PeakSignalNoiseRatio()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric.add(np.zeros((1, 8, 8)), np.zeros((1, 8, 8)))
    with pytest.warns(UserWarning, match="pass data_range=1"):
        metric.add(np.full((1, 8, 8), 0.5), np.zeros((1, 8, 8)))


def test_the_range_on_an_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    """`compute` warns, since `add` does not wait for the device."""
    torch = requires("torch")
    monkeypatch.setattr(accelerator, "is_accelerator", lambda v: isinstance(v, torch.Tensor))
    metric, bright = mm.PeakSignalNoiseRatio(), mm.PeakSignalNoiseRatio()
    metric.add(torch.from_numpy(UNIT), torch.from_numpy(OTHER))
    bright.add(torch.from_numpy(255 * UNIT), torch.from_numpy(255 * OTHER))
    with pytest.warns(UserWarning, match="pass data_range=1"):
        metric.compute()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bright.compute()


@pytest.mark.parametrize("kind", [mm.MeanSquaredError, mm.MeanAbsoluteError])
def test_errors_of_floats_say_what_they_were_divided_by(kind: Any) -> None:
    """Float samples of two axes warn once; numbers, vectors, 8-bit images and a given range not."""
    metric = kind()
    with pytest.warns(UserWarning, match=r"divided by 255.*data_range=1 "):
        metric.add(UNIT[:, 0], OTHER[:, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric.add(list(UNIT[:, 0]), list(OTHER[:, 0]))
        kind(data_range=1).add(UNIT[:, 0], OTHER[:, 0])
        kind().add(UNIT[:, 0, 0], OTHER[:, 0, 0])
        kind().add(UNIT[:, 0, 0, 0], OTHER[:, 0, 0, 0])
        kind().add(np.uint8(255 * UNIT), np.uint8(255 * OTHER))
    with pytest.warns(UserWarning, match="divided by 255"):
        kind().add(list(UNIT[:, 0]), list(OTHER[:, 0]))
