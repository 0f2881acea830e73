"""RetrievalMAP, RetrievalMRR and RetrievalAUROC: the ranks of relevant documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics.retrieval.query_inputs import as_lists
from mmeval_like.metrics.retrieval.query_metrics import RelevanceMetric, share
from mmeval_like.metrics.retrieval.ranked_queries import RankedQueries
from mmeval_like.writing.weights import as_weights

__all__ = ["RetrievalAUROC", "RetrievalMAP", "RetrievalMRR"]


class RetrievalMAP(RelevanceMetric):
    """Mean average precision (MAP): how early a query's relevant documents are ranked.

    rel_i is 1 if the document at rank i is relevant, otherwise 0, and hits_i of the first i
    documents are relevant. The sum of the precisions hits_i / i is divided by the number R of
    relevant documents, as in trec_eval, even if R exceeds k; torchmetrics divides by the number of
    relevant documents within k. The value is the mean over queries. Source: C. D. Manning, P.
    Raghavan, H. Schütze, "Introduction to information retrieval" (2008), 8.4.

    `add` takes for each query a list of scores and a list of gains.

    Formula:
        map = mean 1/R sum_(i <= k) rel_i hits_i / i

    Args:
        **options: As for `RelevanceMetric`.

    Returns of `compute`: `map`, or `map@{k}`, in [0, 1]; nan without samples. Higher is better.

    Example:
        >>> metric = RetrievalMAP()
        >>> metric.add([[0.9, 0.5, 0.1, 0.3]], [[1, 0, 0, 1]])
        >>> round(metric.compute()["map"], 6)  # (1 / 1 + 2 / 3) / 2
        0.833333
    """

    key = "map"

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return the average precision."""
        with_it, pairs = queries.hits_with, np.maximum(queries.sizes - 1, 1)
        hits = (queries.hits_above + 1) * pairs + (queries.place - 1) * (with_it - 1)
        precision = with_it * hits / (queries.sizes * pairs * queries.rank)
        return share(queries.at_cuts(precision.cumsum(axis=1)), queries.relevant_number)


class RetrievalMRR(RelevanceMetric):
    """Mean reciprocal rank (MRR): the mean over queries of 1 / rank of the first relevant document.

    A query without a relevant document among the first k has the value 0. Source: E. M. Voorhees,
    "The TREC-8 question answering track report" (1999). `add` takes for each query a list of scores
    and a list of gains.

    Formula:
        mrr = mean 1/rank

    Args:
        **options: As for `RelevanceMetric`.

    Returns of `compute`: `mrr`, or `mrr@{k}`, in [0, 1]; nan without samples. Higher is better.

    Example:
        >>> metric = RetrievalMRR()
        >>> metric.add([[0.9, 0.5, 0.1], [0.3, 0.2, 0.8]], [[1, 0, 1], [1, 0, 0]])
        >>> metric.compute()  # (1 / 1 + 1 / 2) / 2
        {'mrr': 0.75}
    """

    key = "mrr"

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return the reciprocal rank."""
        missed = np.ones_like(queries.missed)
        missed[:, 1:] = queries.missed[:, :-1]
        left = queries.sizes - queries.place + 1
        found = missed * queries.hits_with / (left * queries.rank)
        return queries.at_cuts(found.cumsum(axis=1))


class RetrievalAUROC(RelevanceMetric):
    """The area under the ROC curve of each query's documents, averaged over queries.

    A query's value is the share of pairs of a relevant and an irrelevant document, among its first
    k, in which the relevant one has the higher score; pairs with equal scores count half, whatever
    the ids. P are the relevant documents, N the irrelevant ones, and s_i is the score of document
    i. A query is empty if all or none of its first k documents are relevant. If k cuts through
    documents of equal scores without ids, the relevant ones are assumed to be last. Source: T.
    Fawcett, "An introduction to ROC analysis" (2006); for `weight="documents"`: H. Zhu et al.,
    "Optimized cost per click in Taobao display advertising" (KDD 2017), GAUC.

    `add` takes for each query a list of scores and a list of gains.

    Formula:
        auroc = mean 1/(|P| |N|) sum_(i in P) sum_(j in N) ([s_i > s_j] + 1/2 [s_i = s_j])

    Args:
        weight: None: all queries weigh the same. "documents": a query's weight is its number of
            documents.
        **options: As for `RelevanceMetric`.

    Returns of `compute`: `auroc`, or `auroc@{k}`, in [0, 1]; nan without samples. Higher is better.

    Raises:
        ValueError: `weight` is not one of the allowed values, or is combined with `flat`.

    Example:
        >>> metric = RetrievalAUROC()
        >>> metric.add([[0.9, 0.5, 0.1]], [[1, 0, 1]])
        >>> metric.compute()
        {'auroc': 0.5}
    """

    key = "auroc"
    ties = "groups"
    needs_relevant = False

    def __init__(self, *, weight: str | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.weight = check_option("weight", weight, (None, "documents"))
        if weight and self.flat:
            raise ValueError('weight must be None with flat=True: pass lists for "documents"')

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return the share of pairs."""
        return np.concatenate([_pairs(queries.first(cut)) for cut in queries.cuts], axis=1)

    def weights(self, predictions: Any, sample_weight: Any) -> Any:
        """Return the weights of the queries, multiplied by their lengths if `weight` says so."""
        if self.weight is None:
            return sample_weight
        lengths = as_lists(predictions, "predictions").lengths
        return as_weights(sample_weight, len(lengths)) * lengths


def _pairs(queries: RankedQueries) -> np.ndarray:
    """Return the fraction of pairs in the right order, (n, 1)."""
    number = queries.hits[:, -1:]
    others = queries.lengths[:, None] - number
    above = queries.rank - queries.place - queries.hits_above
    below = others - above - (queries.sizes - queries.hits_with) / 2
    right = np.where(queries.relevant > 0, below, 0.0).sum(axis=1, keepdims=True)  # halves: exact
    return share(right, number * others)
