"""Quantile: the value below which a given share of all values lies."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np

from mmeval_like.metrics._common.order_statistics import (
    UNORDERED,
    Ends,
    dealt_neighbours,
    neighbours,
    quantile_interval,
    shares_of,
)
from mmeval_like.metrics.aggregation.totals import NumbersMetric
from mmeval_like.writing import Results
from mmeval_like.writing.dealing import Ranks
from mmeval_like.writing.states import Cat

__all__ = ["Quantile"]


@dataclass(frozen=True)
class _Asked:
    """The neighbours of the quantiles of the values of all ranks, and the numbers of values."""

    neighbours: dict[Fraction, tuple[float, float]]
    known: int
    nans: int


class _Values(Cat):
    """Values in order; the ranks can find the quantiles at given shares by counting."""

    deals = True

    def __init__(self) -> None:
        super().__init__(np.float64, ())

    def __repr__(self) -> str:
        return "values()"

    def deal(
        self, folded: Callable[[], Any], wanted: frozenset[Fraction | Ends], ranks: Ranks
    ) -> _Asked:
        held: list[np.ndarray] = []

        def settle() -> tuple[int, int]:
            values = folded()
            held.append(values[~np.isnan(values)])
            return len(held[0]), len(values)

        counted, whole = np.sum(ranks.gathered(settle), axis=0).tolist()
        found = dealt_neighbours(held.pop, counted, shares_of(wanted, counted), ranks)
        return _Asked(found, counted, whole - counted)


class Quantile(NumbersMetric):
    """The value below which a given fraction q of all values lies; for q = 0.5 the median.

    Between two neighbouring values v_k and v_(k + 1) of the N sorted values, the quantile is
    interpolated linearly, as it is by default in numpy and torch; this is definition 7 of R. J.
    Hyndman and Y. Fan, "Sample quantiles in statistical packages" (The American Statistician 50,
    1996). It is computed exactly and rounded once. All values are kept, 8 bytes each. If they take
    more than 4 MiB, they stay on their ranks, which exchange only counts. `add` takes `values`, a
    number or numbers (N,) of any real dtype.

    Formula:
        quantile = (1 - f) v_k + f v_(k + 1)
        k + f = 1 + (N - 1) q

    Args:
        q: A number from 0 to 1, or a list of such numbers. Each is read as the decimal number that
            Python prints for it: 0.1 is one tenth.
        **options: As for `NumbersMetric`.

    The interval of a quantile ends at two of the values. It is exact for independent values of any
    distribution, and infinite on a side where there are too few of them.

    Returns of `compute`: `quantile`, a number, or for a list of `q` a list. It is nan without
    samples, and between two infinities of different signs.

    Raises:
        ValueError: `q` is not a number from 0 to 1, or an empty list.

    Example:
        >>> metric = Quantile([0.5, 0.9])
        >>> metric.add([3.0, 1.0, 2.0, 11.0])  # for instance the seconds that answers took
        >>> metric.compute()
        {'quantile': [2.5, 8.6]}
    """

    values = _Values()
    only_own_intervals = UNORDERED

    def __init__(self, q: float | Sequence[float] = 0.5, **options: Any) -> None:
        super().__init__(**options)
        self.q = q
        self._shares = [_share(one) for one in ([q] if np.ndim(q) == 0 else q)]  # type: ignore[union-attr]
        if not self._shares:
            raise ValueError("q must be a number from 0 to 1, or a list of some, got an empty list")

    def _entry_names(self) -> list[str] | None:
        """Return the shares as names of the entries of the list in tables, plots and `flat`."""
        return None if np.ndim(self.q) == 0 else [str(q) for q in self.q]  # type: ignore[union-attr]

    @property
    def asks(self) -> frozenset[Fraction | Ends]:
        """The shares to compute, and with intervals their ends."""
        level = self.interval
        ends = () if level is None else (Ends(share, level) for share in self._shares)
        return frozenset([*self._shares, *ends])

    def rows(self, values: Any) -> dict[str, np.ndarray]:
        """Return every value.

        Args:
            values: A number, or numbers (N,), of any real dtype.
        """
        return {"values": self.read(values)[0]}

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return `quantile`."""
        found = self._found(results)
        if not found.neighbours or (found.nans and self.nan != "omit"):
            quantiles = [math.nan] * len(self._shares)
        else:
            count = found.known - 1
            quantiles = [_between(*found.neighbours[s], s * count % 1) for s in self._shares]
        return {"quantile": quantiles[0] if np.ndim(self.q) == 0 else quantiles}

    def own_intervals(self, results: Results, level: float) -> Mapping[str, Any]:
        """Return the intervals between two of the sorted values."""
        found, values = self._found(results), self.compute_metric(results)["quantile"]
        each = [
            quantile_interval(
                value,
                Ends(share, level).among(found.neighbours, found.known),
                (-math.inf, math.inf),
                level,
                found.known,
            )
            for value, share in zip(np.atleast_1d(values).tolist(), self._shares, strict=True)
        ]
        return {"quantile": each[0] if np.ndim(self.q) == 0 else each}

    def _found(self, results: Results) -> _Asked:
        """Return what was asked of the values."""
        found = results.values
        if isinstance(found, _Asked):
            return found
        known = found[~np.isnan(found)]
        shares = shares_of(self.asks, len(known))
        return _Asked(neighbours(known, shares), len(known), len(found) - len(known))


def _share(q: Any) -> Fraction:
    try:
        share = Fraction(str(q)) if isinstance(q, Real) else None
    except ValueError:  # a nan, an infinity, True
        share = None
    if share is None or not 0 <= share <= 1:
        raise ValueError(f"q must be a number from 0 to 1, or a list of some, got {q!r}")
    return share


def _between(low: float, high: float, way: Fraction) -> float:
    """Return `low` plus the share `way` of the distance to `high`, rounded once."""
    if low == high or way == 0:
        return low
    if math.isinf(low) or math.isinf(high):
        return low + high
    return float(Fraction(low) + (Fraction(high) - Fraction(low)) * way)
