"""Running: a metric of the last samples only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._states.kinds.last import LastOf
from mmeval_like._states.kinds.ordered import Objects
from mmeval_like._states.results import Results, make_results
from mmeval_like.evaluable import Evaluable
from mmeval_like.metric import BaseMetric
from mmeval_like.options import MetricOptions, Unpack
from mmeval_like.state import State

__all__ = ["Running"]


class Running(BaseMetric):
    """A metric of the last samples only, in the global order of the samples.

    The window counts samples, not calls of `add`: the value depends neither on the batch size nor
    on the number of ranks, and is the one that the metric gives of these samples alone. Every rank
    keeps its own last samples' rows. For a long window, with the memory of a few totals, see
    `Windowed`.

    Args:
        metric: The metric; `add` takes what its `add` takes.
        window: The number of samples.
        **options: As for `BaseMetric`; by default those of the metric.

    Returns of `compute`: What the metric returns.

    Raises:
        TypeError: The argument is not a metric, or is one that keeps objects or has an `add` of its
            own.
        ValueError: `window` is below 1.

    Example:
        >>> from mmeval_like import Accuracy, Running
        >>> metric = Running(Accuracy(), window=3)
        >>> metric.add([0, 0, 1], [1, 1, 1])
        >>> metric.add([1, 1], [1, 1])
        >>> metric.compute()
        {'top1': 1.0}
    """

    def __init__(self, metric: BaseMetric, window: int, **options: Unpack[MetricOptions]) -> None:
        if not isinstance(metric, BaseMetric):
            raise TypeError(f"metric must be a metric, got {type(metric).__name__}")
        if metric._overrides_add() or any(
            isinstance(state, Objects) for state in metric._states().values()
        ):
            raise TypeError(f"metric must keep arrays of rows, {metric.name} keeps objects")
        if window < 1:
            raise ValueError(f"window must be positive, got {window}")
        options.setdefault("dataset_meta", metric.dataset_meta)
        options.setdefault("dist_backend", metric.dist_backend)
        options.setdefault("dist_collect_mode", metric.dist_collect_mode)
        options.setdefault("interval", metric.interval)
        super().__init__(**options)
        self.metric, self.window = metric._without_samples(), window
        self.metric.interval = None  # the window's own, if any
        self.ranges, self.higher_is_better = dict(metric.ranges), metric.higher_is_better

    def states(self) -> dict[str, State]:
        """Return the last rows of each of the metric's states."""
        return {name: LastOf(self.window, state) for name, state in self.metric._states().items()}

    def rows(self, *batch: Any, **named: Any) -> Any:
        """Return the rows of the metric."""
        return self.metric._rows_of(batch, named, knows=self)

    def _rows_of(
        self,
        batch: tuple[Any, ...],
        named: dict[str, Any],
        knows: Evaluable | None = None,
        clustered: bool = False,
    ) -> Mapping[str, Any]:
        if clustered:
            raise TypeError(
                "Running takes no clusters= for its intervals: the samples of a cluster leave the "
                "window one by one"
            )
        return super()._rows_of(batch, named, knows)

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return what the metric says of the last samples."""
        states = self.metric._states()
        folded = {name: getattr(results, name) for name in states}
        last = make_results(states, folded, min(len(results), self.window))
        return self.metric.compute_metric(last)

    @property
    def _identity(self) -> Identity:
        return Identity.of(f"{super()._identity.text} of {self.metric._identity.text}")
