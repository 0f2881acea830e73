"""A snapshot of one rank's rows: what goes to other ranks, files and metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like._samples.ids import check_ids, kind_of
from mmeval_like._states.kinds.abstract import State, the_array
from mmeval_like._states.rows import Rows, rows_of_arrays, rows_to_arrays, take
from mmeval_like._states.truths import TRUTH, unknown_truths

__all__ = ["Part", "of_one_kind"]


@dataclass
class Part:
    """The rows of one statistic on one rank.

    Attributes:
        count: The number of rows.
        folded: The folded value of the rows before the tail, for every state that folds.
        tail: The last rows of these states, unfolded; in the order of the states, of equal length.
        tail_count: The number of rows in the tail.
        ordered: All rows of every ordered state.
        ids: The rows' ids as `read_ids` returns them, or None.
        clustered: Whether the samples have `clusters=`; if so, their states are keyed.
        buckets: For a window that is saved, the same rows bucket by bucket, the oldest first.
        filled: How many rows of the last bucket count towards its size.
    """

    count: int
    folded: dict[str, Any]
    tail: dict[str, Rows]
    tail_count: int
    ordered: dict[str, Rows]
    ids: np.ndarray | None
    clustered: bool = False
    buckets: Sequence[Part] = ()
    filled: int = 0

    def private(self) -> Part:
        """Return the part with ordered rows that `compute_metric` may change in place."""
        for name, rows in self.ordered.items():
            self.ordered[name] = rows.copy()
        return self

    def cut(self, states: Mapping[str, State], start: int, stop: int) -> Part:
        """Return a part with some of the rows; the tail must have all rows of states that fold."""
        some = slice(start, stop)
        folded = {name: state.empty() for name, state in states.items() if not state.ordered}
        tail = {name: take(rows, some) for name, rows in self.tail.items()}
        ordered = {name: take(rows, some) for name, rows in self.ordered.items()}
        return Part(stop - start, folded, tail, stop - start if tail else 0, ordered, None)

    def to_dict(self, states: Mapping[str, State]) -> dict[str, Any]:
        """Return the part as arrays and lists of objects, by name; they share memory with it."""
        found: dict[str, Any] = {"counts": np.array([self.count, self.tail_count])}
        if self.ids is not None:
            found["ids"] = self.ids
        if self.clustered:
            found["clustered"] = np.array([True])
        for name, state in states.items():
            if state.ordered:
                _put(found, f"rows/{name}", rows_to_arrays(self.ordered[name]))
                continue
            _put(found, f"folded/{name}", state.to_arrays(self.folded[name]))
            if self.tail_count:
                _put(found, f"tail/{name}", rows_to_arrays(self.tail[name]))
        if self.buckets:
            found["filled"] = np.array([self.filled])
        for place, bucket in enumerate(self.buckets):
            _put(found, f"bucket/{place}", bucket.to_dict(states))
        return found

    @classmethod
    def from_dict(
        cls,
        states: Mapping[str, State],
        found: Mapping[str, Any],
        clustered: Mapping[str, State] | None = None,
    ) -> Part:
        """Return the part that `to_dict` wrote, which shares memory with the dict.

        Args:
            states: The states by name.
            found: What `to_dict` wrote.
            clustered: The states of samples with `clusters=`; None if the metric takes no clusters.

        Raises:
            KeyError, ValueError: Entries are missing, or do not fit together.
        """
        count, tail_count = map(int, the_array(found, "counts", np.int64, (2,)))
        if not 0 <= tail_count <= count:
            raise ValueError(f"{tail_count} of {count} rows")
        part = cls(count, {}, {}, tail_count, {}, None)
        if "clustered" in found:
            if clustered is None:
                raise ValueError("the samples have clusters=, but the metric has no clusters")
            part.clustered, states = True, clustered
        if "ids" in found:
            texts = getattr(found["ids"], "ndim", 1) > 1
            dtype, shape = (np.uint64, (count, 2)) if texts else (np.int64, (count,))
            part.ids = the_array(found, "ids", dtype, shape)
        groups: dict[str, dict[str, Any]] = {}
        for key, value in found.items():
            group, _, name = key.rpartition("/")
            groups.setdefault(group, {})[name] = value
        for name, state in states.items():
            if name == TRUTH and f"folded/{name}" not in groups:
                continue
            if state.ordered:
                part.ordered[name] = _rows(groups, f"rows/{name}", count)
                continue
            part.folded[name] = state.from_arrays(groups[f"folded/{name}"])
            if tail_count:
                part.tail[name] = _rows(groups, f"tail/{name}", tail_count)
        part.complete(states)
        if "filled" in found:
            [part.filled] = map(int, the_array(found, "filled", np.int64, (1,)))
            part.buckets = [*_buckets(states, found, part)]
        return part

    def complete(self, states: Mapping[str, State]) -> None:
        """Add unknown digests of labels, if the states have them and the part was made without."""
        if TRUTH not in states or TRUTH in self.folded:
            return
        if self.ids is not None:
            self.tail_count = self.count  # also if all other states are ordered
        if self.tail_count:
            behind = slice(self.count - self.tail_count, self.count)
            name, rows = next(iter({**self.tail, **self.ordered}.items()))
            self.tail[TRUTH] = unknown_truths(rows if name in self.tail else take(rows, behind))
        self.folded[TRUTH] = states[TRUTH].empty()

    def check(self, states: Mapping[str, State]) -> Part:
        """Return the part, after checking its rows and ids like those of a batch.

        Raises:
            TypeError, ValueError: A state rejects its rows, or an id is negative.
        """
        if self.ids is not None:
            check_ids(self.ids)
        self.ordered = {name: states[name].check(name, r) for name, r in self.ordered.items()}
        self.tail = {name: states[name].check(name, rows) for name, rows in self.tail.items()}
        self.buckets = [bucket.check(states) for bucket in self.buckets]
        return self

    def refuse_others(self, kind_of_ids: str, clustered: bool) -> None:
        """Check that ids and clusters are of the same kind as those of earlier rows.

        Raises:
            ValueError: They are not of the same kind.
        """
        if kind_of(self.ids) != kind_of_ids:
            text = "parts with ids and parts without, or with ids of another kind, cannot be merged"
            raise ValueError(f"{text}: one has {kind_of_ids}, one {kind_of(self.ids)}")
        if clustered != self.clustered:
            raise ValueError("parts with clusters= and parts without cannot be merged")


def of_one_kind(
    states_of: Callable[[bool], dict[str, State]], parts: Sequence[Part]
) -> tuple[dict[str, State], Sequence[Part]]:
    """Return the states of several ranks' parts, and the parts, each with values of these states.

    A rank without samples does not know whether the samples of other ranks have `clusters=`.

    Args:
        states_of: Returns the states of samples with or without `clusters=`.
        parts: The parts by rank.
    """
    clustered = any(part.clustered for part in parts if part.count)
    states = states_of(clustered)
    if all(part.clustered == clustered for part in parts):
        return states, parts
    none = {name: state.empty() for name, state in states.items()}
    folded = {name: value for name, value in none.items() if not states[name].ordered}
    ordered = {name: value for name, value in none.items() if states[name].ordered}
    empty = Part(0, folded, {}, 0, ordered, None, clustered)
    return states, [part if part.clustered == clustered else empty for part in parts]


def _put(found: dict[str, Any], group: str, arrays: Mapping[str, Any]) -> None:
    found |= {f"{group}/{name}": array for name, array in arrays.items()}


def _buckets(states: Mapping[str, State], found: Mapping[str, Any], whole: Part) -> Iterator[Part]:
    """Yield the buckets of a part that `to_dict` wrote.

    Raises:
        KeyError, ValueError: They are damaged, or do not have the rows of the part.
    """
    count, place = 0, 0
    while count < whole.count:
        prefix = f"bucket/{place}/"
        own = {key[len(prefix) :]: one for key, one in found.items() if key.startswith(prefix)}
        bucket = Part.from_dict(states, own, states if whole.clustered else None)
        count, place = count + bucket.count, place + 1
        yield bucket
    if count > whole.count:
        raise ValueError(f"buckets of {count} rows instead of {whole.count}")


def _rows(groups: Mapping[str, Mapping[str, Any]], group: str, count: int) -> Rows:
    rows = rows_of_arrays(groups[group])
    if len(rows) != count:
        raise ValueError(f"{group!r} has {len(rows)} rows instead of {count}")
    return rows
