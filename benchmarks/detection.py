"""COCODetection beside pycocotools, faster-coco-eval and torchmetrics.

    python -m benchmarks.detection [--ranks 1 2 4] [--images 5000] [--batch 1 16]

The data: as many images, boxes and classes as COCO val2017, up to 100 detections an image, from
a fixed seed. Every program gets numpy arrays of one image after the other and has to return the
twelve numbers. The peers split nothing over ranks (or every rank evaluates everything), so their
one time stands beside every number of ranks. Packages that are not installed are not run.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.coco_images import CLASSES, Images, coco_dicts, make_images
from mmeval_like import COCODetection

TWELVE = (
    "mAP", "mAP_50", "mAP_75", "mAP_s", "mAP_m", "mAP_l",
    "AR@1", "AR@10", "AR@100", "AR_s@100", "AR_m@100", "AR_l@100",
)  # fmt: skip


def by_cocoeval(package: str, predictions: Images, truths: Images) -> tuple[list[float], float]:
    """The numbers by pycocotools or faster-coco-eval, and the seconds of the evaluation alone."""
    if package == "pycocotools":
        dataset = importlib.import_module("pycocotools.coco").COCO()
        evaluator = importlib.import_module("pycocotools.cocoeval").COCOeval
    else:
        module = importlib.import_module("faster_coco_eval")
        dataset, evaluator = module.COCO(), module.COCOeval_faster
    with contextlib.redirect_stdout(io.StringIO()):
        dataset.dataset, found = coco_dicts(predictions, truths)
        dataset.createIndex()
        run = evaluator(dataset, dataset.loadRes(found), "bbox")
        started = time.perf_counter()
        run.evaluate()
        run.accumulate()
        seconds = time.perf_counter() - started
        run.summarize()
    return [float(value) for value in run.stats[:12]], seconds


def by_torchmetrics(backend: str, predictions: Images, truths: Images) -> tuple[list[float], float]:
    """The numbers by torchmetrics, and the seconds of its compute."""
    torch = importlib.import_module("torch")
    importlib.import_module("benchmarks.cpu_torchvision").complete()
    module = importlib.import_module("torchmetrics.detection")
    metric = module.MeanAveragePrecision(backend=backend)
    for prediction, truth in zip(predictions, truths, strict=True):
        metric.update(
            [
                {
                    "boxes": torch.from_numpy(prediction["bboxes"]),
                    "scores": torch.from_numpy(prediction["scores"]),
                    "labels": torch.from_numpy(prediction["labels"]),
                }
            ],
            [
                {
                    "boxes": torch.from_numpy(truth["bboxes"]),
                    "labels": torch.from_numpy(truth["labels"]),
                    "iscrowd": torch.from_numpy(truth["ignore_flags"].astype(np.int64)),
                }
            ],
        )
    started = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        values = metric.compute()
    names = ("map", "map_50", "map_75", "map_small", "map_medium", "map_large")
    names += ("mar_1", "mar_10", "mar_100", "mar_small", "mar_medium", "mar_large")
    return [float(values[name]) for name in names], time.perf_counter() - started


PEERS: dict[str, Callable[[Images, Images], tuple[list[float], float]]] = {
    "faster-coco-eval": lambda p, t: by_cocoeval("faster-coco-eval", p, t),
    "torchmetrics (faster-coco-eval)": lambda p, t: by_torchmetrics("faster_coco_eval", p, t),
    "torchmetrics (pycocotools)": lambda p, t: by_torchmetrics("pycocotools", p, t),
    "pycocotools": lambda p, t: by_cocoeval("pycocotools", p, t),
}


class Timed(COCODetection):
    """Knows how long rank 0 computed after everything was gathered."""

    after_gather = 0.0
    asks = COCODetection.asks

    def compute_metric(self, results: Any) -> dict[str, float]:
        started = time.perf_counter()
        values = super().compute_metric(results)
        self.after_gather = time.perf_counter() - started
        return values


def evaluate_one_rank(images: int, batch: int) -> None:
    """A rank's work; rank 0 prints seconds, those after the gather, and the numbers, as JSON."""
    from mpi4py import MPI

    predictions, truths = make_images(images)
    metric = Timed(
        dataset_meta={"classes": CLASSES}, metric_items=TWELVE, print_results=False,
        dist_backend="mpi4py" if MPI.COMM_WORLD.size > 1 else "non_dist",
    )  # fmt: skip
    rank, ranks = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
    mine, theirs = predictions[rank::ranks], truths[rank::ranks]
    del predictions, truths
    metric(mine[:1], theirs[:1])
    MPI.COMM_WORLD.Barrier()
    started = time.perf_counter()
    for start in range(0, len(mine), batch):
        metric.add(mine[start : start + batch], theirs[start : start + batch])
    values = metric.compute()
    seconds = time.perf_counter() - started
    if rank == 0:
        numbers = [values[f"bbox_{name}"] for name in TWELVE]
        print(json.dumps([seconds, metric.after_gather, numbers]))


