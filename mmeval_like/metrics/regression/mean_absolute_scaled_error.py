"""MeanAbsoluteScaledError: forecast errors in units of the naive forecast's error."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from mmeval_like.metrics.regression.regression_metrics import NumbersMean
from mmeval_like.writing import NOT_NEGATIVE, arrays

__all__ = ["MeanAbsoluteScaledError"]


def _series(value: Any, name: str) -> np.ndarray | list[np.ndarray]:
    """Return series as a table (N, T), or as a list if their lengths differ."""
    samples: Any = arrays.to_samples(value, name)
    if isinstance(samples, np.ndarray):
        return arrays.as_floats(samples, name)
    rows = [arrays.as_floats(row, name) for row in samples]
    return np.stack(rows) if len({row.shape for row in rows}) == 1 else rows


class MeanAbsoluteScaledError(NumbersMean):
    """The mean absolute scaled error (MASE) of forecasts of time series.

    A forecast's mean absolute error is divided by that of the naive forecast within the history h,
    which repeats the value from m steps earlier. Below 1, forecasts are better than the naive
    forecast was. The value is the mean over series, each with H labels and a history of T numbers.
    Source: R. J. Hyndman and A. B. Koehler, "Another look at measures of forecast accuracy",
    International Journal of Forecasting 22 (2006).

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
    forecast has no error there. Lower is better.

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

    def _read(self, value: Any, name: str) -> np.ndarray | list[np.ndarray]:
        return _series(value, name)

    def scores(self, predictions: Any, labels: Any, history: Any) -> np.ndarray:
        """Return the scaled error of every series; nan without an error within its history.

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
            parts = [column] if isinstance(column, np.ndarray) else column
            for part in parts:
                shape = part.shape[1:] if parts is not column else part.shape
                if len(column) and len(shape) != 1:
                    raise ValueError(f"{name} must be series (T,), got a sample of {shape}")
                arrays.check_finite(name, part)
        tables = [*columns.values()]
        if all(isinstance(table, np.ndarray) and table.ndim == 2 for table in tables):
            return self._errors(*tables)  # type: ignore[arg-type]
        errors = [self._errors(*(row[None] for row in rows)) for rows in zip(*tables, strict=True)]
        return np.concatenate([np.empty(0), *errors])

    def _errors(
        self, predictions: np.ndarray, labels: np.ndarray, history: np.ndarray
    ) -> np.ndarray:
        """Return the errors (N,) of series of one length."""
        if predictions.shape != labels.shape or (len(labels) and not labels.size):
            raise ValueError(
                f"predictions and labels must be series of the same length, at least 1, got "
                f"{predictions.shape[1:]} and {labels.shape[1:]}"
            )
        errors, exponents = self._means(labels, predictions)
        naive, units = self._means(history[:, self.seasonality :], history[:, : -self.seasonality])
        values = errors / np.where(naive > 0, naive, np.nan)
        with np.errstate(over="ignore"):
            scores: np.ndarray = np.ldexp(
                np.sqrt(values) if self.squared else values, exponents - units
            )
        return scores

    def _means(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return each row's mean absolute or squared difference, in its unit, a power of two.

        The units are exponents of 2. They keep differences from overflowing, and squares from
        overflowing or vanishing, and round nothing but differences below 2^-1021.
        """
        differences = left / 2 - right / 2
        exponents = np.frexp(np.abs(differences).max(axis=1, initial=0.0))[1]
        differences = np.ldexp(differences, -exponents[:, None])
        sizes: np.ndarray = (np.square if self.squared else np.abs)(differences, out=differences)
        means: np.ndarray = arrays.sum_rows(sizes, overwrite=True) / max(1, sizes.shape[1])
        return means, exponents
