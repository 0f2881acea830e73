"""What one would write by hand: the counts in torch, and one all-reduce of them."""

from __future__ import annotations

import torch
import torch.distributed as dist

from benchmarks.systems import CLASSES, Batch, Evaluation, System
from benchmarks.timing import BOUND


def accuracy() -> Evaluation:
    correct, count = torch.zeros(2, dtype=torch.int64)

    def update(batch: Batch) -> None:
        nonlocal correct, count
        correct += (batch.predictions == batch.labels).sum()
        count += batch.labels.numel()

    def compute() -> float:
        both = torch.stack([correct, count])
        _all_reduce(both)
        return int(both[0]) / int(both[1])

    return Evaluation(update, compute, lambda: None)


def ten() -> Evaluation:
    matrix = torch.zeros(CLASSES**2, dtype=torch.int64)
    others = torch.zeros(2, dtype=torch.int64)  # the right ones, the number

    def update(batch: Batch) -> None:
        nonlocal matrix
        matrix += torch.bincount(batch.labels * CLASSES + batch.predictions, minlength=CLASSES**2)

    def compute() -> torch.Tensor:
        total = torch.cat([matrix, others])
        _all_reduce(total)
        return total

    return Evaluation(update, compute, lambda: None)


def mean_squared_error() -> Evaluation:
    total, count = torch.zeros((), dtype=torch.float32), 0

    def update(batch: Batch) -> None:
        nonlocal total, count
        total += ((batch.predictions - batch.labels) ** 2).sum()
        count += len(batch.labels)

    def compute() -> float:
        both = torch.stack([total, torch.tensor(count, dtype=torch.float32)])
        _all_reduce(both)
        return float(both[0] / both[1])

    return Evaluation(update, compute, lambda: None)


def _all_reduce(tensor: torch.Tensor) -> None:
    if dist.get_world_size() > 1:
        dist.all_reduce(tensor)


SYSTEM = System(
    BOUND,
    "",
    {"accuracy": accuracy, "ten": ten, "forty": ten, "mean_squared_error": mean_squared_error},
)
