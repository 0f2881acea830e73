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
"""How many bytes a rank sends in one round, and how many it receives, at most.

It bounds what is allocated in addition to the result, and the counts of one call: MPI and
others count in 32 bits.
"""

# A part goes in several pieces, so that a round takes little extra memory; but smaller pieces
# than these bytes would only be more messages.
_PIECES, _LEAST = 4, 1 << 16

Parts: TypeAlias = "Sequence[Buffer | list[Buffer]]"
"""For each rank a buffer, or a list of buffers that travel end to end."""

Swap: TypeAlias = Callable[[Sequence[np.ndarray], Sequence[int]], Sequence[Buffer]]
"""One round: from the piece for each rank, and the lengths that arrive, to what arrives."""

_INT64 = np.dtype("<i8")

# What a rank sends in a round, what it receives, and what its library holds of either.
_BUFFERS = 3
# What a rank announces instead of a length: why it takes no part.
_NO_BUFFERS, _NO_MEMORY = -1, -2
_REASONS = {
    _NO_BUFFERS: "all_to_all_bytes: its parts are not one contiguous buffer for each rank",
    _NO_MEMORY: "all_to_all_bytes: MemoryError: it has no room for the messages of one round",
}


class NoRoom(MemoryError):
    """What the ranks sent to this one has no room; it has taken part in all rounds nevertheless."""


class OtherLengths(RuntimeError):
    """The library brought other pieces than were announced; this rank took part in all rounds."""


def piece_bytes(longest: int, ranks: int) -> int:
    """Return how many bytes of a part one round carries to a rank at most.

    Args:
        longest: The bytes of the longest part that any rank has for another.
        ranks: The number of ranks.

    Example:
        >>> piece_bytes(100, 2), piece_bytes(1_000_000, 2), piece_bytes(10**9, 2)
        (65536, 250000, 4194304)
    """
    return min(ROUND // ranks, max(_LEAST, -(-longest // _PIECES))) or 1


def in_rounds(parts: Parts, ranks: int, swap: Swap) -> tuple[np.ndarray, list[int]]:
    """Return what the ranks sent to this one, in rank order, end to end; and of each how much.

    Args:
        parts: For each rank contiguous buffers of any lengths.
        ranks: The number of ranks.
        swap: Carries one round; all ranks call it equally often.

    Raises:
        ValueError, TypeError: There is not one contiguous buffer for each rank.
        MemoryError: There is no room for the buffers of a round, before any of them is sent.
        RemoteError: So it was on another rank.
        NoRoom, OtherLengths: As they say; the other ranks do not hear of it.
    """
    views: list[_EndToEnd] = []
    failure: Exception | None = None
    reserve: np.ndarray | None = None
    try:
        # Taken before the first message, which can report a failure, and given back to the rounds:
        # later messages cannot report that there is no memory for a buffer.
        reserve = room_for_rounds()
        if len(parts) != ranks:
            raise ValueError(f"one part for each of {ranks} ranks, got {len(parts)}")
        views = [_EndToEnd(part if isinstance(part, list) else [part]) for part in parts]
    except (TypeError, ValueError, MemoryError) as error:  # the first round reports it to all ranks
        failure = error
    # To each rank: how much it gets, and how much the rank that gets most; or why nothing.
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
    # Later errors are reported after the last round, which the other ranks wait for.
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
    """Return memory of the size that a round takes in addition to the parts and the result.

    The system gives address space only, until something is written there.

    Raises:
        MemoryError: There is not so much.
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
