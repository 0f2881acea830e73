"""COCO's greedy matching, for all IoU thresholds and area ranges at once.

Within one image and class, detections are processed in the order of their scores. A detection takes
the unmatched ground truth of the largest IoU that reaches the threshold. Ground truths that count
take precedence over ignored ones; among equal IoUs, the last ground truth is taken. A crowd can be
matched any number of times. The outcome differs between thresholds and area ranges, but the steps
are the same: every such setting is one bit, and one bitwise operation processes all settings.
"""

from __future__ import annotations

import numpy as np

from mmeval_like.metrics.detection import bits
from mmeval_like.metrics.detection.runs import begins_of_runs, lengths_of_runs, place_in_run

__all__ = ["greedy_match"]


def greedy_match(
    detections: np.ndarray,
    truths: np.ndarray,
    overlaps: np.ndarray,
    passing: np.ndarray,
    groups: np.ndarray,
    counted: np.ndarray,
    crowd: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Match detections with the ground truths of their group, for S settings.

    Args:
        detections: int64 (p,), ascending: the detection of every pair.
        truths: int64 (p,): the ground truth of every pair, of the same group.
        overlaps: float64 (p,): the IoU of every pair.
        passing: bool (p, S): whether the IoU reaches the threshold; pairs that never do may be
            absent.
        groups: int64 (n,), ascending: each detection's group; within a group by descending score.
        counted: bool (m, S): the ground truths that are not ignored.
        crowd: bool (m,): the ground truths that may be matched many times.

    Returns:
        Two uint64 (n, words) of bits, one per setting: detections that match a ground truth
        that counts, and those that match an ignored one.
    """
    settings = counted.shape[1]
    words = -(-settings // 64)
    hits, spared = np.zeros((2, len(groups), words), np.uint64)
    if len(detections) == 0:
        return hits, spared
    order = np.lexsort((-truths, -overlaps, detections))  # each detection's best pair first
    # One more pair, which never passes, with a ground truth of its own.
    truths = np.append(truths[order], len(counted))
    free = bits.pack(np.concatenate([passing[order], np.zeros((1, settings), np.bool_)]))
    starts = begins_of_runs(detections)
    lengths = lengths_of_runs(starts, len(detections))
    choosing = detections[starts]
    owners = groups[choosing]
    counted_bits = bits.pack(np.concatenate([counted, np.zeros((1, settings), np.bool_)]))
    once = np.where(np.append(crowd, True)[:, None], np.uint64(0), ~np.uint64(0))
    taken = np.zeros_like(counted_bits)
    for turn in _turns(owners):
        # One remaining detection of every group: no two compete for the same ground truth.
        places = np.arange(lengths[turn].max())
        pairs = starts[turn, None] + places
        if len(places) > 1:  # shorter lists are padded with the pair that never passes
            pairs = np.where(places < lengths[turn, None], pairs, len(truths) - 1)
        seen = truths[pairs]
        open_ = free[pairs] & ~taken[seen]
        good = open_ & counted_bits[seen]
        chosen, hit = _first_set(good)
        spare, spared_now = _first_set((open_ ^ good) & ~hit[:, None])
        hits[choosing[turn]], spared[choosing[turn]] = hit, spared_now
        taken[seen] |= (chosen | spare) & once[seen]
    return hits, spared


def _turns(owners: np.ndarray) -> list[np.ndarray]:
    """Return the indices of every group's first entry, of every group's second, and so on."""
    within = place_in_run(owners)
    order = np.argsort(within, kind="stable")
    ends = np.bincount(within).cumsum().tolist()
    return [order[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _first_set(candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for each bit the first candidate on axis 1 that has it set, and whether any has.

    Args:
        candidates: uint64 (n, c, words).

    Returns:
        uint64 (n, c, words) with at most one candidate set per bit, and uint64 (n, words).
    """
    if candidates.shape[1] == 1:
        return candidates, candidates[:, 0]
    so_far = np.bitwise_or.accumulate(candidates, axis=1)
    first = candidates.copy()
    first[:, 1:] &= ~so_far[:, :-1]
    return first, so_far[:, -1]
