"""The laws of how samples arrive: in any order, block, form, buffer, group and thread."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from mmeval_like._core.collection import MetricCollection
from mmeval_like._core.evaluation import samples_of
from mmeval_like._core.metric import BaseMetric
from mmeval_like.testing.inputs import layouts, overwrite, take_samples
from mmeval_like.testing.local_world import LocalWorld
from mmeval_like.testing.metric_case import MetricCase, Samples, draw, expect, value_of
from mmeval_like.testing.same import same
from mmeval_like.testing.threads import at_once

__all__ = ["any_blocks", "any_buffers", "any_group", "any_layout", "any_threads"]

_BLOCKS = (0, 300, None)  # bytes of rows after which they fold; None: the states' own value


def any_blocks(case: MetricCase, rng: np.random.Generator) -> None:
    """Samples in sorted, partly sorted or random order, folded in small or large blocks."""
    data, count = draw(case, rng)
    expected = value_of(case, data)
    for name, order in _orders(case, data, count):
        arranged = take_samples(data, order)
        block, step = _BLOCKS[int(rng.integers(3))], int(rng.integers(1, 9))
        ranks = int(rng.integers(1, 4))

        def evaluate(
            backend: Any, columns: Samples = arranged, step: int = step, block: Any = block
        ) -> Any:
            metric = case.make(dist_backend=backend, max_padding=1)
            _fold_after(metric, block)
            shard = np.arange(backend.rank, count, backend.world_size)
            for start in range(0, len(shard), step):
                metric.add(*take_samples(columns, shard[start : start + step]))
            return metric.compute()

        for value in LocalWorld(ranks).run(evaluate):
            how = f"samples {name}, {step} at a time, folded after {block} bytes, {ranks} ranks"
            expect(value, expected, how)


def _orders(
    case: MetricCase, data: Samples, count: int
) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    yield "as drawn", np.arange(count)
    if case.order_matters:
        return
    third = -(-count // 3)
    for column in data:
        if not isinstance(column, np.ndarray) or column.dtype.kind not in "biuf":
            continue
        keys = column.reshape(count, -1)
        if keys.shape[1] == 0:
            continue
        ascending = np.argsort(keys[:, 0], kind="stable")
        first = np.concatenate(
            [ascending[:third], np.setdiff1d(np.arange(count), ascending[:third])]
        )
        mixed = np.concatenate([np.sort(block)[::-1] for block in np.array_split(first[::-1], 3)])
        for order in (first, mixed):  # in order for a while, then not
            head = order[:third]
            order[:third] = head[np.argsort(keys[head, 0], kind="stable")]
        yield "ascending", ascending
        yield "descending", ascending[::-1]
        yield "at first ascending, then not", first
        yield "in ascending and descending blocks", mixed


def _fold_after(metric: BaseMetric, block: int | None) -> None:
    if block is not None and not metric.plan.lists:
        [store] = samples_of(metric).stores()
        store.backlog.block = block


def any_layout(case: MetricCase, rng: np.random.Generator) -> None:
    """Arrays of any memory layout, and lists of arrays; masked ones raise, or are read plainly."""
    data, _ = draw(case, rng)
    expected = value_of(case, data)
    if not case.array_inputs:
        return
    for name, arranged in layouts(data):
        expect(value_of(case, arranged), expected, f"given as {name}")
    masked = tuple(_masked(column) if isinstance(column, np.ndarray) else column for column in data)
    try:
        value = value_of(case, masked)
    except (TypeError, ValueError):
        return
    expect(value, expected, "given as masked arrays, which it does not reject")


def _masked(array: np.ndarray[Any, Any]) -> Any:
    hidden = np.zeros(array.shape, bool)
    hidden.reshape(-1)[::2] = True
    return np.ma.array(array, mask=hidden)


def any_buffers(case: MetricCase, rng: np.random.Generator) -> None:
    """The caller's arrays, lists and dicts are not changed, and may be reused at once."""
    data, count = draw(case, rng)
    expected = value_of(case, copy.deepcopy(data))
    step = int(rng.integers(1, 9))
    for form in ("arrays", "lists of views"):
        metric = case.make(dist_backend="non_dist")
        for start in range(0, count, step):
            lent = copy.deepcopy(take_samples(data, np.arange(start, min(start + step, count))))
            given = lent
            if form != "arrays":
                if not case.array_inputs:
                    continue
                given = tuple([*c] if isinstance(c, np.ndarray) else c for c in lent)
            before = copy.deepcopy(given)
            metric.add(*given)
            if not same(given, before):
                raise AssertionError("add() changed its input")
            overwrite(lent)
        if form == "arrays" or case.array_inputs:
            expect(metric.compute(), expected, f"after the caller overwrote its {form}")


def any_group(case: MetricCase, rng: np.random.Generator) -> None:
    """In a collection with an equal metric, on any number of ranks, the values are the same."""
    data, count = draw(case, rng)
    expected = value_of(case, data)

    def evaluate(backend: Any) -> Any:
        metrics = MetricCollection({"one": case.make(), "two": case.make()}, backend)
        shard = np.arange(backend.rank, count, backend.world_size)
        for part in np.array_split(shard, 2):
            if len(part):
                metrics.add(*take_samples(data, part))
        return metrics.compute()

    for ranks in (1, 2):
        for values in LocalWorld(ranks).run(evaluate):
            for name in ("one", "two"):
                expect(values[name], expected, f"member {name!r} of a collection, {ranks} ranks")


def any_threads(case: MetricCase, rng: np.random.Generator) -> None:
    """Two threads that add to one metric lose no samples, or one thread gets an error."""
    if case.order_matters:
        return
    data, count = draw(case, rng)
    expected = value_of(case, data)
    metric = case.make(dist_backend="non_dist", max_padding=0)
    _fold_after(metric, 300)

    def add(part: np.ndarray[Any, Any]) -> None:
        for index in part:
            metric.add(*take_samples(data, np.array([index])))

    try:
        at_once(*(partial(add, np.arange(thread, count, 2)) for thread in range(2)))
    except Exception:  # the thread got an error
        return
    expect(metric.compute(), expected, "added by two threads")
