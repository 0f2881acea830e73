"""torchmetrics.aggregation: the mean, the sum, the extremes and a list of any numbers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

import torch
import torchmetrics.aggregation as _original

from mmeval_like.compat.torchmetrics.exchanged import Exchanged, fitting, named, refuse
from mmeval_like.metrics import Cat, Max, Mean, Min, Sum

_NAN = "Encountered `nan` values in tensor. Will be removed."  # programs filter it by its words


class _Aggregate(Exchanged):
    """A number of all values; `nan_strategy` says what happens with a nan."""

    metric: Any
    empty: float  # the value without samples
    nan_strategy: str | float

    def _engine(self, **options: Any) -> Any:
        return self.metric(nan="propagate", **options)

    def _read(self, value: Any, *weight: Any) -> tuple[Any, ...]:
        given = [torch.as_tensor(one, dtype=self.dtype) for one in (value, *weight)]
        given = [one.reshape(-1) for one in torch.broadcast_tensors(*given)]
        bad = torch.stack([one.isnan() for one in given]).any(0)
        if self.nan_strategy != "disable" and bool(bad.any()):
            refuse(self.nan_strategy == "error")
            if not isinstance(self.nan_strategy, str):
                return tuple(one.nan_to_num(float(self.nan_strategy), math.inf, -math.inf)
                             for one in given)  # fmt: skip
            if self.nan_strategy == "warn":
                warnings.warn(_NAN, UserWarning, stacklevel=5)
            return tuple(one[~bad] for one in given)
        return tuple(given)

    def _value(self, result: Mapping[str, Any]) -> Any:
        [value] = result.values()
        return self.empty if self.nan_strategy != "disable" and math.isnan(value) else value


class _Mean(_Aggregate):
    """The mean, with weights."""

    def _read(self, value: Any, weight: Any = None) -> tuple[Any, ...]:
        return super()._read(value, *(() if weight is None else (weight,)))


class _Cat(_Aggregate):
    """All values, in one dimension."""

    def _engine(self, **options: Any) -> Any:
        return Cat("float64", **options)

    def _value(self, result: Mapping[str, Any]) -> Any:
        return result["values"]


_TABLE = {
    "MeanMetric": (_Mean, Mean, math.nan),
    "SumMetric": (_Aggregate, Sum, math.nan),  # the engine has 0 without samples
    "MaxMetric": (_Aggregate, Max, -math.inf),
    "MinMetric": (_Aggregate, Min, math.inf),
    "CatMetric": (_Cat, Cat, math.nan),
}
_ours = named(
    __name__,
    (
        fitting(getattr(_original, name), base, metric=metric, empty=empty)
        for name, (base, metric, empty) in _TABLE.items()
    ),
)
globals().update(_ours)
__all__ = [*_ours]


def __getattr__(name: str) -> Any:
    """Return torchmetrics' own class, where there is none of ours."""
    return getattr(_original, name)
