"""Lightning: a callback that computes metrics of every validation and test epoch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lightning.pytorch import Callback

from mmeval_like._core.evaluation import emptied
from mmeval_like._core.given import Metrics, as_metrics

__all__ = ["MetricsCallback"]


class MetricsCallback(Callback):  # type: ignore[misc]  # the base is Any without Lightning
    """Logs metrics after every validation and test epoch, as `val/top1` or `test/top1`.

    The names behind the slash are those of `Result.flat`. They can be monitored, for instance by
    `ModelCheckpoint(monitor="val/top1")`. If a stage has several loaders, each loader has its own
    numbers, with Lightning's names: `val/top1/dataloader_idx_0`. On several ranks Lightning
    recommends `sync_dist=True`; this is not needed, since all ranks log the same numbers.

    Args:
        metrics: A metric, a collection, or metrics by name. They keep an epoch's samples until the
            next epoch begins; with several loaders, those of the first loader.
        inputs: A function of the output of `validation_step` or `test_step` and of the batch, which
            returns the named arguments of `add`. With `ids`, every sample counts once, even if the
            sampler pads.

    Example:
        >>> from mmeval_like import Accuracy
        >>> def inputs(outputs, batch):
        ...     return {"predictions": outputs["logits"], "labels": batch["y"], "ids": batch["id"]}
        >>> callback = MetricsCallback(Accuracy(), inputs)  # for Trainer(callbacks=[callback])
    """

    def __init__(
        self,
        metrics: Metrics,
        inputs: Callable[[Any, Any], Mapping[str, Any]],
    ) -> None:
        self.metrics, self.inputs = as_metrics(metrics), inputs
        self._each = [self.metrics]  # one for each loader

    def on_validation_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Forget the samples of the previous epoch, and of Lightning's sanity check."""
        self.metrics.reset()
        loaders = trainer.num_test_batches if trainer.testing else trainer.num_val_batches
        self._each = [self.metrics, *(emptied(self.metrics) for _ in loaders[1:])]

    def on_validation_batch_end(
        self,
        trainer: Any,
        pl_module: Any,
        outputs: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        """Add a batch to the metrics of its loader."""
        self._each[dataloader_idx].add(**self.inputs(outputs, batch))

    def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Compute and log: the same numbers on every rank."""
        stage = trainer.state.stage.dataloader_prefix
        for index, metrics in enumerate(self._each):
            place = f"/dataloader_idx_{index}" if len(self._each) > 1 else ""
            found = metrics.compute().flat(f"{stage}/")
            placed = {name + place: value for name, value in found.items()}
            pl_module.log_dict(placed, add_dataloader_idx=False)

    on_test_epoch_start = on_validation_epoch_start
    on_test_batch_end = on_validation_batch_end
    on_test_epoch_end = on_validation_epoch_end
