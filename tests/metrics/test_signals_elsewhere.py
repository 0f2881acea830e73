"""Metrics of images, waveforms and features give the numbers that torchmetrics gives.

Left out is what is defined otherwise there, as docs/from-torchmetrics.md says: the windows of
UniversalImageQualityIndex, the borders of structural similarity, the epsilons of silence.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from tests.helpers import requires

Pair = tuple[np.ndarray, np.ndarray]


def images(rng: np.random.Generator) -> Pair:
    """Smooth images of three channels, and the same with noise."""
    coarse = rng.random((2, 3, 6, 6)).repeat(8, axis=2).repeat(8, axis=3)
    truth = 200 * coarse + 20 * rng.random(coarse.shape) + 10
    return truth + rng.normal(0, 5, truth.shape), truth


def waves(*shape: int) -> Callable[[np.random.Generator], Pair]:
    """A maker of waveforms and of the same with noise."""

    def make(rng: np.random.Generator) -> Pair:
        truth = rng.normal(size=(3, *shape))
        return 0.7 * truth + 0.3 * rng.normal(size=truth.shape), truth

    return make


AUDIO: dict[str, tuple[Callable[..., Any], Callable[[np.random.Generator], Pair]]] = {
    "signal_noise_ratio": (partial(mm.SignalNoiseRatio, input_order="CT"), waves(2, 50)),
    "scale_invariant_signal_distortion_ratio": (mm.ScaleInvariantSDR, waves(2, 50)),
    "scale_invariant_signal_noise_ratio": (mm.ScaleInvariantSNR, waves(50)),
    "complex_scale_invariant_signal_noise_ratio": (mm.ComplexScaleInvariantSNR, waves(4, 9, 2)),
    "source_aggregated_signal_distortion_ratio": (mm.SourceAggregatedSDR, waves(3, 50)),
    "signal_distortion_ratio": (
        partial(mm.SignalDistortionRatio, filter_length=16), waves(1, 200),
    ),
}  # fmt: skip
IMAGES: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "peak_signal_noise_ratio": (mm.PeakSignalNoiseRatio, {"data_range": 255.0, "dim": (1, 2, 3)}),
    "spectral_angle_mapper": (mm.SpectralAngleMapper, {}),
    "error_relative_global_dimensionless_synthesis": (mm.ERGAS, {}),
    "spatial_correlation_coefficient": (mm.SpatialCorrelationCoefficient, {}),
    "visual_information_fidelity": (mm.VisualInformationFidelity, {}),
}


def tensors(*batch: np.ndarray) -> list[Any]:
    """The same numbers, float64."""
    torch = requires("torch")
    return [torch.from_numpy(array) for array in batch]


@pytest.mark.parametrize("name", AUDIO)
def test_waveforms(name: str) -> None:
    """The mean over samples and channels, in dB."""
    functional = requires("torchmetrics.functional.audio")
    make, data = AUDIO[name]
    batch = data(np.random.default_rng(1))
    options = {"filter_length": 16} if name == "signal_distortion_ratio" else {}

    found = next(iter(make()(*batch).values()))

    expected = getattr(functional, name)(*tensors(*batch), **options)
    assert found == pytest.approx(float(expected.mean()), rel=1e-6)


def test_the_best_permutation() -> None:
    """Of sources in another order."""
    functional = requires("torchmetrics.functional.audio")
    found, truth = waves(3, 40)(np.random.default_rng(2))
    batch = found[:, [2, 0, 1]], truth
    score = functional.scale_invariant_signal_distortion_ratio

    expected, _ = functional.permutation_invariant_training(*tensors(*batch), score)

    value = mm.PermutationInvariantTraining()(*batch)["pit"]
    assert value == pytest.approx(float(expected.mean()), rel=1e-6)


@pytest.mark.parametrize("name", IMAGES)
def test_images(name: str) -> None:
    """The mean over images of three channels."""
    functional = requires("torchmetrics.functional.image")
    make, options = IMAGES[name]
    batch = images(np.random.default_rng(3))

    found = next(iter(make(input_order="CHW")(*batch).values()))

    expected = getattr(functional, name)(*tensors(*batch), **options)
    assert found == pytest.approx(float(expected), rel=1e-5)


def test_total_variation() -> None:
    """Of the predictions alone."""
    functional = requires("torchmetrics.functional.image")
    found, _ = images(np.random.default_rng(4))

    value = mm.TotalVariation(input_order="CHW")(found)["total_variation"]

    expected = functional.total_variation(*tensors(found), reduction="mean")
    assert value == pytest.approx(float(expected), rel=1e-9)


@pytest.mark.filterwarnings("ignore:.*will save all extracted features:UserWarning")
def test_features() -> None:
    """Distances of real and generated features, by a network that passes them on."""
    torch = requires("torch")
    fid, kid, mifid = (requires(f"torchmetrics.image.{name}") for name in ("fid", "kid", "mifid"))
    rng = np.random.default_rng(5)
    real, fake = rng.normal(size=(60, 4)), rng.normal(0.5, 1.3, (60, 4))

    class Passes(torch.nn.Module):  # type: ignore[misc, name-defined]
        num_features = 4

        def forward(self, features: Any) -> Any:
            return features

    # The last one there is a mean over real samples, of the paper over generated ones.
    for ours, theirs, swapped in (
        (mm.FrechetInceptionDistance(4), fid.FrechetInceptionDistance, False),
        (
            mm.KernelInceptionDistance(4, subsets=0),
            partial(kid.KernelInceptionDistance, subsets=1, subset_size=60),
            False,
        ),
        (
            mm.MemorizationInformedFID(4),
            mifid.MemorizationInformedFrechetInceptionDistance,
            True,
        ),
    ):
        other = theirs(feature=Passes())
        other.set_dtype(torch.float64)
        for side, features in ((True, real), (False, fake)):
            ours.add(features, side)
            other.update(torch.from_numpy(features), real=side != swapped)
        expected = other.compute()
        expected = expected[0] if isinstance(expected, tuple) else expected
        assert next(iter(ours.compute().values())) == pytest.approx(float(expected), rel=1e-4)
