"""A world whose ranks are threads, to test distributed code in one process in milliseconds."""

from __future__ import annotations

import contextvars
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from mmeval_like._exchange.occurrence import this_rank
from mmeval_like.backends.base import OPERATIONS, BaseDistBackend
from mmeval_like.backends.base_bytes import BytesDistBackend
from mmeval_like.backends.rounds import cut
from mmeval_like.backends.wire import packing
from mmeval_like.backends.wire.packing import Buffer
from mmeval_like.errors import DisagreementError, SyncTimeoutError, lost_partner

__all__ = ["LocalWorld"]

T = TypeVar("T")


class LocalWorld:
    """A world of `size` ranks, each a thread of this process.

    Everything that is sent between ranks is serialised, as on a network, so that an object shared
    by mistake is detected. Two things are stricter than on a network: ranks that meet in different
    collectives get a `DisagreementError`, and a rank whose partner has ended gets its
    `SyncTimeoutError` at once.

    Args:
        size: The number of ranks, at least 1.
        members_only: Whether the ranks' backends have only the five abstract members, like a small
            custom backend; if not, they also move bytes and reduce arrays.
        timeout: The time limit of a `run` in seconds.

    Attributes:
        backends: The backend of each rank.
        calls: For each rank, the number of calls of each collective in the last `run`, by name. A
            collective that a backend builds on another one counts as the other one.
        errors: For each rank, the exception that ended its part of the last `run`, or None.

    Example:
        >>> world = LocalWorld(3)
        >>> world.run(lambda backend: backend.all_gather_object(backend.rank))
        [[0, 1, 2], [0, 1, 2], [0, 1, 2]]
        >>> world.calls[0]
        Counter({'all_gather_bytes': 1})
    """

    def __init__(self, size: int, *, members_only: bool = False, timeout: float = 60.0) -> None:
        if size < 1:
            raise ValueError(f"size must be at least 1, got {size}")
        self.size = size
        self.timeout = timeout
        kind = _MembersOnly if members_only else _Local
        self._making = threading.Lock()
        self._aside: LocalWorld | None = None
        self.backends: list[BaseDistBackend] = [kind(self, rank) for rank in range(size)]
        self._begin()

    def run(self, function: Callable[[BaseDistBackend], T]) -> list[T]:
        """Call `function(backend)` on every rank at once.

        Args:
            function: Called in one thread per rank with that rank's backend.

        Returns:
            The returned values, in rank order.

        Raises:
            Exception: The exception of the lowest rank that failed on its own; `errors` has the
                exceptions of all ranks.
            SyncTimeoutError: A rank did not return in time.
        """
        self._begin()
        results: list[Any] = [None] * self.size

        def work(rank: int) -> None:
            this_rank.set(self.backends[rank])
            try:
                results[rank] = function(self.backends[rank])
            except BaseException as error:
                self.errors[rank] = error
            finally:
                self._leave(rank)

        threads = [
            # Each rank sees the caller's context (numpy's error state, for instance).
            threading.Thread(
                target=contextvars.copy_context().run,
                args=(work, rank),
                name=f"LocalWorld rank {rank}",
                daemon=True,
            )
            for rank in range(self.size)
        ]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(max(0.0, self._deadline - time.monotonic()) + 1.0)
        finally:
            for rank in range(self.size):
                self._leave(rank)
        late = [rank for rank, thread in enumerate(threads) if thread.is_alive()]
        if late:
            raise lost_partner(f"LocalWorld.run after {self.timeout} s", late)
        self._raise_first()
        return results

    @property
    def aside(self) -> LocalWorld:
        """A world of the same ranks, whose messages are separate from this world's."""
        with self._making:
            if self._aside is None:
                self._aside = LocalWorld(self.size, timeout=self.timeout)
            return self._aside

    def _begin(self) -> None:
        self.calls: list[Counter[str]] = [Counter() for _ in range(self.size)]
        self.errors: list[BaseException | None] = [None] * self.size
        self._deadline = time.monotonic() + self.timeout
        self._changed = threading.Condition()
        self._gone: set[int] = set()
        # For each round, the value of each rank; a round is dropped when complete.
        self._open: dict[int, dict[int, tuple[str, Any]]] = {}
        self._rounds = [0] * self.size
        if self._aside is not None:
            self._aside._begin()

    def _leave(self, rank: int) -> None:
        with self._changed:
            self._gone.add(rank)
            self._changed.notify_all()

    def _raise_first(self) -> None:
        failed = {rank: error for rank, error in enumerate(self.errors) if error is not None}
        if not failed:
            return
        # Ranks that only lost their partner are a consequence, not the cause.
        causes = [e for e in failed.values() if not isinstance(e, SyncTimeoutError)]
        error = (causes or list(failed.values()))[0]
        if hasattr(error, "add_note"):  # Python 3.11
            for rank, other in failed.items():
                label = "this error" if other is error else f"{type(other).__name__}: {other}"
                error.add_note(f"rank {rank} of {self.size}: {label}")
        raise error

    def exchange(self, rank: int, name: str, value: Any) -> list[Any]:
        """Return every rank's value for the collective `name`, in rank order."""
        self.calls[rank][name] += 1
        with self._changed:
            number = self._rounds[rank]
            self._rounds[rank] += 1
            brought = self._open.setdefault(number, {})
            brought[rank] = (name, value)
            if len(brought) == self.size:
                del self._open[number]
                self._changed.notify_all()

            def decided() -> bool:
                return len(brought) == self.size or not self._gone <= brought.keys()

            self._changed.wait_for(decided, max(0.0, self._deadline - time.monotonic()))
            if len(brought) < self.size:
                missing = set(range(self.size)) - brought.keys()
                raise lost_partner(name, sorted(missing & self._gone or missing))
        if len({name for name, _ in brought.values()}) > 1:
            calls = ", ".join(f"rank {r}: {brought[r][0]}" for r in sorted(brought))
            raise DisagreementError(f"the ranks met in different collectives: {calls}")
        return [brought[rank][1] for rank in range(self.size)]


