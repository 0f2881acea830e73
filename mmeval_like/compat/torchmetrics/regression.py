"""torchmetrics.regression: errors and correlations of numbers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torchmetrics.regression as _original

from mmeval_like._core.collection import MetricCollection
from mmeval_like.compat.torchmetrics.exchanged import Exchanged, fitting, named, refuse
from mmeval_like.metrics import (
    Cat,
    ConcordanceCorrCoef,
    ContinuousRankedProbabilityScore,
    ExplainedVariance,
    ForecastContingency,
    JensenShannonDivergence,
    KendallRankCorrCoef,
    KLDivergence,
    LogCoshError,
    Mean,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredError,
    MeanSquaredLogError,
    MinkowskiDistance,
    NormalizedRootMeanSquaredError,
    PearsonCorrCoef,
    R2Score,
    RelativeSquaredError,
    SpearmanCorrCoef,
    Sum,
    SymmetricMeanAbsolutePercentageError,
    TweedieDevianceScore,
    WeightedMeanAbsolutePercentageError,
)
from mmeval_like.metrics.regression.paired_numbers import PairedNumbers
from mmeval_like.writing import Results, arrays

_FEW = "Needs at least two samples to calculate r2 score."
_TOO_FEW = (
    "More independent regressions than data points in adjusted r2 score. Falls back to standard r2 "
    "score."
)


class _OfNumbers(Exchanged):
    """A value of all numbers, or with `num_outputs` one for each column."""

    metric: Any
    num_outputs = 1
    squared = True
    chosen: tuple[str, ...] = ()  # the metric's options that torchmetrics' class has, too

    def _engine(self, **options: Any) -> Any:
        options |= {name: getattr(self, name) for name in self.chosen}
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
        value = super()._value(result)
        return value if self.squared else np.sqrt(value)


class _Correlation(_OfNumbers):
    """As torchmetrics, of vectors or of columns only."""

    floats = True  # whether it refuses integers

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        whole = not preds.is_floating_point() or not target.is_floating_point()
        refuse(self.floats and whole)
        if preds.ndim == 1 and preds.shape == target.shape == (self.num_outputs,) != (1,):
            preds, target = preds[None], target[None]  # one sample
        refuse(preds.ndim > 2 or (preds.ndim == 2 and preds.shape[1] != self.num_outputs))
        return super()._read(preds, target)


class _Concordance(ConcordanceCorrCoef):
    """With variances and the covariance divided by n - 1, as torchmetrics has them."""

    def value(self, moments: Any) -> float:
        """Return the concordance of one output; nan if all of its values or labels are equal."""
        m = moments
        covariance, predicted = m.wyp - m.wy * m.wp / m.w, m.wpp - m.wp**2 / m.w
        if not m.variance or not predicted:
            return math.nan
        apart = (m.wy - m.wp) ** 2 * (m.w - 1) / m.w**2
        return float(2 * covariance / (m.variance + predicted + apart))


class _Spearman(SpearmanCorrCoef):
    """Where predictions or labels are all equal 0, as torchmetrics has it; without samples nan."""

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `spearman`."""
        found = super().compute_metric(results)
        without_order = math.isnan(found["spearman"]) and len(results)
        return {"spearman": 0.0} if without_order else found


@dataclass(frozen=True)
class _OfColumn(PairedNumbers):
    """The prediction and the label in one column."""

    column: int = 0

    def rows(self, predictions: Any, labels: Any) -> dict[str, Any]:
        """Return both values of every sample."""
        return super().rows(predictions[:, self.column], labels[:, self.column])


class _Ranked(_Correlation):
    """Of the order of each column."""

    alternative: Any = None  # of the test

    def _engine(self, **options: Any) -> Any:
        if self.alternative is not None:
            raise TypeError("t_test must be False; for its p-value use torchmetrics' own class")
        if self.num_outputs == 1:
            return super()._engine(**options)
        options |= {name: getattr(self, name) for name in self.chosen}
        columns = {f"output {i}": self.metric(**options) for i in range(self.num_outputs)}
        for place, column in enumerate(columns.values()):
            column.statistic = _OfColumn(column=place)
        return MetricCollection(columns, dist_backend=options["dist_backend"])

    def _value(self, result: Mapping[str, Any]) -> Any:
        several = [result] if self.num_outputs == 1 else result.values()
        return np.array([super(_Ranked, self)._value(one) for one in several])


