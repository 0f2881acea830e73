"""The counts behind precision, recall and F1, class by class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.classification.class_fills import filled
from mmeval_like.metrics.classification.class_inputs import (
    PLAIN,
    ClassOptions,
    read_classes,
    warn_if_one_hot,
)
from mmeval_like.metrics.classification.confusion_counts import (
    FEWEST,
    FEWEST_OF_PAIRS,
    WAYS,
    ConfusionCounts,
    by_threshold,
    few_labels,
)
from mmeval_like.metrics.classification.weighted_counts import allowed_weights, code_rows, counter
from mmeval_like.writing import Results, State, Statistic, state
from mmeval_like.writing.intervals import Jackknife

__all__ = ["AnyClassCounts", "ClassCounts", "class_counts"]

# Up to this many classes, counting the whole matrix is cheaper than counting its margins.
_FEW_CLASSES = 32
_TABLE = ("true_positive", "predicted", "support")


@dataclass(frozen=True)
class ClassCounts(Statistic):
    """True positives, predictions and labels of each class, at each threshold.

    A prediction by scores counts for its class only if its score is above the threshold.

    Attributes:
        num_classes: The number of classes C; None: taken from the scores.
        thrs: The thresholds; None: no threshold.
        use_sample_weight: Whether to sum weights instead of counting; needs `num_classes`.
        options: Which positions count, and how their prediction is decided.
    """

    class_inputs = ("predictions", "labels")

    num_classes: int | None
    thrs: tuple[float | None, ...] = (None,)
    use_sample_weight: bool = False
    options: ClassOptions = PLAIN

    @property
    def on_accelerator(self) -> bool:
        """Whether tensors stay on a GPU: positions are chosen and ranked on the host."""
        return self.options == PLAIN

    def states(self) -> dict[str, State]:
        """Return `true_positive`, `predicted` and `support`; `classes_*` if C is not given."""
        size, several, weighted = self.num_classes, len(self.thrs), self.use_sample_weight
        if size is None:
            return {
                **dict.fromkeys(_TABLE, state.count(None)),
                "classes_min": state.min(int),
                "classes_max": state.max(int),
            }
        # Code (c + 1) * thresholds + t; c = -1 is "no class", a bin that is never read.
        codes = counter((size + 1) * several, several, weighted)
        return {
            "true_positive": codes,
            "predicted": codes,
            "support": counter(size + (self.options.ignore_index is not None), 1, weighted),
        }

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return the codes of each position; for the arguments see `read_classes`.

        Raises:
            TypeError, ValueError: `read_classes` rejects the input, or predictions are class
                indices and C is not given.
        """
        inputs = read_classes(predictions, labels, self.num_classes, self.options)
        if inputs.scores is None and self.num_classes is not None:
            warn_if_one_hot(inputs.classes, inputs.labels, inputs.layout, self.num_classes)
        inputs.layout.check_weights(sample_weight)
        if inputs.scores is None and self.num_classes is None and inputs.layout.count:
            raise ValueError("num_classes must be given when predictions are class indices")
        weights = allowed_weights(sample_weight, inputs.layout.count, self.use_sample_weight)
        counted = 1 if inputs.counted is None else inputs.counted
        hits = (inputs.classes == inputs.labels) * counted
        if self.thrs == (None,):
            predicted = (inputs.classes + 1) * counted
            right = predicted * hits
        else:
            predicted = self._above(inputs.scores, (inputs.classes + 1) * counted - 1)
            right = predicted * hits[:, None]
            right += np.arange(len(self.thrs))
            predicted += np.arange(len(self.thrs))
        support = inputs.labels
        if inputs.counted is not None:
            support = np.where(inputs.counted, support, self.num_classes or 0)
        rows = {
            "true_positive": code_rows(inputs.layout.by_sample(right), weights),
            "predicted": code_rows(inputs.layout.by_sample(predicted), weights),
            "support": code_rows(inputs.layout.by_sample(support), weights),
        }
        if self.num_classes is None:
            width = np.full(
                inputs.layout.count, 0 if inputs.scores is None else inputs.scores.shape[1]
            )
            rows |= {"classes_min": width, "classes_max": width.copy()}
        return rows

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return rows of samples whose predictions are right, wrong, or a given class."""
        return filled(self, self.num_classes, fill, inputs, self.ignore_index)

    def _above(self, scores: np.ndarray | None, classes: np.ndarray) -> np.ndarray:
        """Return the codes (M, thresholds) of the class predicted at each threshold, for t = 0."""
        codes = np.repeat((classes[:, None] + 1) * len(self.thrs), len(self.thrs), axis=1)
        if scores is not None:
            best = scores[np.arange(len(classes)), classes]
            for column, thr in enumerate(self.thrs):
                if thr is not None:  # a Python float, which adopts the scores' dtype
                    codes[:, column] *= best > thr
        return codes

    @property
    def jackknife(self) -> Jackknife:
        """The jackknife: names classes with few labels; one more counts in one of four ways."""
        return Jackknife(
            caveat=self._caveat,
            caveat_of_pairs=partial(self._caveat, least=FEWEST_OF_PAIRS),
            plus_one=self._plus_one,
            parts=self._parts,
        )

    @property
    def rows_have_truth(self) -> bool:
        """Whether rows contain the labels: not if batches may be padded."""
        return self.ignore_index is None

    @property
    def ignore_index(self) -> int | None:  # type: ignore[override]
        """The label of positions that do not count."""
        return self.options.ignore_index

    def truth_of(self, rows: Mapping[str, Any]) -> Any:
        """Return the labels, with their weights."""
        return rows["support"]

    def _caveat(self, results: Results, least: int = FEWEST) -> str | None:
        support = self.table(results)[2, 0].tolist()
        return few_labels(support, self.options.ignore_index, least)

    def _parts(self, results: Results) -> Mapping[str, Sequence[Sequence[Any]]]:
        _, predicted, support = self.table(results)[:, 0].tolist()
        return {"*": [*zip(support, predicted, strict=True)]}

    def _plus_one(self, results: Results) -> Sequence[Results]:
        """Return results with one more position, one result for each way in which it counts."""
        if self.use_sample_weight:
            return ()
        table = self.table(results)
        total = int(table[2, 0].sum()) + 1  # the same position for all classes
        more = [table + np.reshape(way, (3, 1, 1)) for way in WAYS]
        return [_of_table(one, total, len(results) + 1) for one in more]

    def possible(self, results: Results) -> bool | None:
        """Return whether some positions have these counts; unknown for weights.

        Labels and predictions without the hits are the margins of a matrix whose diagonal is 0. It
        exists if and only if the margins of no class together exceed its sum.
        """
        if self.use_sample_weight:
            return None
        right, predicted, support = self.table(results)
        missed, alarms = support - right, predicted - right
        fits = missed + alarms <= missed.sum(axis=1, keepdims=True)
        return bool(fits.all() and (missed >= 0).all() and (alarms >= 0).all())

    def derive(self, other: Statistic) -> Callable[[Results], Results] | None:
        """Derive the counts from a confusion matrix of the same classes; not with thresholds."""
        if not isinstance(other, ConfusionCounts) or other != ConfusionCounts(
            self.num_classes or 0, options=self.options
        ):
            return None
        if self.thrs != (None,) or self.use_sample_weight:
            return None
        return partial(_from_confusion, other)

    def table(self, results: Results) -> np.ndarray:
        """Return (3, thresholds, C), int64 or float64: true positives, predictions and labels.

        Raises:
            ValueError: C was not given, and batches had scores for different numbers of classes.
        """
        return self._arrange({name: getattr(results, name) for name in _TABLE}, results)

    def exact_table(self, results: Results) -> np.ndarray:
        """Return the table unrounded: Python integers, or Fractions of weights."""
        if not self.use_sample_weight:
            return self.table(results).astype(object)
        return self._arrange({name: results.exact(name) for name in _TABLE}, results)

    def lists(self, results: Results) -> list[list[list[Any]]]:
        """Return the table as lists, (thresholds, 3, C), of Python numbers."""
        return by_threshold(self.table(results))

    def _arrange(self, counts: dict[str, Any], results: Results) -> np.ndarray:
        size, several = self.num_classes, len(self.thrs)
        if size is None:
            least, size = results.classes_min or 0, results.classes_max or 0
            if least != size:
                raise ValueError(
                    f"predictions must have scores for the same number of classes in every "
                    f"batch, got {least} and {size}"
                )
        table = np.zeros((3, several, size), counts["support"].dtype)
        for row, name in enumerate(("true_positive", "predicted")):
            full = np.zeros((size + 1) * several, table.dtype)
            full[: len(counts[name])] = counts[name]
            table[row] = full.reshape(size + 1, several)[1:].T
        support = counts["support"][:size]
        table[2, :, : len(support)] = support
        return table


def _from_confusion(counts: ConfusionCounts, results: Results) -> Results:
    right, predicted, support = counts.table(results)[:, 0]
    values = {
        "true_positive": np.append(0, right),
        "predicted": np.append(0, predicted),
        "support": support,
    }
    return Results(values, len(results))


def _of_table(table: np.ndarray, total: int, count: int) -> Results:
    found = Results({}, count)
    found.once("lists", lambda _: by_threshold(table))
    found.once("total", lambda _: total)
    return found


AnyClassCounts: TypeAlias = "ClassCounts | ConfusionCounts"


def class_counts(
    num_classes: int | None,
    thrs: tuple[float | None, ...] = (None,),
    use_sample_weight: bool = False,
    options: ClassOptions = PLAIN,
) -> AnyClassCounts:
    """Return the cheapest statistic whose `table` contains the counts of each class.

    Raises:
        ValueError: `num_classes` is below 1, or missing although weights or `ignore_index` need it.
    """
    if num_classes is not None:
        check_count("num_classes", num_classes)
    if num_classes is None and use_sample_weight:
        raise ValueError("num_classes must be given for use_sample_weight=True")
    if num_classes is None and options.ignore_index is not None:
        raise ValueError("num_classes must be given for ignore_index=")
    if num_classes is not None and num_classes <= _FEW_CLASSES and thrs == (None,):
        return ConfusionCounts(num_classes, use_sample_weight, options)
    return ClassCounts(num_classes, thrs, use_sample_weight, options)
