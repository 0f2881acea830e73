"""Which rows are padding, and which rows count.

Padding consists of samples that a sampler repeats, so that every rank gets the same number. Its
place depends on the sampler. Samplers of single samples and of contiguous shards put it last,
and repeat fewer samples than there are ranks. Loaders that deal whole batches repeat up to a
batch for every rank, and leave it in the middle of the global order.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache

from mmeval_like._base.launchers import detect_launcher
from mmeval_like.arrays.rank_order import kept_rows

__all__ = ["expected_padding", "keep_size", "usual_padding"]

# The number of ranks if no launcher announced it (a program may spawn its ranks).
_RANKS = 64


@cache  # asked at every fold; the launcher does not change
def expected_padding() -> int:
    """Return how many of a rank's last rows may be padding, before its group exists."""
    place = detect_launcher()
    return (place.size if place else _RANKS) - 1


def usual_padding(ranks: int) -> int:
    """Return how many rows of all ranks `size=` may treat as padding by default.

    That is ranks - 1, the most that samplers of single samples and of contiguous shards repeat. If
    this process has a loader of accelerate, it is at most 1: such loaders deal whole batches, and
    the numbers of rows do not show which samples to drop if there are 2 or more.
    """
    return min(ranks - 1, 1) if _accelerate_deals() else ranks - 1


def _accelerate_deals() -> bool:
    """Return whether this process has an `Accelerator`, or a loader that accelerate prepared.

    Both create accelerate's `GradientState`. Nothing is imported to find it: a process that has
    not imported accelerate has none of its loaders.
    """
    state = getattr(sys.modules.get("accelerate.state"), "GradientState", None)
    return state is not None and getattr(state, "_shared_state", None) != {}


def keep_size(
    counts: Sequence[int], droppable: Sequence[int], padding: int, size: int, mode: str
) -> list[int]:
    """Return how many of each rank's first rows count; the others are padding.

    Args:
        counts: The number of rows of each rank.
        droppable: How many of each rank's last rows can be dropped.
        padding: How many rows of all ranks together may be padding.
        size: The number of samples of the dataset.
        mode: As in `kept_rows`.

    Raises:
        ValueError: `size` is larger than the number of rows, or would drop more rows than can be
            identified as padding.
    """
    rows, ranks = sum(counts), len(counts)
    if size > rows:
        raise ValueError(
            f"size must be at most the number of samples added, got size={size} with "
            f"{rows} samples on {ranks} rank(s): some samples were lost"
        )
    kept = kept_rows(counts, size, mode)
    dropped = [count - keep for count, keep in zip(counts, kept, strict=True)]
    if rows - size > padding or any(d > able for d, able in zip(dropped, droppable, strict=True)):
        raise ValueError(
            f"size={size} would drop {rows - size} of the {rows} samples on {ranks} rank(s), and "
            f"compute cannot tell which ones are duplicates: data loaders that deal whole batches, "
            f"as accelerate's do, repeat samples other than the last. If samples of an earlier "
            f"evaluation are among them, call reset() before the next. Load "
            f"mm.Indexed(dataset), and pass the samples' indices as ids= to add(). If the last "
            f"{max(dropped)} samples of a rank are the repeated ones, pass "
            f"max_padding={max(dropped)} to the metric's constructor."
        )
    return kept
