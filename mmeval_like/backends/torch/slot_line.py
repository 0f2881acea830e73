"""The exchange of slots through tensors that are allocated once for each group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from mmeval_like.backends.slot_line import SlotLine
from mmeval_like.backends.torch.group import Membership
from mmeval_like.backends.torch.lost import call
from mmeval_like.backends.torch.twin import Twin
from mmeval_like.backends.wire.packing import Buffer
from mmeval_like.backends.wire.slot_size import slot_bytes

__all__ = ["TensorLine"]


class TensorLine(SlotLine):
    """Tensors for the slot of this rank and for those of all ranks of a group.

    The tensors are in host memory. It does not hold its backend or the group, whose connections end
    when nothing uses them.

    Args:
        member: The place of this process in the group.
        gather: The all-gather of torch into a single tensor.

    Attributes:
        member: As given.
        busy: Whether it has a user.
    """

    def __init__(self, member: Membership | Twin, gather: Callable[..., Any]) -> None:
        self.ranks, self.member, self.busy = member.world_size, member, False
        self._gather_into = gather
        size = slot_bytes(self.ranks)
        own, every = np.zeros(size, np.uint8), np.zeros((self.ranks, size), np.uint8)
        self._slot, self._slots = own.data, [row.data for row in every]
        with torch.inference_mode(False):  # or later exchanges may not write into the tensors
            self._own, self._all = torch.from_numpy(own), torch.from_numpy(every.reshape(-1))

    def exchange(self, slot: bytes) -> Sequence[Buffer]:
        """Return the slots of all ranks, in memory that the next exchange uses again.

        Raises:
            RuntimeError: The group was destroyed by another thread.
        """
        group = self.member.group()
        if group is None:
            raise RuntimeError("the process group was destroyed during a compute()")
        self._slot[:] = slot
        device = self.member.device
        received = self._all.to(device)  # on the CPU, the tensor itself
        call(group, self._gather_into, received, self._own.to(device))
        if received is not self._all:
            self._all.copy_(received)
        return self._slots

    def free(self) -> None:
        """Let the next exchange of the group use the tensors."""
        self.busy = False
