"""BaseMetric: samples to rows, merged states to a dict."""

from __future__ import annotations

import copy
import logging
import sys
import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

from mmeval_like._core.labels import check_names
from mmeval_like._core.result import Result
from mmeval_like._exchange.fingerprint import Identity, Options
from mmeval_like._intervals.interval import WithIntervals
from mmeval_like._intervals.jackknife.metric_intervals import as_level, intervals_of, with_units
from mmeval_like._intervals.value_ranges import Ranges
from mmeval_like._samples.combine import columns, one_by_one
from mmeval_like._samples.entries import LIST
from mmeval_like._states.clusters import derived, whole
from mmeval_like._states.results import Results
from mmeval_like._states.statistic import Statistic
from mmeval_like.accumulating import Accumulating, P, Takes
from mmeval_like.arrays.checks import as_sample_count
from mmeval_like.arrays.rank_order import COLLECT_MODES
from mmeval_like.backends import BaseDistBackend
from mmeval_like.errors import warn

__all__ = ["BaseMetric", "Statistic"]

_LOGGER = logging.getLogger("mmeval_like")


class BaseMetric(Accumulating):
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
        max_padding: How many of every rank's last samples `compute(size=)` may drop. By default
            one less than there are ranks, of all ranks together: see `compute`.
        name: Tells this metric from others that are equal, for instance "validation". Equal
            metrics without names are told apart by the order of their construction, which must
            then be the same on all ranks.
        interval: A level between 0 and 1, for instance 0.95. The result then has the ends of an
            interval beside every float, `{key}_low` and `{key}_high`, and `intervals` has more
            about each. What it means, and which metrics have one, is in the page "How sure is
            this number?". None: no intervals, and no cost.
        classes: The names of the classes, in the order of their indices; the same as
            `dataset_meta["classes"]`. `add` then takes names in place of class indices, as texts
            or categorical, and results are named by them.

    Raises:
        ValueError: `dist_collect_mode` is unknown, `max_padding` is negative, `interval` is not
            between 0 and 1, two classes have one name, or `dataset_meta` has other classes.
        TypeError: `max_padding` is no integer, `interval` is no number, or `classes` are no texts.

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
    """Set it when `compute_metric` gives the same bits on every processor, and writes and prints
    nothing: every rank then computes by itself, and the broadcast of the result is left out. So it
    is for integers, fractions, IEEE + - x / sqrt of float64, and functions that round correctly;
    the exp and log of `math` and numpy differ between processors. The metrics of this package whose
    states add up all set it."""

    ranges: Ranges = MappingProxyType({})
    """The least and the largest possible value, by key or pattern (`"top*"`), of which the first
    that fits counts. Without an entry: any number. They decide the shape of intervals."""

    no_interval: str | None = None
    """Why no interval of the metric's numbers would be honest, where that is so."""

    higher_is_better: bool | None = None
    """Whether more is better; None: neither. A gate needs to know."""

    _options: Options
    _compares_clusters = False  # whether it is one side of a `Paired`
    _of_units: Statistic | None = None  # its own, where another member's statistic is used
    # From the results of the statistic to those that `compute_metric` takes.
    _derivation: Callable[[Results], Results] | None = None

    def __init__(
        self,
        dataset_meta: Mapping[str, Any] | None = None,
        dist_collect_mode: str = "unzip",
        dist_backend: str | BaseDistBackend | None = None,
        logger: logging.Logger | None = None,
        *,
        max_padding: int | None = None,
        name: str | None = None,
        interval: float | None = None,
        classes: Sequence[str] | None = None,
    ) -> None:
        if dist_collect_mode not in COLLECT_MODES:
            raise ValueError(
                f"dist_collect_mode must be one of {COLLECT_MODES}, got {dist_collect_mode!r}"
            )
        if max_padding is not None:
            max_padding = as_sample_count(max_padding, "max_padding")
        super().__init__(max_padding)
        if classes is not None:
            meta, names = dict(dataset_meta or {}), check_names(classes)
            if [*map(str, meta.get("classes", names))] != names:
                raise ValueError("classes and dataset_meta['classes'] must not differ: give one")
            dataset_meta = {**meta, "classes": names}
        self.dataset_meta = dataset_meta
        self.dist_collect_mode = dist_collect_mode
        self.dist_backend = dist_backend
        self.logger = logger if logger is not None else _LOGGER
        self.interval = None if interval is None else as_level(interval)
        self._name = name

    def __repr__(self) -> str:
        if "_options" not in vars(self):
            return super().__repr__()  # while it is constructed
        return f"<{self._options.shown(self)}: {self._samples_here} samples>"

    def _described(self) -> list[tuple[str, str, int]]:
        return [(self.name, self._options.shown(self), self._samples_here)]

    # What a subclass defines -----------------------------------------------------------------

    @abstractmethod
    def compute_metric(self, results: Any) -> dict[str, Any]:
        """Return the metric's values from the merged states of all ranks.

        Args:
            results: A `Results`: an attribute per state, `len(results)` samples,
                `results.exact(name)` for unrounded float sums. For metrics in MMEval's way:
                the list of all ranks' entries, in global order.
        """

    # What a user calls -----------------------------------------------------------------------

    def __call__(self: Takes[P], *batch: P.args, **named: P.kwargs) -> Result:
        """Return the metric of one batch; nothing is accumulated or communicated."""
        fresh: BaseMetric = cast(Any, self)._without_samples()
        fresh.add(*batch, **named)
        return fresh.compute_local()

    def own_intervals(self, results: Results, level: float) -> Mapping[str, Any] | None:
        """Return `Interval`s by a formula of the metric's own, by key; None: there is no such.

        Args:
            results: As for `compute_metric`, of one sample or more.
            level: The level, for instance 0.95.
        """
        return None

    @property
    def statistic(self) -> Statistic:
        """What is accumulated: the metric itself, or the `Statistic` that `__init__` set.

        With `interval=` it may keep more beside that.
        """
        own = self if self._statistic is None else self._statistic
        keeps_more = self.interval is not None and self.no_interval is None
        return with_units(own) if keeps_more and not self._appends_to_list else own

    @statistic.setter
    def statistic(self, statistic: Statistic) -> None:
        self._statistic = statistic
        self._appends_to_list = False

    def per_sample(self: Takes[P], *batch: P.args, **named: P.kwargs) -> dict[str, Any]:
        """Return what the metric says of every sample alone; nothing is accumulated.

        Args:
            *batch: As for `add`.
            **named: The same by name.

        Returns:
            By key of the result an array (n,), or a list of length n where values are no numbers:
            entry i equals `metric(batch[i : i + 1])[key]`. What is undefined for one sample is
            nan, without a warning. Empty for a batch of no samples.

        Raises:
            TypeError, ValueError: The metric refuses the input.

        Example:
            >>> from mmeval_like import Accuracy
            >>> Accuracy().per_sample([0, 1, 1], [0, 0, 1])
            {'top1': array([1., 0., 1.])}
        """
        fresh: BaseMetric = cast(Any, self)._without_samples()
        fresh.max_padding = sys.maxsize  # so that no row folds
        fresh.interval = None
        fresh.add(*batch, **named)
        store = fresh._samples()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return columns([fresh._finish([one]) for one in one_by_one(store.states, store.part())])

    @property
    def _keeps_clusters(self) -> bool:
        wanted = self.interval is not None and self.no_interval is None
        return wanted or self._compares_clusters

    @property
    def name(self) -> str:
        """The name that was given to the constructor, or else that of the class."""
        return self._name or type(self).__name__

    @property
    def dataset_meta(self) -> dict[str, Any] | None:
        """A copy of the facts about the dataset."""
        return copy.deepcopy(self._dataset_meta)

    @dataset_meta.setter
    def dataset_meta(self, meta: Mapping[str, Any] | None) -> None:
        self._dataset_meta = None if meta is None else copy.deepcopy(dict(meta))

    # What the exchange needs -----------------------------------------------------------------

    @property
    def asks(self) -> frozenset[Any] | None:
        """What `compute_metric` asks of states that deal, see `State.deal`; None: all rows.

        A subclass may look at more than its base: it says so itself, or is given all rows. With
        intervals it is asked if it has `own_intervals`.
        """
        return None

    def _asked(self) -> list[frozenset[Any] | None]:
        names = {"asks"} if self.interval is None else {"asks", "own_intervals"}
        return [self.asks if names <= vars(type(self)).keys() else None]

    def _finish(self, results: list[Results]) -> dict[str, Any]:
        [merged] = results
        return self._values_of(whole(merged))

    def _values_of(self, merged: Results) -> dict[str, Any]:
        """Return the values, and their intervals, of the results of all samples."""
        if self._derivation is not None:
            merged = derived(self._derivation, merged)
        if not merged._count:
            warn(f"{self.name}: no samples were added on any rank", RuntimeWarning)
        if self.interval is None:
            return self._compute_of(merged)
        values = self._compute_of(merged.private())  # which may change its results in place
        statistic = self._of_units or self.statistic
        own = None
        if merged._clusters is not None:
            statistic = statistic.without_intervals
        elif len(merged):
            own = self.own_intervals(merged.private(), self.interval)
        found = intervals_of(
            self._compute_of if self._appends_to_list else self.compute_metric,
            statistic,
            self._states() if self._appends_to_list else statistic.states(),
            merged,
            values,
            self.interval,
            self.ranges,
            self.no_interval,
            own,
        )
        return WithIntervals.of(values, found)

    def _compute_of(self, results: Results) -> dict[str, Any]:
        return self.compute_metric(getattr(results, LIST) if self._appends_to_list else results)

    def _remember(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._options = Options(self, args, kwargs)

    @property
    def _named_classes(self) -> list[str] | None:
        classes = (self._dataset_meta or {}).get("classes")
        if classes is None or isinstance(classes, str) or not isinstance(classes, Sequence):
            return None
        return [str(name) for name in classes]

    @property
    def _identity(self) -> Identity:
        return self._options.identity(self)
