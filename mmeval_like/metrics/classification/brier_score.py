"""BrierScore: the mean squared difference between predicted probabilities and outcomes."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.metrics.classification.probabilities import as_probabilities
from mmeval_like.writing import NOT_NEGATIVE, SampleMean, arrays

__all__ = ["BrierScore"]


class BrierScore(SampleMean):
    """The Brier score: the mean squared difference between probabilities and outcomes.

    For probabilities p of class 1, a sample's error is (p - label)^2, and the score is in [0, 1].
    For probabilities of all classes, a sample's error is the sum over classes c of (p_c - 1)^2 for
    the label and p_c^2 for the other classes, and the score is in [0, 2]. The second is Brier's own
    definition; for two classes it is twice the first. Source: G. W. Brier, "Verification of
    forecasts expressed in terms of probability", Monthly Weather Review 78 (1950).

    Formula:
        brier_binary = (sum w (p - y)^2) / (sum w)
        brier_multiclass = (sum w sum_c (p_c - [c = y])^2) / (sum w)

    Returns of `compute`: `brier`; nan without samples. Lower is better.

    Example:
        >>> metric = BrierScore()
        >>> metric.add([0.5, 1.0], [1, 1])
        >>> metric.compute()
        {'brier': 0.125}
    """

    class_inputs = ("labels",)
    takes_scores = True

    key = "brier"
    ranges = NOT_NEGATIVE
    higher_is_better = False
    no_bounds = "an error is at most 1 for probabilities of class 1, and 2 for those of all classes"

    def scores(self, predictions: Any, labels: Any) -> np.ndarray:
        """Return the error of every sample.

        Args:
            predictions: Probabilities of class 1 (N,), or of all classes (N, C).
            labels: 0 and 1, or class indices (N,).

        Raises:
            TypeError, ValueError: The inputs are not numbers, shapes or lengths do not fit, labels
                are out of range, or predictions are not probabilities: nan, out of [0, 1], or, for
                all classes, not adding up to 1.
        """
        values, labels = as_probabilities(predictions, labels)
        errors = values.astype(np.float64)
        if errors.ndim == 1:
            errors -= labels
        else:
            errors[np.arange(len(labels)), labels] -= 1
        errors *= errors
        return errors if errors.ndim == 1 else arrays.sum_rows(errors)
