"""HOTA: the accuracy of detections and of their association into tracks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mmeval_like.metrics.tracking.sequences import TrackMetric, Tracks
from mmeval_like.writing import SHARE, Results, arrays, state

__all__ = ["HOTA"]

_ALPHAS = np.arange(0.05, 0.99, 0.05)
_NEAR = np.finfo(np.float64).eps  # tolerance for similarities that rounding moves below a threshold


class HOTA(TrackMetric):
    """HOTA, higher order tracking accuracy: how well objects are found and followed.

    In each frame, true and predicted boxes with a similarity of at least alpha are paired, for each
    of the thresholds 0.05, 0.10, ..., 0.95. TP pairs are found, FN true boxes and FP predicted
    boxes are in no pair, and DetA is the detection accuracy. The two tracks of a pair c are paired
    in a_c frames, and b_c boxes of these tracks are not paired with each other; the association
    accuracy AssA is the mean of a_c / (a_c + b_c) over all pairs. Counts and sums are added over
    sequences, and the returned values are means over alpha. Boxes are paired so that the sum of
    their similarities, each weighted by how well the two tracks agree over the whole sequence, is
    largest.

    Formula:
        HOTA_alpha = sqrt(DetA * AssA)
        DetA = TP / (TP + FN + FP)
        AssA = 1/TP sum_(c in TP) a_c / (a_c + b_c)
        HOTA = 1/19 sum_alpha HOTA_alpha

    Source: J. Luiten et al., "HOTA: a higher order metric for evaluating multi-object tracking"
    (IJCV 129, 2021).

    Args:
        **options: As for `BaseMetric`.

    Returns of `compute`: `hota`, `det_a`, `ass_a`, `loc_a` (the mean similarity of pairs, or 1
    without pairs), `det_re` and `det_pr` (recall and precision of detection), `ass_re` and `ass_pr`
    (recall and precision of association), all in [0, 1]; and for each an array (19,) of its values
    for all alpha, `hota_alpha` and so on. Without any box the values are nan. Higher is better.

    Raises:
        ImportError: scipy is not installed.

    Example:
        >>> box = [[0, 0, 2, 2]]
        >>> truth = [{"ids": [1], "bboxes": box}] * 4
        >>> found = [{"ids": [i], "bboxes": box} for i in (5, 5, 5, 6)]  # another id in the end
        >>> metric = HOTA()
        >>> metric.add([found], [truth])
        >>> values = metric.compute()
        >>> values["det_a"], values["ass_a"]  # (3 · 3/4 + 1 · 1/4) / 4
        (1.0, 0.625)
    """

    ranges = SHARE
    higher_is_better = True
    counts = state.sum(int, (3, len(_ALPHAS)))
    sums = state.sum(float, (4, len(_ALPHAS)))

    def row_of(self, tracks: Tracks) -> tuple[np.ndarray, np.ndarray]:
        """Return the counts and sums of a sequence."""
        return _count(tracks)

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the values by alpha, and their means."""
        tp, fn, fp = results.counts
        similar, together, recall, precision = results.sums
        if not (tp + fn + fp).any():
            curves = dict.fromkeys(_NAMES, np.full(len(_ALPHAS), math.nan))
        else:
            pairs = np.maximum(tp, 1)
            det_a, ass_a = tp / (tp + fn + fp), together / pairs
            values = (
                np.sqrt(det_a * ass_a),
                det_a,
                ass_a,
                np.where(tp > 0, similar / pairs, 1.0),
                tp / np.maximum(tp + fn, 1),
                tp / np.maximum(tp + fp, 1),
                recall / pairs,
                precision / pairs,
            )
            curves = dict(zip(_NAMES, values, strict=True))
        means = {name: sum(curve.tolist()) / len(_ALPHAS) for name, curve in curves.items()}
        return means | {f"{name}_alpha": curve for name, curve in curves.items()}


_NAMES = ("hota", "det_a", "ass_a", "loc_a", "det_re", "det_pr", "ass_re", "ass_pr")


def _count(tracks: Tracks) -> tuple[np.ndarray, np.ndarray]:
    """Return TP, FN, FP (3, A), and the sums of similarities, AssA and its two parts (4, A)."""
    codes, similarities = _pairs(tracks)
    size = len(tracks.found_lengths)
    counts, sums = np.zeros((3, len(_ALPHAS)), np.int64), np.zeros((4, len(_ALPHAS)))
    for place, alpha in enumerate(_ALPHAS.tolist()):
        passing = similarities >= alpha - _NEAR
        together, number = np.unique(codes[passing], return_counts=True)
        truths = tracks.truth_lengths[together // max(size, 1)]
        found = tracks.found_lengths[together % max(size, 1)]
        shares = number / (truths + found - number), number / truths, number / found
        sums[:, place] = (
            arrays.sum_rows(similarities[passing][None])[0],
            *(arrays.sum_rows((number * share)[None])[0] for share in shares),
        )
        tp = len(similarities[passing])
        missed, false = int(tracks.truth_lengths.sum()) - tp, int(tracks.found_lengths.sum()) - tp
        counts[:, place] = tp, missed, false
    return counts, sums


def _pairs(tracks: Tracks) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of all frames, as true track * P + predicted track, and similarities."""
    from scipy.optimize import linear_sum_assignment

    shape = len(tracks.truth_lengths), len(tracks.found_lengths)
    common = np.zeros(shape)
    for frame in tracks.frames:
        alike = frame.similarities
        either = alike.sum(axis=0)[None] + alike.sum(axis=1)[:, None] - alike
        common[frame.truths[:, None], frame.found] += np.divide(
            alike, either, out=np.zeros_like(alike), where=either > _NEAR
        )
    lengths = tracks.truth_lengths[:, None] + tracks.found_lengths
    alignment = common / (lengths - common)
    codes, similarities = [np.zeros(0, np.int64)], [np.zeros(0)]
    for frame in tracks.frames:
        scores = alignment[frame.truths[:, None], frame.found] * frame.similarities
        rows, columns = linear_sum_assignment(scores, maximize=True)
        codes.append(frame.truths[rows] * shape[1] + frame.found[columns])
        similarities.append(frame.similarities[rows, columns])
    return np.concatenate(codes), np.concatenate(similarities)
