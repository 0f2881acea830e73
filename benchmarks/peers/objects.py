"""Outlines, tracks, poses and boxes of a thousand classes: the batches, and the rows with peers."""

from __future__ import annotations

import contextlib
import importlib
import io
import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.peers.data import Batches
from benchmarks.peers.packages import Peer, Row
from benchmarks.peers.panoptic import CLASSES, THINGS, make_segments, panoptic_quality
from benchmarks.peers.plain import plain

__all__ = ["OBJECTS", "OBJECT_DATA"]

_SIZE = 16
_IMAGES = 2500  # half of what val2017 has, since the peer takes ten seconds for them
_CLASSES = [f"class {i}" for i in range(1203)]
_FREQUENCIES = [("r", "c", "f")[i % 3] for i in range(len(_CLASSES))]
_SIGMAS = np.linspace(0.025, 0.107, 17)


def _vocabulary() -> Batches:
    """The boxes of the table of COCO, of LVIS's classes; of every image some are known."""
    from benchmarks.coco_images import make_images

    found, truths = make_images(_IMAGES)
    for index, (image, truth) in enumerate(zip(found, truths, strict=True)):
        for side in (image, truth):
            side["labels"] = 15 * side["labels"] + index % 15
        truth["ignore_flags"] = np.zeros(len(truth["labels"]), bool)
        known = np.unique(image["labels"])
        truth["neg_labels"] = np.setdiff1d(known[::3], truth["labels"])
        truth["not_exhaustive_labels"] = np.unique(truth["labels"])[:1]
    return [(found[i : i + _SIZE], truths[i : i + _SIZE]) for i in range(0, len(found), _SIZE)]


def _sequences() -> Batches:
    """Seven sequences of 300 frames with 20 tracks, as long as those of MOT17, one at a time."""
    rng, batches = np.random.default_rng(0), []
    for _ in range(7):
        found, truths, alike = [], [], []
        names = rng.permutation(40)[:20]
        for _ in range(300):
            if rng.random() < 0.05:
                names = rng.permutation(names)
            seen, hit = rng.random(20) < 0.9, rng.random(20) < 0.85
            near = (
                np.eye(20) * rng.uniform(0.4, 1, 20) + (1 - np.eye(20)) * rng.random((20, 20)) / 4
            )
            truths.append({"ids": np.flatnonzero(seen)})
            found.append({"ids": names[hit]})
            alike.append(near[seen][:, hit])
        batches.append(([found], [truths], [alike]))
    return batches


def _people(rng: np.random.Generator) -> tuple[Any, ...]:
    truths = rng.random((1000, 17, 2)) * 200
    areas = rng.uniform(1000, 40000, 1000)
    return truths + rng.normal(0, 8, truths.shape), truths, areas, rng.random((1000, 17)) < 0.8


def _masks(rng: np.random.Generator) -> tuple[Any, ...]:
    """Blobs, and the same a little moved."""
    places = np.indices((128, 128))
    centres = rng.uniform(40, 88, (16, 2, 1, 1))
    truths = (np.hypot(*(places - centres).swapaxes(0, 1)) < 30).astype(np.uint8)
    return np.roll(truths, (3, 2), axis=(1, 2)), truths


def _batches(make: Callable[[np.random.Generator], tuple[Any, ...]], count: int) -> Batches:
    rng = np.random.default_rng(0)
    return [make(rng) for _ in range(count)]


OBJECT_DATA: dict[str, Callable[[], Batches]] = {
    name: cache(make)
    for name, make in {
        "vocabulary": _vocabulary,
        "sequences of frames": _sequences,
        "people": partial(_batches, _people, 8),
        "blobs": partial(_batches, _masks, 2),
        "whole images": make_segments,
    }.items()
}


