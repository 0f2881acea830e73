"""scikit-learn: a metric as `scoring=` of searches and cross-validations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mmeval_like._core.given import Metrics, as_metrics

__all__ = ["Scorer"]


@dataclass
class Scorer:
    """A metric in the form that `cross_val_score`, `cross_validate` and `GridSearchCV` score with.

    Args:
        metrics: A metric, a collection, or metrics by name; nothing is accumulated in them. Larger
            values must be better.
        method: The method of the estimator whose values are the predictions, for instance
            "predict_proba".
        key: The number to return, by its name in `Result.flat`; None: the only number, or if there
            are several a dict of all, which `cross_validate` accepts.

    Example:
        >>> from mmeval_like import Accuracy
        >>> scoring = Scorer(Accuracy(), "predict_proba")  # for cross_val_score(scoring=scoring)
    """

    metrics: Metrics
    method: str = "predict"
    key: str | None = None

    def __call__(self, estimator: Any, x: Any, y: Any) -> float | dict[str, float]:
        """Return the score of a fitted estimator.

        Raises:
            KeyError: The result has no number called `key`.
        """
        result = as_metrics(self.metrics)(getattr(estimator, self.method)(x), y)
        flat: dict[str, float] = result.flat()
        if self.key is not None:
            return flat[self.key]
        return next(iter(flat.values())) if len(flat) == 1 else flat
