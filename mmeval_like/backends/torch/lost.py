"""A torch collective that fails because a rank is missing: the error that says which one."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from typing import Any

from mmeval_like.backends.forks import refuse_inherited
from mmeval_like.errors import lost_partner

__all__ = ["call"]

# What gloo, NCCL and torch's store say when the other side is late or gone.
_LOST = re.compile(
    r"timed? ?out|timeout|connection (closed|reset|refused)|broken pipe|(read|write) error",
    re.IGNORECASE,
)
_PATIENCE = 2.0  # seconds for the other survivors to notice


def call(group: Any, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call a collective in a group.

    Raises:
        SyncTimeoutError: The library gave up, since a rank did not come or is gone.
        RuntimeError: The group is the one of the process that this one was forked from.
    """
    refuse_inherited("torch.distributed")
    try:
        return function(*args, group=group, **options)
    except RuntimeError as error:
        if not _LOST.search(str(error)):
            raise
        missing: list[int] = []
        # The store may be gone with the rank that held it: then nobody can tell who is missing.
        search = threading.Thread(target=_find, args=(group, missing), daemon=True)
        search.start()
        search.join(2 * _PATIENCE)
        name, said = function.__name__.lstrip("_"), str(error).splitlines()[0]
        raise lost_partner(name, list(missing), said) from error


def _find(group: Any, missing: list[int]) -> None:
    """Leave a mark in the group's store, and see which ranks do not leave theirs."""
    try:
        store, size = group.get_group_store(), group.size()
        marks = [f"mmeval_like/lost/{rank}" for rank in range(size)]
        store.set(marks[group.rank()], "here")
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until and not store.check(marks):
            time.sleep(0.05)
        missing += [rank for rank, mark in enumerate(marks) if not store.check([mark])]
    except (AttributeError, RuntimeError):  # an old torch, or a group without a store
        return
