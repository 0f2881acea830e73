"""CramersV, TschuprowsT, PearsonsContingencyCoefficient, TheilsU: association of two columns."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

from mmeval_like.metrics.clustering.contingency_counts import Contingency
from mmeval_like.metrics.clustering.partitions import PartitionMetric, entropy, mutual_information

__all__ = ["CramersV", "PearsonsContingencyCoefficient", "TheilsU", "TschuprowsT"]


class CorrectedAssociation(PartitionMetric):
    """The base class of measures of association that can be corrected for their bias.

    Args:
        bias_correction: Whether the bias of small samples is corrected, as in W. Bergsma, "A
            bias-correction for Cramér's V and Tschuprow's T", Journal of the Korean Statistical
            Society 42 (2013).
        **options: As for `PartitionMetric`.

    Raises:
        ValueError: A number of classes or clusters is not in [1, 2^31].
    """

    def __init__(self, *, bias_correction: bool = True, **options: Any) -> None:
        super().__init__(**options)
        self.bias_correction = bias_correction

    @abstractmethod
    def size(self, rows: float, columns: float) -> float:
        """Return the largest possible phi^2; `rows` and `columns` are their numbers minus 1."""

    def value(self, table: Contingency) -> float:
        """Return the root of phi^2 over its largest value; nan for a single row or column."""
        phi, others = _phi_squared(table), table.total - 1
        rows, columns = float(len(table.classes) - 1), float(len(table.clusters) - 1)
        if self.bias_correction and others:
            phi = max(phi - rows * columns / others, 0.0)
            rows, columns = rows - rows**2 / others, columns - columns**2 / others
        if rows <= 0 or columns <= 0:
            return math.nan
        return math.sqrt(phi / self.size(rows, columns))


class CramersV(CorrectedAssociation):
    """Cramér's V: the association of two columns of categories.

    The N samples form a table of r rows (labels) and k columns (predictions), none of them empty;
    chi^2 is the chi-squared statistic of the table. The value is 0 if the two columns are
    independent, and 1 if one determines the other. The formula is the one with correction of the
    bias; without `bias_correction` f is chi^2 / N, r' is r and k' is k. Source: H. Cramér,
    "Mathematical methods of statistics" (1946). `add` takes `predictions` and `labels`, integers
    (N,).

    Formula:
        V = sqrt(f / min(r' - 1, k' - 1))
        f = max(0, chi^2 / N - (r - 1) (k - 1) / (N - 1))
        r' = r - (r - 1)^2 / (N - 1)
        k' = k - (k - 1)^2 / (N - 1)

    Args:
        **options: As for `CorrectedAssociation`.

    Returns of `compute`: `cramers_v`, in [0, 1] up to rounding. The value is nan without samples,
    and if a column has only one value; with the correction, also if all values of a column differ.

    Example:
        >>> metric = CramersV(bias_correction=False)
        >>> metric.add(predictions=[0, 0, 1, 1], labels=[0, 0, 1, 0])
        >>> round(metric.compute()["cramers_v"], 6)  # sqrt(1 / 3)
        0.57735
    """

    key = "cramers_v"

    def size(self, rows: float, columns: float) -> float:
        """Return the smaller of `rows` and `columns`."""
        return min(rows, columns)


class TschuprowsT(CorrectedAssociation):
    """Tschuprow's T: the association of two columns of categories.

    The table, chi^2, f, r' and k' are those of `CramersV`: the N samples form a table of r rows
    (labels) and k columns (predictions), none of them empty. The value is 0 if the two
    columns are independent. The formula is the one with correction of the bias; without
    `bias_correction` f is chi^2 / N, r' is r and k' is k. Source: A. A. Tschuprow, "Principles of
    the mathematical theory of correlation" (1939). `add` takes `predictions` and `labels`, integers
    (N,).

    Formula:
        T = sqrt(f / sqrt((r' - 1) (k' - 1)))
        f = max(0, chi^2 / N - (r - 1) (k - 1) / (N - 1))
        r' = r - (r - 1)^2 / (N - 1)
        k' = k - (k - 1)^2 / (N - 1)

    Args:
        **options: As for `CorrectedAssociation`.

    Returns of `compute`: `tschuprows_t`, in [0, 1] up to rounding. The value is nan without
    samples, and if a column has only one value; with the correction, also if all values of a column
    differ.

    Example:
        >>> metric = TschuprowsT(bias_correction=False)
        >>> metric.add(predictions=[0, 0, 1, 1], labels=[0, 0, 1, 0])
        >>> round(metric.compute()["tschuprows_t"], 6)  # sqrt(1 / 3)
        0.57735
    """

    key = "tschuprows_t"

    def size(self, rows: float, columns: float) -> float:
        """Return the geometric mean of `rows` and `columns`."""
        return math.sqrt(rows * columns)


class PearsonsContingencyCoefficient(PartitionMetric):
    """Pearson's contingency coefficient: the association of two columns of categories.

    Formula:
        C = sqrt(phi^2 / (1 + phi^2))
        phi^2 = chi^2 / N

    chi^2 is the chi-squared statistic of the table of the N samples. The coefficient is 0 if the
    two columns are independent; it never reaches 1. Source: K. Pearson, "On the theory of
    contingency and its relation to association and normal correlation" (1904). `add` takes
    `predictions` and `labels`, integers (N,).

    Args:
        **options: As for `PartitionMetric`.

    Returns of `compute`: `contingency_coefficient`, in [0, 1); nan without samples.

    Example:
        >>> metric = PearsonsContingencyCoefficient()
        >>> metric.add(predictions=[0, 0, 1, 1], labels=[0, 0, 1, 0])
        >>> metric.compute()  # sqrt((1 / 3) / (4 / 3))
        {'contingency_coefficient': 0.5}
    """

    key = "contingency_coefficient"

    def value(self, table: Contingency) -> float:
        """Return the coefficient."""
        phi = _phi_squared(table)
        return math.sqrt(phi / (1 + phi))


class TheilsU(PartitionMetric):
    """Theil's uncertainty coefficient: the fraction of predictions' entropy that labels explain.

    H(p) is the entropy of the predictions, and H(p given y) their conditional entropy given the
    labels. The coefficient is 0 if the labels contain no information about the predictions, and 1
    if they determine them. Swap predictions and labels for the other direction. Source: H. Theil,
    "Statistical decomposition analysis" (1972). `add` takes `predictions` and `labels`, integers
    (N,).

    Formula:
        U = (H(p) - H(p given y)) / H(p)

    Args:
        **options: As for `PartitionMetric`.

    Returns of `compute`: `theils_u`, in [0, 1]; nan without samples, and if all predictions are
    equal.

    Example:
        >>> metric = TheilsU()
        >>> metric.add(predictions=[0, 0, 1, 1], labels=[0, 1, 2, 3])
        >>> metric.compute()
        {'theils_u': 1.0}
    """

    processor_dependent = "log"
    key = "theils_u"
    every_rank_computes = False

    def value(self, table: Contingency) -> float:
        """Return the share."""
        whole = entropy(table.clusters, table.total)
        return min(mutual_information(table) / whole, 1.0) if whole else math.nan


def _phi_squared(table: Contingency) -> float:
    """Return chi^2 / N as a sum of non-negative terms: exactly 0 for independent columns."""
    total = table.total
    terms = table.map_pairs(lambda n, a, b: (total * n - a * b) ** 2 / (a * b))
    empty = total**2 - sum(table.map_pairs(lambda n, a, b: a * b))
    return math.fsum([*terms, empty]) / total**2
