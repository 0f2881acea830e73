"""RetrievalNormalizedDCG and RetrievalDCG: gains, discounted by rank."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics.retrieval.query_metrics import QueryMetric, as_cuts, share
from mmeval_like.metrics.retrieval.ranked_queries import RankedQueries
from mmeval_like.writing import NOT_NEGATIVE

__all__ = ["RetrievalDCG", "RetrievalNormalizedDCG", "discounts"]

_ONE = 1 << 160  # logarithms are integers, as multiples of 1 / 2^160
_known = np.empty(0)


def discounts(count: int) -> np.ndarray:
    """Return 1 / log2(i + 1) for i = 1, ..., count, rounded once: the same on every processor.

    Example:
        >>> discounts(3).tolist()
        [1.0, 0.6309297535714574, 0.5]
    """
    global _known
    if len(_known) < count:
        logarithms = list(itertools.islice(_logarithms(), max(count, 2 * len(_known))))
        _known = np.array([logarithms[0] / logarithm for logarithm in logarithms])
    return _known[:count]


def _logarithms() -> Iterator[int]:
    """Yield ln 2, ln 3, ...; ln(n + 1) - ln n is 2 artanh(1 / (2 n + 1)), a series."""
    total = 0
    for odd in itertools.count(3, 2):
        term, power = _ONE // odd, 1
        while term:
            total += 2 * (term // power)
            term, power = term // (odd * odd), power + 2
        yield total


class GainMetric(QueryMetric):
    """The base class of metrics of discounted gains.

    Args:
        gain: The value of a document of gain g. "linear": g. "exponential": 2^g - 1 (C. Burges et
            al., "Learning to rank using gradient descent", ICML 2005).
        top_k: The number of first documents that count, or several numbers. The result then has the
            keys `{key}@{k}`. None: all documents count.
        **options: As for `QueryMetric`.

    Raises:
        ValueError: The gain is unknown; a number is below 1, or occurs twice; in `add`, with
            "exponential", a gain is above 1000.
    """

    processor_dependent: str | None = "power"
    needs_relevant = False

    def __init__(
        self,
        *,
        gain: str = "linear",
        top_k: int | Sequence[int] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.cuts, self.outputs = as_cuts(top_k)
        self.gain = check_option("gain", gain, ("linear", "exponential"))
        if gain == "linear":
            self.processor_dependent = None

    def worth(self, gains: np.ndarray) -> np.ndarray:
        """Return the values of documents; 0 where the gain is not above 0."""
        gains = np.maximum(gains, 0.0)
        if self.gain == "linear":
            return gains
        if (gains > 1000).any():
            text = "labels must not exceed 1000 with gain='exponential'"
            raise ValueError(f"{text}, got {gains.max()}")
        whole = np.floor(gains)
        found: np.ndarray = np.ldexp(np.exp2(gains - whole), whole.astype(np.int64)) - 1
        return found

    def discounted(self, queries: RankedQueries) -> np.ndarray:
        """Return the discounted cumulative gain, (n, D)."""
        worth = queries.mean_over_orders(self.worth(queries.gains))
        return queries.at_cuts((worth * discounts(worth.shape[1])).cumsum(axis=1))


class RetrievalNormalizedDCG(GainMetric):
    """Normalised discounted cumulative gain (nDCG): 1 if the best documents rank first.

    g_i is the gain of the document at rank i, and k is `top_k`. The sum DCG is divided by the
    largest possible one, that of the k best judged documents in the best order. The value is the
    mean over queries; a query without a gain above 0 is empty. Source: K. Järvelin and J.
    Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (TOIS 2002).

    `add` takes for each query a list of scores and a list of gains.

    Formula:
        ndcg = mean DCG / ideal
        DCG = sum_(i <= k) g_i / log_2(i + 1)

    Args:
        **options: As for `GainMetric`.

    Returns of `compute`: `ndcg`, or `ndcg@{k}`, in [0, 1]; nan without samples. Higher is better.

    Example:
        >>> metric = RetrievalNormalizedDCG()
        >>> metric.add([[0.9, 0.5, 0.1]], [[2, 0, 4]])
        >>> round(metric.compute()["ndcg"], 6)  # (2 + 4 / 2) / (4 + 2 / log2(3))
        0.760188
    """

    key = "ndcg"

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return the discounted gain divided by the ideal gain."""
        best = self.worth(-np.sort(-queries.judged, axis=1))
        ideal = queries.at_cuts((best * discounts(best.shape[1])).cumsum(axis=1))
        return share(np.minimum(self.discounted(queries), ideal), ideal)


class RetrievalDCG(GainMetric):
    """Discounted cumulative gain (DCG): the gains of a ranking, with most weight on the first.

    g_i is the gain of the document at rank i, and k is `top_k`. The value is the mean over queries;
    no query is empty. Source: K. Järvelin and J. Kekäläinen, "Cumulated gain-based evaluation of IR
    techniques" (TOIS 2002).

    `add` takes for each query a list of scores and a list of gains.

    Formula:
        dcg = mean sum_(i <= k) g_i / log_2(i + 1)

    Args:
        **options: As for `GainMetric`.

    Returns of `compute`: `dcg`, or `dcg@{k}`, at least 0; nan without samples. Higher is better.

    Example:
        >>> metric = RetrievalDCG(top_k=3)
        >>> metric.add([[0.9, 0.5, 0.1]], [[2, 0, 4]])
        >>> metric.compute()  # 2 / log2(2) + 4 / log2(4)
        {'dcg@3': 4.0}
    """

    key = "dcg"
    ranges = NOT_NEGATIVE

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return the discounted gain."""
        return self.discounted(queries)
