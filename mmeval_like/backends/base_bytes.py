"""Backends whose library moves bytes: objects and arrays travel by a few primitives."""

from __future__ import annotations

import pickle
import struct
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from mmeval_like.backends.base import BaseDistBackend, operation
from mmeval_like.backends.reductions import Rewritten, rewrite
from mmeval_like.backends.slot_line import SlotLine
from mmeval_like.backends.wire import packing
from mmeval_like.backends.wire.packing import Buffer
from mmeval_like.backends.wire.slot_size import slot_bytes
from mmeval_like.errors import RemoteError, mixed_calls

__all__ = ["BytesDistBackend", "Description"]

Description: TypeAlias = tuple[Any, ...]  # what describes an array except its bytes

_MAGIC = b"MMEO1"  # begins the slot of an object; the slots of compute() begin with other bytes
_HERE = "every rank is here"
_SLOT = struct.Struct("<5s?Hq")  # magic; whether packing failed; bytes of form and of payload
_PADDED = 1 << 18  # bytes up to which one padded all-gather beats a broadcast from each rank


class BytesDistBackend(BaseDistBackend):
    """A backend that gathers and broadcasts bytes, so that metrics need only one small exchange.

    A subclass implements the identity (`is_initialized`, `rank`, `world_size`) and the two
    abstract methods below; it overrides other primitives where its library has them. If an object
    cannot be packed on one rank, that rank raises the error and the others raise `RemoteError`,
    within the same call. Arrays travel as their own memory, other objects as `packing.dumps` packs
    them.
    """

    @property
    def native_operations(self) -> frozenset[str]:
        """The operations of `reduce_flat`; others are gathered and combined here."""
        return frozenset()

    # Primitives --------------------------------------------------------------------------------
    # No result shares memory with `data`; only `broadcast_bytes` may return it, on rank `src`.

    @abstractmethod
    def all_gather_bytes(self, data: Buffer) -> Sequence[Buffer]:
        """Return every rank's `data` in rank order; the length is the same on every rank."""

    @abstractmethod
    def broadcast_bytes(self, data: Buffer | None, length: int, src: int = 0) -> Buffer:
        """Return rank `src`'s `data`, of `length` bytes, on every rank; others pass None."""

    def slot_line(self) -> SlotLine:
        """Return a line for exchanges of slots, which is the caller's until its `free`.

        A backend overrides it if its library moves messages faster in memory that it knows.
        """
        return SlotLine(self.world_size, self.all_gather_bytes)

    def all_gather_ragged_bytes(self, data: Buffer, lengths: Sequence[int]) -> Sequence[Buffer]:
        """Return every rank's `data` in rank order; every rank knows all `lengths`."""
        longest = max(lengths)
        if longest <= _PADDED:
            padded = bytearray(longest)
            padded[: len(data)] = data
            parts = self.all_gather_bytes(padded)
            return [part[:length] for part, length in zip(parts, lengths, strict=True)]
        # One broadcast per rank sends no padding: the sizes are often very uneven.
        gathered: list[Buffer] = []
        for src, length in enumerate(lengths):
            mine = self.rank == src
            sent = self.broadcast_bytes(data if mine else None, length, src) if length else b""
            gathered.append(bytearray(sent) if mine else sent)
        return gathered

    def gather_bytes(
        self, data: Buffer, lengths: Sequence[int], dst: int = 0
    ) -> Sequence[Buffer] | None:
        """Return what `all_gather_ragged_bytes` returns on rank `dst`, None on the others."""
        gathered = self.all_gather_ragged_bytes(data, lengths)
        return gathered if self.rank == dst else None

    def scatter_bytes(
        self, parts: Sequence[Buffer] | None, lengths: Sequence[int], src: int = 0
    ) -> Buffer:
        """Return element r of rank `src`'s `parts` on rank r; every rank knows all `lengths`."""
        joined = None if parts is None else b"".join(parts)
        sent = self.broadcast_bytes(joined, sum(lengths), src)
        start = sum(lengths[: self.rank])
        return bytearray(memoryview(sent)[start : start + lengths[self.rank]])

    def reduce_flat(self, array: np.ndarray, op: str, dst: int | None) -> np.ndarray | None:
        """Combine flat arrays of equal length, not in place; on all ranks when `dst` is None.

        It is called only for `native_operations`, on the element types of `reductions`.
        """
        raise NotImplementedError

    def sum_in_place(self, array: np.ndarray) -> None:
        """Replace a flat array of int64 by the sum of the ranks' arrays, modulo 2^64.

        By default it takes the memory of a second array; a backend overrides it if its library adds
        in place.
        """
        array[:] = self.all_reduce(array, "sum")

    def reduce_scatter_flat(self, array: np.ndarray, counts: Sequence[int], op: str) -> np.ndarray:
        """Combine arrays as `reduce_flat` does; rank r keeps part r, of `counts[r]` elements."""
        reduced = self.reduce_flat(array, op, None)
        assert reduced is not None
        start = sum(counts[: self.rank])
        return reduced[start : start + counts[self.rank]].copy()

    def describe(self, array: Any) -> tuple[Description, Buffer] | None:
        """Return an array's description and its memory; None for an object that must be pickled."""
        if type(array) is not np.ndarray or array.dtype.kind not in "?biufc":
            return None
        flat = np.ascontiguousarray(array).reshape(-1)
        return (array.dtype.str, array.shape), flat.view(np.uint8).data

    def rebuild(self, description: Description, data: Buffer, *, copy: bool) -> Any:
        """Return the array of a description; it uses `data` as its memory unless `copy` is true."""
        code, shape = description
        array = np.frombuffer(data, code).reshape(shape)
        keep = array.flags.aligned and array.flags.writeable and not copy
        return array if keep else array.copy()

    def meet(self, told: str = "") -> list[str]:
        """Wait until every rank has called this, before a call that would wait in the library.

        Args:
            told: A message for the other ranks.

        Returns:
            The texts of all ranks, in rank order.

        Raises:
            DisagreementError: Some ranks are in another call.
        """
        gathered = self.all_gather_object(_HERE + told)
        if not all(isinstance(one, str) and one.startswith(_HERE) for one in gathered):
            raise mixed_calls()
        return [one.removeprefix(_HERE) for one in gathered]

    # Objects: a slot has the length of a payload, and the payload itself where it fits ----------

    def all_gather_object(self, obj: Any) -> list[Any]:
        """Return every rank's `obj` in rank order; arrays travel as their memory."""
        parcel, slots = self._announce(obj)
        payloads: Sequence[Any] = [slot.inline for slot in slots]
        if any(payload is None for payload in payloads):
            payloads = self.all_gather_ragged_bytes(parcel.payload, [s.length for s in slots])
        return [self._unpack(s.form, data) for s, data in zip(slots, payloads, strict=True)]

    def gather_object(self, obj: Any, dst: int = 0) -> list[Any] | None:
        """Return every rank's `obj` in rank order on rank `dst`, None on the others."""
        parcel, slots = self._announce(obj)
        payloads: Sequence[Any] | None = [slot.inline for slot in slots]
        if any(slot.inline is None for slot in slots):
            payloads = self.gather_bytes(parcel.payload, [s.length for s in slots], dst)
        if payloads is None or self.rank != dst:
            return None
        return [self._unpack(s.form, data) for s, data in zip(slots, payloads, strict=True)]

    def broadcast_object(self, obj: Any, src: int = 0) -> Any:
        """Return rank `src`'s `obj` on every rank."""
        return self._broadcast(self._pack(obj) if self.rank == src else None, src)

    def scatter_object(self, objs: Sequence[Any] | None, src: int = 0) -> Any:
        """Return element r of rank `src`'s list on rank r."""
        # Packed one by one, so that a rank receives and unpacks its own object only.
        parcels: list[_Parcel] = []
        table = None
        if self.rank == src:
            parcels = [self._pack(obj) for obj in objs or ()]
            table = self._pack([(parcel.form, len(parcel.payload)) for parcel in parcels])
            if failures := [parcel for parcel in parcels if parcel.failure]:
                table = failures[0]
            elif len(parcels) != self.world_size:
                text = f"scatter needs one element for each of {self.world_size} ranks"
                table = _Parcel(failure=ValueError(f"{text}, got {len(parcels)}"))
        contents = self._broadcast(table, src)
        payloads = [parcel.payload for parcel in parcels] if self.rank == src else None
        payload = self.scatter_bytes(payloads, [length for _, length in contents], src)
        return self._unpack(contents[self.rank][0], payload)

    def _broadcast(self, parcel: _Parcel | None, src: int) -> Any:
        size = slot_bytes(self.world_size)
        slot = _Slot(self.broadcast_bytes(parcel.slot(size) if parcel else None, size, src))
        _raise_agreed({src: slot}, parcel)
        payload: Any = slot.inline
        if payload is None:
            payload = self.broadcast_bytes(parcel.payload if parcel else None, slot.length, src)
        return self._unpack(slot.form, payload, copy=parcel is not None)

    def _announce(self, obj: Any) -> tuple[_Parcel, list[_Slot]]:
        parcel = self._pack(obj)
        slot = parcel.slot(slot_bytes(self.world_size))
        slots = [_Slot(data) for data in self.all_gather_bytes(slot)]
        _raise_agreed(dict(enumerate(slots)), parcel)
        return parcel, slots

    def _pack(self, obj: Any) -> _Parcel:
        try:
            described = self.describe(obj)
            if described is None:
                return _Parcel(b"", packing.dumps(obj))
            description, data = described
            form = pickle.dumps(description)
            if _SLOT.size + len(form) > slot_bytes(self.world_size):
                return _Parcel(b"", packing.dumps(obj))
            return _Parcel(form, data)
        except Exception as error:  # the slots inform all ranks of it before it is raised
            return _Parcel(failure=error)

    def _unpack(self, form: bytes, payload: Buffer, copy: bool = False) -> Any:
        if not form:
            return packing.loads(payload)
        return self.rebuild(pickle.loads(form), payload, copy=copy)

    # Arrays: they travel as objects; only the arithmetic is left --------------------------------

    def all_reduce(self, array: Any, op: str = "sum") -> Any:
        """Combine equally shaped arrays, with the library's own operation where it has one."""
        task = self._native(array, op)
        if task is None:
            return super().all_reduce(array, op)
        reduced = self.reduce_flat(task.array, task.op, None)
        assert reduced is not None
        return task.restore(reduced).reshape(array.shape)

    def reduce(self, array: Any, dst: int = 0, op: str = "sum") -> Any | None:
        """As `all_reduce`, with the result on rank `dst` only and None on the others."""
        task = self._native(array, op)
        if task is None:
            return super().reduce(array, dst, op)
        reduced = self.reduce_flat(task.array, task.op, dst)
        return None if reduced is None else task.restore(reduced).reshape(array.shape)

    def reduce_scatter(self, arrays: Sequence[Any], op: str = "sum") -> Any:
        """Return, on rank r, the reduction of element r of all lists, in one exchange if it can."""
        if len({array.dtype for array in arrays}) != 1:
            return super().reduce_scatter(arrays, op)
        joined = np.concatenate([array.reshape(-1) for array in arrays])
        task = self._native(joined, op)
        if task is None:
            return super().reduce_scatter(arrays, op)
        width = len(task.array) // len(joined)  # a complex number is two floats
        counts = [array.size * width for array in arrays]
        mine = self.reduce_scatter_flat(task.array, counts, task.op)
        return task.restore(mine).reshape(arrays[self.rank].shape)

    def _native(self, array: np.ndarray, op: str) -> Rewritten | None:
        operation(op, array.dtype)  # raises TypeError where the operation is not defined
        if not self.native_operations or not array.size:
            return None
        task = rewrite(array, op)
        return task if task and task.op in self.native_operations else None


