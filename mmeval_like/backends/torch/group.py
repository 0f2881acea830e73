"""A process's place in a torch process group, and what carries the group's messages."""

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
    """What does not change as long as a group lives.

    Args:
        group: A process group of this process.
        device_type: Where messages have to travel; None: wherever the group's library wants.
        owner: Who asks, for error messages.

    Raises:
        RuntimeError: This process is outside of the group.
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
            RuntimeError: The group has no library for the device type, or there is no such device.
        """
        return self._channel[0]

    @cached_property
    def library(self) -> str:
        """What carries them: "gloo", "nccl", ..."""
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
    """Return how long a group's collectives wait on this device; None where torch does not say."""
    options = getattr(group._get_backend(device), "options", None)
    return getattr(options, "_timeout", None)


def reference_to(group: Any) -> Callable[[], Any]:
    """Return a function that returns the group as long as torch or the program holds it.

    A group whose connections outlive `destroy_process_group()` keeps its other ranks waiting, and
    aborts this process at its end.
    """
    try:
        return weakref.ref(group)
    except TypeError:  # for a rank outside, torch has a number in place of a group
        return lambda: group
