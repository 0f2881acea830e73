"""Collectives of numpy arrays and tensors, which keep dtype and library.

A backend takes arrays of its own library as they are; other arrays travel as host arrays, and are
returned as arrays of their library, on their device.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like.backends import BaseDistBackend, get_dist_backend
from mmeval_like.backends.base import OPERATIONS
from mmeval_like.dist.objects import unfit, with_root
from mmeval_like.errors import DisagreementError, RemoteError

__all__ = [
    "all_gather",
    "all_reduce",
    "all_reduce_dict",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
]

Backend = str | BaseDistBackend | None


def all_reduce(array: Any, op: str = "sum", dist_backend: Backend = None) -> Any:
    """Combine the ranks' equally shaped arrays element by element, on every rank.

    Args:
        array: A numpy array or tensor, of the same shape and dtype on every rank; a short message
            compares them first.
        op: "sum", "mean", "product", "min", "max"; for integers and booleans also "band", "bor",
            "bxor" (bitwise and, or, exclusive or). The dtype is kept, except that the mean of
            integers is float64.
        dist_backend: A backend's name or instance; None for the automatic choice.

    Raises:
        ValueError: `op` is unknown.
        TypeError: The argument is not an array, or a masked one, or the operation is not defined
            for its dtype.
        RemoteError: Another rank raises one of these.
        DisagreementError: Some rank has another operation, shape or dtype; every rank raises it.

    Example:
        >>> all_reduce(np.array([1, 2]), "mean")
        array([1., 2.])
    """
    backend = get_dist_backend(dist_backend)
    [native] = _checked([array], op, backend)
    return _restored(_reduced(native, op, backend), array)


def all_reduce_alike(array: Any, op: str, backend: BaseDistBackend) -> Any:
    """Return what `all_reduce` does, for arrays that are known to be alike on all ranks."""
    return _restored(_reduced(_native(array, backend), op, backend), array)


def _reduced(native: Any, op: str, backend: BaseDistBackend) -> Any:
    if _is_mean(op):
        return _divided(backend.all_reduce(_widened(native), "sum"), native, backend)
    return backend.all_reduce(native, op)


def reduce(array: Any, dst: int = 0, op: str = "sum", dist_backend: Backend = None) -> Any | None:
    """Combine arrays as `all_reduce` does; return the result on rank `dst`, None on others."""
    backend = with_root(dst, "dst", dist_backend)
    [native] = _checked([array], op, backend)
    mean = _is_mean(op)
    reduced = backend.reduce(_widened(native) if mean else native, dst, "sum" if mean else op)
    if reduced is None:
        return None
    return _restored(_divided(reduced, native, backend) if mean else reduced, array)


def all_gather(array: Any, dist_backend: Backend = None) -> list[Any]:
    """Return every rank's array, on every rank, in rank order; shapes may differ.

    Raises:
        TypeError: The argument is not an array. On backends that move bytes, the other ranks raise
            `RemoteError`, here and in `gather`, `broadcast` and `scatter`.

    Example:
        >>> all_gather(np.array([1, 2]))
        [array([1, 2])]
    """
    backend = get_dist_backend(dist_backend)
    return [_restored(part, array) for part in backend.all_gather(_sent(array, backend))]


def gather(array: Any, dst: int = 0, dist_backend: Backend = None) -> list[Any] | None:
    """Return every rank's array, in rank order, on rank `dst`; None on the others."""
    backend = with_root(dst, "dst", dist_backend)
    gathered = backend.gather(_sent(array, backend), dst)
    return None if gathered is None else [_restored(part, array) for part in gathered]


def broadcast(array: Any, src: int = 0, dist_backend: Backend = None) -> Any:
    """Return rank `src`'s array on every rank.

    Args:
        array: On rank `src`, the array. On the others, None, or an array whose library and device
            the result takes; its shape, dtype and values are ignored.
        src: The rank whose array is sent.
        dist_backend: The backend.
    """
    backend = with_root(src, "src", dist_backend)
    native = _sent(array, backend) if backend.rank == src else None
    return _restored(backend.broadcast(native, src), array)


