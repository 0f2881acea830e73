"""The size of the message with which every all-gather of this library begins."""

from functools import cache

__all__ = ["slot_bytes"]


@cache  # asked at every compute
def slot_bytes(world_size: int) -> int:
    """Return the size of a slot: 4 KiB, or less if the slots of all ranks would exceed 1 MiB.

    Every kind of call uses this size, so that ranks that meet in different calls can read each
    other's slots and report the error; with messages of different sizes, some libraries would end
    the process.
    """
    return max(128, min(4096, (1 << 20) // world_size))
