"""Connections of gloo in addition to those of a group; torch does not manage them.

Without the ranks outside the group, `torch.distributed.new_group` names a group by the number of
groups of this process: ranks in different numbers of groups would wait for each other forever, and
the name of a destroyed group is reused, together with the addresses that it left in the store.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch.distributed as dist

from mmeval_like._base.at_fork import at_fork
from mmeval_like.backends.torch.group import Membership, timeout_of

__all__ = ["Twin", "may_have_twin"]

# The functions that begin a collective, by the name of torch's function.
_BEGIN: dict[str, Callable[..., Any]] = {
    "all_gather_single": lambda gloo, *args: gloo._allgather_base(*args),
    "all_gather_into_tensor": lambda gloo, *args: gloo._allgather_base(*args),
    "broadcast": lambda gloo, *args: gloo.broadcast(*args),
    "all_reduce": lambda gloo, *args: gloo.allreduce(*args),
    "all_to_all_single": lambda gloo, *args: gloo.alltoall_base(*args),
}


# Closing connections waits for their threads, which a forked process does not have; it therefore
# keeps the connections of its parent open.
_open: weakref.WeakSet[Twin] = weakref.WeakSet()
_kept: list[Twin] = []
at_fork(before=lambda: _kept.extend(_open), after_in_parent=_kept.clear)


def may_have_twin(member: Membership) -> bool:
    """Return whether gloo carries the group's messages, and the group's store is accessible."""
    return member.library == "gloo" and hasattr(member.group(), "get_group_store")


class Twin:
    """The ranks of a group, with connections that are closed when this object is collected.

    Args:
        parent: The place of this process in the group.
        name: A name that is the same on every rank of the group, and unique among twins.

    Attributes:
        lost: Once a collective has failed, the ranks that did not answer, and gloo's message; no
            later collective can succeed.
    """

    library = "gloo"

    def __init__(self, parent: Membership, name: str) -> None:
        group: Any = parent.group()
        self.rank, self.world_size, self.device = parent.rank, parent.world_size, parent.device
        self._store = dist.PrefixStore(f"mmeval_like/{name}", group.get_group_store())
        limit = timeout_of(group, self.device)
        given = (self._store, self.rank, self.world_size, *([] if limit is None else [limit]))
        self.lost: tuple[list[int], str] | None = None
        self._gloo = dist.ProcessGroupGloo(*given)
        _open.add(self)

    def group(self) -> Twin:
        """Return the object that identifies the group of ranks."""
        return self

    def begin(self, collective: Callable[..., Any], *args: Any) -> Any:
        """Begin the collective of this torch function, and return its `Work`."""
        return _BEGIN[collective.__name__](self._gloo, *args)

    def get_group_store(self) -> Any:
        """Return the store of the connections."""
        return self._store
