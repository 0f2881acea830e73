"""RetrievalPrecision, RetrievalRecall and others: how many of the first k are relevant."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mmeval_like.metrics.retrieval.query_metrics import RelevanceMetric, WholeListMetric, share
from mmeval_like.metrics.retrieval.ranked_queries import RankedQueries

__all__ = [
    "RetrievalFBeta",
    "RetrievalFallOut",
    "RetrievalHitRate",
    "RetrievalPrecision",
    "RetrievalRPrecision",
    "RetrievalRecall",
]


class RetrievalPrecision(RelevanceMetric):
    """Precision at k: the fraction of the first k documents that are relevant.

    hits_k of the first k documents are relevant. As in trec_eval, the hits are divided by k even if
    a list is shorter than k, and an empty list has a precision of 0. The value is the mean over
    queries. Source: C. D. Manning, P. Raghavan, H. Schütze, "Introduction to information retrieval"
    (2008), 8.4.

    `add` takes for each query a list of scores and a list of gains.

    Formula:
        precision_k = mean hits_k / k

    Args:
        adaptive_k: Whether the hits of a list that is shorter than k are divided by the list's
            length.
        **options: As for `RelevanceMetric`.

    Returns of `compute`: `precision`, or `precision@{k}`, in [0, 1]; nan without samples. Higher is
    better.

    Example:
        >>> metric = RetrievalPrecision(top_k=[1, 2])
        >>> metric.add([[0.9, 0.5, 0.1], [0.3, 0.2, 0.8]], [[1, 0, 1], [0, 0, 1]])
        >>> metric.compute()
        {'precision@1': 1.0, 'precision@2': 0.5}
    """

    key = "precision"

    def __init__(self, *, adaptive_k: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.adaptive_k = adaptive_k

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return hits / k."""
        depths = queries.depths
        if self.adaptive_k:
            depths = np.minimum(depths, queries.lengths[:, None])
        return share(queries.at_cuts(queries.expected_hits), np.maximum(depths, 1))


class RetrievalRecall(RelevanceMetric):
    """Recall at k: the fraction of a query's relevant documents that are among the first k.

    Formula:
        recall_k = mean hits_k / R

    Source: C. D. Manning, P. Raghavan, H. Schütze, "Introduction to information retrieval" (2008),
    8.4. `add` takes for each query a list of scores and a list of gains.

    Args:
        **options: As for `RelevanceMetric`.

    Returns of `compute`: `recall`, or `recall@{k}`, in [0, 1]; nan without samples. Higher is
    better.

    Example:
        >>> metric = RetrievalRecall(top_k=2)
        >>> metric.add([[0.9, 0.5, 0.1], [0.3, 0.2, 0.8]], [[1, 0, 1], [0, 0, 1]])
        >>> metric.compute()  # (1 / 2 + 1 / 1) / 2
        {'recall@2': 0.75}
    """

    key = "recall"

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return hits / R."""
        return share(queries.at_cuts(queries.expected_hits), queries.relevant_number)


class RetrievalFBeta(RelevanceMetric):
    """The F-score of the first k documents: precision and recall in one number.

    A query has R relevant documents, hits_k of them among the first k; recall has beta times the
    weight of precision. The value is the mean over queries. Source: C. J. van Rijsbergen,
    "Information retrieval" (1979). `add` takes for each query a list of scores and a list of gains.

    Formula:
        F_beta = mean (1 + beta^2) hits_k / (k + beta^2 R)

    Args:
        beta: How many times as important recall is as precision.
        **options: As for `RelevanceMetric`.

    Returns of `compute`: `fbeta`, or `fbeta@{k}`, in [0, 1]; nan without samples. Higher is better.

    Raises:
        ValueError: `beta` is not positive and finite.

    Example:
        >>> metric = RetrievalFBeta(top_k=2)
        >>> metric.add([[0.9, 0.5, 0.1]], [[1, 0, 1]])
        >>> metric.compute()  # precision and recall are 1 / 2
        {'fbeta@2': 0.5}
    """

    key = "fbeta"

    def __init__(self, *, beta: float = 1.0, **options: Any) -> None:
        super().__init__(**options)
        if not 0 < beta < math.inf:
            raise ValueError(f"beta must be positive and finite, got {beta}")
        self.beta = beta

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return the F-score of precision and recall."""
        square = self.beta * self.beta
        hits = queries.at_cuts(queries.expected_hits)
        return share((1 + square) * hits, queries.depths + square * queries.relevant_number)


