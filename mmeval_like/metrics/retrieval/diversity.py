"""AlphaNDCG: discounted gains that reward documents about new subtopics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mmeval_like.metrics.retrieval.gains import discounts
from mmeval_like.metrics.retrieval.query_inputs import Topics, as_lists, read_queries
from mmeval_like.metrics.retrieval.query_metrics import TopKMetric, share
from mmeval_like.metrics.retrieval.ranked_queries import RankedQueries
from mmeval_like.writing import Ragged, arrays

__all__ = ["AlphaNDCG"]


class AlphaNDCG(TopKMetric):
    """Alpha-nDCG: how early a ranking shows relevant documents about different subtopics.

    J_(i s) is 1 if the document at rank i is about subtopic s, otherwise 0, and c_(i s) is the
    number of documents above it about the same subtopic. Each of them multiplies the subtopic's
    gain by 1 - alpha. The sum DCG is divided by that of an ideal order, which takes the best
    remaining document at every rank, and of equally good ones that of the first subtopics. No such
    order is always the best (the best one is NP-hard to find): a larger DCG counts as 1. A query
    without a subtopic is empty. If documents have equal scores and no ids, those with more
    subtopics are assumed to come last. Source: C. L. A. Clarke
    et al., "Novelty and diversity in information retrieval evaluation" (SIGIR 2008).

    `add` takes `predictions`, Q lists of scores; `labels`, for each query an array (L, S) of 0 and
    1 that says which of S subtopics a document is about; `documents`, their ids; and `judged`, for
    each query an array (M, S) of all judged documents.

    Formula:
        ndcg_alpha = mean DCG / ideal
        DCG = sum_(i <= k) 1/(log_2(i + 1)) sum_s J_(i s) (1 - alpha)^(c_(i s))

    Args:
        alpha: The share of a subtopic's gain that is lost each time it occurs again, in [0, 1].
        **options: As for `TopKMetric`. `flat` must be False.

    Returns of `compute`: `alpha_ndcg`, or `alpha_ndcg@{k}`, in [0, 1]; nan without samples. Higher
    is better.

    Raises:
        ValueError: `alpha` is not in [0, 1], or `flat` is true.

    Example:
        >>> metric = AlphaNDCG(top_k=2)
        >>> metric.add([[0.9, 0.5, 0.1]], [[[1, 0], [1, 0], [0, 1]]])
        >>> round(metric.compute()["alpha_ndcg@2"], 6)  # (1 + 0.5 / log2(3)) / (1 + 1 / log2(3))
        0.806574
    """

    key = "alpha_ndcg"
    ties = "last"
    needs_relevant = False

    def __init__(self, *, alpha: float = 0.5, **options: Any) -> None:
        super().__init__(**options)
        if not 0 <= alpha <= 1:
            raise ValueError(f"alpha must be in [0, 1], got {alpha}")
        if self.flat:
            raise ValueError("flat must be False: a document has several labels")
        self.alpha = alpha

    def scores(
        self, predictions: Any, labels: Any, documents: Any = None, judged: Any = None
    ) -> np.ndarray:
        """Return the values of every query; see the class for the arguments.

        Raises:
            TypeError, ValueError: `QueryMetric.scores` would reject the input, or a label is not 0
                or 1.
        """
        about = _topics(labels, "labels")
        known = about if judged is None else _topics(judged, "judged")
        arrays.check_same_length("judged", known, "labels", about)
        # Equal scores are ordered by the number of subtopics, then by the subtopics.
        keys = np.column_stack([about.values.sum(axis=1), about.values])
        order = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1).astype(np.float64)
        queries = read_queries(predictions, Ragged(order, about.lengths).split(), documents)
        topics = Topics(about.values, known.split())
        found = self.values_of(replace(queries, topics=topics))
        return found[:, 0] if self.outputs is None else found

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return the values of a block of queries, (n, D)."""
        topics = queries.topics
        assert topics is not None  # `scores` has read them
        ranked_ones = zip(queries.sources, queries.lengths.tolist(), strict=True)
        found = [self._discounted(topics.listed[row[:length]]) for row, length in ranked_ones]
        best = [self._best(topics.judged[place]) for place in queries.places.tolist()]
        ideal = [self._discounted(documents) for documents in best]
        return share(np.minimum(found, ideal), np.array(ideal))

    def _discounted(self, about: np.ndarray) -> np.ndarray:
        """Return the discounted gain of a ranked list (L, S) at every cut, (D,)."""
        seen = about.cumsum(axis=0) - about
        gains = arrays.sum_rows(about * self._worth(len(about))[seen])
        totals = np.concatenate([[0.0], (gains * discounts(len(gains))).cumsum()])
        found: np.ndarray = totals[[min(cut or len(gains), len(gains)) for cut in self.cuts]]
        return found

    def _best(self, about: np.ndarray) -> np.ndarray:
        """Return documents (M, S) in the order that takes the best remaining one at every rank.

        Equally good documents are ordered by their subtopics.
        """
        left = about[np.lexsort(about.T)]
        worth, seen = self._worth(len(left)), np.zeros(about.shape[1], np.int64)
        depth = max(cut or len(left) for cut in self.cuts)
        best: list[np.ndarray] = []
        while len(left) and len(best) < depth:
            place = int(arrays.sum_rows(left * worth[seen]).argmax())
            best.append(left[place])
            seen += left[place]
            left = np.delete(left, place, axis=0)
        return np.array(best, np.int64).reshape(-1, about.shape[1])

    def _worth(self, count: int) -> np.ndarray:
        """Return the value of a subtopic that occurred 0, 1, ..., count times above."""
        found: np.ndarray = np.append(1.0, np.full(count, 1 - self.alpha)).cumprod()
        return found


def _topics(value: Any, name: str) -> Ragged:
    """Return tables (L, S) of 0 and 1 end to end, int64."""
    tables = as_lists(value, name, arrays.as_integers, axes=2)
    arrays.check_range(name, tables.values, 2)
    return tables
