"""The slot with which every compute begins: a header, and the payload where it fits."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from mmeval_like.errors import DisagreementError
from mmeval_like.packing import Buffer

__all__ = ["MIXED", "NO_ROWS", "WITHOUT_IDS", "WITH_IDS", "Head", "differ", "slot_bytes"]

_MAGIC = b"MMEL1"
_HEADER = struct.Struct("<5s?B?Q8sqqqqq")
NO_ROWS, WITH_IDS, WITHOUT_IDS = range(3)
MIXED = -1  # in place of the number of rows: the stores have different numbers


@dataclass
class Head:
    """The first bytes of a slot: what every rank must know of a rank before anything else."""

    failed: bool
    ids: int  # one of the three above
    strict: bool  # missing ids are an error
    sequence: int
    fingerprint: bytes
    size: int  # -1: none
    count: int  # of rows
    trimmable: int  # of the last rows: how many can be dropped
    tail: int  # of the last rows: how many the payload leaves unfolded
    length: int  # of the payload, in bytes

    @classmethod
    def of_failure(cls, sequence: int) -> Head:
        """Return the head of a rank that has nothing to send but that it failed."""
        return cls(True, NO_ROWS, True, sequence, bytes(8), -1, 0, 0, 0, 0)

    def slot(self, world_size: int, payload: Buffer) -> bytearray:
        """Return the slot: the head, and the payload if it fits."""
        slot = bytearray(slot_bytes(world_size))
        _HEADER.pack_into(slot, 0, _MAGIC, *vars(self).values())
        if self.fits(slot):
            slot[_HEADER.size : _HEADER.size + len(payload)] = payload
        return slot

    def fits(self, slot: Buffer) -> bool:
        """Return whether the payload is in the slot."""
        return _HEADER.size + self.length <= len(slot)

    def payload(self, slot: Buffer) -> memoryview:
        """Return the payload that is in the slot."""
        return memoryview(slot)[_HEADER.size : _HEADER.size + self.length]

    @classmethod
    def unpack(cls, slot: Buffer) -> Head:
        """Return the head of a slot.

        Raises:
            DisagreementError: The slot is none of `compute`.
        """
        magic, *fields = _HEADER.unpack_from(slot)
        if magic != _MAGIC:
            raise DisagreementError(
                "the ranks are in different collective calls: one is in compute(), another in a "
                "call that is not this library's compute()"
            )
        return cls(*fields)


def slot_bytes(world_size: int) -> int:
    """Return the size of the slot: 4 KiB, less in worlds where 4 KiB each would add up."""
    return max(512, min(4096, (1 << 20) // world_size))


def differ(heads: Sequence[Head]) -> bool:
    """Return whether the ranks want different things."""
    return len({(h.sequence, h.fingerprint, h.size, h.strict) for h in heads}) > 1
