"""The group of every sample: from its id, or else from its rows.

Neither depends on the rank, the batch or the order of a sample, so that groups of different ranks
can be merged. Samples without ids that have equal rows are in one group, since nothing
distinguishes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mmeval_like._base.mixing import STEP, mixed
from mmeval_like._states.key_columns import Tags
from mmeval_like._states.keyed_rows import KeyIndex
from mmeval_like._states.rows import Ragged
from mmeval_like.arrays.accelerator import fetch

__all__ = ["GROUPS", "sample_groups", "with_groups"]

GROUPS = 50

_EXACT = 2.0**53  # from here on, a float cannot represent every integer


def sample_groups(ids: np.ndarray | None, rows: Mapping[str, Any]) -> np.ndarray:
    """Return the group of each sample, int64 in [0, GROUPS).

    Args:
        ids: The ids, as `read_ids` returns them; None if there are none.
        rows: The checked rows by state, which are used if there are no ids.

    Example:
        >>> rows = {"errors": np.array([0.5, 2.0, 0.5])}
        >>> groups = sample_groups(None, rows)
        >>> bool(groups[0] == groups[2])
        True
    """
    if ids is not None:
        columns = np.atleast_2d(ids.astype(np.uint64).T)
    else:
        columns = np.stack([_contents(fetch(rows[name])) for name in sorted(rows)])
    words = np.zeros(columns.shape[1], np.uint64)
    for column in columns:
        words = mixed(words ^ column)
    groups: np.ndarray = (words % np.uint64(GROUPS)).astype(np.int64)
    return groups


def with_groups(tags: Tags | None, groups: np.ndarray) -> Tags:
    """Return the keys of samples with the group as their last entry.

    Args:
        tags: The keys so far; None if there are none.
        groups: The group of each sample.

    Example:
        >>> tags = with_groups(None, np.array([7, 3, 7]))
        >>> [tags.cells.keys[code] for code in tags.codes.tolist()]
        [(7,), (3,), (7,)]
    """
    codes = groups if tags is None else tags.codes * GROUPS + groups
    used, places = np.unique(codes, return_inverse=True)
    keys = [divmod(code, GROUPS) for code in used.tolist()]
    if tags is None:
        cells = KeyIndex([(group,) for _, group in keys])
    else:
        cells = KeyIndex([(*tags.cells.keys[key], group) for key, group in keys], "by")
    return Tags(cells, places.reshape(-1).astype(np.int64))


def _contents(rows: Any) -> np.ndarray:
    """Return a uint64 hash of each row: equal for equal numbers, in any dtype and as `Ragged`."""
    values = rows.values if isinstance(rows, Ragged) else rows
    entries = int(np.prod(values.shape[1:], dtype=np.int64))
    lengths = entries * (rows.lengths if isinstance(rows, Ragged) else np.ones(len(rows), np.int64))
    stops = np.cumsum(lengths)
    places = np.arange(values.size) - np.repeat(stops - lengths, lengths)
    words = mixed(_words(values.reshape(-1)) ^ mixed(places.astype(np.uint64) * STEP))
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(words, dtype=np.uint64)])
    found: np.ndarray = sums[stops] - sums[stops - lengths] + mixed(lengths.astype(np.uint64))
    return found


def _words(values: np.ndarray) -> np.ndarray:
    """Return a uint64 for each number: its bits as float64, or a hash if float64 is inexact."""
    floats = values.astype(np.float64) + 0.0  # -0 is 0
    floats[np.isnan(floats)] = np.nan
    words = floats.view(np.uint64)
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8 and (abs(floats) >= _EXACT).any():
        whole = values.astype(np.uint64)
        size = np.where(floats < 0, -whole, whole)
        lost = size >> np.uint64(53) >= np.maximum(size & -size, np.uint64(1))
        words[lost] = mixed(whole[lost])
    return words
