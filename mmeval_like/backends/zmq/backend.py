"""The `zmq` backend: a group of processes over plain TCP, without torch and without MPI."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from mmeval_like.backends.base import OPERATIONS, Group, check_timeout, combined
from mmeval_like.backends.base_bytes import BytesDistBackend
from mmeval_like.backends.forks import inherited, is_in_place_of_its_parent
from mmeval_like.backends.wire.packing import Buffer
from mmeval_like.backends.zmq.hub import Hub
from mmeval_like.backends.zmq.place import Place
from mmeval_like.backends.zmq.spoke import Spoke
from mmeval_like.backends.zmq.star import Answer, Star

__all__ = ["ZmqDist"]


class ZmqDist(BytesDistBackend):
    """Processes that meet at rank 0's address and share a secret; needs only pyzmq.

    Missing arguments are read from environment variables, which launchers such as
    `python -m mmeval_like` set. The ranks meet at the first exchange or in `connect`. If none of
    the variables is set, the group has one rank and is not initialised.

    All traffic is encrypted, and both sides prove that they know the secret (CurveZMQ): a process
    that does not know it can neither read messages nor join. Once all ranks have joined, no other
    process can join.

    Args:
        address: Rank 0's host name or address; by default `MASTER_ADDR`.
        port: A free TCP port on that host; by default `MASTER_PORT`.
        rank: This process's index; by default `RANK`.
        world_size: The number of processes; by default `WORLD_SIZE`.
        secret: At least 16 characters, the same on every rank; by default `MMEVAL_LIKE_SECRET`.
        timeout: The number of seconds that an exchange waits for the slowest rank; None for no
            limit. The end of a rank's process is noticed sooner, within about a second.

    Raises:
        ValueError: An argument is out of its range.

    Example:
        >>> backend = ZmqDist(rank=0, world_size=1)
        >>> backend.all_gather_object("alone")
        ['alone']
    """

    native_operations = frozenset(OPERATIONS)

    def __init__(
        self,
        address: str | None = None,
        port: int | None = None,
        rank: int | None = None,
        world_size: int | None = None,
        *,
        secret: str | None = None,
        timeout: float | None = 1800.0,
    ) -> None:
        check_timeout(timeout)
        self._given = (address, port, rank, world_size, secret)
        self._timeout = timeout
        self._star: Star | None = None
        self._place: Place | None = None
        self._group = Group()
        self._pid = os.getpid()
        if any(given is not None for given in self._given):
            self._place = Place.find(self._given, timeout)

    @property
    def is_initialized(self) -> bool:
        """Whether this process knows its place in a group, which the first exchange joins.

        Raises:
            ValueError: The environment variables describe a group incompletely.
        """
        return self._here() is not None

    @property
    def rank(self) -> int:
        """This process's index in the group.

        Raises:
            ValueError: The environment variables describe a group incompletely.
        """
        place = self._here()
        return place.rank if place else 0

    @property
    def world_size(self) -> int:
        """The number of processes in the group.

        Raises:
            ValueError: The environment variables describe a group incompletely.
        """
        place = self._here()
        return place.world_size if place else 1

    @property
    def group(self) -> Group:
        """The object that identifies the group until `close`; later exchanges use a new group."""
        return self._group

    def connect(self) -> None:
        """Meet the other ranks now, rather than at the first exchange.

        Raises:
            SyncTimeoutError: Some rank did not connect; the error names it.
            DisagreementError: The ranks were started for groups of different sizes, or two
                processes as the same rank.
            RuntimeError: This process was forked from the one that constructed the backend.
            OSError: Rank 0 cannot listen at the address and port; or it rejected this rank, which
                has another secret (`ConnectionRefusedError`).
        """
        place = self._here()
        if self._star is None and place is not None and place.world_size > 1:
            named = any(given is not None for given in self._given)
            if os.getpid() != self._pid or (not named and is_in_place_of_its_parent()):
                raise inherited("zmq")  # it would join in its parent's place
            star = Hub(place) if place.rank == 0 else Spoke(place)
            star.meet()
            self._star, self._place = star, place

    def close(self) -> None:
        """Leave the group; the next exchange meets the other ranks again."""
        if self._star is not None:
            self._star.close()
            self._star = None
            self._group = Group()

    def __getstate__(self) -> dict[str, Any]:
        # A copy in another process has the same arguments, and joins the group by itself. The
        # secret is never pickled: the copy reads MMEVAL_LIKE_SECRET.
        return {**type(self)(timeout=self._timeout).__dict__, "_given": (*self._given[:4], None)}

    def _here(self) -> Place | None:
        # Kept once the group has met: other libraries rewrite the variables (OneFlow).
        return self._place or Place.find(self._given, self._timeout)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _pid=os.getpid())

    # Bytes: one round trip each ----------------------------------------------------------------

    def all_gather_bytes(self, data: Buffer) -> Sequence[Buffer]:
        """Return every rank's `data` in rank order; the length is the same on every rank."""
        return self._gather(f"all_gather_bytes of {memoryview(data).nbytes} bytes", data)

    def all_gather_ragged_bytes(self, data: Buffer, lengths: Sequence[int]) -> Sequence[Buffer]:
        """Return every rank's `data` in rank order; every rank knows all `lengths`."""
        return self._gather(f"all_gather_ragged_bytes of {list(lengths)} bytes", data)

    def gather_bytes(
        self, data: Buffer, lengths: Sequence[int], dst: int = 0
    ) -> Sequence[Buffer] | None:
        """Return every rank's `data` in rank order on rank `dst`, None on the others."""
        asked = f"gather_bytes of {list(lengths)} bytes to rank {dst}"
        return self._gather(asked, data, dst) or None

    def _gather(self, asked: str, data: Buffer, dst: int | None = None) -> Sequence[Buffer]:
        def answer(calls: Sequence[Sequence[Buffer]]) -> list[Sequence[Buffer]]:
            parts = [part for (part,) in calls]
            return [
                # A rank's own part need not travel back.
                [*parts[:rank], b"", *parts[rank + 1 :]] if dst in (None, rank) else []
                for rank in range(len(parts))
            ]

        reply = list(self._exchange(asked, [data], answer))
        if reply:
            reply[self.rank] = bytes(data)
        return reply

    def broadcast_bytes(self, data: Buffer | None, length: int, src: int = 0) -> Buffer:
        """Return rank `src`'s `data`, of `length` bytes, on every rank; others pass None."""
        mine = [data or b""] if self.rank == src else []
        reply = self._exchange(
            f"broadcast_bytes of {length} bytes from rank {src}",
            mine,
            lambda calls: [[] if rank == src else calls[src] for rank in range(len(calls))],
        )
        return [*mine, *reply][0]

    def scatter_bytes(
        self, parts: Sequence[Buffer] | None, lengths: Sequence[int], src: int = 0
    ) -> Buffer:
        """Return element r of rank `src`'s `parts` on rank r; every rank knows all `lengths`."""
        asked = f"scatter_bytes of {list(lengths)} bytes from rank {src}"
        [mine] = self._exchange(asked, parts or [], lambda calls: [[part] for part in calls[src]])
        return mine

    # Reductions, which rank 0 computes ---------------------------------------------------------

    def reduce_flat(self, array: np.ndarray, op: str, dst: int | None) -> np.ndarray | None:
        """Combine flat arrays of equal length, in rank order; on all ranks when `dst` is None."""
        whole, nothing = slice(None), None
        cuts = [whole if dst in (None, rank) else nothing for rank in range(self.world_size)]
        asked = "reduce_flat" if dst is None else f"reduce_flat to rank {dst}"
        return self._combine(asked, array, op, cuts)

    def reduce_scatter_flat(self, array: np.ndarray, counts: Sequence[int], op: str) -> np.ndarray:
        """Combine arrays as `reduce_flat` does; rank r keeps part r, of `counts[r]` elements."""
        ends = accumulate(counts)
        cuts = [slice(end - count, end) for end, count in zip(ends, counts, strict=True)]
        mine = self._combine(f"reduce_scatter_flat {list(counts)}", array, op, cuts)
        assert mine is not None
        return mine

    def _combine(
        self, asked: str, array: np.ndarray, op: str, cuts: Sequence[slice | None]
    ) -> np.ndarray | None:
        dtype = array.dtype

        def answer(calls: Sequence[Sequence[Buffer]]) -> list[Sequence[Buffer]]:
            total = combined(OPERATIONS[op], [np.frombuffer(part, dtype) for (part,) in calls])
            return [[] if cut is None else [total[cut].view(np.uint8).data] for cut in cuts]

        text = f"{asked} of {array.size} {dtype.str} by {op}"
        reply = self._exchange(text, [array.view(np.uint8).data], answer)
        return np.frombuffer(reply[0], dtype).copy() if reply else None

    def _exchange(self, asked: str, parts: Sequence[Buffer], answer: Answer) -> Sequence[Buffer]:
        self.connect()
        if self._star is None:
            return answer([[bytes(part) for part in parts]])[0]
        return self._star.exchange(asked, parts, answer)
