"""One rank of a benchmark; rank 0 prints what was measured as a line of JSON.

torchrun --nproc-per-node 2 -m benchmarks.worker sync [--only ours]
"""

from __future__ import annotations

import argparse
import datetime
import gc
import json
import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

from benchmarks import begun, cpu_torchvision, dealt, ranking
from benchmarks.calls import Calls
from benchmarks.memory import memory_mib
from benchmarks.systems import CLASSES, Batch, Evaluation, System, load_systems
from benchmarks.timing import BOUND, OWN, SLOTS, Times, alternate
from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like.backends import get_dist_backend
from mmeval_like.backends.base_bytes import BytesDistBackend
from mmeval_like.backends.wire.slot_size import slot_bytes

BATCH = 8192
SAMPLES = 1_000_000  # on each rank
FEW = 100_000  # of libraries that keep objects for every sample

Found = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("--only", nargs="*", help="systems; default: all that are installed")
    parser.add_argument("--rounds", type=int, default=40)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    cpu_torchvision.complete()
    systems = load_systems()
    if arguments.only:
        systems = [s for s in systems if s.name in (BOUND, *arguments.only)]
    dist.init_process_group("gloo", timeout=datetime.timedelta(minutes=10))
    found = TASKS[arguments.task](systems, arguments.rounds)
    if dist.get_rank() == 0:
        print("RESULT " + json.dumps(found), flush=True)
    dist.barrier()
    dist.destroy_process_group()


def make_batch(count: int, seed: int = 0) -> Batch:
    generator = torch.Generator().manual_seed(seed + 1000 * dist.get_rank())
    labels = torch.randint(0, CLASSES, (count,), generator=generator)
    guesses = torch.randint(0, CLASSES, (count,), generator=generator)
    right = torch.rand(count, generator=generator) < 0.7
    predictions = torch.where(right, labels, guesses)
    scores = torch.nn.functional.one_hot(predictions, CLASSES).float()
    return Batch(predictions, labels, scores)


def build(systems: list[System], task: str) -> dict[str, Evaluation]:
    return {s.name: s.build[task]() for s in systems if task in s.build}


# Tasks -----------------------------------------------------------------------------------------


def update(systems: list[System], rounds: int) -> Found:
    """Batches of class ids: the speed as a fraction of the bound's."""
    found: Found = {}
    for task in ("accuracy", "ten"):
        for count, repeat in ((64, 1000), (BATCH, 100)):
            batch = make_batch(count)
            evaluations = build(systems, task)
            calls = {n: partial(e.update, batch) for n, e in evaluations.items()}

            def before(name: str, evaluations: dict[str, Evaluation] = evaluations) -> None:
                if evaluations[name].per_sample:  # or it would fill the memory
                    evaluations[name].reset()

            times = alternate(calls, 3 * rounds, repeat, before)
            found[f"{task} {count}"] = {name: _summary(t) for name, t in times.items()}
    return found


