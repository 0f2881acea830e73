"""Selects the images that count: an image that was added more than once counts once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mmeval_like.metrics.detection.table import MatchTable
from mmeval_like.writing import Ragged, Results, Rows, take, warn

__all__ = ["MIXED", "NO_ID", "distinct_images", "have_identities", "warn_of_copies"]

NO_ID = np.iinfo(np.int64).min
"""Marks an image without identity; such images are identified by their place in the dataset."""

MIXED = "either all images have an img_id or none has"


def have_identities(rows: Mapping[str, Rows]) -> bool:
    """Return whether all images among rows of the state `image` have an identity."""
    return "image" not in rows or not bool((np.asarray(rows["image"]) == NO_ID).any())


def distinct_images(results: Results, tables: Sequence[MatchTable]) -> np.ndarray | None:
    """Return the rows that count, one for every image, in ascending order of `results.image`.

    If an image was added more than once (by a sampler that pads), only its first row counts.

    Args:
        results: The states, including `image`: int64 (images,), `NO_ID` for images without
            identity.
        tables: The tables whose states are compared, for a warning if copies differ.

    Returns:
        The rows' indices; None if all rows count, in their order.

    Raises:
        ValueError: Some images have an identity and some have none.
    """
    identity = results.image
    if (identity == NO_ID).all():
        return None
    if (identity == NO_ID).any():
        raise ValueError(MIXED)
    if (np.diff(identity) > 0).all():
        return None
    _, first, inverse = np.unique(identity, return_index=True, return_inverse=True)
    if len(first) < len(identity):
        again = np.setdiff1d(np.arange(len(identity)), first)
        columns = [getattr(results, name) for table in tables for name in table.columns()]
        differ = np.unique(identity[again[_differ(columns, again, first[inverse[again]])]])
        warn_of_copies(len(differ))
    return first


def warn_of_copies(differing: int) -> None:
    """Warn if images were added more than once with different detections."""
    if differing:
        warn(
            f"{differing} images were added more than once with different detections; "
            f"the first copy counts",
            RuntimeWarning,
        )


def _differ(columns: Sequence[Rows], rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    differ = np.zeros(len(rows), np.bool_)
    for column in columns:
        if isinstance(column, Ragged):
            pairs = [take(column, which).split() for which in (rows, others)]  # type: ignore[union-attr]
            differ |= [a.tobytes() != b.tobytes() for a, b in zip(*pairs, strict=True)]
    return differ
