"""Changed units: the samples, or clusters, on which two systems differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mmeval_like._intervals.exact_shares import FEW
from mmeval_like._intervals.few_changes import FewChanges
from mmeval_like._intervals.jackknife.left_out import effective_clusters
from mmeval_like._intervals.jackknife.pair_differences import Side
from mmeval_like._states.unequal_rows import differing

__all__ = ["LEAST", "ChangedUnits", "differ_on"]

LEAST = 20
"""The least number of units whose differences have an interval without a mark."""


@dataclass(frozen=True)
class ChangedUnits:
    """The units of two systems, and which of them differ.

    Attributes:
        unit: "sample" or "cluster".
        units: The unit of each sample, (n,), numbers from 0 on.
        rows: Whether the systems differ on each sample, (n,).
        weighing: The weight of each sample, (n,); None: all count alike.
    """

    unit: str
    units: np.ndarray
    rows: np.ndarray
    weighing: np.ndarray | None = None

    @classmethod
    def of(cls, a: Side, b: Side, weighing: np.ndarray | None = None) -> ChangedUnits:
        """Return the units of two systems with the same samples, weighted or not."""
        rows = np.zeros(len(a), bool)
        for name, own in a.rows.items():
            rows |= differ_on(own, b.rows[name])
        if a.clusters is None:
            return cls("sample", np.arange(len(a)), rows, weighing)
        units = np.unique(a.clusters, return_inverse=True)[1].reshape(-1)
        return cls("cluster", units, rows, weighing)

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of samples of each unit, or the sum of their weights."""
        return np.bincount(self.units, self.weighing)

    @property
    def count(self) -> int:
        """The number of units."""
        return len(self.sizes)

    @cached_property
    def changed(self) -> int:
        """The number of units on which the systems differ."""
        return int(np.count_nonzero(self._sum(self.rows)))

    @property
    def few(self) -> bool:
        """Whether they are too few for a variance."""
        return self.changed <= FEW

    @property
    def unchanged(self) -> float:
        """The share of units on which the systems agree."""
        return 1 - self.changed / self.count

    @property
    def too_few(self) -> str | None:
        """Why there are too few units; None if there are enough."""
        if self.count < LEAST:
            return f"there are only {self.count} {self.unit}s"
        if self._effective < LEAST:
            alike = round(self._effective, 1)
            what = "sizes" if self.weighing is None else "weights"
            return f"given their {what}, {self.count} {self.unit}s count as {alike}"
        return None

    @property
    def only_few(self) -> str:
        """Why an unbounded difference on few units says little."""
        if not self.changed:
            return f"the systems differ on no {self.unit}"
        return f"the systems differ on only {self.changed} {self.unit}{'s' * (self.changed > 1)}"

    def within(self, values: np.ndarray) -> float:
        """Return the variance of samples' values within their units; 0 if samples are weighted."""
        free = len(values) - self.count
        if self.weighing is not None or not free:
            return 0.0
        apart = values - (self._sum(values) / self.sizes)[self.units]
        return math.fsum((apart * apart).tolist()) / free

    def of_means(self, values: Sequence[np.ndarray], width: float) -> FewChanges:
        """Return what few changes hide, for the mean of one value per sample.

        Larger units count as more, and the number of units is that of equally large ones that are
        as informative, so that a large one is not taken for a small part of the difference.

        Args:
            values: The values of both systems, (n,) each.
            width: The largest difference of two values.
        """
        moved = self._sum(values[1] - values[0])
        changed = self._sum(self.rows) > 0
        units = math.floor(self._effective)
        down, up = (
            max(int(np.count_nonzero(one)), self._weighing(one))
            for one in (changed & (moved <= 0), changed & (moved >= 0))
        )
        return FewChanges(min(down, units), min(up, units), units, width)

    def of_others(self, width: float) -> FewChanges:
        """Return what few changes hide, for a value that is no mean.

        Args:
            width: The largest difference of two values, if all units change alike.
        """
        units = math.floor(self._effective)
        changed = min(max(self.changed, self._weighing(self._sum(self.rows) > 0)), units)
        return FewChanges(changed, changed, units, width)

    def all_alike(self, usual: float, width: float) -> FewChanges:
        """Return what units hide that all have the same difference.

        Args:
            usual: This difference.
            width: As in `of_others`.
        """
        return FewChanges(0, 0, math.floor(self._effective), width, usual)

    @cached_property
    def _effective(self) -> float:
        return float(effective_clusters(self.sizes.tolist()))

    def _weighing(self, which: np.ndarray) -> int:
        """Return the effective number of these units, rounded up."""
        share = float(self.sizes[which].sum() / self.sizes.sum())
        return math.ceil(share * self._effective - 1e-9)

    def _sum(self, values: np.ndarray) -> np.ndarray:
        found: np.ndarray = np.bincount(self.units, values, minlength=0)
        return found


def differ_on(rows: Any, others: Any) -> np.ndarray:
    """Return on which samples the rows of two systems differ; 0.0 and -0.0 do not."""
    if isinstance(rows, np.ndarray) and isinstance(others, np.ndarray):
        if rows.shape == others.shape:
            unequal: np.ndarray = (rows != others).reshape(len(rows), -1).any(axis=1)
            return unequal
        return np.ones(len(rows), bool)
    return differing(rows, others)
