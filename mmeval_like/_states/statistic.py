"""Statistic: what a metric accumulates, and how a batch becomes rows of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, TypeAlias

import numpy as np

from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.results import Results
from mmeval_like._states.rows import Rows

__all__ = ["Augmented", "Derivation", "Jackknife", "Statistic", "plain"]

Derivation: TypeAlias = Callable[[Results], Results]
"""A function that computes the results of one statistic from those of another."""

_MAKERS = "mmeval_like.state"  # the module of the functions that make states


def _no_caveat(results: Results) -> str | None:
    return None


def _unknown(results: Results) -> Sequence[Results]:
    return ()


def _no_parts(results: Results) -> Mapping[str, Sequence[Sequence[Any]]]:
    return {}


def _one_by_one(results: Results, codes: np.ndarray, step: int) -> Results | None:
    return None


@dataclass(frozen=True)
class Jackknife:
    """What a statistic knows about its results with one sample more or less.

    Attributes:
        caveat: Given results, returns why an interval of them rests on too few samples, or None.
            In these results, states that weigh samples count them, or the groups that have samples.
        caveat_of_pairs: As `caveat`, for the results of one of two systems that are compared. None:
            `caveat` is used.
        plus_one: Given results, returns those in which every class has one sample more, one for
            each way to count that sample. They show the effect of a sample on the values of single
            classes. Empty: this is unknown.
        parts: Given results, returns, by key or pattern, for every value of a list the numbers of
            samples, or sums of weights, of each of its parts: of a difference between two groups,
            those of both. Empty: they are unknown.
        shares: As `parts`, for values that are differences of two shares of hits: the hits and the
            samples of each, or sums of weights. Empty: there are no such values.
        perturbed: Given results, codes (m,) of the histogram, and a step, returns m results in one,
            for a `compute_metric` that is `vectorised`: result i has `step` more samples of code i,
            or fewer if it is negative. None: results are computed one by one.
        confusion_classes: The number of classes C, where codes are label * C + prediction; else
            None. Intervals then allow for the possible effect of classes with few samples.
        divisor: The state whose sums divide the values elementwise; None if there is none.
        sums: The states whose sums intervals are computed from, if other states serve only the
            value; None: all states.
        pairs: Places of six sums each: of the weights w, of w x, w y, w x^2, w x y and w y^2. An
            interval that rests on few values of w (x - mean(x))^2, of those of y, or of w (x - y)^2
            is marked. If the value is the correlation of x and y, it is in units of their standard
            deviations, and its interval allows for their skewed squares.
        labels: Places of sums of labels and predictions, first of the number of samples with a
            label. Intervals of values that have `slopes` allow for skewed labels, and are marked if
            few decide them.
        slopes: Given results, returns, by key, how much a value changes with the mean of each of
            these sums.
        roundings: Places of sums of the rounding errors of products, which are in other sums.
        flags: States of which only matters whether they are 0. Samples may add unlike numbers to
            them, as those without a score do.

    Example:
        >>> from mmeval_like._states.results import Results
        >>> few = Jackknife(caveat=lambda results: "there are two" if len(results) < 3 else None)
        >>> few.caveat(Results({}, 2)), few.divisor
        ('there are two', None)
    """

    caveat: Callable[[Results], str | None] = _no_caveat
    caveat_of_pairs: Callable[[Results], str | None] | None = None
    plus_one: Callable[[Results], Sequence[Results]] = _unknown
    parts: Callable[[Results], Mapping[str, Sequence[Sequence[Any]]]] = _no_parts
    shares: Callable[[Results], Mapping[str, Sequence[Sequence[tuple[Any, Any]]]]] = _no_parts
    perturbed: Callable[[Results, np.ndarray, int], Results | None] = _one_by_one
    confusion_classes: int | None = None
    divisor: str | None = None
    sums: tuple[str, ...] | None = None
    pairs: tuple[tuple[int, int, int, int, int, int], ...] = ()
    labels: tuple[int, ...] = ()
    slopes: Callable[[Results], Mapping[str, Sequence[Any]]] = _no_parts
    roundings: tuple[int, ...] = ()
    flags: tuple[str, ...] = ()


class Statistic:
    """What a metric accumulates: named states, and how a batch becomes their rows.

    Declare states as class attributes, or return them from `states` when they depend on
    arguments. Statistics that compare equal (frozen dataclasses compare their fields) are computed,
    stored and sent once in a `MetricCollection`.

    Example:
        >>> from dataclasses import dataclass
        >>> from mmeval_like import state
        >>> @dataclass(frozen=True)
        ... class Signs(Statistic):
        ...     positive = state.sum(int)
        ...     def rows(self, values):
        ...         return {"positive": np.asarray(values) > 0}
        >>> Signs() == Signs(), list(Signs().states())
        (True, ['positive'])
    """

    class_inputs: ClassVar[tuple[str, ...] | Mapping[str, str | None]] = ()
    """The arguments of `rows` that hold class indices: `add` takes names of classes for them.

    A mapping names, for each argument, the method that converts class indices to what `rows` takes;
    it is called with the argument's name and the indices. None: `rows` takes indices, several for
    each sample. With a tuple, `rows` takes one index for each sample."""

    truth_inputs: ClassVar[tuple[str, ...]] = ("labels", "targets", "groundtruths", "references")
    """Those arguments of `rows` that must be the same for all systems: `Paired` rejects two systems
    if they differ. Empty if systems may have different values for a sample."""

    unknown_inputs: ClassVar[tuple[str, ...]] = ()
    """The arguments of `rows` that are nan where a number is not known: in tables, such as those of
    the command line, their cells may be empty."""

    takes_scores: ClassVar[bool] = False
    """Whether predictions must be scores, so that decisions say less: the command line then prefers
    a column of scores."""

    ignore_index: int | None = None
    """The label of positions that do not count, such as padding; None: all positions count."""

    @property
    def on_accelerator(self) -> bool:
        """Whether `rows` works on the `DeviceArray`s of `mmeval_like.arrays.accelerator` as well.

        If so, it gets tensors on a GPU directly; by default they are fetched to the host. A class
        that works on them sets `on_accelerator = True`.
        """
        return False

    @property
    def counts_samples(self) -> bool:
        """Whether it counts the samples that are right, each once, so that a report may say so."""
        return False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse a function of `state` that was assigned without being called."""
        super().__init_subclass__(**kwargs)
        for name, value in vars(cls).items():
            if getattr(value, "__module__", None) == _MAKERS and callable(value):
                text = f"{cls.__name__}.{name} is a function, not a state"
                raise TypeError(f"{text}: write {name} = state.{value.__name__}()")

    def states(self) -> dict[str, State]:
        """Return the states by name; by default those declared on the class."""
        return dict(_declared(type(self)))  # type: ignore[arg-type]  # types are hashable

    def rows(self, *batch: Any, **named: Any) -> Mapping[str, Any]:
        """Return, for every state, one row per sample of the batch.

        All checks of the input are made here: an error raised here leaves the metric unchanged.
        """
        raise TypeError(f"{type(self).__name__} must define rows(), or override add()")

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> Mapping[str, Rows] | None:
        """Return the rows of samples without a score, as if they had one; None if none is defined.

        Args:
            fill: A number or a label, that samples are counted as; or "worst" or "best", the worst
                or the best prediction that they may have had.
            count: The number of samples.
            inputs: Those arguments of `rows`, by name, that are known of these samples, such as
                labels and weights.
        """
        return None

    @property
    def jackknife(self) -> Jackknife:
        """What the statistic knows about one sample more or less; by default nothing."""
        return Jackknife()

    def truth_of(self, rows: Mapping[str, Rows]) -> Rows:
        """Return the part of rows that is the same for all predictions, such as the labels.

        `Paired` compares it sample by sample. It is called only if `rows_have_truth`.
        """
        raise NotImplementedError

    @property
    def rows_have_truth(self) -> bool:
        """Whether rows contain the labels: then `truth_of` returns them.

        If not, `Paired` keeps a digest of the label of each sample.
        """
        return type(self).truth_of is not Statistic.truth_of

    def in_any_order(self, rows: Mapping[str, Rows]) -> bool:
        """Return whether rows of states that are kept have the same value in any order.

        It is called for states that distribute rows by what is in them: images without an identity,
        for instance, are told apart by their places.
        """
        return True

    def possible(self, results: Results) -> bool | None:
        """Return whether some samples have these results, whose states are possible; None: unknown.

        `subtract` asks for the samples left; if it is unknown, it computes their values instead,
        and checks that they are within `ranges`.
        """
        return None

    def derive(self, other: Statistic) -> Derivation | None:
        """Return how this statistic's results follow from another's; None if they do not."""
        return None


