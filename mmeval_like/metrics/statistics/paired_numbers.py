"""The numbers of predictions and labels themselves, for metrics of their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like import arrays, state
from mmeval_like.metric import Statistic
from mmeval_like.metrics._shared.numbers import check_option

__all__ = ["PairedNumbers"]


@dataclass(frozen=True)
class PairedNumbers(Statistic):
    """Both numbers of every sample: 16 bytes each.

    Attributes:
        nan: "raise": a nan is a ValueError. "omit": a sample with a nan does not count.
    """

    nan: str = "raise"

    values = state.cat(np.float64, (2,))

    def __post_init__(self) -> None:
        check_option("nan", self.nan, ("raise", "omit"))

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        """Return both values of every sample.

        Args:
            predictions: Numbers (N,) of any real dtype; infinities are ordered like numbers.
            labels: The same shape.

        Raises:
            TypeError: Not real numbers.
            ValueError: Other shapes, different lengths, nan, integers beyond 2^53.
        """
        columns = []
        for name, value in (("predictions", predictions), ("labels", labels)):
            column = arrays.as_floats(value, name)
            if column.ndim != 1:
                raise ValueError(f"{name} must have shape (N,), got {column.shape}")
            if self.nan == "raise":
                arrays.check_finite(name, column, allow_infinite=True)
            columns.append(column)
        arrays.check_same_length("predictions", columns[0], "labels", columns[1])
        return {"values": np.stack(columns, axis=1)}
