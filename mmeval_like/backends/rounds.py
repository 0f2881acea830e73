"""One ragged all-to-all of any size, in rounds of bounded size."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
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
    "cut",
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

Swap: TypeAlias = Callable[[np.ndarray, Sequence[int], np.ndarray, Sequence[int]], Sequence[Buffer]]
"""One round, as `BaseDistBackend.all_to_all_pieces` carries it."""

_INT64 = np.dtype("<i8")

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
        MemoryError: The buffers of the rounds do not fit into memory; raised before any is sent.
            From then on a round allocates none.
        RemoteError: Another rank raised one of these errors.
        NoRoom, OtherLengths: See these classes; the other ranks are not informed of the error.
    """
    views: list[_EndToEnd] = []
    failure: Exception | None = None
    try:
        # Allocated before the first message, which can report a failure: later messages cannot
        # report that there is no memory for a buffer.
        mine, room, spare = room_for_rounds(ranks)
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
    of_heads = [heads[0].nbytes] * ranks
    announced = np.empty(heads.nbytes, np.uint8)
    found = swap(heads.view(np.uint8).reshape(-1), of_heads, announced, of_heads)
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
    del spare  # for the library
    step = piece_bytes(max(longest), ranks)
    for start in range(0, max(longest), step):
        this = slice(start, start + step)
        counts, expected = (
            [len(range(length)[this]) for length in some]
            for some in ([view.size for view in views], lengths)
        )
        for view, part in zip(views, cut(mine, counts), strict=True):
            view.copy_to(part, start)
        pieces = swap(mine[: sum(counts)], counts, room[: sum(expected)], expected)
        for rank, piece in enumerate(pieces):
            if len(piece) != expected[rank]:
                others.add(rank)
            elif failure is None:
                received[rank][this] = np.frombuffer(piece, np.uint8)
        del pieces, piece  # so that what a library allocated is freed before the next round
    if failure is not None:
        raise failure
    if others:
        raise OtherLengths(f"lengths other than announced arrived from the ranks {sorted(others)}")
    return joined, lengths


def cut(joined: np.ndarray, lengths: Sequence[int]) -> list[np.ndarray]:
    """Return the pieces of these lengths, which lie end to end in an array.

    Example:
        >>> cut(np.arange(5), [2, 0, 1])
        [array([0, 1]), array([], dtype=int64), array([2])]
    """
    ends = [0, *accumulate(lengths)]
    return [joined[start:stop] for start, stop in pairwise(ends)]


def room_for_rounds(ranks: int) -> Sequence[np.ndarray]:
    """Return the memory that rounds of these ranks need in addition to the parts and the result.

    That is, for what a rank sends, for what it receives, and for the library's own copy. Until it
    is written to, it takes only address space.

    Raises:
        MemoryError: There is not enough memory.
    """
    return [np.empty(max(ROUND, ranks), np.uint8) for _ in range(3)]


def _room_for(size: int) -> np.ndarray:
    return np.empty(size, np.uint8)


class _EndToEnd:
    """Buffers that lie end to end, as one."""

    def __init__(self, buffers: Sequence[Buffer]) -> None:
        self._views = [np.frombuffer(buffer, np.uint8) for buffer in buffers]
        self._ends = [0, *accumulate(view.size for view in self._views)]
        self.size = self._ends[-1]

    def copy_to(self, piece: np.ndarray, start: int) -> None:
        """Fill an array with the bytes from this place on."""
        done, at = 0, bisect_right(self._ends, start) - 1
        while done < len(piece):
            before = start + done - self._ends[at]
            some = self._views[at][before : before + len(piece) - done]
            piece[done : done + len(some)] = some
            done, at = done + len(some), at + 1
