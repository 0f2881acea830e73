"""Torch collectives that fail because a rank is missing, and the error that names it."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from typing import Any

from mmeval_like._base.threads import start
from mmeval_like.backends.forks import refuse_inherited
from mmeval_like.backends.torch.end import ending, lent, watch
from mmeval_like.backends.torch.group import Membership
from mmeval_like.backends.torch.twin import Twin
from mmeval_like.errors import lost_partner

__all__ = ["asking", "call"]

# The errors of gloo, NCCL and torch's store if the peer is late or lost.
_LOST = re.compile(
    r"timed? ?out|timeout|connection (closed|reset|refused)|broken pipe|(read|write) error",
    re.IGNORECASE,
)
_PATIENCE = 2.0  # seconds for the other surviving ranks to notice
_NAP, _LONGEST_NAP = 1e-5, 1e-3  # seconds between two polls of a collective
_LOOK = 0.05  # seconds between two reads of the marks of the other ranks


def call(group: Any, function: Callable[..., Any], *args: Any) -> None:
    """Call a collective in a group.

    Raises:
        SyncTimeoutError: The library gave up, since a rank did not call or was lost.
        RuntimeError: The group belongs to the process from which this one was forked.
    """
    refuse_inherited("torch.distributed")
    name = function.__name__.lstrip("_")
    if isinstance(group, Twin) and group.lost is not None:
        raise lost_partner(name, *group.lost)
    try:
        lent(args)
        function(*args, group=group)
    except RuntimeError as error:
        if not _LOST.search(str(error)):
            raise
        missing: list[int] = []
        # The store may be lost with the rank that hosted it; the missing ranks are then unknown.
        search = threading.Thread(target=_find, args=(group, missing), daemon=True)
        watch(search)
        start(search)
        search.join(2 * _PATIENCE)
        found = list(missing), str(error).splitlines()[0]
        if isinstance(group, Twin):
            group.lost = found
        raise lost_partner(name, *found) from error


def asking(collective: Callable[..., Any]) -> Callable[..., None]:
    """Return the collective for a thread other than the program's, with a wait in Python.

    When the process ends, it raises `RuntimeError`, so that the thread ends first.
    """

    def wait(*args: Any, group: Any) -> None:
        watch(threading.current_thread())
        started = time.monotonic()
        if isinstance(group, Twin):
            work = group.begin(collective, *args)
        else:
            work = collective(*args, group=group, async_op=True)
        while not work.is_completed():
            if ending.is_set():
                raise RuntimeError("the process ends before the other ranks have called")
            time.sleep(min(max(_NAP, (time.monotonic() - started) / 32), _LONGEST_NAP))
        work.wait()

    wait.__name__ = collective.__name__  # for the error about a missing rank
    return wait


def _find(group: Any, missing: list[int]) -> None:
    """Set a mark in the group's store; add the ranks that do not set theirs to `missing`."""
    try:
        store = group.get_group_store()
        place = group if isinstance(group, Twin) else Membership(group, None, "")
        marks = [f"mmeval_like/lost/{rank}" for rank in range(place.world_size)]
        store.set(marks[place.rank], "here")
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until and not store.check(marks) and not ending.is_set():
            time.sleep(_LOOK)
        missing += [rank for rank, mark in enumerate(marks) if not store.check([mark])]
    except (AttributeError, RuntimeError):  # an old torch, or a group without a store
        return
