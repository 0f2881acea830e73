"""MetricCollection: several metrics over the same samples, in one exchange."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from mmeval_like import accelerator
from mmeval_like.backends import BaseDistBackend
from mmeval_like.evaluable import Evaluable
from mmeval_like.identity import Identity
from mmeval_like.metric import BaseMetric, Statistic
from mmeval_like.parts import Part
from mmeval_like.results import Results
from mmeval_like.store import Batch, Store

__all__ = ["MetricCollection"]

# Whose statistic a member uses, and how its own follows from that; None: it is the same.
Derivation: TypeAlias = Callable[[Results], Results]
Source: TypeAlias = "tuple[str, Derivation | None]"


class MetricCollection(Evaluable):
    """Several metrics that get the same batches and are computed in one exchange.

    Statistics that are declared equal are computed, kept and sent once.

    Args:
        metrics: The metrics by name; the collection keeps copies.
        dist_backend: The backend of all; None: the one that the metrics name.

    Raises:
        TypeError: Not a mapping, or a member that is not a metric.
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
        if not isinstance(metrics, Mapping):
            raise TypeError(f"metrics must map names to metrics, got {type(metrics).__name__}")
        for name, metric in metrics.items():
            if not isinstance(metric, BaseMetric):
                raise TypeError(f"member {name!r} must be a metric, got {type(metric).__name__}")
        if not metrics:
            raise ValueError("metrics must not be empty")
        self._members = {
            # All but the logger: one that logging does not know by name cannot be copied.
            name: copy.deepcopy(metric, {id(metric.logger): metric.logger})
            for name, metric in metrics.items()
        }
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
        sources = _share(self._members)
        # The members whose samples are kept: one of each statistic; rows, or lists of results.
        self._owners = [name for name, (owner, _) in sources.items() if owner == name]
        self._listers = [n for n in self._owners if self._members[n]._appends_to_list]
        self._keepers = [n for n in self._owners if n not in self._listers]
        self._derivations, self._places = _plan(sources, self._owners)
        self.every_rank_computes = all(m.every_rank_computes for m in self._members.values())

    def add(self, *batch: Any, ids: Any = None, **named: Any) -> None:
        """Give a batch to all members; all accumulate it, or none when one raises.

        Args:
            *batch: What every member's `add` takes.
            ids: As in `BaseMetric.add`.
            **named: The same by name.

        Raises:
            Exception: What a member raised, with a note that names the member.
            TypeError: `ids` for a member that appends to a list.
            ValueError: Members that count different numbers of samples in the batch.
        """
        borrowed = (*batch, *named.values())
        checked: list[tuple[Store, Batch]] = []
        for name in self._keepers:
            member = self._members[name]
            try:
                given, given_named = batch, named
                if member.statistic.on_accelerator:
                    given, given_named = accelerator.stay(batch, named)
                rows = member.statistic.rows(*given, **given_named)
                store = member._open_store()
                checked.append((store, store.check(rows, ids, borrowed)))
            except Exception as error:
                _name_member(error, name)
                raise
        counts = [chunk[0] for _, (chunk, *_) in checked]
        if len(set(counts)) > 1:
            found = dict(zip(self._keepers, counts, strict=True))
            raise ValueError(f"all members must count the same samples, got {found}")
        self._append_to_lists(batch, ids, named)
        for store, rows_of_store in checked:
            store.append(rows_of_store)

    def _append_to_lists(self, batch: tuple[Any, ...], ids: Any, named: Mapping[str, Any]) -> None:
        """Let the members in MMEval's way append, all of them or none."""
        if self._listers and ids is not None:
            raise TypeError(f"members that append to a list take no ids=: {self._listers}")
        before = {name: len(self._members[name]._results) for name in self._listers}
        for name in self._listers:
            try:
                self._members[name].add(*batch, **named)
            except Exception as error:
                for other, length in before.items():
                    del self._members[other]._results[length:]
                _name_member(error, name)
                raise

    def __call__(self, *batch: Any, **named: Any) -> dict[str, Any]:
        """Return the values of one batch; nothing is accumulated or communicated."""
        fresh = copy.copy(self)
        fresh._members = {name: m._without_samples() for name, m in self._members.items()}
        fresh.add(*batch, **named)
        return fresh.compute_local()

    def reset(self) -> None:
        """Forget all samples."""
        for member in self._members.values():
            member.reset()

    def _stores(self) -> list[Store]:
        return [self._members[name]._samples() for name in self._owners]

    def _finish(self, results: list[Results]) -> dict[str, Any]:
        results = [*results, *[derive(results[place]) for derive, place in self._derivations]]
        values = {}
        for name, member in self._members.items():
            try:
                values[name] = member._finish([results[self._places[name]]])
            except Exception as error:
                _name_member(error, name)
                raise
        return values

    @cached_property
    def _identity(self) -> Identity:
        texts = [f"{name}: {m._identity.text}" for name, m in self._members.items()]
        return Identity.of("MetricCollection{" + ", ".join(texts) + "}")

    def _merge_parts(self, parts: list[Part]) -> None:
        for name, part in zip(self._owners, parts, strict=True):
            self._members[name]._merge_parts([part])


def _name_member(error: Exception, name: str) -> None:
    if error.args and isinstance(error.args[0], str):
        text = f"{error.args[0]} (in member {name!r} of the collection)"
        error.args = (text, *error.args[1:])


def _share(members: Mapping[str, BaseMetric]) -> dict[str, Source]:
    """Return, for every member, whose statistic it uses, and how its own follows from that.

    What was declared decides, never the values seen so far: these may be equal by chance.
    """
    statistics: dict[str, Statistic] = {name: m.statistic for name, m in members.items()}
    sources: dict[str, Source] = {}
    for name, statistic in statistics.items():
        equal = next(other for other, known in statistics.items() if known == statistic)
        sources[name] = (equal, None)  # the first of the equal ones keeps the rows
    owners = dict.fromkeys(owner for owner, _ in sources.values())
    for name in owners:
        if any(owner == name and derive for owner, derive in sources.values()):
            continue  # another one follows from it already
        for other in owners:
            derive = statistics[name].derive(statistics[other]) if other != name else None
            if derive is not None and sources[other] == (other, None):
                equal_ones = [member for member, source in sources.items() if source[0] == name]
                sources |= dict.fromkeys(equal_ones, (other, derive))
                break
    return sources


def _plan(
    sources: Mapping[str, Source], owners: Sequence[str]
) -> tuple[list[tuple[Derivation, int]], dict[str, int]]:
    """Return what follows from the owners' results, and by name whose results a member takes.

    Results are known by their places: first the owners', then each that follows from one.
    """
    known: dict[Source, int] = {(name, None): place for place, name in enumerate(owners)}
    derivations: list[tuple[Derivation, int]] = []
    for owner, derive in sources.values():
        if derive is not None and (owner, derive) not in known:
            known[owner, derive] = len(known)
            derivations.append((derive, known[owner, None]))
    return derivations, {name: known[source] for name, source in sources.items()}
