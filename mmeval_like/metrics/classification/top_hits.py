"""The number of hits, for all samples and for every class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mmeval_like.metrics.classification.class_fills import known_labels
from mmeval_like.metrics.classification.class_inputs import (
    ClassOptions,
    Layout,
    flatten,
    warn_if_one_hot,
)
from mmeval_like.metrics.classification.confusion_counts import (
    FEWEST,
    FEWEST_OF_PAIRS,
    ConfusionCounts,
    few_labels,
)
from mmeval_like.metrics.classification.hit_rule import HitRule
from mmeval_like.metrics.classification.weighted_counts import allowed_weights, code_rows, counter
from mmeval_like.writing import Results, State, Statistic, arrays, state
from mmeval_like.writing.intervals import Jackknife

__all__ = ["ClassHits", "TopHits"]


@dataclass(frozen=True)
class TopHits(Statistic):
    """The number, or the weight, of the samples that are hits.

    Attributes:
        rule: The definition of a hit.
        use_sample_weight: Sums of weights instead of counts.
    """

    class_inputs = ("predictions", "labels")

    rule: HitRule
    use_sample_weight: bool = False

    @property
    def on_accelerator(self) -> bool:
        """Whether tensors stay on a GPU: scores of one class are cut on the host."""
        return self.rule.cut is None

    @property
    def counts_samples(self) -> bool:
        """Whether the samples have no weights."""
        return not self.use_sample_weight

    @property
    def _count_indices(self) -> bool:
        # Class indices and scores give different keys unless only top1 is requested. If keys
        # differ, samples with class indices are counted, to detect a mixture.
        return not self.rule.single or self.rule.topk != (1,)

    def states(self) -> dict[str, State]:
        """Return the hits for every (thr, k), and if needed `indices` and `weight`."""
        dtype = float if self.use_sample_weight else bool
        states = {"correct": state.sum(dtype, () if self.rule.single else self.rule.shape)}
        if self._count_indices:
            states["indices"] = state.sum(bool)
        return states | ({"weight": state.sum()} if self.use_sample_weight else {})

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return one row per sample.

        Args:
            predictions: Scores (N, C) of any real dtype, or predicted class indices (N,).
            labels: Class indices (N,), integers in [0, C).
            sample_weight: The weight of each sample, numbers of at least 0 (N,); None: all are 1.

        Raises:
            TypeError: A class index is not a whole number.
            ValueError: Lengths differ, a class is out of range, a score is nan, k > C, or weights
                were given without `use_sample_weight`.
        """
        values = arrays.as_numbers(predictions, "predictions")
        labels = arrays.as_integers(labels, "labels")
        correct = self.rule.hits(values, labels)
        rows = {"correct": correct}
        if self._count_indices:
            rows["indices"] = (np.ones if values.ndim == 1 else np.zeros)(len(labels), np.bool_)
        weights = allowed_weights(sample_weight, len(labels), self.use_sample_weight)
        if weights is not None:
            shape = (-1, *[1] * (correct.ndim - 1))
            rows |= {"correct": correct * weights.reshape(shape), "weight": weights}
        return rows

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return rows of samples that are all hits ("best", 1) or all misses ("worst", 0)."""
        hit = {"worst": 0, "best": 1}.get(fill, fill)
        if hit not in (0, 1):
            return None
        correct: Any = np.full((count, *(() if self.rule.single else self.rule.shape)), bool(hit))
        weights = allowed_weights(inputs.get("sample_weight"), count, self.use_sample_weight)
        rows = {"correct": correct}
        if self._count_indices:
            rows["indices"] = np.zeros(count, np.bool_)
        if weights is not None:
            shape = (-1, *[1] * (correct.ndim - 1))
            rows |= {"correct": correct * weights.reshape(shape), "weight": weights}
        return rows

    def derive(self, other: Statistic) -> Callable[[Results], Results] | None:
        """Derive the hits from a confusion matrix, if thresholds and weights permit it."""
        plain = (self.rule.topk, self.rule.thrs) == ((1,), (None,)) and not self.use_sample_weight
        if not plain or not isinstance(other, ConfusionCounts) or other.use_sample_weight:
            return None
        if other.options != ClassOptions(cut=self.rule.cut):  # counts other positions or classes
            return None
        return partial(_hits_of, other)

    def only_indices(self, results: Results, some: bool = False) -> bool:
        """Return whether all predictions were class indices; ValueError for mixed inputs.

        Args:
            results: The merged results.
            some: Whether samples had no predictions, so that a mixture cannot be seen.
        """
        return self._count_indices and _only_indices(results, some)

    def table(self, results: Results) -> tuple[list[list[Any]], Any]:
        """Return the hits by threshold and k, and the number or weight of all samples."""
        total = results.weight if self.use_sample_weight else len(results)
        return [[results.correct]] if self.rule.single else results.correct.tolist(), total


def _hits_of(counts: ConfusionCounts, results: Results) -> Results:
    [[right, *_]] = results.once("lists", counts.lists)
    return Results({"correct": sum(right)}, len(results))


@dataclass(frozen=True)
class ClassHits(Statistic):
    """The hits and the labels of every class; a sample may have many positions.

    Attributes:
        rule: The definition of a hit, with a known number of classes.
        ignore_index: Positions with this label do not count.
        use_sample_weight: Sums of weights instead of counts.
    """

    class_inputs = ("predictions", "labels")

    rule: HitRule
    ignore_index: int | None = None
    use_sample_weight: bool = False

    @property
    def _size(self) -> int:
        return self.rule.num_classes or 0

    @property
    def _cells(self) -> int:
        return len(self.rule.thrs) * len(self.rule.topk)

    def states(self) -> dict[str, State]:
        """Return the hits for every class and (thr, k), the labels, and `indices`."""
        hits = self._size * self._cells + 1  # one extra for misses
        return {
            "hits": counter(hits, self._cells, self.use_sample_weight),
            "support": counter(self._size + 1, 1, self.use_sample_weight),
            "indices": state.sum(int),
        }

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return for every position the codes of its hits, and of its label.

        Args:
            predictions: As for `flatten`: class indices, or scores of all classes.
            labels: As for `flatten`.
            sample_weight: Non-negative numbers (N,), for samples of one position; None: all are 1.

        Raises:
            TypeError, ValueError: As for `HitRule.hits`.
        """
        values, truth, layout = flatten(predictions, labels)
        weights = self._weights(layout, sample_weight)
        if values.ndim == 1:
            warn_if_one_hot(values, truth, layout, self._size)
        counted = self._counted(truth)
        if values.ndim == 2 and values.shape[1] != self._size:
            raise ValueError(
                f"predictions must have scores of {self._size} classes, got {values.shape[1]}"
            )
        known = np.where(counted, truth, 0)
        arrays.check_range("labels", known, self._size, ignored_by="ignore_index")
        if values.shape == known.shape:  # predictions at ignored labels are arbitrary
            values = np.where(counted, values, 0)
        hits = self.rule.hits(values, known).reshape(len(known), self._cells)
        rows = self._coded(hits, truth, layout, weights)
        return {**rows, "indices": np.full(layout.count, values.ndim == 1)}

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return rows of samples that are all hits ("best", 1) or all misses ("worst", 0)."""
        hit = {"worst": 0, "best": 1}.get(fill, fill)
        if hit not in (0, 1):
            return None
        labels = known_labels(inputs)
        _, truth, layout = flatten(labels, labels)
        hits = np.full((len(truth), self._cells), bool(hit))  # for every k and threshold
        weights = self._weights(layout, inputs.get("sample_weight"))
        rows = self._coded(hits, truth, layout, weights)
        return {**rows, "indices": np.zeros(count, np.bool_)}

    def _counted(self, truth: np.ndarray) -> np.ndarray:
        if self.ignore_index is None:
            return np.ones(truth.shape, np.bool_)
        counted: np.ndarray = truth != self.ignore_index
        return counted

    def _weights(self, layout: Layout, sample_weight: Any) -> Any:
        layout.check_weights(sample_weight)
        return allowed_weights(sample_weight, layout.count, self.use_sample_weight)

    def _coded(
        self, hits: np.ndarray, truth: np.ndarray, layout: Layout, weights: Any
    ) -> dict[str, Any]:
        # The codes of the hits of all positions (M, cells), and of their labels.
        size, cells = self._size, self._cells
        counted = self._counted(truth)
        known = np.where(counted, truth, 0)
        arrays.check_range("labels", known, size, ignored_by="ignore_index")
        own = known[:, None] * cells + np.arange(cells)
        codes = np.where(hits & counted[:, None], own, size * cells)
        support = np.where(counted, known, size)
        return {
            "hits": code_rows(layout.by_sample(codes), weights),
            "support": code_rows(layout.by_sample(support), weights),
        }

    @property
    def jackknife(self) -> Jackknife:
        """The jackknife: names classes with few labels; one more sample is a hit or a miss."""
        return Jackknife(
            caveat=self._caveat,
            caveat_of_pairs=partial(self._caveat, least=FEWEST_OF_PAIRS),
            plus_one=self._plus_one,
            flags=("indices",),
        )

    @property
    def rows_have_truth(self) -> bool:
        """Whether rows contain the labels: not if batches may be padded."""
        return self.ignore_index is None

    def truth_of(self, rows: Mapping[str, Any]) -> Any:
        """Return the labels, with their weights."""
        return rows["support"]

    def _caveat(self, results: Results, least: int = FEWEST) -> str | None:
        return few_labels(self.table(results)[1], self.ignore_index, least)

    def _plus_one(self, results: Results) -> Sequence[Results]:
        ways = () if self.use_sample_weight else (1, 0)
        same = {"support": results.support + 1, "indices": results.indices}
        return [Results({**same, "hits": results.hits + hit}, len(results)) for hit in ways]

    def only_indices(self, results: Results, some: bool = False) -> bool:
        """Return whether all predictions were class indices; see `TopHits.only_indices`."""
        return _only_indices(results, some)

    def table(self, results: Results) -> tuple[np.ndarray, list[Any]]:
        """Return the hits (C, thresholds, k), unrounded, and the labels of every class."""
        hits, support = (
            np.asarray(results.exact(name) if self.use_sample_weight else getattr(results, name))
            for name in ("hits", "support")
        )
        by_class = hits[: self._size * self._cells].reshape(self._size, *self.rule.shape)
        return by_class, support[: self._size].tolist()


def _only_indices(results: Results, some: bool) -> bool:
    if not some and results.indices not in (0, len(results)):
        raise ValueError(
            f"predictions must be class indices for all samples or scores for all, got "
            f"indices for {results.indices} of {len(results)} samples"
        )
    return bool(results.indices)
