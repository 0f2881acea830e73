"""Collectives of picklable objects."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from mmeval_like.backends.wire import lists as columns
from mmeval_like.arrays import check_ordered
from mmeval_like.backends import BaseDistBackend, get_dist_backend
from mmeval_like.errors import DisagreementError
from mmeval_like.arrays.rank_order import global_order

__all__ = [
    "all_gather_object",
    "broadcast_object",
    "broadcast_object_list",
    "collect_results",
    "gather_object",
    "scatter_object",
    "sync_random_seed",
]

Backend = str | BaseDistBackend | None


def all_gather_object(obj: Any, dist_backend: Backend = None) -> list[Any]:
    """Return every rank's object, on every rank, in rank order.

    Raises:
        RemoteError: An object of another rank cannot be pickled; that rank raises pickle's error.

    Example:
        >>> all_gather_object({"rank": 0})
        [{'rank': 0}]
    """
    return get_dist_backend(dist_backend).all_gather_object(obj)


def gather_object(obj: Any, dst: int = 0, dist_backend: Backend = None) -> list[Any] | None:
    """Return every rank's object, in rank order, on rank `dst`; None on the others."""
    return with_root(dst, "dst", dist_backend).gather_object(obj, dst)


def broadcast_object(obj: Any, src: int = 0, dist_backend: Backend = None) -> Any:
    """Return rank `src`'s object on every rank; arguments of other ranks are ignored."""
    return with_root(src, "src", dist_backend).broadcast_object(obj, src)


def broadcast_object_list(
    objs: Sequence[Any], src: int = 0, dist_backend: Backend = None
) -> list[Any]:
    """Return rank `src`'s list of objects on every rank; arguments of other ranks are ignored.

    Raises:
        TypeError: The argument on rank `src` is a set or a dict, which has no such order; the other
            ranks raise `RemoteError`.

    Example:
        >>> broadcast_object_list(["a", 1])
        ['a', 1]
    """
    backend = with_root(src, "src", dist_backend)
    return list(backend.broadcast_object(_sent(objs, backend, src), src))


def scatter_object(objs: Sequence[Any] | None, src: int = 0, dist_backend: Backend = None) -> Any:
    """Return element r of rank `src`'s list on rank r.

    Args:
        objs: On rank `src`, one object per rank; ignored on the others.
        src: The rank whose objects are distributed.
        dist_backend: The backend.

    Raises:
        TypeError: The argument on rank `src` is a set or a dict; the other ranks raise
            `RemoteError`.
        ValueError: The list on rank `src` does not have one object for each rank; the other ranks
            raise `RemoteError`.

    Example:
        >>> scatter_object(["mine"])
        'mine'
    """
    backend = with_root(src, "src", dist_backend)
    return backend.scatter_object(_sent(objs, backend, src), src)


def collect_results(
    results: Sequence[Any], size: int, device: str = "cpu", dist_backend: Backend = None
) -> list[Any] | None:
    """Return the results of all samples in dataset order on rank 0; None on the others.

    Rank r has the results of samples r, r + world size, ..., as an interleaving sampler deals
    them. They travel over the network, never through a shared folder.

    Args:
        results: This rank's results, one per sample; ranks may have different numbers.
        size: The number of samples of the dataset; results of padding are dropped.
        device: "cpu" or "gpu". Both have the same effect: the process group determines where
            messages travel.
        dist_backend: The backend.

    Raises:
        TypeError: The results of this rank are a set or a dict, or have no length; the other ranks
            raise `RemoteError`.
        ValueError: `size` is larger than the number of results, or `device` is unknown; every
            rank raises it.
        DisagreementError: The ranks gave different sizes; every rank raises it.

    Example:
        >>> collect_results(["a", "b", "padding"], size=2)
        ['a', 'b']
    """
    backend = get_dist_backend(dist_backend)
    if device not in ("cpu", "gpu"):
        raise ValueError(f"device must be 'cpu' or 'gpu', got {device!r}")
    told = backend.all_gather_object((_counted(results, backend), size))
    counts, sizes = [count for count, _ in told], [size for _, size in told]
    if len(set(sizes)) > 1:
        raise DisagreementError(f"size must be the same on every rank, got {sizes}")
    if size > sum(counts):
        raise ValueError(f"size={size} is more than the {sum(counts)} results of all ranks")
    gathered = backend.gather_object(columns.pack_list(results), 0)
    if gathered is None:
        return None
    joined = [entry for packed in gathered for entry in columns.unpack_list(packed)]
    order = global_order(counts, "unzip")
    return joined[:size] if order is None else [joined[place] for place in order[:size]]


def sync_random_seed(seed: int | None = None, dist_backend: Backend = None) -> int:
    """Return one seed for all ranks: that of rank 0, or a random one that rank 0 draws.

    Example:
        >>> sync_random_seed(7)
        7
    """
    return int(broadcast_object(secrets.randbits(31) if seed is None else seed, 0, dist_backend))


def with_root(root: int, name: str, dist_backend: Backend) -> BaseDistBackend:
    """Return the backend after checking that `root` is one of its ranks."""
    backend = get_dist_backend(dist_backend)
    if not 0 <= root < backend.world_size:
        raise ValueError(f"{name} must be a rank in [0, {backend.world_size}), got {root}")
    return backend


class Unfit:
    """A placeholder for an invalid argument: packing it raises the error, on all ranks."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __reduce__(self) -> Any:
        raise self._error


def unfit(error: Exception, backend: BaseDistBackend) -> Unfit:
    """Return what raises an error on all ranks once it is sent; alone, raise it here."""
    if backend.world_size == 1:
        raise error
    return Unfit(error)


def _sent(objs: Any, backend: BaseDistBackend, src: int) -> Any:
    """Return the objects that a rank sends: None, unless it is rank `src`."""
    if backend.rank != src:
        return None
    try:
        check_ordered(objs, "objs", "a list")
    except TypeError as error:
        return [unfit(error, backend)] * backend.world_size
    return objs


def _counted(results: Any, backend: BaseDistBackend) -> int | Unfit:
    try:
        check_ordered(results, "results", "a list with one entry for each sample")
        return len(results)
    except TypeError as error:
        return unfit(error, backend)
