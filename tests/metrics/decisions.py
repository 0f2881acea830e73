"""Samples of every task, and what scikit-learn counts of the decided classes."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import metrics as sk

import mmeval_like
from mmeval_like.metrics.classification.class_metrics import ClassQuotient
from tests.metrics import classes

SIZE = classes.CLASSES
TASKS = ("binary", "multiclass", "multilabel")
SAMPLES = {
    "binary": classes.binary,
    "multiclass": classes.tied_scores,
    "multilabel": classes.label_sets,
}


def weighted(task: str) -> Callable[..., Any]:
    """The task's samples with weights, none of them 0."""
    return lambda rng, n: (*SAMPLES[task](rng, n), rng.integers(1, 9, n) / 8)


def decided(task: str, predictions: np.ndarray) -> np.ndarray:
    """The predicted classes."""
    return predictions.argmax(1) if task == "multiclass" else (predictions >= 0.5).astype(int)


def tables(task: str, predictions: Any, labels: Any, weights: Any = None) -> np.ndarray:
    """scikit-learn's tn, fp, fn, tp of every class, (4, C); of class 1 for a binary task."""
    found = sk.multilabel_confusion_matrix(
        labels,
        decided(task, predictions),
        sample_weight=weights,
        labels=None if task == "multilabel" else range(2 if task == "binary" else SIZE),
    )
    return found.reshape(-1, 4).T[:, 1:] if task == "binary" else found.reshape(-1, 4).T


def make(name: str, task: str, **options: Any) -> Any:
    """The metric of this name."""
    if name == "FBetaScore":
        options["beta"] = 0.5
    size = None if task == "binary" else SIZE
    cls = getattr(mmeval_like, name)
    if task == "binary" and issubclass(cls, ClassQuotient):
        options.pop("average", None)  # it has no effect, and a warning says so
    return cls(task=task, num_classes=size, **options)
