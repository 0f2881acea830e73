"""Blocks of queries of similar length, with documents in the order of their scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mmeval_like.metrics.retrieval.query_inputs import Queries
from mmeval_like.metrics.retrieval.ranked_queries import RankedQueries
from mmeval_like.writing import Ragged

__all__ = ["ranked"]

_ELEMENTS = 1 << 16  # documents that are ranked at once


def ranked(
    queries: Queries,
    cuts: Sequence[int | None] = (None,),
    relevance: float = 1.0,
    ties: str = "mean",
) -> Iterator[RankedQueries]:
    """Yield blocks of ranked queries; every query is in one block.

    Args:
        queries: The queries.
        cuts: As in `RankedQueries`.
        relevance: As in `RankedQueries`.
        ties: How equal scores are treated without ids. "mean": they form a group; "last": the
            better document comes last; "groups": they form a group whose best document comes last,
            also with ids.

    Raises:
        ValueError: `judged` lacks gains of the list.
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
                relevance, cuts, queries.topics,
            )  # fmt: skip


class _Lists:
    """Concatenated lists, from which tables are taken."""

    def __init__(self, lists: Ragged) -> None:
        self.values, self.lengths = lists.values, lists.lengths
        self.starts = np.cumsum(self.lengths) - self.lengths

    def take(self, rows: np.ndarray, fill: float) -> np.ndarray:
        """Return some lists as an array (n, width), padded with `fill` after their ends."""
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
        """Return the places of the documents of some lists, (n, width), even beyond their ends."""
        found: np.ndarray = self.starts[rows][:, None] + np.arange(width)
        return found


def _blocks(lengths: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the indices of lists of similar lengths."""
    order = np.argsort(lengths, kind="stable")
    widths, start = np.maximum(lengths[order], 1), 0
    while start < len(order):
        end = start + _ELEMENTS  # each list takes at least one place
        filled = np.arange(1, len(widths[start:end]) + 1) * widths[start:end]
        count = max(1, int(np.searchsorted(filled, _ELEMENTS, "right")))
        yield order[start : start + count]
        start += count


def _order(table: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices that sort scores in descending order, and which rows have ties."""
    ascending = np.argsort(table, axis=1)  # nan comes last
    scores = np.take_along_axis(table, ascending, axis=1)
    tied = (scores[:, 1:] == scores[:, :-1]).any(axis=1)
    return _reversed(ascending, lengths), tied


def _order_of_ties(table: np.ndarray, keys: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the indices that sort scores in descending order, and equal scores by their keys."""
    return _reversed(np.lexsort((keys, table), axis=1), lengths)


def _reversed(ascending: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    width = ascending.shape[1]
    if (lengths == width).all():
        return ascending[:, ::-1]
    places = (lengths[:, None] - 1 - np.arange(width)) % width
    return np.take_along_axis(ascending, places, axis=1)


def _starts(scores: np.ndarray) -> np.ndarray:
    """Return the places in the flattened table at which groups of equal scores begin."""
    new = np.ones(scores.shape, np.bool_)
    new[:, 1:] = scores[:, 1:] != scores[:, :-1]
    return np.flatnonzero(new)


def _codes(documents: np.ndarray | list[str], places: np.ndarray) -> np.ndarray:
    """Return numbers with the same order as the ids at some places."""
    inside = np.minimum(places, len(documents) - 1)
    if isinstance(documents, np.ndarray):
        found: np.ndarray = documents[inside]
        return found
    names = [documents[place] for place in inside.reshape(-1).tolist()]
    code = {name: number for number, name in enumerate(sorted(set(names)))}
    return np.array([code[name] for name in names]).reshape(places.shape)


def _check_judged(gains: np.ndarray, judged: np.ndarray, rows: np.ndarray) -> None:
    """Raise ValueError if the judged gains cannot contain the gains above 0 of a list."""
    width = max(gains.shape[1], judged.shape[1])
    best = [
        -np.sort(-np.pad(table, ((0, 0), (0, width - table.shape[1])), constant_values=-1), axis=1)
        for table in (gains, judged)
    ]
    lacking = ((best[0] > 0) & (best[0] > best[1])).any(axis=1)
    if lacking.any():
        raise ValueError(
            f"judged must have the gains of all judged documents, including those in the list, "
            f"but lacks some for the query at index {int(rows[lacking].min())}"
        )