def scatter(arrays: Sequence[Any] | None, src: int = 0, dist_backend: Backend = None) -> Any:
    """Return element r of rank `src`'s list of arrays on rank r; shapes may differ.

    Raises:
        ValueError: The list on rank `src` does not have one array for each rank; the other ranks
            raise `RemoteError`.

    Example:
        >>> scatter([np.array([1, 2])])
        array([1, 2])
    """
    backend = with_root(src, "src", dist_backend)
    natives = None
    if backend.rank == src and arrays is not None:
        natives = [_sent(array, backend) for array in arrays]
    like = arrays[0] if arrays else None
    return _restored(backend.scatter(natives, src), like)


def reduce_scatter(arrays: Sequence[Any], op: str = "sum", dist_backend: Backend = None) -> Any:
    """Return, on rank r, the reduction of element r of all ranks' lists.

    Args:
        arrays: One array per rank; element r has the same shape and dtype on every rank,
            different elements may have different shapes.
        op: As in `all_reduce`.
        dist_backend: The backend.

    Raises:
        ValueError: `arrays` does not have one array for each rank, or `op` is unknown.
        TypeError, RemoteError, DisagreementError: As in `all_reduce`.

    Example:
        >>> reduce_scatter([np.array([1, 2])])
        array([1, 2])
    """
    backend = get_dist_backend(dist_backend)
    if len(arrays) != backend.world_size:
        raise ValueError(f"arrays must be one per rank ({backend.world_size}), got {len(arrays)}")
    natives = _checked(arrays, op, backend)
    like = arrays[backend.rank]
    if _is_mean(op):
        reduced = backend.reduce_scatter([_widened(array) for array in natives], "sum")
        return _restored(_divided(reduced, natives[backend.rank], backend), like)
    return _restored(backend.reduce_scatter(natives, op), like)


def all_reduce_dict(
    data: Mapping[str, Any], op: str = "sum", dist_backend: Backend = None
) -> dict[str, Any]:
    """Combine the ranks' dicts of numbers and arrays entry by entry.

    Entries of the same dtype travel together. bfloat16 and floats of 8 bits are added, and
    returned, as float32. The order of the keys does not matter.

    Args:
        data: Numbers and arrays by name: the same names, shapes and dtypes on every rank.
        op: As in `all_reduce`.
        dist_backend: The backend.

    Returns:
        In the order of this rank's keys: a number for a number, an array for an array.

    Raises:
        DisagreementError: Some rank has other names, shapes or dtypes; every rank raises it.

    Example:
        >>> all_reduce_dict({"loss": 0.5, "hits": np.array([1, 2])})
        {'loss': 0.5, 'hits': array([1, 2])}
    """
    backend = get_dist_backend(dist_backend)
    host = {key: arrays.to_host(value, f"data[{key!r}]") for key, value in data.items()}
    signature = sorted((key, str(a.dtype), a.shape) for key, a in host.items())
    check_same(signature, "data", backend)
    reduced: dict[str, Any] = {}
    for dtype in sorted({a.dtype.str for a in host.values()}):
        keys = [key for key, name, _ in signature if host[key].dtype.str == dtype]
        joined = np.concatenate([host[key].reshape(-1) for key in keys])
        total, start = all_reduce_alike(joined, op, backend), 0
        for key in keys:
            shape, stop = host[key].shape, start + host[key].size
            reduced[key] = total[start:stop].reshape(shape).copy()
            start = stop
    return {key: _like_given(reduced[key], value) for key, value in data.items()}