def sync(systems: list[System], rounds: int) -> Found:
    """Compute over all ranks: calls of the library, and the time over that of one all-reduce."""
    found: Found = {}
    small = make_batch(64)
    backend = get_dist_backend("torch")
    assert isinstance(backend, BytesDistBackend)
    slots = partial(backend.all_gather_bytes, bytes(slot_bytes(dist.get_world_size())))
    slot = torch.zeros(slot_bytes(dist.get_world_size()), dtype=torch.uint8)

    def own() -> None:
        joined = torch.empty(dist.get_world_size() * len(slot), dtype=torch.uint8)
        dist.all_gather_single(joined, slot)

    for task in ("accuracy", "ten", "forty"):
        evaluations = build(systems, task)
        for evaluation in evaluations.values():
            samples = FEW if evaluation.per_sample else SAMPLES
            for number in range(samples // BATCH):
                evaluation.update(make_batch(BATCH, number % 10))
        computes = {name: evaluation.compute for name, evaluation in evaluations.items()}
        computes |= {SLOTS: slots, OWN: own}
        calls = {}
        for name, compute in computes.items():
            with Calls() as counted:
                compute()
            calls[name] = counted.text

        def before(name: str, evaluations: dict[str, Evaluation] = evaluations) -> None:
            if name in evaluations:
                evaluations[name].update(small)  # some remember the last result

        times = alternate(computes, 3 * rounds, 1, before)
        found[task] = {n: _summary(t) | {"calls": calls[n]} for n, t in times.items()}
    return found


def objects(systems: list[System], rounds: int) -> Found:
    """A million Python floats a rank: bytes and time a sample, memory of the first and last."""
    found: Found = {}
    generator = np.random.default_rng(dist.get_rank())
    values = generator.random(SAMPLES).tolist()
    for name, evaluation in build(systems, "objects").items():
        evaluation.update(Batch(values, None, None))  # type: ignore[arg-type]
        gc.collect()
        before = memory_mib(peak=False)
        with Calls() as counted:
            evaluation.compute()
        peaks = _from_ranks([memory_mib(peak=True) - before, counted.sent / SAMPLES])
        seconds = []
        for _ in range(max(3, rounds // 8) if name != "mmeval" else 3):
            dist.barrier()
            start = time.perf_counter()
            evaluation.compute()
            seconds.append(time.perf_counter() - start)
        found[name] = {
            "microseconds": 1e6 * statistics.median(seconds) / SAMPLES,
            "best_microseconds": 1e6 * min(seconds) / SAMPLES,
            "bytes": peaks[-1][1],
            "first_mib": peaks[0][0],
            "last_mib": peaks[-1][0],
            "calls": counted.text,
        }
    return found


def same(systems: list[System], rounds: int) -> Found:
    """The mean squared error of a million samples, dealt to the ranks in contiguous shares."""
    generator = torch.Generator().manual_seed(1)
    predictions, labels = torch.rand((2, SAMPLES), generator=generator)
    rank, ranks = dist.get_rank(), dist.get_world_size()
    share = slice(rank * SAMPLES // ranks, (rank + 1) * SAMPLES // ranks)
    found: Found = {}
    for name, evaluation in build(systems, "mean_squared_error").items():
        mine = zip(predictions[share].split(BATCH), labels[share].split(BATCH), strict=True)
        for batch in mine:
            evaluation.update(Batch(*batch, None))  # type: ignore[arg-type]
        value = evaluation.compute()
        value = next(iter(value.values())) if isinstance(value, dict) else value
        found[name] = repr(float(value))
    return found


def cost(systems: list[System], rounds: int) -> Found:
    """Exact sums, nanoseconds a row; and the memory that 1e8 samples leave."""
    rng = np.random.default_rng(0)
    normal = rng.normal(size=1 << 20)
    kinds = {
        "float32": normal.astype(np.float32),
        "float64": normal,
        "float64 of 21 magnitudes": normal * 10.0 ** rng.integers(-10, 11, 1 << 20),
    }
    found: Found = {}
    for kind, count in product(kinds, (4096, 1 << 16, 1 << 20)):
        part, seconds = kinds[kind][:count], []
        for _ in range(rounds):
            total = ExactSum()
            start = time.perf_counter()
            total.add(part)
            middle = time.perf_counter()
            part.sum(dtype=np.float64)
            seconds.append((middle - start, time.perf_counter() - middle))
        for name, times in zip(
            ("exact sum", "numpy's sum"), zip(*seconds, strict=True), strict=True
        ):
            found[f"{name}, {count} {kind}"] = 1e9 * statistics.median(times) / count
    found |= _short_batches(systems, rounds)
    batch = make_batch(1 << 18)
    floats = Batch(batch.scores[:, 0], batch.scores[:, 1], batch.scores)
    for name, task in (("accuracy", "accuracy"), ("ten", "ten"), ("mse", "mean_squared_error")):
        evaluation = next(s for s in systems if s.name == "mmeval_like").build[task]()
        taken = floats if name == "mse" else batch
        evaluation.update(taken)
        evaluation.update(taken)
        before, start = memory_mib(peak=False), time.perf_counter()
        for _ in range(100_000_000 // (1 << 18)):
            evaluation.update(taken)
        found[f"{name} of 1e8 samples"] = {
            "grown_mib": memory_mib(peak=True) - before,
            "seconds": time.perf_counter() - start,
        }
    return found


def _short_batches(systems: list[System], rounds: int) -> Found:
    """Fifty batches of 512 floats, and compute: nanoseconds a row."""
    generator = torch.Generator().manual_seed(0)
    scores = torch.rand(2, 512, generator=generator)
    batch = Batch(scores[0], scores[1], scores)

    def fifty(evaluation: Evaluation) -> None:
        evaluation.reset()
        for _ in range(50):
            evaluation.update(batch)
        evaluation.compute()

    built = build(systems, "mean_squared_error")
    times = alternate({name: partial(fifty, built[name]) for name in built}, rounds, 1)
    return {
        f"{name}, mean squared error of 50 batches of 512 float32": 1e9 * of.median / (50 * 512)
        for name, of in times.items()
    }


def crossover(systems: list[System], rounds: int) -> Found:
    """Sums of so many bytes: all of them in slots, or in an all-reduce behind slots of 4 KiB."""
    backend = get_dist_backend("torch")
    assert isinstance(backend, BytesDistBackend)
    small, found = bytearray(slot_bytes(dist.get_world_size())), {}
    for exponent in range(8, 23, 2):
        whole, numbers = bytearray(1 << exponent), np.zeros((1 << exponent) // 8, np.int64)

        def reduced(numbers: np.ndarray = numbers) -> None:
            backend.all_gather_bytes(small)
            backend.all_reduce(numbers, "sum")

        calls = {BOUND: partial(backend.all_gather_bytes, whole), "all-reduce": reduced}
        times = alternate(calls, rounds, 5)
        found[str(1 << exponent)] = {name: times[name].median for name in calls}
    return found


TASKS: dict[str, Callable[[list[System], int], Found]] = {
    "update": update,
    "sync": sync,
    "objects": objects,
    "same": same,
    "cost": cost,
    "crossover": crossover,
    "begun": lambda systems, rounds: begun.measure(make_batch(BATCH), rounds),
    "ranking": lambda systems, rounds: ranking.measure(rounds),
    "dealt": lambda systems, rounds: dealt.measure(),
}


def _summary(times: Times) -> Found:
    return {
        "ratio": times.times_bound,
        "best_ratio": times.times_bound_at_best,
        "seconds": times.median,
        "rounds": len(times.seconds),
    }


def _from_ranks(mine: list[float]) -> list[list[float]]:
    gathered: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(gathered, mine)
    return gathered


if __name__ == "__main__":
    main()
