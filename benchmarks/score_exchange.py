"""What exact AUROC costs where the ranks deal the scores, and where they gather them on rank 0.

The steps are what a rank brings to each call of its backend, for binary labels. The library's own
code looks for the values at which the shares begin, so that the model knows how often it asks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.simulation import (
    Network,
    World,
    all_reduce,
    all_to_all,
    broadcast,
    doubling_all_gather,
    gather,
)
from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like._exchange.dealing.shares import Shares
from mmeval_like.backends.rounds import piece_bytes
from mmeval_like.backends.wire.slot_size import slot_bytes

__all__ = [
    "PAIRS",
    "PRECISIONS",
    "Even",
    "Step",
    "computing",
    "dealt",
    "dealt_memory",
    "exchanged",
    "gathered",
    "gathered_memory",
    "probe_rounds",
]

Step = tuple[str, int]
"""A call of the backend, and how many bytes a rank brings to it."""

_TABLE = 8 * (2 + 2 * 2)  # bytes before the scores of a part: of what, and how many of both kinds
PAIRS, PRECISIONS = 3, ExactSum.dense_size(())  # int64: the pairs' digits; the precisions' sum

# Seconds of a core, measured with numpy 2.
_SORT = 30e-9  # a score that nobody sorted
_MERGE = 4e-9  # a score, each time that two sorted runs become one
_COUNT = 10e-9  # a score in order
_RANK = 50e-6  # Python, for each rank from which something comes


class Even:
    """Scores evenly spread from 0 to 1, in ascending order, however many.

    Args:
        number: How many.
        dtype: float32 or float64.
    """

    def __init__(self, number: int, dtype: Any = np.float32) -> None:
        self.number, self.dtype = number, np.dtype(dtype)

    def __len__(self) -> int:
        return self.number

    def searchsorted(self, values: np.ndarray, *_: Any, **__: Any) -> np.ndarray:
        """Return how many are below each of the values; numpy.searchsorted calls it."""
        below: np.ndarray = np.clip(values.astype(np.float64), 0, 1) * self.number
        return below.astype(np.int64)


class _Counting:
    """One rank in place of all: its sums are those of all ranks, and their lengths are kept."""

    rank = 0

    def __init__(self, size: int) -> None:
        self.size = size
        self.lengths: list[int] = []

    def total(self, work: Callable[[], np.ndarray], length: int) -> np.ndarray:
        self.lengths.append(length)
        return work()


def _sums_for_shares(scores: Any, ranks: int) -> list[int]:
    """Return the lengths of the sums from which the ranks know where their shares begin."""
    counting: Any = _Counting(ranks)
    Shares.even(lambda: [[scores]], 1, counting)
    lengths: list[int] = counting.lengths
    return lengths


def probe_rounds(scores: Any, ranks: int) -> int:
    """Return how often the ranks add up counts of scores below probes."""
    return len(_sums_for_shares(scores, ranks)) - 1  # the first is of how many there are


def dealt(scores: Any, own: int, ranks: int, total: int = PAIRS) -> list[Step]:
    """Return the steps of a rank where the scores are dealt; rank 0 broadcasts the result.

    Args:
        scores: Those of all ranks, an ascending array or `Even`.
        own: How many of them this rank has.
        ranks: The number of ranks, each of which has about as many.
        total: The length of what is made of every share: `PAIRS` or `PRECISIONS`.
    """
    slot, width = slot_bytes(ranks), scores.dtype.itemsize
    # That every rank has the scores as one dtype; the shares; what is before them; all is packed.
    before = [0, *_sums_for_shares(scores, ranks), 2 + 2 * (ranks - 1), 0]
    part = _TABLE + math.ceil(own / ranks) * width
    rounds = math.ceil(part / piece_bytes(part, ranks))
    parts = _TABLE * ranks + own * width
    return [
        *2 * [("all_gather_bytes", slot)],
        *[("all_reduce", 8 * (1 + length)) for length in before],
        ("all_to_all_pieces", 16 * ranks),
        *rounds * [("all_to_all_pieces", parts // rounds)],
        ("all_reduce", 8 * (1 + total)),
        ("broadcast_bytes", slot),
    ]


def gathered(scores: Any, own: int, ranks: int) -> list[Step]:
    """Return the steps of a rank where rank 0 gets all scores; the arguments are those of `dealt`.

    The names and the dtype that precede a rank's scores, some hundred bytes, are left out.
    """
    slot = slot_bytes(ranks)
    return [
        ("all_gather_bytes", slot),
        ("gather_bytes", own * scores.dtype.itemsize),
        ("broadcast_bytes", slot),
    ]


_CALLS: dict[str, Callable[[World, int], None]] = {
    "all_gather_bytes": doubling_all_gather,
    "all_reduce": all_reduce,
    "all_to_all_pieces": all_to_all,
    "gather_bytes": gather,
    "broadcast_bytes": broadcast,
}


def exchanged(steps: list[Step], ranks: int, network: Network) -> World:
    """Return a world in which every rank went through these steps."""
    world = World(ranks, network)
    for call, length in steps:
        _CALLS[call](world, length)
    return world


def computing(own: int, merged: int, ranks: int) -> float:
    """Return the seconds of a core that sorts its own scores, and merges and counts others.

    Args:
        own: How many it sorts.
        merged: How many it merges: its share, or all.
        ranks: How many ranks sent these, each a run of negatives and one of positives.
    """
    doublings = math.log2(2 * ranks)
    return own * _SORT + merged * (_MERGE * doublings + _COUNT) + ranks * _RANK


def dealt_memory(own: int, width: int, ranks: int) -> float:
    """Return the bytes that every rank holds at its peak, while it sorts or deals.

    A rank that sorts has its scores as they came and in order, and half of them as numpy merges.
    Then it has its scores and its share, and three buffers of one round.
    """
    scores = own * width
    round_ = ranks * piece_bytes(math.ceil(scores / ranks), ranks)
    return max(2.5 * scores, 2 * scores + 3 * min(scores, round_))


def gathered_memory(own: int, width: int, ranks: int) -> float:
    """Return the bytes that rank 0 holds at its peak, when it merges.

    It has its scores, and as it sent them; those of all ranks as they came, and unpacked those of
    the others.
    """
    return own * width * (2 + ranks + (ranks - 1))
