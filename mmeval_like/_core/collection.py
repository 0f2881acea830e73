"""MetricCollection: several metrics over the same samples, in one exchange."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias

from mmeval_like._base.blame import name_member
from mmeval_like._core.arithmetic import are_samples
from mmeval_like._core.batch import Batch
from mmeval_like._core.combinator import Combinator
from mmeval_like._core.evaluation import Evaluation, emptied, samples_of
from mmeval_like._core.layout import Layout
from mmeval_like._core.plan import Place, Plan
from mmeval_like._core.slot import Slot
from mmeval_like._core.view import View
from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._intervals.interval import WithIntervals
from mmeval_like._states.statistic import Derivation
from mmeval_like.backends import BaseDistBackend

__all__ = ["MetricCollection"]

Metrics: TypeAlias = Mapping[str, Evaluation] | Sequence[Evaluation]


class MetricCollection(Combinator):
    """Several metrics that receive the same batches and are computed in one exchange.

    Equal statistics are computed, kept and sent only once.

    A collection is a container of its members: `metrics["top2"]`, `"top2" in metrics`,
    `len(metrics)`, and iteration over the names.

    Args:
        metrics: The metrics by name, including `Sliced`, `Windowed`, `Running` and `Recorded` ones;
            or a list of metrics, which are named after their classes. The collection keeps copies.
            The members of a nested collection are added individually, named "collection.member".
        dist_backend: The backend of all members; None: the one that the metrics specify.
        name: Distinguishes this collection from equal ones, as a metric's name does.
        prefix: A prefix for every name in the result, for instance "val_".
        unscored: As for `BaseMetric`, for all members; None: as each member says.
        **named: More metrics, by name.

    Raises:
        TypeError: The members are neither a mapping nor a list, or one is not a metric, or is a
            `Paired`, whose two systems cannot get the same batch.
        ValueError: There are no members, two have the same name, or they differ in collect mode or
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
        unscored: float | str | None = None,
        **named: Evaluation,
    ) -> None:
        if not isinstance(prefix, str):
            raise TypeError(f"prefix must be a string, got {type(prefix).__name__}")
        members = dict(_members(metrics, named))
        modes = {key: member.dist_collect_mode for key, member in members.items()}
        if len(set(modes.values())) > 1:
            raise ValueError(f"all members must have the same dist_collect_mode, got {modes}")
        for key, member in members.items():
            if member.dist_backend not in (None, dist_backend):
                if dist_backend is not None:
                    raise ValueError(
                        f"all members must have the same dist_backend, got {member.dist_backend!r} "
                        f"for {key!r} and {dist_backend!r}"
                    )
                dist_backend = member.dist_backend
        copied = {key: copied_empty(member) for key, member in members.items()}
        if unscored is not None:
            for member in copied.values():
                member._account(unscored)
        super().__init__(Members(copied, name, prefix), dist_backend)

    # The members ------------------------------------------------------------------------------

    @property
    def plan(self) -> Members:
        """What is computed: every member."""
        plan: Any = self._plan
        found: Members = plan
        return found

    @property
    def name(self) -> str:
        """The name given to the constructor, or ""."""
        return self.plan.name or ""

    @name.setter
    def name(self, name: str | None) -> None:
        self.plan.name = name

    @property
    def prefix(self) -> str:
        """The prefix for every name in the result."""
        return self.plan.prefix

    @prefix.setter
    def prefix(self, prefix: str) -> None:
        self.plan.prefix = prefix

    def __len__(self) -> int:
        return len(self.plan.members)

    def __iter__(self) -> Iterator[str]:
        return iter(self.plan.members)

    def __contains__(self, name: object) -> bool:
        return name in self.plan.members

    def __getitem__(self, name: str) -> Any:
        """Return a copy of a member with the samples so far; the copy is independent.

        Raises:
            KeyError: No member has this name.
        """
        plan = self.plan
        if name not in plan.members:
            raise KeyError(f"no member is named {name!r}, there are {[*self]}")
        sources = plan.layout.sources[name]
        source = None
        for place, derive in sources:
            if derive is not None:  # of a metric, which has only one slot
                source = plan.slots[place], derive
        all_parts, aside = self._samples().moment()
        parts = [all_parts[place] for place, _ in sources]
        return plan.members[name]._as_member(name, parts, aside, source, self)

    def __repr__(self) -> str:
        described = zip(self.plan.names, self._described(), strict=True)
        members = ", ".join(f"{n}=<{shown}: {count} samples>" for n, (_, shown, count) in described)
        return f"MetricCollection({members}{f', prefix={self.prefix!r}' if self.prefix else ''})"

    def clone(self, prefix: str | None = None) -> MetricCollection:
        """Return a collection of the same metrics without samples, for instance for a test set.

        Args:
            prefix: The prefix of the new collection; None: that of this one.
        """
        prefix = self.prefix if prefix is None else prefix
        return MetricCollection(
            self.plan.members, self.dist_backend, name=self.plan.name, prefix=prefix
        )

    def _refuse_impossible(self) -> None:
        slots, stores = self.plan.slots, self._samples().stores()
        known = [*map(are_samples, slots, stores)]
        for name, sources in self.plan.layout.sources.items():
            if not all(known[place] for place, _ in sources):
                self[name]._refuse_impossible()  # of each member alone, since it may be dear


