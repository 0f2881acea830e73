"""The base classes of metrics of counts: tasks, options, outcomes of classes and their average."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.averages import check_average, class_average
from mmeval_like.metrics._common.option_checks import (
    TASKS,
    Cut,
    check_count,
    ignored_classes,
    known_num_classes,
)
from mmeval_like.metrics._common.pair_metrics import WeightedPairMetric
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.classification.class_counts import AnyClassCounts, class_counts
from mmeval_like.metrics.classification.class_fills import ends_of_counts, known_labels
from mmeval_like.metrics.classification.class_inputs import ClassOptions
from mmeval_like.metrics.classification.confusion_counts import ConfusionCounts, exact_lists
from mmeval_like.metrics.classification.label_counts import LabelCounts
from mmeval_like.metrics.classification.weighted_counts import allowed_weights
from mmeval_like.writing import (
    SHARE,
    MetricOptions,
    Results,
    State,
    Unpack,
    ratio,
    state,
    vectorised,
    warn,
)
from mmeval_like.writing.intervals import worst_and_best
from mmeval_like.writing.weights import weighted

__all__ = ["ClassAverage", "ClassMetric", "ClassQuotient", "Outcomes", "check_zero_division"]


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of every class, as Python integers or Fractions.

    For many results at once (see `vectorised`), each number is an array.

    Attributes:
        tp: The numbers of true positives.
        fp: The numbers of false positives.
        fn: The numbers of false negatives.
        tn: The numbers of true negatives.
        total: The number of counted positions, or for sets of labels of counted entries.
    """

    tp: list[Any]
    fp: list[Any]
    fn: list[Any]
    tn: list[Any]
    total: Any

    @cached_property
    def support(self) -> list[Any]:
        """The numbers of labels."""
        return [t + f for t, f in zip(self.tp, self.fn, strict=True)]