class RetrievalHitRate(RelevanceMetric):
    """Hit rate: the fraction of queries that have a relevant document among the first k.

    The value is also named success at k. `add` takes for each query a list of scores and a list of
    gains. Source: the measure success of trec_eval (NIST).

    Formula:
        rate_k = mean [hits_k > 0]

    Args:
        **options: As for `RelevanceMetric`.

    Returns of `compute`: `hit_rate`, or `hit_rate@{k}`, in [0, 1]; nan without samples. Higher is
    better.

    Example:
        >>> metric = RetrievalHitRate(top_k=1)
        >>> metric.add([[0.9, 0.5, 0.1], [0.3, 0.2, 0.8]], [[1, 0, 1], [0, 1, 0]])
        >>> metric.compute()  # (1 + 0) / 2
        {'hit_rate@1': 0.5}
    """

    key = "hit_rate"

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return the probability of a hit."""
        return 1 - queries.at_cuts(queries.missed)


class RetrievalFallOut(RelevanceMetric):
    """Fall-out: the fraction of a query's irrelevant documents that are among the first k.

    A query has L documents, R of them relevant; hits_k of the first k are relevant. A query is
    empty if all of its documents are relevant. The value is the mean over queries. Source: C. J.
    van Rijsbergen, "Information retrieval" (1979). `add` takes for each query a list of scores and
    a list of gains.

    Formula:
        fallout_k = mean (min(k, L) - hits_k) / (L - R)

    Args:
        **options: As for `RelevanceMetric`.

    Returns of `compute`: `fall_out`, or `fall_out@{k}`, in [0, 1]; nan without samples. Lower is
    better.

    Example:
        >>> metric = RetrievalFallOut(top_k=2)
        >>> metric.add([[0.9, 0.5, 0.1]], [[1, 0, 0]])
        >>> metric.compute()  # the second is 1 of the 2 that are not relevant
        {'fall_out@2': 0.5}
    """

    key = "fall_out"
    higher_is_better = False
    needs_relevant = False

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return irrelevant documents up to k / all irrelevant documents."""
        found = np.minimum(queries.depths, queries.lengths[:, None])
        false = found - queries.at_cuts(queries.expected_hits)
        unjudged = np.count_nonzero(queries.gains < 0, axis=1)[:, None]
        return share(false, queries.other_number + unjudged)


class RetrievalRPrecision(WholeListMetric):
    """R-precision: the precision of the first R documents, where R is the number of relevant ones.

    Formula:
        rprec = mean hits_R / R

    Source: C. D. Manning, P. Raghavan, H. Schütze, "Introduction to information retrieval" (2008),
    8.4. `add` takes for each query a list of scores and a list of gains.

    Args:
        **options: As for `WholeListMetric`.

    Returns of `compute`: `r_precision`, in [0, 1]; nan without samples. Higher is better.

    Example:
        >>> metric = RetrievalRPrecision()
        >>> metric.add([[0.9, 0.5, 0.1]], [[1, 0, 1]])
        >>> metric.compute()  # R = 2, and 1 of the first 2 is relevant
        {'r_precision': 0.5}
    """

    key = "r_precision"

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return hits / R."""
        number, hits = queries.relevant_number, queries.expected_hits
        last = np.clip(number, 1, hits.shape[1]).astype(np.int64) - 1
        return share(np.take_along_axis(hits, last, axis=1), number)
