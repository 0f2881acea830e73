"""BaseMetric and Statistic: samples to rows, merged states to a dict."""

from __future__ import annotations

import copy
import logging
import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar

from mmeval_like import accelerator
from mmeval_like._checks import as_sample_count
from mmeval_like.backends import BaseDistBackend
from mmeval_like.evaluable import Evaluable
from mmeval_like.identity import Identity, describe_metric
from mmeval_like.order import COLLECT_MODES
from mmeval_like.parts import Part
from mmeval_like.results import Results
from mmeval_like.state import State, objects
from mmeval_like.store import Store

__all__ = ["BaseMetric", "Statistic"]

_LOGGER = logging.getLogger("mmeval_like")
_LIST = "results"  # the state of metrics that append to `_results`


class Statistic:
    """What a metric accumulates: named states, and how a batch becomes their rows.

    Declare states as class attributes, or return them from `states` when they depend on
    arguments. Statistics that compare equal (a frozen dataclass does so by its fields) are
    computed, kept and sent once in a `MetricCollection`.
    """

    on_accelerator: ClassVar[bool] = False
    """Set it when `rows` works on the `DeviceArray`s of `mmeval_like.accelerator` as well: it
    then gets tensors on a GPU as such. Otherwise they are fetched to the host."""

    def states(self) -> dict[str, State]:
        """Return the states by name; by default those declared on the class."""
        names = {name: None for cls in reversed(type(self).__mro__) for name in vars(cls)}
        found = {name: getattr(type(self), name, None) for name in names}
        return {name: state for name, state in found.items() if isinstance(state, State)}

    def rows(self, *batch: Any, **named: Any) -> Mapping[str, Any]:
        """Return, for every state, one row per sample of the batch.

        Everything about the input is checked here: what raises here leaves the metric as it was.
        """
        raise TypeError(f"{type(self).__name__} must define rows(), or add() of its own")

    def derive(self, other: Statistic) -> Callable[[Results], Results] | None:
        """Return how this statistic's results follow from another's; None if they do not."""
        return None


