"""The ways in which the same samples can arrive: every one must give the same bits."""

from __future__ import annotations

import copy
import pickle
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import mmeval_like as mm
from mmeval_like._core.metric import BaseMetric
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.inputs import layouts
from mmeval_like.testing.metric_case import deal
from tests.hunt.trial import Generator, Trial

__all__ = ["WAYS", "alone"]


def alone(trial: Trial) -> dict[str, Any]:
    """Return the value in one process and one batch."""
    metric = trial.make(dist_backend="non_dist")
    metric.add(*trial.data)
    return metric.compute()


def _batches(
    metric: Any, trial: Trial, rng: Generator, which: Any, ids: bool = False, **more: Any
) -> None:
    which = np.asarray(which, np.int64)
    cuts = np.sort(rng.integers(0, len(which) + 1, int(rng.integers(0, 5))))
    for part in np.split(which, cuts):
        if len(part):
            metric.add(*trial.part(part), **({"ids": part} if ids else {}),
                       **{key: make(part) for key, make in more.items()})  # fmt: skip


def _in_batches(trial: Trial, rng: Generator) -> list[Any]:
    metric = trial.make(dist_backend="non_dist")
    _batches(metric, trial, rng, np.arange(trial.count))
    first = metric.compute()
    metric(*trial.data)
    return [first, metric.compute(), metric.compute_local()]


def _on_ranks(trial: Trial, rng: Generator) -> list[Any]:
    ranks, mode = int(rng.integers(1, 6)), str(rng.choice(["cat", "unzip"]))
    counts = rng.multinomial(trial.count, rng.dirichlet(np.full(ranks, 0.4))).tolist()
    shards, seeds = deal(counts, mode), rng.integers(0, 2**31, ranks)
    twice = rng.random() < 0.3

    def evaluate(backend: Any) -> list[Any]:
        metric = trial.make(dist_backend=backend, dist_collect_mode=mode)
        own = np.random.default_rng(seeds[backend.rank])
        _batches(metric, trial, own, shards[backend.rank])
        values = [metric.compute()]
        if twice:
            metric.reset()
            _batches(metric, trial, own, shards[backend.rank])
            values.append(metric.compute())
        return values

    world = LocalWorld(ranks, members_only=bool(rng.integers(2)))
    return [value for values in world.run(evaluate) for value in values]


def _padded(trial: Trial, rng: Generator) -> list[Any]:
    ranks, count = int(rng.integers(1, 6)), trial.count
    each = -(-count // ranks)
    padded = np.arange(each * ranks) % count
    seed = int(rng.integers(2**31))

    def evaluate(backend: Any) -> Any:
        metric = trial.make(dist_backend=backend)
        shard = padded[backend.rank :: ranks]
        _batches(metric, trial, np.random.default_rng(seed + backend.rank), shard)
        return metric.compute(size=count)

    return LocalWorld(ranks).run(evaluate)


def _by_ids(trial: Trial, rng: Generator) -> list[Any]:
    ranks = int(rng.integers(1, 5))
    dealt = np.concatenate([np.arange(trial.count), rng.integers(0, trial.count, 5)])
    rng.shuffle(dealt)
    owner, seed = rng.integers(0, ranks, len(dealt)), int(rng.integers(2**31))

    def evaluate(backend: Any) -> Any:
        metric = trial.make(dist_backend=backend)
        shard = dealt[owner == backend.rank]
        _batches(metric, trial, np.random.default_rng(seed + backend.rank), shard, ids=True)
        return metric.compute(size=trial.count)

    return LocalWorld(ranks).run(evaluate)


def _halves(trial: Trial, rng: Generator) -> tuple[BaseMetric, BaseMetric]:
    cut = int(rng.integers(0, trial.count + 1))
    first, second = trial.make(dist_backend="non_dist"), trial.make()
    _batches(first, trial, rng, np.arange(cut))
    _batches(second, trial, rng, np.arange(cut, trial.count))
    return first, second


def _saved(trial: Trial, rng: Generator) -> list[Any]:
    first, second = _halves(trial, rng)
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder, name)) for name in ("a", "b")]
        first.save(paths[0])
        second.save(paths[1])
        loaded = trial.make(dist_backend="non_dist")
        loaded.load(paths)
    again = trial.make(dist_backend="non_dist")
    again.load_state_dict(loaded.state_dict())
    return [loaded.compute(), again.compute()]


