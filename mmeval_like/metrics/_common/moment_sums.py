"""First and second moments of predictions and labels: one statistic for several metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import as_outputs, bounded, is_usual, omit_nan
from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.writing import Results, Rows, State, Statistic, arrays
from mmeval_like.writing.exact import two_product
from mmeval_like.writing.intervals import Jackknife
from mmeval_like.writing.states import Piece, PieceSum
from mmeval_like.writing.weights import as_weights, ones

__all__ = ["Moments", "RegressionMoments"]


class MomentSums(PieceSum):
    """The exact sums of w, wy, wp, wyy, wyp and wpp over rows (n, outputs, 3) of (w, y, p).

    A row holds the values themselves. Products are computed when rows are folded, in large blocks,
    each as several floats whose exact sum is the product.
    """

    def __init__(self, outputs: int) -> None:
        super().__init__(float, (outputs, 6))
        self.width = self.numbers = 6 * outputs

    def blank(self, count: int) -> Rows:
        """Return rows of weight 0."""
        return np.zeros((count, self.shape[0], 3))

    def terms(self, rows: Any) -> np.ndarray:
        w, y, p = np.moveaxis(arrays.fetch(rows), 2, 0)
        terms: np.ndarray = np.stack([w, w * y, w * p, w * y * y, w * y * p, w * p * p], axis=2)
        return terms.reshape(len(terms), -1 if terms.size else self.numbers)

    def possible(self, folded: Any, count: int) -> bool:
        """Return whether no variance and no sum of squared errors is negative."""
        if not super().possible(folded, count):
            return False
        return all(
            w >= 0 and w * yy >= wy * wy and w * pp >= wp * wp and yy + pp >= 2 * yp
            for w, wy, wp, yy, yp, pp in folded.fraction()
        )

    def pieces(self, rows: np.ndarray) -> Iterator[Piece]:
        """Yield the terms; see `FloatSum.pieces`."""
        for output, columns in enumerate(rows.transpose(1, 2, 0)):
            weight, label, prediction = columns
            places = np.arange(6 * output, 6 * output + 6)
            if (weight == 1).all():
                yield places[0], ones(len(weight))
                yield places[1:], columns[1:]
                continue
            yield places[0], weight
            terms = [[*two_product(weight, value)] for value in (label, prediction)]
            for left, right in ((0, label), (0, prediction), (1, prediction)):
                terms.append([part for term in terms[left] for part in two_product(term, right)])
            for place, parts in zip(places[1:], terms, strict=True):
                yield from ((place, part) for part in parts)


@dataclass(frozen=True)
class RegressionMoments(Statistic):
    """The sums that determine R2, Pearson's correlation and the root mean squared error.

    Attributes:
        num_outputs: The number of values per sample.
        nan: What happens with a nan. "raise": `add` raises a ValueError. "omit": a sample with a
            nan in any argument does not count.
    """

    num_outputs: int = 1
    nan: str = "raise"

    def __post_init__(self) -> None:
        check_count("num_outputs", self.num_outputs)

    @property
    def on_accelerator(self) -> bool:
        """Whether tensors stay on an accelerator: yes, unless samples may be left out."""
        return self.nan == "raise"

    @property
    def jackknife(self) -> Jackknife:
        """The jackknife, with caveats: sums do not show the tails of errors, nor of variances."""
        first = range(0, 6 * self.num_outputs, 6)
        pairs = tuple((w, w + 1, w + 2, w + 3, w + 4, w + 5) for w in first)
        return Jackknife(pairs=pairs)

    @property
    def rows_have_truth(self) -> bool:
        """Whether rows have the labels: not if predictions may leave out samples."""
        return self.nan != "omit"

    def truth_of(self, rows: Mapping[str, Any]) -> Any:
        """Return weights and labels."""
        return rows["moments"][..., :2]

    def states(self) -> dict[str, State]:
        """Return the sums."""
        return {"moments": MomentSums(self.num_outputs)}

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return weight, label and prediction of every sample and output.

        Args:
            predictions: Numbers (N,), or (N, D) with `num_outputs=D`; any real dtype.
            labels: The same shape.
            sample_weight: A weight >= 0 per sample, (N,).

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes do not fit; a value is nan or infinite; a magnitude is not 0 and
                beyond [1e-105, 1e115]; an integer is beyond 2^53; or `as_weights` rejects the
                weights.
        """
        if self.nan == "omit":
            given = {"predictions": predictions, "labels": labels}
            inputs, sample_weight = omit_nan(given, sample_weight)
            predictions, labels = inputs["predictions"], inputs["labels"]
        given = {"labels": labels, "predictions": predictions}
        values = [as_outputs(value, name, self.num_outputs) for name, value in given.items()]
        arrays.check_same_length("predictions", values[1], "labels", values[0])
        weights = as_weights(sample_weight, len(values[0]))
        # Each column is contiguous in memory.
        memory = np.empty_like(values[0], shape=(self.num_outputs, 3, len(weights)))
        memory[:, 0] = weights
        for place, column in enumerate(values, 1):
            memory[:, place] = np.transpose(column, (1, 0))
        if not is_usual(memory[:, 1:]):
            for place, name in enumerate(given, 1):
                memory[:, place] = bounded(name, memory[:, place])
        return {"moments": np.transpose(memory, (2, 0, 1))}


@dataclass(frozen=True)
class Moments:
    """The exact moments of one output, named as in `MomentSums`."""

    w: Fraction
    wy: Fraction
    wp: Fraction
    wyy: Fraction
    wyp: Fraction
    wpp: Fraction

    @classmethod
    def of(cls, results: Results) -> list[Moments]:
        """Return the moments of every output."""
        return [cls(*row) for row in results.exact("moments")]  # type: ignore[union-attr]

    def integers(self) -> list[int]:
        """Return the moments as multiples of one unit, since integers are faster.

        The denominators are powers of two, except where an interval moves the sums.
        """
        moments = (self.w, self.wy, self.wp, self.wyy, self.wyp, self.wpp)
        unit = math.lcm(*(moment.denominator for moment in moments))
        return [moment.numerator * (unit // moment.denominator) for moment in moments]

    @property
    def variance(self) -> Fraction:
        """The sum of w (y - mean(y))^2; the sum of weights must not be 0."""
        return self.wyy - self.wy**2 / self.w

    @property
    def residual(self) -> Fraction:
        """The sum of w (y - p)^2."""
        return self.wyy - 2 * self.wyp + self.wpp
