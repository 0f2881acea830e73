"""MPI, through mpi4py: Open MPI, MPICH and whatever else mpi4py finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np
from mpi4py import MPI

from mmeval_like.backends.base import OPERATIONS, Group, check_timeout
from mmeval_like.backends.base_bytes import BytesDistBackend
from mmeval_like.backends.forks import refuse_inherited
from mmeval_like.backends.mpi4py.wait import check_order, unfinished, wait
from mmeval_like.backends.mpi4py.world import check_world
from mmeval_like.backends.rounds import cut
from mmeval_like.backends.wire.packing import Buffer

__all__ = ["MPI4PyDist"]

Buffers: TypeAlias = Sequence[Buffer]

# MPI's names are the first four letters in capitals: SUM, PROD, MIN, MAX, BAND, BOR, BXOR.
_OPERATIONS = {op: getattr(MPI, op[:4].upper()) for op in OPERATIONS}

_MOST = 1 << 30
"""The largest number of bytes in one call: before MPI 4, counts and places have 32 bits."""


class MPI4PyDist(BytesDistBackend):
    """The ranks of an MPI communicator.

    Messages travel on a duplicate of the communicator, created at the first exchange (collectively,
    like every exchange), so that they never mix with the program's own. `comm.Free()` waits for the
    computations that `compute_async` has begun, and frees the duplicates.

    Args:
        comm: An intracommunicator; None for `MPI.COMM_WORLD`.
        timeout: Seconds after which a collective that some rank did not join raises
            `SyncTimeoutError`; None waits forever, as MPI itself does. MPI cannot be finalised
            after a timeout: when the process ends, it ends the whole job with exit code 1.

    Raises:
        ValueError: `comm` is not an intracommunicator of this process, or `timeout` is not
            positive.

    Example:
        >>> from mpi4py import MPI
        >>> backend = MPI4PyDist(MPI.COMM_SELF, timeout=60)
        >>> backend.rank, backend.world_size, backend.all_gather_object("mine")
        (0, 1, ['mine'])
    """

    native_operations = frozenset(_OPERATIONS)

    def __init__(self, comm: Any = None, timeout: float | None = 1800.0) -> None:
        if comm is not None and (comm == MPI.COMM_NULL or comm.Is_inter()):
            raise ValueError("comm must be an intracommunicator that contains this process")
        check_timeout(timeout)
        self._given = comm
        self._timeout = timeout

    @property
    def is_initialized(self) -> bool:
        """Whether the program gave a communicator, or the world has several ranks.

        Importing mpi4py initialises MPI even in a process that no launcher started.
        """
        return _usable() and (self._given is not None or self.world_size > 1)

    @property
    def rank(self) -> int:
        """The rank in the communicator."""
        return self._parent().Get_rank() if _usable() else 0

    @property
    def world_size(self) -> int:
        """The size of the communicator.

        Raises:
            LauncherMismatchError: The launcher of one MPI implementation started a program with
                the library of another, in which each process is a separate world.
        """
        return self._parent().Get_size() if _usable() else 1

    @property
    def group(self) -> object:
        """The object that identifies the communicator; the communicator has it as an attribute."""
        return self._group() if _usable() else self

    def __reduce__(self) -> tuple[type, tuple[Any, float | None]]:
        # mpi4py rejects communicators that the program made: they exist in one process only.
        return type(self), (self._given, self._timeout)

    def duplicate(self) -> MPI4PyDist:
        """Return a backend that uses a duplicate of the communicator.

        Raises:
            RuntimeError: MPI was not initialised for several threads.
        """
        if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
            raise RuntimeError(
                "compute_async() exchanges messages on a separate thread, but MPI was not "
                "initialised with MPI.THREAD_MULTIPLE, which is mpi4py's default: see "
                "mpi4py.rc.thread_level, or call compute()"
            )
        self.meet()
        twin = self._duplicate_of(self._comm())
        self._group().twins.append(twin)
        return type(self)(twin, self._timeout)

    def all_gather_bytes(self, data: Buffer) -> Buffers:
        """Return every rank's `data`, of the same length everywhere, in rank order."""
        out = np.empty((self.world_size, len(data)), np.uint8)
        self._wait(lambda comm: comm.Iallgather([data, MPI.BYTE], [out, MPI.BYTE]), out.nbytes)
        return [row.data for row in out]

    def all_gather_ragged_bytes(self, data: Buffer, lengths: Sequence[int]) -> Buffers:
        """Return every rank's `data`, of any known lengths, in rank order."""
        if sum(lengths) > _MOST:
            return super().all_gather_ragged_bytes(data, lengths)
        out = np.empty(sum(lengths), np.uint8)
        into = [out, lengths, MPI.BYTE]
        self._wait(lambda comm: comm.Iallgatherv([data, MPI.BYTE], into), out.nbytes)
        return _cut(out, lengths)

    def gather_bytes(self, data: Buffer, lengths: Sequence[int], dst: int = 0) -> Buffers | None:
        """Return every rank's `data` on rank `dst`, None elsewhere."""
        if sum(lengths) > _MOST:
            return super().gather_bytes(data, lengths, dst)
        into = [np.empty(sum(lengths), np.uint8), lengths, MPI.BYTE] if self.rank == dst else None
        self._wait(lambda comm: comm.Igatherv([data, MPI.BYTE], into, root=dst), sum(lengths))
        return _cut(into[0], lengths) if into else None

    def scatter_bytes(
        self, parts: Sequence[Buffer] | None, lengths: Sequence[int], src: int = 0
    ) -> Buffer:
        """Return element r of rank `src`'s `parts` on rank r."""
        if sum(lengths) > _MOST:
            return super().scatter_bytes(parts, lengths, src)
        out = np.empty(lengths[self.rank], np.uint8)
        source = None if parts is None else [b"".join(parts), lengths, MPI.BYTE]
        self._wait(lambda comm: comm.Iscatterv(source, [out, MPI.BYTE], root=src), sum(lengths))
        return out.data

    def all_to_all_pieces(
        self, sent: np.ndarray, counts: Sequence[int], room: np.ndarray, lengths: Sequence[int]
    ) -> Buffers:
        """Carry one round of `all_to_all_bytes`, with one all-to-all of MPI."""
        given = [sent, counts, MPI.BYTE], [room, lengths, MPI.BYTE]
        self._wait(lambda comm: comm.Ialltoallv(*given), sent.nbytes + room.nbytes)
        return _cut(room, lengths)

    def broadcast_bytes(self, data: Buffer | None, length: int, src: int = 0) -> Buffer:
        """Return rank `src`'s `data` on every rank."""
        buffer = np.empty(length, np.uint8).data if data is None else data
        view = memoryview(buffer)
        for start in range(0, max(length, 1), _MOST):
            piece = view[start : start + _MOST]
            self._wait(partial(_broadcast, piece, src), len(piece))
        return buffer

    def reduce_flat(self, array: np.ndarray, op: str, dst: int | None) -> np.ndarray | None:
        """Combine flat arrays element by element."""
        out = np.empty_like(array)
        given = array, out, _OPERATIONS[op]
        if dst is None:
            self._wait(lambda comm: comm.Iallreduce(*given), array.nbytes)
        else:
            self._wait(lambda comm: comm.Ireduce(*given, root=dst), array.nbytes)
        return out if dst in (None, self.rank) else None

    def sum_in_place(self, array: np.ndarray) -> None:
        """Replace a flat array of int64 by the sum of the ranks' arrays."""
        given = MPI.IN_PLACE, array, _OPERATIONS["sum"]
        self._wait(lambda comm: comm.Iallreduce(*given), array.nbytes)

    def reduce_scatter_flat(self, array: np.ndarray, counts: Sequence[int], op: str) -> np.ndarray:
        """Combine flat arrays; rank r keeps part r."""
        out = np.empty(counts[self.rank], array.dtype)
        given = array, out, counts, _OPERATIONS[op]
        self._wait(lambda comm: comm.Ireduce_scatter(*given), array.nbytes)
        return out

    def _parent(self) -> Any:
        check_world("mpi4py", MPI.COMM_WORLD.Get_size(), MPI.get_vendor()[0])
        return MPI.COMM_WORLD if self._given is None else self._given

    def _comm(self) -> Any:
        refuse_inherited("mpi4py.MPI")
        if not _usable():
            raise RuntimeError("MPI is not initialised, or already finalised")
        check_order()
        group = self._group()
        if group.duplicate is None:
            group.duplicate = self._duplicate_of(self._parent())
        return group.duplicate

    def _group(self) -> _Communicator:
        comm, key = self._parent(), _key()
        group: _Communicator | None = comm.Get_attr(key)
        if group is None:
            group = _Communicator()
            comm.Set_attr(key, group)
        return group

    def _duplicate_of(self, comm: Any) -> Any:
        made: list[Any] = []  # MPI writes into it until `wait` has returned

        def begin() -> Any:
            duplicate, request = comm.Idup()
            made.append(duplicate)
            return request

        wait(begin, 0, self._timeout, self._group().duplicate)
        return made[0]

    def _wait(self, begin: Callable[[Any], Any], size: int) -> None:
        comm = self._comm()
        wait(partial(begin, comm), size, self._timeout, comm)


