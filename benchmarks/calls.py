"""Counts what reaches torch's process group, for every library the same way."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch
import torch.distributed as dist
from torch.utils._python_dispatch import TorchDispatchMode

# Where an operation of torch.distributed has the tensors that this rank sends.
_SENT = {
    "c10d::allreduce_": 0,
    "c10d::reduce_": 0,
    "c10d::send": 0,
    "c10d::broadcast_": 0,
    "c10d::allgather_": 1,
    "c10d::_allgather_base_": 1,
    "c10d::gather_": 1,
}
_MESSAGES = ("c10d::send", "c10d::recv_")


class Calls(TorchDispatchMode):
    """Within `with Calls() as calls:`, counts calls by name and the bytes this rank hands over."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: Counter[str] = Counter()
        self.sent = 0

    @property
    def text(self) -> str:
        """The number of collectives and, where there are any, of messages from rank to rank."""
        messages = sum(self.calls[name] for name in _MESSAGES)
        collectives = sum(self.calls.values()) - messages
        return f"{collectives}, {messages} messages" if messages else str(collectives)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        name = func._schema.name
        if name.startswith("c10d::"):
            self.calls[name] += 1
            received = name == "c10d::broadcast_" and args[2] != dist.get_rank()
            if name in _SENT and not received:
                self.sent += _bytes(args[_SENT[name]])
        return func(*args, **(kwargs or {}))


def _bytes(value: Any) -> int:
    if isinstance(value, torch.Tensor):
        return value.numel() * value.element_size()
    return sum(map(_bytes, value)) if isinstance(value, list | tuple) else 0
