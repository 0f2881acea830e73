"""FleissKappa, GwetAC, BrennanPrediger and PercentAgreement: the agreement of raters."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.agreement.rating_counts import RatingCounts, Ratings
from mmeval_like.writing import BELOW_ONE, SHARE, BaseMetric, MetricOptions, Results, Unpack

__all__ = ["BrennanPrediger", "FleissKappa", "GwetAC", "PercentAgreement"]


@shared_options
class AgreementMetric(BaseMetric):
    """The base class of metrics of the agreement of raters on the class of an item.

    A sample is an item with all its ratings: `add` takes `ratings`. Items may have different
    numbers of raters; items with a single rating do not count where raters are compared. All
    metrics of this family share one count in a `MetricCollection`.

    Args:
        num_classes: The number of classes C.
        mode: What ratings are. "classes": the class that each rater gave, (N, R), with -1 or nan
            where a rater gave none. "counts": how many raters gave each class, (N, C). "probs":
            scores (N, C, R); each rater gives the class with the highest score.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: There are fewer than 2 classes, or the mode is unknown.
    """

    _takes_inputs = RatingCounts.rows

    if TYPE_CHECKING:

        def rows(self, ratings: Any) -> Mapping[str, Any]:
            """For type checkers."""

    every_rank_computes = True
    ranges = BELOW_ONE
    higher_is_better = True
    key: ClassVar[str]

    def __init__(
        self, num_classes: int, *, mode: str = "classes", **options: Unpack[MetricOptions]
    ) -> None:
        super().__init__(**options)
        self.statistic = self.counts = RatingCounts(num_classes, mode)
        if num_classes < 2:
            raise ValueError(f"num_classes must be at least 2, got {num_classes}")
        self.num_classes = num_classes

    @abstractmethod
    def value(self, ratings: Ratings) -> Fraction | None:
        """Return the value for one or more items; None if it is undefined."""

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the value; nan if no item has two ratings, and for 0 / 0."""
        found = self.value(self.counts.ratings(results))
        return {self.key: math.nan if found is None else float(found)}

    def beyond(self, observed: Fraction | None, chance: Fraction) -> Fraction | None:
        """Return (observed - chance) / (1 - chance); None if it is undefined."""
        if observed is None or chance == 1:
            return None
        return (observed - chance) / (1 - chance)

    def same(self) -> np.ndarray:
        """Return the weights with which only equal classes agree, (C, C)."""
        return np.eye(self.num_classes, dtype=object)


class FleissKappa(AgreementMetric):
    """Fleiss' kappa: the agreement of raters beyond chance, given how often they choose each class.

    P is the mean over items of the share of pairs of raters that agree. E is the same share for
    raters who choose each class as often as it was chosen on average: the sum of the squared mean
    shares of the classes. Source: J. L. Fleiss, "Measuring nominal scale agreement among many
    raters" (Psychological Bulletin 1971). Of the n_i raters of item i, n_(i c) gave the class c;
    s_c is the mean share of class c.

    Formula:
        kappa = (P - E) / (1 - E)
        P = mean_i (sum_c n_(i c) (n_(i c) - 1)) / (n_i (n_i - 1))
        E = sum_c s_c^2

    Args:
        num_classes: The number of classes C.
        mode: What ratings are. "counts": how many raters gave each class, (N, C). "classes": the
            class that each rater gave, (N, R), with -1 or nan where a rater gave none. "probs":
            scores (N, C, R); each rater gives the class with the highest score.
        **options: As for `AgreementMetric`.

    Returns of `compute`: `fleiss_kappa`, at most 1; nan without two ratings of an item, and where
    all ratings are one class. Higher is better.

    Example:
        >>> metric = FleissKappa(num_classes=2)
        >>> metric.add([[3, 0], [0, 3], [2, 1]])  # three raters; how many gave each class
        >>> metric.compute()  # P is 7 / 9, E is 41 / 81
        {'fleiss_kappa': 0.55}
    """

    key = "fleiss_kappa"

    def __init__(self, num_classes: int, *, mode: str = "counts", **options: Any) -> None:
        super().__init__(num_classes, mode=mode, **options)

    def value(self, ratings: Ratings) -> Fraction | None:
        """Return kappa."""
        observed = ratings.agreement(self.same())
        if observed is None:
            return None
        return self.beyond(observed, sum((s * s for s in ratings.shares()), Fraction(0)))


