"""COCODetection of ten times val2017's images: its curves on rank 0, or where the rows are.

    python -m benchmarks.detection_dealt [--ranks 1 2 4] [--images 50000]

The images are made as those of `benchmarks.detection`, and added in batches of 16. The same samples
are then computed in both ways by turns, three times each: brought to rank 0, and dealt by class.
faster-coco-eval evaluates the same images once, on one process.
"""

from __future__ import annotations

import argparse
import json
import pickle
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.coco_images import CLASSES, make_images
from benchmarks.detection import PEERS, TWELVE, Timed, launched
from benchmarks.memory import memory_mib
from mmeval_like._exchange import deal

ROUNDS, BATCH, PEER = 3, 16, "faster-coco-eval"
LIMITS = {"gathered": 1 << 62, "dealt": deal._GATHERED}


def evaluate_one_rank(path: str) -> None:
    """A rank's work; rank 0 prints what was measured as JSON."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    with open(path, "rb") as file:
        predictions, truths = (side[world.rank :: world.size] for side in pickle.load(file))
    metric = Timed(
        dataset_meta={"classes": CLASSES}, metric_items=TWELVE, print_results=False,
        dist_backend="mpi4py" if world.size > 1 else "non_dist",
    )  # fmt: skip
    metric(predictions[:1], truths[:1])
    world.Barrier()
    started = time.perf_counter()
    for start in range(0, len(predictions), BATCH):
        metric.add(predictions[start : start + BATCH], truths[start : start + BATCH])
    world.Barrier()
    found: dict[str, Any] = {"add": time.perf_counter() - started}
    del predictions, truths
    runs: dict[str, list[Any]] = {name: [] for name in LIMITS}
    for _ in range(ROUNDS):
        for name, deal._GATHERED in LIMITS.items():
            base = memory_mib(False)
            world.Barrier()
            started = time.perf_counter()
            values = metric.compute()
            seconds = time.perf_counter() - started
            peaks = world.gather(memory_mib(True) - base)
            runs[name].append((seconds, metric.after_gather, peaks))
            numbers = [values[f"bbox_{item}"] for item in TWELVE]
            if numbers != found.setdefault("numbers", numbers):
                sys.exit(f"{name}: {numbers}, expected {found['numbers']}")
    if world.rank:
        return
    for name, measured in runs.items():
        seconds, after, peaks = zip(*measured, strict=True)
        most = [max(of_rank) for of_rank in zip(*peaks, strict=True)]
        found[name] = [statistics.median(seconds), statistics.median(after), most]
    print(json.dumps(found))


def measure(ranks: Sequence[int] = (1, 2, 4), images: int = 50_000) -> dict[str, Any]:
    """Run everything; what was found can be written as JSON."""
    predictions, truths = make_images(images)
    counts = [sum(len(image["labels"]) for image in side) for side in (predictions, truths)]
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "images"))
        with open(path, "wb") as file:
            pickle.dump((predictions, truths), file)
        own = {str(n): launched(n, "benchmarks.detection_dealt", "--rank", path) for n in ranks}
    expected = own[str(ranks[0])]["numbers"]
    if any(found["numbers"] != expected for found in own.values()):
        sys.exit("the numbers differ between numbers of ranks")
    started = time.perf_counter()
    try:
        numbers, alone = PEERS[PEER](predictions, truths)
        differs = max(abs(a - b) for a, b in zip(numbers, expected, strict=True))
        peer: Any = [time.perf_counter() - started, alone, differs]
    except ImportError as error:
        peer = f"not run: {error}"
    return {"images": images, "counts": counts, "own": own, "peer": peer}


def table(found: dict[str, Any]) -> str:
    """Return what `measure` found as Markdown."""
    detections, objects = found["counts"]
    peer = found["peer"]
    lines = [
        f"{found['images']:,} such images, {objects:,} boxes, {detections:,} detections, in "
        f"batches of {BATCH}. Either rank 0 gathers all rows and evaluates all curves, or each "
        "rank evaluates the curves of some classes. Both ways return the same numbers.",
        "",
        "| ranks | seconds of `add` | of `compute`, rows on rank 0 | of these after the gather | "
        "of `compute`, rows dealt by class | MiB on rank 0, rows there | MiB on the fullest rank, "
        f"dealt | {PEER} takes times as long |",
        "|---" * 8 + "|",
    ]
    for ranks, own in found["own"].items():
        gathered, after, mib = own["gathered"]
        cells = [f"{own['add']:.2f}", f"{gathered:.3f}", f"{after:.3f}"]
        dealt, best = ["", ""], gathered
        if len(mib) > 1:
            best, _, shares = own["dealt"]
            dealt = [f"{best:.3f}", f"{max(shares):.0f}"]
        cells += [dealt[0], f"{mib[0]:.0f}", dealt[1]]
        longer = peer if isinstance(peer, str) else f"{peer[0] / (own['add'] + best):.1f}"
        lines.append(f"| {ranks} | {' | '.join(cells)} | {longer} |")
    if not isinstance(peer, str):
        lines += [
            "",
            f"{PEER} takes {peer[0]:.1f} seconds on one process, {peer[1]:.1f} of them for the "
            f"evaluation alone; its numbers differ by {peer[2]:.0e}.",
        ]
    return "\n".join(lines)


def main() -> None:
    """Run everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--images", type=int, default=50_000)
    parser.add_argument("--rank", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rank:
        evaluate_one_rank(options.rank)
    else:
        print(table(measure(options.ranks, options.images)))


if __name__ == "__main__":
    main()
