"""The base of all adapters: an evaluator of MMEngine that is computed by our metrics."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from mmengine.evaluator import BaseMetric
from mmengine.logging import print_log

from mmeval_like._core.given import as_metrics

__all__ = ["Adapter", "Unsupported", "array_of", "log_table", "refuse"]


class Unsupported(Exception):
    """An option that an adapter does not have: OpenMMLab's own evaluator is built instead."""


class Adapter(BaseMetric):  # type: ignore[misc]  # MMEngine has no types
    """An evaluator with the options, keys, units and rounding of OpenMMLab's.

    Samples go to our metrics at once, and `evaluate` exchanges their states, so MMEngine collects
    nothing: `collect_device` and `collect_dir` have no effect.

    Args:
        metrics: What computes: a metric, or several by name.
        prefix: The prefix of the names; None: that of the class.
        collect_device: Without effect.
        collect_dir: Without effect.

    Attributes:
        digits: To how many decimals OpenMMLab rounds; None: not at all.
        ids: The places of the next samples in their data set; None: as a sampler deals them.
    """

    digits: int | None = None
    ids: Sequence[int] | None = None

    def __init__(
        self,
        metrics: Any,
        prefix: str | None = None,
        collect_device: str = "cpu",
        collect_dir: str | None = None,
    ) -> None:
        super().__init__(prefix=prefix or self.default_prefix or "")
        self._metrics = metrics

    @property
    def dataset_meta(self) -> Any:
        """Facts about the dataset, which the evaluator sets: the names of its classes."""
        return self._dataset_meta

    @dataset_meta.setter
    def dataset_meta(self, meta: Mapping[str, Any] | None) -> None:
        self._dataset_meta = meta
        self.use(self._metrics)

    @cached_property
    def engine(self) -> Any:
        """What computes, for the classes of `dataset_meta`: the metric, or a collection."""
        return as_metrics(self._metrics)

    def facts_of(self, meta: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return what our metrics are told about the dataset."""
        return {"classes": tuple(meta["classes"])} if "classes" in meta else None

    def use(self, metrics: Any) -> None:
        """Set what computes, and tell it of the dataset; before the first sample."""
        self._metrics = metrics
        facts = self.facts_of(self._dataset_meta or {})
        for metric in metrics.values() if isinstance(metrics, Mapping) else [metrics]:
            metric.dataset_meta = facts
        self.__dict__.pop("engine", None)  # a collection keeps copies

    @abstractmethod
    def columns(self, data_samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the arguments of our metrics' `add` for a batch of data samples."""

    @abstractmethod
    def numbers(self, result: Any) -> Mapping[str, float]:
        """Return OpenMMLab's values by name, in its order and units, not rounded."""

    def process(self, data_batch: Any, data_samples: Sequence[Mapping[str, Any]]) -> None:
        """Add a batch of data samples."""
        self.engine.add(**self.columns(data_samples), ids=self.ids)

    def evaluate(self, size: int) -> dict[str, float]:
        """Return the numbers, the same on every rank, and forget the samples."""
        result = self.engine.compute(size)
        self.engine.reset()
        start = f"{self.prefix}/" if self.prefix else ""
        return {
            start + name: float(value if self.digits is None else np.round(value, self.digits))
            for name, value in self.numbers(result).items()
        }

    @property
    def results(self) -> Any:
        """Not used: ranks exchange states.

        Raises:
            RuntimeError: An evaluator collects the results itself, as some of OpenMMLab's do.
        """
        raise RuntimeError(
            f"{type(self).__name__} by mmeval_like has no results to collect: it exchanges states "
            f"in evaluate. Leave mmeval_like.integrations.openmmlab out of custom_imports"
        )

    @results.setter
    def results(self, value: Any) -> None:
        """Ignore the empty list of MMEngine's constructor."""

    def compute_metrics(self, results: Any) -> Any:
        """Not used either.

        Raises:
            RuntimeError: As `results`.
        """
        return self.results


def refuse(**unsupported: Any) -> None:
    """Raise `Unsupported`, naming the options that have a value.

    Example:
        >>> refuse(merge_patches=False, backend_args=None)
        >>> refuse(merge_patches=True)
        Traceback (most recent call last):
            ...
        mmeval_like.integrations.openmmlab.adapter.Unsupported: merge_patches=True
    """
    for name, value in unsupported.items():
        if value:
            raise Unsupported(f"{name}={value!r}")


def array_of(value: Any) -> Any:
    """Return a tensor, or what OpenMMLab wraps one in, as an array of numpy; others unchanged."""
    value = getattr(value, "tensor", value)  # boxes, keypoints and masks of structures
    return value.detach().cpu().numpy() if hasattr(value, "detach") else value


def log_table(title: str, columns: Mapping[str, Sequence[Any]]) -> None:
    """Log columns by name, on rank 0, as MMEngine's loggers do."""
    rows = [[*columns], *zip(*columns.values(), strict=True)]
    texts = [[one if isinstance(one, str) else f"{one:.2f}" for one in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in texts]
    print_log("\n".join([title, *lines]), logger="current")
