"""Forked processes, which inherit communication libraries, but not their threads."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable
from typing import Any

from mmeval_like._base.at_fork import at_fork

__all__ = ["inherited", "is_in_place_of_its_parent", "refuse_inherited", "watch"]

_STARTED = os.getpid(), os.environ.get("RANK")

_group_of: dict[str, Callable[[Any], Any]] = {}  # by the name of the library's module
_inherited: dict[str, weakref.ref[Any]] = {}


def watch(name: str, group_of: Callable[[Any], Any]) -> None:
    """From now on, record in every forked process whether the library has a group of processes.

    Args:
        name: The name of the library's module, which is not imported here.
        group_of: Returns the object that identifies the group of this module, or None if there
            is no group yet.
    """
    _group_of[name] = group_of


def _note_inherited() -> None:
    for name, find in _group_of.items():
        # A module that another thread was importing at the moment of the fork cannot be used.
        module = sys.modules.get(name)
        group = None if module is None else find(module)
        if group is not None:
            _inherited[name] = weakref.ref(group)


at_fork(after_in_child=_note_inherited)


def refuse_inherited(name: str) -> None:
    """Raise an error if the library's group is that of the process from which this was forked.

    The group's threads and connections belong to the parent: a collective in the child would wait
    forever. A child may leave the group and join another.

    Args:
        name: The name of the library's module.

    Raises:
        RuntimeError: The library's group is the parent's.
    """
    reference = _inherited.get(name)
    if reference is None:
        return
    group = reference()
    if group is not None and group is _group_of[name](sys.modules[name]):
        raise inherited(name)


def is_in_place_of_its_parent() -> bool:
    """Return whether this process was forked from the process that is the rank in `RANK`."""
    process, rank = _STARTED
    return os.getpid() != process and rank is not None and os.environ.get("RANK") == rank


def inherited(name: str) -> RuntimeError:
    """Return the error for a forked process that tries to communicate in its parent's group."""
    return RuntimeError(
        f"a forked process (for instance a worker of a data loader) cannot use the group of "
        f"{name} that its parent is in: compute in the parent, or for this process alone with "
        'dist_backend="non_dist"'
    )
