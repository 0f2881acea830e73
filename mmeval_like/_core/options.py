"""The options that every metric takes, for type checkers."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from mmeval_like.backends import BaseDistBackend

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
else:
    Unpack = type  # only to be subscripted: Python 3.10 has no `typing.Unpack`

__all__ = ["MetricOptions", "Unpack"]


class MetricOptions(TypedDict, total=False):
    """The keyword arguments of `BaseMetric`, which documents them.

    If a metric's constructor ends with `**options: Unpack[MetricOptions]` and passes these on, type
    checkers report unknown options.

    Example:
        >>> from mmeval_like.writing import MetricOptions, SampleMean, Unpack
        >>> class Loss(SampleMean):
        ...     key = "loss"
        ...     def __init__(self, scale: float = 1.0, **options: Unpack[MetricOptions]) -> None:
        ...         super().__init__(**options)
        ...         self.scale = scale
        ...     def scores(self, losses):
        ...         return self.scale * losses
        >>> Loss(2.0, name="validation").name
        'validation'
    """

    dataset_meta: Mapping[str, Any] | None
    dist_collect_mode: str
    dist_backend: str | BaseDistBackend | None
    logger: logging.Logger | None
    max_padding: int | None
    name: str | None
    interval: float | None
    classes: Sequence[str] | None
    unscored: float | str | None
