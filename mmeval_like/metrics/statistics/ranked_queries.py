"""Queries in blocks of equal width, their documents in the order of their scores.

Documents of equal scores are worth the mean over all their orders (F. McSherry and M. Najork,
"Computing information retrieval performance measures efficiently in the presence of tied scores",
ECIR 2008), unless their ids decide. Everything is added up along a list from its first document on,
so that neither the other queries of a block nor what fills up a shorter list changes a bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like._accumulate.rows import Ragged
from mmeval_like.metrics.statistics.query_inputs import Queries

__all__ = ["RankedQueries", "ranked"]

_ELEMENTS = 1 << 16  # documents that are ranked at once


@dataclass(frozen=True, eq=False)
class RankedQueries:
    """A block of n queries with up to L documents each, in the order of their scores.

    Attributes:
        places: The queries' indices in the batch, (n,).
        gains: How good each document is, (n, L); -1: not judged, 0 behind the end of a list.
        sources: The documents' places in all lists end to end, (n, L).
        lengths: The number of documents of each list, (n,).
        judged: The gains of all judged documents, in no order, (n, M); -1 behind the last.
        starts: Where the groups of documents of equal scores begin, as places in the flattened
            gains. None: each document is a group of its own.
        relevance: From which gain on a document is relevant.
        cuts: How many first documents count, several times; None: all.
    """

    places: np.ndarray
    gains: np.ndarray
    sources: np.ndarray
    lengths: np.ndarray
    judged: np.ndarray
    starts: np.ndarray | None
    relevance: float
    cuts: Sequence[int | None]

    # Of each query --------------------------------------------------------------------------------

    @cached_property
    def relevant_number(self) -> np.ndarray:
        """How many judged documents are relevant, (n, 1)."""
        return _count(self.judged >= self.relevance)

    @cached_property
    def other_number(self) -> np.ndarray:
        """How many judged documents are not relevant, (n, 1)."""
        return _count((self.judged >= 0) & (self.judged < self.relevance))

    @cached_property
    def depths(self) -> np.ndarray:
        """How many documents each cut counts, (n, D); the length of the list where there is none."""
        columns = [
            self.lengths if cut is None else np.full_like(self.lengths, cut) for cut in self.cuts
        ]
        return np.stack(columns, axis=1).astype(np.float64)

    def at_cuts(self, running: np.ndarray) -> np.ndarray:
        """Return what running totals (n, width) are behind the last document that counts, (n, D)."""
        width = running.shape[1]
        found: np.ndarray = running[:, [min(cut or width, width) - 1 for cut in self.cuts]]
        return found

    # Of each document -----------------------------------------------------------------------------

    @cached_property
    def rank(self) -> np.ndarray:
        """1, 2, ..., (1, L)."""
        return np.arange(1.0, self.gains.shape[1] + 1)[None]

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of documents with this score, (n, L), or (1, 1) where it is 1 for all."""
        if self.starts is None:
            return np.ones((1, 1))
        return self._spread(self._group_sizes.astype(np.float64))

    @cached_property
    def place(self) -> np.ndarray:
        """Which document of those with its score it is, in the order 1, 2, ...; shaped as sizes."""
        if self.starts is None:
            return np.ones((1, 1))
        flat = np.arange(1.0, self.gains.size + 1).reshape(self.gains.shape)
        return flat - self._spread(self.starts.astype(np.float64))

    @cached_property
    def relevant(self) -> np.ndarray:
        """1 for a relevant document, else 0, in an order within a group that says nothing."""
        return (self.gains >= self.relevance).astype(np.float64)

    @cached_property
    def hits(self) -> np.ndarray:
        """The number of relevant documents up to this one, in the same order."""
        return self.relevant.cumsum(axis=1)

    @cached_property
    def hits_with(self) -> np.ndarray:
        """The number of relevant documents with this score."""
        if self.starts is None:
            return self.relevant
        return self._spread(np.add.reduceat(self.relevant.reshape(-1), self.starts))

    @cached_property
    def hits_above(self) -> np.ndarray:
        """The number of relevant documents with a higher score."""
        if self.starts is None:
            return self.hits - self.relevant
        first = (self.hits - self.relevant).reshape(-1)[self.starts]
        return self._spread(first)

    @cached_property
    def expected_hits(self) -> np.ndarray:
        """The mean number of relevant documents up to this place."""
        found: np.ndarray = self.hits_above * self.sizes + self.hits_with * self.place
        return found / self.sizes

    @cached_property
    def missed(self) -> np.ndarray:
        """The probability that no document up to this place is relevant."""
        left = self.sizes - self.place + 1
        found: np.ndarray = np.maximum(left - self.hits_with, 0) / left
        return found.cumprod(axis=1)

    def mean_over_orders(self, values: np.ndarray) -> np.ndarray:
        """Return numbers of documents (n, L) with those of equal scores replaced by their mean."""
        if self.starts is None:
            return values
        found = values.reshape(-1).copy()
        for _, group in self.groups():
            found[group] = (arrays.sum_rows(found[group]) / group.shape[1])[:, None]
        return found.reshape(values.shape)

    def groups(self) -> Iterator[tuple[int, np.ndarray]]:
        """Yield a size above 1, and the flat places (groups, size) of all groups of this size."""
        if self.starts is not None:
            for size in np.unique(self._group_sizes[self._group_sizes > 1]).tolist():
                first = self.starts[self._group_sizes == size]
                yield size, first[:, None] + np.arange(size)

    def first(self, cut: int | None) -> RankedQueries:
        """Return the same block of the first documents only."""
        if cut is None or cut >= self.gains.shape[1]:
            return self
        width, starts = self.gains.shape[1], self.starts
        if starts is not None:
            row, column = np.divmod(starts, width)
            starts = (row * cut + column)[column < cut]
        return RankedQueries(
            self.places, self.gains[:, :cut], self.sources[:, :cut],
            np.minimum(self.lengths, cut), self.judged, starts, self.relevance, (None,),
        )  # fmt: skip

    @cached_property
    def _group_sizes(self) -> np.ndarray:
        assert self.starts is not None
        return np.diff(self.starts, append=self.gains.size)

    def _spread(self, of_groups: np.ndarray) -> np.ndarray:
        return np.repeat(of_groups, self._group_sizes).reshape(self.gains.shape)


