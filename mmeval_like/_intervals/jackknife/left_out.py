"""Units left out one at a time: the values without each unit, and their variance.

Four modules compute these values: `codes` subtracts a sample of each code from histograms, `groups`
leaves out groups of rows that were kept, `cluster_units` leaves out clusters, and
`pair_differences` leaves out the same rows of two systems. On the same samples all give equal
(`==`) values: those of the metric without each sample. `metric_intervals` and `comparison` compute
the intervals from them.

The variance is the jackknife's (B. Efron and C. Stein, The jackknife estimate of variance,
Annals of Statistics 9, 1981).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from mmeval_like._intervals.jackknife.estimand import Columns, Evaluate
from mmeval_like._intervals.tails import HEAVY, heavy, kurtosis
from mmeval_like._states.results import Results
from mmeval_like._states.sample_groups import GROUPS

__all__ = [
    "FEW_FOR_TAILS",
    "MOST_UNITS",
    "LeftOut",
    "chosen_units",
    "effective_clusters",
    "too_few",
    "variance_without_one",
]

MOST_UNITS = 1024
"""The largest number of distinct units that are left out one by one."""

_LEAST = 2.0**-480  # the squares of smaller deviations are not exact
_FEW, _FEW_EFFECTIVE = 5, 3  # an interval of fewer clusters is thin
_FEW_SAMPLES = 20  # an interval of fewer samples of equal weights is thin
FEW_FOR_TAILS = 30
"""The least number of clusters that may show heavy tails of an unbounded value."""


@dataclass(frozen=True)
class LeftOut:
    """The values of a metric without a unit of each kind.

    Attributes:
        unit: What was left out: "sample", "cluster" or "group".
        units: How many units there are.
        weights: The number of units that each kind represents.
        evaluate: Returns the values without a unit of each kind, in this order.
        members: What the units consist of: "samples" or "clusters".
        sampled: Whether only some of the kinds are left out, which represent all.
        effective: The effective number of units; None: all units have the same size.
        caveat: Why there are too few units; None if there are enough.
        histograms: Given the name of a state, returns its histogram in each cluster that is left
            out; None if states keep their rows, or the units are not clusters.
        sizes: The number of samples of a unit of each kind, or the sum of their weights; None: all
            units have the same size.
        alone: Returns the values of only a unit of each kind; None if this is not known.
        rest: Returns the results without a unit of each kind; None if states keep rows, or units
            are single samples.
    """

    unit: str
    units: int
    weights: Sequence[int]
    evaluate: Evaluate
    members: str = "samples"
    sampled: bool = False
    effective: Fraction | None = None
    caveat: str | None = None
    histograms: Callable[[str], np.ndarray] | None = None
    sizes: Sequence[float] | None = None
    alone: Evaluate | None = None
    rest: Callable[[], Iterable[Results]] | None = None

    @classmethod
    def of_clusters(
        cls,
        units: Sequence[float],
        weights: Sequence[int],
        evaluate: Evaluate,
        clusters: Sequence[int],
        histograms: Callable[[str], np.ndarray] | None = None,
    ) -> LeftOut:
        """Return the units of samples in clusters.

        Args:
            units: The size of every unit: a cluster, or a group of them.
            weights: As for the class.
            evaluate: As for the class.
            clusters: The number of samples of every cluster.
            histograms: As for the class.
        """
        return cls(
            "cluster" if len(units) == len(clusters) else "group",
            len(units),
            weights,
            evaluate,
            members="clusters",
            effective=effective_clusters(units),
            caveat=too_few(clusters),
            histograms=histograms,
        )

    def of_parts(self, parts: Iterable[np.ndarray]) -> LeftOut:
        """Return the same units for a value that rests on parts of the samples, with their marks.

        The degrees of freedom are those of B. L. Welch (Biometrika 34, 1947), if the units of all
        parts vary equally: of a group in 10 clusters and others in 30, 15, not 39. If groups of
        samples differ in size by more than chance, the samples have unequal weights: those of n
        equal ones have a sum of squared shares of 1 / 50 + 1 / n.

        Args:
            parts: The size of each part in a unit of each kind, int64.
        """
        variance, uncertain, caveat = Fraction(0), Fraction(0), None
        for sizes in parts:
            each = np.repeat(sizes, self.weights)
            alike = effective_clusters(each) * Fraction(self.units, max(len(each), 1))
            why = self._few_of_part(each, alike)
            caveat = caveat or (f"for a part of the samples, {why}" if why else None)
            if self.members == "samples":  # the variance is that of the heaviest groups
                alike = effective_clusters(each * each)
            if alike > 1:
                variance += 1 / alike
                uncertain += 1 / (alike * alike * (alike - 1))
        effective = Fraction(self.units if self.effective is None else self.effective)
        if uncertain:
            effective = min(effective, 1 + variance * variance / uncertain)
        found = replace(self, effective=effective, caveat=self.caveat or caveat)
        found.__dict__["without"] = self.without  # computed once for all values
        return found

    def _few_of_part(self, sizes: np.ndarray, alike: Fraction) -> str | None:
        if self.members == "clusters":
            return too_few(sizes[sizes != 0])
        samples = GROUPS * alike / (GROUPS - alike) if alike < GROUPS else _FEW_SAMPLES
        counted = round(float(samples), 1)
        return f"they count as {counted}, given their weights" if samples < _FEW_SAMPLES else None

    @property
    def alike(self) -> float:
        """The number of units of equal sizes that would be as informative."""
        return float(self.units if self.effective is None else self.effective)

    @property
    def df(self) -> int:
        """The degrees of freedom of a variance."""
        if self.effective is None or self.units < 2:
            return self.units - 1
        return max(1, math.floor(self.effective) - 1)

    @cached_property
    def without(self) -> Columns:
        """Every value without a unit of each kind; nan where it is undefined."""
        return self.evaluate()

    def defined(self, key: str, place: int = 0) -> bool:
        """Return whether a value is defined without each of the units."""
        return all(map(math.isfinite, self.without[key][place]))

    def variance(self, key: str, place: int = 0) -> float:
        """Return the variance of a value, from the units without which it is defined."""
        without, weights = self._known(key, place)
        return variance_without_one(without, weights, self.units) if without else 0.0

    def parts(self, key: str, value: float) -> np.ndarray:
        """Return what a unit of each kind adds to a value: for means, its share of the sum.

        Args:
            key: The key of the value.
            value: The value with all units.
        """
        sizes = np.full(len(self.weights), 1 / self.units)
        if self.sizes is not None:
            sizes = np.divide(self.sizes, np.dot(self.sizes, self.weights))
        found: np.ndarray = value - (1 - sizes) * np.asarray(self.without[key][0])
        return found

    def heavy_tails(self, key: str, place: int = 0) -> str | None:
        """Return why the variance of a value may rest on a few units, or None if it does not.

        Fewer than 30 clusters do not show it: of 10 or 20 clusters with lognormal means, the
        interval contains the truth in 88% of cases, and the kurtosis marks less than half of them.
        Clusters of unequal sizes count as fewer.
        """
        if self.members == "clusters" and self.units < FEW_FOR_TAILS:
            return f"{self.units} clusters are too few to show heavy tails"
        if self.members == "clusters" and self.alike < FEW_FOR_TAILS:
            counted = f"{self.units} {self.unit}s count as {round(self.alike, 1)}"
            return f"given their sizes, {counted}, too few to show heavy tails"
        without, weights = self._known(key, place)
        if not without:
            return None
        middle = math.fsum(v * w for v, w in zip(without, weights, strict=True)) / sum(weights)
        few = heavy(kurtosis([value - middle for value in without], weights), self.units)
        return HEAVY.format(self.unit) if few else None

    def bias(self, key: str, place: int, value: float) -> float:
        """Return the jackknife's estimate of the bias of a value, from the values without a unit.

        See M. H. Quenouille (Notes on bias in estimation, Biometrika 43, 1956).

        Args:
            key: The key of the value.
            place: Its place in a list.
            value: The value with all units.
        """
        without, weights = self._known(key, place)
        less = [w * (v - value) for v, w in zip(without, weights, strict=True)]
        return math.fsum(less) / max(sum(weights), 1) * (self.units - 1)

    def _known(self, key: str, place: int) -> tuple[Sequence[float], Sequence[int]]:
        """Return the values of a number where they are finite, and the weights of their units."""
        if self.defined(key, place):
            return self.without[key][place], self.weights
        values = zip(self.without[key][place], self.weights, strict=True)
        known = [(value, weight) for value, weight in values if math.isfinite(value)]
        return [value for value, _ in known], [weight for _, weight in known]


def effective_clusters(sizes: Sequence[float] | np.ndarray) -> Fraction:
    """Return the effective number of clusters, which is smaller for clusters of unequal sizes.

    See L. Kish (Survey Sampling, 1965). The sizes may be weights of samples.

    Example:
        >>> effective_clusters([10, 10, 10]), effective_clusters([20, 5, 5])
        (Fraction(3, 1), Fraction(2, 1))
    """
    scaled = np.asarray(sizes, np.float64)
    # Squares do not overflow.
    scaled = scaled * math.ldexp(1.0, -math.frexp(float(scaled.max(initial=0.0)))[1])
    squares = Fraction(math.fsum((scaled * scaled).tolist()))
    return Fraction(math.fsum(scaled.tolist())) ** 2 / squares if squares else Fraction(0)


def too_few(sizes: Sequence[int] | np.ndarray) -> str | None:
    """Return why an interval rests on too few clusters, or None if it does not.

    Example:
        >>> too_few([10, 10, 10]), too_few([1] * 5)
        ('there are only 3 clusters', None)
    """
    effective = effective_clusters(sizes)
    if len(sizes) < _FEW:
        counted = "is only one cluster" if len(sizes) == 1 else f"are only {len(sizes)} clusters"
        return f"there {counted}"
    if effective < _FEW_EFFECTIVE:
        return f"given their sizes, {len(sizes)} clusters count as {round(float(effective), 1)}"
    return None


def variance_without_one(without: Sequence[float], numbers: Sequence[int], units: int) -> float:
    """Return the variance of a value from its values without one unit; inf if a float is no use.

    That is if squares of deviations are too large for float64, or so small that they are not exact.

    Args:
        without: The value without a unit of each kind.
        numbers: The number of units of each kind.
        units: The number of units; larger than the sum of `numbers` if only some were chosen.

    Example:
        >>> values = [1.0, 2.0, 6.0]  # the mean is 3, without them 4, 3.5 and 1.5
        >>> variance_without_one([4.0, 3.5, 1.5], [1, 1, 1], 3) * 3  # their variance is 7
        7.0
    """
    count = sum(numbers)
    values, weights = np.asarray(without), np.asarray(numbers)
    try:
        with np.errstate(all="ignore"):
            # `fsum` rounds once, independent of the order.
            apart = values - math.fsum((values * weights).tolist()) / count
            # d**2 differs between processors.
            squares = math.fsum((weights * (apart * apart)).tolist())
    except (OverflowError, ValueError):  # ValueError: a product is infinite
        return math.inf
    if 0 < np.abs(apart).max(initial=0.0) < _LEAST:
        return math.inf
    return squares / count * (units - 1)


def chosen_units(numbers: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the places of the kinds that are left out, and the number of samples of each.

    Up to `MOST_UNITS` kinds, all are taken. If there are more kinds, `MOST_UNITS` samples are taken
    at equal distances in the order of the kinds, so that each kind is taken in proportion to its
    number.

    Args:
        numbers: The number of samples of each kind, in an order that depends only on the samples.

    Example:
        >>> chosen_units([3, 1, 2])
        ([0, 1, 2], [3, 1, 2])
    """
    if len(numbers) <= MOST_UNITS:
        return list(range(len(numbers))), list(numbers)
    count, passed, place = sum(numbers), 0, 0
    places: dict[int, int] = {}
    for step in range(MOST_UNITS):
        wanted = (2 * step + 1) * count // (2 * MOST_UNITS)
        while passed + numbers[place] <= wanted:
            passed += numbers[place]
            place += 1
        places[place] = places.get(place, 0) + 1
    return list(places), list(places.values())