@dataclass
class _Parcel:
    """A packed object: its payload, and for an array its form, which is a pickled description."""

    form: bytes = b""
    payload: Buffer = b""
    failure: Exception | None = None

    def slot(self, size: int) -> bytearray:
        """Return the slot of `size` bytes: the form, and the payload where it fits."""
        form, payload = self.form, self.payload
        if self.failure is not None:
            text = f"{type(self.failure).__name__}: {self.failure}"
            payload = text.encode(errors="replace")[: size - _SLOT.size]
        slot = bytearray(size)
        _SLOT.pack_into(slot, 0, _MAGIC, self.failure is not None, len(form), len(payload))
        start = _SLOT.size + len(form)
        slot[_SLOT.size : start] = form
        if len(payload) <= size - start:
            slot[start : start + len(payload)] = payload
        return slot


class _Slot:
    """The slot that a rank sent; `inline` is None if the payload did not fit."""

    def __init__(self, data: Buffer) -> None:
        view = memoryview(data)
        magic, self.failed, form_length, self.length = _SLOT.unpack_from(view)
        if magic != _MAGIC:
            raise mixed_calls()
        start = _SLOT.size + form_length
        self.form = bytes(view[_SLOT.size : start])
        fits = self.length <= len(view) - start
        self.inline = view[start : start + self.length] if fits else None


def _raise_agreed(slots: dict[int, _Slot], own: _Parcel | None) -> None:
    failed = {rank: slot for rank, slot in slots.items() if slot.failed}
    if not failed:
        return
    if own is not None and own.failure is not None:
        raise own.failure
    texts = [bytes(slot.inline or b"").decode(errors="replace") for slot in failed.values()]
    raise RemoteError(list(failed), texts)