def _merged(trial: Trial, rng: Generator) -> list[Any]:
    first, second = _halves(trial, rng)
    both = copy.deepcopy(pickle.loads(pickle.dumps(first)))
    both.merge(second)
    values = [both.compute()]
    extra = trial.make()
    _batches(extra, trial, rng, rng.integers(0, trial.count, 4))
    both.merge(extra)
    try:
        both.subtract(extra)
    except TypeError:  # a metric that keeps rows
        return values
    return [*values, both.compute()]


def _collected(trial: Trial, rng: Generator) -> list[Any]:
    ranks, seed = int(rng.integers(1, 4)), int(rng.integers(2**31))
    owner = np.sort(rng.integers(0, ranks, trial.count))

    def evaluate(backend: Any) -> list[Any]:
        members = {name: trial.make(dist_collect_mode="cat") for name in "abc"}
        metrics = mm.MetricCollection(members, dist_backend=backend)
        own = np.random.default_rng(seed + backend.rank)
        _batches(metrics, trial, own, np.flatnonzero(owner == backend.rank))
        return list(metrics.compute().values())

    return [value for values in LocalWorld(ranks).run(evaluate) for value in values]


def _sliced(trial: Trial, rng: Generator) -> list[Any]:
    ranks, seed = int(rng.integers(1, 4)), int(rng.integers(2**31))
    owner = np.sort(rng.integers(0, ranks, trial.count))
    keys = rng.integers(-2, 3, trial.count)

    def evaluate(backend: Any) -> Any:
        members = {name: trial.make(dist_collect_mode="cat") for name in "ab"}
        sliced = mm.Sliced(members, by=["key"], dist_backend=backend)
        own = np.random.default_rng(seed + backend.rank)
        which = np.flatnonzero(owner == backend.rank)
        _batches(sliced, trial, own, which, by=lambda part: {"key": keys[part]})
        return sliced.compute()

    results = LocalWorld(ranks).run(evaluate)
    for key in np.unique(keys):
        own = trial.make(dist_backend="non_dist")
        own.add(*trial.part(np.flatnonzero(keys == key)))
        wanted = repr(own.compute())
        for result in results:
            for found in result[f"key={key}"].values():
                if repr(found) != wanted:
                    raise AssertionError(f"slice {key} is {found!r}, alone it is {wanted}")
    return [value for result in results for value in result["all"].values()]


def _arranged(trial: Trial, rng: Generator) -> list[Any]:
    values = []
    for _, data in layouts(trial.data):
        metric = trial.make(dist_backend="non_dist")
        metric.add(*data)
        values.append(metric.compute())
    return values


def _threads(trial: Trial, rng: Generator) -> list[Any]:
    metric = trial.make(dist_backend="non_dist")
    shards = np.array_split(np.arange(trial.count), 2)
    seed = int(rng.integers(2**31))

    def work(index: int) -> None:
        _batches(metric, trial, np.random.default_rng(seed + index), shards[index])

    threads = [threading.Thread(target=work, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [metric.compute()]


def _shuffled(trial: Trial, rng: Generator) -> list[Any]:
    metric = trial.make(dist_backend="non_dist")
    _batches(metric, trial, rng, rng.permutation(trial.count))
    return [metric.compute()]


WAYS: dict[str, Callable[[Trial, Generator], list[Any]]] = {
    "in batches": _in_batches,
    "on ranks": _on_ranks,
    "padded": _padded,
    "by ids": _by_ids,
    "saved": _saved,
    "merged": _merged,
    "collected": _collected,
    "sliced": _sliced,
    "arranged": _arranged,
    "by threads": _threads,
    "shuffled": _shuffled,
}
FOR_ANY_ORDER = ("by threads", "shuffled")
