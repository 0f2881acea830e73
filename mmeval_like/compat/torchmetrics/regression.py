"""torchmetrics.regression: errors and correlations of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torchmetrics.regression as _original

from mmeval_like.compat.torchmetrics.exchanged import Exchanged, fitting, named, refuse
from mmeval_like.metrics import (
    Cat,
    LogCoshError,
    Mean,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredError,
    MeanSquaredLogError,
    PearsonCorrCoef,
    Sum,
    SymmetricMeanAbsolutePercentageError,
    WeightedMeanAbsolutePercentageError,
)
from mmeval_like.writing import arrays


class _OfNumbers(Exchanged):
    """A value of all numbers, or with `num_outputs` one for each column."""

    metric: Any
    num_outputs = 1
    squared = True

    def _engine(self, **options: Any) -> Any:
        if self.num_outputs == 1:
            return self.metric(**options)
        options |= {"num_outputs": self.num_outputs, "multioutput": "raw_values"}
        return self.metric(**options)

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        refuse(preds.shape != target.shape)
        if self.num_outputs == 1:
            return preds.reshape(-1), target.reshape(-1)
        refuse(preds.ndim != 2 or preds.shape[1] != self.num_outputs)
        return preds, target

    def _value(self, result: Mapping[str, Any]) -> Any:
        [value] = result.values()
        return value if self.squared else np.sqrt(value)


class _Correlation(_OfNumbers):
    """As torchmetrics, of vectors or of columns only."""

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        refuse(not preds.is_floating_point() or not target.is_floating_point())
        if preds.ndim == 1 and preds.shape == target.shape == (self.num_outputs,) != (1,):
            preds, target = preds[None], target[None]  # one sample
        refuse(preds.ndim > 2 or (preds.ndim == 2 and preds.shape[1] != self.num_outputs))
        return super()._read(preds, target)


class _Cosine(Exchanged):
    """The cosines of rows, reduced; that of a zero vector is nan."""

    reduction: str | None

    def _engine(self, **options: Any) -> Any:
        if self.reduction == "mean":
            return Mean(**options)
        return Sum(nan="propagate", **options) if self.reduction == "sum" else Cat(**options)

    def _read(self, preds: Any, target: Any) -> tuple[Any]:
        refuse(preds.shape != target.shape or preds.ndim != 2)
        one, other = (given.detach().double().cpu().numpy() for given in (preds, target))
        dot, *lengths = (arrays.sum_rows(a * b) for a, b in (
            (one, other), (one, one), (other, other)))  # fmt: skip
        below = np.sqrt(lengths[0]) * np.sqrt(lengths[1])
        return (np.divide(dot, below, out=np.full(dot.shape, np.nan), where=below != 0),)

    def _value(self, result: Mapping[str, Any]) -> Any:
        [value] = result.values()
        return value


_TABLE = {
    "MeanSquaredError": (_OfNumbers, MeanSquaredError),
    "MeanAbsoluteError": (_OfNumbers, MeanAbsoluteError),
    "MeanAbsolutePercentageError": (_OfNumbers, MeanAbsolutePercentageError),
    "SymmetricMeanAbsolutePercentageError": (_OfNumbers, SymmetricMeanAbsolutePercentageError),
    "WeightedMeanAbsolutePercentageError": (_OfNumbers, WeightedMeanAbsolutePercentageError),
    "MeanSquaredLogError": (_OfNumbers, MeanSquaredLogError),
    "LogCoshError": (_OfNumbers, LogCoshError),
    "PearsonCorrCoef": (_Correlation, PearsonCorrCoef),
    "CosineSimilarity": (_Cosine, None),
}
_ours = named(
    __name__,
    (
        fitting(getattr(_original, name), base, metric=metric)
        for name, (base, metric) in _TABLE.items()
    ),
)
globals().update(_ours)
__all__ = [*_ours]


def __getattr__(name: str) -> Any:
    """Return torchmetrics' own class, where there is none of ours."""
    return getattr(_original, name)
