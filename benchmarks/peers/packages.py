"""What a row of the table is, and how the classes and functions of other packages are called."""

from __future__ import annotations

import importlib
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from benchmarks.peers.data import Batches

__all__ = [
    "Peer", "Row", "documents", "each", "function", "mmeval", "run", "sklearn", "torcheval",
    "torchmetrics",
]  # fmt: skip


@dataclass(frozen=True)
class Peer:
    """What another package has.

    Attributes:
        package: Its name.
        prepare: From the batches makes the call that is timed, which returns the numbers.
    """

    package: str
    prepare: Callable[[Batches], Callable[[], Any]]


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        name: The metric's name, which may say the task behind it.
        kind: "counts", "sums" (exact ones, of floats) or "scores" (kept and sorted).
        data: Which batches.
        options: For our constructor.
        peers: The same metric of others.
        remark: What bounds ours where it is slower.
        compared: Whether the peers' numbers mean the same.
    """

    name: str
    kind: str
    data: str
    options: Mapping[str, Any]
    peers: Sequence[Peer] = field(default=())
    remark: str = ""
    compared: bool = True


def torchmetrics(name: str, **options: Any) -> Peer:
    """A class of torchmetrics."""
    return _of_tensors("torchmetrics", name, options)


def torcheval(name: str, **options: Any) -> Peer:
    """A class of torcheval."""
    return _of_tensors("torcheval.metrics", name, options)


def mmeval(name: str, **options: Any) -> Peer:
    """A class of MMEval, which takes numpy arrays."""

    def prepare(batches: Batches) -> Callable[[], Any]:
        metric = getattr(importlib.import_module("mmeval"), name)(**options)
        return partial(run, metric, metric.add, batches)

    return Peer("mmeval", prepare)


def sklearn(name: str, **options: Any) -> Peer:
    """A function of sklearn.metrics: labels first, then predictions."""
    return function(f"sklearn.metrics.{name}", lambda p, y, *others: (y, p, *others), **options)


def function(
    path: str, arguments: Callable[..., Sequence[Any]] = lambda *columns: columns, **options: Any
) -> Peer:
    """A function of numpy arrays, which gets all samples at once."""
    module, _, name = path.rpartition(".")

    def prepare(batches: Batches) -> Callable[[], Any]:
        call = getattr(importlib.import_module(module), name)
        columns = [np.concatenate(column) for column in zip(*batches, strict=True)]
        return partial(call, *arguments(*columns), **options)

    return Peer(module.partition(".")[0], prepare)


def each(path: str, **options: Any) -> Peer:
    """A function of one sample's arrays; the mean over samples is taken."""
    module, _, name = path.rpartition(".")

    def prepare(batches: Batches) -> Callable[[], Any]:
        call = partial(getattr(importlib.import_module(module), name), **options)
        pairs = [pair for batch in batches for pair in zip(*batch, strict=True)]
        return lambda: statistics.fmean(call(*pair) for pair in pairs)

    return Peer(module.partition(".")[0], prepare)


def documents(name: str, **options: Any) -> Peer:
    """A class of torchmetrics that takes documents one by one, with the index of their query."""

    def prepare(batches: Batches) -> Callable[[], Any]:
        torch = importlib.import_module("torch")
        made = getattr(importlib.import_module("torchmetrics.retrieval"), name)(**options)
        flat, start = [], 0
        for scores, gains in batches:
            index = np.repeat(np.arange(start, start + len(scores)), scores.shape[1])
            start += len(scores)
            flat.append(tuple(torch.from_numpy(a.reshape(-1)) for a in (scores, gains, index)))
        return partial(run, made, made.update, flat)

    return Peer("torchmetrics", prepare)


_PARTS = (
    *("", ".classification", ".regression", ".clustering", ".nominal", ".image"),
    *(".segmentation", ".detection", ".shape", ".audio"),
)


def _of_tensors(package: str, name: str, options: Mapping[str, Any]) -> Peer:
    def prepare(batches: Batches) -> Callable[[], Any]:
        torch = importlib.import_module("torch")
        parts = _PARTS if package == "torchmetrics" else _PARTS[:1]
        modules = (importlib.import_module(package + part) for part in parts)
        metric = next(getattr(found, name) for found in modules if hasattr(found, name))(**options)
        tensors = [tuple(torch.from_numpy(np.asarray(a)) for a in batch) for batch in batches]
        return partial(run, metric, metric.update, tensors)

    return Peer(package.partition(".")[0], prepare)


def run(metric: Any, add: Callable[..., Any], batches: Iterable[Sequence[Any]]) -> Any:
    metric.reset()
    for batch in batches:
        add(*batch)
    return metric.compute()
