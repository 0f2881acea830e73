"""Lightning: a callback that computes metrics of every validation and test epoch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lightning.pytorch import Callback

from mmeval_like import BaseMetric, MetricCollection

__all__ = ["MetricsCallback"]


class MetricsCallback(Callback):  # type: ignore[misc]  # the base is Any without Lightning
    """Logs metrics after every validation and test epoch, as `val/top1` or `test/top1`.

    The names behind the slash are those of `Result.flat`. They can be monitored, for instance by
    `ModelCheckpoint(monitor="val/top1")`. All loaders of a stage count together. On several ranks
    Lightning recommends `sync_dist=True`: there is no need, all ranks log the same numbers.

    Args:
        metrics: The metrics. They have the epoch's samples until the next one begins.
        inputs: Makes of what `validation_step` or `test_step` returned, and of the batch, the
            named arguments of `add`. With `ids` among them every sample counts once, however the
            sampler padded.

    Example:
        >>> from mmeval_like import Accuracy
        >>> def inputs(outputs, batch):
        ...     return {"predictions": outputs["logits"], "labels": batch["y"], "ids": batch["id"]}
        >>> callback = MetricsCallback(Accuracy(), inputs)  # for Trainer(callbacks=[callback])
    """

    def __init__(
        self,
        metrics: BaseMetric | MetricCollection,
        inputs: Callable[[Any, Any], Mapping[str, Any]],
    ) -> None:
        self.metrics, self.inputs = metrics, inputs

    def on_validation_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Forget the samples of the epoch before, and of Lightning's sanity check."""
        self.metrics.reset()

    def on_validation_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, *place: Any
    ) -> None:
        """Add a batch."""
        self.metrics.add(**self.inputs(outputs, batch))

    def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Compute and log: the same numbers on every rank."""
        stage = trainer.state.stage.dataloader_prefix
        pl_module.log_dict(self.metrics.compute().flat(f"{stage}/"))

    on_test_epoch_start = on_validation_epoch_start
    on_test_batch_end = on_validation_batch_end
    on_test_epoch_end = on_validation_epoch_end