def run_ranks(ranks: int, images: int, batch: int) -> tuple[float, float, list[float]]:
    """Return what one run of so many ranks found."""
    options = ("--rank", "--images", str(images), "--batch", str(batch))
    seconds, after_gather, numbers = launched(ranks, "benchmarks.detection", *options)
    return seconds, after_gather, numbers


def launched(ranks: int, module: str, *arguments: str) -> Any:
    """Start mpiexec and return what rank 0 printed as JSON."""
    own = Path(sys.executable).with_name("mpiexec")
    launcher = str(own) if own.exists() else shutil.which("mpiexec") or "mpiexec"
    command = [launcher, "-n", str(ranks), sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    return json.loads(done.stdout.splitlines()[-1])


def measure(
    ranks: Sequence[int] = (1, 2, 4), images: int = 5000, batches: Sequence[int] = (1, 16)
) -> dict[str, Any]:
    """Run everything; what was found can be written as JSON."""
    own: dict[str, dict[str, Any]] = {}
    expected: list[float] | None = None
    for batch in batches:
        own[str(batch)] = {}
        for number in ranks:
            runs = sorted(run_ranks(number, images, batch) for _ in range(3))
            for _, _, numbers in runs:
                expected = expected or numbers
                if numbers != expected:
                    sys.exit(f"{number} ranks, batch {batch}: {numbers}, expected {expected}")
            own[str(batch)][str(number)] = runs[1][:2]  # the median
    predictions, truths = make_images(images)
    counts = [sum(len(image["labels"]) for image in side) for side in (predictions, truths)]
    peers: dict[str, Any] = {}
    for name, peer in PEERS.items():
        started = time.perf_counter()
        try:
            found, alone = peer(predictions, truths)
        except ImportError as error:
            peers[name] = f"not run: {error}"
            continue
        seconds = time.perf_counter() - started
        differs = float(np.abs(np.subtract(found, expected)).max())
        peers[name] = [seconds, alone, differs]
    return {"images": images, "counts": counts, "own": own, "peers": peers}


def table(found: dict[str, Any]) -> str:
    """Return what `measure` found as Markdown."""
    own = found["own"]
    worlds = [*next(iter(own.values()))]
    detections, objects = found["counts"]
    lines = [
        f"{found['images']:,} images, {objects:,} boxes, {detections:,} detections, 80 classes. "
        "The columns on the right show the time of each package as a multiple of ours:",
        "",
        "| | seconds (evaluation alone) | numbers differ by | "
        + " | ".join(f"batch {batch}, {ranks} ranks" for batch in own for ranks in worlds)
        + " |",
        "|---" * (3 + len(own) * len(worlds)) + "|",
    ]
    for name, cell in found["peers"].items():
        if isinstance(cell, str):
            lines.append(f"| {name} | {cell} |" + " |" * (1 + len(own) * len(worlds)))
            continue
        seconds, alone, differs = cell
        ours = [mine[0] for by_ranks in own.values() for mine in by_ranks.values()]
        ratios = " | ".join(f"{seconds / mine:.1f}" for mine in ours)
        lines.append(f"| {name} | {seconds:.1f} ({alone:.1f}) | {differs:.0e} | {ratios} |")
    lines += ["", "| ours, the median of 3 runs | seconds | of these after the gather |"]
    lines += ["|---|---|---|"]
    for batch, by_ranks in own.items():
        for ranks, (seconds, after) in by_ranks.items():
            share = f"{after:.3f} ({after / seconds:.0%})"
            lines.append(f"| batch {batch}, {ranks} ranks | {seconds:.2f} | {share} |")
    return "\n".join(lines)


def main() -> None:
    """Run everything and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--images", type=int, default=5000)
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--rank", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rank:
        evaluate_one_rank(options.images, options.batch[0])
    else:
        print(table(measure(options.ranks, options.images, options.batch)))


if __name__ == "__main__":
    main()
