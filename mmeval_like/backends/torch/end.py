"""The end of a process that uses torch, which waits for threads that will return to Python.

If a thread returns from the library while the interpreter ends, Python unwinds it, which C++ treats
as a fatal error ("terminate called without an active exception").
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
_MANY = 64  # of so many tensors, those that were released are forgotten
_NAP = 1e-3  # seconds between two checks whether tensors were released
_TELLS = hasattr(torch.Tensor, "_use_count")  # since torch 2.3

ending = threading.Event()
"""Set when the process ends; watched threads then end as soon as they can."""

_threads: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
_lent: list[weakref.ref[torch.Tensor]] = []


def watch(thread: threading.Thread) -> None:
    """Make the end of the process wait for this thread."""
    _threads.add(thread)


def lent(arguments: Iterable[Any]) -> None:
    """Make the end of the process wait until the library has released these tensors.

    A thread of gloo releases the tensors of a collective after the collective has ended, and takes
    Python's lock (the GIL) to do so. Before torch 2.3, the end of the process cannot wait for this.
    """
    if not _TELLS:
        return
    for one in arguments:
        if isinstance(one, torch.Tensor):
            _lent.append(weakref.ref(one))
    if len(_lent) > _MANY:
        _lent[:] = [*filter(_is_lent, _lent)]


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
