"""StatScores and ClassificationReport: the outcomes of classes, and a table of their metrics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from mmeval_like.metrics._common.averages import check_average, class_average
from mmeval_like.metrics.classification.class_metrics import (
    ClassMetric,
    Outcomes,
    check_zero_division,
)
from mmeval_like.writing import NOT_NEGATIVE, Results, entrywise, ratio, vectorised

__all__ = ["ClassificationReport", "StatScores"]


class StatScores(ClassMetric):
    """The numbers of true and false positives and negatives, and of labels.

    Formula:
        TP_c = sum w [p = c] [y = c]
        FP_c = sum w [p = c] [y != c]
        FN_c = sum w [p != c] [y = c]
        TN_c = sum w [p != c] [y != c]

    Args:
        average: "micro": the sums over classes. None, also "none": lists with one number for each
            class. For a binary task the result has the numbers of class 1, whatever `average` is.
        **options: As for `ClassMetric`.

    Returns of `compute`: `tp`, `fp`, `tn`, `fn` and `support`, or lists `tp_classwise` and so on.
    The numbers are integers, or floats with weights. Without samples they are 0. More are better of
    `tp` and `tn`, and fewer of `fp` and `fn`.

    Example:
        >>> metric = StatScores()
        >>> metric.add([1, 0, 1, 0], [1, 0, 0, 0])
        >>> metric.compute()
        {'tp': 1, 'fp': 1, 'tn': 2, 'fn': 0, 'support': 1}
    """

    higher_is_better = None
    higher_is_better_of = MappingProxyType({"tp*": True, "tn*": True, "fp*": False, "fn*": False})
    ranges = NOT_NEGATIVE

    def __init__(self, *, average: str | None = "micro", **options: Any) -> None:
        super().__init__(**options)
        self.average = check_average(average, ("micro", None))
        self._free = self.average is None

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the numbers."""
        found = self.outcomes(results)
        weighted = self.counts.use_sample_weight
        counted = [c for c in range(len(found.tp)) if c not in self.ignored]
        values: dict[str, Any] = {}
        for name in ("tp", "fp", "tn", "fn", "support"):
            numbers = getattr(found, name)
            if self.average is None and self.task != "binary":
                kept: list[Any] = [0 if c in self.ignored else n for c, n in enumerate(numbers)]
                values[f"{name}_classwise"] = [*map(float, kept)] if weighted else kept
            else:
                total = sum(numbers[c] for c in counted)
                values[name] = float(total) if weighted else total
        return values


class ClassificationReport(ClassMetric):
    """Precision, recall, F1 and support of every class, and their averages, in one table.

    Formula:
        precision = TP / (TP + FP)
        recall = TP / (TP + FN)
        f1 = 2 TP / (2 TP + FP + FN)

    Args:
        class_names: The names of the C classes. None: those of `classes`, otherwise "0", "1", "2"
            and so on.
        zero_division: The value of a share whose denominator is 0; with nan the share is left out
            of means.
        **options: As for `ClassMetric`.

    Returns of `compute`: `report`, a dict with an entry for each class's name, for "macro avg" and
    "weighted avg", and for multilabel tasks for "micro avg". Each entry has `precision`, `recall`
    and `f1-score`, in [0, 1], and `support`, the number of labels. For binary and multiclass tasks
    the result also has `accuracy`. Without samples the shares are nan. Higher is better.

    Raises:
        ValueError: `class_names` are not C different names.

    Example:
        >>> metric = ClassificationReport(class_names=["cat", "dog"])
        >>> metric.add([0, 1, 1, 1], [0, 0, 1, 1])
        >>> result = metric.compute()
        >>> result["accuracy"], result["report"]["cat"]
        (0.75, {'precision': 1.0, 'recall': 0.5, 'f1-score': 0.6666666666666666, 'support': 2})
    """

    pooled_keys = ("accuracy",)
    higher_is_better_of = MappingProxyType({"*support": None})

    def __init__(
        self,
        *,
        class_names: Sequence[str] | None = None,
        zero_division: float = 0.0,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        names = None if class_names is None else [*class_names]
        if names is not None and not self._fits(names):
            raise ValueError(f"class_names must be {self.num_classes} different names, got {names}")
        self._own_names = names
        self._class_names = names or [*map(str, range(self.num_classes))]  # part of saved files
        self.zero_division = check_zero_division(zero_division)
        if self.task == "multilabel":
            self.no_bounds = "its value is a table"

    @property
    def class_names(self) -> list[str]:
        """The names of the C classes: as given, or from the dataset, or their indices."""
        if self._own_names is not None:
            return self._own_names
        known = self.plan.classes or []
        return known if self._fits(known) else [*map(str, range(self.num_classes))]

    def _fits(self, names: Sequence[str]) -> bool:
        return len(names) == len(set(names)) == self.num_classes

    @vectorised
    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return `report` and `accuracy`."""
        found = self.all_outcomes(results)
        shares = self._shares(found, None)
        report = {
            name: {item: values[c] for item, values in shares.items()}
            for c, name in enumerate(self.class_names)
            if c not in self.ignored
        }
        averages = ("micro", "macro", "weighted") if self.task == "multilabel" else (
            "macro", "weighted")  # fmt: skip
        report |= {f"{average} avg": self._shares(found, average) for average in averages}
        if self.task == "multilabel":
            return {"report": report}
        right = sum(found.tp[c] for c in range(self.num_classes) if c not in self.ignored)
        return {"report": report, "accuracy": entrywise(ratio, right, found.total)}

    def _shares(self, found: Outcomes, average: str | None) -> dict[str, Any]:
        tp, support = found.tp, found.support
        predicted = [t + f for t, f in zip(tp, found.fp, strict=True)]
        both = [p + s for p, s in zip(predicted, support, strict=True)]
        parts = {
            "precision": (tp, predicted),
            "recall": (tp, support),
            "f1-score": ([2 * t for t in tp], both),
        }
        zero = self.zero_division if np.any(found.total) else math.nan
        values: dict[str, Any] = {
            item: class_average(*quotient, support, average, zero, self.ignored)
            for item, quotient in parts.items()
        }
        numbers = [*map(float, support)] if self.counts.use_sample_weight else support
        return values | {"support": numbers if average is None else sum(numbers)}
