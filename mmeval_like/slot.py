"""The slot with which every compute begins: terms, a header, and the payload where it fits."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from mmeval_like.errors import DisagreementError
from mmeval_like.packing import Buffer

__all__ = [
    "MIXED",
    "NO_ROWS",
    "WITHOUT_IDS",
    "WITH_IDS",
    "Head",
    "Terms",
    "agreed",
    "fits",
    "slot_bytes",
]

NO_ROWS, WITH_IDS, WITHOUT_IDS = range(3)
MIXED = -1  # in place of the number of rows: the stores have different numbers

_MAGIC = b"MMEL3"
_TERMS = struct.Struct("<5s??xQ8sq")
_HEAD = struct.Struct("<B?6xqqqq")
_START = _TERMS.size + _HEAD.size  # of the payload; a multiple of 8
_ROWS = _START - 8  # their number, before the payload
_ALIKE = _ROWS - 8  # before what is of this rank alone


class Terms(NamedTuple):
    """What is the same on every rank unless something is wrong: ranks compare its bytes."""

    failed: bool
    strict: bool  # missing ids are an error
    sequence: int
    fingerprint: bytes
    size: int  # -1: none

    @classmethod
    def of_failure(cls, sequence: int) -> Terms:
        """Return the terms of a rank that has nothing to send but that it failed."""
        return cls(True, True, sequence, bytes(8), -1)

    def pack(self) -> bytes:
        """Return the first bytes of a slot."""
        return _TERMS.pack(_MAGIC, *self)

    @classmethod
    def unpack(cls, slot: Buffer) -> Terms:
        """Return the terms of a slot.

        Raises:
            DisagreementError: The slot is none of `compute`.
        """
        magic, *fields = _TERMS.unpack_from(slot)
        if magic != _MAGIC:
            raise DisagreementError(
                "the ranks are in different collective calls: one is in compute(), another in a "
                "call that is not this library's compute()"
            )
        return cls(*fields)


class Head(NamedTuple):
    """What every rank must know of a rank before it can read the payload."""

    ids: int = NO_ROWS  # or one of the others above
    summed: bool = False  # the payload is a vector of int64; those of all ranks are added
    tail: int = 0  # how many of the last rows the payload leaves unfolded
    length: int = 0  # of the payload, in bytes
    trimmable: int = 0  # how many of the last rows can be dropped
    rows: int = 0

    def slot(self, terms: bytes, payload: Buffer, size: int) -> bytearray:
        """Return the slot of `size` bytes: all but a payload that does not fit.

        Args:
            terms: Packed.
            payload: What the head is of.
            size: As on every rank.
        """
        slot = bytearray(size)
        slot[: _TERMS.size] = terms
        _HEAD.pack_into(slot, _TERMS.size, *self)
        if fits(self.length, size):
            slot[_START : _START + self.length] = payload
        return slot

    @classmethod
    def unpack(cls, slot: Buffer) -> Head:
        """Return the head of a slot of `compute`."""
        return cls._make(_HEAD.unpack_from(slot, _TERMS.size))

    def payload(self, slot: Buffer) -> memoryview:
        """Return the payload that is in the slot."""
        return memoryview(slot)[_START : _START + self.length]

    def total(self, own: Buffer, slots: Sequence[Buffer]) -> tuple[int, np.ndarray] | None:
        """Return the sums of all ranks' rows and vectors, where the slots are alike but for these.

        None where they are not: every rank then finds so, since one slot at least is not as its
        own. This is what nearly every compute comes to, and it takes a glance at each slot.

        Args:
            own: This rank's slot, of this head.
            slots: Those of all ranks.
        """
        if not self.summed or not fits(self.length, len(own)):
            return None
        start = bytes(own[:_ALIKE])
        if any(slot[:_ALIKE] != start for slot in slots):
            return None
        length = 1 + self.length // 8
        sums = reduce(np.add, [np.frombuffer(slot, "<i8", length, _ROWS) for slot in slots])
        return int(sums[0]), sums[1:]


def agreed(terms: bytes, slots: Sequence[Buffer]) -> bool:
    """Return whether all slots begin with these packed terms."""
    return all(slot[: _TERMS.size] == terms for slot in slots)


def fits(length: int, size: int) -> bool:
    """Return whether a slot of `size` bytes has room for a payload."""
    return _START + length <= size


def slot_bytes(world_size: int) -> int:
    """Return the size of the slot: 4 KiB, less in worlds where these would add up to a MiB."""
    return max(128, min(4096, (1 << 20) // world_size))
