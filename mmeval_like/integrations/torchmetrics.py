"""torchmetrics: a number of a metric as a `torchmetrics.Metric`, which `self.log` takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torchmetrics import Metric, MetricCollection

from mmeval_like._core.evaluation import emptied
from mmeval_like._core.given import Metrics, as_metrics
from mmeval_like._core.result import Result

__all__ = ["as_torchmetrics"]


def as_torchmetrics(metrics: Metrics, number: str | Sequence[str] | None = None) -> Any:
    """Return numbers of a metric in torchmetrics' form: `update`, `forward`, `compute`, `reset`.

    Lightning's `self.log`, `ModelCheckpoint`, `MetricCollection`, `MetricTracker` and `clone` take
    it. `compute` is one exchange of mmeval_like, so that the number is the same on every rank, for
    any number of ranks and any batch size. The value is a tensor of `torch.get_default_dtype()`.
    Checkpoints do not have the samples: `metrics.save` does.

    Args:
        metrics: A metric, a collection, or metrics by name.
        number: The name of the number in `Result.flat`; None: the only one. With several names the
            result is a `torchmetrics.MetricCollection`, whose members share the samples: they are
            added once, and exchanged once.

    Returns:
        A `torchmetrics.Metric`. `update` and `forward` take the arguments of `add`; `forward` also
        returns the number of its batch on this rank, with `dist_sync_on_step = True` of all ranks.

    Raises:
        KeyError: `compute` finds no number of this name, or several and `number` is None.

    Example:
        >>> import torch
        >>> from mmeval_like import Accuracy
        >>> accuracy = as_torchmetrics(Accuracy())
        >>> accuracy(torch.tensor([1, 0]), torch.tensor([1, 1]))  # the number of this batch
        tensor(0.5000)
        >>> accuracy.update(torch.tensor([1, 1]), torch.tensor([1, 1]))
        >>> accuracy.compute()
        tensor(0.7500)
    """
    shared = _Shared(as_metrics(metrics))
    if number is None or isinstance(number, str):
        return _Number(shared, number)
    views: Any = {name: _Number(shared, name) for name in number}
    return MetricCollection(views, compute_groups=False)


class _Shared:
    """The samples of the views of one metric: each batch is added by the first view that has it."""

    def __init__(self, metrics: Any) -> None:
        self.metrics = metrics
        self.epoch = 0  # the number of resets
        self.batches = 0  # of this epoch
        self.result: Result | None = None  # of these batches
        self.readers: set[str | None] = set()  # the views that have read it

    def add(self, *args: Any, **kwargs: Any) -> None:
        self.metrics.add(*args, **kwargs)
        self.batches += 1
        self.result = None

    def compute(self, view: str | None) -> Result:
        """Exchange once for all views, and again if a view calls again.

        Whether this rank has added a batch since does not matter: another rank may have.
        """
        if self.result is None or view in self.readers:
            self.result, self.readers = self.metrics.compute(), set()
        self.readers.add(view)
        return self.result

    def reset(self) -> None:
        self.metrics.reset()
        self.epoch, self.batches, self.result = self.epoch + 1, 0, None


class _Number(Metric):  # type: ignore[misc]  # the base is Any without torchmetrics
    """One number of a result; it has no states of torchmetrics, which would be gathered."""

    is_differentiable = False
    full_state_update = False

    def __init__(self, shared: _Shared, number: str | None) -> None:
        super().__init__(sync_on_compute=False, compute_with_cache=False)
        self.shared, self.number = shared, number
        self.epoch, self.batches = shared.epoch, 0  # what this view has added or found added

    @property
    def higher_is_better(self) -> bool | None:
        """Whether larger numbers are better; None if the metric does not say."""
        metric = self.shared.metrics
        if self.number is None or not hasattr(metric, "direction_of"):
            return getattr(metric, "higher_is_better", None)
        found: bool | None = metric.direction_of(self.number)
        return found

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Add a batch, unless another view of the same samples has added it."""
        if self.epoch != self.shared.epoch:
            self.epoch, self.batches = self.shared.epoch, 0
        if self.batches == self.shared.batches:
            self.shared.add(*args, **kwargs)
        self.batches += 1

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch, and return its own number."""
        self.update(*args, **kwargs)
        batch = emptied(self.shared.metrics)
        batch.add(*args, **kwargs)
        result = batch.compute() if self.dist_sync_on_step else batch.compute_local()
        self._forward_cache = self._tensor(result)  # where Lightning reads it
        return self._forward_cache

    def compute(self) -> Any:
        """Return the number of all samples of all ranks."""
        return self._tensor(self.shared.compute(self.number))

    def reset(self) -> None:
        """Forget the samples, unless another view of the same samples has done so."""
        super().reset()
        if self.epoch == self.shared.epoch:
            self.shared.reset()
        self.epoch, self.batches = self.shared.epoch, 0

    def merge_state(self, incoming_state: Any) -> None:
        """Raise NotImplementedError: torchmetrics' states are empty."""
        raise NotImplementedError("merge the metrics: metric.merge(other)")

    def _tensor(self, result: Result) -> Any:
        numbers = result.flat()
        number = next(iter(numbers)) if self.number is None and len(numbers) == 1 else self.number
        if number not in numbers:
            raise KeyError(
                f"number must be one of {', '.join(numbers)}, got {number!r}: pass it to "
                f"as_torchmetrics"
            )
        return torch.tensor(numbers[number], dtype=torch.get_default_dtype(), device=self.device)
