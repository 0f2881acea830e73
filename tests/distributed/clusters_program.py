"""One rank of `test_clusters.py`: intervals and comparisons of samples that belong together."""

import importlib
import sys
import warnings

import numpy as np

import mmeval_like as mm

rng = np.random.default_rng(8)
LABELS = rng.integers(0, 3, 90)
PREDICTIONS = np.where(rng.random(90) < 0.7, LABELS, rng.integers(0, 3, 90))
OTHERS = np.where(rng.random(90) < 0.8, LABELS, rng.integers(0, 3, 90))
DOCUMENTS = np.array([f"日{number}" for number in rng.integers(0, 14, 90)])
DAYS = np.array(["mon", "tue"])[rng.integers(0, 2, 90)]


def numbers(on: str, chosen: np.ndarray) -> tuple[str, ...]:
    """Results and intervals of these samples, with those of the other ranks."""
    f1 = mm.FBetaScore(task="multiclass", num_classes=3, interval=0.9)
    metrics = {"f1": f1, "loss": mm.MeanAbsoluteError(interval=0.9)}
    sliced = mm.Sliced(metrics, by="day", dist_backend=on)
    pair = mm.Paired(mm.Accuracy(), dist_backend=on)
    for some in np.array_split(chosen, 2):
        named = {"clusters": DOCUMENTS[some]}
        sliced.add(PREDICTIONS[some], LABELS[some], by={"day": DAYS[some]}, **named)
        pair.a.add(PREDICTIONS[some], LABELS[some], ids=some, **named)
        pair.b.add(OTHERS[some], LABELS[some], ids=some, **named)
    found = sliced.compute(), sliced.intervals, pair.compute(), pair.intervals
    return tuple(map(repr, found))


def main(backend: str) -> None:
    """Compare what all ranks say with one process that has all samples."""
    warnings.filterwarnings("ignore", "intervals that promise less")
    if backend == "torch":
        torch = importlib.import_module("torch")
        torch.distributed.init_process_group("gloo")
    comm = mm.get_dist_backend(backend)
    rank, size = comm.rank, comm.world_size
    # One rank has no sample at all: the first has its share as well.
    mine = np.flatnonzero(np.arange(90) % size == rank)
    if rank == size - 1:
        mine = mine[:0]
    elif rank == 0:
        mine = np.concatenate([mine, np.flatnonzero(np.arange(90) % size == size - 1)])
    together = numbers(backend, mine)
    assert together == numbers("non_dist", np.arange(90))
    assert "cluster" in together[1]
    print("done", flush=True)
    if backend == "torch":
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
