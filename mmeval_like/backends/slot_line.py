"""SlotLine: the exchange of the slots with which every `compute` begins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mmeval_like.backends.wire.packing import Buffer
from mmeval_like.backends.wire.slot_size import slot_bytes

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
        size: The number of bytes of each slot.
    """

    def __init__(self, ranks: int, gather: Callable[..., Any]) -> None:
        self.ranks, self.size, self._gather = ranks, slot_bytes(ranks), gather

    def exchange(self, slot: bytes) -> Sequence[Buffer]:
        """Return the slots of all ranks in rank order; they are valid until `free`.

        Args:
            slot: The slot of this rank, of `size` bytes.
        """
        slots: Sequence[Buffer] = self._gather(slot)
        return slots

    def free(self) -> None:
        """Let another exchange use the memory of the slots; the caller keeps no part of it."""
