"""The warning that all ranks added the same samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mmeval_like._base.warning import warn

__all__ = ["are_repeated", "warn_of_repeated"]


def are_repeated(contents: Sequence[Any]) -> bool:
    """Return whether all ranks added the same samples.

    Args:
        contents: For each rank, its header and its payload as bytes. The samples of this rank are
            too many to be equal to others by chance.
    """
    first, *others = contents
    for content in others:  # noqa: SIM110  every compute asks
        if content != first:
            return False
    return True


def warn_of_repeated(rows: int, ranks: int) -> None:
    """Warn that all ranks added the same samples, for instance after a framework gathered them.

    Args:
        rows: The number of rows of this rank.
        ranks: The number of ranks.
    """
    warn(
        f"all {ranks} ranks added the same {rows} samples, each of which counts "
        f"{ranks} times. If the program gathers predictions before add(), as "
        f'transformers\' Trainer does, construct the metric with dist_backend="non_dist"'
    )
