"""MetricCollection: several metrics over the same samples, in one exchange."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from mmeval_like.backends import BaseDistBackend
from mmeval_like.evaluable import Evaluable
from mmeval_like.identity import Identity
from mmeval_like.metric import BaseMetric, Statistic
from mmeval_like.results import Results
from mmeval_like.store import Part, Store
from mmeval_like.sync import Job

__all__ = ["MetricCollection"]


class MetricCollection(Evaluable):
    """Several metrics that get the same batches and are computed in one exchange.

    Statistics that are declared equal are computed, kept and sent once.

    Args:
        metrics: The metrics by name; the collection keeps copies.
        dist_backend: The backend of all; None: the one that the metrics name.

    Raises:
        TypeError: A member is not a metric.
        ValueError: No members, or members that differ in collect mode or backend.

    Example:
        >>> from mmeval_like import Accuracy, MetricCollection
        >>> metrics = MetricCollection({"strict": Accuracy(), "top2": Accuracy(topk=2)})
        >>> metrics.add([[0.7, 0.2, 0.1], [0.4, 0.1, 0.5]], [0, 0])
        >>> metrics.compute()
        {'strict': {'top1': 0.5}, 'top2': {'top2': 1.0}}
    """

    def __init__(
        self,
        metrics: Mapping[str, BaseMetric],
        dist_backend: str | BaseDistBackend | None = None,
    ) -> None:
        for name, metric in metrics.items():
            if not isinstance(metric, BaseMetric):
                raise TypeError(f"member {name!r} must be a metric, got {type(metric).__name__}")
        if not metrics:
            raise ValueError("metrics must not be empty")
        self._members = {name: copy.deepcopy(metric) for name, metric in metrics.items()}
        self.dist_backend = dist_backend
        for name, member in self._members.items():
            if member.dist_backend not in (None, self.dist_backend):
                if self.dist_backend is not None:
                    raise ValueError(
                        f"all members must share one dist_backend, got {member.dist_backend!r} "
                        f"for {name!r} and {self.dist_backend!r}"
                    )
                self.dist_backend = member.dist_backend
        modes = {name: member.dist_collect_mode for name, member in self._members.items()}
        if len(set(modes.values())) > 1:
            raise ValueError(f"all members must share one dist_collect_mode, got {modes}")
        self.dist_collect_mode = next(iter(modes.values()))
        self._evaluating = False
        self._sources = _share(self._members)
        self._known_identity: Identity | None = None

    def add(self, *batch: Any, ids: Any = None, **named: Any) -> None:
        """Give a batch to all members; all accumulate it, or none when one raises.

        Args:
            *batch: What every member's `add` takes.
            ids: As in `BaseMetric.add`.
            **named: The same by name.

        Raises:
            Exception: What a member raised, with a note that names the member.
            ValueError: Members that count different numbers of samples in the batch.
        """
        borrowed = (*batch, *named.values())
        lists = {n: m for n, m in self._members.items() if m._appends_to_list}
        checked = []
        for name in self._owners():
            member = self._members[name]
            try:
                rows = member.statistic.rows(*batch, **named)
                store = member._open_store()
                checked.append((name, store, store.check(dict(rows), ids, borrowed)))
            except Exception as error:
                _name_member(error, name)
                raise
        for name, _, (_, count, _) in checked[1:]:
            if count != checked[0][2][1]:
                raise ValueError(
                    f"all members must count the same samples, got {checked[0][2][1]} from "
                    f"{checked[0][0]!r} and {count} from {name!r}"
                )
        before = {name: len(member._results) for name, member in lists.items()}
        for name, member in lists.items():
            try:
                member.add(*batch, **named)
            except Exception as error:
                for other, length in before.items():
                    del lists[other]._results[length:]
                _name_member(error, name)
                raise
        for _, store, rows_of_store in checked:
            store.append(rows_of_store)

    def __call__(self, *batch: Any, **named: Any) -> dict[str, Any]:
        """Return the values of one batch; nothing is accumulated or communicated."""
        fresh = copy.copy(self)
        fresh._members = {name: copy.copy(member) for name, member in self._members.items()}
        fresh.reset()
        fresh.add(*batch, **named)
        return fresh.compute_local()

    def reset(self) -> None:
        """Forget all samples."""
        for member in self._members.values():
            member.reset()

    def _owners(self) -> list[str]:
        """The members whose statistics are kept: one of each kind."""
        return [
            name
            for name, (owner, derived) in self._sources.items()
            if owner == name and not self._members[name]._appends_to_list
        ]

    def _stores(self) -> list[Store]:
        names = [name for name, source in self._sources.items() if source[0] == name]
        return [store for name in names for store in self._members[name]._stores()]

    def _finish(self, results: list[Results]) -> dict[str, Any]:
        names = [name for name, source in self._sources.items() if source[0] == name]
        of_owner = dict(zip(names, results, strict=True))
        values = {}
        for name, (owner, derive) in self._sources.items():
            merged = of_owner[owner] if derive is None else derive(of_owner[owner])
            try:
                values[name] = self._members[name]._finish([merged])
            except Exception as error:
                _name_member(error, name)
                raise
        return values

    def _job(self, missing: str) -> Job:
        return Job(
            stores=self._stores(),
            finish=self._finish,
            mode=self.dist_collect_mode,
            missing=missing,
            identity=self._identity(),
            every_rank_computes=all(m.every_rank_computes for m in self._members.values()),
        )

    def _identity(self) -> Identity:
        if self._known_identity is None:
            texts = [f"{name}: {m._identity().text}" for name, m in self._members.items()]
            self._known_identity = Identity.of("MetricCollection{" + ", ".join(texts) + "}")
        return self._known_identity

    def _merge_parts(self, parts: list[Part]) -> None:
        names = [name for name, source in self._sources.items() if source[0] == name]
        for name, part in zip(names, parts, strict=True):
            self._members[name]._merge_parts([part])


def _name_member(error: Exception, name: str) -> None:
    if error.args and isinstance(error.args[0], str):
        text = f"{error.args[0]} (in member {name!r} of the collection)"
        error.args = (text, *error.args[1:])


def _share(members: Mapping[str, BaseMetric]) -> dict[str, tuple[str, Any]]:
    """Return, for every member, whose statistic it uses, and how its own follows from that.

    What was declared decides, never the values seen so far: these may be equal by chance.
    """
    statistics: dict[str, Statistic] = {name: m.statistic for name, m in members.items()}
    sources: dict[str, tuple[str, Any]] = {}
    for name, statistic in statistics.items():
        for other, candidate in statistics.items():
            if candidate == statistic:  # the first of the equal ones keeps the rows
                sources[name] = (other, None)
                break
    for name, (owner, _) in list(sources.items()):
        for other, (other_owner, _) in list(sources.items()):
            if other_owner != owner and other == other_owner:
                derive = statistics[name].derive(statistics[other])
                if derive is not None:
                    sources[name] = (other, derive)
                    break
    return sources
