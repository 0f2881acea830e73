"""The statistic of AUROC, average precision and curves: scores of positives and negatives."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import (
    TASKS,
    TWO_CLASSES,
    check_count,
    check_ignore_index,
)
from mmeval_like.metrics.classification.class_fills import known_labels
from mmeval_like.metrics.classification.label_sets import as_label_sets, check_one_format
from mmeval_like.metrics.classification.weighted_counts import allowed_weights, code_rows, counter
from mmeval_like.metrics.curves.ranking import FEW, Ranking
from mmeval_like.metrics.curves.score_lists import ScoreLists, ScoreState
from mmeval_like.metrics.curves.score_runs import Group
from mmeval_like.metrics.curves.share_totals import Layout, ScoreTotals, Wanted
from mmeval_like.writing import Results, State, Statistic, arrays, state, warn
from mmeval_like.writing.intervals import Jackknife, effective_clusters

__all__ = ["ScoredLabels", "bin_of"]

_FEW_SCORES = 20
_GUESSED_BINS = 1 << 16


@dataclass(frozen=True)
class ScoredLabels(Statistic):
    """The scores of every class, and whether each sample has the class.

    Attributes:
        task: "binary": one score and a label 0 or 1. "multiclass": a score per class and one
            class index. "multilabel": a score per class and 0 or 1 for each. None: a score per
            class, and labels of any of these forms.
        num_classes: The number of classes C; None: taken from the scores.
        bins: None: every score is kept. A number: scores in [0, 1] are counted in this many bins of
            equal width.
        use_sample_weight: Whether samples have weights.
        label_is_onehot: As in `as_label_sets`, if `task` is None.
        ignore_index: Samples (multilabel: entries) with this label do not count. Needs a task.
        by_label: For "multiclass": whether the scores of each class are kept by label, for pairs of
            classes.

    Raises:
        ValueError: The task is unknown, a number is below 1, or `bins` is given and the number of
            classes is not.
    """

    class_inputs = ("labels",)
    takes_scores = True

    task: str | None
    num_classes: int | None = None
    bins: int | None = None
    use_sample_weight: bool = False
    label_is_onehot: bool | None = None
    ignore_index: int | None = None
    by_label: bool = False
    _looked: set[str] = field(default_factory=set, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_ignore_index(self.ignore_index)
        if self.ignore_index is not None and self.task is None:
            raise ValueError(f"task must be given for ignore_index=, one of {TASKS}")
        if self.by_label and (self.num_classes is None or self.bins is not None):
            raise ValueError("num_classes must be given, and no bins, for pairs of classes")
        if self.task not in (None, *TASKS):
            raise ValueError(f"task must be one of {TASKS}, got {self.task!r}")
        for name, number in (("num_classes", self.num_classes), ("bins", self.bins)):
            if number is not None:
                check_count(name, number)
        if self.task == "binary":
            if self.num_classes not in (None, 1, 2):
                raise ValueError(
                    f'num_classes must be 2 for task="binary", got {self.num_classes}: pass '
                    f'task="multiclass" or task="multilabel"'
                )
        elif self.bins is not None and self.num_classes is None:
            raise ValueError("num_classes must be given for bins=")

    @property
    def _classes(self) -> int | None:
        return 1 if self.task == "binary" else self.num_classes

    @property
    def _kinds(self) -> int:
        return self.num_classes or 2 if self.by_label else 2

    @property
    def jackknife(self) -> Jackknife:
        """The caveat for few samples: fewer than 30 positives or negatives."""
        return Jackknife(caveat=self._caveat)

    @property
    def rows_have_truth(self) -> bool:
        """Whether rows have the labels: not with bins."""
        return self.bins is None

    def truth_of(self, rows: Mapping[str, Any]) -> Any:
        """Return the labels of all classes, with their weights."""
        return rows["scores"][..., 1:].astype(np.float64)

    def _caveat(self, results: Results) -> str | None:
        if self.by_label:
            return None
        if self.use_sample_weight:  # a sum of weights is not a number of samples
            if self.bins is not None or isinstance(results.scores, ScoreTotals):
                return None
            groups = self.groups(results.scores, False)
            numbers = [tuple(sum(map(len, runs)) for runs in both) for both in groups]
        else:
            numbers = [(one.negatives, one.positives) for one in self.rankings(results)]
        if len(numbers) != 1:
            return None
        [(negatives, positives)] = numbers
        if min(negatives, positives) < FEW:
            return f"there are only {positives} positive and {negatives} negative samples"
        if self.use_sample_weight:
            fewer = [float(effective_clusters(_weights_of(runs))) for runs in groups[0]]
            if min(fewer) < FEW:
                alike = f"{round(fewer[1], 1)} positive and {round(fewer[0], 1)} negative"
                return f"given their weights, the samples count as {alike} ones"
        return None

    def states(self) -> dict[str, State]:
        """Return `scores` or `histogram`; without a task also `onehot`, the form of the labels."""
        kept: dict[str, State]
        if self.bins is None:
            kept = {"scores": ScoreState(self._classes, self.use_sample_weight, self._kinds)}
        else:
            classes = self._classes or 1
            # One extra bin, which is never read, holds the samples that do not count.
            bins = 2 * self.bins * classes + (self.ignore_index is not None)
            kept = {"histogram": counter(bins, classes, self.use_sample_weight)}
        return kept | ({"onehot": state.sum(int)} if self.task is None else {})

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return every sample's scores, or their bins, with its labels.

        Args:
            predictions: Scores of any real dtype: (N,) for a binary task, else (N, C).
            labels: 0 and 1 (N,), class indices (N,), or 0 and 1 (N, C), according to the task.
            sample_weight: The weight of each sample, numbers of at least 0 (N,); None: all are 1.

        Raises:
            TypeError: The scores are not real numbers, or the labels are not whole numbers.
            ValueError: Shapes or lengths do not fit, a label is out of range, a score is nan, or,
                with `bins`, out of [0, 1].
        """
        scores = self._scores(predictions)
        ignored = None
        if self.ignore_index is not None:
            labels = arrays.as_integers(labels, "labels")
            ignored = labels == self.ignore_index
            labels = np.where(ignored, 0, labels)
        positive, onehot = self._positive(labels, scores)
        arrays.check_same_length("predictions", scores, "labels", positive)
        if self.task == "multiclass":
            self._look_at(scores if ignored is None else scores[~ignored], _are_distributions)
        elif self.task is None and scores.shape[1] > 1 and _is_one_label_each(labels):
            self._look_at(scores, _are_shares)
        if ignored is not None:
            of_classes = ignored if ignored.ndim > 1 else ignored[:, None]
            ignored = np.broadcast_to(of_classes, scores.shape)
        weights = allowed_weights(sample_weight, len(scores), self.use_sample_weight)
        if self.bins is None:
            kinds = positive
            if self.by_label:
                kinds = np.broadcast_to(positive.argmax(axis=1)[:, None], scores.shape)
            if ignored is not None:
                kinds = np.where(ignored, self._kinds, kinds)
            if weights is not None:  # a score of weight 0 is no threshold
                kinds = np.where(weights[:, None] == 0, self._kinds, kinds)
            rows = {"scores": _score_rows(scores, kinds, weights)}
        else:
            codes = self._codes(scores, positive)
            if ignored is not None:
                codes = np.where(ignored, 2 * self.bins * scores.shape[1], codes)
            rows = {"histogram": code_rows(codes, weights)}
        return rows if self.task is not None else rows | {"onehot": np.full(len(scores), onehot)}

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return rows of samples with the least or the greatest scores, or with a given one.

        At the worst, positive samples have the least score and negative ones the greatest; at the
        best it is the reverse.
        """
        if self._classes is None or self.task is None:
            return None
        labels = known_labels(inputs)
        low, high = (-math.inf, math.inf) if self.bins is None else (0.0, 1.0)
        shape = (len(labels), self._classes)
        if fill not in ("worst", "best"):
            scores = np.full(shape, float(fill))
        else:
            known = (
                labels
                if self.ignore_index is None
                else np.where(labels == self.ignore_index, 0, labels)
            )
            positive, _ = self._positive(known, np.zeros(shape))
            scores = np.where(positive == (fill == "best"), high, low)
        quiet = replace(self, _looked={"looked", "warned", "graded"})
        one = self.task == "binary"
        return quiet.rows(scores[:, 0] if one else scores, **{**inputs, "labels": labels})

    def _look_at(self, scores: np.ndarray, fit: Callable[[np.ndarray], bool]) -> None:
        """Warn once if scores (N, C) of samples with one label each do not fit."""
        # After the first batch one sample, to save time.
        some = scores[:1] if "looked" in self._looked else scores
        if len(some) == 0 or "warned" in self._looked:
            return
        self._looked.add("looked")
        if not fit(some):
            self._looked.add("warned")
            warn(
                "the scores of a sample are not probabilities that add up to 1: pass "
                "softmax(logits); ranking by raw logits gives a different value",
                UserWarning,
            )

    def _look_for_decisions(self, scores: np.ndarray) -> None:
        """Warn once if all scores are 0 or 1; floats may be so by chance if they are few."""
        few = scores.dtype.kind == "f" and len(scores) < _FEW_SCORES
        if type(scores) is not np.ndarray or few or self._looked & {"graded", "told"}:
            return
        decided = bool(((scores == 0) | (scores == 1)).all())
        self._looked.add("told" if decided else "graded")
        if decided:
            warn(
                "all scores are 0 or 1, so they are decisions, and samples with equal decisions "
                "are not ranked: pass scores, for instance probabilities of class 1",
                UserWarning,
            )

    def _scores(self, predictions: Any) -> np.ndarray:
        scores = arrays.as_numbers(predictions, "predictions")
        self._look_for_decisions(scores)
        if scores.dtype.kind != "f":
            arrays.check_exact("predictions", scores)
            scores = scores.astype(np.float64)
        shape = scores.shape
        if scores.size == 0 and scores.ndim == 1:  # an empty list
            scores = scores.reshape(0, self._classes or 0)
        elif scores.ndim == 1 and self.task in (None, "binary"):
            scores = scores[:, None]
        if scores.ndim != 2 or self._classes not in (None, scores.shape[1]):
            wanted = "(N,)" if self.task == "binary" else f"(N, {self._classes or 'C'})"
            advice = TWO_CLASSES if self.task == "binary" else ""
            if self.task == "binary" and shape[1:] == (2,):
                advice = ": pass those of class 1, predictions[:, 1]"
            raise ValueError(f"predictions must have shape {wanted}, got {shape}{advice}")
        arrays.check_finite("predictions", scores, allow_infinite=True)
        return scores

    def _positive(self, labels: Any, scores: np.ndarray) -> tuple[np.ndarray, bool]:
        """Return which classes each sample has, bool (N, C), and whether labels were one-hot."""
        size = scores.shape[1]
        if self.task is None:
            if size == 1:  # one score: labels are 0 and 1
                return self._binary(np.reshape(arrays.to_host(labels, "labels"), -1))[:, None], True
            return as_label_sets(labels, "labels", size, self.label_is_onehot)
        values = arrays.as_integers(labels, "labels")
        if self.task == "binary" and values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        ndim = 2 if self.task == "multilabel" else 1
        if values.size == 0:
            return np.zeros((0, size), np.bool_), True
        if values.ndim != ndim or (ndim == 2 and values.shape[1] != size):
            wanted = f"(N, {size})" if ndim == 2 else "(N,)"
            cure = ""
            if ndim == 1 and values.ndim == 2:
                flat = "reshape(-1)" if values.shape[1] == 1 else "argmax(1)"
                cure = f": pass labels.{flat}" + ", if they are one-hot" * (values.shape[1] > 1)
            raise ValueError(f"labels must have shape {wanted}, got {values.shape}{cure}")
        if self.task == "multiclass":
            arrays.check_range("labels", values, size, ignored_by="ignore_index")
            return values[:, None] == np.arange(size), True
        return np.reshape(self._binary(values), (len(values), size)), True

    def _binary(self, labels: np.ndarray) -> np.ndarray:
        advice = TWO_CLASSES if self.task == "binary" else ""
        arrays.check_range(
            "labels", arrays.as_integers(labels, "labels"), 2, advice, "ignore_index"
        )
        positive: np.ndarray = labels != 0
        return positive

    def _codes(self, scores: np.ndarray, positive: np.ndarray) -> np.ndarray:
        bins = self.bins or 1
        if scores.size and not (scores.min() >= 0 and scores.max() <= 1):
            raise ValueError(
                f"predictions must be in [0, 1] for bins=, got values from {scores.min()} to "
                f"{scores.max()}; apply a sigmoid or softmax, or leave out bins="
            )
        codes = bin_of(scores, bins)
        codes += np.arange(scores.shape[1]) * bins
        numbers: np.ndarray = 2 * codes + positive
        return numbers

    def asks(self, total: str, pooled: bool = False, max_fpr: float = 1.0) -> frozenset[Wanted]:
        """Return the request of a metric that needs only one total.

        Args:
            total: As for `Wanted`.
            pooled: Whether the total is that of the scores of all classes together.
            max_fpr: As for `Wanted`.
        """
        layout = Layout(self._left_out() if pooled or self.by_label else None, self.by_label)
        return frozenset({Wanted(total, layout, max_fpr)})

    def rankings(self, results: Results) -> list[Any]:
        """Return one `Ranking` per class, or the `RankTotals` that were asked for.

        Raises:
            ValueError: Batches had labels of different forms or different numbers of classes.
        """
        if self.task is None:
            check_one_format("labels", results.onehot, len(results))
        if self.bins is None and isinstance(results.scores, ScoreTotals):
            return results.scores.rankings()
        if self.bins is None:
            groups = self.groups(results.scores, False)
            return [Ranking.of(negatives, positives) for negatives, positives in groups]
        return [self._binned(table) for table in self._tables(results)]

    def pooled(self, results: Results) -> Any:
        """Return one ranking of the scores of all classes, except for an ignored class."""
        if self.bins is None and isinstance(results.scores, ScoreTotals):
            return results.scores.pooled(self._left_out())
        if self.bins is None:
            [(negatives, positives)] = self.groups(results.scores, True)
            return Ranking.of(negatives, positives)
        tables = self._tables(results)
        return self._binned(np.delete(tables, self.ignored(len(tables)), axis=0).sum(axis=0))

    def groups(self, lists: ScoreLists, pooled: bool) -> list[Sequence[list[Group]]]:
        """Return both kinds of each class, or of all classes that are not ignored together."""
        classes = [lists.of_class(c) for c in range(len(lists))]
        if not pooled:
            return classes
        kept = [g for c, g in enumerate(classes) if c not in self.ignored(len(lists))]
        return [[[run for g in kept for run in g[kind]] for kind in (0, 1)]]

    def pair(self, results: Results, positive: int, negative: int) -> Any:
        """Return the ranking of the samples of two labels by the scores of the first label."""
        if isinstance(results.scores, ScoreTotals):
            return results.scores.pair(positive, negative, self._left_out())
        by_label = results.scores.of_class(positive)
        return Ranking.of(by_label[negative], by_label[positive])

    def _left_out(self) -> tuple[int, ...]:
        return tuple(self.ignored((self.ignore_index or 0) + 1))

    def ignored(self, classes: int) -> list[int]:
        """Return which of the classes are ignored: at most one."""
        return [c for c in range(classes) if self.task == "multiclass" and c == self.ignore_index]

    def _tables(self, results: Results) -> np.ndarray:
        bins = self.bins or 1
        counts: np.ndarray = results.histogram[: 2 * bins * (self._classes or 1)]
        return counts.reshape(-1, bins, 2)

    @staticmethod
    def _binned(table: np.ndarray) -> Ranking:
        edges = np.arange(len(table)) / len(table)
        return Ranking.of_counts(edges, table[:, 0], table[:, 1], binned=True)


# How far a sum of probabilities may be from 1: float16 keeps 3 digits.
_SLACK = 0.01


def _are_distributions(scores: np.ndarray) -> bool:
    """Return whether each row of scores (N, C) is a distribution."""
    with np.errstate(invalid="ignore"):  # infinities of both signs
        sums = scores.sum(axis=1, dtype=np.float64)
    return bool(np.all(np.abs(sums - 1) <= _SLACK) and np.all(scores >= 0))


def _are_shares(scores: np.ndarray) -> bool:
    """Return whether all scores lie in [0, 1], as those of sigmoids do."""
    return bool(scores.min() >= 0 and scores.max() <= 1)


def _is_one_label_each(labels: Any) -> bool:
    """Return whether labels are class indices (N,), not one-hot rows or lists of indices."""
    if isinstance(labels, list | tuple):
        return len(labels) > 0 and np.ndim(labels[0]) == 0
    return getattr(labels, "ndim", 0) == 1


def bin_of(scores: np.ndarray, bins: int) -> np.ndarray:
    """Return the index b of the bin [b / bins, (b + 1) / bins) of each score; 1 is in the last.

    The edges are taken in the scores' own dtype: the float32 nearest to 0.1 is the edge 0.1.
    """
    edges = (np.arange(bins + 1) / bins).astype(scores.dtype)
    if scores.dtype == np.float16 or bins > _GUESSED_BINS:
        return np.searchsorted(edges[1:-1], scores, side="right")
    # Several times faster: a product, which is off by at most one, and is corrected.
    places = np.minimum((scores * bins).astype(np.intp), bins - 1)
    edges[-1] = np.inf
    places -= scores < edges[places]
    places += scores >= edges[places + 1]
    return places


def _score_rows(scores: np.ndarray, kinds: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    narrow = scores.dtype.itemsize <= 4 and weights is None
    columns = 2 if weights is None else 3
    rows = np.empty((*scores.shape, columns), np.float32 if narrow else np.float64)
    np.add(scores, 0, out=rows[..., 0])  # turns -0.0 into 0.0
    rows[..., 1] = kinds
    if weights is not None:
        rows[..., 2] = weights[:, None]
    return rows


def _weights_of(runs: Sequence[Group]) -> list[float]:
    """Return the weights of the samples of one kind; those of weighted scores are all kept."""
    return [weight for run in runs for weight in np.imag(run).tolist()]  # type: ignore[arg-type]
