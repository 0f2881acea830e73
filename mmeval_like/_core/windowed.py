"""Windowed: metrics of the last samples of a stream, at the cost of a few totals."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mmeval_like._core.around import Around
from mmeval_like._core.combinator import Combinator
from mmeval_like._core.evaluation import Evaluation
from mmeval_like._core.slot import Slot
from mmeval_like.backends import BaseDistBackend

__all__ = ["Windowed"]


class Windowed(Combinator):
    """A metric, a collection or slices over the last samples of a stream, bucket by bucket.

    The stream is divided into buckets with the same number of samples, whatever the batch sizes. A
    total of the last buckets is kept: each full bucket is added to it, and each expired one is
    subtracted from it, both without rounding. The result therefore has the same bits as the metric
    of these samples alone. The memory is that of `buckets` totals; no samples are kept, unless the
    metric keeps its samples. States that cannot be subtracted, such as a maximum, are merged again
    from their buckets.

    Every rank has its own stream; `compute` combines the windows of all ranks. For a short window
    that moves with every sample in the global order of all ranks, see `Running`, which keeps these
    samples.

    Args:
        metric: The metric, `MetricCollection`, `Sliced`, `Running` or `Recorded`; `add` takes the
            same arguments as its `add`, except `ids=`, because samples with ids are kept
            individually.
        samples: The maximum number of samples in the window. The window has this many whenever a
            bucket is full; while the next bucket fills, the samples of the oldest one are already
            gone.
        buckets: The number of buckets in the window, a divisor of `samples`.
        dist_backend: As for a metric; None: the one that the metric specifies.

    Returns of `compute`: The same as the metric. A saved window has its buckets: a window without
    samples that loads one file on each rank, or a `state_dict`, goes on with the same bits as if it
    had not been interrupted. In all other cases `merge` and `load` append the samples of another
    window as a single bucket of any size, which expires as a whole: until then, the window may have
    more than `samples` samples.

    Raises:
        TypeError: There is no metric, a number is not an integer, or `add` was given `ids=`.
        ValueError: A number is below 1, or `buckets` does not divide `samples`.

    Example:
        >>> from mmeval_like import Accuracy, Windowed
        >>> metric = Windowed(Accuracy(), samples=4, buckets=2)
        >>> metric.add([0, 0, 1, 1], [1, 1, 1, 1])
        >>> metric.compute()
        {'top1': 0.5}
        >>> metric.add([1], [1])  # the first two are gone
        >>> metric.compute()
        {'top1': 1.0}
    """

    def __init__(
        self,
        metric: Evaluation,
        samples: int,
        buckets: int = 10,
        *,
        dist_backend: str | BaseDistBackend | None = None,
    ) -> None:
        given: Any = metric
        if not isinstance(given, Evaluation):
            wanted = "a metric, a MetricCollection, Sliced or Recorded"
            raise TypeError(f"metric must be {wanted}, got {type(metric).__name__}")
        samples, buckets = _positive(samples, "samples"), _positive(buckets, "buckets")
        if samples % buckets:
            raise ValueError(f"buckets must divide samples={samples}, got {buckets}")
        plan = Window(metric.plan.fresh(), samples, buckets)
        dist_backend = metric.dist_backend if dist_backend is None else dist_backend
        super().__init__(plan, dist_backend)

    @property
    def plan(self) -> Window:
        """The plan that computes the metric for the last samples of a stream."""
        plan: Any = self._plan
        found: Window = plan
        return found

    @property
    def samples(self) -> int:
        """The maximum number of samples in the window."""
        return self.plan.samples

    @property
    def buckets(self) -> int:
        """The number of buckets in the window."""
        return self.plan.buckets


@dataclass(frozen=True)
class Window(Around):
    """The plan that computes the inner plan for the last samples of a stream.

    Attributes:
        samples: The maximum number of samples in the window.
        buckets: The number of buckets in the window.

    Raises:
        TypeError: The inner plan compares two systems, or has a window.
    """

    samples: int
    buckets: int
    windowed = forgets = True

    def __post_init__(self) -> None:
        if self.inner.compares:
            raise TypeError(
                "Paired matches samples by their ids, and a window keeps none: write "
                "Paired(Running(metric, n))"
            )
        if self.inner.windowed:
            raise TypeError(
                "a window in a window is the shorter one: write Windowed(metric, samples) once"
            )

    @property
    def slots(self) -> Sequence[Slot]:
        """The slots of the inner plan, each with a window."""
        window = self.samples, self.buckets
        return [
            replace(slot, shape=replace(slot.shape, window=window)) for slot in self.inner.slots
        ]

    def around(self, text: str) -> str:
        """Return the text of the inner plan with the window."""
        return f"Windowed({text}, {self.samples}, {self.buckets})"

    def measured(self) -> list[str]:
        """Return the metrics with the length of the window."""
        return [f"{one}, the last {self.samples:,} samples" for one in self.inner.measured()]

    def described(self, counts: Sequence[int]) -> list[tuple[str, str, int]]:
        """Describe the metrics, and the length of the window."""
        return [
            (f"{name}, the last {self.samples:,}", metric, count)
            for name, metric, count in self.inner.described(counts)
        ]


def _positive(value: Any, name: str) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {value!r}") from None
    if isinstance(value, bool) or number < 1:
        raise ValueError(f"{name} must be at least 1, got {value!r}")
    return number
