"""What a metric accumulates on one rank: rows in a store, or entries of a list in MMEval's way."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any, ClassVar, ParamSpec, Protocol, TypeVar, overload

from mmeval_like import arrays
from mmeval_like._base.hints import adapted, refused_call
from mmeval_like._core.labels import replace_names
from mmeval_like._samples.batches import Batch
from mmeval_like._samples.entries import LIST, Entries
from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store
from mmeval_like._states.clusters import keyed_states, tagged
from mmeval_like._states.key_columns import Tags, read_keys
from mmeval_like._states.statistic import Statistic
from mmeval_like.arrays import accelerator
from mmeval_like.asynchronous import Asynchronous
from mmeval_like.evaluable import Evaluable
from mmeval_like.state import State, objects

__all__ = ["Accumulating", "P", "Takes"]

Self = TypeVar("Self", bound="Accumulating")

P = ParamSpec("P")


class Takes(Protocol[P]):
    """What has rows of these inputs."""

    def rows(self, *batch: P.args, **named: P.kwargs) -> Mapping[str, Any]:
        """Return the rows of a batch."""


_OPENING = RLock()  # two threads may add the first batches
_OF_THE_SAMPLES = {"_store", "_results", "_instance", "max_padding"}


class Accumulating(Statistic, Asynchronous):
    """The samples of one metric: what collections, slices and the exchange ask a metric for.

    A metric has rows, its own or those of a `Statistic` that was set, and they are kept in a
    store. A metric in MMEval's way has none: its `add` appends entries to the list `_results`,
    and a store is made of them when one is asked for.
    """

    max_padding: int | None
    # The method that the inputs of `add` are handed to, or its name in the class.
    _takes_inputs: ClassVar[str | Callable[..., Any]] = "rows"
    _statistic: Statistic | None = None

    def __init__(self, max_padding: int | None) -> None:
        self.max_padding = max_padding
        self._results: list[Any] = []
        # Metrics in MMEval's way have no rows(), neither of their own nor of a statistic.
        self._appends_to_list = self._statistic is None and type(self).rows is Statistic.rows
        self._store: Store | None = None
        self._evaluating = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Give `add` the signature and the description of what the class does with its inputs."""
        super().__init_subclass__(**kwargs)
        own, named = vars(cls), cls._takes_inputs
        inputs = own.get(named) if isinstance(named, str) else own.get("_takes_inputs")
        for method in dict.fromkeys((own.get("rows"), inputs)):
            if method is not None and cls.add.__code__ is Accumulating.add.__code__:
                # Rows of its own need not take the keywords that those of a base take.
                add = Accumulating.add if method is own.get("rows") else cls.add
                cls.add = adapted(add, method)  # type: ignore[method-assign]

    @property
    def statistic(self) -> Statistic:
        """What is accumulated: the metric itself, or the `Statistic` that `__init__` set."""
        return self if self._statistic is None else self._statistic

    @statistic.setter
    def statistic(self, statistic: Statistic) -> None:
        self._statistic = statistic
        self._appends_to_list = False

    # Checkers learn from `rows` what a class takes. One keyword more than its arguments is nothing
    # that types can say (PEP 612): calls with ids= or clusters= are checked where the signature is
    # written out, which for the package's metrics is `metrics/__init__.pyi`.
    @overload
    def add(self: Takes[P], *batch: P.args, **named: P.kwargs) -> None: ...

    @overload
    def add(  # type: ignore[overload-cannot-match]  # a class with any rows: then it is
        self, *batch: Any, ids: Any, clusters: Any = None, **named: Any
    ) -> None: ...

    @overload
    def add(  # type: ignore[overload-cannot-match]
        self, *batch: Any, ids: Any = None, clusters: Any, **named: Any
    ) -> None: ...

    def add(self, *batch: Any, ids: Any = None, clusters: Any = None, **named: Any) -> None:
        """Accumulate a batch; all of it, or nothing when it raises.

        Args:
            *batch: The metric's own inputs, see the class.
            ids: The samples' dataset indices, integers of shape (n,), for instance from
                `Indexed(dataset)`; or their names, n texts, all the same kind in all calls. Every
                id then counts once, however the sampler padded, repeated or ordered the samples.
                Rows are kept one by one until `compute`: memory grows with the number of samples.
            clusters: Which samples belong together, n integers or texts: those of one document,
                patient or question are not independent. They change the intervals of a metric
                with `interval=` alone; without it they are read and not kept. If a question is
                answered several times, pass the question's id. Samples whose cluster is None
                are one cluster. Memory grows with the number of clusters.
            **named: The metric's inputs by name.

        Raises:
            TypeError, ValueError: The metric refuses the input; or `ids`, or `clusters`, were given
                in some calls and not in others.
        """
        if clusters is not None:
            tags = read_keys([("clusters", clusters)], "clusters")
            self._keep_batch(self._batch_of(batch, ids, named, self, tags))
            return
        store = self._store or self._open_store()
        statistic = self.statistic
        if statistic.without_intervals.class_inputs:
            batch, named = self._with_indices(batch, named, self)
        if statistic.on_accelerator:
            batch, named = accelerator.stay(batch, named)
        store.append(store.check(self._rows(statistic, batch, named), ids))

    def reset(self) -> None:
        """Forget all samples."""
        self._results = []
        self._store = None
        self._count_reset()

    @property
    def _samples_here(self) -> int:
        """How many samples were added."""
        return len(self._results) + (self._store.count if self._store else 0)

    def _without_samples(self: Self) -> Self:
        fresh = copy.copy(self)
        fresh._instance = copy.copy(self._instance)  # its reset is no reset of this one
        fresh._results = []  # of its own: a reset() in MMEval's way may clear the list in place
        fresh.reset()
        return fresh

    # What collections, slices and the exchange ask for -----------------------------------------

    def _open_store(self) -> Store:
        with _OPENING:
            if self._store is None:
                statistic = self.statistic
                clustered = keyed_states(self._clustered_states())
                self._store = Store(statistic.states(), self.max_padding, clustered)
            return self._store

    @property
    def _keeps_clusters(self) -> bool:
        """Whether `clusters=` change the result."""
        return False

    def _sources(self) -> dict[str, Accumulating]:
        """Return itself: it is what has rows and states."""
        return {"": self}

    def _states(self) -> dict[str, State]:
        return {LIST: objects()} if self._appends_to_list else self.statistic.states()

    def _clustered_states(self) -> dict[str, State]:
        """Return the states of samples with `clusters=`."""
        return (
            self._states() if self._appends_to_list else self.statistic.without_intervals.states()
        )

    def _overrides_add(self) -> bool:
        # Its code, because `add` of every class has a signature of its own.
        return getattr(type(self).add, "__code__", None) is not Accumulating.add.__code__

    def _rows_of(
        self,
        batch: tuple[Any, ...],
        named: dict[str, Any],
        knows: Evaluable | None = None,
        clustered: bool = False,
    ) -> Mapping[str, Any]:
        """Return what a batch adds to the states, by name; nothing is accumulated.

        A subclass that overrides `add` may add no samples at all: nothing is returned then. `knows`
        has the names of the classes: for a member of a collection, the collection. Samples with
        `clusters=` need nothing beside the metric's own statistic.
        """
        if self._overrides_add():  # a subclass decides what becomes of the batch
            fresh = self._without_samples()
            fresh.max_padding = sys.maxsize  # so that no row folds
            fresh.add(*batch, **named)
            part = fresh._samples().part()
            self.__dict__ |= {k: v for k, v in vars(fresh).items() if k not in _OF_THE_SAMPLES}
            rows = {**part.tail, **part.ordered}
            wanted = self._clustered_states() if clustered and rows else rows
            return {name: rows[name] for name in wanted}
        statistic = self.statistic.without_intervals if clustered else self.statistic
        batch, named = self._with_indices(batch, named, self if knows is None else knows)
        if statistic.on_accelerator:
            batch, named = accelerator.stay(batch, named)
        return self._rows(statistic, batch, named)

    def _rows(
        self, statistic: Statistic, batch: tuple[Any, ...], named: dict[str, Any]
    ) -> Mapping[str, Any]:
        try:
            return statistic.rows(*batch, **named)
        except TypeError:
            if refused := refused_call(type(self), batch, named):
                raise refused from None  # users call `add`, and do not know `rows`
            raise

    def _with_indices(
        self, batch: tuple[Any, ...], named: dict[str, Any], knows: Evaluable
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the inputs of a batch with class indices in place of names of classes."""
        statistic = self.statistic.without_intervals
        if not statistic.class_inputs:
            return batch, named
        if not named and not any(map(arrays.may_be_texts, batch)):
            return batch, named
        inputs = self._takes_inputs if statistic is self else "rows"
        return replace_names(
            getattr(type(statistic), inputs if isinstance(inputs, str) else "rows"),
            statistic.class_inputs,
            batch,
            named,
            lambda: knows._named_classes,
            statistic.from_names,
        )

    def _samples(self) -> Store:
        if not self._appends_to_list:
            return self._store or self._open_store()
        entries: Any = self._results  # a subclass may have put anything in its place
        if not isinstance(entries, list):
            given = type(entries).__name__
            raise TypeError(f"_results of {type(self).__name__} must be a list, got {given}")
        return Entries(entries.copy(), self.max_padding)

    def _batch_of(
        self,
        batch: tuple[Any, ...],
        ids: Any,
        named: dict[str, Any],
        knows: Evaluable,
        tags: Tags | None = None,
        keeps_clusters: bool | None = None,
    ) -> Batch:
        """Return what `add` would keep of a batch, all of it checked."""
        keeps = self._keeps_clusters if keeps_clusters is None else keeps_clusters
        clustered = tags is not None and keeps
        rows = self._rows_of(batch, named, knows, clustered)
        if tags is not None and rows and len(tags.codes) != len(next(iter(rows.values()))):
            count = len(next(iter(rows.values())))
            raise ValueError(
                f"clusters must have a value for each of the {count} samples, got {len(tags.codes)}"
            )
        if self._appends_to_list:
            if ids is not None:
                raise TypeError("a metric that appends to a list takes no ids=")
            return Batch.of_part(len(rows[LIST]), {LIST: rows[LIST]}, None)
        if not rows:
            return Batch.of_part(0, {}, None)
        if clustered and tags is not None:
            rows = tagged(rows, tags)
        return self._samples().check(rows, ids, clustered)

    def _keep_batch(self, batch: Batch) -> None:
        if self._appends_to_list:
            self._results.extend(batch.rows[LIST])  # type: ignore[arg-type]  # a list
        else:
            self._samples().append(batch)

    def _stores(self) -> list[Store]:
        return [self._samples()]

    def _merge_parts(self, parts: list[Part]) -> None:
        if self._appends_to_list:
            self._results.extend(parts[0].ordered[LIST])  # type: ignore[arg-type]  # a list
        else:
            self._open_store().merge(parts[0])
