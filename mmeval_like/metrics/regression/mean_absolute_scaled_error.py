"""MeanAbsoluteScaledError: forecast errors in units of those of the naive forecast."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from mmeval_like.metrics.regression.regression_metrics import NumbersMean
from mmeval_like.writing import NOT_NEGATIVE, arrays

__all__ = ["MeanAbsoluteScaledError"]


def _series(value: Any, name: str) -> list[np.ndarray]:
    return [arrays.as_floats(row, name) for row in arrays.to_samples(value, name)]


class MeanAbsoluteScaledError(NumbersMean):
    """The mean absolute scaled error (MASE) of forecasts of time series.

    A forecast's mean absolute error is divided by that of the naive forecast within the history h,
    which repeats the value of m steps before. Below 1 forecasts are better than the naive forecast
    was. The value is the mean over series of H labels and T numbers of history. Source: R. J.
    Hyndman and A. B. Koehler, "Another look at measures of forecast accuracy", International
    Journal of Forecasting 22 (2006).

    `add` takes `predictions` and `labels`, series (N, H), `history` (N, T), the numbers that came
    before each series, and `sample_weight` (N,); series of different lengths are given as lists.
    Numbers are finite and of any real dtype.

    Formula:
        mase = mean (1/H sum_t |y_t - p_t|) / (1/(T - m) sum_(t > m) |h_t - h_(t - m)|)

    Args:
        seasonality: The length m of a season, in time steps; 1 if there is none.
        squared: Whether to return the root mean squared scaled error (RMSSE) of the M5 competition,
            the root of mean (y - p)^2 / mean (h_t - h_(t-m))^2.
        **options: As for `NumbersMean`.

    Returns of `compute`: `mase`, or with `squared` `rmsse`, at least 0; nan without series. A
    series is left out, with a warning, if its history has no more than m steps, or if the naive
    forecast has no error in it. Lower is better.

    Raises:
        ValueError: `seasonality` is below 1.

    Example:
        >>> metric = MeanAbsoluteScaledError()
        >>> metric.add(predictions=[[4.0, 5.0]], labels=[[5.0, 5.0]], history=[[1.0, 2.0, 4.0]])
        >>> metric.compute()  # (1 / 2) / (3 / 2)
        {'mase': 0.3333333333333333}
    """

    leaves_out_nan = True
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(self, seasonality: int = 1, *, squared: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.seasonality, self.squared = operator.index(seasonality), squared
        if self.seasonality < 1:
            raise ValueError(f"seasonality must be at least 1, got {seasonality}")
        self.key = "rmsse" if squared else "mase"

    def _read(self, value: Any, name: str) -> list[np.ndarray]:
        return _series(value, name)

    def scores(self, predictions: Any, labels: Any, history: Any) -> np.ndarray:
        """Return the error of every series; nan where its history has none.

        Args:
            predictions: Series (N, H), or a list of N series of any lengths.
            labels: The same shapes.
            history: Series (N, T), or a list of N series of any lengths.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes do not fit, a forecast is empty, a value is nan or infinite, or an
                integer is beyond 2^53.
        """
        named = {"predictions": predictions, "labels": labels, "history": history}
        columns = {name: _series(value, name) for name, value in named.items()}
        for name, column in columns.items():
            arrays.check_same_length("predictions", columns["predictions"], name, column)
            for row in column:
                if row.ndim != 1:
                    raise ValueError(f"{name} must be series (T,), got a sample of {row.shape}")
                arrays.check_finite(name, row)
        return np.array([self._error(*row) for row in zip(*columns.values(), strict=True)], float)

    def _error(self, prediction: np.ndarray, label: np.ndarray, history: np.ndarray) -> float:
        if prediction.shape != label.shape or not label.size:
            raise ValueError(
                f"predictions and labels must be series of one length, at least 1, got "
                f"{prediction.shape} and {label.shape}"
            )
        season = self.seasonality
        naive = self._mean(history[season:] - history[:-season])
        value = self._mean(label - prediction) / naive if naive > 0 else np.nan
        return float(np.sqrt(value) if self.squared else value)

    def _mean(self, differences: np.ndarray) -> float:
        sizes = np.square(differences) if self.squared else np.abs(differences)
        return float(arrays.sum_rows(sizes[None])[0] / sizes.size) if sizes.size else 0.0