def ranked(
    queries: Queries,
    cuts: Sequence[int | None] = (None,),
    relevance: float = 1.0,
    ties: str = "mean",
) -> Iterator[RankedQueries]:
    """Yield blocks in which every query comes once.

    Args:
        queries: The queries.
        cuts: As in `RankedQueries`.
        relevance: As in `RankedQueries`.
        ties: What becomes of equal scores where no ids decide. "mean": they are a group; "last":
            the better document comes last; "groups": both, also where ids decide.

    Raises:
        ValueError: `judged` lacks gains that the list has.
    """
    scores, gains = _Lists(queries.scores), _Lists(queries.gains)
    judged = gains if queries.judged is None else _Lists(queries.judged)
    for rows in _blocks(np.maximum(scores.lengths, judged.lengths)):
        lengths = scores.lengths[rows]
        table, inside = scores.take(rows, np.nan), gains.take(rows, 0.0)
        known = inside if queries.judged is None else judged.take(rows, -1.0)
        if queries.judged is not None:
            _check_judged(inside, known, rows)
        elif (lengths < inside.shape[1]).any():
            known = judged.take(rows, -1.0)
        order, tied = _order(table, lengths)
        alone = np.flatnonzero(~tied)
        for some, together in ((alone, False), (np.flatnonzero(tied), True)):
            if not len(some):
                continue
            chosen, starts = order[some], None
            if together:
                keys = inside[some]
                if queries.documents is not None:
                    keys = _codes(queries.documents, scores.places(rows[some], table.shape[1]))
                elif ties != "mean":
                    keys = -keys
                chosen = _order_of_ties(table[some], keys, lengths[some])
                if ties == "groups" or (ties == "mean" and queries.documents is None):
                    starts = _starts(np.take_along_axis(table[some], chosen, axis=1))
            yield RankedQueries(
                rows[some], np.take_along_axis(inside[some], chosen, axis=1),
                scores.starts[rows[some]][:, None] + chosen, lengths[some], known[some], starts,
                relevance, cuts,
            )  # fmt: skip


