"""The slot with which every compute begins: terms, a header, and the payload where it fits."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cache, reduce
from typing import NamedTuple, TypeAlias

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
    "sequence_of",
    "slot_bytes",
    "terms_of_failure",
]

NO_ROWS, WITH_IDS, WITHOUT_IDS = range(3)
MIXED = -1  # in place of the number of rows: the stores have different numbers

_INT64 = np.dtype("<i8")
_MAGIC = b"MMEL3"
_TERMS = struct.Struct("<5s??xQ8sq")
_HEAD = struct.Struct("<B?6xqqqq")
_START = struct.Struct(_TERMS.format + _HEAD.format[1:])  # its size is a multiple of 8
_ROWS = _START.size - 8  # their number, before the payload
_ALIKE = _ROWS - 8  # before what is of this rank alone


# What is the same on every rank unless something is wrong: whether this rank failed, whether
# missing ids are an error, how many computes came before, 8 bytes that stand for what is
# computed, and the size of the dataset, -1 for none.
Terms: TypeAlias = tuple[bool, bool, int, bytes, int]


def terms_of_failure(sequence: int) -> Terms:
    """Return the terms of a rank that has nothing to send but that it failed."""
    return True, True, sequence, bytes(8), -1


class Head(NamedTuple):
    """What every rank must know of a rank before it can read the payload."""

    ids: int = NO_ROWS  # or one of the others above
    summed: bool = False  # the payload is a vector of int64; those of all ranks are added
    tail: int = 0  # how many of the last rows the payload leaves unfolded
    length: int = 0  # of the payload, in bytes
    trimmable: int = 0  # how many of the last rows can be dropped
    rows: int = 0

    def slot(self, terms: Terms, payload: Buffer | np.ndarray, size: int) -> bytes:
        """Return the slot of `size` bytes: all but a payload that does not fit.

        Args:
            terms: They come first, so that ranks can compare their bytes.
            payload: What the head is of.
            size: As on every rank.
        """
        if not fits(self.length, size):
            payload = b""
        start = _START.pack(_MAGIC, *terms, *self)
        whole = b"".join([start, payload])  # type: ignore[list-item]  # arrays are buffers
        return whole.ljust(size, b"\0")

    @classmethod
    def unpack(cls, slot: Buffer) -> Head:
        """Return the head of a slot of `compute`."""
        return cls._make(_HEAD.unpack_from(slot, _TERMS.size))

    def payload(self, slot: Buffer) -> memoryview:
        """Return the payload that is in the slot."""
        return memoryview(slot)[_START.size : _START.size + self.length]

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
        start, length = own[:_ALIKE], 1 + self.length // 8
        vectors = []
        for slot in slots:
            if slot[:_ALIKE] != start:
                return None
            vectors.append(np.frombuffer(slot, _INT64, length, _ROWS))
        sums = reduce(np.add, vectors)
        return int(sums[0]), sums[1:]


def agreed(own: Buffer, slots: Sequence[Buffer]) -> bool:
    """Return whether all slots have the terms of this rank's own."""
    return all(slot[: _TERMS.size] == own[: _TERMS.size] for slot in slots)


def sequence_of(slot: Buffer) -> int:
    """Return how many computes came before that of a slot.

    Raises:
        DisagreementError: The slot is none of `compute`.
    """
    magic, _, _, sequence, *_ = _TERMS.unpack_from(slot)
    if magic != _MAGIC:
        raise DisagreementError(
            "the ranks are in different collective calls: one is in compute(), another in a "
            "call that is not this library's compute()"
        )
    return int(sequence)


def fits(length: int, size: int) -> bool:
    """Return whether a slot of `size` bytes has room for a payload."""
    return _START.size + length <= size


@cache  # asked at every compute
def slot_bytes(world_size: int) -> int:
    """Return the size of the slot: 4 KiB, less in worlds where these would add up to a MiB."""
    return max(128, min(4096, (1 << 20) // world_size))