class _Explained(_OfNumbers):
    """Of as many columns as the first batch has; 0 are none so far.

    The engine that was made first is that of one column. A rank without batches keeps it, so that
    with several columns all ranks get an error.
    """

    multioutput: str
    adjusted = 0
    num_outputs = 0
    few: str | None = None  # the error if the value is nan

    def _engine(self, **options: Any) -> Any:
        self._columns = max(1, self.num_outputs)
        options |= {"num_outputs": self._columns, "multioutput": self.multioutput}
        plain = self.metric(**options)
        if not self.adjusted:
            return plain
        members = {"plain": plain, "adjusted": self.metric(adjusted=self.adjusted, **options)}
        return MetricCollection(members, dist_backend=options["dist_backend"])

    def update(self, preds: Any, target: Any) -> None:
        """Add a batch."""
        self._fit(preds, target)
        super().update(preds, target)

    def forward(self, preds: Any, target: Any) -> Any:
        """Add a batch, and return its own value."""
        self._fit(preds, target)
        return super().forward(preds, target)

    def reset(self) -> None:
        """Forget the samples, and their number of columns."""
        super().reset()
        self.num_outputs = 0

    def _fit(self, preds: Any, target: Any) -> None:
        columns = preds.shape[1] if preds.ndim == 2 else 1
        if not self.num_outputs and columns and preds.ndim < 3 and preds.shape == target.shape:
            self.num_outputs = columns
            if columns == self._columns:
                return
            self.engine = self._engine(dist_backend=self._backend(), dist_collect_mode="cat")

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        refuse(preds.ndim > 2 or self.num_outputs != (preds.shape[1] if preds.ndim == 2 else 1))
        return super()._read(preds, target)

    def _value(self, result: Mapping[str, Any]) -> Any:
        several = result.values() if self.adjusted else [result]
        plain, *adjusted = (super(_Explained, self)._value(one) for one in several)
        if self.few and np.isnan(plain).all():
            raise ValueError(self.few)
        if not adjusted or not np.isnan(adjusted[0]).all():
            return adjusted[0] if adjusted else plain
        warnings.warn(_TOO_FEW, UserWarning, stacklevel=4)
        return plain


class _Relative(_OfNumbers):
    """The mean over columns of the ratio, or of its root."""

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        refuse(preds.ndim > 2 or (preds.ndim == 2 and preds.shape[1] != self.num_outputs))
        return super()._read(preds, target)

    def _value(self, result: Mapping[str, Any]) -> Any:
        return np.mean(super()._value(result))


class _Targets(_OfNumbers):
    """As others, with another name of an argument."""

    def _read(self, preds: Any, targets: Any) -> tuple[Any, Any]:
        return super()._read(preds, targets)


class _Distance(_Targets):
    def _value(self, result: Mapping[str, Any]) -> Any:
        return np.nan_to_num(super()._value(result))  # 0 without samples


class _Ensemble(_OfNumbers):
    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        refuse(preds.ndim != 2 or preds.shape[1] < 2)
        return preds, target


class _Success(_OfNumbers):
    """Of events of all samples; without any the value is 0."""

    keep_sequence_dim: int | None

    def _engine(self, **options: Any) -> Any:
        if self.keep_sequence_dim is not None:
            raise TypeError(
                "keep_sequence_dim must be None: the values of several sequences are not offered; "
                "use torchmetrics' own class"
            )
        return super()._engine(**options)

    def _value(self, result: Mapping[str, Any]) -> Any:
        return np.nan_to_num(result["csi"])