class _Lists:
    """Lists end to end, of which some become a table."""

    def __init__(self, lists: Ragged) -> None:
        self.values, self.lengths = lists.values, lists.lengths
        self.starts = np.cumsum(self.lengths) - self.lengths

    def take(self, rows: np.ndarray, fill: float) -> np.ndarray:
        """Return some lists as an array (n, width), filled up behind their ends."""
        lengths = self.lengths[rows]
        width = max(int(lengths.max()), 1)
        first = int(self.starts[rows[0]])
        whole = (lengths == width).all() and (np.diff(rows) == 1).all()
        if whole:
            return self.values[first : first + len(rows) * width].reshape(-1, width)
        table = np.full((len(rows), width), fill, self.values.dtype)
        inside = np.arange(width) < lengths[:, None]
        table[inside] = self.values[self.places(rows, width)[inside]]
        return table

    def places(self, rows: np.ndarray, width: int) -> np.ndarray:
        """Return where the documents of some lists are, (n, width); beyond the end of a list too."""
        return self.starts[rows][:, None] + np.arange(width)


def _blocks(lengths: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the indices of lists of similar lengths."""
    order = np.argsort(lengths, kind="stable")
    widths, start = np.maximum(lengths[order], 1), 0
    while start < len(order):
        end = start + _ELEMENTS  # a list takes one place at least
        filled = np.arange(1, len(widths[start:end]) + 1) * widths[start:end]
        count = max(1, int(np.searchsorted(filled, _ELEMENTS, "right")))
        yield order[start : start + count]
        start += count


def _order(table: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of scores from the highest to the lowest, and which rows have ties."""
    ascending = np.argsort(table, axis=1)  # what is no number comes last
    scores = np.take_along_axis(table, ascending, axis=1)
    tied = (scores[:, 1:] == scores[:, :-1]).any(axis=1)
    return _reversed(ascending, lengths), tied


def _order_of_ties(table: np.ndarray, keys: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the places of scores from the highest to the lowest, of equal ones by their keys."""
    return _reversed(np.lexsort((keys, table), axis=1), lengths)


def _reversed(ascending: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    width = ascending.shape[1]
    if (lengths == width).all():
        return ascending[:, ::-1]
    places = (lengths[:, None] - 1 - np.arange(width)) % width
    return np.take_along_axis(ascending, places, axis=1)


def _starts(scores: np.ndarray) -> np.ndarray:
    """Return where groups of equal scores begin in the flattened table."""
    new = np.ones(scores.shape, np.bool_)
    new[:, 1:] = scores[:, 1:] != scores[:, :-1]
    return np.flatnonzero(new)


def _codes(documents: Sequence[Any], places: np.ndarray) -> np.ndarray:
    """Return numbers in the order of the ids at some places."""
    inside = np.minimum(places, len(documents) - 1)
    if isinstance(documents, np.ndarray):
        return documents[inside]
    names = [documents[place] for place in inside.reshape(-1).tolist()]
    code = {name: number for number, name in enumerate(sorted(set(names)))}
    return np.array([code[name] for name in names]).reshape(places.shape)


def _check_judged(gains: np.ndarray, judged: np.ndarray, rows: np.ndarray) -> None:
    """Raise ValueError unless the gains above 0 of a list may be among those that were judged."""
    width = max(gains.shape[1], judged.shape[1])
    best = [
        -np.sort(-np.pad(table, ((0, 0), (0, width - table.shape[1])), constant_values=-1), axis=1)
        for table in (gains, judged)
    ]
    lacking = ((best[0] > 0) & (best[0] > best[1])).any(axis=1)
    if lacking.any():
        raise ValueError(
            f"judged must have the gains of all judged documents, also those of the list, "
            f"which it has not for the query at index {int(rows[lacking].min())}"
        )


def _count(which: np.ndarray) -> np.ndarray:
    return np.count_nonzero(which, axis=1)[:, None].astype(np.float64)