def _lvis(batches: Batches) -> Callable[[], Any]:
    """The evaluation of LVIS by faster-coco-eval."""
    from benchmarks.coco_images import coco_dicts

    module = importlib.import_module("faster_coco_eval")
    found, truths = ([one for batch in batches for one in batch[side]] for side in (0, 1))
    content, boxes = coco_dicts(found, truths)
    for entry, truth in zip(content["images"], truths, strict=True):
        entry["neg_category_ids"] = truth["neg_labels"].tolist()
        entry["not_exhaustive_category_ids"] = truth["not_exhaustive_labels"].tolist()
    content["categories"] = [
        {"id": i, "name": name, "frequency": frequency}
        for i, (name, frequency) in enumerate(zip(_CLASSES, _FREQUENCIES, strict=True))
    ]

    def evaluate() -> list[float]:
        with contextlib.redirect_stdout(io.StringIO()):
            dataset = module.COCO()
            dataset.dataset = content
            dataset.createIndex()
            results = dataset.loadRes([dict(one) for one in boxes])
            run = module.COCOeval_faster(dataset, results, "bbox", lvis_style=True)
            run.params.maxDets = [300]
            run.evaluate()
            run.accumulate()
            run.summarize()
        return [float(value) for value in run.stats]

    return evaluate


def _trackeval(name: str, keys: tuple[str, ...], **options: Any) -> Peer:
    """A metric of TrackEval, which gets what it reads from files otherwise."""

    def prepare(batches: Batches) -> Callable[[], Any]:
        made = getattr(importlib.import_module("trackeval.metrics"), name)
        metric = made({"PRINT_CONFIG": False, **options}) if options else made()
        data = {f"sequence {i}": _sequence(*batch) for i, batch in enumerate(batches)}

        def evaluate() -> list[float]:
            found = {key: metric.eval_sequence(value) for key, value in data.items()}
            whole = metric.combine_sequences(found)
            return [float(np.mean(whole[key])) for key in keys]

        return evaluate

    return Peer("trackeval", prepare)


def _sequence(found: Any, truths: Any, alike: Any) -> dict[str, Any]:
    sides = {"tracker": [f["ids"] for f in found[0]], "gt": [f["ids"] for f in truths[0]]}
    data: dict[str, Any] = {"num_timesteps": len(found[0]), "similarity_scores": alike[0]}
    for name, frames in sides.items():
        known = np.unique(np.concatenate(frames))
        data[f"{name}_ids"] = [known.searchsorted(ids) for ids in frames]
        data[f"num_{name}_ids"] = len(known)
        data[f"num_{name}_dets"] = sum(map(len, frames))
    return data


def _monai(name: str, **options: Any) -> Peer:
    """A function of MONAI, of masks of all classes; the mean over classes, then over images."""

    def prepare(batches: Batches) -> Callable[[], Any]:
        torch = importlib.import_module("torch")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call = getattr(importlib.import_module("monai.metrics"), name)
        classes = 1 + max(int(side.max()) for batch in batches for side in batch)
        sides = [
            [(torch.from_numpy(s)[:, None] == torch.arange(classes)[:, None, None]) for s in batch]
            for batch in batches
        ]
        tensors = [tuple(side.float() for side in pair) for pair in sides]

        def evaluate() -> float:
            values = torch.cat(
                [call(*pair, include_background=False, **options) for pair in tensors]
            )
            return float(values.nanmean(dim=1).mean())

        return evaluate

    return Peer("monai", prepare)


def _similar(found: Any, truths: Any, areas: Any, visible: Any) -> float:
    squares = ((found - truths) ** 2).sum(axis=2)
    near = np.exp(-squares / (2 * areas[:, None] * (2 * _SIGMAS) ** 2)) * visible
    return float((near.sum(axis=1) / visible.sum(axis=1)).mean())


def _joints(found: np.ndarray, truths: np.ndarray) -> float:
    return float(np.linalg.norm(found - truths, axis=2).mean())


def _referred(found: np.ndarray, truths: np.ndarray) -> list[float]:
    both = (found & truths).sum(axis=(1, 2), dtype=np.int64)
    either = (found | truths).sum(axis=(1, 2), dtype=np.int64)
    ious = both / either
    return [both.sum() / either.sum(), ious.mean(), *((ious > t).mean() for t in (0.5, 0.7, 0.9))]


