"""The warning that all ranks added the same samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mmeval_like.errors import warn

__all__ = ["warn_if_repeated"]


def warn_if_repeated(rows: int, contents: Sequence[Any]) -> None:
    """Warn where all ranks added the same samples, as after a framework that gathered them.

    Args:
        rows: How many this rank added, which are not equal to those of the others by chance.
        contents: What the ranks sent: their heads, and behind them the payloads.
    """
    if all(content == contents[0] for content in contents[1:]):
        warn(
            f"all {len(contents)} ranks added the same {rows} samples, each of which counts "
            f"{len(contents)} times. If the program gathers predictions before add(), as "
            f'transformers\' Trainer does, construct the metric with dist_backend="non_dist"'
        )
