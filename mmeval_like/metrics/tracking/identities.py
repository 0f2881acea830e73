"""ClearMOT and IDF1: errors of tracks at one threshold of similarity."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import Any

import numpy as np

from mmeval_like.metrics.tracking.sequences import Frame, TrackMetric, Tracks
from mmeval_like.writing import SHARE, MetricOptions, Ranges, Results, Unpack, ratio, state

__all__ = ["IDF1", "ClearMOT"]

_NEAR = np.finfo(np.float64).eps  # tolerance for similarities that rounding moves below it
_CONTINUES = 1000.0  # the weight of a continued pair: above all similarities of a frame
_COUNTS = ("tp", "fp", "fn", "idsw", "frag", "mt", "pt", "ml")
_RANGES: Ranges = {"mota": (-np.inf, 1.0), "motp": (0.0, 1.0)}


class _AtThreshold(TrackMetric):
    """The base class of metrics that count pairs with at least a threshold's similarity."""

    def __init__(self, threshold: float = 0.5, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        if not 0 < threshold <= 1:
            raise ValueError(f"threshold must be in (0, 1], got {threshold}")
        self.threshold = threshold


class ClearMOT(_AtThreshold):
    """The CLEAR MOT metrics: errors of tracking several objects, frame by frame.

    In each frame, true and predicted boxes with a similarity of at least the threshold are paired:
    first as many previous pairs as possible, then the most similar boxes. TP boxes are in pairs; FN
    true boxes and FP predicted boxes are not. An identity switch (IDSW) is counted if a true track
    is paired with a predicted track other than its last one, no matter how long ago that was.
    If a frame has no predicted or no true box, all of its boxes are errors, but earlier pairs are
    remembered.

    Formula:
        MOTA = 1 - (FN + FP + IDSW) / (TP + FN)
        MOTP = 1/TP sum_(pairs) similarity

    Source: K. Bernardin, R. Stiefelhagen, "Evaluating multiple object tracking performance: the
    CLEAR MOT metrics" (EURASIP Journal on Image and Video Processing, 2008).

    Args:
        threshold: The least similarity of a pair, in (0, 1]; for boxes it is the IoU.
        **options: As for `BaseMetric`.

    Returns of `compute`: `mota`, at most 1, and `motp`, the mean similarity of pairs, in [0, 1],
    where higher is better for both; both are nan without boxes. The counts are `tp`, `fp`, `fn`,
    `idsw` and `frag` (how often a track is lost and found again), and the numbers of true tracks
    that are paired in more than 80% of their frames (`mt`), in less than 20% (`ml`), and of the
    others (`pt`). More are better of `tp` and `mt`, and fewer of `fp`, `fn`, `idsw`, `frag` and
    `ml`.

    Raises:
        ImportError: scipy is not installed.
        ValueError: `threshold` is out of range.

    Example:
        >>> box = [[0, 0, 2, 2]]
        >>> truth = [{"ids": [1], "bboxes": box}] * 4
        >>> found = [{"ids": [i], "bboxes": box} for i in (5, 5, 5, 6)]  # another id in the end
        >>> metric = ClearMOT()
        >>> metric.add([found], [truth])
        >>> values = metric.compute()
        >>> values["mota"], values["idsw"], values["mt"]
        (0.75, 1, 1)
    """

    ranges = _RANGES
    higher_is_better = True
    higher_is_better_of = MappingProxyType(
        {**dict.fromkeys(("fp", "fn", "idsw", "frag", "ml"), False), "pt": None}
    )
    counts = state.sum(int, (len(_COUNTS),))
    similarity = state.sum(float)

    def row_of(self, tracks: Tracks) -> tuple[list[int], float]:
        """Return the counts of a sequence, and the sum of its pairs' similarities."""
        events, similarity = _follow(tracks, self.threshold)
        return [events[name] for name in _COUNTS], similarity

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return MOTA, MOTP and the counts."""
        counts = dict(zip(_COUNTS, results.counts.tolist(), strict=True))
        tp, fp, fn, idsw = (counts[name] for name in _COUNTS[:4])
        mota = ratio(tp - fp - idsw, tp + fn)
        return {"mota": mota, "motp": ratio(results.similarity, tp), **counts}


def _follow(tracks: Tracks, threshold: float) -> tuple[Counter[str], float]:
    """Return the counts of a sequence, and the sum of its pairs' similarities."""
    events: Counter[str] = Counter()
    similarity = 0.0
    size = len(tracks.truth_lengths)
    partner, last = np.full((2, size), -1)  # in the previous frame, and in the last frame with one
    paired, begun = np.zeros((2, size), np.int64)
    for frame in tracks.frames:
        if not (len(frame.truths) and len(frame.found)):
            events["fp"] += len(frame.found)
            events["fn"] += len(frame.truths)
            continue
        rows, columns = _pair(frame, partner, threshold)
        truths, found = frame.truths[rows], frame.found[columns]
        events["idsw"] += int(np.count_nonzero((last[truths] >= 0) & (last[truths] != found)))
        begun[truths] += partner[truths] < 0
        paired[truths] += 1
        partner[:] = -1
        partner[truths] = last[truths] = found
        events["tp"] += len(rows)
        events["fp"] += len(frame.found) - len(rows)
        events["fn"] += len(frame.truths) - len(rows)
        similarity += sum(frame.similarities[rows, columns].tolist())
    events["frag"] = int((begun[begun > 0] - 1).sum())
    events["mt"] = int(np.count_nonzero(5 * paired > 4 * tracks.truth_lengths))
    events["ml"] = int(np.count_nonzero(5 * paired < tracks.truth_lengths))
    events["pt"] = size - events["mt"] - events["ml"]
    return events, similarity


def _pair(frame: Frame, partner: np.ndarray, threshold: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of a frame: places among its true and its predicted tracks."""
    from scipy.optimize import linear_sum_assignment

    scores = _CONTINUES * (partner[frame.truths][:, None] == frame.found) + frame.similarities
    scores[frame.similarities < threshold - _NEAR] = 0.0
    rows, columns = linear_sum_assignment(scores, maximize=True)
    good = scores[rows, columns] > _NEAR
    return rows[good], columns[good]


class IDF1(_AtThreshold):
    """IDF1: the F1 score of identities, under the best mapping of true to predicted tracks.

    Each true track of a sequence is mapped to one predicted track or to none, so that IDTP is as
    large as possible: the number of true boxes whose similarity to the box of their predicted track
    is at least the threshold. `truths` and `predictions` are the numbers of true and of predicted
    boxes. Source: E. Ristani et al., "Performance measures and a data set for multi-target,
    multi-camera tracking" (ECCV workshops 2016).

    Formula:
        IDF1 = 2 IDTP / (truths + predictions)
        IDP = IDTP / predictions
        IDR = IDTP / truths

    Args:
        threshold: The least similarity of a pair, in (0, 1]; for boxes it is the IoU.
        **options: As for `BaseMetric`.

    Returns of `compute`: `idf1`, `idp` and `idr`, in [0, 1]; nan for 0 / 0. Higher is better.

    Raises:
        ImportError: scipy is not installed.
        ValueError: `threshold` is out of range.

    Example:
        >>> box = [[0, 0, 2, 2]]
        >>> truth = [{"ids": [1], "bboxes": box}] * 4
        >>> found = [{"ids": [i], "bboxes": box} for i in (5, 5, 5, 6)]  # another id in the end
        >>> metric = IDF1()
        >>> metric.add([found], [truth])
        >>> metric.compute()
        {'idf1': 0.75, 'idp': 0.75, 'idr': 0.75}
    """

    ranges = SHARE
    higher_is_better = True
    counts = state.sum(int, (3,))

    def row_of(self, tracks: Tracks) -> tuple[list[int]]:
        """Return IDTP and the numbers of boxes of a sequence."""
        from scipy.optimize import linear_sum_assignment

        together = np.zeros((len(tracks.truth_lengths), len(tracks.found_lengths)), np.int64)
        for frame in tracks.frames:
            alike = frame.similarities >= self.threshold - _NEAR
            together[frame.truths[:, None], frame.found] += alike
        best = int(together[linear_sum_assignment(together, maximize=True)].sum())
        return ([best, int(tracks.truth_lengths.sum()), int(tracks.found_lengths.sum())],)

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return IDF1, IDP and IDR."""
        both, truths, found = results.counts.tolist()
        return {
            "idf1": ratio(2 * both, truths + found),
            "idp": ratio(both, found),
            "idr": ratio(both, truths),
        }