class _Place(BaseDistBackend):
    """A rank of a world."""

    def __init__(self, world: LocalWorld, rank: int) -> None:
        self._world = world
        self._rank = rank

    @property
    def is_initialized(self) -> bool:
        return True

    @property
    def rank(self) -> int:
        return self._rank

    @property
    def world_size(self) -> int:
        return self._world.size


class _MembersOnly(_Place):
    """A backend with only the five abstract members."""

    def all_gather_object(self, obj: Any) -> list[Any]:
        gathered = self._world.exchange(self._rank, "all_gather_object", packing.dumps(obj))
        return [packing.loads(data) for data in gathered]

    def broadcast_object(self, obj: Any, src: int = 0) -> Any:
        data = packing.dumps(obj) if self._rank == src else None
        return packing.loads(self._world.exchange(self._rank, "broadcast_object", data)[src])


class _Local(_Place, BytesDistBackend):
    """A backend that moves bytes and reduces arrays."""

    native_operations = frozenset(OPERATIONS)

    def duplicate(self) -> BaseDistBackend:
        self.meet()
        return self._world.aside.backends[self._rank]

    def all_gather_bytes(self, data: Buffer) -> Sequence[Buffer]:
        gathered = self._world.exchange(self._rank, "all_gather_bytes", bytes(data))
        lengths = [len(part) for part in gathered]
        if len(set(lengths)) > 1:
            raise DisagreementError(f"all_gather_bytes of different lengths by rank: {lengths}")
        return [bytearray(part) for part in gathered]

    def broadcast_bytes(self, data: Buffer | None, length: int, src: int = 0) -> Buffer:
        mine = bytes(data) if data is not None and self._rank == src else None
        sent = self._world.exchange(self._rank, "broadcast_bytes", mine)[src]
        return self._received(sent, length)

    def all_gather_ragged_bytes(self, data: Buffer, lengths: Sequence[int]) -> Sequence[Buffer]:
        gathered = self._world.exchange(self._rank, "all_gather_ragged_bytes", bytes(data))
        return [self._received(part, n) for part, n in zip(gathered, lengths, strict=True)]

    def gather_bytes(
        self, data: Buffer, lengths: Sequence[int], dst: int = 0
    ) -> Sequence[Buffer] | None:
        gathered = self._world.exchange(self._rank, "gather_bytes", bytes(data))
        if self._rank != dst:
            return None
        return [self._received(part, n) for part, n in zip(gathered, lengths, strict=True)]

    def all_to_all_pieces(
        self, sent: np.ndarray, counts: Sequence[int], room: np.ndarray, lengths: Sequence[int]
    ) -> Sequence[Buffer]:
        mine = [piece.tobytes() for piece in cut(sent, counts)]
        brought = self._world.exchange(self._rank, "all_to_all_pieces", mine)
        parts = [of_rank[self._rank] for of_rank in brought]
        return [self._received(part, n) for part, n in zip(parts, lengths, strict=True)]

    def reduce_flat(self, array: np.ndarray, op: str, dst: int | None) -> np.ndarray | None:
        name = "all_reduce" if dst is None else "reduce"
        gathered = self._world.exchange(self._rank, name, array.copy())
        if len({(other.dtype, other.shape) for other in gathered}) > 1:
            brought = ", ".join(f"{other.dtype} {other.shape}" for other in gathered)
            raise DisagreementError(f"reduction of different arrays, by rank: {brought}")
        with np.errstate(over="ignore", invalid="ignore"):  # infinities and nan are valid results
            reduced = reduce(OPERATIONS[op], gathered)
        return np.array(reduced) if dst in (None, self._rank) else None

    def _received(self, data: bytes, length: int) -> Buffer:
        if len(data) != length:
            raise DisagreementError(f"rank {self._rank} expects {length} bytes, got {len(data)}")
        return bytearray(data)
