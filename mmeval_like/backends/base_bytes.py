"""Backends whose library moves bytes: object collectives on two primitives, failures agreed."""

from __future__ import annotations

import struct
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from mmeval_like import packing
from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.errors import RemoteError
from mmeval_like.packing import Buffer

__all__ = ["BytesDistBackend"]

_SLOT = struct.Struct("<?q")  # did packing fail here; how long the payload is
_SLOT_BYTES = 1024


class BytesDistBackend(BaseDistBackend):
    """A backend that gathers and broadcasts bytes; metrics then need one small exchange.

    A subclass implements the identity (`is_initialized`, `rank`, `world_size`) and the two
    abstract methods below. An object that cannot be pickled on one rank raises there, and
    `RemoteError` on the others, within the same call.
    """

    @abstractmethod
    def all_gather_bytes(self, data: Buffer) -> Sequence[Buffer]:
        """Return every rank's `data` in rank order; the length is the same on every rank."""

    @abstractmethod
    def broadcast_bytes(self, data: Buffer | None, length: int, src: int = 0) -> Buffer:
        """Return rank `src`'s `data`, of `length` bytes, on every rank; others pass None."""

    def all_gather_ragged_bytes(self, data: Buffer, lengths: Sequence[int]) -> Sequence[Buffer]:
        """Return every rank's `data` in rank order; every rank knows all `lengths`."""
        # One broadcast per rank sends no padding: the sizes are often very uneven.
        return [
            self.broadcast_bytes(data if self.rank == src else None, length, src) if length else b""
            for src, length in enumerate(lengths)
        ]

    def gather_bytes(
        self, data: Buffer, lengths: Sequence[int], dst: int = 0
    ) -> Sequence[Buffer] | None:
        """As `all_gather_ragged_bytes`, with the result on rank `dst` only, None elsewhere."""
        gathered = self.all_gather_ragged_bytes(data, lengths)
        return gathered if self.rank == dst else None

    # Objects: a slot says how long each payload is and carries it where it fits -----------------

    def all_gather_object(self, obj: Any) -> list[Any]:
        payload, lengths, slots = self._announce(obj)
        if max(lengths) > _SLOT_BYTES - _SLOT.size:
            payloads = self.all_gather_ragged_bytes(payload, lengths)
        else:
            payloads = _cut(slots, lengths)
        return [packing.loads(data) for data in payloads]

    def gather_object(self, obj: Any, dst: int = 0) -> list[Any] | None:
        payload, lengths, slots = self._announce(obj)
        if max(lengths) > _SLOT_BYTES - _SLOT.size:
            payloads = self.gather_bytes(payload, lengths, dst)
        else:
            payloads = _cut(slots, lengths) if self.rank == dst else None
        return None if payloads is None else [packing.loads(data) for data in payloads]

    def broadcast_object(self, obj: Any, src: int = 0) -> Any:
        payload: Buffer = b""
        failure: Exception | None = None
        if self.rank == src:
            try:
                payload = packing.dumps(obj)
            except Exception as error:  # agreed below, then raised
                failure = error
        slot = _slot(payload, failure) if self.rank == src else None
        first = self.broadcast_bytes(slot, _SLOT_BYTES, src)
        failed, length = _SLOT.unpack_from(first)
        if failed:
            _raise_agreed(failure, [src], self.rank)
        if length > _SLOT_BYTES - _SLOT.size:
            first = self.broadcast_bytes(payload if self.rank == src else None, length, src)
            return packing.loads(first)
        return packing.loads(_cut([first], [length])[0])

    def scatter_object(self, objs: Sequence[Any] | None, src: int = 0) -> Any:
        # Packed one by one, so that a rank unpacks its own object only.
        parts: list[Buffer] | None = None
        failure: Exception | None = None
        if self.rank == src:
            try:
                parts = [packing.dumps(obj) for obj in objs or ()]
            except Exception as error:
                failure = error
        announced = self.broadcast_object((failure is not None, parts), src)
        if announced[0]:
            _raise_agreed(failure, [src], self.rank)
        return packing.loads(announced[1][self.rank])

    def _announce(self, obj: Any) -> tuple[Buffer, list[int], Sequence[Buffer]]:
        payload: Buffer = b""
        failure: Exception | None = None
        try:
            payload = packing.dumps(obj)
        except Exception as error:
            failure = error
        slots = self.all_gather_bytes(_slot(payload, failure))
        headers = [_SLOT.unpack_from(slot) for slot in slots]
        failed = [rank for rank, (bad, _) in enumerate(headers) if bad]
        if failed:
            _raise_agreed(failure, failed, self.rank)
        return payload, [length for _, length in headers], slots


def _slot(payload: Buffer, failure: Exception | None) -> bytearray:
    slot = bytearray(_SLOT_BYTES)
    _SLOT.pack_into(slot, 0, failure is not None, len(payload))
    if len(payload) <= _SLOT_BYTES - _SLOT.size:
        slot[_SLOT.size : _SLOT.size + len(payload)] = payload
    return slot


def _cut(slots: Sequence[Buffer], lengths: Sequence[int]) -> list[Buffer]:
    start = _SLOT.size
    return [memoryview(slot)[start : start + n] for slot, n in zip(slots, lengths, strict=True)]


def _raise_agreed(failure: Exception | None, failed: list[int], rank: int) -> None:
    if failure is not None:
        raise failure
    text = "an object on that rank could not be pickled; the error is raised there"
    raise RemoteError(failed, [text] * len(failed))