class _Communicator(Group):
    """A communicator of the program, and its duplicates.

    Attributes:
        duplicate: The communicator of our messages; None before the first message.
        twins: The communicators of the backends that `MPI4PyDist.duplicate` returned.
    """

    def __init__(self) -> None:
        super().__init__()
        self.duplicate: Any = None
        self.twins: list[Any] = []

    def end(self) -> None:
        """Free the duplicates, once other threads have finished their exchanges in them."""
        for finish in self.before_end:
            finish()
        # Where a collective was given up, the end of the process ends the job.
        if not unfinished():
            for comm in (*self.twins, self.duplicate):
                if comm is not None:
                    comm.Free()


@cache  # made at the first use: MPI may not be initialised before
def _key() -> int:
    def end(comm: Any, key: int, group: _Communicator) -> None:
        # MPI_Finalize calls this too, for the communicators that were never freed.
        if comm not in (MPI.COMM_WORLD, MPI.COMM_SELF):
            group.end()

    key: int = MPI.Comm.Create_keyval(delete_fn=end)
    return key


def _broadcast(piece: memoryview, src: int, comm: Any) -> Any:
    return comm.Ibcast([piece, MPI.BYTE], root=src)


def _cut(joined: np.ndarray, lengths: Sequence[int]) -> Buffers:
    return [piece.data for piece in cut(joined, lengths)]


def _usable() -> bool:
    return MPI.Is_initialized() and not MPI.Is_finalized()
