"""A process's place in a torch process group, and the library that carries its messages."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from datetime import timedelta
from functools import cached_property
from typing import Any

import torch
import torch.distributed as dist

__all__ = ["Membership", "reference_to", "timeout_of"]


class Membership:
    """The properties of a group that do not change while it exists.

    Args:
        group: A process group of this process.
        device_type: The type of device on which messages travel; None: that of the group's library.
        owner: The class name of the backend, for error messages.

    Raises:
        RuntimeError: This process is not in the group.
    """

    def __init__(self, group: Any, device_type: str | None, owner: str) -> None:
        self.rank: int = dist.get_rank(group)
        self.world_size: int = dist.get_world_size(group)
        if self.rank < 0:
            raise RuntimeError(
                f"rank {dist.get_rank()} is outside of the process group given to {owner}: only "
                "the ranks of the group may take part"
            )
        self.group = reference_to(group)
        self._device_type = device_type
        self._owner = owner

    @property
    def device(self) -> torch.device:
        """The device on which messages travel.

        Raises:
            RuntimeError: The group has no library for the device type, or the device is missing.
        """
        return self._channel[0]

    @cached_property
    def library(self) -> str:
        """The library that carries the messages: "gloo", "nccl", ..."""
        return self._channel[1]

    @cached_property
    def _channel(self) -> tuple[torch.device, str]:
        config = str(dist.get_backend_config(self.group()))
        libraries = dict(item.split(":") for item in config.split(","))
        kind = self._device_type or ("cpu" if "cpu" in libraries else next(iter(libraries)))
        if kind not in libraries or (kind == "cuda" and not torch.cuda.is_available()):
            raise RuntimeError(
                f"{self._owner} needs a process group with a library for {kind!r}, "
                f"and such a device; this group has {config!r}. Use dist_backend='torch', "
                "or init_process_group('cpu:gloo,cuda:nccl')"
            )
        return torch.device(kind), libraries[kind]


def timeout_of(group: Any, device: torch.device) -> timedelta | None:
    """Return the timeout of a group's collectives on this device; None if it is unknown."""
    options = getattr(group._get_backend(device), "options", None)
    return getattr(options, "_timeout", None)


def reference_to(group: Any) -> Callable[[], Any]:
    """Return a function that returns the group as long as torch or the program holds it.

    It holds only a weak reference: a group whose connections outlive `destroy_process_group()`
    keeps the other ranks waiting, and aborts this process when it ends.
    """
    try:
        return weakref.ref(group)
    except TypeError:  # on a rank outside the group, torch has a number instead of a group
        return lambda: group
