"""Making parameters, buffers and gradients of a model equal on all ranks, in place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from mmeval_like.backends import BaseDistBackend, get_dist_backend
from mmeval_like.dist.arrays import all_reduce_alike, broadcast, check_same
from mmeval_like.dist.objects import with_root

__all__ = ["broadcast_tensors", "sync_buffer", "sync_grad"]

Backend = str | BaseDistBackend | None


def broadcast_tensors(tensors: Iterable[Any], src: int = 0, dist_backend: Backend = None) -> None:
    """Write rank `src`'s tensors into the other ranks' tensors.

    Args:
        tensors: Writable numpy arrays or tensors, of the same number, shapes and dtypes on every
            rank; only those of floats and complex numbers are sent.
        src: The rank whose values are used.
        dist_backend: The backend.

    Raises:
        DisagreementError: The number of tensors, their shapes or their dtypes differ between ranks;
            every rank raises it, before anything is written.
    """
    backend = with_root(src, "src", dist_backend)
    _exchange(tensors, "tensors", _is_inexact, backend, lambda array: broadcast(array, src, backend))


def sync_buffer(buffers: Iterable[Any], average: bool = True, dist_backend: Backend = None) -> None:
    """Write the mean over ranks, or rank 0's values, into float buffers.

    Args:
        buffers: Writable numpy arrays or tensors; those that are not floats are not changed.
        average: True: the mean; False: the values of rank 0.
        dist_backend: The backend.

    Raises:
        DisagreementError: Some rank has other buffers; every rank raises it, before anything is
            written.

    Example:
        >>> import numpy as np
        >>> buffer = np.array([1.0, 2.0])
        >>> sync_buffer([buffer])
        >>> buffer
        array([1., 2.])
    """
    backend = get_dist_backend(dist_backend)

    def combine(array: Any) -> Any:
        return all_reduce_alike(array, "mean", backend) if average else broadcast(array, 0, backend)

    _exchange(buffers, "buffers", partial(_is_inexact, complex_too=False), backend, combine)


def sync_grad(params: Iterable[Any], dist_backend: Backend = None) -> None:
    """Write the mean over ranks into the gradients of parameters.

    Args:
        params: Parameters with an attribute `grad`, in the same order on every rank; those whose
            gradient is None are skipped, and must be the same on every rank.
        dist_backend: The backend.

    Raises:
        DisagreementError: Some rank has other gradients, or none where another rank has one; every
            rank raises it, before anything is written.
    """
    backend = get_dist_backend(dist_backend)
    grads = [param.grad for param in params]

    def combine(array: Any) -> Any:
        return all_reduce_alike(array, "mean", backend)

    _exchange(grads, "gradients", _is_there, backend, combine)


def _exchange(
    tensors: Iterable[Any],
    name: str,
    is_sent: Callable[[Any], bool],
    backend: BaseDistBackend,
    combine: Callable[[Any], Any],
) -> None:
    """Replace the values of the tensors that are sent, with one exchange for each dtype.

    The ranks compare all tensors: those that are sent may have equal shapes, and yet be others.
    """
    if backend.world_size == 1:
        return
    given = list(tensors)
    check_same([_signature(tensor) for tensor in given], name, backend)
    sent = [tensor for tensor in given if is_sent(tensor)]
    for dtype in sorted({str(tensor.dtype) for tensor in sent}):
        group = [tensor for tensor in sent if str(tensor.dtype) == dtype]
        result, start = combine(_joined(group)), 0
        for tensor in group:
            values = _values(tensor)
            stop = start + int(np.prod(tuple(tensor.shape), dtype=np.int64))
            values[...] = result[start:stop].reshape(tuple(tensor.shape))
            start = stop


def _signature(tensor: Any) -> tuple[str, tuple[int, ...]] | None:
    return None if tensor is None else (str(tensor.dtype), tuple(tensor.shape))


def _is_there(tensor: Any) -> bool:
    return tensor is not None


def _values(tensor: Any) -> Any:
    # Writing through `data` is not recorded by autograd.
    return tensor if isinstance(tensor, np.ndarray) else tensor.data


def _joined(tensors: list[Any]) -> Any:
    flat = [_values(tensor).reshape(-1) for tensor in tensors]
    if isinstance(flat[0], np.ndarray):
        return np.concatenate(flat)
    return sys.modules[type(flat[0]).__module__.partition(".")[0]].cat(flat)


def _is_inexact(tensor: Any, complex_too: bool = True) -> bool:
    kinds = ("float", "bfloat", "complex") if complex_too else ("float", "bfloat")
    return str(tensor.dtype).rpartition(".")[2].startswith(kinds)
