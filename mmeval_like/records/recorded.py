"""Recorded: metrics that know a digest of their samples, and so can give a record."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import RLock
from typing import Any

import numpy as np

from mmeval_like._core.result import Result
from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._samples.ids import read_ids
from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store
from mmeval_like._states.results import Results
from mmeval_like.backends import BaseDistBackend
from mmeval_like.collection import MetricCollection
from mmeval_like.evaluable import Evaluable
from mmeval_like.metric import BaseMetric
from mmeval_like.records.claim import Found, Shards, claim_of, describe_metric, made_now, record_of
from mmeval_like.records.digest import LANES, HashSum, lanes_of
from mmeval_like.records.rows import row_hashes
from mmeval_like.sliced import Sliced
from mmeval_like.tables.arguments import taken

__all__ = ["Recorded"]

_SHARDS = "shards"  # the key in a saved state


class _Values(dict[str, Any]):
    """The values of metrics, with their intervals and what a record says of the samples."""

    intervals: Mapping[str, Any] = {}
    found: Found


@dataclass(frozen=True)
class _Computed:
    result: Result
    found: Found
    ranks: int
    backend: str


class Recorded(Evaluable):
    """A metric, a collection or slices that also keep a digest of their samples.

    `record` then returns what the evaluation found, with all that another person needs to see that
    his samples are the same: `mmeval_like.verify` compares two records. The digest is one more sum
    in the same exchange. It is made of what is passed to `add`, and not of what the metric makes of
    it: a label or the last bit of a score that no metric notices changes it all the same.

    Args:
        metrics: A metric, a collection, metrics by name, or `Sliced`; without their samples.
        dist_backend: As for a metric; None: the one that the metrics name.

    Attributes:
        shard: The name of the shard, for instance of the file, whose samples are added from now
            on; None: of none. Each shard has a digest of its own.
        shards: By name of the shard its number of samples and its digest, of this rank.

    Returns of `compute`: What the metrics return.

    Raises:
        TypeError: There are no metrics.

    Example:
        >>> from mmeval_like import Accuracy, Recorded
        >>> metric = Recorded(Accuracy())
        >>> metric.add([0, 1, 1], [0, 1, 0], ids=[0, 1, 2])
        >>> metric.compute()
        {'top1': 0.6666666666666666}
        >>> claim = metric.record()["claim"]
        >>> claim["values"]["all"]["Accuracy"]["top1"]["text"], claim["samples"]["count"]
        ('0.6666666666666666', 3)
    """

    _computed: _Computed | None

    def __init__(
        self,
        metrics: BaseMetric | MetricCollection | Sliced | Mapping[str, BaseMetric],
        *,
        dist_backend: str | BaseDistBackend | None = None,
    ) -> None:
        given: Any = MetricCollection(metrics) if isinstance(metrics, Mapping) else metrics
        if not isinstance(given, BaseMetric | MetricCollection | Sliced):
            wanted = "a metric, a MetricCollection, metrics by name, or Sliced"
            raise TypeError(f"metrics must be {wanted}, got {type(metrics).__name__}")
        self._metrics: Any = given._without_samples()
        self.dist_backend = given.dist_backend if dist_backend is None else dist_backend
        self.dist_collect_mode = given.dist_collect_mode
        self.every_rank_computes = given.every_rank_computes
        self._evaluating = False
        self._lock = RLock()  # several threads may add
        self.shard: str | None = None
        self.reset()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=RLock())

    def add(
        self, *batch: Any, ids: Any = None, clusters: Any = None, by: Any = None, **named: Any
    ) -> None:
        """Accumulate a batch; all of it, or nothing when it raises.

        Args:
            *batch: What the metrics' `add` takes, one entry for each sample in every argument.
            ids: As in `BaseMetric.add`. With ids a record can tell which samples differ.
            clusters: As in `BaseMetric.add`.
            by: For `Sliced`, what its `add` takes.
            **named: What the metrics' `add` takes, by name.

        Raises:
            ValueError: An argument does not have one entry for each sample.
            Exception: A metric raised it.
        """
        columns = {**dict(zip(self._arguments(), batch, strict=False)), **named} if batch else named
        count = min([len(column) for column in columns.values() if column is not None], default=0)
        columns = {**columns, "clusters": clusters}
        columns |= {f"by {name}": values for name, values in (by or {}).items()}
        columns["ids"] = None if ids is None else read_ids(ids, count)
        hashes = row_hashes(columns, count)
        places = {"ids": ids, "clusters": clusters, "by": by}
        given = {name: place for name, place in places.items() if place is not None}
        with self._lock:
            checked = self._rows.check({"rows": hashes}, ids)
            self._metrics.add(*batch, **named, **given)
            self._rows.append(checked)
            self._computed = None
            if self.shard is not None:
                self._count_shard(self.shard, count, lanes_of(hashes))

    def record(
        self,
        request: Mapping[str, Any] | None = None,
        shards: Shards | None = None,
        made: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return what the last `compute` found, as a dict that JSON can have.

        Its part "claim" is the same for the same samples, on any ranks, in any order: whoever
        verifies it computes it again. The part "made" says how it came about, and may differ. "id"
        is the SHA-256 of the claim in the form of RFC 8785. Neither has a path or a user's name.

        Args:
            request: What was asked for beside the metrics, for instance which columns were read:
                part of the claim.
            shards: By name of each shard its number of samples and its digest, of all ranks; by
                default those of this rank, if all samples are in them.
            made: Facts for the part "made".

        Raises:
            RuntimeError: `compute` was not called since the last `add`.
        """
        computed = self._computed
        if computed is None:
            raise RuntimeError("record() tells what compute() found: call compute() first")
        shards = self.shards if shards is None else shards
        claim = claim_of(
            {name: describe_metric(metric) for name, metric in self.members.items()},
            request or {},
            computed.result,
            computed.found,
            shards,
            next(iter(self.members)) if isinstance(self._inner(), BaseMetric) else None,
            isinstance(self._metrics, Sliced),
        )
        world = {"ranks": computed.ranks, "backend": computed.backend}
        return record_of(claim, made_now(world) | dict(made or {}))

    def reset(self) -> None:
        """Forget all samples."""
        self._metrics.reset()
        self._rows = Store({"rows": HashSum()}, self._max_padding())
        self.shards: dict[str, tuple[int, np.ndarray]] = {}
        self._computed = None
        self._count_reset()

    def state_dict(self) -> dict[str, Any]:
        """Return this rank's samples so far, and the digests of its shards."""
        shards = {name: [count, *map(int, lanes)] for name, (count, lanes) in self.shards.items()}
        return super().state_dict() | {_SHARDS: shards}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Replace the samples so far by those of a `state_dict`; errors as of a metric."""
        super().load_state_dict(state_dict)
        self.shards = {
            str(name): (int(count), np.array(lanes, np.int64))
            for name, (count, *lanes) in state_dict.get(_SHARDS, {}).items()
        }

    def merge(self, other: Recorded) -> None:
        """Append another instance's samples behind this one's; errors as of a metric."""
        super().merge(other)
        for name, (count, lanes) in other.shards.items():
            self._count_shard(name, count, lanes)

    def subtract(self, other: Recorded) -> None:
        """Take another instance's samples away; errors as of a metric."""
        super().subtract(other)
        self._computed = None
        for name, (count, lanes) in other.shards.items():
            self._count_shard(name, -count, -lanes)
        if any(count < 0 for count, _ in self.shards.values()):
            self.shards = {}  # the samples came from other shards: nothing is known of these

    def _count_shard(self, name: str, count: int, lanes: np.ndarray) -> None:
        before = self.shards.get(name, (0, np.zeros(LANES, np.int64)))
        self.shards[name] = (before[0] + count, before[1] + lanes)

    def _inner(self) -> BaseMetric | MetricCollection:
        inner: Any = self._metrics._metrics if isinstance(self._metrics, Sliced) else self._metrics
        found: BaseMetric | MetricCollection = inner
        return found

    @property
    def members(self) -> dict[str, BaseMetric]:
        """The metrics by the names that they have in a record."""
        inner = self._inner()
        if isinstance(inner, BaseMetric):
            return {inner.name: inner}
        return {inner.prefix + name: member for name, member in inner._members.items()}

    def _arguments(self) -> Sequence[str]:
        return [*taken(next(iter(self.members.values())))]

    def _max_padding(self) -> int | None:
        return next(iter(self.members.values())).max_padding

    def _without_samples(self) -> Recorded:
        fresh = copy.copy(self)
        fresh._instance = copy.copy(self._instance)  # its reset is no reset of this one
        fresh._metrics = self._metrics._without_samples()
        fresh.reset()
        return fresh

    def _described(self) -> list[tuple[str, str, int]]:
        found: list[tuple[str, str, int]] = self._metrics._described()
        return found

    def _stores(self) -> list[Store]:
        return [*self._metrics._stores(), self._rows]

    def _finish(self, results: list[Results]) -> dict[str, Any]:
        *own, rows = results
        if own and len(own[0]) != len(rows):
            raise ValueError(
                f"every argument must have an entry for each sample: the metrics counted "
                f"{len(own[0])} samples of {len(rows)} entries, and have no record"
            )
        found = Found.of(rows, own, [store.states for store in self._metrics._stores()])
        values = self._metrics._finish(own)
        made = _Values(values)
        made.intervals, made.found = getattr(values, "intervals", {}), found
        return made

    def _result(self, value: Any, samples: int, report: Any) -> Result:
        result = super()._result(value, samples, report)
        backend = self.dist_comm
        name = type(backend).__name__
        self._computed = _Computed(result, value.found, backend.world_size, name)
        return result

    @property
    def _named_classes(self) -> list[str] | None:
        names: list[str] | None = self._metrics._named_classes
        return names

    @property
    def _identity(self) -> Identity:
        return Identity.of(f"Recorded({self._metrics._identity.text})")

    def _merge_parts(self, parts: list[Part]) -> None:
        with self._lock:
            self._metrics._merge_parts(parts[:-1])
            self._rows.merge(parts[-1])
            self._computed = None