class Members(Plan):
    """The plan of several evaluations that read the same batches. Equal slots are kept once.

    Args:
        members: The evaluations by name, without samples.
        name: As for `MetricCollection`.
        prefix: As for `MetricCollection`.

    Attributes:
        members: As given.
        name: As given; it may be set later, as may the prefix.
        prefix: As given.
    """

    def __init__(self, members: Mapping[str, Evaluation], name: str | None, prefix: str) -> None:
        self.members, self.name, self.prefix = dict(members), name, prefix
        self._plans = {key: member.plan for key, member in self.members.items()}
        self._laid_out: list[Identity] = []  # of the members, when `layout` was computed
        self._known: tuple[list[Any], Identity] | None = None  # what it was made of; the identity

    @cached_property
    def layout(self) -> Layout:
        """The slots that are kept, and the slots that each member uses."""
        self._laid_out = self._identities()
        return Layout({key: plan.slots for key, plan in self._plans.items()})

    @property
    def names(self) -> list[str]:
        """The member's name for each metric, repeated if a member has several metrics."""
        return [key for key, plan in self._plans.items() for _ in plan.places()]

    @property
    def slots(self) -> Sequence[Slot]:
        """The distinct slots of all members, without those that can be derived from others."""
        return self.layout.slots

    @property
    def identity(self) -> Identity:
        """The identity of all members, with their names."""
        members = self._identities()
        made_of = [self.name, self.prefix, *members]
        known = self._known
        if known is None or known[0] != made_of:
            texts = [f"{n}: {m.text}" for n, m in zip(self._plans, members, strict=True)]
            named = "MetricCollection" + (f"[{self.name}]" if self.name else "") + self.prefix
            known = self._known = made_of, Identity.of(f"{named}{{{', '.join(texts)}}}")
        return known[1]

    @property
    def every_rank_computes(self) -> bool:
        """Whether every rank computes the values of all members."""
        return all(plan.every_rank_computes for plan in self._plans.values())

    @property
    def windowed(self) -> bool:  # type: ignore[override]
        """Whether a member forgets samples bucket by bucket."""
        return any(plan.windowed for plan in self._plans.values())

    @property
    def forgets(self) -> bool:  # type: ignore[override]
        """Whether only the last samples count in a member."""
        return any(plan.forgets for plan in self._plans.values())

    @property
    def classes(self) -> list[str] | None:
        """The class names that all members share, or None."""
        named = [names for plan in self._plans.values() if (names := plan.classes)]
        return named[0] if named and all(names == named[0] for names in named) else None

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of all members' slices."""
        names = [name for plan in self._plans.values() for name in plan.columns]
        return tuple(dict.fromkeys(names))

    def read(self, batch: Batch) -> list[Mapping[str, Any] | None]:
        """Return the rows of a batch, read by the members that own kept slots."""
        rows: list[Mapping[str, Any] | None] = [None] * len(self.slots)
        for name, owned in self.layout.owned.items():
            try:
                found = self._plans[name].read(batch)
            except Exception as error:
                name_member(error, name)
                raise
            for place, own in owned:
                rows[place] = found[own]
        return rows

    def finish(self, views: Sequence[View]) -> dict[str, Any]:
        """Return the values of every member, by name."""
        known: dict[tuple[int, Derivation], View] = {}
        values = {}
        for name, plan in self._plans.items():
            own = []
            for place, derive in self.layout.sources[name]:
                view = views[place]
                if derive is not None:
                    if (place, derive) not in known:
                        known[place, derive] = view.then(derive)
                    view = known[place, derive]
                # A member may change its results in place: members that share them get copies.
                own.append(view.private())
            try:
                values[self.prefix + name] = plan.finish(own)
            except Exception as error:
                name_member(error, name)
                raise
        return WithIntervals.together(values)

    def opposed(self, views: Sequence[View]) -> Sequence[View]:
        """Return the views in the order of the members."""
        found = [*views]
        for name, plan in self._plans.items():
            places = [place for place, _ in self.layout.sources[name]]
            own = plan.opposed([views[place] for place in places])
            for place, view in zip(places, own, strict=True):
                found[place] = view
        return found

    def per_sample(self, batch: Batch) -> dict[str, Any]:
        """Return, for each member, the values of each single sample."""
        values = {}
        for name, plan in self._plans.items():
            try:
                values[self.prefix + name] = plan.per_sample(batch)
            except Exception as error:
                name_member(error, name)
                raise
        return values

    def places(self) -> Iterator[Place]:
        """Yield the metrics of all members."""
        for name, plan in self._plans.items():
            for found in plan.places():
                sources = [self.layout.sources[name][own] for own in found.slots]
                derived = any(derive is not None for _, derive in sources)
                slots = () if derived else tuple(place for place, _ in sources)
                yield replace(found, path=(self.prefix + name, *found.path), slots=slots)

    def described(self, counts: Sequence[int]) -> list[tuple[str, str, int]]:
        """Describe the metrics of all members."""
        found = []
        for key, plan in self._plans.items():
            own = plan.described([counts[place] for place, _ in self.layout.sources[key]])
            for place, (name, metric, count) in zip(plan.places(), own, strict=True):
                called = self.prefix + key + name.removeprefix(place.metric.name)
                found.append((called, metric, count))
        return found

    def measured(self) -> list[str]:
        """Return the metrics of all members with their options, each once."""
        every = chain.from_iterable(plan.measured() for plan in self._plans.values())
        return [*dict.fromkeys(every)]

    def counted(self, samples: int) -> int:
        """Return how many samples the first member evaluates."""
        return next(iter(self._plans.values())).counted(samples)

    def wanted(self) -> list[frozenset[Any] | None]:
        """Return, for each slot, what its metrics ask for; None if some metric needs all rows."""
        each: list[list[frozenset[Any] | None]] = [[] for _ in self.slots]
        for name, plan in self._plans.items():
            for (place, _), asked in zip(self.layout.sources[name], plan.wanted(), strict=True):
                each[place].append(asked)
        return [
            None if None in several else frozenset().union(*(one for one in several if one))
            for several in each
        ]

    def fresh(self) -> Members:
        """Return the plan of copies without samples."""
        members = {name: emptied(member) for name, member in self.members.items()}
        found = Members(members, self.name, self.prefix)
        if "layout" in vars(self):
            found.layout, found._laid_out = self.layout, self._laid_out
        return found

    def relay(self) -> None:
        """Recompute the layout of the slots after options that affect it have changed."""
        for plan in self._plans.values():
            plan.relay()
        vars(self).pop("layout", None)

    def follow(self) -> None:
        """Recompute the layout if options of members were set since."""
        for plan in self._plans.values():
            plan.follow()
        if "layout" in vars(self) and self._laid_out != self._identities():
            del self.layout

    def _identities(self) -> list[Identity]:
        return [plan.identity for plan in self._plans.values()]

    def frozen(self) -> Members:
        """Return an equal plan that later changes of the metrics do not affect."""
        members = {name: copy.copy(member) for name, member in self.members.items()}
        found = Members(members, self.name, self.prefix)
        found.layout, found._laid_out = self.layout, self._laid_out
        return found

    def forget(self) -> None:
        """Reset all members."""
        for member in self.members.values():
            member.reset()


