"""The end of a process of torch: it waits for the threads that are about to come back to Python.

A thread that comes back from the library while the interpreter ends is unwound on its way, which
C++ takes for a fatal error ("terminate called without an active exception").
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Iterable
from typing import Any

import torch

__all__ = ["ending", "lent", "watch"]

_PATIENCE = 2.0  # seconds
_NAP = 1e-3  # seconds between two looks whether tensors were given back
_TELLS = hasattr(torch.Tensor, "_use_count")  # whether torch says who holds a tensor: since 2.3

ending = threading.Event()
"""Whether the process ends: threads that are watched then end as soon as they can."""

_threads: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
_lent: list[weakref.ref[torch.Tensor]] = []


def watch(thread: threading.Thread) -> None:
    """Let the end of the process wait for this thread."""
    _threads.add(thread)


def lent(arguments: Iterable[Any]) -> None:
    """Let the end of the process wait until the library has given these tensors back.

    A thread of gloo gives the tensors of a collective back when the collective has ended already,
    and asks for Python's lock to do so. Before torch 2.3 the end cannot wait for it.
    """
    if not _TELLS:
        return
    tensors = [one for one in arguments if isinstance(one, torch.Tensor)]
    _lent[:] = [*filter(_is_lent, _lent), *map(weakref.ref, tensors)]


def _is_lent(reference: weakref.ref[torch.Tensor]) -> bool:
    tensor = reference()
    return tensor is not None and tensor._use_count() > 1


@atexit.register
def _leave() -> None:
    ending.set()
    until = time.monotonic() + _PATIENCE
    for thread in [*_threads]:
        thread.join(max(0.0, until - time.monotonic()))
    while any(map(_is_lent, _lent)) and time.monotonic() < until:
        time.sleep(_NAP)
