"""A sample sort of runs of entries: every rank gets the share between two keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from mmeval_like._exchange.dealing.messages import Messages
from mmeval_like._exchange.dealing.shares import Shares
from mmeval_like._states.dealing import Run
from mmeval_like.backends.wire.packing import Buffer

__all__ = ["Partitioned"]


class Partitioned:
    """The `Partition` of a group of ranks.

    Args:
        work: Returns this rank's runs.
        columns: The number of columns.
        ranks: The ranks; all of them call this.
    """

    def __init__(self, work: Callable[[], Sequence[Run]], columns: int, ranks: Messages) -> None:
        self._ranks, self._columns = ranks, columns
        self._runs: list[Run] = []
        self._from_borders = np.zeros((0, 0, 0), np.int64)

        def keys() -> list[list[np.ndarray]]:
            self._runs.extend(work())
            found: list[list[np.ndarray]] = [[] for _ in range(columns)]
            for run in self._runs:
                found[run.column].append(run.keys)
            return found

        self._shares = Shares.even(keys, columns, ranks)

    def totals(
        self,
        measure: Callable[[Run, np.ndarray], np.ndarray],
        cells: int,
        width: int,
        settle: Callable[[np.ndarray], Any] | None = None,
    ) -> np.ndarray:
        """Return the totals of all ranks in each column, and keep the totals after each share."""
        borders = self._ranks.size - 1
        shape = (borders + self._columns, cells, width)

        def own() -> np.ndarray:
            found = np.zeros(shape, np.int64)
            for run in self._runs:
                here = np.flatnonzero(self._shares.columns == run.column)
                from_cuts = measure(run, self._shares.cuts(run.column, run.keys))
                found[borders + run.column, run.cell] += from_cuts[0]
                found[here, run.cell] += from_cuts[1:-1][here]
            if settle is not None:
                settle(found)
            return found.reshape(-1)

        counts = self._ranks.total(own, int(np.prod(shape))).reshape(shape)
        self._from_borders = counts[:borders]
        return counts[borders:]

    def above(self, column: int) -> np.ndarray | None:
        """Return the totals of the entries after this rank's share, if it ends in this column."""
        rank = self._ranks.rank
        if rank < len(self._from_borders) and self._shares.columns[rank] == column:
            behind: np.ndarray = self._from_borders[rank]
            return behind
        return None

    def share(self) -> Callable[[], dict[int, list[Sequence[np.ndarray]]]]:
        """Deal the entries; return a function that returns the arrays by label."""
        return partial(_by_label, *self._ranks.dealt(self._parts))

    def _parts(self) -> list[list[Buffer]]:
        """Return the part for each rank: its share of every run."""
        parts: list[list[tuple[int, Sequence[np.ndarray]]]] = [[] for _ in range(self._ranks.size)]
        for run in self._runs:
            cuts = self._shares.cuts(run.column, run.keys).tolist()
            for rank in self._shares.ranks_of(run.column):
                here = slice(cuts[rank], cuts[rank + 1])
                parts[rank].append((run.label, [array[here] for array in run.arrays]))
        self._runs.clear()  # so that their memory is free while the share is evaluated
        return [_packed(part) for part in parts]


def _by_label(
    received: np.ndarray, lengths: Sequence[int]
) -> dict[int, list[Sequence[np.ndarray]]]:
    found: dict[int, list[Sequence[np.ndarray]]] = {}
    for data in np.split(received, np.cumsum(lengths)[:-1]):
        for label, arrays in _unpacked(data):
            if len(arrays[0]):
                found.setdefault(label, []).append(arrays)
    return found


def _packed(runs: Sequence[tuple[int, Sequence[np.ndarray]]]) -> list[Buffer]:
    """Return labelled arrays as bytes: a table, the first arrays of all runs, their second, ...

    With several arrays, the bytes are padded to a multiple of 8, so that what follows is aligned.
    """
    if not runs:
        return [bytes(8)]
    kinds = [_kind_of(array) for array in runs[0][1]]
    labels, lengths = [label for label, _ in runs], [len(arrays[0]) for _, arrays in runs]
    table = np.array([len(runs) << 8 | len(kinds), *kinds, *labels, *lengths], np.int64)
    found: list[Any] = [table]
    for several in zip(*[arrays for _, arrays in runs], strict=True):
        found += [array.reshape(-1) for array in several]
    if len(kinds) > 1:
        found.append(bytes(-sum(array.nbytes for array in found) % 8))
    return found


def _unpacked(data: np.ndarray) -> Iterator[tuple[int, Sequence[np.ndarray]]]:
    """Yield what `_packed` packed; the arrays are views of the bytes."""
    [head] = np.frombuffer(data, np.int64, 1).tolist()
    number, several = head >> 8, head & 255
    if not number:
        return
    kinds = np.frombuffer(data, np.int64, several, 8).tolist()
    start = 8 + 8 * several
    labels, lengths = np.frombuffer(data, np.int64, 2 * number, start).reshape(2, number)
    start, size, stops = start + 16 * number, int(lengths.sum()), np.cumsum(lengths)[:-1]
    columns = []
    for kind in kinds:
        dtype, width = np.dtype(f"{chr(kind >> 8 & 255)}{kind & 255}"), kind >> 16
        values = np.frombuffer(data, dtype, size * max(width, 1), start)
        start += values.nbytes
        columns.append(np.split(values.reshape(size, width) if width else values, stops))
    yield from zip(labels.tolist(), zip(*columns, strict=True), strict=True)


def _kind_of(array: np.ndarray) -> int:
    """Return an array's dtype and the width of its entries as an integer; width 0: one axis."""
    width = array.shape[1] if array.ndim > 1 else 0
    return width << 16 | ord(array.dtype.kind) << 8 | array.dtype.itemsize
