"""Usual columns of a metric's arguments, for tables without a column of the same name."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["alike", "is_truth", "named_as_scores", "usual_columns"]

_TRUTH = (
    *("labels", "label", "targets", "target", "y_true", "y", "label_ids", "gold", "truth", "gt"),
    *("references", "reference", "groundtruths", "groundtruth", "ground_truth", "answer"),
)
_SCORES = ("scores", "score", "probs", "prob", "probabilities", "logits", "y_score", "y_proba")
_FOUND = (
    *("predictions", "prediction", "preds", "pred", "y_pred", "y_hat", "predicted", "outputs"),
    *("output", *_SCORES, "response", "generated"),
)
_USUAL = {
    "predictions": _FOUND,
    "preds": _FOUND,
    "labels": _TRUTH,
    "targets": _TRUTH,
    "groundtruths": _TRUTH,
    "references": _TRUTH,
    "values": ("value", "score", "loss"),
    "indexes": ("index", "query", "query_id", "qid", "group"),
    "sample_weight": ("sample_weights", "weight", "weights"),
}


# Arguments in addition to those of `_TRUTH`: properties of samples, not of predictions.
_OF_SAMPLES = (
    *("sample_weight", "groups", "masks", "valid_masks", "trimaps", "gt_alphas", "truths"),
    *("batch_gt_polygons", "batch_gt_ignore_flags", "history", "clicks"),
)


def is_truth(argument: str) -> bool:
    """Return whether an argument of a metric is the same for all systems that are compared.

    Example:
        >>> is_truth("labels"), is_truth("sample_weight"), is_truth("predictions")
        (True, True, False)
    """
    return argument in _OF_SAMPLES or _USUAL.get(argument) is _TRUTH


def alike(argument: str, other: str) -> bool:
    """Return whether two argument names of metrics have the same meaning.

    Example:
        >>> alike("labels", "groundtruths"), alike("labels", "predictions")
        (True, False)
    """
    return argument in _USUAL and _USUAL[argument] is _USUAL.get(other)


def named_as_scores(column: str) -> bool:
    """Return whether the name of a column promises scores, not decisions. Case is ignored.

    Example:
        >>> named_as_scores("Prob"), named_as_scores("pred")
        (True, False)
    """
    return column.lower() in _SCORES


def usual_columns(argument: str, columns: Sequence[str], scores: bool = False) -> list[str]:
    """Return the columns that an argument may be read from, the most usual first.

    Args:
        argument: The name of a metric's argument.
        columns: The names of the table's columns. Case is ignored.
        scores: Whether predictions must be scores, and not decisions.

    Example:
        >>> usual_columns("predictions", ["label", "score", "pred"])
        ['pred', 'score']
        >>> usual_columns("predictions", ["label", "score", "pred"], scores=True)
        ['score', 'pred']
    """
    there = {column.lower(): column for column in reversed(columns)}
    usual = _USUAL.get(argument, ())
    if scores and usual is _FOUND:
        usual = (*_SCORES, *(name for name in _FOUND if name not in _SCORES))
    return [there[name] for name in usual if name in there]