def _volumes(found: np.ndarray, truths: np.ndarray) -> float:
    p, t = (np.stack([(side == c).sum(axis=(1, 2)) for c in (1, 2, 3)]) for side in (found, truths))
    return float((1 - np.abs(t - p) / (t + p)).mean())


def _outlines(found: np.ndarray, truths: np.ndarray) -> float:
    erode = importlib.import_module("scipy.ndimage").binary_erosion
    width, values = max(1, round(0.02 * np.hypot(*truths.shape[1:]))), []
    for pair in zip(found, truths, strict=True):
        bands = [m & ~erode(m, np.ones((3, 3)), width) for m in (side != 0 for side in pair)]
        values.append(np.count_nonzero(bands[0] & bands[1]) / np.count_nonzero(bands[0] | bands[1]))
    return float(np.mean(values))


def _lines(found: np.ndarray, truths: np.ndarray) -> float:
    thin = importlib.import_module("skimage.morphology").skeletonize
    values = []
    for pair in zip(found != 0, truths != 0, strict=True):
        lines = [thin(side) for side in pair]
        precision = (lines[0] & pair[1]).sum() / lines[0].sum()
        recall = (lines[1] & pair[0]).sum() / lines[1].sum()
        values.append(2 * precision * recall / (precision + recall))
    return float(np.mean(values))


# What bounds ours where it is slower.
CHECKED = (
    "the joints of each batch are checked, and distances are summed by halving; the peer takes all "
    "numbers in one call, unchecked"
)
FRAMES = (
    "the ids and similarities of each frame are checked and the ids numbered; the peer gets numbers"
)
BANDS = "maps of classes are compared by numpy; the peer gets masks and calls compiled code"
ONCE = "the values of each mask are checked; the peer takes all masks at once, unchecked"

# fmt: off
_FOUR: Any = {"num_classes": 4}
_HALF: Any = {"THRESHOLD": 0.5}
OBJECTS = [
    Row("HausdorffDistance (95)", "sums", "organs", _FOUR | {"percentile": 95}, [_monai("compute_hausdorff_distance", percentile=95)]),
    Row("AverageSurfaceDistance", "sums", "organs", _FOUR, [_monai("compute_average_surface_distance", symmetric=True)]),
    Row("NormalizedSurfaceDistance", "sums", "organs", _FOUR, [_monai("compute_surface_dice", class_thresholds=[1.0] * 3)]),
    Row("VolumetricSimilarity", "sums", "organs", _FOUR | {"include_background": False}, [plain(_volumes)], BANDS),
    Row("BoundaryIoU", "sums", "blobs", {"num_classes": 2}, [plain(_outlines, package="scipy")], BANDS),
    Row("ClDice", "sums", "blobs", {"num_classes": 2}, [plain(_lines, package="skimage")], "it calls scikit-image, and checks the maps"),
    Row("ReferringSegmentation", "sums", "blobs", {}, [plain(_referred)], ONCE),
    Row("PanopticQuality (whole images)", "sums", "whole images", {"things": range(THINGS), "stuffs": range(THINGS, CLASSES)}, [Peer("panopticapi's rule", panoptic_quality)]),
    Row("LVISDetection", "scores", "vocabulary", {"dataset_meta": {"classes": _CLASSES}, "frequencies": _FREQUENCIES}, [Peer("faster-coco-eval", _lvis)]),
    Row("ObjectKeypointSimilarity", "sums", "people", {"sigmas": _SIGMAS}, [plain(_similar)], CHECKED),
    Row("MeanPerJointPositionError", "sums", "shapes", {}, [plain(_joints)], CHECKED),
    Row("HOTA", "sums", "sequences of frames", {}, [_trackeval("HOTA", ("HOTA",))]),
    Row("ClearMOT", "counts", "sequences of frames", {}, [_trackeval("CLEAR", ("MOTA",), **_HALF)], FRAMES),
    Row("IDF1", "counts", "sequences of frames", {}, [_trackeval("Identity", ("IDF1",), **_HALF)], FRAMES),
]
# fmt: on
