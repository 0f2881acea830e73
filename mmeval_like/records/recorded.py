"""Recorded: metrics that keep a digest of their samples and return a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like._core.accounted import REASON
from mmeval_like._core.around import Around
from mmeval_like._core.batch import Batch
from mmeval_like._core.collection import MetricCollection
from mmeval_like._core.combinator import Combinator
from mmeval_like._core.evaluation import Evaluation, Held
from mmeval_like._core.metric import BaseMetric
from mmeval_like._core.plan import EACH
from mmeval_like._core.reasons import chosen_named, read_reasons
from mmeval_like._core.slot import By, Shape, Slot, least_padding
from mmeval_like._core.view import View, last_of
from mmeval_like._intervals.interval import WithIntervals
from mmeval_like._samples.ids import read_ids
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.results import Results, ids_and_rows_of, with_rows
from mmeval_like._states.statistic import Statistic
from mmeval_like.arrays.row_hashes import row_hashes
from mmeval_like.backends import BaseDistBackend
from mmeval_like.records.claim import Found, Shards, claim_of, describe_metric, made_now, record_of
from mmeval_like.records.digest import LANES, HashSum, lanes_of
from mmeval_like.tables.arguments import taken

__all__ = ["Recorded"]

_SHARDS = "shards"  # the key in a saved state


class _Values(WithIntervals):
    """The values of metrics, with their intervals and the facts about the samples for a record."""

    found: Found


class Recorded(Combinator):
    """A metric, a collection or slices that also keep a digest of their samples.

    `record` then returns the result with everything that others need to check that they have the
    same samples: `mmeval_like.verify` compares two records. The digest is one more sum in the same
    exchange. It is computed from the arguments of `add`, not from what the metric derives from
    them: a changed label, or last bit of a score, changes the digest even if no metric notices.

    Args:
        metrics: A metric, a collection, metrics by name, `Sliced` or `Running`. Their samples are
            not taken over.
        dist_backend: As for a metric; None: the backend of the metrics.

    Attributes:
        shard: The name of the shard, for instance of the file, whose samples are added from now on;
            None: no shard. Each shard has its own digest.
        shards: The number of samples and the digest of each shard of this rank, by name.

    Returns of `compute`: The results of the metrics.

    Raises:
        TypeError: `metrics` are not metrics.

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

    def __init__(
        self,
        metrics: Evaluation | Mapping[str, Evaluation],
        *,
        dist_backend: str | BaseDistBackend | None = None,
    ) -> None:
        given: Any = MetricCollection(metrics) if isinstance(metrics, Mapping) else metrics
        if not isinstance(given, Evaluation):
            wanted = "a metric, a MetricCollection, metrics by name, or Sliced"
            raise TypeError(f"metrics must be {wanted}, got {type(metrics).__name__}")
        plan = RecordPlan(given.plan.fresh(), Shard())
        dist_backend = given.dist_backend if dist_backend is None else dist_backend
        super().__init__(plan, dist_backend)

    @property
    def plan(self) -> RecordPlan:
        """The plan that computes the metrics and a digest of the samples."""
        plan: Any = self._plan
        found: RecordPlan = plan
        return found

    @property
    def shard(self) -> str | None:
        """The name of the shard to which samples are added."""
        return self.plan.shard.name

    @shard.setter
    def shard(self, name: str | None) -> None:
        self.plan.shard.name = name

    @property
    def shards(self) -> dict[str, tuple[int, np.ndarray]]:
        """The number of samples and the digest of each shard of this rank, by name."""
        found = self._samples().aside.get(_SHARDS)
        return {} if found is None else found.known

    @shards.setter
    def shards(self, known: Mapping[str, tuple[int, np.ndarray]]) -> None:
        self._samples().aside[_SHARDS] = ShardDigests(known)

    @property
    def members(self) -> dict[str, BaseMetric]:
        """The metrics by the names that they have in a record."""
        return self.plan.members()

    def record(
        self,
        request: Mapping[str, Any] | None = None,
        shards: Shards | None = None,
        made: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the record of the last `compute`, as a dict of JSON values.

        Of a `compute_async`, it is the record of the samples that its result covers, also if others
        were added before `result()` was called.

        Its part "claim" is the same for the same samples, on any ranks, in any order: anyone who
        verifies it computes it again. The part "made" says how the record was made, and may differ.
        "id" is the SHA-256 of the claim in the form of RFC 8785. Neither part contains a path or a
        user's name.

        Args:
            request: Other facts of the request, such as the columns that were read; they become
                part of the claim.
            shards: The number of samples and the digest of each shard of all ranks, by name; by
                default the shards of this rank, if they contain all samples.
            made: Facts for the part "made".

        Raises:
            RuntimeError: `compute` was not called since the last `add`.
        """
        return self.plan.record(self._held, request, shards, made)


@dataclass
class Shard:
    """The shard to which samples are added.

    Attributes:
        name: The name of the shard; None: no shard.
    """

    name: str | None = None


class ShardDigests:
    """The number of samples and the digest of each shard of one rank, by name.

    Args:
        known: These numbers and digests.
    """

    def __init__(self, known: Mapping[str, tuple[int, np.ndarray]]) -> None:
        self.known = dict(known)

    def plus(self, other: ShardDigests) -> ShardDigests:
        """Return the shards of both."""
        found = dict(self.known)
        for name, (count, lanes) in other.known.items():
            before = found.get(name, (0, np.zeros(LANES, np.int64)))
            found[name] = (before[0] + count, before[1] + lanes)
        return ShardDigests(found)

    def minus(self, other: ShardDigests) -> ShardDigests:
        """Return the shards minus others; no shards if the samples came from other shards."""
        taken_away = {name: (-count, -lanes) for name, (count, lanes) in other.known.items()}
        left = self.plus(ShardDigests(taken_away))
        return ShardDigests({}) if any(count < 0 for count, _ in left.known.values()) else left

    def to_json(self) -> dict[str, list[int]]:
        """Return the digests as JSON values."""
        return {name: [count, *map(int, lanes)] for name, (count, lanes) in self.known.items()}

    @classmethod
    def of_json(cls, found: Mapping[str, Sequence[int]]) -> ShardDigests:
        """Return the digests that `to_json` returned as JSON values."""
        return cls(
            {
                str(name): (int(count), np.array(lanes, np.int64))
                for name, (count, *lanes) in found.items()
            }
        )


@dataclass(frozen=True)
class ArgumentsDigest(Statistic):
    """The digest of the arguments of `add`: a sum of one hash for each sample."""

    def states(self) -> dict[str, State]:
        """Return the sum of the hashes."""
        return {"rows": HashSum()}


@dataclass(frozen=True)
class RecordPlan(Around):
    """The plan that computes the inner plan, and a digest of the samples.

    Attributes:
        shard: The shard to which samples are added.

    Raises:
        TypeError: The inner plan compares two systems, or has a window.
    """

    shard: Shard
    records = True

    def __post_init__(self) -> None:
        if self.inner.compares:
            raise TypeError(
                "each system has its own samples and record: write Paired(Recorded(metric))"
            )
        if self.inner.windowed:
            raise TypeError(
                "a record covers the samples in the window: write Windowed(Recorded(metric), "
                "samples)"
            )

    @property
    def slots(self) -> Sequence[Slot]:
        """The slots of the inner plan, and the slot of the digest."""
        inner = self.inner.slots
        padding = least_padding([one.shape.max_padding for one in inner])
        digest = Slot(ArgumentsDigest(), Shape(max_padding=padding))
        if self._accounts:
            digest = digest.within(By((REASON,), "drop", {"rows": np.zeros(1, np.uint64)}))
        return [*inner, digest]

    @property
    def _accounts(self) -> bool:
        """Whether the metrics account for samples without a score."""
        return any(place.metric.unscored is not None for place in self.places())

    def around(self, text: str) -> str:
        """Return the text that names the inner plan and the digest around it."""
        return f"Recorded({text})"

    def members(self) -> dict[str, BaseMetric]:
        """Return the metrics by the names that they have in a record."""
        return {place.name or place.metric.name: place.metric for place in self.places()}

    def read(self, batch: Batch) -> list[Mapping[str, Any] | None]:
        """Return the rows of the inner plan, and the hash of each sample."""
        columns = dict(batch.named)
        if batch.args:
            arguments = taken(next(iter(self.members().values())))
            columns = {**dict(zip(arguments, batch.args, strict=False)), **columns}
        count = min([len(column) for column in columns.values() if column is not None], default=0)
        columns["clusters"] = batch.clusters
        reasons = None if batch.unscored is None else read_reasons(batch.unscored)
        count = count if reasons is None else len(reasons)
        columns |= {f"by {name}": values for name, values in batch.by.items()}
        columns["ids"] = None if batch.ids is None else read_ids(batch.ids, count)
        hashes = _hashes(columns, count, reasons)
        if (name := self.shard.name) is not None:
            digest = ShardDigests({name: (count, lanes_of(hashes))})
            batch.aside[_SHARDS] = digest
        return [*self.inner.read(batch), {"rows": hashes}]

    def finish(self, views: Sequence[View]) -> dict[str, Any]:
        """Return the values of the inner plan, with the facts about the samples for a record."""
        *own, rows = views
        values = self.inner.finish(own)
        if rows.differences:
            return values
        counted = len(own[0].kept)
        if counted != _counts(own[0], rows):
            raise ValueError(
                f"every argument must have an entry for each sample: the metrics counted "
                f"{counted} samples of {len(rows.kept)} entries, and have no record"
            )
        made = _Values(values)
        made.intervals = getattr(values, "intervals", {})
        if (accounts := getattr(values, "accounts", None)) is not None:
            made.accounts = accounts
        kept = [view.kept for view in own]
        dependent = [p for p in self.places() if p.metric.processor_dependent is not None]
        inexact = {slot for place in dependent for slot in place.slots}
        states = [{} if slot in inexact else view.states() for slot, view in enumerate(own)]
        made.found = Found.of(_together(rows) if self._accounts else rows.results(), kept, states)
        return made

    def opposed(self, views: Sequence[View]) -> Sequence[View]:
        """Return the views in the order of the inner plan, and that of the digest."""
        *own, rows = views
        return [*self.inner.opposed(own), rows]

    def fresh(self) -> RecordPlan:
        """Return the plan around copies without samples."""
        return RecordPlan(self.inner.fresh(), Shard(self.shard.name))

    def frozen(self) -> RecordPlan:
        """Return the plan around the frozen inner plan."""
        return RecordPlan(self.inner.frozen(), Shard(self.shard.name))

    def aside_of(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Return the saved digests of shards."""
        return {_SHARDS: ShardDigests.of_json(found[_SHARDS])} if found.get(_SHARDS) else {}

    def record(self, held: Held, *options: Any) -> dict[str, Any]:
        """Return the record of the last result; see `Recorded.record`."""
        request, shards, made = options
        computed = held.computed
        if computed is None:
            raise RuntimeError("record() needs the result of compute(): call compute() first")
        if shards is None:
            known = computed.aside.get(_SHARDS)
            shards = {} if known is None else known.known
        paths = [place.path for place in self.places()]
        members = self.members()
        claim = claim_of(
            {name: describe_metric(metric) for name, metric in members.items()},
            request or {},
            computed.result,
            computed.found,
            shards,
            next(iter(members)) if all(name is EACH for name in paths[0]) else None,
            paths[0][:1] == (EACH,),
        )
        world = {"ranks": computed.ranks, "backend": computed.backend}
        return record_of(claim, made_now(world) | dict(made or {}))


def _counts(first: View, rows: View) -> int:
    """Return how many of the samples of a record the first metric has to count.

    In `Running`, it has only the last ones, of which it may take fewer than the record covers.
    """
    covered, taken = (last_of(view.slot.shape.wraps)[0] for view in (rows, first))
    everything = len(rows.kept)
    return everything if covered is None or taken is None else min(everything, taken)


def _together(rows: View) -> Results:
    """Return the digest of all samples, which are apart by the reasons why they have no score."""
    known = ids_and_rows_of(rows.kept)
    found = rows.whole(1).results()
    if known is None:
        return found
    hashes: Any = known[1]["rows"]
    return with_rows(found, known[0], {"rows": hashes.rows})


def _hashes(
    columns: dict[str, Any], count: int, reasons: Sequence[str | None] | None
) -> np.ndarray:
    """Return the hash of each sample: of its arguments, or without a score of its reason and place.

    A prediction without a score may be anything, and is not looked at.
    """
    if reasons is None or not any(reasons):
        return row_hashes(columns, count)
    which = np.array([reason is None for reason in reasons], bool)
    found = np.empty(count, np.uint64)
    found[which] = row_hashes(chosen_named(columns, which), int(which.sum()))
    places = {
        name: values
        for name, values in columns.items()
        if name in ("ids", "clusters") or name.startswith("by ")
    }
    others = chosen_named({**places, "unscored": reasons}, ~which)
    found[~which] = row_hashes(others, int((~which).sum()))
    return found
