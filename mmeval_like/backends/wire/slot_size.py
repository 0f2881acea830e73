"""The size of the message with which every all-gather of this library begins."""

from functools import cache

__all__ = ["slot_bytes"]


@cache  # asked at every compute
def slot_bytes(world_size: int) -> int:
    """Return the size of a slot: 4 KiB, less in worlds where the slots would add up to a MiB.

    Every kind of call uses this one size. Ranks that meet in different calls can then read each
    other's slots and say so; a library that gets messages of different sizes ends the process.
    """
    return max(128, min(4096, (1 << 20) // world_size))
