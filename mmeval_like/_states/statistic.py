"""Statistic: what a metric accumulates, and how a batch becomes rows of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.results import Results

__all__ = ["Statistic"]

_MAKERS = "mmeval_like.state"  # the module of the functions that make states


class Statistic:
    """What a metric accumulates: named states, and how a batch becomes their rows.

    Declare states as class attributes, or return them from `states` when they depend on
    arguments. Statistics that compare equal (a frozen dataclass does so by its fields) are
    computed, kept and sent once in a `MetricCollection`.

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

    class_inputs: ClassVar[tuple[str, ...]] = ()
    """The arguments of `rows` that hold class indices: `add` takes names of classes for them."""

    @property
    def on_accelerator(self) -> bool:
        """Whether `rows` works on the `DeviceArray`s of `mmeval_like.arrays.accelerator` as well.

        It then gets tensors on a GPU as such; by default they are fetched to the host. A class
        that works on them sets `on_accelerator = True`.
        """
        return False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse a kind of state that was named and not called."""
        super().__init_subclass__(**kwargs)
        for name, value in vars(cls).items():
            if getattr(value, "__module__", None) == _MAKERS and callable(value):
                text = f"{cls.__name__}.{name} is a function, not a state"
                raise TypeError(f"{text}: write {name} = state.{value.__name__}()")

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

    @property
    def without_intervals(self) -> Statistic:
        """The statistic without what is kept beside it for intervals: itself."""
        return self

    @property
    def confusion_classes(self) -> int | None:
        """The number of classes C, where codes are label * C + prediction; else None.

        Intervals then allow for what classes of few samples may still do.
        """
        return None

    def why_thin(self, results: Results) -> str | None:
        """Return why an interval of these results rests on too few samples; None: it does not."""
        return None

    def from_names(self, name: str, indices: Any) -> Any:
        """Return what `rows` takes for an argument whose names of classes have these indices."""
        return indices

    def moved(self, results: Results, codes: np.ndarray, step: int) -> Results | None:
        """Return many results as one, for a `compute_metric` that is `vectorised`; None: it cannot.

        Args:
            results: Of the statistic.
            codes: Codes of the statistic's histogram, (m,).
            step: So many more samples there are of code i in result i; negative: fewer.
        """
        return None

    @property
    def divisor(self) -> str | None:
        """The state of sums that values are divided by, one by one; None: there is no such."""
        return None

    def one_more(self, results: Results) -> Sequence[Results]:
        """Return results in which every class has a sample more, for each way to count for one.

        The numbers of single classes then show how far a sample moves them. Empty: nobody knows.

        Args:
            results: Of the statistic.
        """
        return ()

    def derive(self, other: Statistic) -> Callable[[Results], Results] | None:
        """Return how this statistic's results follow from another's; None if they do not."""
        return None
