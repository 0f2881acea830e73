"""scikit-learn: a metric as `scoring=` of searches and cross-validations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like._core.given import Metrics, as_metrics
from mmeval_like._core.labels import as_indices

__all__ = ["Scorer"]


@dataclass
class Scorer:
    """A metric in the form that `cross_val_score`, `cross_validate` and `GridSearchCV` score with.

    Args:
        metrics: A metric, a collection, or metrics by name; nothing is accumulated in them. Larger
            values must be better.
        method: The method of the estimator whose values are the predictions, for instance
            "predict_proba". A classifier sorts its classes, so the columns of its scores are put in
            the metric's order; a class that was not in the training set has the probability 0.
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
            TypeError: The classes have names, and the metric does not know them.
            ValueError: The estimator knows a class that the metric does not have, or its scores
                cannot be put in the metric's order.
        """
        metrics = as_metrics(self.metrics)
        predictions = getattr(estimator, self.method)(x)
        classes = getattr(estimator, "classes_", None)
        if self.method != "predict" and isinstance(classes, np.ndarray) and np.ndim(y) == 1:
            names = metrics.plan.classes
            places = _places(classes, names)
            count = (
                len(names)
                if names
                else 1 + max(places.max(), int(np.max(np.asarray(y), initial=0)))
            )
            if places.max() >= count:
                raise ValueError(
                    f"estimator.classes_ has {classes[places.argmax()]}, and the metric the names "
                    f"of {count} classes: labels must be these names, or from 0 to {count - 1}"
                )
            predictions = _ordered(predictions, places, count, self.method)
        result = metrics(predictions, y)
        flat: dict[str, float] = result.flat()
        if self.key is not None:
            return flat[self.key]
        return next(iter(flat.values())) if len(flat) == 1 else flat


def _places(classes: np.ndarray, names: Sequence[str] | None) -> np.ndarray:
    """Return the index of each class of an estimator in a metric with these names of classes.

    Raises:
        TypeError: The classes are strings, and the metric has no names.
        ValueError: The metric does not have one of the classes.
    """
    if any(isinstance(one, str) for one in classes):
        return np.asarray(as_indices([*classes], "estimator.classes_", names))
    places = classes.astype(np.int64)
    odd = (places != classes) | (places < 0)
    if odd.any():
        raise ValueError(
            f"estimator.classes_ must be names, or integers from 0 on, got {classes[odd][0]}"
        )
    return places


def _ordered(scores: Any, places: np.ndarray, count: int, method: str) -> Any:
    """Return scores with a column for each of `count` classes, of which some are at `places`.

    Scores (N,) are those of the second class. Scores of something else than classes, such as of
    pairs of classes, stay as they are.

    Raises:
        ValueError: Scores (N,) are not those of class 1, or scores of a class are unknown.
    """
    if np.ndim(scores) == 1:
        if places[-1] != 1:
            raise ValueError(
                f"{method} returns scores of the estimator's second class, which is class "
                f"{places[-1]} of the metric: give the metric the classes in sorted order"
            )
        return scores
    if np.shape(scores)[1] != len(places):
        return scores
    if count > len(places) and method != "predict_proba":
        raise ValueError(
            f"{method} returns no scores of classes that are missing in the training set: use "
            "predict_proba, or folds with all classes, as those of StratifiedKFold"
        )
    scores = np.asarray(scores)
    ordered = np.zeros((len(scores), count), scores.dtype)
    ordered[:, places] = scores
    return ordered
