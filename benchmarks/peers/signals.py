"""Images, waveforms, and features of networks: the batches, and the rows with their peers."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.peers.data import Batches
from benchmarks.peers.packages import Peer, Row, run, torchmetrics
from benchmarks.peers.plain import plain

__all__ = ["SIGNALS", "SIGNAL_DATA"]

DIM = 64


def _batches(make: Callable[[np.random.Generator], tuple[Any, ...]], count: int) -> Batches:
    rng = np.random.default_rng(0)
    return [make(rng) for _ in range(count)]


def _pictures(rng: np.random.Generator) -> tuple[Any, ...]:
    """Two photographs of 256 x 256 pixels, smooth here and there, and the same with noise."""
    coarse = rng.random((2, 3, 32, 32)).repeat(8, axis=2).repeat(8, axis=3)
    truths = 230 * coarse + 20 * rng.random(coarse.shape) + 2
    return np.clip(truths + rng.normal(0, 8, truths.shape), 0, 255), truths


def _waves(rng: np.random.Generator, *shape: int) -> tuple[Any, ...]:
    truths = rng.normal(size=shape)
    return truths + 0.3 * rng.normal(size=shape), truths


def _sources(rng: np.random.Generator) -> tuple[Any, ...]:
    found, truths = _waves(rng, 8, 3, 8000)
    return found[:, [2, 0, 1]], truths


def _features(rng: np.random.Generator) -> tuple[Any, ...]:
    """Of real or of generated samples."""
    real = bool(rng.integers(0, 2))
    return rng.normal(0 if real else 0.3, 1, (500, DIM)).astype(np.float32), real


def _logits(rng: np.random.Generator) -> tuple[Any, ...]:
    return (rng.normal(0, 2, (500, 100)).astype(np.float32),)


def _pairs(rng: np.random.Generator) -> tuple[Any, ...]:
    first = rng.normal(size=(500, DIM))
    return first + rng.normal(size=first.shape), first


SIGNAL_DATA: dict[str, Callable[[], Batches]] = {
    name: cache(partial(_batches, make, count))
    for name, (make, count) in {
        "pictures": (_pictures, 1),
        "predictions": (lambda rng: _pictures(rng)[:1], 4),
        "waves": (lambda rng: _waves(rng, 16, 16000), 4),
        "short waves": (lambda rng: _waves(rng, 4, 16000), 2),
        "spectra": (lambda rng: _waves(rng, 8, 129, 60, 2), 4),
        "sources": (_sources, 4),
        "voices": (lambda rng: _waves(rng, 2, 32000), 2),
        "real and generated": (_features, 8),
        "logits": (_logits, 8),
        "pairs": (_pairs, 3),
    }.items()
}


def _network(path: str, size: int, **options: Any) -> Peer:
    """A class of torchmetrics whose network passes the features on."""
    module, _, name = path.rpartition(".")

    def prepare(batches: Batches) -> Callable[[], Any]:
        torch = importlib.import_module("torch")

        class Passes(torch.nn.Module):  # type: ignore[misc, name-defined]
            num_features = size

            def forward(self, features: Any) -> Any:
                return features

        made = getattr(importlib.import_module(f"torchmetrics.image.{module}"), name)
        metric = made(feature=Passes(), **options)
        tensors = [(torch.from_numpy(batch[0]), *batch[1:]) for batch in batches]
        return partial(run, metric, metric.update, tensors)

    return Peer("torchmetrics", prepare)


def _permutations(batches: Batches) -> Callable[[], Any]:
    torch = importlib.import_module("torch")
    score = importlib.import_module("torchmetrics.functional.audio")
    made = importlib.import_module("torchmetrics.audio").PermutationInvariantTraining
    metric = made(score.scale_invariant_signal_distortion_ratio)
    tensors = [tuple(map(torch.from_numpy, batch)) for batch in batches]
    return partial(run, metric, metric.update, tensors)


def _intelligibility(found: np.ndarray, truths: np.ndarray) -> float:
    stoi = importlib.import_module("pystoi").stoi
    return float(np.mean([stoi(y, p, 10000) for p, y in zip(found, truths, strict=True)]))


def _sides(samples: np.ndarray, real: np.ndarray) -> Sequence[np.ndarray]:
    return samples[real].astype(float), samples[~real].astype(float)


def _distances(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    squares: np.ndarray = (first**2).sum(axis=1)[:, None] + (second**2).sum(axis=1)
    return np.maximum(squares - 2 * first @ second.T, 0)


def _of_sides(call: Callable[[np.ndarray, np.ndarray], Any]) -> Peer:
    """A formula of real and of generated features."""

    def prepare(batches: Batches) -> Callable[[], Any]:
        samples = np.concatenate([features for features, _ in batches])
        real = np.repeat([side for _, side in batches], [len(features) for features, _ in batches])
        return lambda: call(*_sides(samples, real))

    return Peer("numpy", prepare)


def _neighbours(real: np.ndarray, fake: np.ndarray, k: int = 5) -> list[float]:
    """Precision, recall, density and coverage, from whole tables of distances."""
    radii, others = (np.partition(_distances(side, side), k, axis=1)[:, k] for side in (real, fake))
    between = _distances(real, fake)
    inside = between < radii[:, None]
    return [
        float(inside.any(axis=0).mean()),
        float((between < others).any(axis=1).mean()),
        float(inside.sum(axis=0).mean() / k),
        float((between.min(axis=1) < radii).mean()),
    ]


def _discrepancy(real: np.ndarray, fake: np.ndarray) -> float:
    parts = []
    for side in (real, fake):
        near, size = np.exp(-_distances(side, side) / 200), len(side)
        parts.append((near.sum() - np.trace(near)) / (size * (size - 1)))
    return float(sum(parts) - 2 * np.exp(-_distances(real, fake) / 200).mean())


def _independence(first: np.ndarray, second: np.ndarray) -> float:
    kernels = [np.exp(-_distances(side, side) / 128) for side in (first, second)]
    centred = kernels[0] - kernels[0].mean(axis=0) - kernels[0].mean(axis=1)[:, None]
    centred += kernels[0].mean()
    return float((centred * kernels[1]).sum() / (len(first) - 1) ** 2)


def _clip(images: np.ndarray, texts: np.ndarray) -> float:
    lengths = np.linalg.norm(images, axis=1) * np.linalg.norm(texts, axis=1)
    return float(np.maximum(100 * (images * texts).sum(axis=1) / lengths, 0).mean())


# What bounds ours where it is slower.
ONE = "images are taken one by one in float64, so that no batch changes a bit; the peer takes all at once"
SIGNALS_ALONE = (
    "float64 signals are scaled so that no power overflows, and products are summed by halving: "
    "three times as many passes as the peer makes"
)
EXACT = "exact sums of products, each in two parts"

# fmt: off
_RANGE: Any = {"data_range": 255.0}
_TAPS: Any = {"filter_length": 128}
SIGNALS = [
    Row("MultiScaleStructuralSimilarity", "sums", "pictures", {}, [torchmetrics("MultiScaleStructuralSimilarityIndexMeasure", **_RANGE)], ONE, compared=False),
    Row("UniversalImageQualityIndex", "sums", "pictures", {}, [torchmetrics("UniversalImageQualityIndex")], ONE, compared=False),
    Row("VisualInformationFidelity", "sums", "pictures", {}, [torchmetrics("VisualInformationFidelity")], ONE),
    Row("SpatialCorrelationCoefficient", "sums", "pictures", {}, [torchmetrics("SpatialCorrelationCoefficient")], ONE),
    Row("SpectralAngleMapper", "sums", "pictures", {}, [torchmetrics("SpectralAngleMapper")], ONE),
    Row("ERGAS", "sums", "pictures", {}, [torchmetrics("ErrorRelativeGlobalDimensionlessSynthesis")], ONE),
    Row("TotalVariation", "sums", "predictions", {}, [torchmetrics("TotalVariation", reduction="mean")], ONE),
    Row("SignalNoiseRatio (waveforms)", "sums", "waves", {"input_order": "CT"}, [torchmetrics("SignalNoiseRatio")], "powers are summed by halving, in float64"),
    Row("ScaleInvariantSDR", "sums", "waves", {}, [torchmetrics("ScaleInvariantSignalDistortionRatio")], SIGNALS_ALONE),
    Row("ScaleInvariantSNR", "sums", "waves", {}, [torchmetrics("ScaleInvariantSignalNoiseRatio")], SIGNALS_ALONE),
    Row("ComplexScaleInvariantSNR", "sums", "spectra", {}, [torchmetrics("ComplexScaleInvariantSignalNoiseRatio")], SIGNALS_ALONE),
    Row("SourceAggregatedSDR", "sums", "sources", {}, [torchmetrics("SourceAggregatedSignalDistortionRatio")], SIGNALS_ALONE),
    Row("SignalDistortionRatio", "sums", "short waves", _TAPS, [torchmetrics("SignalDistortionRatio", **_TAPS)], SIGNALS_ALONE),
    Row("PermutationInvariantTraining", "sums", "sources", {}, [Peer("torchmetrics", _permutations)], SIGNALS_ALONE),
    Row("ShortTimeObjectiveIntelligibility", "sums", "voices", {"fs": 10000}, [plain(_intelligibility, package="pystoi")], "it calls pystoi, and checks the waveforms"),
    Row("FrechetInceptionDistance", "sums", "real and generated", {"dim": DIM}, [_network("fid.FrechetInceptionDistance", DIM)]),
    Row("KernelInceptionDistance", "scores", "real and generated", {"dim": DIM, "subset_size": 500}, [_network("kid.KernelInceptionDistance", DIM, subset_size=500)], compared=False),
    Row("MemorizationInformedFID", "scores", "real and generated", {"dim": DIM}, [_network("mifid.MemorizationInformedFrechetInceptionDistance", DIM)]),
    Row("InceptionScore", "sums", "logits", {"num_classes": 100}, [_network("inception.InceptionScore", 100, splits=1)], EXACT, compared=False),
    Row("PrecisionRecallDensityCoverage", "scores", "real and generated", {"dim": DIM}, [_of_sides(_neighbours)]),
    Row("MaximumMeanDiscrepancy", "scores", "real and generated", {"dim": DIM}, [_of_sides(_discrepancy)]),
    Row("HilbertSchmidtIndependence", "scores", "pairs", {"dim_x": DIM, "dim_y": DIM, "sigma_x": 8.0, "sigma_y": 8.0}, [plain(_independence)]),
    Row("CLIPScore", "sums", "pairs", {}, [plain(_clip)], "pairs are checked, and lengths are computed without overflow"),
]
# fmt: on
