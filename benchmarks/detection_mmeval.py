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
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import mmeval_like
from benchmarks.coco_images import CLASSES, Images, make_images

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


def evaluate(metric: Any, predictions: Images, truths: Images, batch: int) -> tuple[Any, float]:
    """The values, and the seconds that they took."""
    started = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for start in range(0, len(predictions), batch):
            part = slice(start, start + batch)
            metric.add(predictions[part], truths[part])
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
