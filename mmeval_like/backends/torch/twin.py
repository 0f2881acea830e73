"""Connections of gloo in addition to those of a group, which torch itself does not know.

`torch.distributed.new_group` without the ranks outside names a group by the number of groups that
this process is in: ranks in different numbers of groups would wait for each other forever, and the
name of a destroyed group is reused, with the addresses that it left in the store.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch.distributed as dist

from mmeval_like._base.at_fork import at_fork
from mmeval_like.backends.torch.group import Membership, timeout_of

__all__ = ["Twin", "may_have_twin"]

# What begins a collective, by the name of torch's function for it.
_BEGIN: dict[str, Callable[..., Any]] = {
    "all_gather_single": lambda gloo, *args: gloo._allgather_base(*args),
    "all_gather_into_tensor": lambda gloo, *args: gloo._allgather_base(*args),
    "broadcast": lambda gloo, *args: gloo.broadcast(*args),
    "all_reduce": lambda gloo, *args: gloo.allreduce(*args),
    "all_to_all_single": lambda gloo, *args: gloo.alltoall_base(*args),
}


# To close connections is to wait for their threads, which a forked process does not have: it keeps
# the connections of its parent.
_open: weakref.WeakSet[Twin] = weakref.WeakSet()
_kept: list[Twin] = []
at_fork(before=lambda: _kept.extend(_open), after_in_parent=_kept.clear)


def may_have_twin(member: Membership) -> bool:
    """Return whether gloo carries the group's messages, and torch shows the group's store."""
    return member.library == "gloo" and hasattr(member.group(), "get_group_store")


class Twin:
    """The ranks of a group, with connections that are closed when this object is gone.

    Args:
        parent: The place of this process in the group.
        name: The same on every rank of the group, and on no other twin.

    Attributes:
        lost: The ranks that did not answer, and what gloo said, once a collective has failed: no
            other one can succeed then.
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
        """Return what identifies the group of ranks."""
        return self

    def begin(self, collective: Callable[..., Any], *args: Any) -> Any:
        """Begin what torch's function of this name does, and return its work."""
        return _BEGIN[collective.__name__](self._gloo, *args)

    def get_group_store(self) -> Any:
        """Return the store of the connections."""
        return self._store
