"""An evaluation that saves after every batch: ``resume_program.py FOLDER RUN KILL_AFTER [RULE]``.

Rank 1 kills itself after KILL_AFTER batches; -1: never. With a RULE, some samples have no score,
and run 2 tries all samples again, on whatever ranks.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np

import mmeval_like as mm

SIZE = 60


def add_images(metric: Any, batch: np.ndarray) -> None:
    """Add images, of which each has a score."""
    images = np.random.default_rng(0).random((SIZE, 3, 3))[batch] * 255
    metric.add(images, images / (batch[:, None, None] + 2), ids=batch)


def answers(rule: str, backend: Any) -> mm.Sliced:
    """Slices of two metrics of answers."""
    members = {"hits": mm.Accuracy(interval=0.9), "each": mm.Accuracy(num_classes=3, average=None)}
    collection = mm.MetricCollection(members, unscored=0 if rule == "0" else rule)
    return mm.Sliced(collection, by="day", dist_backend=backend)


def add_answers(metric: Any, batch: np.ndarray, run: int) -> None:
    """Add answers, some of which failed: more in run 1, and for reasons that no later run has."""
    rng = np.random.default_rng(1)
    labels, predictions = rng.integers(0, 3, (2, SIZE))
    lost = rng.random(SIZE) < 0.5
    words = ("timeout", "unparseable")
    if run != 1:
        lost &= rng.random(SIZE) < 0.6
        words = ("error", "refusal")
    reasons = [words[i % 2] if lost[i] else None for i in batch]
    days = [("mon", "tue", "wed")[i % 3] for i in batch]
    metric.add(predictions[batch], labels[batch], ids=batch, by={"day": days}, unscored=reasons)


def main(folder: Path, run: int, kill_after: int, rule: str | None = None) -> None:
    """Continue what earlier runs saved; print the result on rank 0."""
    backend = mm.get_dist_backend("mpi4py" if run >= 0 else "non_dist")
    metric: Any = answers(rule, backend) if rule else mm.MeanSquaredError(dist_backend=backend)
    parts = sorted(folder.glob("*.safetensors"))  # a killed rank may leave a *.part
    metric.load([path for path in parts if path.name < f"run{run:03}"])
    some = np.arange(SIZE) if rule else metric.remaining(SIZE)
    mine = some[backend.rank :: backend.world_size]
    for number, batch in enumerate(np.split(mine, range(4, len(mine), 4))):
        if (backend.rank, number) == (1, kill_after):
            os.kill(os.getpid(), signal.SIGKILL)
        if len(batch) == 0:
            continue
        if rule:
            add_answers(metric, batch, run)
        else:
            add_images(metric, batch)
        metric.save(folder / f"run{run:03}-rank{backend.rank}.safetensors")
    result = metric.compute(size=SIZE)
    if backend.rank == 0:
        print(json.dumps([result, repr(result.accounts), repr(metric.intervals)]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