@lru_cache(1024)  # called for every batch of a metric with intervals
def _declared(kind: type[Statistic]) -> Mapping[str, State]:
    """Return the states that a class and its bases declare."""
    names = {name: None for cls in reversed(kind.__mro__) for name in vars(cls)}
    found = {name: getattr(kind, name, None) for name in names}
    return {name: state for name, state in found.items() if isinstance(state, State)}


@dataclass(frozen=True)
class Augmented(Statistic):
    """A statistic with more states than a metric's, for instance those that intervals need.

    Attributes:
        inner: The statistic of the metric.
    """

    inner: Statistic

    @abstractmethod
    def extended(self, rows: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return rows of the metric's statistic with those of the additional states."""

    def rows(self, *batch: Any, **named: Any) -> Mapping[str, Any]:
        """Return the rows of the metric's statistic, and those of the additional states."""
        return self.extended(self.inner.rows(*batch, **named))

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> Mapping[str, Rows] | None:
        """Return what the metric's statistic returns, with rows of the additional states."""
        rows = self.inner.filled(fill, count, inputs)
        return None if rows is None else self.extended(rows)

    @property
    def jackknife(self) -> Jackknife:
        """The `Jackknife` of the metric's statistic."""
        return self.inner.jackknife


def plain(statistic: Statistic) -> Statistic:
    """Return the inner statistic of an `Augmented`, or any other statistic itself."""
    return statistic.inner if isinstance(statistic, Augmented) else statistic
