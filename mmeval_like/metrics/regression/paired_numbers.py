"""PairedNumbers: the values of predictions and labels, for metrics of their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics._common.order_statistics import HALF, neighbours, shares_of
from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.metrics.regression.paired_ranks import (
    RANKS,
    Middle,
    Ordered,
    PairedValues,
    RankMoments,
    known,
)
from mmeval_like.writing import Results, Statistic, arrays

__all__ = ["PairedNumbers"]


@dataclass(frozen=True)
class PairedNumbers(Statistic):
    """The prediction and the label of every sample: 16 bytes for each sample.

    Attributes:
        nan: What happens with a nan. "raise": `add` raises a ValueError. "omit": a sample with a
            nan does not count.
        finite: Whether infinities are errors, too; if not, they are ordered like numbers.
    """

    nan: str = "raise"
    finite: bool = False

    values = PairedValues()

    def __post_init__(self) -> None:
        check_option("nan", self.nan, ("raise", "omit"))

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        """Return both values of every sample.

        Args:
            predictions: Numbers (N,) of any real dtype.
            labels: The same shape.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes or lengths do not fit, a value is nan, or an integer is beyond 2^53.
        """
        columns = []
        for name, value in (("predictions", predictions), ("labels", labels)):
            column = arrays.as_floats(value, name)
            check_one_axis(name, column)
            known = column if self.nan == "raise" else column[~np.isnan(column)]
            arrays.check_finite(name, known, allow_infinite=not self.finite)
            columns.append(column)
        arrays.check_same_length("predictions", columns[0], "labels", columns[1])
        return {"values": np.stack(columns, axis=1)}

    def truth_of(self, rows: Mapping[str, Any]) -> Any:
        """Return the labels."""
        return rows["values"][:, 1]

    @staticmethod
    def rank_moments(results: Results) -> RankMoments:
        """Return the moments of the ranks: those that `RANKS` requested, or computed now."""
        values = results.values
        found = values.found[RANKS] if isinstance(values, Ordered) else None
        return found or RankMoments.of(known(values))

    @staticmethod
    def middle_two(results: Results, function: Callable[[np.ndarray], np.ndarray]) -> list[float]:
        """Return the middle two values of a requested function of pairs."""
        values = results.values
        if isinstance(values, Ordered):
            return list(values.found[function])
        return list(neighbours(function(known(values)), [HALF]).get(HALF, ()))

    @staticmethod
    def ends(results: Results, wanted: Middle) -> tuple[tuple[float | None, float | None], int]:
        """Return the ends of the interval of a median, and the number of pairs."""
        values = results.values
        if isinstance(values, Ordered):
            found: tuple[tuple[float | None, float | None], int] = values.found[wanted]
            return found
        numbers = wanted.function(known(values))
        near = neighbours(numbers, shares_of([wanted.ends], len(numbers)))
        return wanted.ends.among(near, len(numbers)), len(numbers)
