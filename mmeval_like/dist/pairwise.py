"""Applying a function to every pair of ranks' inputs, with only two inputs in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mmeval_like.backends import BaseDistBackend, get_dist_backend
from mmeval_like.dist.arrays import broadcast

__all__ = ["pairwise_apply"]


def pairwise_apply(
    f: Callable[..., Any],
    x: Any,
    args: Sequence[Any] = (),
    equal_size: bool = False,
    dist_backend: str | BaseDistBackend | None = None,
) -> list[Any]:
    """Return `[f(x, y, *args)]` for every rank's input y, in rank order.

    The inputs are broadcast one after another: in addition to `x`, a rank holds one of them at a
    time.

    Args:
        f: A function of this rank's `x`, the `x` of any rank, and `args`.
        x: This rank's array; shapes may differ between ranks.
        args: Further arguments of `f`.
        equal_size: Whether the shapes must be equal.
        dist_backend: The backend.

    Raises:
        ValueError: `equal_size` is given, and a rank's shape differs from this one's.
        Exception: The exception of `f` on this rank. It is raised after the last input, so that the
            other ranks do not wait.

    Example:
        >>> import numpy as np
        >>> pairwise_apply(np.add, np.array([1]))
        [array([2])]
    """
    backend = get_dist_backend(dist_backend)
    results: list[Any] = []
    failure: Exception | None = None
    for src in range(backend.world_size):
        y = broadcast(x, src, backend)
        if failure is not None:
            continue
        try:
            if equal_size and tuple(y.shape) != tuple(x.shape):
                raise ValueError(
                    f"equal_size: rank {src} has shape {tuple(y.shape)}, this rank {tuple(x.shape)}"
                )
            results.append(f(x, y, *args))
        except Exception as error:
            failure = error
    if failure is not None:
        raise failure
    return results
