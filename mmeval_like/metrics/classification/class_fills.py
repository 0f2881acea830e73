"""Class fills: rows of samples without a score, as if their predictions were known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mmeval_like.writing import Statistic, arrays

__all__ = ["filled"]


def filled(
    statistic: Statistic, classes: int | None, fill: Any, count: int, inputs: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Return the rows of samples without a score; see `Statistic.filled`.

    Args:
        statistic: A statistic that takes class indices as predictions.
        classes: The number of classes; None: unknown.
        fill: "best": each prediction is the label; "worst": it is the next class; or a class.
        count: The number of samples.
        inputs: The labels, and the weights if there are any.

    Raises:
        ValueError: There are no labels.
    """
    if classes is None:
        return None
    if "labels" not in inputs:
        raise ValueError("samples without a score need labels=: metrics of classes count them")
    labels = arrays.as_integers(inputs["labels"], "labels")
    if fill == "best":
        predictions = labels
    elif fill == "worst":
        predictions = (labels + 1) % classes
    else:
        predictions = np.full(labels.shape, fill)
    return statistic.rows(predictions, **{**inputs, "labels": labels})
