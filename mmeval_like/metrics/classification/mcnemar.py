"""McNemar: a test of whether two models differ in the samples that they classify correctly."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mmeval_like.metrics.classification.class_inputs import check_classes
from mmeval_like.writing import BaseMetric, MetricOptions, Results, Unpack, arrays, state
from mmeval_like.writing.intervals import binomial_test

__all__ = ["McNemar"]


class McNemar(BaseMetric):
    """McNemar's test of whether two models classify different numbers of samples correctly.

    b samples are classified correctly by the first model only, and c samples by the second only. If
    both models are equally good, b is distributed as the number B of heads in b + c tosses of a
    fair coin. The p-value is the probability of an outcome at least as uneven as the observed one;
    a small p-value indicates that the models differ. With `exact=False` the p-value is that of the
    chi-squared approximation. Source: Q. McNemar, "Note on the sampling error of the difference
    between correlated proportions or percentages", Psychometrika 12 (1947).

    Formula:
        statistic = min(b, c)
        p = min(1, 2 P(B <= min(b, c)))
        chi^2 = (|b - c| - 1)^2 / (b + c)

    Args:
        exact: True: the two-sided p-value of the binomial distribution, computed from integers; the
            statistic is min(b, c). False: the p-value of the chi-squared distribution with one
            degree of freedom; the statistic is chi^2.
        correction: With `exact=False`, whether the statistic is corrected for continuity: (|b - c|
            - 1)^2 / (b + c), or 0 if b = c; without correction it is (b - c)^2 / (b + c).
        **options: As for `BaseMetric`.

    Returns of `compute`: `only_a`, which is b, `only_b`, which is c, `p_value` and `statistic`. If
    b + c = 0, as without samples, the p-value is 1.0 and the statistic 0.0.

    Example:
        >>> metric = McNemar()
        >>> metric.add([1, 1, 1, 0], [0, 0, 0, 0], labels=[1, 1, 1, 0])
        >>> metric.compute()  # 2 / 2^3
        {'only_a': 3, 'only_b': 0, 'p_value': 0.25, 'statistic': 0.0}
    """

    processor_dependent: str | None = "erfc"
    class_inputs = ("predictions_a", "predictions_b", "labels")

    outcomes = state.count(4)
    no_interval = "a p-value says how surprising the samples are, and estimates nothing"

    def __init__(
        self, exact: bool = True, correction: bool = True, **options: Unpack[MetricOptions]
    ) -> None:
        super().__init__(**options)
        self.exact, self.correction = bool(exact), bool(correction)
        self.every_rank_computes = exact
        if exact:
            self.processor_dependent = None

    def rows(self, predictions_a: Any, predictions_b: Any, labels: Any) -> dict[str, np.ndarray]:
        """Return for each sample which models classify it correctly.

        Args:
            predictions_a: Class indices (N,), or scores (N, C), of the first model.
            predictions_b: The same for the second model.
            labels: Class indices (N,).

        Raises:
            TypeError: A class index is not a whole number.
            ValueError: Shapes or lengths do not fit, a label is not in [0, C) of the scores, or a
                score is nan.
        """
        right = [
            np.equal(*check_classes(predictions, labels, None))
            for predictions in (predictions_a, predictions_b)
        ]
        arrays.check_same_length("predictions_a", right[0], "predictions_b", right[1])
        return {"outcomes": 2 * right[0] + right[1]}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the counts and the test."""
        _, only_b, only_a, _ = results.outcomes.tolist()
        found = {"only_a": only_a, "only_b": only_b}
        both = only_a + only_b
        if not both:
            return found | {"p_value": 1.0, "statistic": 0.0}
        if self.exact:
            fewer = min(only_a, only_b)
            return found | {"p_value": binomial_test(fewer, both), "statistic": float(fewer)}
        gap = max(abs(only_a - only_b) - self.correction, 0)
        statistic = gap * gap / both
        return found | {"p_value": math.erfc(math.sqrt(statistic / 2)), "statistic": statistic}
