"""The interface of a communication backend: five abstract members; all others have defaults."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mmeval_like.backends.rounds import Parts, cut, in_rounds
from mmeval_like.backends.wire.packing import Buffer
from mmeval_like.errors import RemoteError

__all__ = ["OPERATIONS", "BaseDistBackend", "Group", "check_timeout", "combined", "operation"]

OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": np.add,
    "product": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "band": np.bitwise_and,
    "bor": np.bitwise_or,
    "bxor": np.bitwise_xor,
}
"""The reductions every backend knows, by name, as element-wise functions of two arrays."""


def operation(op: str, dtype: np.dtype) -> Callable[[Any, Any], Any]:
    """Return the element-wise function of a reduction of arrays of this dtype.

    Raises:
        ValueError: The operation is unknown.
        TypeError: The dtype is not numeric, or a bitwise operation was requested for a dtype
            other than integer or boolean.
    """
    if op not in OPERATIONS:
        raise ValueError(f"unknown op {op!r}; the operations are {', '.join(OPERATIONS)}")
    if dtype.kind in "OSUMm" or dtype.names is not None:
        raise TypeError(f"op {op!r} needs numbers, got {dtype}")
    if op in ("band", "bor", "bxor") and dtype.kind not in "biu":  # bfloat16 is of kind "V"
        raise TypeError(f"op {op!r} needs integers or booleans, got {dtype}")
    return OPERATIONS[op]


def check_timeout(timeout: float | None) -> None:
    """Raise ValueError if a time limit is neither a positive number of seconds nor None."""
    if timeout is not None and not timeout > 0:
        raise ValueError(f"timeout must be positive or None, got {timeout}")


class Group:
    """A group of processes, for libraries that have no object for it.

    Attributes:
        before_end: Functions that a backend calls before it ends the group; they return when
            nothing uses the group's duplicates any more.
    """

    def __init__(self) -> None:
        self.before_end: list[Callable[[], None]] = []


class BaseDistBackend(ABC):
    """What a metric needs from a communication library.

    A subclass that implements the five abstract members is a complete backend. All other methods
    are built on these; a backend overrides a method if its library has this operation. All ranks of
    a group must make the same calls in the same order.

    Arrays are numpy arrays, unless `accepts` of the subclass also allows arrays of its library.
    No method writes into its arguments, and results share no memory with them.

    Example:
        >>> from mmeval_like.backends import get_dist_backend
        >>> backend = get_dist_backend("non_dist")
        >>> backend.all_gather_object("mine"), backend.broadcast_object("mine")
        (['mine'], 'mine')
    """

    @property
    @abstractmethod
    def is_initialized(self) -> bool:
        """Whether the library's communication environment is ready to use."""

    @property
    @abstractmethod
    def rank(self) -> int:
        """The index of this process in its group; 0 when not initialised."""

    @property
    @abstractmethod
    def world_size(self) -> int:
        """The number of processes in the group; 1 when not initialised."""

    @abstractmethod
    def all_gather_object(self, obj: Any) -> list[Any]:
        """Return every rank's picklable `obj`, on every rank, in rank order."""

    @abstractmethod
    def broadcast_object(self, obj: Any, src: int = 0) -> Any:
        """Return rank `src`'s picklable `obj` on every rank; other ranks' `obj` is ignored."""

    @property
    def transport(self) -> str:
        """The usual name of the message library; by default the name of the module or folder."""
        return type(self).__module__.removesuffix(".backend").rpartition(".")[2]

    @property
    def group(self) -> object:
        """The object that identifies the group of processes of this backend.

        All backends of one group in this process return the same object; after the group was left
        and a new one was created, they return a different object. Counters of each group can be
        kept in a `WeakKeyDictionary` with these keys: the object can be hashed and weakly
        referenced, and lives as long as the group. By default it is the backend itself.
        """
        return self

    def duplicate(self) -> BaseDistBackend:
        """Return a backend of the same ranks, whose messages never mix with those of this backend.

        Another thread may use it at the same time. All ranks must call this method.

        Raises:
            NotImplementedError: The library or this backend does not support a second group.
        """
        raise NotImplementedError(
            f"{type(self).__name__} has no second group of the same ranks, which compute_async() "
            f"needs: call compute(), or use torch or MPI"
        )

    # Objects -------------------------------------------------------------------------------

    def gather_object(self, obj: Any, dst: int = 0) -> list[Any] | None:
        """Return every rank's `obj` in rank order on rank `dst`, None on the others."""
        gathered = self.all_gather_object(obj)
        return gathered if self.rank == dst else None

    def scatter_object(self, objs: Sequence[Any] | None, src: int = 0) -> Any:
        """Return element r of rank `src`'s list on rank r; other ranks pass None.

        Raises:
            ValueError: The list on `src` does not have one element for each rank; the other ranks
                raise `RemoteError`.
        """
        failure: ValueError | None = None
        if self.rank == src and (objs is None or len(objs) != self.world_size):
            given = "None" if objs is None else f"{len(objs)}"
            failure = ValueError(f"one element for each of {self.world_size} ranks, got {given}")
        text, everyone = self.broadcast_object((failure and str(failure), objs), src)
        if failure is not None:
            raise failure
        if text is not None:
            raise RemoteError([src], [text])
        return everyone[self.rank]

    def barrier(self) -> None:
        """Wait until every rank of the group has called `barrier`."""
        self.all_gather_object(None)

    # Bytes ---------------------------------------------------------------------------------

    def all_to_all_bytes(self, parts: Sequence[Buffer]) -> list[Buffer]:
        """Return what every rank sent to this one, in rank order: `parts[r]` goes to rank r.

        The parts may have any lengths, including 0, and only the sender needs to know them. They
        travel in rounds of bounded size: in addition to its parts and the result, a rank holds at
        most 24 MiB. A backend overrides `all_to_all_pieces`.

        Args:
            parts: One contiguous buffer for each rank, this one included.

        Returns:
            One writable buffer for each rank, which shares no memory with `parts`.

        Raises:
            ValueError, TypeError: `parts` does not have one contiguous buffer for each rank; the
                other ranks raise `RemoteError`.
            MemoryError: The result does not fit into this rank's memory; the other ranks return
                their results. Or the buffers of one round do not fit; the other ranks raise
                `RemoteError`.

        Example:
            >>> from mmeval_like.testing import LocalWorld
            >>> def swap(backend):
            ...     parts = [f"{backend.rank} to {rank}".encode() for rank in range(2)]
            ...     return [bytes(part) for part in backend.all_to_all_bytes(parts)]
            >>> LocalWorld(2).run(swap)
            [[b'0 to 0', b'1 to 0'], [b'0 to 1', b'1 to 1']]
        """
        joined, lengths = self.all_to_all_joined(parts)
        return [part.data for part in np.split(joined, np.cumsum(lengths)[:-1])]

    def all_to_all_joined(self, parts: Parts) -> tuple[np.ndarray, list[int]]:
        """Exchange bytes as `all_to_all_bytes` does, and return them in one array, in rank order.

        Args:
            parts: For each rank, a buffer, or a list of buffers, which are sent end to end.

        Returns:
            The bytes, as uint8, and the number of bytes from each rank.

        Raises:
            ValueError, TypeError, MemoryError: As `all_to_all_bytes` raises them.

        Example:
            >>> from mmeval_like.testing import LocalWorld
            >>> def swap(backend):
            ...     joined, lengths = backend.all_to_all_joined([b"for 0", [b"for", b" 1."]])
            ...     return joined.tobytes(), lengths
            >>> LocalWorld(2).run(swap)
            [(b'for 0for 0', [5, 5]), (b'for 1.for 1.', [6, 6])]
        """
        return in_rounds(parts, self.world_size, self.all_to_all_pieces)

    def all_to_all_pieces(
        self, sent: np.ndarray, counts: Sequence[int], room: np.ndarray, lengths: Sequence[int]
    ) -> Sequence[Buffer]:
        """Carry one round of `all_to_all_bytes`, and return the piece of each rank.

        Args:
            sent: The pieces for all ranks end to end, uint8, at most `rounds.ROUND` bytes.
            counts: The number of bytes for each rank.
            room: Memory of the size of all pieces that arrive, which may be cuts of it: a round
                that allocates nothing does not fail for lack of memory, where others wait for it.
            lengths: The number of bytes that each rank sends to this one.
        """
        arrived: list[Any] = []
        # Each rank in turn gathers its own bytes, so that no rank holds the bytes of others.
        for dst, piece in enumerate(cut(sent, counts)):
            arrived += self.gather_object(piece, dst) or []
        return arrived

    # Arrays --------------------------------------------------------------------------------

    def accepts(self, array: Any) -> bool:
        """Whether the array methods take this kind of array as it is."""
        return isinstance(array, np.ndarray)

    def all_gather(self, array: Any) -> list[Any]:
        """Return every rank's array in rank order; shapes may differ between ranks."""
        return self.all_gather_object(array)

    def gather(self, array: Any, dst: int = 0) -> list[Any] | None:
        """Return every rank's array in rank order on rank `dst`, None on the others."""
        return self.gather_object(array, dst)

    def broadcast(self, array: Any, src: int = 0) -> Any:
        """Return rank `src`'s array on every rank; other ranks' argument is ignored."""
        return self.broadcast_object(array, src)

    def scatter(self, arrays: Sequence[Any] | None, src: int = 0) -> Any:
        """Return element r of rank `src`'s list of arrays on rank r; shapes may differ."""
        return self.scatter_object(arrays, src)

    def all_reduce(self, array: Any, op: str = "sum") -> Any:
        """Combine the ranks' equally shaped arrays element by element, in rank order.

        Args:
            array: The same shape and dtype on every rank; the dtype is kept.
            op: One of `OPERATIONS`.

        Raises:
            ValueError: `op` is unknown.
            TypeError: The operation is not defined for this dtype.
        """
        function = operation(op, array.dtype)
        return combined(function, self.all_gather(array))

    def reduce(self, array: Any, dst: int = 0, op: str = "sum") -> Any | None:
        """Combine arrays as `all_reduce` does; return the result on rank `dst`, None on others."""
        function = operation(op, array.dtype)
        gathered = self.gather(array, dst)
        return None if gathered is None else combined(function, gathered)

    def reduce_scatter(self, arrays: Sequence[Any], op: str = "sum") -> Any:
        """Return, on rank r, the reduction of element r of all ranks' lists.

        Args:
            arrays: One array per rank of the group; element r has the same shape and dtype
                on every rank, different elements may have different shapes.
            op: One of `OPERATIONS`.
        """
        results = [self.reduce(array, dst, op) for dst, array in enumerate(arrays)]
        return results[self.rank]

    # Copies ----------------------------------------------------------------------------------

    def __deepcopy__(self, memo: dict[int, Any]) -> BaseDistBackend:
        # A metric's copy talks over the same communicator; handles cannot be duplicated.
        return self


def combined(function: Callable[[Any, Any], Any], arrays: Sequence[Any]) -> np.ndarray:
    """Return the reduction of the ranks' arrays, in rank order, in a new array."""
    result, *others = arrays
    dtype = result.dtype
    with np.errstate(over="ignore", invalid="ignore"):  # infinities and nan are results
        for other in others:
            result = function(result, other)
    return np.array(result, dtype)
