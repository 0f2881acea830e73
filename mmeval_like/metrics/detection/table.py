"""The table that ranks exchange: the outcome of each detection, and where each truth counts.

A setting is an IoU threshold in a range of sizes. In every setting a detection is a hit (true
positive), ignored, or neither (false positive): two bits. Boxes and masks are never exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.metrics.detection import bits
from mmeval_like.metrics.detection.radix import falling
from mmeval_like.metrics.detection.runs import place_in_run
from mmeval_like.writing import Ragged, Results, State, state, take

__all__ = [
    "MatchTable",
    "Matched",
    "Matches",
    "count_truths",
    "few_boxes",
    "sorted_matches",
]

_FEW = 10  # boxes: the average precision of a class with fewer is uncertain, and too high
_TENTH = 10  # the classes with few boxes matter if they are at least one in ten


@dataclass(frozen=True)
class Matches:
    """The outcome of matching a batch of images.

    Attributes:
        lengths: The number of detections of each image, int64 (images,).
        scores: float32 or float64 (n,).
        labels: Class indices (n,).
        hits: `pack_bytes` of (n, settings); range r and threshold t are setting r * thresholds + t.
        ignored: The ignored detections, in the same form.
        truth_lengths: The number of ground truths of each image, int64 (images,).
        truth_labels: Class indices (m,).
        truth_counted: bool (m, ranges): whether it counts in the range.
    """

    lengths: np.ndarray
    scores: np.ndarray
    labels: np.ndarray
    hits: np.ndarray
    ignored: np.ndarray
    truth_lengths: np.ndarray
    truth_labels: np.ndarray
    truth_counted: np.ndarray


@dataclass(frozen=True)
class Matched:
    """The matches of the whole dataset, sorted by class, then by descending score.

    Equal scores are in the order of the images, then in the order within an image.

    Attributes:
        scores: float32 or float64 (n,).
        hits: The hits, planes of (n, settings).
        ignored: The ignored detections, in the same form.
        turns: int64 (n,): the rank among the detections of the same image and class.
        starts: int64 (classes + 1,): where each class begins, and the end of the last.
        truths: int64 (classes, ranges): the number of ground truths that count.
        settings: The number of settings.
    """

    scores: np.ndarray
    hits: np.ndarray
    ignored: np.ndarray
    turns: np.ndarray
    starts: np.ndarray
    truths: np.ndarray
    settings: int


class MatchTable:
    """The states of a metric that matches detections, filled by `rows`, read by `read`.

    Args:
        prefix: The prefix of the states' names.
        thresholds: The number of IoU thresholds.
        ranges: The number of ranges of sizes.
        num_classes: The number of classes.
        with_truths: Whether the states hold the ground truths too; False if rank 0 reads them from
            a file.
    """

    def __init__(
        self,
        prefix: str,
        thresholds: int,
        ranges: int,
        num_classes: int,
        with_truths: bool = True,
    ) -> None:
        self.prefix = prefix
        self.ranges = ranges
        self.num_classes = num_classes
        self.settings = thresholds * ranges
        self.with_truths = with_truths

    def states(self) -> dict[str, State]:
        """Return the states by name."""
        return {name: state.cat(*kind) for name, kind in self.columns().items()}

    def columns(self) -> dict[str, tuple[Any, tuple[int, ...]]]:
        """Return the dtype and the shape of the entries of every state, by name."""
        label = np.min_scalar_type(max(self.num_classes - 1, 0))
        # A score is in one of two states, by the width of its dtype.
        columns: dict[str, tuple[Any, tuple[int, ...]]] = {
            "score": (np.float32, ()),
            "wide_score": (np.float64, ()),
            "label": (label, ()),
            "outcome": (np.uint8, (2 * bits.bytes_for(self.settings),)),
        }
        if self.with_truths:
            counted = (np.uint8, (bits.bytes_for(self.ranges),))
            columns |= {"truth_label": (label, ()), "truth_counted": counted}
        return {self.prefix + name: kind for name, kind in columns.items()}

    def rows(self, batches: Sequence[Matches]) -> dict[str, Ragged]:
        """Return the rows of one or more batches of images."""
        lengths = _join([batch.lengths for batch in batches])
        scores = _join([batch.scores for batch in batches])
        scored = Ragged(scores, lengths)
        none = Ragged(np.empty(0, np.float32), np.zeros(len(lengths), np.int64))
        narrow = scores.dtype == np.float32
        outcomes = _join([np.hstack((batch.hits, batch.ignored)) for batch in batches])
        rows = {
            "score": scored if narrow else none,
            "wide_score": none if narrow else scored,
            "label": scored.with_values(_join([batch.labels for batch in batches])),
            "outcome": scored.with_values(outcomes),
        }
        if self.with_truths:
            counts = _join([batch.truth_lengths for batch in batches])
            labels = Ragged(_join([batch.truth_labels for batch in batches]), counts)
            counted = bits.pack_bytes(_join([batch.truth_counted for batch in batches]))
            rows |= {"truth_label": labels, "truth_counted": labels.with_values(counted)}
        return {self.prefix + name: value for name, value in rows.items()}

    def read(
        self,
        results: Results,
        images: np.ndarray | None = None,
        truths: np.ndarray | None = None,
    ) -> Matched:
        """Return the whole dataset's matches.

        Args:
            results: The merged states.
            images: The rows to read, in the order that breaks ties; None: all rows in their order.
            truths: The number of ground truths by class and range, if the states do not hold them.
        """
        label = self.column(results, "label", images)
        outcome = self.column(results, "outcome", images).values
        scores = self.scores(results, images)
        if truths is None:
            truths = self.count_truths(results, images)
        return sorted_matches(label, scores, outcome, truths, self.settings)

    def column(self, results: Results, name: str, images: np.ndarray | None) -> Ragged:
        """Return the entries of some images in a state; None: the entries of all images."""
        column = getattr(results, self.prefix + name)
        if not isinstance(column, Ragged):  # no rows at all
            column = Ragged(column, np.zeros(0, np.int64))
        return column if images is None else take(column, images)  # type: ignore[return-value]

    def scores(self, results: Results, images: np.ndarray | None) -> np.ndarray:
        """Return the scores of the detections of some images; None: of all images."""
        narrow = self.column(results, "score", images)
        wide = self.column(results, "wide_score", images)
        if len(wide.values) == 0:
            return narrow.values
        lengths = narrow.lengths + wide.lengths
        scores = np.empty(lengths.sum())
        is_wide = np.repeat(wide.lengths > 0, lengths)
        scores[is_wide], scores[~is_wide] = wide.values, narrow.values
        return scores

    def count_truths(self, results: Results, images: np.ndarray | None) -> np.ndarray:
        """Return the number of ground truths of some images that count, as `count_truths` does."""
        labels = self.column(results, "truth_label", images).values
        packed = self.column(results, "truth_counted", images).values
        counted = bits.unpack_bytes(packed, self.ranges).astype(np.bool_)
        return count_truths(labels, counted, self.num_classes)


def sorted_matches(
    label: Ragged,
    scores: np.ndarray,
    outcome: np.ndarray,
    truths: np.ndarray,
    settings: int,
    places: np.ndarray | None = None,
) -> Matched:
    """Return matches sorted by class and score.

    Args:
        label: The class of every detection, image by image.
        scores: The scores of the detections, float32 or float64 (n,).
        outcome: The hits and the ignored detections, each as packed by `pack_bytes`.
        truths: As in `Matched`.
        settings: The number of settings.
        places: The row of `outcome` for every detection; None: detections and rows are in order.
    """
    half, labels = outcome.shape[1] // 2, label.values
    order = _by_class_then_score(labels, scores)
    planes = bits.to_planes(outcome, order if places is None else places.take(order))
    return Matched(
        scores=scores.take(order),
        hits=planes[:half],
        ignored=planes[half:],
        turns=place_in_run(labels, label.lengths).take(order),
        starts=labels.take(order).searchsorted(np.arange(len(truths) + 1)),
        truths=truths,
        settings=settings,
    )


def count_truths(labels: np.ndarray, counted: np.ndarray, num_classes: int) -> np.ndarray:
    """Return the ground truths that count, by class and range, int64 (classes, ranges)."""
    columns = [np.bincount(labels[column], minlength=num_classes) for column in counted.T]
    return np.stack(columns, axis=1)


def few_boxes(truths: np.ndarray) -> str | None:
    """Return a text that names classes with few ground truths, or None if they hardly matter.

    The average precision of a class with fewer than ten is uncertain and too high. It matters if at
    least a tenth of the classes with ground truths have so few.

    Args:
        truths: As in `Matched`; of the ranges, the one with the most ground truths counts.

    Example:
        >>> few_boxes(np.array([[40], [5], [0]])), few_boxes(np.array([[5]] + [[50]] * 10))
        ('class 1 has 5 boxes', None)
    """
    truths = truths.max(axis=1)
    few = np.flatnonzero((truths > 0) & (truths < _FEW))
    if not len(few) or _TENTH * len(few) < np.count_nonzero(truths):
        return None
    named = [
        f"class {c} has {n} box{'es' * (n != 1)}"
        for c, n in zip(few.tolist(), truths[few].tolist(), strict=True)
    ]
    return ", ".join([*named[:3], *["..."] * (len(few) > 3)])


def _join(parts: Sequence[np.ndarray]) -> np.ndarray:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _by_class_then_score(labels: np.ndarray, scores: np.ndarray) -> np.ndarray:
    order = falling(scores)
    return order.take(np.argsort(labels.take(order), kind="stable"))
