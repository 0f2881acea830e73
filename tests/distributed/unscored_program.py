"""One rank of `test_unscored.py`: samples without a score, and their retries on other ranks."""

import importlib
import sys
import warnings

import numpy as np

import mmeval_like as mm

SIZE = 101
rng = np.random.default_rng(41)
LABELS = rng.integers(0, 4, SIZE)
PREDICTIONS = np.where(rng.random(SIZE) < 0.7, LABELS, rng.integers(0, 4, SIZE))
FAILED = rng.random(SIZE) < 0.3
DAYS = np.array(["mon", "tue"])[rng.integers(0, 2, SIZE)]
RETRIED = FAILED & (np.arange(SIZE) % 3 == 0)


def metrics(policy: object, on: str) -> mm.Sliced:
    """Slices of two metrics that share their samples, with intervals."""
    members = {"hits": mm.Accuracy(interval=0.9), "again": mm.Accuracy(thrs=None)}
    collection = mm.MetricCollection(members, unscored=policy)
    return mm.Sliced(collection, by="day", dist_backend=on)


def add(one: mm.Sliced, some: np.ndarray, failed: np.ndarray, ids: bool) -> None:
    """Add samples in batches of seven; those that failed have no prediction."""
    for part in np.array_split(some, len(some) // 7 + 1):
        reasons = ["timeout" if failed[i] else None for i in part]
        predictions = np.where(failed[part], -1, PREDICTIONS[part])
        named = {"ids": part} if ids else {}
        if len(part):
            one.add(predictions, LABELS[part], by={"day": DAYS[part]}, unscored=reasons, **named)


def told(one: mm.Sliced, size: int) -> str:
    """Everything that a result says."""
    result = one.compute(size=size)
    assert result.planned == size == result.scored + sum(result.unscored.values())
    return repr((dict(result), result.accounts, one.intervals))


def main(backend: str) -> None:
    """Compare what all ranks say with one process that has all samples."""
    warnings.filterwarnings("ignore")
    if backend == "torch":
        torch = importlib.import_module("torch")
        torch.distributed.init_process_group("gloo")
    comm = mm.get_dist_backend(backend)
    rank, size = comm.rank, comm.world_size
    every = np.arange(SIZE)
    for policy in ("drop", 0, "bounds"):
        padded = np.arange(-(-SIZE // size) * size) % SIZE
        one, alone = metrics(policy, backend), metrics(policy, "non_dist")
        add(one, padded[rank::size], FAILED, False)
        add(alone, every, FAILED, False)
        assert told(one, SIZE) == told(alone, SIZE), (policy, "padded")
        one, alone = metrics(policy, backend), metrics(policy, "non_dist")
        add(one, every[rank::size], FAILED, True)
        add(one, np.flatnonzero(RETRIED & (every % size == (rank + 1) % size)), ~RETRIED, True)
        add(alone, every, FAILED & ~RETRIED, True)
        assert told(one, SIZE) == told(alone, SIZE), (policy, "retried")
    print("done", flush=True)
    if backend == "torch":
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
