"""RankedQueries: a block of queries with ranked documents, and the terms of formulas.

Documents of equal scores have the mean value over all their orders (F. McSherry and M. Najork,
"Computing information retrieval performance measures efficiently in the presence of tied scores",
ECIR 2008), unless their ids order them. All sums run along a list from its first document on, so
that neither the other queries of a block nor the padding of a shorter list changes a bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mmeval_like.metrics.retrieval.query_inputs import Topics
from mmeval_like.writing import arrays

__all__ = ["RankedQueries"]


@dataclass(frozen=True, eq=False)
class RankedQueries:
    """A block of n queries with up to L documents each, in the order of their scores.

    Attributes:
        places: The queries' indices in the batch, (n,).
        gains: The gain of each document, (n, L); -1: not judged; 0 after the end of a list.
        sources: The documents' places in the concatenated lists, (n, L).
        lengths: The number of documents of each list, (n,).
        judged: The gains of all judged documents, in no particular order, (n, M); -1 after the
            last.
        starts: Where the groups of documents of equal scores begin, as places in the flattened
            gains. None: each document is a separate group.
        relevance: The least gain of a relevant document.
        cuts: Numbers k of first documents that count; None: all documents.
        topics: The subtopics of the documents of all lists; None: not known.
    """

    places: np.ndarray
    gains: np.ndarray
    sources: np.ndarray
    lengths: np.ndarray
    judged: np.ndarray
    starts: np.ndarray | None
    relevance: float
    cuts: Sequence[int | None]
    topics: Topics | None = None

    # For each query -------------------------------------------------------------------------------

    @cached_property
    def relevant_number(self) -> np.ndarray:
        """The number of relevant judged documents, (n, 1)."""
        return _count(self.judged >= self.relevance)

    @cached_property
    def other_number(self) -> np.ndarray:
        """The number of irrelevant judged documents, (n, 1)."""
        return _count((self.judged >= 0) & (self.judged < self.relevance))

    @cached_property
    def depths(self) -> np.ndarray:
        """The number of documents at each cut, (n, D); for None, the length of the list."""
        columns = [
            self.lengths if cut is None else np.full_like(self.lengths, cut) for cut in self.cuts
        ]
        return np.stack(columns, axis=1).astype(np.float64)

    def at_cuts(self, running: np.ndarray) -> np.ndarray:
        """Return running totals (n, width) at the last document that counts, (n, D)."""
        width = running.shape[1]
        found: np.ndarray = running[:, [min(cut or width, width) - 1 for cut in self.cuts]]
        return found

    @cached_property
    def inside(self) -> np.ndarray:
        """Whether each place has a document, (n, L)."""
        found: np.ndarray = self.rank <= self.lengths[:, None]
        return found

    # For each document ----------------------------------------------------------------------------

    @cached_property
    def rank(self) -> np.ndarray:
        """The ranks 1, 2, ..., (1, L)."""
        return np.arange(1.0, self.gains.shape[1] + 1)[None]

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of documents with this score, (n, L), or (1, 1) where it is 1 for all."""
        if self.starts is None:
            return np.ones((1, 1))
        return self._spread(self._group_sizes.astype(np.float64))

    @cached_property
    def place(self) -> np.ndarray:
        """The document's place 1, 2, ... in its group of equal scores; has the shape of `sizes`."""
        if self.starts is None:
            return np.ones((1, 1))
        flat = np.arange(1.0, self.gains.size + 1).reshape(self.gains.shape)
        found: np.ndarray = flat - self._spread(self.starts.astype(np.float64))
        return found

    @cached_property
    def relevant(self) -> np.ndarray:
        """1 for a relevant document, otherwise 0; the order within a group is arbitrary."""
        found: np.ndarray = (self.gains >= self.relevance).astype(np.float64)
        return found

    @cached_property
    def hits(self) -> np.ndarray:
        """The number of relevant documents up to this one, in the same order."""
        found: np.ndarray = self.relevant.cumsum(axis=1)
        return found

    @cached_property
    def hits_with(self) -> np.ndarray:
        """The number of relevant documents with this score."""
        if self.starts is None:
            return self.relevant
        return self._spread(np.add.reduceat(self.relevant.reshape(-1), self.starts))

    @cached_property
    def hits_above(self) -> np.ndarray:
        """The number of relevant documents with a higher score."""
        above: np.ndarray = self.hits - self.relevant
        return above if self.starts is None else self._spread(above.reshape(-1)[self.starts])

    @cached_property
    def expected_hits(self) -> np.ndarray:
        """The mean number of relevant documents up to this place."""
        found: np.ndarray = self.hits_above * self.sizes + self.hits_with * self.place
        found /= self.sizes
        return found

    @cached_property
    def missed(self) -> np.ndarray:
        """The probability that no document up to this place is relevant."""
        left = self.sizes - self.place + 1
        found: np.ndarray = np.maximum(left - self.hits_with, 0) / left
        return found.cumprod(axis=1)

    def mean_over_orders(self, values: np.ndarray) -> np.ndarray:
        """Return values of documents (n, L), averaged within each group of equal scores."""
        if self.starts is None:
            return values
        found = values.reshape(-1).copy()
        for _, group in self.groups():
            found[group] = (arrays.sum_rows(found[group]) / group.shape[1])[:, None]
        return found.reshape(values.shape)

    def groups(self) -> Iterator[tuple[int, np.ndarray]]:
        """Yield each group size above 1, and the flat places (groups, size) of these groups."""
        if self.starts is not None:
            for size in np.unique(self._group_sizes[self._group_sizes > 1]).tolist():
                first = self.starts[self._group_sizes == size]
                yield size, first[:, None] + np.arange(size)

    def first(self, cut: int | None) -> RankedQueries:
        """Return the block reduced to the first `cut` documents."""
        if cut is None or cut >= self.gains.shape[1]:
            return self
        width, starts = self.gains.shape[1], self.starts
        if starts is not None:
            row, column = np.divmod(starts, width)
            starts = (row * cut + column)[column < cut]
        return RankedQueries(
            self.places, self.gains[:, :cut], self.sources[:, :cut],
            np.minimum(self.lengths, cut), self.judged, starts, self.relevance, (None,),
            self.topics,
        )  # fmt: skip

    @cached_property
    def _group_sizes(self) -> np.ndarray:
        assert self.starts is not None
        return np.diff(self.starts, append=self.gains.size)

    def _spread(self, of_groups: np.ndarray) -> np.ndarray:
        return np.repeat(of_groups, self._group_sizes).reshape(self.gains.shape)


def _count(which: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.count_nonzero(which, axis=1)[:, None].astype(np.float64)
    return found
