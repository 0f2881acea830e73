"""The rank of this process, and the number of processes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from mmeval_like.backends import BaseDistBackend, get_dist_backend
from mmeval_like._base.launchers import detect_launcher

__all__ = [
    "barrier",
    "get_backend",
    "get_dist_info",
    "get_local_rank",
    "get_local_size",
    "get_rank",
    "get_world_size",
    "is_distributed",
    "is_main_process",
    "master_only",
]

P = ParamSpec("P")
T = TypeVar("T")
Backend = str | BaseDistBackend | None


def get_rank(dist_backend: Backend = None) -> int:
    """Return this process's index in its group; 0 without a distributed run.

    Example:
        >>> get_rank(), get_world_size()
        (0, 1)
    """
    return get_dist_backend(dist_backend).rank


def get_world_size(dist_backend: Backend = None) -> int:
    """Return the number of processes in the group; 1 without a distributed run."""
    return get_dist_backend(dist_backend).world_size


def get_dist_info(dist_backend: Backend = None) -> tuple[int, int]:
    """Return rank and world size; (0, 1) without a distributed run."""
    backend = get_dist_backend(dist_backend)
    return backend.rank, backend.world_size


def is_distributed(dist_backend: Backend = None) -> bool:
    """Return whether there is more than one process."""
    return get_world_size(dist_backend) > 1


def is_main_process(dist_backend: Backend = None) -> bool:
    """Return whether this is rank 0."""
    return get_rank(dist_backend) == 0


def get_backend(dist_backend: Backend = None) -> str | None:
    """Return the communication library: "gloo", "nccl", "mpi4py", ...; None without a run."""
    backend = get_dist_backend(dist_backend)
    return backend.transport if backend.is_initialized else None


def get_local_rank() -> int:
    """Return this process's index on its machine, as set by the launcher; 0 without a launcher.

    Example:
        >>> get_local_rank(), get_local_size()
        (0, 1)
    """
    place = detect_launcher()
    return place.local_rank if place else 0


def get_local_size() -> int:
    """Return the launcher's number of processes on this machine; 1 without a launcher."""
    place = detect_launcher()
    return place.local_size if place else 1


def barrier(dist_backend: Backend = None) -> None:
    """Wait until every rank of the group has called `barrier`."""
    backend = get_dist_backend(dist_backend)
    if backend.world_size > 1:
        backend.barrier()


def master_only(function: Callable[P, T]) -> Callable[P, T | None]:
    """Decorate a function so that only rank 0 runs it; on other ranks it returns None.

    Example:
        >>> @master_only
        ... def report():
        ...     return "on rank 0"
        >>> report()
        'on rank 0'
    """

    @functools.wraps(function)
    def on_rank_0(*args: P.args, **kwargs: P.kwargs) -> T | None:
        return function(*args, **kwargs) if is_main_process() else None

    return on_rank_0
