"""The rows of one `add`, checked and copied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like._exact.ones import are_ones
from mmeval_like._samples.ids import NO_IDS, kind_of, read_ids
from mmeval_like._states.keyed_rows import KeyedRows
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.rows import Ragged, Rows, take
from mmeval_like.arrays.accelerator import DeviceArray

__all__ = ["CheckedRows"]

# Bytes that an array takes in addition to its data; they matter for batches of one sample.
_OVERHEAD = 64
_LARGE = 1 << 20  # Arrays of more bytes are folded at once, without a copy, if possible.


@dataclass(slots=True)
class CheckedRows:
    """Rows that are ready to be kept.

    Attributes:
        count: The number of samples, and so of rows in each state.
        rows: The rows of each state.
        nbytes: How many bytes of memory the rows take.
        ids: The samples' ids as `read_ids` returns them, or None.
        kind_of_ids: The kind of the ids, in words.
        faults: For each rule, how many rows on an accelerator broke it.
        clustered: Whether the samples have `clusters=`.
        own: Whether all rows belong to this batch.
    """

    count: int
    rows: dict[str, Rows]
    nbytes: int
    ids: np.ndarray | None
    kind_of_ids: str
    faults: Mapping[str, Any]
    clustered: bool = False
    own: bool = True

    @classmethod
    def of(
        cls, states: Mapping[str, State], rows: Mapping[str, Any], ids: Any, clustered: bool = False
    ) -> CheckedRows:
        """Check what a metric's `rows` returned, and copy it, but for arrays of more than 1 MiB.

        Rows are always copied or folded at once: an array may belong to the caller, be part of the
        batch, or be a buffer that the metric uses again.

        Raises:
            TypeError: Rows or ids have a wrong type, or ids are strings where the last rows count.
            ValueError: The states are not those declared, rows have different lengths or a bad
                shape, or ids are negative or not one for each row.
        """
        try:
            names = rows.keys()
        except AttributeError:
            text = f"rows() must return a dict of states, got {arrays.describe(rows)}"
            raise TypeError(text) from None
        if names != states.keys():
            raise ValueError(f"rows() must return the states {[*states]}, got {[*rows]}")
        count, first, nbytes, own = -1, "", _OVERHEAD, True
        found: dict[str, Rows] = {}
        faults: Mapping[str, Any] = {}
        for name, state in states.items():
            checked: Any = rows[name]
            if (type(checked) is np.ndarray and checked.size) or not _made_of_nothing(checked):
                checked = state.check(name, checked)
            if len(checked) != count:
                if count >= 0:
                    raise ValueError(
                        f"the states {first!r} and {name!r} must have rows for the same samples, "
                        f"got {count} and {len(checked)}"
                    )
                count, first = len(checked), name
            if type(checked) is np.ndarray:
                if not are_ones(checked):  # which cannot be changed, and take no memory
                    nbytes += checked.nbytes
                    if checked.nbytes > _LARGE:
                        own = False
                    else:
                        # The columns of a sum stay contiguous in memory, if they are so.
                        checked = checked.copy("K" if state.additive else "C")
            else:
                if type(checked) is DeviceArray:
                    faults = checked.checks
                checked = checked.copy()
                nbytes += _memory(checked)
            found[name] = checked
        if ids is None:
            return cls(count, found, nbytes, None, NO_IDS, faults, clustered, own)
        ids = read_ids(ids, count)
        if ids.ndim > 1 and any(state.counts_last for state in states.values()):
            raise TypeError(
                "ids must be the samples' places in the dataset, integers from 0 on, got strings: "
                "only the last samples count, and strings have no order"
            )
        return cls(count, found, nbytes, ids, kind_of(ids), faults, clustered, own)

    def own_rows(self, states: Mapping[str, State]) -> None:
        """Replace arrays by copies."""
        for name, rows in self.rows.items():
            if type(rows) is np.ndarray and not are_ones(rows):
                self.rows[name] = rows.copy("K" if states[name].additive else "C")
        self.own = True

    def part(self, start: int, stop: int) -> CheckedRows:
        """Return a slice of the rows, which have no ids; the first one has the faults."""
        rows = {name: take(rows, slice(start, stop)) for name, rows in self.rows.items()}
        found = CheckedRows.of_part(stop - start, rows, None, self.clustered)
        found.faults, found.own = {} if start else self.faults, self.own
        return found

    @classmethod
    def of_part(
        cls, count: int, rows: dict[str, Rows], ids: np.ndarray | None, clustered: bool = False
    ) -> CheckedRows:
        """Return a batch of rows that another store had not folded."""
        nbytes = _OVERHEAD + sum(map(_memory, rows.values()))
        return cls(count, rows, nbytes, ids, kind_of(ids), {}, clustered)

    def refuse_others(self, kind_of_ids: str, clustered: bool) -> None:
        """Check that ids and clusters are of the same kind as those of earlier samples.

        Raises:
            ValueError: They are not of the same kind.
        """
        text = "all add() calls of a metric must agree about"
        if self.kind_of_ids != kind_of_ids:
            had, has = kind_of_ids, self.kind_of_ids
            raise ValueError(f"{text} ids=: the samples so far have {had}, this batch has {has}")
        if clustered != self.clustered:
            had, has = ("clusters", "none") if clustered else ("none", "clusters")
            raise ValueError(
                f"{text} clusters=: the samples so far have {had}, this batch has {has}"
            )


def _made_of_nothing(rows: Any) -> bool:
    """Return whether rows are what numpy makes of no samples: float64 of shape (0,)."""
    if type(rows) is np.ndarray:
        return bool(rows.shape == (0,) and rows.dtype == np.float64)
    if isinstance(rows, KeyedRows):
        return len(rows) == 0
    return isinstance(rows, Ragged) and not len(rows) and _made_of_nothing(rows.values)


def _memory(rows: Rows) -> int:
    """Return the bytes of rows; for a list of objects, only those of the list itself."""
    return 8 * len(rows) if isinstance(rows, list) else rows.nbytes
