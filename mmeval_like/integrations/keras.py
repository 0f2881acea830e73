"""Keras: a callback that computes metrics after every epoch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import keras
from keras.utils import PyDataset

from mmeval_like._core.given import Metrics, as_metrics

__all__ = ["KerasMetrics"]


class KerasMetrics(keras.callbacks.Callback):  # type: ignore[misc]  # the base is Any without Keras
    """Computes metrics of validation data after every epoch of `fit`, with any backend of Keras.

    Their numbers are in the logs, as `val_top1`: in the history, and for the callbacks that
    follow this one, such as `EarlyStopping(monitor="val_top1", mode="max")`. The names
    behind the prefix are those of `Result.flat`. These metrics cannot be passed to
    `compile(metrics=...)`: Keras traces the arguments, and traced arrays have no values.

    Args:
        metrics: A metric, a collection, or metrics by name. They keep an epoch's samples until the
            next epoch begins.
        data: Batches of inputs and labels, or of inputs, labels and ids: a list, a data loader,
            a `PyDataset`. It is read after every epoch. On several ranks, each rank's data are its
            share.
        size: The number of samples of the dataset, as `compute` takes it.
        prefix: The prefix of the names.

    Raises:
        TypeError: `data` can be read only once, or a batch is not a tuple or list.

    Example:
        >>> from mmeval_like import Accuracy
        >>> validation = [([[0.0, 1.0]], [1])]
        >>> callback = KerasMetrics(Accuracy(), validation)  # for model.fit(callbacks=[callback])
    """

    def __init__(
        self,
        metrics: Metrics,
        data: Iterable[tuple[Any, ...]],
        size: int | None = None,
        prefix: str = "val_",
    ) -> None:
        super().__init__()
        if isinstance(data, Iterator):
            raise TypeError(
                f"data must be something to read after every epoch, such as a list or a data "
                f"loader, got a {type(data).__name__}, which can be read only once"
            )
        self.metrics, self.data, self.size, self.prefix = as_metrics(metrics), data, size, prefix

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Predict, compute, and write the numbers into the logs: the same on every rank."""
        self.metrics.reset()
        for batch in self._batches():
            if not isinstance(batch, tuple | list):
                raise TypeError(
                    f"data must give batches (inputs, labels) or (inputs, labels, ids), got "
                    f"{type(batch).__name__}: write [(inputs, labels)] for arrays of all samples"
                )
            inputs, labels, *ids = batch
            found = self.model.predict_on_batch(inputs)
            self.metrics.add(found, labels, **({"ids": ids[0]} if ids else {}))
        if logs is not None:
            logs.update(self.metrics.compute(self.size).flat(self.prefix))

    def _batches(self) -> Iterable[tuple[Any, ...]]:
        if isinstance(self.data, PyDataset):  # it cannot be iterated
            return (self.data[index] for index in range(len(self.data)))
        return self.data
