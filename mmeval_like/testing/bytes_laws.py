"""The laws of backends that move bytes: for bytes, and for objects that cannot be packed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.backends.base_bytes import BytesDistBackend
from mmeval_like.backends.rounds import ROUND
from mmeval_like.backends.wire.slot_size import slot_bytes
from mmeval_like.errors import RemoteError
from mmeval_like.testing.findings import Findings, Unsupported

__all__ = ["BYTES_LAWS", "PARTS", "PARTS_LAWS"]


def moves_bytes(backend: BaseDistBackend, found: Findings) -> None:
    """The primitives carry any number of bytes, in rank order, from and to any rank."""
    moving = _bytes_backend(backend)
    rank, size = backend.rank, backend.world_size
    for length in (0, 1, 1024, 4096, 300_001):
        for kind in (bytes, bytearray, memoryview):
            same = [_bytes(other, length) for other in range(size)]
            mine = kind(same[rank])
            found.same(f"{length} bytes", same, _received, moving.all_gather_bytes, mine)
        root = length % size
        here = rank == root
        given = same[root] if here else None
        what = f"broadcast_bytes of {length}"
        found.same(what, same[root], _received, moving.broadcast_bytes, given, length, root)
        lengths = [length * (other % 3) for other in range(size)]
        parts = [_bytes(other, n) for other, n in enumerate(lengths)]
        mine, what = parts[rank], f"ragged bytes, {lengths}"
        found.same(what, parts, _received, moving.all_gather_ragged_bytes, mine, lengths)
        on_root, what = parts if here else None, f"gather_bytes, {lengths}"
        found.same(what, on_root, _received, moving.gather_bytes, mine, lengths, root)
        what = f"scatter_bytes, {lengths}"
        found.same(what, mine, _received, moving.scatter_bytes, on_root, lengths, root)


def agrees_on_failures(backend: BaseDistBackend, found: Findings) -> None:
    """An object that cannot be packed raises there, RemoteError elsewhere; the backend goes on."""
    _bytes_backend(backend)
    rank, size = backend.rank, backend.world_size
    for bad in range(size):
        obj: Any = threading.Lock() if rank == bad else "good"
        objs = [*["good"] * (size - 1), obj] if rank == bad else None
        kind = TypeError if rank == bad else RemoteError
        calls: list[tuple[Callable[..., Any], list[Any]]] = [
            (backend.all_gather_object, [obj]),
            (backend.gather_object, [obj]),
            (backend.broadcast_object, [obj, bad]),
            (backend.scatter_object, [objs, bad]),
        ]
        for call, args in calls:
            found.raises(f"{call.__name__}, not packable on rank {bad}", kind, call, *args)
            everyone = list(range(size))
            found.same(f"after {call.__name__}", everyone, backend.all_gather_object, rank)
    if size > 1:
        short, error = (["one"], ValueError) if rank == 0 else (None, RemoteError)
        found.raises("a list too short", error, backend.scatter_object, short)


def passes_parts_all_to_all(backend: BaseDistBackend, found: Findings) -> None:
    """Part r of every rank arrives on rank r as a copy, for any lengths."""
    rank, size = backend.rank, backend.world_size
    for length, kind in ((0, bytes), (1, bytearray), (1024, memoryview), (300_001, _array)):
        sent = [[_part(s, r, length * ((s + 2 * r) % 3)) for r in range(size)] for s in range(size)]
        what, mine = f"parts of {length} bytes", [kind(part) for part in sent[rank]]
        expected = [parts[rank] for parts in sent]
        found.same(what, expected, _received, backend.all_to_all_bytes, mine)
    large = ROUND // size + 1  # for one pair of ranks, more than a round carries
    mine = [b"x" * large if rank == 0 and r == size - 1 else b"" for r in range(size)]
    expected = [b"x" * large if rank == size - 1 and s == 0 else b"" for s in range(size)]
    found.same("one large part", expected, _received, backend.all_to_all_bytes, mine)
    array = np.full(5, rank)
    zeros = [bytes(array.nbytes)] * size
    found.same("zeros written over it", zeros, _overwritten, backend.all_to_all_bytes, array, size)
    found.expect(
        (array == rank).all(),
        "all_to_all_bytes returned memory of the array that this rank passed: return a copy",
    )
    parts, error = ([b""] * size, RemoteError) if rank else ([b""] * (size + 1), ValueError)
    found.raises("a part too many", error, backend.all_to_all_bytes, parts)
    found.same("after it", [b""] * size, _received, backend.all_to_all_bytes, [b""] * size)


def _bytes_backend(backend: BaseDistBackend) -> BytesDistBackend:
    if not isinstance(backend, BytesDistBackend):
        raise Unsupported("has the five members only, and moves no bytes")
    return backend


def _bytes(rank: int, length: int) -> bytes:
    return bytes([rank, 255, 0, 7] * (length // 4 + 1))[:length]


def _part(sender: int, receiver: int, length: int) -> bytes:
    return _bytes((16 * sender + receiver) % 256, length)


def _array(data: bytes) -> np.ndarray:
    return np.frombuffer(data, np.uint8)


def _overwritten(call: Callable[..., Any], array: np.ndarray, size: int) -> list[bytes]:
    """Send the array to every rank, and write zeros over what arrives."""
    arrived = call([array] * size)
    for buffer in arrived:
        memoryview(buffer)[:] = bytes(len(buffer))
    return [bytes(buffer) for buffer in arrived]


def _received(call: Callable[..., Any], *args: Any) -> Any:
    """Make a call and return the buffers that it returns as `bytes`."""
    result = call(*args)
    if result is None:
        return None
    return [bytes(part) for part in result] if isinstance(result, list | tuple) else bytes(result)


def exchanges_slots(backend: BaseDistBackend, found: Findings) -> None:
    """A line carries one slot after another; a line in use is not disturbed by another one."""
    moving = _bytes_backend(backend)
    rank, size = backend.rank, backend.world_size
    length = slot_bytes(size)

    def slots(turn: int) -> list[bytes]:
        return [_bytes(other + turn, length) for other in range(size)]

    for turn in range(3):  # the later ones may use the memory of the first one
        line = moving.slot_line()
        found.same("ranks of a line", size, lambda line=line: line.ranks)
        received = line.exchange(slots(turn)[rank])
        found.same(f"slots, exchange {turn}", slots(turn), lambda got=received: [*map(bytes, got)])
        inner = moving.slot_line()
        found.same("a second line", slots(9), _received, inner.exchange, slots(9)[rank])
        inner.free()
        found.same("slots that are in use", slots(turn), lambda got=received: [*map(bytes, got)])
        line.free()
    everyone = list(range(size))
    found.same("objects between slots", everyone, backend.all_gather_object, rank)


def sums_in_place(backend: BaseDistBackend, found: Findings) -> None:
    """The sum of int64 replaces the array, modulo 2^64."""
    moving = _bytes_backend(backend)
    rank, size = backend.rank, backend.world_size
    for length in (1, 70, 300_001):
        several = [np.arange(length) * 3**39 + 2**62 + other for other in range(size)]
        array, total = several[rank].copy(), np.add.reduce(several)

        def added(array: np.ndarray = array) -> np.ndarray:
            moving.sum_in_place(array)
            return array

        found.same(f"a sum of {length} in place", total, added)


BYTES_LAWS = {
    "bytes: any length, any root": moves_bytes,
    "slots: one after another, and in turns": exchanges_slots,
    "int64: sums in place": sums_in_place,
    "failures are agreed": agrees_on_failures,
}

PARTS = "all_to_all_bytes: any lengths"

PARTS_LAWS = {PARTS: passes_parts_all_to_all}