class GwetAC(AgreementMetric):
    """Gwet's AC1 and AC2: agreement beyond chance that stays stable if one class dominates.

    P is the mean over items of the mean weight of the pairs of raters; two raters who give the
    classes i and j have the weight w_(i j). E is the weight that is expected by chance, from the
    mean shares s of the C classes. Source: K. L. Gwet, "Computing inter-rater reliability and its
    variance in the presence of high agreement" (British Journal of Mathematical and Statistical
    Psychology 2008).

    Formula:
        AC = (P - E) / (1 - E)
        E = (sum_(c, k) w_(c k)) / (C (C - 1)) * sum_c s_c (1 - s_c)

    Args:
        weights: The weight of two raters who give the classes i and j. None: 1 if the classes are
            equal, otherwise 0, which gives AC1. "linear": 1 - |i - j| / (C - 1), "quadratic": 1 -
            (i - j)^2 / (C - 1)^2, for ordered classes, which give AC2.
        **options: As for `AgreementMetric`.

    Returns of `compute`: `gwet_ac`, at most 1; nan without two ratings of an item. Higher is
    better.

    Raises:
        ValueError: `weights` is unknown.

    Example:
        >>> metric = GwetAC(num_classes=2)
        >>> metric.add([[0, 0, 0], [1, 1, 1], [0, 0, 1]])
        >>> metric.compute()  # P is 7 / 9, E is 40 / 81
        {'gwet_ac': 0.5609756097560976}
    """

    key = "gwet_ac"

    def __init__(self, num_classes: int, *, weights: str | None = None, **options: Any) -> None:
        super().__init__(num_classes, **options)
        self.weights = check_option("weights", weights, (None, "linear", "quadratic"))

    def value(self, ratings: Ratings) -> Fraction | None:
        """Return AC1 or AC2."""
        classes, power = self.num_classes, 2 if self.weights == "quadratic" else 1
        weights = self.same()
        if self.weights:
            place = range(classes)
            most = (classes - 1) ** power
            weights = np.array(
                [[1 - Fraction(abs(i - j) ** power, most) for j in place] for i in place], object
            )
        observed = ratings.agreement(weights)
        if observed is None:
            return None
        spread = sum((s * (1 - s) for s in ratings.shares()), Fraction(0))
        return self.beyond(observed, weights.sum() * spread / (classes * (classes - 1)))


class BrennanPrediger(AgreementMetric):
    """The Brennan-Prediger coefficient: the agreement of raters beyond that of uniform guessing.

    P is the mean over items of the share of pairs of raters that agree. Raters who guess, each of C
    classes equally often, agree in 1 / C of the pairs. Source: R. L. Brennan and D. J. Prediger,
    "Coefficient kappa: some uses, misuses, and alternatives" (Educational and Psychological
    Measurement 1981).

    Formula:
        kappa = (P - 1/C) / (1 - 1/C)

    Args:
        **options: As for `AgreementMetric`.

    Returns of `compute`: `brennan_prediger`, at most 1; nan without two ratings of an item. Higher
    is better.

    Example:
        >>> metric = BrennanPrediger(num_classes=2)
        >>> metric.add([[0, 0, 0], [1, 1, 1], [0, 0, 1]])
        >>> metric.compute()  # P is 7 / 9
        {'brennan_prediger': 0.5555555555555556}
    """

    key = "brennan_prediger"

    def value(self, ratings: Ratings) -> Fraction | None:
        """Return the coefficient."""
        return self.beyond(ratings.agreement(self.same()), Fraction(1, self.num_classes))


class PercentAgreement(AgreementMetric):
    """The mean over items of the fraction of pairs of raters that give the same class.

    The value is not corrected for chance. Source: J. L. Fleiss, "Measuring nominal scale agreement
    among many raters" (Psychological Bulletin 1971). Of the n_i raters of item i, n_(i c) gave the
    class c.

    Formula:
        P = mean_i (sum_c n_(i c) (n_(i c) - 1)) / (n_i (n_i - 1))

    Args:
        **options: As for `AgreementMetric`.

    Returns of `compute`: `percent_agreement`, in [0, 1]; nan without two ratings of an item. Higher
    is better.

    Example:
        >>> metric = PercentAgreement(num_classes=2)
        >>> metric.add([[0, 0, 0], [1, 1, 1], [0, 0, 1]])
        >>> metric.compute()  # (1 + 1 + 1 / 3) / 3
        {'percent_agreement': 0.7777777777777778}
    """

    key = "percent_agreement"
    ranges = SHARE

    def value(self, ratings: Ratings) -> Fraction | None:
        """Return the share."""
        return ratings.agreement(self.same())
