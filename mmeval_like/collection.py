"""MetricCollection: several metrics over the same samples, in one exchange."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from mmeval_like._accumulate.batches import Batch
from mmeval_like._accumulate.clusters import derived, whole
from mmeval_like._accumulate.key_columns import read_keys
from mmeval_like._accumulate.parts import Part
from mmeval_like._accumulate.results import Results
from mmeval_like._accumulate.sharing import plan, share
from mmeval_like._accumulate.store import Store
from mmeval_like._accumulate.together import locked
from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._inference.interval import WithIntervals
from mmeval_like.asynchronous import Asynchronous
from mmeval_like.backends import BaseDistBackend
from mmeval_like.errors import name_member
from mmeval_like.metric import BaseMetric
from mmeval_like.result import Result

__all__ = ["MetricCollection"]

Member: TypeAlias = "BaseMetric | MetricCollection"
Metrics: TypeAlias = Mapping[str, Member] | Sequence[Member]


class MetricCollection(Asynchronous):
    """Several metrics that get the same batches and are computed in one exchange.

    Statistics that are declared equal are computed, kept and sent once.

    It is a container of its members: `metrics["top2"]`, `"top2" in metrics`, `len(metrics)`, and
    iteration over the names.

    Args:
        metrics: The metrics by name; or a list of them, which are named by their classes. The
            collection keeps copies. The members of a collection in it are taken in one by one,
            named "collection.member".
        dist_backend: The backend of all; None: the one that the metrics name.
        name: Tells this collection from others that are equal, as a metric's name does.
        prefix: Put before every name in the result, for instance "val_".
        **named: More metrics, by name.

    Raises:
        TypeError: The members are neither a mapping nor a list, or one is not a metric.
        ValueError: There are no members, two have one name, or they differ in collect mode or
            backend.

    Example:
        >>> from mmeval_like import Accuracy, MetricCollection
        >>> metrics = MetricCollection(strict=Accuracy(), top2=Accuracy(topk=2))
        >>> metrics.add([[0.7, 0.2, 0.1], [0.4, 0.1, 0.5]], [0, 0])
        >>> metrics.compute()
        {'strict': {'top1': 0.5}, 'top2': {'top2': 1.0}}
        >>> metrics["strict"].compute()
        {'top1': 0.5}
    """

    def __init__(
        self,
        metrics: Metrics = (),
        dist_backend: str | BaseDistBackend | None = None,
        *,
        name: str | None = None,
        prefix: str = "",
        **named: Member,
    ) -> None:
        if not isinstance(prefix, str):
            raise TypeError(f"prefix must be a text, got {type(prefix).__name__}")
        self.prefix, self._name = prefix, name
        self._members = {
            # All but the logger: one that logging does not know by name cannot be copied.
            key: copy.deepcopy(metric, {id(metric.logger): metric.logger})
            for key, metric in _members(metrics, named)
        }
        self.dist_backend = dist_backend
        for key, member in self._members.items():
            if member.dist_backend not in (None, self.dist_backend):
                if self.dist_backend is not None:
                    raise ValueError(
                        f"all members must share one dist_backend, got {member.dist_backend!r} "
                        f"for {key!r} and {self.dist_backend!r}"
                    )
                self.dist_backend = member.dist_backend
        modes = {key: member.dist_collect_mode for key, member in self._members.items()}
        if len(set(modes.values())) > 1:
            raise ValueError(f"all members must share one dist_collect_mode, got {modes}")
        self.dist_collect_mode = next(iter(modes.values()))
        self._evaluating = False
        self._known: tuple[list[Identity], Identity] | None = None  # the members', and its own
        alone = [key for key, member in self._members.items() if member._overrides_add()]
        self._uses = share({key: m.statistic for key, m in self._members.items()}, alone)
        # The members whose samples are kept: one of each statistic. Then those that keep rows.
        self._owners = [key for key, (owner, _) in self._uses.items() if owner == key]
        self._keepers = [n for n in self._owners if not self._members[n]._appends_to_list]
        self._cluster_keepers = {
            owner for key, (owner, _) in self._uses.items() if self._members[key]._keeps_clusters
        }
        self._derivations, self._places = plan(self._uses, self._owners)
        self.every_rank_computes = all(m.every_rank_computes for m in self._members.values())

    # The members ------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __getitem__(self, name: str) -> BaseMetric:
        """Return a copy of a member, with the samples so far; what is added to it is its own.

        Raises:
            KeyError: No member has this name.
        """
        if name not in self._members:
            raise KeyError(f"no member is named {name!r}, there are {[*self]}")
        owner, derive = self._uses[name]
        metric = self._members[name]._without_samples()
        metric.dist_backend = self.dist_backend
        if derive is not None:
            metric._of_units = metric.statistic
            metric.statistic, metric._derivation = self._members[owner].statistic, derive
        metric._merge_parts([self._members[owner]._samples().part()])
        metric._loaded = self._loaded
        return metric

    def __repr__(self) -> str:
        described = zip(self._members, self._described(), strict=True)
        members = ", ".join(f"{n}=<{shown}: {count} samples>" for n, (_, shown, count) in described)
        return f"MetricCollection({members}{f', prefix={self.prefix!r}' if self.prefix else ''})"

    def _described(self) -> list[tuple[str, str, int]]:
        counts = {name: self._members[name]._samples_here for name in self._owners}
        return [
            (self.prefix + name, member._options.shown(member), counts[self._uses[name][0]])
            for name, member in self._members.items()
        ]

    def clone(self, prefix: str | None = None) -> MetricCollection:
        """Return a collection of the same metrics without samples, for instance for a test set.

        Args:
            prefix: Its prefix; None: this one's.
        """
        members = {name: member._without_samples() for name, member in self._members.items()}
        prefix = self.prefix if prefix is None else prefix
        return MetricCollection(members, self.dist_backend, name=self._name, prefix=prefix)

    # Samples ------------------------------------------------------------------------------------

    def add(self, *batch: Any, ids: Any = None, clusters: Any = None, **named: Any) -> None:
        """Give a batch to all members; all accumulate it, or none when one raises.

        Args:
            *batch: What every member's `add` takes.
            ids: As in `BaseMetric.add`.
            clusters: As in `BaseMetric.add`.
            **named: The same by name.

        Raises:
            Exception: A member raised it; a note names the member.
            TypeError: `ids` were given, and a member appends to a list.
            ValueError: The members count different numbers of samples in the batch.
        """
        batches: dict[str, Batch] = {}
        tags = None if clusters is None else read_keys([("clusters", clusters)], "clusters")
        for name in self._owners:
            try:
                batches[name] = self._members[name]._batch_of(
                    batch, ids, named, self, tags, name in self._cluster_keepers
                )
            except Exception as error:
                name_member(error, name)
                raise
        counts = {name: batches[name].count for name in self._keepers}
        if len(set(counts.values())) > 1:
            raise ValueError(f"all members must count the same samples, got {counts}")
        # A compute in another thread sees this batch whole, or not at all.
        locked(
            [self._members[name]._samples() for name in self._keepers],
            partial(self._keep_batches, batches),
        )

    def _keep_batches(self, batches: dict[str, Batch]) -> None:
        for name, checked in batches.items():
            self._members[name]._keep_batch(checked)

    def __call__(self, *batch: Any, **named: Any) -> Result:
        """Return the values of one batch; nothing is accumulated or communicated."""
        fresh = self._without_samples()
        fresh.add(*batch, **named)
        return fresh.compute_local()

    def _without_samples(self) -> MetricCollection:
        fresh = copy.copy(self)
        fresh._instance = copy.copy(self._instance)  # its reset is no reset of this one
        fresh._members = {name: m._without_samples() for name, m in self._members.items()}
        fresh.reset()
        return fresh

    def per_sample(self, *batch: Any, **named: Any) -> dict[str, dict[str, Any]]:
        """Return, by member, what it says of every sample alone; as `BaseMetric.per_sample`."""
        values = {}
        for name, member in self._members.items():
            try:
                values[self.prefix + name] = member.per_sample(*batch, **named)
            except Exception as error:
                name_member(error, name)
                raise
        return values

    def reset(self) -> None:
        """Forget all samples."""
        for member in self._members.values():
            member.reset()
        self._count_reset()

    def _sources(self) -> dict[str, BaseMetric]:
        """Return the members whose samples are kept, by name."""
        return {name: self._members[name] for name in self._owners}

    def _stores(self) -> list[Store]:
        return [self._members[name]._samples() for name in self._owners]

    def _asked(self) -> list[frozenset[Any] | None]:
        found: list[frozenset[Any] | None] = []
        for owner in self._owners:
            users = [m for n, m in self._members.items() if self._uses[n][0] == owner]
            each = [asked for member in users for asked in member._asked()]
            known = [asked for asked in each if asked is not None]
            found.append(frozenset().union(*known) if len(known) == len(each) else None)
        return found

    def _finish(self, results: list[Results]) -> dict[str, Any]:
        results = [*map(whole, results)]
        results += [derived(derive, results[place]) for derive, place in self._derivations]
        values = {}
        for name, member in self._members.items():
            try:
                # What one member changes in place is not the next one's.
                own = results[self._places[name]].private()
                values[self.prefix + name] = member._values_of(own)
            except Exception as error:
                name_member(error, name)
                raise
        return WithIntervals.together(values)

    @property
    def _named_classes(self) -> list[str] | None:
        """The names on which all members agree that have some."""
        named = [m._named_classes for m in self._members.values() if m._named_classes]
        return named[0] if named and all(names == named[0] for names in named) else None

    @property
    def _identity(self) -> Identity:
        members = [member._identity for member in self._members.values()]
        if self._known is None or self._known[0] != members:
            texts = [f"{n}: {m.text}" for n, m in zip(self._members, members, strict=True)]
            named = "MetricCollection" + (f"[{self._name}]" if self._name else "") + self.prefix
            self._known = members, Identity.of(f"{named}{{{', '.join(texts)}}}")
        return self._known[1]

    def _merge_parts(self, parts: list[Part]) -> None:
        for name, part in zip(self._owners, parts, strict=True):
            self._members[name]._merge_parts([part])


def _members(metrics: Metrics, named: Mapping[str, Member]) -> Iterator[tuple[str, BaseMetric]]:
    """Yield all metrics with their names, those of collections among them one by one."""
    if isinstance(metrics, Mapping):
        given = [*metrics.items(), *named.items()]
    elif isinstance(metrics, list | tuple):
        given = [(getattr(m, "name", ""), m) for m in metrics] + [*named.items()]
    else:
        raise TypeError(
            f"metrics must be a dict of names and metrics, or a list of metrics, "
            f"got {type(metrics).__name__}"
        )
    seen: set[str] = set()
    for name, metric in given:
        inner = [(name, metric)]
        if isinstance(metric, MetricCollection):
            before = f"{name}." if name else ""
            inner = [(f"{before}{metric.prefix}{k}", m) for k, m in metric._members.items()]
        for key, member in inner:
            if not isinstance(member, BaseMetric):
                raise TypeError(f"member {key!r} must be a metric, got {member!r}")
            if not isinstance(key, str) or key in seen:
                raise ValueError(f"members need names of their own, got {key!r} twice or no text")
            if member._results or (member._store is not None and member._store.count):
                raise ValueError(
                    f"member {key!r} has samples already: reset() it, or merge() later"
                )
            seen.add(key)
            yield key, member
    if not seen:
        raise ValueError("metrics must not be empty")
