"""Backends over another one: small ones that are right, and one for every fault to be found."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.backends import BaseDistBackend
from mmeval_like.backends.base_bytes import BytesDistBackend
from mmeval_like.backends.wire.packing import Buffer


class Members(BaseDistBackend):
    """Five members over another backend; the base of the broken ones."""

    def __init__(self, inner: BaseDistBackend) -> None:
        self.inner = inner

    is_initialized = property(lambda self: self.inner.is_initialized)
    rank = property(lambda self: self.inner.rank)
    world_size = property(lambda self: self.inner.world_size)

    def all_gather_object(self, obj: Any) -> list[Any]:
        return self.inner.all_gather_object(obj)

    def broadcast_object(self, obj: Any, src: int = 0) -> Any:
        return self.inner.broadcast_object(obj, src)


class Bytes(BytesDistBackend):
    """A byte-moving backend over another; the base of the other broken ones."""

    def __init__(self, inner: BaseDistBackend) -> None:
        assert isinstance(inner, BytesDistBackend)
        self.inner = inner

    is_initialized = property(lambda self: self.inner.is_initialized)
    rank = property(lambda self: self.inner.rank)
    world_size = property(lambda self: self.inner.world_size)

    def all_gather_bytes(self, data: Buffer) -> Sequence[Buffer]:
        return self.inner.all_gather_bytes(data)

    def broadcast_bytes(self, data: Buffer | None, length: int, src: int = 0) -> Buffer:
        return self.inner.broadcast_bytes(data, length, src)


class ReverseOrder(Members):
    """Gathers from the last rank to the first."""

    def all_gather_object(self, obj: Any) -> list[Any]:
        return super().all_gather_object(obj)[::-1]


class OwnFirst(Members):
    """Gathers with one's own object first, as an arrival order would."""

    def all_gather_object(self, obj: Any) -> list[Any]:
        gathered = super().all_gather_object(obj)
        return [gathered.pop(self.rank), *gathered]


class ForgetsTheLast(Members):
    """Gathers from all ranks but one."""

    def all_gather_object(self, obj: Any) -> list[Any]:
        gathered = super().all_gather_object(obj)
        return gathered[:-1] if len(gathered) > 1 else gathered


class CutsToTheShortest(Members):
    """Gathers strings as long as the shortest of them."""

    def all_gather_object(self, obj: Any) -> list[Any]:
        gathered = super().all_gather_object(obj)
        if not all(isinstance(part, str) for part in gathered):
            return gathered
        return [part[: min(map(len, gathered))] for part in gathered]


class Aliases(Members):
    """Puts the caller's own object into the result."""

    def all_gather_object(self, obj: Any) -> list[Any]:
        gathered = super().all_gather_object(obj)
        gathered[self.rank] = obj
        return gathered


class AliasesOnBroadcast(Members):
    """Gives the root its own object back."""

    def broadcast_object(self, obj: Any, src: int = 0) -> Any:
        received = super().broadcast_object(obj, src)
        return obj if self.rank == src else received


class IgnoresSrc(Members):
    """Broadcasts from rank 0, whoever is asked for."""

    def broadcast_object(self, obj: Any, src: int = 0) -> Any:
        return super().broadcast_object(obj, 0)


class LooksAtEveryArgument(Members):
    """Broadcasts by gathering, so that it pickles what it should ignore."""

    def broadcast_object(self, obj: Any, src: int = 0) -> Any:
        return self.all_gather_object(obj)[src]


class WrongRank(Members):
    """Counts ranks from 1."""

    rank = property(lambda self: self.inner.rank + 1)


class LosesDtypes(Members):
    """Turns arrays into lists and back."""

    def all_gather(self, array: np.ndarray) -> list[np.ndarray]:
        return [np.array(part) for part in self.all_gather_object(array.tolist())]


class WritesItsInput(Members):
    """Reduces in place."""

    def all_reduce(self, array: np.ndarray, op: str = "sum") -> np.ndarray:
        reduced = super().all_reduce(array, op)
        if array.flags.writeable:
            array[...] = reduced
        return reduced


class AlwaysSums(Members):
    """Takes every operation for a sum."""

    def all_reduce(self, array: np.ndarray, op: str = "sum") -> np.ndarray:
        return super().all_reduce(array, "sum")


class LosesNan(Members):
    """Takes the maximum as C's comparison does."""

    def all_reduce(self, array: np.ndarray, op: str = "sum") -> np.ndarray:
        if op != "max" or array.dtype.kind != "f":
            return super().all_reduce(array, op)
        return np.array(np.fmax.reduce(self.all_gather(array)), array.dtype)


class RanksDiffer(Members):
    """Adds a rounding error on one rank."""

    def all_reduce(self, array: np.ndarray, op: str = "sum") -> np.ndarray:
        reduced = super().all_reduce(array, op)
        if self.rank == 1 and array.dtype == np.float64:
            reduced = np.nextafter(reduced, np.inf)
        return reduced


class SwapsScatter(Members):
    """Scatters in the wrong order."""

    def scatter_object(self, objs: Sequence[Any] | None, src: int = 0) -> Any:
        return super().scatter_object(None if objs is None else objs[::-1], src)


class GivesToAll(Members):
    """Gathers to every rank when one was named."""

    def gather_object(self, obj: Any, dst: int = 0) -> list[Any] | None:
        return self.all_gather_object(obj)


class PadsRaggedBytes(Bytes):
    """Sends as many bytes as the longest has."""

    def all_gather_ragged_bytes(self, data: Buffer, lengths: Sequence[int]) -> Sequence[Buffer]:
        padded = bytes(data).ljust(max(lengths), b"\0")
        return self.all_gather_bytes(padded)


class TurnsPiecesRound(Bytes):
    """Has what the ranks send to it in the wrong order."""

    def all_to_all_pieces(
        self, sent: np.ndarray, counts: Sequence[int], room: np.ndarray, lengths: Sequence[int]
    ) -> Sequence[Buffer]:
        return super().all_to_all_pieces(sent, counts, room, lengths)[::-1]


class FailsAlone(Bytes):
    """Packs before it tells the others."""

    def all_gather_object(self, obj: Any) -> list[Any]:
        self.describe(obj)
        parcel = self._pack(obj)
        if parcel.failure:
            self.inner.barrier()
            raise parcel.failure
        return super().all_gather_object(obj)


class SharesMemory(Bytes):
    """Gives the root its own bytes back as if they were new."""

    def broadcast_bytes(self, data: Buffer | None, length: int, src: int = 0) -> Buffer:
        received = super().broadcast_bytes(data, length, src)
        return received if data is None else data

    def rebuild(self, description: Any, data: Buffer, *, copy: bool) -> Any:
        return super().rebuild(description, data, copy=False)


BROKEN = [
    ReverseOrder,
    OwnFirst,
    ForgetsTheLast,
    CutsToTheShortest,
    Aliases,
    AliasesOnBroadcast,
    IgnoresSrc,
    LooksAtEveryArgument,
    WrongRank,
    LosesDtypes,
    WritesItsInput,
    AlwaysSums,
    LosesNan,
    RanksDiffer,
    SwapsScatter,
    GivesToAll,
    PadsRaggedBytes,
    TurnsPiecesRound,
    FailsAlone,
    SharesMemory,
]
