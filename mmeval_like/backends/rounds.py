"""One ragged all-to-all of any size, in rounds of bounded size."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TypeAlias

import numpy as np

from mmeval_like.backends.wire.packing import Buffer
from mmeval_like.errors import RemoteError

__all__ = [
    "ROUND",
    "NoRoom",
    "OtherLengths",
    "Parts",
    "Swap",
    "in_rounds",
    "piece_bytes",
    "room_for_rounds",
]

ROUND = 1 << 23
"""The largest number of bytes that a rank sends in one round, and that it receives.

It bounds the memory that is allocated in addition to the result, and the counts in one call, which
MPI and other libraries keep in 32 bits.
"""

# A part travels in several pieces, so that a round takes little extra memory; pieces of fewer bytes
# than `_LEAST` would only add messages.
_PIECES, _LEAST = 4, 1 << 16

Parts: TypeAlias = "Sequence[Buffer | list[Buffer]]"
"""For each rank, a buffer, or a list of buffers that travel end to end."""

Swap: TypeAlias = Callable[[Sequence[np.ndarray], Sequence[int]], Sequence[Buffer]]
"""One round: takes the piece for each rank and the lengths to receive; returns the pieces."""

_INT64 = np.dtype("<i8")

# The buffers of a round: what a rank sends, what it receives, and the library's own copy.
_BUFFERS = 3
# A rank announces one of these instead of a length if it cannot take part.
_NO_BUFFERS, _NO_MEMORY = -1, -2
_REASONS = {
    _NO_BUFFERS: "all_to_all_bytes: its parts are not one contiguous buffer for each rank",
    _NO_MEMORY: "all_to_all_bytes: MemoryError: it has no room for the messages of one round",
}


class NoRoom(MemoryError):
    """The received bytes do not fit into memory; this rank still took part in all rounds."""


class OtherLengths(RuntimeError):
    """The library delivered pieces of unannounced lengths; this rank took part in all rounds."""


def piece_bytes(longest: int, ranks: int) -> int:
    """Return the largest number of bytes of a part that one round carries to a rank.

    Args:
        longest: The number of bytes of the longest part that any rank sends to another.
        ranks: The number of ranks.

    Example:
        >>> piece_bytes(100, 2), piece_bytes(1_000_000, 2), piece_bytes(10**9, 2)
        (65536, 250000, 4194304)
    """
    return min(ROUND // ranks, max(_LEAST, -(-longest // _PIECES))) or 1


def in_rounds(parts: Parts, ranks: int, swap: Swap) -> tuple[np.ndarray, list[int]]:
    """Return the bytes that all ranks sent to this one, in rank order, and their lengths.

    Args:
        parts: For each rank, contiguous buffers of any lengths.
        ranks: The number of ranks.
        swap: Carries one round; all ranks call it the same number of times.

    Raises:
        ValueError, TypeError: `parts` does not have one contiguous buffer for each rank.
        MemoryError: The buffers of a round do not fit into memory; raised before any is sent.
        RemoteError: Another rank raised one of these errors.
        NoRoom, OtherLengths: See these classes; the other ranks are not informed of the error.
    """
    views: list[_EndToEnd] = []
    failure: Exception | None = None
    reserve: np.ndarray | None = None
    try:
        # Allocated before the first message, which can report a failure, and freed before the
        # rounds: later messages cannot report that there is no memory for a buffer.
        reserve = room_for_rounds()
        if len(parts) != ranks:
            raise ValueError(f"one part for each of {ranks} ranks, got {len(parts)}")
        views = [_EndToEnd(part if isinstance(part, list) else [part]) for part in parts]
    except (TypeError, ValueError, MemoryError) as error:  # the first round reports it to all ranks
        failure = error
    # For each rank: the length of its part, and of the longest part; or the reason for a failure.
    reason = _NO_MEMORY if isinstance(failure, MemoryError) else _NO_BUFFERS
    heads = np.full((ranks, 2), reason, _INT64)
    if failure is None:
        heads[:, 0] = [view.size for view in views]
        heads[:, 1] = heads[:, 0].max()
    found = swap([head.view(np.uint8) for head in heads], [heads[0].nbytes] * ranks)
    if failure is not None:
        raise failure
    lengths, longest = np.array([np.frombuffer(head, _INT64) for head in found]).T.tolist()
    if failed := [rank for rank, length in enumerate(lengths) if length < 0]:
        raise RemoteError(failed, [_REASONS[lengths[rank]] for rank in failed])
    # Later errors are raised after the last round, because the other ranks wait for all rounds.
    others: set[int] = set()
    try:
        joined = _room_for(sum(lengths))
        received = np.split(joined, np.cumsum(lengths)[:-1])
    except MemoryError as error:
        failure = NoRoom(str(error))
    del reserve
    step = piece_bytes(max(longest), ranks)
    for start in range(0, max(longest), step):
        this = slice(start, start + step)
        expected = [len(range(length)[this]) for length in lengths]
        for rank, piece in enumerate(swap([view[this] for view in views], expected)):
            if len(piece) != expected[rank]:
                others.add(rank)
            elif failure is None:
                received[rank][this] = np.frombuffer(piece, np.uint8)
        piece = b""  # so that this round's pieces are freed before the next one's arrive
    if failure is not None:
        raise failure
    if others:
        raise OtherLengths(f"lengths other than announced arrived from the ranks {sorted(others)}")
    return joined, lengths


def room_for_rounds() -> np.ndarray:
    """Return memory of the size that a round needs in addition to the parts and the result.

    Until it is written to, it takes only address space.

    Raises:
        MemoryError: There is not enough memory.
    """
    return np.empty(_BUFFERS * ROUND, np.uint8)


def _room_for(size: int) -> np.ndarray:
    return np.empty(size, np.uint8)


class _EndToEnd:
    """Buffers whose slices are arrays: a slice inside one buffer is not copied."""

    def __init__(self, buffers: Sequence[Buffer]) -> None:
        self._views = [np.frombuffer(buffer, np.uint8) for buffer in buffers]
        self._ends = [0, *accumulate(view.size for view in self._views)]
        self.size = self._ends[-1]

    def __getitem__(self, here: slice) -> np.ndarray:
        start, stop, _ = here.indices(self.size)
        found: list[np.ndarray] = []
        place = bisect_right(self._ends, start) - 1
        while start < stop:
            view, before = self._views[place], self._ends[place]
            found.append(view[start - before : stop - before])
            start, place = self._ends[place + 1], place + 1
        return found[0] if len(found) == 1 else np.concatenate([_NO_BYTES, *found])


_NO_BYTES = np.empty(0, np.uint8)
