"""Every case of the kit: computed, in pieces, saved, on ranks, and in every wrapper."""

from __future__ import annotations

import copy
import inspect
import pickle
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import mmeval_like as mm
from mmeval_like.testing import MetricCase

from .seeing import Counted, Seen, Sight, taken

__all__ = ["groups", "shards_of", "told"]


def groups() -> Iterator[tuple[str, Callable[[Sight], None]]]:
    """Yield the name of every case, and what runs its checks."""
    from tests.metric_cases import CASES  # of the checkout that is asked

    for name, case in sorted(CASES.items()):
        yield f"kit/{name}", _Checks(name, case)


def told(metric: Any, result: Any = None) -> dict[str, Any]:
    """Return what a metric computes and says afterwards."""
    found = metric.compute() if result is None else result
    return {
        "result": found,
        "samples": getattr(found, "samples", None),
        "classes": getattr(found, "classes", None),
        "intervals": dict(metric.intervals),
        "report": metric.report,
    }


def shards_of(count: int, ranks: int, mode: str) -> list[np.ndarray]:
    """Return the places of the samples of each rank; of three ranks one has none."""
    if ranks == 3:
        counts = [count - count // 3, 0, count // 3]
    else:
        counts = [count // ranks + (rank < count % ranks) for rank in range(ranks)]
    if mode == "cat":
        return np.split(np.arange(count), np.cumsum(counts)[:-1])
    shards: list[list[int]] = [[] for _ in range(ranks)]
    place = 0
    while place < count:
        for shard, wanted in zip(shards, counts, strict=True):
            if len(shard) < wanted:
                shard.append(place)
                place += 1
    return [np.array(shard, int) for shard in shards]


class _Checks:
    """The checks of one case."""

    def __init__(self, name: str, case: MetricCase) -> None:
        self.name, self.case = name, case

    def __call__(self, see: Sight) -> None:
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        self.count = min(self.case.most, max(self.case.least, 9))
        self.data = self.case.samples(rng, self.count)
        self.parts = np.array_split(np.arange(self.count), 2)
        self.x = ["ab"[number] for number in rng.integers(0, 2, self.count)]
        self.clusters = rng.integers(0, max(2, self.count // 2), self.count)
        self.alone(see)
        self.in_pieces(see)
        self.stored(see)
        self.with_ids(see)
        self.on_ranks(see)
        self.wrapped(see)

    # How the samples come into a metric --------------------------------------------------------

    def make(self, **options: Any) -> Any:
        """Return a metric of one process, without samples."""
        return self.case.make(**{"dist_backend": "non_dist", **options})

    def fill(self, metric: Any, which: Any = None, **columns: Any) -> Any:
        """Return a metric after it got some samples in two batches."""
        places = np.arange(self.count) if which is None else np.asarray(which, int)
        for part in np.array_split(places, 2):
            if len(part):
                named = {name: self.of(column, part) for name, column in columns.items()}
                metric.add(*taken(self.data, part), **named)
        return metric

    @staticmethod
    def of(column: Any, places: np.ndarray) -> Any:
        """Return the entries of a column, or of a mapping of columns, at these places."""
        if isinstance(column, dict):
            return {name: [values[place] for place in places] for name, values in column.items()}
        return [column[place] for place in places]

    # The checks --------------------------------------------------------------------------------

    def alone(self, see: Sight) -> None:
        """One process."""
        see("compute", lambda: told(self.fill(self.make())))
        see("one batch", lambda: self.once(self.make()))
        see("no samples", lambda: told(self.make()))
        see("interval", lambda: told(self.fill(self.make(interval=0.95))))
        see("interval 0.8", lambda: told(self.once(self.make(interval=0.8), True)))
        see("clusters", lambda: told(self.fill(self.make(interval=0.95), clusters=self.clusters)))
        see("clusters only", lambda: told(self.fill(self.make(), clusters=self.clusters)))
        see("per_sample", lambda: self.make().per_sample(*self.data))
        see("call", self.called)
        see("flat", lambda: self.flat())
        see("facts", self.facts)

    def once(self, metric: Any, whole: bool = False) -> Any:
        """Return the result of one batch."""
        metric.add(*self.data)
        return metric if whole else metric.compute()

    def called(self) -> Any:
        """A call leaves what was added before as it was."""
        metric = self.fill(self.make(), self.parts[0])
        return [metric(*taken(self.data, self.parts[1])), metric.compute()]

    def flat(self) -> Any:
        """The result in its other forms."""
        result = self.fill(self.make(interval=0.95)).compute()
        return Seen([result.flat("p/"), result.plain()], [result._repr_html_()])

    def facts(self) -> Any:
        """What a metric says of itself; how it reads may change."""
        metric = self.fill(self.make(interval=0.95))
        shown = [repr(metric), str(inspect.signature(type(metric).add))]
        return Seen(
            [
                metric.name,
                metric.higher_is_better,
                metric.every_rank_computes,
                dict(metric.ranges),
                metric.no_interval is None,
                metric.dataset_meta,
                metric.interval,
            ],
            [*shown, metric.no_interval],
        )

    def in_pieces(self, see: Sight) -> None:
        """Samples that are merged, taken away, forgotten, computed while others come."""
        see("merge", self.merged)
        see("add two", lambda: self.two()[0].__add__(self.two()[1]).compute())
        see("mm.merge", lambda: mm.merge(self.two()).compute())
        see("subtract", self.subtracted)
        see("subtract with interval", lambda: self.subtracted(interval=0.95))
        see("subtract too many", self.subtracted_too_many)
        see("reset", self.started_anew)
        see("go on", self.gone_on)
        see("compute_local", lambda: self.fill(self.make(interval=0.95)).compute_local())
        see("compute_async", self.computed_later)
        see("evaluation", self.in_a_block)
        see("copies", self.copied)
        see("other options", lambda: self.fill(self.make()).merge(self.make(interval=0.9)))

    def two(self, **options: Any) -> list[Any]:
        """Return two metrics with half of the samples each."""
        return [self.fill(self.make(**options), part) for part in self.parts]

    def merged(self) -> Any:
        """One behind the other, with intervals."""
        first, second = self.two(interval=0.95)
        first.merge(second)
        return [told(first), told(second)]

    def subtracted(self, **options: Any) -> Any:
        """All samples without the first ones."""
        first, _ = self.two(**options)
        metric = self.fill(self.make(**options), self.parts[0])
        metric = self.fill(metric, self.parts[1])
        metric.subtract(first)
        return told(metric)

    def subtracted_too_many(self) -> Any:
        """More than there are."""
        first, _ = self.two()
        first.subtract(self.fill(self.make()))

    def started_anew(self) -> Any:
        """Other samples after a reset."""
        metric = self.fill(self.make(interval=0.95), self.parts[0])
        first = metric.compute()
        metric.reset()
        left = dict(metric.intervals)
        return [first, left, told(self.fill(metric, self.parts[1]))]

    def gone_on(self) -> Any:
        """Samples after a compute."""
        metric = self.fill(self.make(), self.parts[0])
        return [metric.compute(), self.fill(metric, self.parts[1]).compute(), metric.compute()]

    def computed_later(self) -> Any:
        """The result of the samples at the call."""
        metric = self.fill(self.make(interval=0.95), self.parts[0])
        handle = metric.compute_async()
        self.fill(metric, self.parts[1])
        return [handle.result(), metric.compute()]

    def in_a_block(self) -> Any:
        """What leaving the block computes."""
        metric = self.make()
        with metric.evaluation() as run:
            self.fill(metric)
        return run.result

    def copied(self) -> Any:
        """Deep copies and pickles have samples of their own."""
        metric = self.fill(self.make(interval=0.95), self.parts[0])
        others = [copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))]
        for other in others:
            self.fill(other, self.parts[1])
        return [told(one) for one in (metric, *others)]

    def stored(self, see: Sight) -> None:
        """Files, bytes and dicts."""
        see("state_dict", self.through_a_dict)
        see("bytes", self.through_bytes)
        see("file", self.through_files)
        see("file of other options", self.through_other_options)

    def through_a_dict(self) -> Any:
        """What a state_dict keeps."""
        metric = self.fill(self.make(interval=0.95), self.parts[0])
        kept = metric.state_dict()
        other = self.fill(self.make(interval=0.95))
        other.load_state_dict(kept)
        return Seen(told(self.fill(other, self.parts[1])), [len(kept), sorted(kept)])

    def through_bytes(self) -> Any:
        """What bytes keep."""
        metric = self.fill(self.make())
        data = metric.to_bytes()
        return Seen(told(self.make().from_bytes(data)), [len(data)])

    def through_files(self) -> Any:
        """What two files keep."""
        with tempfile.TemporaryDirectory(prefix="net-") as folder:
            paths = [Path(folder, str(number)) for number in range(2)]
            for metric, path in zip(self.two(interval=0.95), paths, strict=True):
                metric.save(path)
            metric = self.make(interval=0.95)
            metric.load(paths)
            return told(metric)

    def through_other_options(self) -> Any:
        """Samples with intervals are not those without."""
        with tempfile.TemporaryDirectory(prefix="net-") as folder:
            path = Path(folder, "0")
            self.fill(self.make(interval=0.95)).save(path)
            metric = self.make()
            metric.load(path)
            return told(metric)

    def with_ids(self, see: Sight) -> None:
        """Samples that have ids, some twice, in another order."""
        order = np.random.default_rng(0).permutation(self.count)
        again = [*order, *order[: self.count // 2]]
        numbers, texts = np.arange(self.count), [f"id-{n}" for n in range(self.count)]

        def filled(ids: Any, which: Any = again, **options: Any) -> Any:
            return self.fill(self.make(**options), which, ids=ids)

        def size(metric: Any, number: int, **how: Any) -> Any:
            return told(metric, metric.compute(number, **how))

        see("ids", lambda: told(filled(numbers)))
        see("ids and size", lambda: size(filled(numbers, interval=0.95), self.count))
        see("ids that are texts", lambda: size(filled(texts), self.count))
        see("ids missing", lambda: size(filled(numbers), self.count + 2))
        see(
            "ids missing, reported",
            lambda: size(filled(numbers), self.count + 2, missing="report"),
        )
        see("ids remaining", lambda: filled(numbers, order[:1]).remaining(self.count + 2))
        see("ids in some calls", lambda: self.fill(filled(numbers)))
        see("ids of two kinds", lambda: self.fill(filled(numbers), ids=texts))
        see("ids subtracted", lambda: filled(numbers).subtract(filled(numbers, order[:1])))
        see("size", lambda: size(self.fill(self.make()), self.count))
        see("size too large", lambda: size(self.fill(self.make()), self.count + 1))
        see("size too small", lambda: size(self.fill(self.make()), self.count - 1))
        see("size, padding", lambda: size(self.fill(self.make(max_padding=3)), self.count - 1))
        see("size, no padding", lambda: size(self.fill(self.make(max_padding=0)), self.count - 1))

    def on_ranks(self, see: Sight) -> None:
        """One to three ranks, whose messages are counted."""
        for ranks in (1, 2, 3):
            for mode in ("unzip", "cat"):
                see(f"{ranks} ranks, {mode}", lambda r=ranks, m=mode: self.world(r, mode=m))
        see("2 ranks, members only", lambda: self.world(2, members_only=True))
        see("2 ranks, interval", lambda: self.world(2, interval=0.95))
        see("2 ranks, clusters", lambda: self.world(2, interval=0.95, clusters=self.clusters))
        see("2 ranks, ids", lambda: self.world(2, size=self.count, ids=np.arange(self.count)))
        see("2 ranks, padded", lambda: self.world(2, size=self.count, padded=True))
        see("2 ranks, later", lambda: self.world(2, later=True))

    def world(
        self,
        ranks: int,
        *,
        mode: str = "unzip",
        members_only: bool = False,
        size: int | None = None,
        padded: bool = False,
        later: bool = False,
        interval: float | None = None,
        **columns: Any,
    ) -> Any:
        """Return what every rank computes."""
        world = Counted(ranks, members_only=members_only)
        shards = shards_of(self.count, ranks, mode)
        if padded:
            most = max(map(len, shards))
            shards = [np.append(s, [0] * (most - len(s))).astype(int) for s in shards]

        def evaluate(backend: Any) -> Any:
            metric = self.make(dist_backend=backend, dist_collect_mode=mode, interval=interval)
            self.fill(metric, shards[backend.rank], **columns)
            if later:
                return told(metric, metric.compute_async().result())
            return told(metric, metric.compute(size))

        return Seen(world.run(evaluate), world=world)

    def wrapped(self, see: Sight) -> None:
        """What stands around a metric."""
        by = {"x": self.x}
        see("collection", lambda: self.in_collection("non_dist"))
        see("collection, 2 ranks", lambda: self.wrapped_on_ranks(self.in_collection))
        see("sliced", lambda: told(self.fill(mm.Sliced(self.make(), by="x"), by=by)))
        see("sliced, interval", lambda: self.in_slices("non_dist"))
        see("sliced, 2 ranks", lambda: self.wrapped_on_ranks(self.in_slices))
        see("paired", lambda: self.in_a_pair("non_dist"))
        see("paired, 2 ranks", lambda: self.wrapped_on_ranks(self.in_a_pair))
        see("paired slices", lambda: self.in_a_pair("non_dist", by=by))
        see("paired clusters", lambda: self.in_a_pair("non_dist", clusters=self.clusters))
        see("windowed", lambda: self.in_a_window("non_dist"))
        see("windowed, 2 ranks", lambda: self.wrapped_on_ranks(self.in_a_window))
        see("running", lambda: self.of_the_last("non_dist"))
        see("running, 2 ranks", lambda: self.wrapped_on_ranks(self.of_the_last))
        see("recorded", lambda: self.recorded("non_dist"))
        see("recorded, 2 ranks", lambda: self.wrapped_on_ranks(self.recorded))
        see("gates", self.gated)

    def wrapped_on_ranks(self, check: Callable[..., Any]) -> Any:
        """Run a check on two ranks."""
        world = Counted(2)
        shards = shards_of(self.count, 2, "unzip")
        found = world.run(lambda backend: check(backend, shards[backend.rank]))
        return Seen(found, world=world)

    def in_collection(self, backend: Any, which: Sequence[int] | None = None) -> Any:
        """Two equal ones, one with intervals, and a mean of another kind."""
        metrics = mm.MetricCollection(
            {
                "one": self.case.make(),
                "two": self.case.make(),
                "sure": self.case.make(interval=0.9),
            },
            backend,
            prefix="p_",
        )
        self.fill(metrics, which)
        alone = metrics["two"]
        return [told(metrics), [*metrics], alone.compute_local(), metrics(*self.data)]

    def in_slices(self, backend: Any, which: Sequence[int] | None = None) -> Any:
        """Slices of one column, with intervals and summaries."""
        inner = self.case.make(interval=0.95)
        metric = mm.Sliced(inner, by="x", dist_backend=backend, summaries=True)
        return told(self.fill(metric, which, by={"x": self.x}))

    def in_a_pair(self, backend: Any, which: Any = None, by: Any = None, **columns: Any) -> Any:
        """A system against one that mixes the samples up."""
        inner = self.case.make() if by is None else mm.Sliced(self.case.make(), by="x")
        pair = mm.Paired(inner, dist_backend=backend, list_flips=True)
        columns |= {"ids": np.arange(self.count)} | ({} if by is None else {"by": by})
        self.fill(pair.a, which, **columns)
        mixed = copy.copy(self)
        # The predictions of other samples, for the same labels.
        mixed.data = (*taken(self.data[:1], np.roll(np.arange(self.count), 2)), *self.data[1:])
        mixed.fill(pair.b, which, **columns)
        return told(pair)

    def in_a_window(self, backend: Any, which: Any = None) -> Any:
        """The last four samples in buckets of two."""
        metric = mm.Windowed(self.case.make(interval=0.95), 4, 2, dist_backend=backend)
        return told(self.fill(metric, which))

    def of_the_last(self, backend: Any, which: Any = None) -> Any:
        """The last four samples, one by one."""
        metric = mm.Running(self.case.make(), 4, dist_backend=backend)
        return told(self.fill(metric, which))

    def recorded(self, backend: Any, which: Any = None) -> Any:
        """The claim of a record."""
        metric = mm.Recorded(self.case.make(interval=0.95), dist_backend=backend)
        self.fill(metric, which, ids=np.arange(self.count))
        found = told(metric)
        record = metric.record()
        return [found, record["claim"], record["id"]]

    def gated(self) -> Any:
        """What gates say of every key that has an interval."""
        metric = self.fill(self.make(interval=0.95))
        metric.compute()
        found = {}
        for key, one in metric.intervals.items():
            value = getattr(one, "value", None)
            if isinstance(value, float) and np.isfinite(value):
                found[key] = [
                    mm.gate(metric, key, at_least=value), mm.gate(metric, key, at_most=value)
                ]  # fmt: skip
        return found
