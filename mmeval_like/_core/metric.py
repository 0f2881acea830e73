"""BaseMetric: turns samples into rows, and merged states into a dict of values."""

from __future__ import annotations

import copy
import inspect
import itertools
import logging
import sys
import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from math import isfinite
from types import MappingProxyType
from typing import Any, ClassVar, ParamSpec, Protocol, TypeVar, cast, overload

from mmeval_like import arrays
from mmeval_like._base.column_order import check_class_order, check_same_order
from mmeval_like._base.eager import COMPILER, eagerly, untraced
from mmeval_like._base.hints import SKLEARN_NAMES, adapted, refused_call, with_own_names
from mmeval_like._core.accounted import AccountedLeaf, check_policy
from mmeval_like._core.batch import Batch
from mmeval_like._core.evaluation import Evaluation
from mmeval_like._core.labels import check_names, may_be_names, replace_names
from mmeval_like._core.leaf import (
    Leaf,
    ListLeaf,
    class_names,
    inputs_of,
    kept_statistic,
    with_truth,
)
from mmeval_like._core.reasons import reasons_of
from mmeval_like._core.result import Result
from mmeval_like._core.samples import Samples
from mmeval_like._exchange.fingerprint import Options, fixed_options
from mmeval_like._intervals.ends import worst_and_best
from mmeval_like._intervals.jackknife.estimand import range_of
from mmeval_like._intervals.jackknife.metric_intervals import (
    as_level,
)
from mmeval_like._intervals.value_ranges import Ranges
from mmeval_like._samples.combine import columns, one_by_one
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.results import Results
from mmeval_like._states.statistic import Statistic, plain
from mmeval_like.arrays import accelerator
from mmeval_like.arrays.checks import as_sample_count
from mmeval_like.arrays.rank_order import COLLECT_MODES
from mmeval_like.backends import BaseDistBackend

__all__ = ["BaseMetric", "Leaf", "Statistic"]

_LOGGER = logging.getLogger("mmeval_like")

P = ParamSpec("P")
Self = TypeVar("Self", bound="BaseMetric")


class Takes(Protocol[P]):
    """A class whose method `rows` takes the inputs P."""

    def rows(self, *batch: P.args, **named: P.kwargs) -> Mapping[str, Any]:
        """Return the rows of a batch."""


