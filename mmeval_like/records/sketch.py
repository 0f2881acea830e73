"""A table of 3 or 4 KiB; two such tables show which samples differ.

It is an invertible Bloom lookup table (M. T. Goodrich and M. Mitzenmacher, Invertible Bloom lookup
tables, Allerton 2011; D. Eppstein, M. T. Goodrich, F. Uyeda and G. Varghese, What's the difference?
Efficient set reconciliation without prior context, SIGCOMM 2011). Every sample is added to one cell
of each of four rows of cells. In the difference of two tables, equal samples cancel. A cell with
one remaining sample shows its id; this sample is then removed from its other cells.
"""

from __future__ import annotations

import base64
from collections import Counter

import numpy as np

from mmeval_like._base.mixing import mixed
from mmeval_like._samples.ids import Id, shown
from mmeval_like.arrays.row_hashes import blocks

__all__ = ["differences", "sketch_of"]

_TABLES, _CELLS = 4, 24


def sketch_of(ids: np.ndarray, hashes: np.ndarray) -> str:
    """Return the table of samples as a string.

    Args:
        ids: The id of each sample, as `read_ids` returns them.
        hashes: The 64-bit hash of each sample, as `row_hashes` returns them.
    """
    words = ids.reshape(len(ids), -1).astype(np.uint64)
    width = words.shape[1] + 3
    # Two rows of cells are counted together, in cells that are pairs of their cells.
    together = np.zeros((_TABLES // 2, width, _CELLS * _CELLS), np.uint64)
    for block in blocks(len(ids)):
        checks = _checks(words[block], hashes[block])
        fields = [np.ones(len(checks), np.uint64), *words[block].T, hashes[block], checks]
        rows = _cells(checks)
        for sums, one, other in zip(together, rows[::2], rows[1::2], strict=True):
            for place, field in enumerate(fields):
                np.add.at(sums[place], one * _CELLS + other, field)
    square = together.reshape(-1, width, _CELLS, _CELLS)
    both = np.stack([square.sum(3, np.uint64), square.sum(2, np.uint64)], axis=1)
    table = both.reshape(_TABLES, width, _CELLS).transpose(0, 2, 1)
    return base64.b64encode(table.astype("<u8").tobytes()).decode()


def differences(old: str, new: str, texts: bool) -> tuple[list[Id], list[Id], list[Id]] | None:
    """Return the ids that are missing in the new table, added, and changed; None if too many.

    Args:
        old: A table that `sketch_of` returned.
        new: Another such table.
        texts: Whether the ids are texts.

    Raises:
        ValueError: `old` or `new` is not such a table.

    Example:
        >>> import numpy as np
        >>> ids, hashes = np.arange(9), np.arange(9, dtype=np.uint64)
        >>> old = sketch_of(ids[:8], hashes[:8])
        >>> hashes[3] += np.uint64(1)
        >>> differences(old, sketch_of(ids[1:], hashes[1:]), texts=False)
        ([0], [8], [3])
    """
    width = 2 if texts else 1
    table = _table(new, width + 3) - _table(old, width + 3)
    found: Counter[tuple[int, ...]] = Counter()
    for _ in range(table.size):
        one = _alone(table, width)
        if one is None:
            break
        sign, entry = one
        found[entry] += 1 if sign == 1 else -1
        checks = np.array([entry[-1]], np.uint64)
        for number, cells in enumerate(_cells(checks)):
            change = np.array([1, *entry], np.uint64)
            table[number, cells[0]] -= change if sign == 1 else -change
    if table.any():
        return None
    gained = {entry[:width] for entry, times in found.items() if times > 0}
    lost = {entry[:width] for entry, times in found.items() if times < 0}
    return _ids(lost - gained, width), _ids(gained - lost, width), _ids(lost & gained, width)


def _alone(table: np.ndarray, width: int) -> tuple[int, tuple[int, ...]] | None:
    """Return a sample that is the only one in a cell, and whether it was added (1) or removed."""
    for sign in (1, -1):
        cells = table.reshape(-1, table.shape[-1])
        cells = cells if sign == 1 else -cells
        cells = cells[cells[:, 0] == 1]
        checks = _checks(cells[:, 1 : 1 + width].copy(), cells[:, 1 + width].copy())
        alone = np.flatnonzero(checks == cells[:, 2 + width])
        if len(alone):
            return sign, tuple(cells[alone[0], 1:].tolist())
    return None


def _checks(words: np.ndarray, hashes: np.ndarray) -> np.ndarray:
    found = hashes.copy()
    for column in words.T:
        found = mixed(found ^ mixed(column.copy()))
    return found


def _cells(checks: np.ndarray) -> list[np.ndarray]:
    """Return the cell of each sample in every row of cells."""
    cells, words = [], checks.copy()
    for _ in range(_TABLES):
        words = mixed(words)
        cells.append((words % np.uint64(_CELLS)).astype(np.intp))
    return cells


def _table(text: str, fields: int) -> np.ndarray:
    data = base64.b64decode(text, validate=True)
    if len(data) != 8 * _TABLES * _CELLS * fields:
        raise ValueError(f"a sketch of these ids has {8 * _TABLES * _CELLS * fields} bytes")
    return np.frombuffer(data, "<u8").astype(np.uint64).reshape(_TABLES, _CELLS, fields)


def _ids(entries: set[tuple[int, ...]], width: int) -> list[Id]:
    words = np.array(sorted(entries), np.uint64).reshape(-1, width)
    return [*shown(words if width > 1 else words[:, 0].astype(np.int64))]
