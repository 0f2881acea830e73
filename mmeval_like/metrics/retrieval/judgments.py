"""BPref, InferredAP and JudgedAtK: metrics of rankings with few judged documents."""

from __future__ import annotations

import numpy as np

from mmeval_like.metrics.retrieval.query_metrics import TopKMetric, WholeListMetric, share
from mmeval_like.metrics.retrieval.ranked_queries import RankedQueries

__all__ = ["BPref", "InferredAP", "JudgedAtK"]

_EPSILON = 1e-5  # the constant e of the paper's estimate, as in trec_eval


class BPref(WholeListMetric):
    """Binary preference: how rarely documents judged irrelevant rank above relevant ones.

    A query has R documents that were judged relevant and N that were judged irrelevant. For the
    relevant document i of the list, n_i documents that were judged irrelevant rank above it.
    Documents that were not judged (gain -1) do not count. If documents have equal scores and no
    ids, the relevant ones are assumed to be last. The value is the mean over queries. Source: C.
    Buckley and E. M. Voorhees, "Retrieval evaluation with incomplete information" (SIGIR 2004), as
    in trec_eval.

    `add` takes for each query a list of scores and a list of gains.

    Formula:
        bpref = mean 1/R sum_(i in rel) (1 - min(n_i, R) / min(R, N))

    Args:
        **options: As for `WholeListMetric`.

    Returns of `compute`: `bpref`, in [0, 1]; nan without samples. Higher is better.

    Example:
        >>> metric = BPref()
        >>> metric.add([[0.9, 0.7, 0.5, 0.1]], [[1, -1, 0, 1]])
        >>> metric.compute()  # (1 + (1 - 1 / 1)) / 2
        {'bpref': 0.5}
    """

    key = "bpref"
    ties = "last"

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return the preference."""
        number = queries.relevant_number
        irrelevant = (queries.gains >= 0) & (queries.gains < queries.relevance) & queries.inside
        above = np.minimum(irrelevant.cumsum(axis=1), number)
        wrong = share(above, np.minimum(number, queries.other_number))
        found = queries.relevant * (1 - np.where(above > 0, wrong, 0.0))
        return share(found.cumsum(axis=1)[:, -1:], number)


class InferredAP(WholeListMetric):
    """Inferred average precision: an estimate from pools that were only partly judged.

    The pool is assumed to contain all listed documents; those with a gain of -1 were not judged.
    Above a relevant document at rank i there are r_i relevant documents and n_i that were judged
    irrelevant, from which its precision is estimated, with e = 1e-5. The sum over the relevant
    documents is divided by their number R. If documents have equal scores and no ids, the relevant
    ones are assumed to be last. Source: E. Yilmaz and J. A. Aslam, "Estimating average precision
    with incomplete and imperfect judgments" (CIKM 2006), as in trec_eval.

    `add` takes for each query a list of scores and a list of gains.

    Formula:
        infAP = mean 1/R sum_(i in rel) (1/i + (i - 1) / i * (r_i + e) / (r_i + n_i + 2 e))

    Args:
        **options: As for `WholeListMetric`.

    Returns of `compute`: `inf_ap`, in [0, 1]; nan without samples. Higher is better.

    Example:
        >>> metric = InferredAP()
        >>> metric.add([[0.9, 0.7, 0.5]], [[1, 0, 1]])
        >>> round(metric.compute()["inf_ap"], 4)  # nearly that of average precision
        0.8333
    """

    key = "inf_ap"
    ties = "last"

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return the estimate."""
        relevant, rank = queries.hits - queries.relevant, queries.rank
        judged = (queries.gains >= 0).cumsum(axis=1) - (queries.gains >= 0)
        likely = (relevant + _EPSILON) / (judged + 2 * _EPSILON)
        precision = 1 / rank + (rank - 1) / rank * likely
        precision[:, :1] = 1
        found = queries.relevant * precision
        return share(found.cumsum(axis=1)[:, -1:], queries.relevant_number)


class JudgedAtK(TopKMetric):
    """Judged at k: the fraction of the first k documents that were judged.

    A gain g_i of -1 says that the document at rank i was not judged. If a list has L documents,
    fewer than k, the number of judged ones is divided by L. Only a query without documents is
    empty. The value is the mean over queries. Source: the measure Judged of ir_measures (S.
    MacAvaney, C. Macdonald, I. Ounis, "Streamlining evaluation with ir-measures", ECIR 2022).

    `add` takes for each query a list of scores and a list of gains.

    Formula:
        judged_k = mean 1/min(k, L) sum_(i <= k) [g_i >= 0]

    Args:
        **options: As for `TopKMetric`.

    Returns of `compute`: `judged`, or `judged@{k}`, in [0, 1]; nan without samples. Higher is
    better.

    Example:
        >>> metric = JudgedAtK(top_k=2)
        >>> metric.add([[0.9, 0.7, 0.5]], [[1, -1, 0]])
        >>> metric.compute()  # 1 of the first 2
        {'judged@2': 0.5}
    """

    key = "judged"
    needs_relevant = False

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return the share."""
        judged = ((queries.gains >= 0) & queries.inside).astype(np.float64)
        found = queries.at_cuts(queries.mean_over_orders(judged).cumsum(axis=1))
        return share(found, np.minimum(queries.depths, queries.lengths[:, None]))
