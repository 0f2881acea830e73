"""A backend over pipes, as docs/writing-a-backend.md describes one, and its usual mistakes."""

from __future__ import annotations

import multiprocessing
import pickle
from multiprocessing.connection import Connection
from typing import Any

from mmeval_like import BaseDistBackend
from mmeval_like.testing import check_backend

__all__ = ["Pipes", "PlainPipes", "SharingPipes", "checked"]


class Pipes(BaseDistBackend):
    """Rank 0 is connected with each other rank by a pipe.

    Args:
        rank: The rank.
        world_size: The number of ranks.
        connections: Those of rank 0 to the others in their order; of another rank the one to 0.
    """

    def __init__(self, rank: int, world_size: int, connections: list[Connection]) -> None:
        self._rank, self._size, self.connections = rank, world_size, connections

    @property
    def is_initialized(self) -> bool:
        """Always."""
        return True

    @property
    def rank(self) -> int:
        """As given."""
        return self._rank

    @property
    def world_size(self) -> int:
        """As given."""
        return self._size

    def send(self, connection: Connection, obj: Any) -> None:
        """Send an object as a pickle that keeps the byte order of arrays."""
        connection.send_bytes(pickle.dumps(obj, protocol=5))

    def copied(self, objs: list[Any]) -> list[Any]:
        """Return what rank 0 keeps of the objects that it sends: copies."""
        copies: list[Any] = pickle.loads(pickle.dumps(objs, protocol=5))
        return copies

    def all_gather_object(self, obj: Any) -> list[Any]:
        """Rank 0 collects the objects, and sends each rank the list."""
        if self._rank:
            self.send(self.connections[0], obj)
            gathered: list[Any] = self.connections[0].recv()
            return gathered
        objs = [obj, *(connection.recv() for connection in self.connections)]
        for connection in self.connections:
            self.send(connection, objs)
        return self.copied(objs)

    def broadcast_object(self, obj: Any, src: int = 0) -> Any:
        """Take it from the list of all."""
        return self.all_gather_object(obj if self._rank == src else None)[src]


class SharingPipes(Pipes):
    """Rank 0 returns its own object instead of a copy."""

    def copied(self, objs: list[Any]) -> list[Any]:
        """Return the objects themselves."""
        return objs


class PlainPipes(Pipes):
    """`Connection.send` pickles with a protocol that loses the byte order of arrays."""

    def send(self, connection: Connection, obj: Any) -> None:
        """Send an object as multiprocessing does."""
        connection.send(obj)


def checked(kind: type[Pipes], size: int) -> list[str]:
    """Return what `check_backend` says on each of some processes; "" where nothing is wrong."""
    context = multiprocessing.get_context("spawn")  # a fork would inherit locks that are taken
    pairs = [context.Pipe() for _ in range(size - 1)]
    reports = [context.Pipe(duplex=False) for _ in range(size)]
    ends = [[near for near, _ in pairs], *([far] for _, far in pairs)]
    processes = [
        context.Process(target=_check, args=(kind(rank, size, ends[rank]), reports[rank][1]))
        for rank in range(size)
    ]
    for process in processes:
        process.start()
    texts = [report.recv() if report.poll(100) else "no report" for report, _ in reports]
    for process in processes:
        process.kill()
        process.join()
    return texts


def _check(backend: Pipes, report: Connection) -> None:
    try:
        check_backend(backend)
    except BaseException as error:
        report.send(f"{type(error).__name__}: {error}")
    else:
        report.send("")