def copied_empty(metric: Evaluation) -> Any:
    """Return a copy without samples, which counts as a new one among equal evaluations."""
    # Loggers are shared, since a logger that `logging` does not know by name cannot be copied.
    loggers = [getattr(place.metric, "logger", None) for place in metric.plan.places()]
    copied = copy.deepcopy(metric, {id(one): one for one in loggers})
    if any(samples_of(copied).counts):
        copied.reset()
    return copied


def _members(metrics: Metrics, named: Mapping[str, Evaluation]) -> Iterator[tuple[str, Evaluation]]:
    """Yield the members with their names; members of a nested collection are yielded one by one."""
    if isinstance(metrics, Mapping):
        given = [*metrics.items(), *named.items()]
    elif isinstance(metrics, list | tuple):
        given = [(_name(m), m) for m in metrics] + [*named.items()]
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
            inner = [(f"{before}{metric.prefix}{k}", m) for k, m in metric.plan.members.items()]
        for key, member in inner:
            if not isinstance(member, Evaluation):
                raise TypeError(f"member {key!r} must be a metric, got {member!r}")
            if not isinstance(key, str):
                raise ValueError(f"names of members must be strings, got {key!r}")
            if key in seen:
                raise ValueError(f"members need different names, got {key!r} twice")
            if member.plan.compares:
                raise TypeError(
                    f"member {key!r} compares two systems, and all members get the same batch: "
                    f"write Paired(MetricCollection(...))"
                )
            if any(samples_of(member).counts):
                raise ValueError(
                    f"member {key!r} has samples already: reset() it, or merge() later"
                )
            seen.add(key)
            yield key, member
    if not seen:
        raise ValueError("metrics must not be empty")


def _name(metric: Evaluation) -> str:
    if isinstance(metric, MetricCollection):
        return ""
    name: str = getattr(metric, "name", type(metric).__name__)
    return name
