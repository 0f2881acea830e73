"""MMEngine: a metric in the config of an evaluator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, Union

from mmengine.registry import METRICS

import mmeval_like
from mmeval_like import BaseMetric, MetricCollection
from mmeval_like._core.given import as_metrics

__all__ = ["MMEvalLike"]

# A path, a function of a data sample, or several of them in a dict for each sample.
Field: TypeAlias = Union[str, Callable[[Any], Any], "Mapping[str, Field]"]


@METRICS.register_module()
class MMEvalLike:
    """A metric for `val_evaluator` and `test_evaluator`, which reads fields of the data samples.

    A config can name it after this module was imported, for instance by
    `custom_imports=dict(imports=["mmeval_like.integrations.mmengine"])`. MMEngine passes the
    length of the dataset: samples that its `DefaultSampler` repeats count once.

    Args:
        metric: A metric or a collection, or its class and arguments as in a config. Several metrics
            are given as a list of evaluators, as usual in MMEngine.
        fields: For each argument of `add` the field of a data sample from which it is read;
            default: the scores and the class of image classification. A field within a field is
            written with a dot: "pred_sem_seg.data" are the classes of pixels in MMSegmentation.
            Of an array (1,) or (1, H, W), the first axis is left out. In place of a field, a
            function of the data sample will do, and where a metric takes a dict for each sample,
            as those of detection do, a dict of fields: {"bboxes": "pred_instances.bboxes", ...}.
            With `ids`, every sample counts once for any sampler.
        prefix: The prefix of the names of the numbers, followed by a slash.

    Raises:
        ValueError: A config has no `type`.
        KeyError: A data sample lacks one of the fields.

    Example:
        >>> config = dict(type="MMEvalLike", metric=dict(type="Accuracy", topk=(1, 5)))
        >>> METRICS.build(config).metric
        <Accuracy(topk=(1, 5)): 0 samples>
    """

    def __init__(
        self,
        metric: BaseMetric | MetricCollection | Mapping[str, Any],
        fields: Mapping[str, Field] | None = None,
        prefix: str | None = None,
    ) -> None:
        if isinstance(metric, Mapping):
            options = dict(metric)
            if "type" not in options:
                raise ValueError(f"metric must have a type, such as 'Accuracy', got {options}")
            metric = getattr(mmeval_like, options.pop("type"))(**options)
        self.metric = as_metrics(metric)
        self.fields = fields or {"predictions": "pred_score", "labels": "gt_label"}
        self.prefix = f"{prefix}/" if prefix else ""
        self._dataset_meta: Any = None

    @property
    def dataset_meta(self) -> Any:
        """Facts about the dataset, which the evaluator sets: the names of its classes."""
        return self._dataset_meta

    @dataset_meta.setter
    def dataset_meta(self, meta: Mapping[str, Any] | None) -> None:
        self._dataset_meta = meta
        if not isinstance(self.metric, MetricCollection):
            self.metric.dataset_meta = meta
            return
        members = {name: self.metric[name] for name in self.metric}  # a collection keeps copies
        for member in members.values():
            member.dataset_meta = meta
        given = self.metric
        self.metric = MetricCollection(
            members, given.dist_backend, name=given.name or None, prefix=given.prefix
        )

    def process(self, data_batch: Any, data_samples: Sequence[Mapping[str, Any]]) -> None:
        """Add a batch of data samples."""
        columns = {
            name: [_read(one, field) for one in data_samples] for name, field in self.fields.items()
        }
        self.metric.add(**columns)

    def evaluate(self, size: int) -> dict[str, float]:
        """Return the numbers, the same on every rank, and forget the samples, even on an error."""
        try:
            flat: dict[str, float] = self.metric.compute(size).flat(self.prefix)
        finally:
            self.metric.reset()
        return flat


def _read(sample: Any, field: Field) -> Any:
    if isinstance(field, Mapping):  # its arrays are of the objects in the sample: all axes stay
        return {name: _found(sample, one) for name, one in field.items()}
    found = _found(sample, field)
    return _without_axis(found) if isinstance(field, str) else found


def _found(sample: Any, field: Field) -> Any:
    """Return what a function returns, what fields in a dict are, or what is at the end of a path.

    Raises:
        KeyError: The sample lacks a field of the path.
    """
    if isinstance(field, Mapping):
        return _read(sample, field)
    if callable(field):
        return field(sample)
    found: Any = sample
    for part in [field] if field in sample else field.split("."):
        if part not in found:
            known = ", ".join(sample.keys())
            raise KeyError(f"data samples have no field {field!r}; they have {known}: pass fields=")
        found = found[part] if isinstance(found, Mapping) else getattr(found, part)
    return found


def _without_axis(value: Any) -> Any:
    """Return a label or a map of pixels without the axis of one that data samples put first."""
    shape = tuple(getattr(value, "shape", ()))
    return value[0] if shape[:1] == (1,) and len(shape) in (1, 3) else value