class _OfRows(Exchanged):
    """A number of each row, reduced."""

    reduction: str | None

    def _engine(self, **options: Any) -> Any:
        if self.reduction == "mean":
            return Mean(nan="propagate", **options)
        return Sum(nan="propagate", **options) if self.reduction == "sum" else Cat(**options)


class _Cosine(_OfRows):
    """The cosines of rows; that of a zero vector is nan."""

    def _read(self, preds: Any, target: Any) -> tuple[Any]:
        refuse(preds.shape != target.shape or preds.ndim != 2)
        one, other = (given.detach().double().cpu().numpy() for given in (preds, target))
        dot, *lengths = (arrays.sum_rows(a * b) for a, b in (
            (one, other), (one, one), (other, other)))  # fmt: skip
        below = np.sqrt(lengths[0]) * np.sqrt(lengths[1])
        return (np.divide(dot, below, out=np.full(dot.shape, np.nan), where=below != 0),)


class _Divergence(_OfRows):
    """The divergences of rows."""

    metric: Any
    log_prob: bool

    def _read(self, p: Any, q: Any) -> tuple[Any]:
        refuse(p.shape != q.shape or p.ndim != 2)
        return (self.metric(log_prob=self.log_prob).scores(p, q),)


_TABLE: dict[str, tuple[type, Any, dict[str, Any]]] = {
    "MeanSquaredError": (_OfNumbers, MeanSquaredError, {}),
    "MeanAbsoluteError": (_OfNumbers, MeanAbsoluteError, {}),
    "MeanAbsolutePercentageError": (_OfNumbers, MeanAbsolutePercentageError, {}),
    "SymmetricMeanAbsolutePercentageError": (_OfNumbers, SymmetricMeanAbsolutePercentageError, {}),
    "WeightedMeanAbsolutePercentageError": (_OfNumbers, WeightedMeanAbsolutePercentageError, {}),
    "MeanSquaredLogError": (_OfNumbers, MeanSquaredLogError, {}),
    "LogCoshError": (_OfNumbers, LogCoshError, {}),
    "PearsonCorrCoef": (_Correlation, PearsonCorrCoef, {}),
    "ConcordanceCorrCoef": (_Correlation, _Concordance, {}),
    "SpearmanCorrCoef": (_Ranked, _Spearman, {}),
    "KendallRankCorrCoef": (
        _Ranked,
        KendallRankCorrCoef,
        {"chosen": ("variant",), "floats": False},
    ),
    "R2Score": (_Explained, R2Score, {"few": _FEW}),
    "ExplainedVariance": (_Explained, ExplainedVariance, {}),
    "RelativeSquaredError": (_Relative, RelativeSquaredError, {}),
    "NormalizedRootMeanSquaredError": (
        _OfNumbers,
        NormalizedRootMeanSquaredError,
        {"chosen": ("normalization",)},
    ),
    "MinkowskiDistance": (_Distance, MinkowskiDistance, {"chosen": ("p",)}),
    "TweedieDevianceScore": (_Targets, TweedieDevianceScore, {"chosen": ("power",)}),
    "ContinuousRankedProbabilityScore": (_Ensemble, ContinuousRankedProbabilityScore, {}),
    "CriticalSuccessIndex": (_Success, ForecastContingency, {"chosen": ("threshold",)}),
    "CosineSimilarity": (_Cosine, None, {}),
    "KLDivergence": (_Divergence, KLDivergence, {}),
    "JensenShannonDivergence": (_Divergence, JensenShannonDivergence, {}),
}
_ours = named(
    __name__,
    (
        fitting(getattr(_original, name), base, metric=metric, **attributes)
        for name, (base, metric, attributes) in _TABLE.items()
        if hasattr(_original, name)
    ),
)
globals().update(_ours)
__all__ = [*_ours]


def __getattr__(name: str) -> Any:
    """Return torchmetrics' own class, where there is none of ours."""
    if name == "__path__":  # with it, files of torchmetrics could be imported under our name
        raise AttributeError(name)
    return getattr(_original, name)