class BaseMetric(Evaluation, Statistic):
    """A metric over a dataset that is split across the ranks of a distributed run.

    To write a metric, declare states and define the methods `rows` and `compute_metric`. In MMEval
    style, override `add` to append one entry per sample to the list `self._results`;
    `compute_metric` then gets the list of all ranks' entries.

    Args:
        dataset_meta: Information about the dataset, for instance its class names. It is copied.
        dist_collect_mode: How the shards make up the dataset. "unzip": rank r holds samples
            r, r + world size, ...; "cat": rank 0 holds the first samples, rank 1 the next.
        dist_backend: A backend's name or instance. None: chosen automatically when first needed.
        logger: For messages; default: the logger "mmeval_like".
        max_padding: How many of each rank's last samples `compute(size=)` may drop. By default it
            drops at most one fewer than the number of ranks, in total; see `compute`.
        name: Distinguishes this metric from equal ones, for instance "validation". Equal metrics
            without names are distinguished by the order of their construction, which must then be
            the same on all ranks.
        interval: A level between 0 and 1, for instance 0.95. For every float, the result then also
            has the ends of an interval, `{key}_low` and `{key}_high`, and `intervals` has details
            about each. The page "Confidence intervals" explains what they mean and which
            metrics have them. None: no intervals, at no cost.
        classes: The names of the classes, in the order of their indices; the same as
            `dataset_meta["classes"]`. `add` then accepts names instead of class indices, as strings
            or categoricals, and results use these names. Columns of a data frame that are named
            after classes must be in the same order.
        unscored: What samples without a score count as, see `add_unscored`. None: they are refused.
            "drop": they do not count. A number: the value of such a sample, for instance 0; for a
            metric of classes, the index or the name of the class that counts as predicted.
            "bounds": they do not count, and `result.bounds` has the value for the worst and for the
            best predictions that they may have had; intervals then reach from the lower end at the
            worst to the upper end at the best. A prediction may be any class, any score, or any
            value in the metric's range; the page "Bounds of samples without a score" lists the
            metrics that have bounds.

    Raises:
        ValueError: `dist_collect_mode` is unknown, `max_padding` is negative, `interval` is not
            between 0 and 1, two classes have one name, `dataset_meta` has other classes, or the
            metric's `num_classes` is not their number.
        TypeError: `max_padding` is not an integer, `interval` is not a number, `classes` are not
            strings, or the metric does not support this value of `unscored`.

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
    """Whether `compute_metric` returns the same bits on every processor, and writes and prints
    nothing. Every rank then computes the result itself, without a broadcast. Set it only if the
    method uses integers, fractions, IEEE + - x / sqrt of float64, or correctly rounded functions:
    the exp and log of `math` and numpy differ between processors. All metrics of this package
    whose states add up set it."""

    processor_dependent: str | None = None
    """Which functions make the last bits of rows or results depend on the processor; None: none.
    A record says it, and `verify` then compares the values of the metric with a tolerance."""

    ranges: Ranges = MappingProxyType({})
    """The smallest and the largest possible value, by key or pattern (`"top*"`); the first match
    applies. Without an entry, any number is possible. They determine the shape of intervals."""

    no_interval: str | None = None
    """Why no interval is valid for this metric; None: intervals are valid."""

    no_interval_of: Mapping[str, str] = MappingProxyType({})
    """Why no interval is valid for some of the values, by key."""

    pooled_keys: Sequence[str] = ()
    """The keys, or patterns, of values that pool all classes, as micro averages do: few samples of
    a class say nothing against their intervals."""

    only_own_intervals: str | None = None
    """Why only the intervals of `own_intervals` are valid, and none of samples in clusters and of
    differences; None: the others are valid too."""

    intervals_at_once: int = 1
    """How many intervals contain their true values at once, in the share of cases that `interval=`
    asks for: each has the level 1 - (1 - interval) / intervals_at_once (Bonferroni)."""

    outer_bounds: bool = False
    """Whether the bounds of samples without a score may be wider than the possible values."""

    no_bounds: str | None = None
    """Why the metric has no bounds for samples without a score; None: it has them if its statistic
    defines `filled`."""

    takes_texts: bool = False
    """Whether a prediction is a text: `unscored=` may then be the text that samples count as."""

    higher_is_better: bool | None = None
    """Whether higher values are better; None if neither direction is better. Gates need it."""

    higher_is_better_of: Mapping[str, bool | None] = MappingProxyType({})
    """The same of those values for which it differs, by key or pattern; the first match applies."""

    # The method that receives the inputs of `add`, or its name in the class.
    _takes_inputs: ClassVar[str | Callable[..., Any]] = "rows"
    dist_collect_mode = "unzip"
    interval: float | None
    max_padding: int | None
    logger: logging.Logger
    _dataset_meta: dict[str, Any] | None
    _name: str | None
    _options: Options = Options()  # the metric's own once its constructor has ended
    _chosen: Statistic | None = None
    _unscored: float | str | None = None

    _warns_without_samples = True

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
        unscored: float | str | None = None,
    ) -> None:
        super().__init__(dist_backend)
        self._results: list[Any] = []
        self._configure(
            dataset_meta=dataset_meta,
            dist_collect_mode=dist_collect_mode,
            logger=_LOGGER if logger is None else logger,
            max_padding=max_padding,
            name=name,
            interval=interval,
            classes=classes,
            unscored=unscored,
        )

    def _configure(self, **options: Any) -> None:
        """Set some of the options that all metrics share."""
        padding, classes = options.get("max_padding"), options.pop("classes", None)
        if padding is not None:
            options["max_padding"] = as_sample_count(padding, "max_padding")
        if options.get("dist_collect_mode", "cat") not in COLLECT_MODES:
            given = options["dist_collect_mode"]
            raise ValueError(f"dist_collect_mode must be one of {COLLECT_MODES}, got {given!r}")
        if classes is not None:
            meta, names = dict(options.get("dataset_meta") or {}), check_names(classes)
            if [*map(str, meta.get("classes", names))] != names:
                raise ValueError("classes and dataset_meta['classes'] must not differ: give one")
            options["dataset_meta"] = {**meta, "classes": names}
        if options.get("interval") is not None:
            options["interval"] = as_level(options["interval"])
        for name, value in options.items():
            setattr(self, "_name" if name == "name" else name, value)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Give `add` the signature and the docstring of the method that reads the inputs."""
        super().__init_subclass__(**kwargs)
        own, named = vars(cls), cls._takes_inputs
        for name, value in own.items():
            hides = name == "plan" or callable(getattr(BaseMetric, name, None))
            if hides and isinstance(value, State):
                raise TypeError(
                    f"the state {name!r} of {cls.__name__} would hide the member of BaseMetric "
                    f"with this name: give the state another name"
                )
        known = BaseMetric.add.__code__
        if getattr(own.get("add"), "__code__", known) is not known:
            cls.add = untraced(own["add"])  # type: ignore[method-assign]
        inputs = own.get(named) if isinstance(named, str) else own.get("_takes_inputs")
        for method in dict.fromkeys((own.get("rows"), inputs)):
            if method is not None and cls.add.__code__ is BaseMetric.add.__code__:
                # An own `rows` need not take the keywords of the base class's `rows`.
                add = BaseMetric.add if method is own.get("rows") else cls.add
                cls.add = adapted(add, method)  # type: ignore[method-assign]

    def _constructed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._check_classes("classes has {} names, but num_classes is {}: name every class")
        self._options = Options.of(self, args, kwargs, self._chosen)
        super()._constructed(args, kwargs)
        if self.unscored is not None:
            check_policy(self)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in fixed_options(type(self)) and self._options is not BaseMetric._options:
            raise AttributeError(
                f"{name} cannot be set once a metric is constructed: make a new metric, "
                f"{type(self).__name__}({name}={value!r:.50})"
            )
        super().__setattr__(name, value)
        self._options.known = []  # any attribute may be an option, or what the states depend on

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        self._options.known = []

    def __repr__(self) -> str:
        if self._options is BaseMetric._options:
            return object.__repr__(self)  # during construction
        return f"<{self._options.shown(self)}: {samples_here(self)} samples>"

    # For subclasses ----------------------------------------------------------------------------

    @abstractmethod
    def compute_metric(self, results: Any) -> dict[str, Any]:
        """Return the metric's values from the merged states of all ranks.

        Args:
            results: A `Results`: an attribute per state, `len(results)` samples,
                `results.exact(name)` for unrounded float sums. For metrics in MMEval style: the
                list of all ranks' entries, in global order.
        """

    def direction_of(self, key: str) -> bool | None:
        """Return whether higher values of a key are better; None if neither direction is better.

        Args:
            key: The key of the value in the result.

        Example:
            >>> from mmeval_like import IntervalScore
            >>> metric = IntervalScore(alpha=0.1)
            >>> metric.direction_of("mean_width"), metric.direction_of("coverage")
            (False, None)
        """
        of = self.higher_is_better_of.items()
        fitting = (better for pattern, better in of if fnmatchcase(key, pattern))
        return next(fitting, self.higher_is_better)

    def score_of(self, fill: Any, key: str) -> float | None:
        """Return the score of a sample without one; None: it is no finite number of the range.

        Args:
            fill: As for `Statistic.filled`: "worst" and "best" are ends of the range.
            key: The key of the value in the result.
        """
        ends = range_of(self.ranges, key)[:: -1 if self.direction_of(key) is False else 1]
        score = dict(zip(("worst", "best"), ends, strict=True)).get(fill, fill)
        if isinstance(score, str) or not isfinite(score) or not min(ends) <= score <= max(ends):
            return None
        return float(score)

    def extremes(
        self, scored: Results, worst: Results, best: Results
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the worst and the best values that samples without a score allow.

        Args:
            scored: As for `compute_metric`, of the samples with a score.
            worst: Of all samples, those without a score with the worst predictions; see
                `Statistic.filled`.
            best: Of all samples, those without a score with the best predictions.
        """
        ends = self.compute_metric(worst), self.compute_metric(best)
        low, high = worst_and_best(ends, self.direction_of)
        free = [key for key in low if self.direction_of(key) is None]
        return {**ends[0], **{k: low[k] for k in free}}, {**ends[1], **{k: high[k] for k in free}}

    def own_intervals(self, results: Results, level: float) -> Mapping[str, Any] | None:
        """Return the metric's own `Interval` for each key; None if it has no formula.

        Args:
            results: As for `compute_metric`, with at least one sample.
            level: The level, for instance 0.95.
        """
        return None

    def before_root(self, results: Results) -> Mapping[str, Any] | None:
        """Return the values whose roots `compute_metric` returns; None if there are none.

        The interval of a root is the root of the interval of its square.

        Args:
            results: As for `compute_metric`.
        """
        return None

    @property
    def asks(self) -> frozenset[Any] | None:
        """What `compute_metric` asks of states that deal, see `State.deal`; None: all rows.

        A subclass may need more than its base class: it defines `asks` itself, or gets all rows.
        With intervals, `asks` applies only if the subclass also defines `own_intervals`.
        """
        return None

    @property
    def statistic(self) -> Statistic:
        """What is accumulated: the metric itself, or the `Statistic` that `__init__` set.

        With `interval=`, it may keep additional states. Another statistic can be set while there
        are no samples.

        Raises:
            RuntimeError: It is set although there are samples of another statistic.
        """
        own = self if self._chosen is None else self._chosen
        keeps_more = self.interval is not None and self.no_interval is None
        return self.plan.in_units(own) if keeps_more else own

    @statistic.setter
    def statistic(self, statistic: Statistic) -> None:
        held = self._held.samples
        if held is not None and any(held.counts):
            raise RuntimeError(
                "statistic cannot be set while there are samples of another one: call reset() first"
            )
        self._held.samples = None
        self._chosen = None if statistic is self else statistic

    @property
    def unscored(self) -> float | str | None:
        """What samples without a score count as; see the constructor.

        Raises:
            RuntimeError: It is set although there are samples.
        """
        return self._unscored

    @unscored.setter
    def unscored(self, unscored: float | str | None) -> None:
        held = self._held.samples
        if held is not None and any(held.counts):
            raise RuntimeError("unscored cannot be set while there are samples: call reset() first")
        before, self._unscored = self._unscored, unscored
        if unscored is not None and self._options is not BaseMetric._options:
            try:
                check_policy(self)
            except (TypeError, ValueError):
                self._unscored = before
                raise
        self._held.samples = None

    # For users ---------------------------------------------------------------------------------

    # Type checkers infer the arguments of `add` from `rows`. Types cannot express one more keyword
    # than its arguments (PEP 612): calls with ids= or clusters= are checked only if the signature
    # is written out, which for the package's metrics is `metrics/__init__.pyi`.
    @overload
    def add(self: Takes[P], *batch: P.args, **named: P.kwargs) -> None: ...

    @overload
    def add(  # type: ignore[overload-cannot-match]  # a class with any rows: then it is
        self, *batch: Any, ids: Any, clusters: Any = None, unscored: Any = None, **named: Any
    ) -> None: ...

    @overload
    def add(  # type: ignore[overload-cannot-match]
        self, *batch: Any, ids: Any = None, clusters: Any, unscored: Any = None, **named: Any
    ) -> None: ...

    @overload
    def add(  # type: ignore[overload-cannot-match]
        self, *batch: Any, ids: Any = None, clusters: Any = None, unscored: Any, **named: Any
    ) -> None: ...

    def add(
        self, *batch: Any, ids: Any = None, clusters: Any = None, unscored: Any = None, **named: Any
    ) -> None:
        """Accumulate a batch; if it raises an error, nothing is added.

        Args:
            *batch: The metric's own inputs, see the class.
            ids: The samples' dataset indices, integers of shape (n,), for instance from
                `Indexed(dataset)`; or their names, n strings; all calls must use the same kind.
                Each id is then counted once, no matter how the sampler padded, repeated or ordered
                the samples. Rows are kept individually until `compute`, so memory grows with the
                number of samples.
            clusters: Which samples belong together, n integers or strings: samples of one document,
                patient or question are not independent. They only affect the intervals of a metric
                with `interval=`; without it they are checked but not kept. If a question is
                answered several times, pass the question's id. Samples whose cluster is None form
                one cluster. Memory grows with the number of clusters.
            unscored: For each sample None, or the reason why it has no score, such as "error",
                "timeout", "refusal" or "unparseable"; its prediction is then not looked at. The
                metric's option `unscored=` says what such samples count as. None: all have a score.
            **named: The metric's inputs by name. A metric of `predictions` and `labels` also
                accepts scikit-learn's names, `y_pred` (or `y_score`) and `y_true`.

        Raises:
            TypeError, ValueError: The input is invalid; or `ids` or `clusters` were given in some
                calls but not in others.
        """
        if COMPILER in sys.modules:
            eagerly(self._add, batch, named, ids, clusters, unscored)
        else:
            self._add(batch, named, ids, clusters, unscored)

    def _add(
        self,
        args: tuple[Any, ...],
        named: dict[str, Any],
        ids: Any,
        clusters: Any,
        unscored: Any = None,
    ) -> None:
        samples = self._held.samples or self._samples()
        if clusters is not None or unscored is not None or self._unscored is not None:
            given = Batch(args, named, ids, None, clusters, None, unscored)
            samples.append(given, self.plan.read(given))
            return
        rows = self._rows(kept_statistic(self), args, named)
        if samples.shapes[0].groups is not None:
            samples.append(Batch(args, named, ids), [rows])
            return
        [store] = samples.kept
        store.append(store.check(rows, ids))

    def add_unscored(
        self, *, ids: Any = None, reason: Any = "error", clusters: Any = None, **known: Any
    ) -> None:
        """Accumulate samples without a score; if it raises an error, nothing is added.

        Args:
            ids: As for `add`. A sample that has an id, and that any rank adds with a score, counts
                with it, whichever came first: a retry replaces a failure. Of a sample that has
                failed for several reasons, the first one in the alphabet is counted.
            reason: Why they have no score, such as "error", "timeout", "refusal" or "unparseable";
                or a list with a reason for each sample.
            clusters: As for `add`.
            **known: Those inputs of `add` that are known, by name, such as labels and weights.
                `unscored="bounds"` needs the labels, for metrics whose bounds depend on them.

        Raises:
            ValueError: The metric was constructed without `unscored=`, or needs more inputs.
            TypeError: A reason is not a string.

        Example:
            >>> from mmeval_like import Accuracy
            >>> metric = Accuracy(unscored=0)
            >>> metric.add([0, 1, 1], [0, 0, 1], ids=["a", "b", "c"])
            >>> metric.add_unscored(ids=["d", "e"], reason="timeout")
            >>> result = metric.compute()
            >>> result, result.planned, result.scored, result.unscored
            ({'top1': 0.4}, 5, 3, {'timeout': 2})
        """
        self._add((), known, ids, clusters, reasons_of(reason, ids, clusters, known))

    def __call__(self: Takes[P], *batch: P.args, **named: P.kwargs) -> Result:
        """Return the metric of one batch; nothing is accumulated or communicated."""
        fresh: BaseMetric = cast(Any, self)._empty()
        fresh.add(*batch, **named)
        return fresh.compute_local()

    def per_sample(self: Takes[P], *batch: P.args, **named: P.kwargs) -> dict[str, Any]:
        """Return the metric's value for each single sample; nothing is accumulated.

        Args:
            *batch: As for `add`.
            **named: As for `add`.

        Returns:
            A dict from each key of the result to an array (n,), or to a list of length n if the
            values are not numbers. Entry i equals `metric(batch[i : i + 1])[key]`. Values that are
            undefined for a single sample are nan, without a warning. The dict is empty for an empty
            batch.

        Raises:
            TypeError, ValueError: The input is invalid.

        Example:
            >>> from mmeval_like import Accuracy
            >>> Accuracy().per_sample([0, 1, 1], [0, 0, 1])
            {'top1': array([1., 0., 1.])}
        """
        fresh: BaseMetric = cast(Any, self)._empty(keep=sys.maxsize)
        fresh.interval = fresh.unscored = None
        fresh.add(*batch, **named)
        [store] = fresh._samples().stores()
        plan = fresh.plan
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            each = one_by_one(store.states, store.part())
            return columns([plan.estimates(one) for one in each])

    def reset(self) -> None:
        """Forget all samples."""
        if type(self._results) is not list or self._results:
            self._results = []
        self._forget()

    @property
    def plan(self) -> Leaf:
        """The plan of this metric only."""
        # In MMEval style, neither the class nor a statistic defines `rows`.
        if self._chosen is None and type(self).rows is Statistic.rows:
            return ListLeaf(self)
        return Leaf(self) if self._unscored is None else AccountedLeaf(self)

    @property
    def name(self) -> str:
        """The name given to the constructor, or the name of the class."""
        return self._name or type(self).__name__

    @name.setter
    def name(self, name: str | None) -> None:
        self._name = name

    @property
    def dataset_meta(self) -> dict[str, Any] | None:
        """A copy of the information about the dataset.

        Raises:
            ValueError: It is set to one with another number of classes than the metric has.
        """
        return copy.deepcopy(self._dataset_meta)

    @dataset_meta.setter
    def dataset_meta(self, meta: Mapping[str, Any] | None) -> None:
        before = self._dataset_meta if "_dataset_meta" in vars(self) else None
        self._dataset_meta = None if meta is None else copy.deepcopy(dict(meta))
        if self._options is BaseMetric._options:
            return
        text = "dataset_meta has {} classes, the metric was constructed for {}: make a new metric"
        try:
            self._check_classes(f"{text}, {type(self).__name__}(dataset_meta=...)")
        except Exception:
            self._dataset_meta = before
            raise

    # Implementation ----------------------------------------------------------------------------

    def _check_classes(self, text: str) -> None:
        """Raise ValueError if there are names, but not one for each class: they would name nothing.

        Args:
            text: The text of the error, with places for both numbers.
        """
        names = class_names(self)
        if names is None:
            return
        known = getattr(self, "num_classes", getattr(self._chosen, "num_classes", None))
        if isinstance(known, int) and known != len(names):
            raise ValueError(text.format(len(names), known))

    @property
    def _captures(self) -> bool:
        """Whether the class overrides `add`, and so handles batches itself."""
        # Compares the code, because `add` of every class is adapted to its own signature.
        return getattr(type(self).add, "__code__", None) is not BaseMetric.add.__code__

    def _entry_names(self) -> list[str] | None:
        """Return the names of the entries of lists in the result: the classes, if known."""
        return class_names(self)

    def _copied(self: Self) -> Self:
        twin = super()._copied()
        # A separate list: a reset() in MMEval style may clear it in place.
        own = {"_results": copy.copy(self._results), "_options": self._options.of_copy()}
        vars(twin).update(own)
        return twin

    def _samples(self) -> Samples:
        if self._held.samples is not None:
            return self._held.samples
        return self.plan.entries() or super()._samples()

    def _remembered(self) -> list[tuple[object, dict[str, Any]]]:
        found = super()._remembered()
        found[0][1]["_results"] = copy.copy(self._results)  # entries are appended in place
        found[0][1]["_options"] = self._options.of_copy()
        return found

    def _merge(self, parts: Sequence[Any], aside: Mapping[str, Any]) -> None:
        if not self.plan.extend(parts):
            super()._merge(parts, aside)

    def _rows_of(self, batch: tuple[Any, ...], named: dict[str, Any]) -> Mapping[str, Any]:
        """Return the rows of a batch for the metric's states, without adding them."""
        [rows] = self.plan.read(Batch(batch, named))
        return rows or {}

    def _rows(
        self,
        statistic: Statistic,
        batch: tuple[Any, ...],
        named: dict[str, Any],
        classes: Callable[[], Sequence[str] | None] | None = None,
    ) -> Mapping[str, Any]:
        """Return the rows of a batch for the states of a statistic, without adding them."""
        if named and not SKLEARN_NAMES.keys().isdisjoint(named):
            named = with_own_names(type(self), named)
        known = plain(statistic)
        if any(map(arrays.column_names, (*batch, *named.values()))):
            self._check_columns(known, batch, named, classes)
        if known.class_inputs and (named or any(map(may_be_names, batch))):
            batch, named = self._with_indices(known, batch, named, classes)
        if statistic.on_accelerator:
            batch, named = accelerator.stay(batch, named)
        try:
            rows = statistic.rows(*batch, **named)
        except TypeError:
            if refused := refused_call(type(self), statistic.rows, batch, named):
                raise refused from None  # users call `add`, not `rows`
            raise
        return with_truth(self, known, rows, batch, named) if self._held.of_pair else rows

    def _with_indices(
        self,
        known: Statistic,
        batch: tuple[Any, ...],
        named: dict[str, Any],
        classes: Callable[[], Sequence[str] | None] | None,
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the inputs with class indices instead of names of classes."""
        names = known.class_inputs

        def made(name: str, indices: Any) -> Any:
            method = names[name] if isinstance(names, Mapping) else None
            return indices if method is None else getattr(known, method)(name, indices)

        named_classes = classes or (lambda: class_names(self))
        inputs = inputs_of(type(self), type(known))
        return replace_names(inputs, tuple(names), batch, named, named_classes, made)

    def _check_columns(
        self,
        known: Statistic,
        batch: tuple[Any, ...],
        named: dict[str, Any],
        classes: Callable[[], Sequence[str] | None] | None,
    ) -> None:
        """Raise ValueError if columns of data frames are the classes or each other's, permuted."""
        inputs = [*inspect.signature(inputs_of(type(self), type(known))).parameters][1:]
        values = {**dict(zip(inputs, batch, strict=False)), **named}
        columns = {name: arrays.column_names(value) for name, value in values.items()}
        frames = {name: names for name, names in columns.items() if names}
        order = (classes or (lambda: class_names(self)))() or ()
        if not order and known.class_inputs and len(frames) == 1:  # named after class indices
            [names] = frames.values()
            order = [str(index) for index in range(len(names))]
        check_class_order(frames, order)
        for one, other in itertools.combinations(frames, 2):
            check_same_order(frames, one, other)

    def _known_inputs(self, known: Statistic, batch: Batch, every: bool) -> dict[str, Any]:
        """Return the inputs of a batch by name, except for predictions.

        Args:
            known: The statistic.
            batch: The batch.
            every: Whether they are all inputs, or only labels and weights.
        """
        inputs = [*inspect.signature(inputs_of(type(self), type(known))).parameters][1:]
        named = with_own_names(type(self), batch.named)
        named = {**dict(zip(inputs, batch.args, strict=False)), **named}
        if len(batch.args) > len(inputs):  # the weights follow
            named["sample_weight"] = batch.args[len(inputs)]
        names = {*named} - {"predictions"} if every else {*known.truth_inputs, "sample_weight"}
        wanted = {name: value for name, value in named.items() if name in names}
        return self._with_indices(known, (), wanted, batch.classes)[1]


def samples_here(metric: BaseMetric) -> int:
    """Return the number of samples that were added to a metric on this rank."""
    held = metric._held.samples
    return len(metric._results) + (0 if held is None else sum(held.counts))
