"""The detection metrics beside MMEval's, in one process.

    python -m benchmarks.detection_mmeval [--images 1000] [--batch 16]

The images are those of `benchmarks.detection`. Where the two may differ (equal scores, single
precision in MMEval), the largest difference of a value is shown.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import mmeval_like
from benchmarks.coco_images import CLASSES, Images, make_images

SIZE, SECOND = 640.0, 902  # the pixels of a frame's side, and the time of each
NO_BOXES = {"bboxes_ignore": np.zeros((0, 4)), "labels_ignore": np.zeros(0, np.int64)}


def rotated(images: Images) -> Images:
    """The same boxes turned by angles that follow from their sizes."""
    turned = []
    for image in images:
        low, high = image["bboxes"][:, :2].astype(float), image["bboxes"][:, 2:].astype(float)
        angles = 0.01 * (high - low).sum(axis=1, keepdims=True) % 1.5
        boxes = np.concatenate([(low + high) / 2, np.abs(high - low), angles], axis=1)
        ignored = {"bboxes_ignore": np.zeros((0, 5))} if "bboxes_ignore" in image else {}
        turned.append(image | {"bboxes": boxes.astype(np.float32)} | ignored)
    return turned


def instances(images: Images) -> Images:
    """Ground truths in Open Images' form."""
    return [
        {
            "instances": [
                {"bbox": box, "bbox_label": label, "is_group_of": group}
                for box, label, group in zip(
                    image["bboxes"].tolist(),
                    image["labels"].tolist(),
                    image["ignore_flags"].tolist(),
                    strict=True,
                )
            ]
        }
        for image in images
    ]


def write_frames(folder: Path, truths: Images) -> dict[str, Any]:
    """Write the boxes as AVA's files; return the options that name them."""
    lines = [
        ",".join([f"video {index},{SECOND:04d}", *map(str, corners), f"{label + 1},0"])
        for index, truth in enumerate(truths)
        for corners, label in zip(
            (truth["bboxes"] / SIZE).tolist(), truth["labels"].tolist(), strict=True
        )
    ]
    actions = range(1, len(CLASSES) + 1)
    texts = {
        "ann_file": "\n".join(lines),
        "label_file": "\n".join(f'item {{\n  name: "{i}"\n  id: {i}\n}}' for i in actions),
        "exclude_file": "",
    }
    for name, text in texts.items():
        (folder / name).write_text(text + "\n" if text else text)
    paths = {name: str(folder / name) for name in texts}
    return {**paths, "num_classes": len(CLASSES) + 1, "verbose": False}


def frames(images: Images) -> Images:
    """Detections in AVA's form: by class, in shares of the frame."""
    return [
        {
            "video_id": f"video {index}",
            "timestamp": SECOND,
            "outputs": [
                np.column_stack([image["bboxes"] / SIZE, image["scores"]])[image["labels"] == label]
                for label in range(len(CLASSES))
            ],
        }
        for index, image in enumerate(images)
    ]


def evaluate(metric: Any, predictions: Images, truths: Images, batch: int) -> tuple[Any, float]:
    """The values, and the seconds that they took; `truths` is empty if files have them."""
    started = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for start in range(0, len(predictions), batch):
            part = slice(start, start + batch)
            metric.add(predictions[part], *([truths[part]] if truths else []))
        values = metric.compute()
    return values, time.perf_counter() - started


def measure(images: int = 1000, batch: int = 16) -> dict[str, Any]:
    """Run everything; by metric: our seconds, MMEval's, and by how much the numbers differ."""
    predictions, truths = make_images(images)
    truths = [{**truth, **NO_BOXES, "width": 640, "height": 480} for truth in truths]
    relation = np.eye(len(CLASSES), dtype=np.int64)
    meta = {"classes": CLASSES}
    cases: dict[str, tuple[Callable[[Any], Any], Images, Images]] = {
        "COCODetection": (
            lambda package: package.COCODetection(dataset_meta=meta, print_results=False),
            predictions,
            truths,
        ),
        "VOCMeanAP": (
            lambda package: package.VOCMeanAP(dataset_meta=meta),
            predictions,
            truths,
        ),
        "OIDMeanAP": (
            lambda package: package.OIDMeanAP(class_relation_matrix=relation, dataset_meta=meta),
            predictions,
            instances(truths),
        ),
        "DOTAMeanAP": (
            lambda package: package.DOTAMeanAP(dataset_meta=meta),
            rotated(predictions),
            rotated(truths),
        ),
        "ProposalRecall": (
            lambda package: package.ProposalRecall(print_results=False),
            predictions,
            truths,
        ),
    }
    peer: Any = importlib.import_module("mmeval")
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        files = write_frames(Path(folder), truths)
        cases["AVAMeanAP"] = lambda package: package.AVAMeanAP(**files), frames(predictions), []
        for name, (make, own, other) in cases.items():
            values, seconds = evaluate(make(mmeval_like), own, other, batch)
            expected, theirs = evaluate(make(peer), own, other, batch)
            differs = max(abs(values[key] - expected[key]) for key in values)
            found[name] = [seconds, theirs, float(differs)]
    return found


def table(found: dict[str, Any]) -> str:
    """Return what `measure` found as Markdown."""
    lines = ["| | MMEval takes times as long | seconds | numbers differ by |", "|---|---|---|---|"]
    for name, (seconds, theirs, differs) in found.items():
        lines.append(f"| {name} | {theirs / seconds:.0f} | {seconds:.2f} | {differs:.0e} |")
    return "\n".join(lines)


def main() -> None:
    """Run everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=16)
    options = parser.parse_args()
    print(table(measure(options.images, options.batch)))


if __name__ == "__main__":
    main()
