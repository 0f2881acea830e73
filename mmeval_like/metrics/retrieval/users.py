"""RankBiasedPrecision and ExpectedReciprocalRank: models of a user who reads a ranking."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.metrics.retrieval.query_metrics import RelevanceMetric, TopKMetric
from mmeval_like.metrics.retrieval.ranked_queries import RankedQueries

__all__ = ["ExpectedReciprocalRank", "RankBiasedPrecision"]


class RankBiasedPrecision(RelevanceMetric):
    """Rank-biased precision (RBP): how often a user meets relevant documents.

    A user who has read a document reads the next one with probability p. rel_i is 1 if the document
    at rank i is relevant, otherwise 0. The value is the mean over queries. Source: A. Moffat and J.
    Zobel, "Rank-biased precision for measurement of retrieval effectiveness" (TOIS 2008).

    `add` takes for each query a list of scores and a list of gains.

    Formula:
        rbp = mean (1 - p) sum_i rel_i p^(i - 1)

    Args:
        p: The probability that the user reads the next document, between 0 and 1.
        **options: As for `RelevanceMetric`.

    Returns of `compute`: `rbp`, or `rbp@{k}`, in [0, 1]; nan without samples. Higher is better.

    Raises:
        ValueError: `p` is not between 0 and 1.

    Example:
        >>> metric = RankBiasedPrecision(p=0.5)
        >>> metric.add([[0.9, 0.5, 0.1]], [[1, 0, 1]])
        >>> metric.compute()  # 0.5 (1 + 0.25)
        {'rbp': 0.625}
    """

    key = "rbp"

    def __init__(self, *, p: float = 0.8, **options: Any) -> None:
        super().__init__(**options)
        if not 0 < p < 1:
            raise ValueError(f"p must be between 0 and 1, got {p}")
        self.p = p

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return the rate."""
        reads = np.full(queries.rank.shape, self.p)
        reads[0, 0] = 1
        relevant = queries.hits_with / queries.sizes
        return (1 - self.p) * queries.at_cuts((relevant * reads.cumprod(axis=1)).cumsum(axis=1))


class ExpectedReciprocalRank(TopKMetric):
    """Expected reciprocal rank (ERR) of the document at which a user is satisfied.

    A user reads documents from the top until one satisfies the user. The document at rank i, of
    gain g_i, does so with probability s_i, and g_max is the largest gain, `max_gain`. The value is
    the mean over queries of the expected 1 / rank. A query without a gain above 0 is empty. Source:
    O. Chapelle et al., "Expected reciprocal rank for graded relevance" (CIKM 2009).

    `add` takes for each query a list of scores and a list of gains.

    Formula:
        err = mean sum_i s_i / i prod_(j < i) (1 - s_j)
        s_i = (2^(g_i) - 1) / 2^(g_max)

    Args:
        max_gain: The largest possible gain, above 0 and at most 1000.
        **options: As for `TopKMetric`.

    Returns of `compute`: `err`, or `err@{k}`, in [0, 1]; nan without samples. Higher is better.

    Raises:
        ValueError: `max_gain` is not above 0 and at most 1000. In `add`: a gain exceeds `max_gain`.

    Example:
        >>> metric = ExpectedReciprocalRank(max_gain=1)
        >>> metric.add([[0.9, 0.5, 0.1]], [[1, 0, 1]])
        >>> round(metric.compute()["err"], 6)  # 1 / 2 + (1 / 2) (1 / 2) / 3
        0.583333
    """

    processor_dependent = "power"
    key = "err"
    needs_relevant = False

    def __init__(self, max_gain: float, **options: Any) -> None:
        super().__init__(**options)
        if not 0 < max_gain <= 1000:
            raise ValueError(f"max_gain must be above 0 and at most 1000, got {max_gain}")
        self.max_gain = max_gain

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return the expected reciprocal rank."""
        gains = np.maximum(queries.gains, 0.0)
        if (largest := max(gains.max(), queries.judged.max(initial=0.0))) > self.max_gain:
            raise ValueError(f"labels must not exceed max_gain {self.max_gain}, got {largest}")
        satisfied = np.exp2(gains - self.max_gain) - 2.0**-self.max_gain
        left = _unsatisfied(queries, 1 - satisfied)
        before = np.ones_like(left)
        before[:, 1:] = left[:, :-1]
        found = queries.at_cuts(((before - left) / queries.rank).cumsum(axis=1))
        return np.where(queries.judged.max(axis=1, keepdims=True) > 0, found, np.nan)


def _unsatisfied(queries: RankedQueries, fails: np.ndarray) -> np.ndarray:
    """Return the probability that no document up to each place satisfies the user, (n, L).

    At place i of a group of equal scores, it is the mean over all choices of i of its documents of
    the product of their probabilities of failing: an elementary symmetric mean, updated document by
    document.
    """
    inside, ends = fails.reshape(-1).copy(), fails.reshape(-1).copy()
    for size, group in queries.groups():
        fail = inside[group]
        means = np.ones((len(group), size + 1))
        for count in range(1, size + 1):
            place = np.arange(1, count + 1)
            one = fail[:, count - 1 : count] * means[:, :count]
            kept = np.where(place < count, means[:, 1 : count + 1], 0.0)
            means[:, 1 : count + 1] = ((count - place) * kept + place * one) / count
        inside[group] = means[:, 1:]
        ends[group] = 1.0
        ends[group[:, -1]] = means[:, -1]
    width = fails.shape[1]
    before = np.ones((len(fails), width + 1))
    before[:, 1:] = ends.reshape(fails.shape).cumprod(axis=1)
    first = np.broadcast_to((queries.rank - queries.place).astype(np.int64), fails.shape)
    found: np.ndarray = np.take_along_axis(before, first, axis=1) * inside.reshape(fails.shape)
    return found