@shared_options
class ClassMetric(WeightedPairMetric):
    """The base class of metrics that are computed from how often each label got each prediction.

    Metrics with equal task and options share one count in a `MetricCollection`.

    Args:
        task: "binary": predictions are scores of class 1 (N, ...), floats, or 0 and 1 (integers or
            bool); labels are 0 and 1 (N, ...). "multiclass": predictions are class indices (N, ...)
            or scores (N, C, ...); labels are class indices (N, ...). "multilabel": predictions are
            scores (N, C, ...) or 0 and 1; labels are 0 and 1 (N, C, ...). A sample may have many
            positions (tokens, pixels): each counts once. Samples with different numbers of
            positions are given as lists of arrays, except for "multilabel".
        num_classes: The number of classes C; needed unless the task is binary or `classes` names
            them.
        threshold: For binary and multilabel tasks: a class is predicted if its score is at least
            this. None: 0.5, and scores must be probabilities: one outside [0, 1] is an error. For
            logits pass 0.
        top_k: For multiclass tasks: if the label is among the k classes of highest score, the label
            counts as predicted, otherwise the class of highest score. Among equal scores, the
            lowest class index comes first.
        ignore_index: Positions (in multilabel tasks: entries) with this label do not count. If it
            is a class index in [0, C), this class is also left out of every average, and its value
            in lists is nan.
        use_sample_weight: Whether `add` takes `sample_weight`, non-negative numbers (N,). Each
            sample must then have one position; sums are exact sums of floats.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: The task or `average` is unknown; `num_classes` is missing, below 1, or not 2
            for a binary task, as is the number of names in `classes`; `top_k` is below 1, above C,
            or not for multiclass.
    """

    _takes_inputs = ConfusionCounts.rows

    every_rank_computes = True
    ranges = SHARE
    higher_is_better: bool | None = True

    tasks: ClassVar[Sequence[str]] = TASKS

    def __init__(
        self,
        *,
        task: str = "binary",
        num_classes: int | None = None,
        threshold: float | None = None,
        top_k: int = 1,
        ignore_index: int | None = None,
        use_sample_weight: bool = False,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        if task not in self.tasks:
            raise ValueError(f"task must be one of {[*self.tasks]}, got {task!r}")
        known = known_num_classes(num_classes, self.dataset_meta, task)
        num_classes = check_count("num_classes", known)
        if not 1 <= check_count("top_k", top_k) <= (num_classes if task == "multiclass" else 1):
            raise ValueError(f'top_k must be 1, or for task="multiclass" up to C, got {top_k}')
        cut = Cut(threshold)
        self._threshold = cut.least  # part of saved files and records
        self.task, self.num_classes = task, num_classes
        self.ignored = ignored_classes(ignore_index, num_classes if task == "multiclass" else 0)
        self.counts: AnyClassCounts | LabelCounts
        if task == "multilabel":
            self.counts = LabelCounts(num_classes, cut, ignore_index, use_sample_weight)
        else:
            asked = ClassOptions(ignore_index, top_k, cut if task == "binary" else None)
            self.counts = class_counts(num_classes, (None,), use_sample_weight, asked)
        self.statistic = self.counts

    def all_outcomes(self, results: Results) -> Outcomes:
        """Return the outcomes of all classes, for a binary task of both."""
        return results.once("outcomes", self._outcomes)

    def outcomes(self, results: Results) -> Outcomes:
        """Return the outcomes of all classes, for a binary task only of class 1."""
        every = self.all_outcomes(results)
        if self.task != "binary":
            return every
        return Outcomes(every.tp[1:], every.fp[1:], every.fn[1:], every.tn[1:], every.total)

    def _outcomes(self, results: Results) -> Outcomes:
        if isinstance(self.counts, LabelCounts):
            tp, predicted, support, valid = self.counts.table(results)
            total = sum(valid)
        else:
            tp, predicted, support = exact_lists(self.counts, results)
            total = results.once("total", lambda _: sum(support))
            valid = [total] * len(tp)
        fp = [p - t for p, t in zip(predicted, tp, strict=True)]
        fn = [s - t for s, t in zip(support, tp, strict=True)]
        tn = [v - p - f for v, p, f in zip(valid, predicted, fn, strict=True)]
        return Outcomes(tp, fp, fn, tn, total)

    _free = True  # whether the value depends on each class's counts, not on their sums over classes

    def extremes(
        self, scored: Results, worst: Results, best: Results
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the values at the ends of the ranges of all classes' counts; see `class_fills`."""
        if self.task == "multiclass" and not self._free:  # a prediction is of one class
            return worst_and_best([*map(self.compute_metric, (worst, best))], self.direction_of)
        tables = [self._columns(self.all_outcomes(one)) for one in (scored, worst, best)]
        (right, predicted, known, _), (_, wrong, _, _), (_, _, support, valid) = tables
        positive = support - known
        sets = self.task == "multilabel"
        negative = wrong - predicted if sets else self._wrong(positive, support)
        found, total = [], self.all_outcomes(best).total
        for tp, every in ends_of_counts(right, predicted, positive, negative):
            fp, fn = every - tp, support - tp
            tn = (valid - every - fn).tolist()
            made = Outcomes(tp.tolist(), fp.tolist(), fn.tolist(), tn, total)
            results = Results({}, len(best))
            results.once("outcomes", lambda _, made=made: made)  # type: ignore[misc]
            found.append(self.compute_metric(results))
        return worst_and_best(found, self.direction_of)

    def _wrong(self, positive: np.ndarray, support: np.ndarray) -> np.ndarray:
        """Return how many samples without a score may be predicted wrongly as each class.

        Args:
            positive: The labels of these samples, by class.
            support: The labels of all samples.
        """
        wrong: np.ndarray = sum(positive) - positive
        return wrong

    @staticmethod
    def _columns(outcomes: Outcomes) -> list[np.ndarray]:
        """Return true positives, predictions, labels and counted entries, of Python numbers."""
        tp, fp, fn, tn = (
            np.array([*numbers, None], object)[:-1]
            for numbers in (outcomes.tp, outcomes.fp, outcomes.fn, outcomes.tn)
        )
        return [tp, tp + fp, tp + fn, tp + fp + fn + tn]


class ClassAverage(ClassMetric):
    """The base class of metrics that have a value for every class.

    Args:
        average: "micro" (the value for the counts summed over classes), "macro" (the mean over all
            C classes), "weighted" (the mean weighted by the classes' labels) or None, also "none"
            (a list per class). For a binary task the result is the value of class 1, whatever
            `average` is; "binary" is allowed for a binary task only.
        zero_division: The value of a class whose denominator is 0; with nan the class is left out
            of means.
        **options: As for `ClassMetric`.
    """

    key: ClassVar[str]
    averages: ClassVar[Sequence[str | None]] = ("micro", "macro", "weighted", None, "binary")

    def __init__(
        self, *, average: str | None = "macro", zero_division: float = 0.0, **options: Any
    ) -> None:
        super().__init__(**options)
        self.average = check_average(average, self.averages)
        if average == "binary" and self.task != "binary":
            raise ValueError(f'average="binary" is for task="binary", not {self.task!r}')
        self.zero_division = check_zero_division(zero_division)
        self._free = self.average != "micro"
        if average == "samples" and math.isnan(zero_division):
            self.no_bounds = "with zero_division=nan, predictions decide which samples count"

    linear: ClassVar[bool] = False
    """Whether a class's value is linear in its counts, since its denominators depend on labels."""

    @property
    def outer_bounds(self) -> bool:  # type: ignore[override]
        """Whether bounds may be too wide: those of means over more than two exclusive classes."""
        return self._exclusive and not self.linear

    @property
    def _exclusive(self) -> bool:
        several = self.task == "multiclass" and self.num_classes > 2
        return several and self.average in ("macro", "weighted")

    @property
    def pooled_keys(self) -> Sequence[str]:  # type: ignore[override]
        """The keys of values that pool all classes: all, unless classes are averaged."""
        return ("*",) if self.average in ("micro", "samples") and self.task != "binary" else ()

    def _wrong(self, positive: np.ndarray, support: np.ndarray) -> np.ndarray:
        """Return the numbers for each class; of linear values, those that matter most together."""
        if not (self.linear and self._exclusive):
            return super()._wrong(positive, support)
        wrong, others = 0 * positive, sum(support) - support
        weights = support if self.average == "weighted" else np.ones(len(support), int)
        each = [
            -1 if c in self.ignored or not n else Fraction(w) / Fraction(n)
            for c, (w, n) in enumerate(zip(weights.tolist(), others.tolist(), strict=True))
        ]
        first, second = sorted(range(len(each)), key=each.__getitem__)[:-3:-1]
        for label, number in enumerate(positive):
            wrong[second if label == first else first] += number
        return wrong

    def averaged(
        self, outcomes: Outcomes, numerators: Sequence[Any], denominators: Sequence[Any]
    ) -> Any:
        """Return the average of the quotients of classes, or a list; nan without samples."""
        total = outcomes.total
        several = isinstance(total, np.ndarray)  # many results at once
        if not (total.any() if several else total):
            numbers = [math.nan] * len(numerators)
            return numbers if self.listed else math.nan
        found: Any = class_average(
            numerators,
            denominators,
            outcomes.support,
            "macro" if self.task == "binary" else self.average,
            self.zero_division,
            self.ignored,
        )
        if not several or total.all():
            return found
        # Some of many results may have no samples.
        known = [np.where(total, v, math.nan) for v in (found if self.listed else [found])]
        return known if self.listed else known[0]

    @property
    def listed(self) -> bool:
        """Whether the value is a list per class."""
        return self.average is None and self.task != "binary"

    def named(self, key: str) -> str:
        """Return the key of a value, with a suffix for lists."""
        return f"{key}_classwise" if self.listed else key


class ClassQuotient(ClassAverage):
    """The base class of metrics that are a quotient of counts for every class.

    Args:
        average: "micro" (the value for the counts summed over classes), "macro" (the mean over all
            C classes), "weighted" (the mean weighted by the classes' numbers of labels), None, also
            "none" (a list with one value for each class), or for multilabel tasks "samples" (the
            mean over samples of the value from each sample's own counts). For a binary task
            the result is the value of class 1, whatever `average` is, with a warning if it was
            passed; "binary" is allowed for a binary task only.
        zero_division: The value of a class (with "samples": of a sample) whose denominator is 0;
            with nan the value is left out of means.
        **options: As for `ClassMetric`.
    """

    _takes_inputs = ConfusionCounts.rows

    averages = (*ClassAverage.averages, "samples")
    symmetric: ClassVar[bool] = False
    """Whether both classes of a binary task have the same value."""

    def __init__(self, *, average: str | None = "macro", **options: Any) -> None:
        super().__init__(average=average, **options)
        if average == "samples":
            if self.task != "multilabel":
                raise ValueError(f'average="samples" is for task="multilabel", not {self.task!r}')
            self.statistic = self

    def _constructed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Warn if an average was passed that has no effect."""
        super()._constructed(args, kwargs)
        average = kwargs.get("average", "binary")
        if average != "binary" and self.task == "binary" and not self.symmetric:
            warn(
                f'average={average!r} has no effect for task="binary", the default, whose value is '
                f'that of class 1: for an average over both classes pass task="multiclass" and '
                f"num_classes=2",
                UserWarning,
            )

    @abstractmethod
    def parts(self, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, Any]:
        """Return numerator and denominator of counts: integers, Fractions, or arrays of these."""

    def states(self) -> dict[str, State]:
        """Return the sums over samples, for `average="samples"`."""
        return {"score": state.sum(), "weight": state.sum()}

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return the quotient and the weight of each sample, for `average="samples"`."""
        counts, _, counted = self.counts.outcomes(predictions, labels)  # type: ignore[union-attr]
        weights = allowed_weights(sample_weight, len(counts), self.counts.use_sample_weight)
        tp, predicted, support, valid = counts.sum(axis=2, dtype=np.int64).T
        numerators, denominators = self.parts(
            tp, predicted - tp, support - tp, valid - predicted - support + tp
        )
        scores = np.full(len(tp), self.zero_division)
        np.divide(numerators, denominators, out=scores, where=denominators != 0, casting="unsafe")
        known = counted & ~np.isnan(scores)
        return weighted(np.where(known, scores, 0.0), known if weights is None else known * weights)

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the rows of samples with their least or greatest value, or with a prediction."""
        labels = known_labels(inputs)
        ends = [labels != 0, labels == 0, np.ones(labels.shape, int), np.zeros(labels.shape, int)]
        if fill not in ("best", "worst"):
            ends = [np.full(labels.shape, fill)]
        found = [self.rows(one, **{**inputs, "labels": labels}) for one in ends]
        greatest = (fill == "best") == (self.higher_is_better is not False)
        scores = (np.max if greatest else np.min)([one["score"] for one in found], axis=0)
        return {**found[0], "score": scores}

    def extremes(
        self, scored: Results, worst: Results, best: Results
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the values at the ends of all classes' counts, or of all samples' values."""
        if self.average == "samples":
            return self.compute_metric(worst), self.compute_metric(best)
        return super().extremes(scored, worst, best)

    @vectorised
    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the average, or the list."""
        if self.average == "samples":
            return {self.key: ratio(results.score, results.weight)}
        found = self.outcomes(results)
        every = zip(found.tp, found.fp, found.fn, found.tn, strict=True)
        numerators, denominators = zip(*(self.parts(*one) for one in every), strict=True)
        return {self.named(self.key): self.averaged(found, numerators, denominators)}


def check_zero_division(zero_division: float) -> float:
    """Return `zero_division`; ValueError unless it is 0, 1 or nan."""
    if zero_division not in (0, 1) and not math.isnan(zero_division):
        raise ValueError(f"zero_division must be 0.0, 1.0 or nan, got {zero_division}")
    return float(zero_division)
