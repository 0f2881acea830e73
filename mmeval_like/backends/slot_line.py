"""SlotLine: the exchange of the slots with which every `compute` begins."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mmeval_like.backends.wire.packing import Buffer

__all__ = ["SlotLine"]


class SlotLine:
    """An all-gather of slots, which may use the same memory for every exchange.

    A line has one user at a time: the caller of `slot_line` until it calls `free`. An exchange that
    is interrupted, or that the library has given up, never frees its line, so that a message that
    arrives late is not taken for one of another exchange.

    This line has no memory of its own: each exchange is an `all_gather_bytes`.

    Args:
        ranks: The number of ranks.
        gather: The `all_gather_bytes` of the backend.

    Attributes:
        ranks: As given.
    """

    def __init__(self, ranks: int, gather: Callable[[Buffer], Sequence[Buffer]]) -> None:
        self.ranks, self._gather = ranks, gather

    def exchange(self, slot: bytes) -> Sequence[Buffer]:
        """Return the slots of all ranks in rank order; they are valid until `free`.

        Args:
            slot: The slot of this rank, of `slot_bytes(ranks)` bytes.
        """
        return self._gather(slot)

    def free(self) -> None:
        """Let another exchange use the memory of the slots; the caller keeps no part of it."""
