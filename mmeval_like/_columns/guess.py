"""The columns that are usually meant, where none is called like a metric's argument."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["usual_column"]

_TRUTH = (
    *("labels", "label", "targets", "target", "y_true", "y", "label_ids", "gold", "truth", "gt"),
    *("references", "reference", "groundtruths", "groundtruth", "ground_truth", "answer"),
)
_FOUND = (
    *("predictions", "prediction", "preds", "pred", "y_pred", "y_hat", "predicted", "outputs"),
    *("output", "scores", "score", "probs", "prob", "probabilities", "logits", "y_score"),
    *("response", "generated"),
)
_USUAL = {
    "predictions": _FOUND,
    "preds": _FOUND,
    "labels": _TRUTH,
    "targets": _TRUTH,
    "groundtruths": _TRUTH,
    "references": _TRUTH,
    "values": ("value", "score", "loss"),
    "sample_weight": ("sample_weights", "weight", "weights"),
}


def usual_column(argument: str, columns: Sequence[str]) -> str | None:
    """Return the column that is usually meant by an argument; None: there is none.

    Args:
        argument: The name of a metric's argument.
        columns: The names that there are. Capitals do not matter.

    Example:
        >>> usual_column("labels", ["id", "Y_True"])
        'Y_True'
    """
    there = {column.lower(): column for column in reversed(columns)}
    return next((there[name] for name in _USUAL.get(argument, ()) if name in there), None)
