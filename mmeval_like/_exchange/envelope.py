"""The envelope of a message: terms and a header, before the payload in a slot."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from mmeval_like._samples.rows_digest import NOTHING
from mmeval_like.backends.wire.packing import Buffer
from mmeval_like.errors import mixed_calls

__all__ = [
    "IDS",
    "MIXED",
    "NO_ROWS",
    "TEXT_IDS",
    "UNKNOWN",
    "WITHOUT_IDS",
    "WITH_IDS",
    "Head",
    "Terms",
    "agree",
    "fits",
    "read_terms",
    "sum_of",
]

NO_ROWS, WITH_IDS, WITHOUT_IDS, TEXT_IDS = range(4)
IDS = {WITH_IDS, TEXT_IDS}
MIXED = -1  # the number of rows if the stores have different numbers of rows
UNKNOWN = -1  # a number of resets that the ranks do not compare

_INT64 = np.dtype("<i8")
_MAGIC = b"MMEL7"
_TERMS = struct.Struct("<5s??xIi8sq")
_HEAD = struct.Struct("<B??xIqqq8sqq")
_START = struct.Struct(_TERMS.format + _HEAD.format[1:])  # its size is a multiple of 8
# The offset of the number of rows, which is the last field before the payload.
_ROWS = _START.size - 8
_ALIKE = _ROWS - 16  # the offset of the first field in which ranks may differ


class Terms(NamedTuple):
    """The fields that are equal on all ranks unless something is wrong."""

    failed: bool = True  # whether this rank failed; it then sends nothing else
    strict: bool = True  # whether missing ids are an error
    number: int = 0  # how many equal metrics were constructed before this one
    resets: int = 0  # how often this one was reset since the last compute; or UNKNOWN
    digest: bytes = bytes(8)  # the fingerprint of the metric and its options
    size: int = -1  # the number of samples of the dataset; -1: not given


class Head(NamedTuple):
    """The header of a slot: what other ranks must know before they can read the payload."""

    ids: int = NO_ROWS  # NO_ROWS, WITHOUT_IDS, WITH_IDS or TEXT_IDS
    clustered: bool = False  # whether the samples have `clusters=`
    summed: bool = False  # whether the payload is a vector of int64, to be added to the others
    turn: int = 0  # the number that the rank gives to this exchange
    tail: int = 0  # how many of the last rows the payload leaves unfolded
    length: int = 0  # the number of bytes of the payload
    padding: int = 0  # how many rows of all ranks together may be padding
    sample: bytes = NOTHING  # the digest of the first rows
    droppable: int = 0  # how many of the last rows can be dropped
    rows: int = 0

    def slot(self, terms: Terms, payload: Sequence[Any], size: int) -> bytes:
        """Return the slot of `size` bytes, without the payload if it does not fit.

        Args:
            terms: The terms; they come first, so that ranks can compare their bytes.
            payload: The pieces of the payload that this header describes.
            size: The size of the slot, the same on every rank.
        """
        if not fits(self.length, size):
            payload = []
        start = _START.pack(_MAGIC, *terms, *self)
        return b"".join([start, *payload]).ljust(size, b"\0")

    @classmethod
    def unpack(cls, slot: Buffer) -> Head:
        """Return the header of a slot of `compute`."""
        return cls._make(_HEAD.unpack_from(slot, _TERMS.size))

    def payload(self, slot: Buffer) -> memoryview:
        """Return the payload that is in the slot."""
        return memoryview(slot)[_START.size : _START.size + self.length]


def sum_of(length: int, own: Buffer, slots: Sequence[Buffer]) -> tuple[int, np.ndarray] | None:
    """Return the sums of all ranks' rows and vectors, if the slots differ in nothing else.

    If they differ, every rank gets None, since at least one slot differs from its own. Nearly every
    compute takes this path, which reads each slot once. The sums share no memory with the slots.

    Args:
        length: The number of bytes of the vector in this rank's slot.
        own: This rank's slot.
        slots: The slots of all ranks, at least two.
    """
    start, numbers = own[:_ALIKE], 1 + length // 8
    vectors = []
    for slot in slots:
        if slot[:_ALIKE] != start:
            return None
        vectors.append(np.frombuffer(slot, _INT64, numbers, _ROWS))
    rows = sum([vector.item(0) for vector in vectors])  # int64 could overflow
    return rows, reduce(np.add, vectors)[1:]


def read_terms(slot: Buffer) -> Terms:
    """Return the terms of a slot.

    Raises:
        DisagreementError: The slot is not from `compute`.
    """
    magic, *terms = _TERMS.unpack_from(slot)
    if magic != _MAGIC:
        raise mixed_calls()
    return Terms._make(terms)


def agree(terms: Sequence[Terms]) -> bool:
    """Return whether all ranks compute the same, and none has failed."""
    resets = {rank_terms.resets for rank_terms in terms} - {UNKNOWN}
    others = {rank_terms._replace(resets=0) for rank_terms in terms}
    return len(others) == 1 and len(resets) <= 1 and not terms[0].failed


def fits(length: int, size: int) -> bool:
    """Return whether a slot of `size` bytes has room for a payload."""
    return _START.size + length <= size