class BaseMetric(Statistic, Evaluable):
    """A metric over a dataset whose samples are spread over the ranks of a distributed run.

    Write one by declaring states and two functions (`rows` and `compute_metric`), or in
    MMEval's way: override `add` to append one entry per sample to the list `self._results`,
    and let `compute_metric` take the list of all ranks' entries.

    Args:
        dataset_meta: Facts about the dataset, for instance its class names. Copied.
        dist_collect_mode: How the shards make up the dataset. "unzip": rank r holds samples
            r, r + world size, ...; "cat": rank 0 holds the first samples, rank 1 the next.
        dist_backend: A backend's name or instance; None for the automatic choice, which is
            made when it is needed.
        logger: For messages; default: the logger "mmeval_like".
        max_padding: How many of a rank's last samples `compute(size=)` can drop. By default
            the number of ranks, or the samples of the last `add` if these are more.

    Raises:
        ValueError: An unknown `dist_collect_mode`, or a negative `max_padding`.
        TypeError: `max_padding` is no integer.

    Example:
        >>> from mmeval_like import BaseMetric, state
        >>> class Share(BaseMetric):
        ...     positive = state.sum(int)
        ...     def rows(self, values):
        ...         return {"positive": np.asarray(values) > 0}
        ...     def compute_metric(self, results):
        ...         return {"share": results.positive / len(results)}
        >>> import numpy as np
        >>> metric = Share()
        >>> metric.add([1, -1, 2, 3])
        >>> metric.compute()
        {'share': 0.75}
    """

    every_rank_computes: bool = False
    """Set it when `compute_metric` uses only integers and IEEE + - x / sqrt and writes nothing:
    every rank then computes the same bits itself, and the broadcast is left out."""

    _arguments: tuple[tuple[Any, ...], dict[str, Any]]
    _statistic: Statistic | None = None

    def __new__(cls, *args: Any, **kwargs: Any) -> BaseMetric:
        """Remember the arguments, which the ranks compare."""
        self: BaseMetric = super().__new__(cls)
        self._arguments = (args, kwargs)
        return self

    def __init__(
        self,
        dataset_meta: Mapping[str, Any] | None = None,
        dist_collect_mode: str = "unzip",
        dist_backend: str | BaseDistBackend | None = None,
        logger: logging.Logger | None = None,
        *,
        max_padding: int | None = None,
    ) -> None:
        if dist_collect_mode not in COLLECT_MODES:
            raise ValueError(
                f"dist_collect_mode must be one of {COLLECT_MODES}, got {dist_collect_mode!r}"
            )
        if max_padding is not None:
            max_padding = as_sample_count(max_padding, "max_padding")
        self.dataset_meta = dataset_meta
        self.dist_collect_mode = dist_collect_mode
        self.dist_backend = dist_backend
        self.logger = logger if logger is not None else _LOGGER
        self.max_padding = max_padding
        self._results: list[Any] = []
        # Metrics in MMEval's way have no rows(), neither of their own nor of a statistic.
        self._appends_to_list = self._statistic is None and type(self).rows is Statistic.rows
        self._store: Store | None = None
        self._evaluating = False

    # What a subclass defines -----------------------------------------------------------------

    @abstractmethod
    def compute_metric(self, results: Any) -> dict[str, Any]:
        """Return the metric's values from the merged states of all ranks.

        Args:
            results: A `Results`: an attribute per state, `len(results)` samples,
                `results.exact(name)` for unrounded float sums. For metrics in MMEval's way:
                the list of all ranks' entries, in global order.
        """

    @property
    def statistic(self) -> Statistic:
        """What is accumulated: the metric itself, or the `Statistic` that `__init__` set."""
        return self if self._statistic is None else self._statistic

    @statistic.setter
    def statistic(self, statistic: Statistic) -> None:
        self._statistic = statistic
        self._appends_to_list = False

    # What a user calls -----------------------------------------------------------------------

    def add(self, *batch: Any, ids: Any = None, **named: Any) -> None:
        """Accumulate a batch; all of it, or nothing when it raises.

        Args:
            *batch: The metric's own inputs, see the class.
            ids: The samples' dataset indices, int64 of shape (n,). Every index then counts
                once, however the sampler padded, repeated or ordered them. Rows are kept one
                by one until `compute`: memory grows with the number of samples.
            **named: The metric's inputs by name.

        Raises:
            TypeError, ValueError: Input that the metric refuses; or some calls with and some
                without `ids`.
        """
        store = self._store or self._open_store()
        statistic = self._statistic or self
        if statistic.on_accelerator:
            batch, named = accelerator.stay(batch, named)
        rows = statistic.rows(*batch, **named)
        borrowed = (*batch, *named.values()) if named else batch
        store.append(store.check(rows, ids, borrowed))

    def __call__(self, *batch: Any, **named: Any) -> dict[str, Any]:
        """Return the metric of one batch; nothing is accumulated or communicated."""
        fresh = self._without_samples()
        fresh.add(*batch, **named)
        return fresh.compute_local()

    def reset(self) -> None:
        """Forget all samples."""
        self._results = []
        self._store = None

    @property
    def name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    @property
    def dataset_meta(self) -> dict[str, Any] | None:
        """A copy of the facts about the dataset."""
        return copy.deepcopy(self._dataset_meta)

    @dataset_meta.setter
    def dataset_meta(self, meta: Mapping[str, Any] | None) -> None:
        self._dataset_meta = None if meta is None else copy.deepcopy(dict(meta))

    def _without_samples(self) -> BaseMetric:
        fresh = copy.copy(self)
        fresh._results = []  # of its own: a reset() in MMEval's way may clear the list in place
        fresh.reset()
        return fresh

    # What the exchange needs -----------------------------------------------------------------

    def _open_store(self) -> Store:
        if self._store is None:
            self._store = Store(self.statistic.states(), self.max_padding)
        return self._store

    def _samples(self) -> Store:
        if not self._appends_to_list:
            return self._store or self._open_store()
        store = Store({_LIST: objects()})
        store.append(store.check({_LIST: self._results}))
        return store

    def _stores(self) -> list[Store]:
        return [self._samples()]

    def _finish(self, results: list[Results]) -> dict[str, Any]:
        [merged] = results
        if not merged._count:
            text = f"{self.name}: no samples were added on any rank"
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        return self.compute_metric(getattr(merged, _LIST) if self._appends_to_list else merged)

    @cached_property  # the arguments of the constructor do not change
    def _identity(self) -> Identity:
        return Identity.of(describe_metric(self))

    def _merge_parts(self, parts: list[Part]) -> None:
        if self._appends_to_list:
            self._results.extend(parts[0].ordered[_LIST])  # type: ignore[arg-type]  # a list
        else:
            self._open_store().merge(parts[0])
