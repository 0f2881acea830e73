"""Removing the samples of some ids from metrics that keep each sample."""

from __future__ import annotations

import numpy as np

from mmeval_like._core.evaluation import emptied, samples_of
from mmeval_like._samples.parts import Part
from mmeval_like._states.rows import take
from mmeval_like.records.recorded import Recorded

__all__ = ["without"]


def without(recorded: Recorded, ids: np.ndarray) -> Recorded:
    """Return the samples without those of some ids; the digests of shards are dropped.

    Args:
        recorded: Samples that were added with ids.
        ids: The ids to remove, as `read_ids` returns them.

    Example:
        >>> from mmeval_like import Accuracy
        >>> metric = Recorded(Accuracy())
        >>> metric.add([0, 1, 1], [0, 1, 0], ids=[0, 1, 2])
        >>> without(metric, np.array([2])).compute()
        {'top1': 1.0}
    """
    gone = {one.tobytes() for one in ids}
    left = emptied(recorded)
    samples_of(left).merge([_kept(part, gone) for part in samples_of(recorded).parts()])
    return left


def _kept(part: Part, gone: set[bytes]) -> Part:
    if part.ids is None:  # a store without rows
        return part
    which = np.flatnonzero([one.tobytes() not in gone for one in part.ids])
    tail = {name: take(rows, which) for name, rows in part.tail.items()}
    ordered = {name: take(rows, which) for name, rows in part.ordered.items()}
    count = len(which)
    waiting = count if tail else 0
    return Part(count, part.folded, tail, waiting, ordered, part.ids[which], part.clustered)
