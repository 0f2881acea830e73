"""The hit rule: the label is among the k best classes, and its score above a threshold."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mmeval_like.metrics._common.option_checks import Cut, check_binary, check_scores
from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.writing import arrays, warn

__all__ = ["HitRule"]

_POSITIONS = "; for many positions in each sample, such as tokens or pixels, pass num_classes=C"
_NEGATIVE = "must not be negative; to ignore labels, pass num_classes= and ignore_index="
_LOGITS = (
    "negative scores are never above the threshold 0.0 and count as wrong; for logits or "
    "log-probabilities pass Accuracy(thrs=None)"
)


@dataclass(frozen=True)
class HitRule:
    """The rule that decides whether a position is a hit, for each k and each threshold.

    Attributes:
        topk: The label must be among the k classes of highest score; on ties the first classes.
        thrs: The label's score must be strictly greater; None: any score.
        num_classes: The number of classes, if it is known.
        cut: For two classes: predictions are scores of class 1 (N,), and this is the rule that
            predicts it. None: predictions are classes, or scores of all classes.
    """

    topk: tuple[int, ...]
    thrs: tuple[float | None, ...]
    num_classes: int | None = None
    cut: Cut | None = None
    _warned: set[str] = field(default_factory=set, compare=False, repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of thresholds and of values of k."""
        return len(self.thrs), len(self.topk)

    @property
    def single(self) -> bool:
        """Whether there is one k and one threshold."""
        return self.shape == (1, 1)

    def hits(self, predictions: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return which positions are hits, bool (N, thresholds, k); (N,) for one k and threshold.

        Args:
            predictions: Scores (N, C), or classes (N,), which can hit only for the first k and
                threshold.
            labels: Class indices (N,).

        Raises:
            TypeError: A class is not a whole number.
            ValueError: Shapes do not fit, lengths differ, a class is out of range, a score is nan,
                or k > C.
        """
        if self.cut is not None:
            check_binary(predictions)
            predictions = self.cut.predicted(predictions, None)
        if predictions.ndim == 1:
            return self._equal(predictions, labels)
        return self._ranked(predictions, labels)

    def _equal(self, classes: np.ndarray, labels: np.ndarray) -> np.ndarray:
        if labels.shape != classes.shape:
            arrays.check_same_length("predictions", classes, "labels", labels)
            check_one_axis("labels", labels, _POSITIONS)
        if classes.dtype.kind == "f":
            classes = arrays.as_integers(classes, "predictions")
        if self.num_classes is None:
            arrays.check_not_negative("predictions", classes, _NEGATIVE)
            arrays.check_not_negative("labels", labels, _NEGATIVE)
        else:
            arrays.check_range("predictions", classes, self.num_classes)
            arrays.check_range("labels", labels, self.num_classes, ignored_by="ignore_index")
        hits: np.ndarray = classes == labels
        if self.single:
            return hits
        first = np.zeros(self.shape, np.bool_)
        first[0, 0] = True
        return hits[:, None, None] & first

    def _ranked(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        least = check_scores(scores, labels, _POSITIONS, "ignore_index")
        count, size = scores.shape
        if max(self.topk) > size:
            raise ValueError(f"topk must be at most the {size} classes, got {self.topk}")
        if 0.0 in self.thrs and not self._warned:
            if least is None:
                arrays.remark(scores, scores >= 0, _LOGITS)
            elif least < 0:
                self._warned.add("negative")
                warn(_LOGITS, UserWarning)
        own = scores.reshape(-1)[np.arange(count) * size + labels]
        if self.topk == (1,):
            hits = [scores.argmax(axis=1) == labels]  # the first of equal scores
        else:
            rank = _rank(scores, labels, own)
            hits = [rank < k for k in self.topk]
        # A Python float adopts the scores' dtype: the float32 nearest to 0.7 is not above 0.7.
        above = [own == own if thr is None else own > thr for thr in self.thrs]
        cells: list[np.ndarray] = [high & hit for high in above for hit in hits]
        return cells[0] if self.single else np.stack(cells, axis=1).reshape(-1, *self.shape)


def _rank(scores: np.ndarray, labels: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Return the number of classes that rank before the label, whose score is `own`."""
    rank = arrays.count_true(scores > own[:, None])
    equal = scores == own[:, None]
    if arrays.possibly(np.count_nonzero(equal) > len(equal)):  # some scores tie with the label
        ties = arrays.places(arrays.count_true(equal) > 1)
        before = np.arange(scores.shape[1]) < labels[ties, None]
        rank[ties] += arrays.count_true(equal[ties] & before)
    return rank
