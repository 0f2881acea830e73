"""Running: a metric of the last samples only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mmeval_like._core.around import Around
from mmeval_like._core.collection import copied_empty
from mmeval_like._core.combinator import Combinator
from mmeval_like._core.evaluation import Evaluation
from mmeval_like._core.options import MetricOptions, Unpack
from mmeval_like._core.slot import Last, Slot
from mmeval_like._core.view import View
from mmeval_like._states.kinds.ordered import Objects

__all__ = ["Running"]


class Running(Combinator):
    """A metric of the last samples only, in the global order of the samples.

    The window counts samples, not calls of `add`: the value depends neither on the batch size nor
    on the number of ranks, and equals the metric of only these samples. Every
    rank keeps the rows of its own last samples. For long windows that need only the memory of a few
    totals, see `Windowed`. Samples with `ids=` are in the order of their ids, which must be
    indices: names do not say which samples are the last.

    Args:
        metric: The metric, `MetricCollection`, `Sliced` or `Recorded`; `add` takes the same
            arguments as its `add`.
        window: The number of samples.
        **options: As for `BaseMetric`; by default those of the metric. With several metrics, only
            `dist_backend` is allowed.

    Returns of `compute`: The same as the metric.

    Raises:
        TypeError: The argument is not a metric, or it is a metric that keeps objects or overrides
            `add`; or it is `Paired` or `Windowed`.
        ValueError: `window` is below 1.

    Example:
        >>> from mmeval_like import Accuracy, Running
        >>> metric = Running(Accuracy(), window=3)
        >>> metric.add([0, 0, 1], [1, 1, 1])
        >>> metric.add([1, 1], [1, 1])
        >>> metric.compute()
        {'top1': 1.0}
    """

    def __init__(self, metric: Evaluation, window: int, **options: Unpack[MetricOptions]) -> None:
        if not isinstance(metric, Evaluation):
            raise TypeError(f"metric must be a metric, got {type(metric).__name__}")
        if window < 1:
            raise ValueError(f"window must be positive, got {window}")
        inner = copied_empty(metric)
        self._name = options.get("name")
        inner._configure(**options)
        super().__init__(LastSamples(inner.plan, window), inner.dist_backend)

    @property
    def plan(self) -> LastSamples:
        """The plan that computes the metric for the last samples of all ranks."""
        plan: Any = self._plan
        found: LastSamples = plan
        return found

    @property
    def window(self) -> int:
        """The number of samples."""
        return self.plan.window

    @property
    def name(self) -> str:
        """The name given to the constructor, or the name of the class."""
        return self._name or type(self).__name__

    @name.setter
    def name(self, name: str | None) -> None:
        for place in self.plan.places():
            place.metric.name = name
        self._name = name


@dataclass(frozen=True)
class LastSamples(Around):
    """The plan that computes the inner plan for the last samples of all ranks.

    Attributes:
        window: The number of samples.

    Raises:
        TypeError: The inner plan compares two systems, has a window, or keeps objects.
    """

    window: int
    forgets = True

    def __post_init__(self) -> None:
        if self.inner.compares:
            raise TypeError(
                "each system has its own last samples: write Paired(Running(metric, n))"
            )
        if self.inner.windowed:
            raise TypeError("Running and Windowed both choose the last samples: take one of them")
        for place in self.inner.places():
            slots = place.metric.plan.slots
            states = [state for slot in slots for state in slot.states().values()]
            if slots[0].sole_user is not None or any(
                isinstance(state, Objects) for state in states
            ):
                raise TypeError(
                    f"metric must keep arrays of rows, {place.metric.name} keeps objects"
                )

    @property
    def slots(self) -> Sequence[Slot]:
        """The slots of the inner plan, limited to the last samples."""
        return [slot.within(Last(self.window)) for slot in self.inner.slots]

    def around(self, text: str) -> str:
        """Return the text of the inner plan with the number of samples."""
        return f"Running({text}, {self.window})"

    def finish(self, views: Sequence[View]) -> dict[str, Any]:
        """Return the values of the last samples."""
        return self.inner.finish([view.last() for view in views])

    def counted(self, samples: int) -> int:
        """Return how many of the last samples there are."""
        return min(self.inner.counted(samples), self.window)

    def measured(self) -> list[str]:
        """Return the metrics with the length of the window."""
        return [f"{one}, the last {self.window:,} samples" for one in self.inner.measured()]

    def described(self, counts: Sequence[int]) -> list[tuple[str, str, int]]:
        """Describe the metrics, and the length of the window."""
        return [
            (f"{name}, the last {self.window:,} of all ranks", metric, count)
            for name, metric, count in self.inner.described(counts)
        ]
