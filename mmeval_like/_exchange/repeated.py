"""The warning that all ranks added the same samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mmeval_like._base.warning import warn

__all__ = ["warn_if_repeated"]


def warn_if_repeated(rows: int, contents: Sequence[Any]) -> None:
    """Warn if all ranks added the same samples, for instance after a framework gathered them.

    Args:
        rows: The number of rows of this rank, which is too large for equal rows by chance.
        contents: For each rank, its header and its payload as bytes.
    """
    if all(content == contents[0] for content in contents[1:]):
        warn(
            f"all {len(contents)} ranks added the same {rows} samples, each of which counts "
            f"{len(contents)} times. If the program gathers predictions before add(), as "
            f'transformers\' Trainer does, construct the metric with dist_backend="non_dist"'
        )