def check_same(
    signature: Any, name: str, backend: BaseDistBackend, failure: Exception | None = None
) -> None:
    """Raise an error on every rank unless all ranks pass equal signatures, and none has failed.

    Raises:
        Exception: `failure`, on its rank.
        RemoteError: Another rank has failed.
        DisagreementError: Signatures differ; the error names the ranks that differ from rank 0.
    """
    if backend.world_size > 1:
        text = "".join(traceback.format_exception(failure)).rstrip() if failure else None
        told = backend.all_gather_object((text, signature))
    else:
        told = [(None, signature)]
    if failure is not None:
        raise failure
    failed = {rank: text for rank, (text, _) in enumerate(told) if text is not None}
    if failed:
        raise RemoteError([*failed], [*failed.values()])
    first = told[0][1]
    differ = [rank for rank, (_, other) in enumerate(told) if other != first]
    if differ:
        raise DisagreementError(
            f"{name} must be the same on every rank: rank 0 has {first}, rank {differ[0]} has "
            f"{told[differ[0]][1]} (ranks that differ from rank 0: {differ})"
        )


def _checked(arrays: Sequence[Any], op: str, backend: BaseDistBackend) -> list[Any]:
    """Return arrays in a form that the backend takes, if all ranks reduce such arrays in one way.

    Libraries combine bytes, whatever they mean: of integers on one rank and floats on another, each
    rank would get other numbers.

    Raises:
        ValueError, TypeError, RemoteError, DisagreementError: As `all_reduce` raises them.
    """
    natives: list[Any] = []
    signature: tuple[Any, ...] = ()
    failure = None
    try:
        _is_mean(op)
        if any(isinstance(array, np.ma.MaskedArray) for array in arrays):
            raise TypeError("array must not be a masked array: leave the masked entries out")
        natives = [_native(array, backend) for array in arrays]
        kinds = [(str(native.dtype).rpartition(".")[2], tuple(native.shape)) for native in natives]
        signature = (op, *kinds)
    except (TypeError, ValueError) as error:
        failure = error
    check_same(signature, "operation, dtype and shape", backend, failure)
    return natives


def _is_mean(op: str) -> bool:
    if op != "mean" and op not in OPERATIONS:
        raise ValueError(f"op must be 'mean' or one of {[*OPERATIONS]}, got {op!r}")
    return op == "mean"


def _native(array: Any, backend: BaseDistBackend) -> Any:
    if backend.accepts(array):
        return array
    if isinstance(array, list | tuple | bool | int | float | str) or array is None:
        raise TypeError(f"expected a numpy array or a tensor, got {type(array).__name__}")
    return arrays.to_host(array, "array")


def _sent(array: Any, backend: BaseDistBackend) -> Any:
    try:
        return _native(array, backend)
    except (TypeError, ValueError) as error:
        return unfit(error, backend)


def _widened(native: Any) -> Any:
    # Means of integers would be truncated; a sum of 16-bit floats may be infinite, their mean not.
    if isinstance(native, np.ndarray):
        if native.dtype.kind in "biu":
            return native.astype(np.float64)
        return native.astype(np.float32) if native.dtype == np.float16 else native
    if _is_narrow(native):
        return native.float()
    floating = native.is_floating_point() or str(native.dtype).rpartition(".")[2][:7] == "complex"
    return native if floating else native.double()


def _divided(total: Any, native: Any, backend: BaseDistBackend) -> Any:
    """Return the mean in the dtype of the array, or of the sum if that was an array of integers."""
    mean = total / backend.world_size
    if not isinstance(total, np.ndarray):
        return mean.to(native.dtype) if _is_narrow(native) else mean
    # Before numpy 2, dividing an array without dimensions gives a float64.
    return np.asarray(mean, native.dtype if native.dtype == np.float16 else total.dtype)


def _is_narrow(tensor: Any) -> bool:
    return str(tensor.dtype).rpartition(".")[2] in ("float16", "bfloat16")


def _restored(result: Any, like: Any) -> Any:
    if like is None or type(result) is type(like):
        return result
    restored = arrays.from_host(result, like)
    # It travelled as float32, since numpy lacks it.
    return restored.to(like.dtype) if str(like.dtype).endswith(".bfloat16") else restored


def _like_given(array: np.ndarray, value: Any) -> Any:
    if isinstance(value, bool | int | float | complex):
        return array.item()
    return array if isinstance(value, np.ndarray) else arrays.from_host(array, value)
