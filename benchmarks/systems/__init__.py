"""The libraries that are compared: each can build the evaluations that it knows."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

CLASSES = 10


@dataclass(frozen=True)
class Batch:
    """Class ids (n,), and the same predictions as scores (n, CLASSES) where ids are not taken."""

    predictions: torch.Tensor
    labels: torch.Tensor
    scores: torch.Tensor


@dataclass(frozen=True)
class Evaluation:
    """Something that takes batches and computes over all ranks.

    Attributes:
        update: Takes a batch.
        compute: Returns the values of all ranks, on every rank.
        reset: Forgets all batches.
        per_sample: It keeps objects for every sample: gets fewer samples.
    """

    update: Callable[[Batch], Any]
    compute: Callable[[], Any]
    reset: Callable[[], Any]
    per_sample: bool = False


@dataclass(frozen=True)
class System:
    """A library.

    Attributes:
        name: As it is shown.
        package: What is installed; "" for none.
        build: By the name of a task, what builds its evaluation.
    """

    name: str
    package: str
    build: dict[str, Callable[[], Evaluation]]


MODULES = ("bound", "ours", "of_torcheval", "of_ignite", "of_torchmetrics", "of_mmeval")


def load_systems() -> list[System]:
    """Return those that are installed; the bound is the first."""
    found = []
    for module in MODULES:
        try:
            found.append(importlib.import_module(f"benchmarks.systems.{module}").SYSTEM)
        except ImportError as error:
            print(f"not compared: {module} ({error})", flush=True)
    return found
