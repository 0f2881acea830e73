"""One process's place in a ZeroMQ group, from arguments and from the environment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Place"]

_VARIABLES = ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE", "MMEVAL_LIKE_SECRET")
_MIN_SECRET = 16
_NEW_SECRET = "python -c 'import secrets; print(secrets.token_urlsafe(32))'"


@dataclass(frozen=True)
class Place:
    """The rank of one process in a group, and where and how the group meets."""

    address: str
    port: int
    rank: int
    world_size: int
    secret: str = field(repr=False)  # so that no traceback with arguments shows it
    timeout: float | None

    @classmethod
    def find(cls, given: Sequence[Any], timeout: float | None) -> Place | None:
        """Return the place of this process; None if rank and number of processes are both unknown.

        Args:
            given: Address, port, rank, number of processes and secret; those that are None are read
                from the environment.
            timeout: As for `ZmqDist`.

        Raises:
            ValueError: Something is missing or out of its range.
        """
        found = [
            os.environ.get(variable) if value is None else value
            for value, variable in zip(given, _VARIABLES, strict=True)
        ]
        port, rank, world_size = map(_integer, found[1:4], _VARIABLES[1:4])
        address, secret = found[0] or "", found[4] or ""
        if rank is None and world_size is None:
            return None
        if rank is None or world_size is None or not 0 <= rank < world_size:
            raise ValueError(f"rank must be in [0, world_size), got {rank} of {world_size}")
        if world_size > 1 and not (address and port and 0 < port < 65536):
            raise ValueError(
                f"a zmq group of {world_size} ranks needs rank 0's address= and port= (or "
                f"MASTER_ADDR and MASTER_PORT) in [1, 65535], got {address!r} and {port}"
            )
        if world_size > 1 and len(secret) < _MIN_SECRET:
            raise ValueError(
                f"a zmq group needs a secret= (or MMEVAL_LIKE_SECRET) of at least {_MIN_SECRET} "
                f"characters, the same on every rank; to generate one, run {_NEW_SECRET}"
            )
        return cls(address, port or 0, rank, world_size, secret, timeout)

    def endpoint(self, host: str) -> str:
        """Return ZeroMQ's name for our port at a host."""
        return f"tcp://[{host}]:{self.port}" if ":" in host else f"tcp://{host}:{self.port}"


def _integer(value: Any, variable: str) -> int | None:
    try:
        return None if value is None else int(value)
    except ValueError:
        raise ValueError(f"{variable} must be an integer, got {value!r}") from None
