"""A metric with inputs and an oracle, and its evaluation at once, in batches, or on ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like._core.metric import BaseMetric
from mmeval_like.testing.inputs import take_samples
from mmeval_like.testing.local_world import LocalWorld
from mmeval_like.testing.same import same

__all__ = [
    "MetricCase",
    "Samples",
    "add_in_batches",
    "deal",
    "draw",
    "evaluate_on_ranks",
    "expect",
    "value_of",
]

Samples = tuple[Any, ...]


@dataclass(frozen=True)
class MetricCase:
    """A metric, inputs for it, and the expected results.

    Attributes:
        make: Builds the metric; takes the keyword options of `BaseMetric` and passes them on.
        samples: Given a random generator and n, returns the arguments of `add` for n samples:
            arrays whose first axis is the samples, lists of n, or None.
        oracle: Given the same arguments for all samples, returns the expected dict, computed in
            another way. Only its keys are compared. None: only the laws are checked.
        tolerance: The largest relative difference from the oracle's value; 0: equal.
        order_matters: Whether the value depends on the order of the samples.
        empty: The expected result without samples: a dict, one number for all its values, or the
            type of the exception. By default every float is nan, and every integer 0.
        array_inputs: Whether the inputs are arrays, so that other layouts and array libraries are
            tried.
        least: The smallest number of samples for which the metric is defined.
        most: The largest number of samples to try.
    """

    make: Callable[..., BaseMetric]
    samples: Callable[[np.random.Generator, int], Samples]
    oracle: Callable[..., Mapping[str, Any]] | None
    tolerance: float = 1e-12
    order_matters: bool = False
    empty: Mapping[str, Any] | float | type[Exception] = math.nan
    array_inputs: bool = True
    least: int = 1
    most: int = 24


def draw(case: MetricCase, rng: np.random.Generator) -> tuple[Samples, int]:
    """Return random samples, and their number."""
    count = int(rng.integers(case.least, case.most + 1))
    return case.samples(rng, count), count


def value_of(case: MetricCase, data: Samples) -> dict[str, Any]:
    """Return the metric of samples in one process and one batch."""
    metric = case.make(dist_backend="non_dist")
    metric.add(*data)
    return metric.compute()


def expect(value: Any, expected: Any, how: str) -> None:
    """Raise AssertionError unless a value has the bits of that from one process and one batch."""
    if not same(value, expected):
        raise AssertionError(f"{how}: {value!r}, in one process and one batch: {expected!r}")


def deal(counts: Sequence[int], mode: str) -> list[np.ndarray]:
    """Deal the indices 0, 1, ... to ranks, `counts[r]` to rank r."""
    if mode == "cat":
        return np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])
    shards: list[list[int]] = [[] for _ in counts]
    index = 0
    while index < sum(counts):
        for shard, count in zip(shards, counts, strict=True):
            if len(shard) < count:
                shard.append(index)
                index += 1
    return [np.array(shard, int) for shard in shards]


def add_in_batches(
    metric: BaseMetric,
    data: Samples,
    shard: np.ndarray,
    rng: np.random.Generator,
    ids: bool = False,
) -> None:
    """Add the samples of a shard in batches of random sizes, with their indices as ids if `ids`."""
    start = 0
    while start < len(shard):
        batch = shard[start : start + int(rng.integers(1, 8))]
        named = {"ids": batch} if ids else {}
        metric.add(*take_samples(data, batch), **named)
        start += len(batch)


def evaluate_on_ranks(
    case: MetricCase,
    data: Samples,
    shards: Sequence[np.ndarray],
    rng: np.random.Generator,
    *,
    mode: str = "unzip",
    size: int | None = None,
    members_only: bool = False,
    with_ids: bool = False,
    max_padding: int | None = None,
) -> list[dict[str, Any]]:
    """Return the value that the ranks of a world compute from their shards."""
    seeds = rng.integers(0, 2**31, len(shards))

    def evaluate(backend: Any) -> dict[str, Any]:
        metric = case.make(dist_backend=backend, dist_collect_mode=mode, max_padding=max_padding)
        rank = backend.rank
        add_in_batches(metric, data, shards[rank], np.random.default_rng(seeds[rank]), with_ids)
        return metric.compute(size)

    return LocalWorld(len(shards), members_only=members_only).run(evaluate)
