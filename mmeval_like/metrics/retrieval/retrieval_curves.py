"""RetrievalPrecisionRecallCurve and related metrics: precision against recall."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.retrieval.query_metrics import WholeListMetric, share
from mmeval_like.metrics.retrieval.ranked_queries import RankedQueries
from mmeval_like.writing import arrays

__all__ = [
    "InterpolatedPrecision",
    "RetrievalPrecisionRecallCurve",
    "RetrievalRecallAtFixedPrecision",
]


class RetrievalPrecisionRecallCurve(WholeListMetric):
    """The mean precision and the mean recall of the first k documents, for k = 1, ..., max_k.

    Formula:
        precision_k = mean hits_k / k
        recall_k = mean hits_k / R

    Source: C. D. Manning, P. Raghavan, H. Schütze, "Introduction to information retrieval" (2008),
    8.4. `add` takes for each query a list of scores and a list of gains.

    Args:
        max_k: The largest number k of first documents.
        **options: As for `WholeListMetric`.

    Returns of `compute`: `precision` and `recall`, float64 (max_k,), nan without samples, and
    `top_k`, the int64 numbers k. Higher is better.

    Raises:
        ValueError: `max_k` is below 1.

    Example:
        >>> metric = RetrievalPrecisionRecallCurve(max_k=2)
        >>> metric.add([[0.9, 0.5, 0.1]], [[1, 0, 1]])
        >>> found = metric.compute()  # 1 relevant of the first 1, and of the first 2; R = 2
        >>> found["precision"].tolist(), found["recall"].tolist(), found["top_k"].tolist()
        ([1.0, 0.5], [0.5, 0.5], [1, 2])
    """

    key = "precision"
    higher_is_better_of = MappingProxyType({"top_k": None})

    def __init__(self, max_k: int, **options: Any) -> None:
        super().__init__(**options)
        self.max_k = check_count("max_k", max_k)
        self.cuts = range(1, self.max_k + 1)
        self.outputs = 2 * self.max_k

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return both curves, concatenated."""
        return _curves(queries)

    def named(self, values: Sequence[Any]) -> dict[str, Any]:
        """Return both curves."""
        precision, recall = np.split(np.array(values), 2)
        return {"precision": precision, "recall": recall, "top_k": np.arange(1, self.max_k + 1)}


class RetrievalRecallAtFixedPrecision(WholeListMetric):
    """The highest mean recall at k, over all k at which the mean precision is high enough.

    `add` takes for each query a list of scores and a list of gains.

    Formula:
        recall = max_(precision_k >= p) recall_k

    Args:
        min_precision: The least mean precision p of the first k documents, in [0, 1].
        max_k: The largest number k of first documents.
        **options: As for `WholeListMetric`.

    Returns of `compute`: `recall`, in [0, 1], and `top_k`, the smallest k with this recall. If no k
    is precise enough, they are 0.0 and `max_k`; without samples nan and `max_k`. Higher is better.

    Raises:
        ValueError: `min_precision` is not in [0, 1], or `max_k` below 1.

    Example:
        >>> metric = RetrievalRecallAtFixedPrecision(min_precision=0.6, max_k=3)
        >>> metric.add([[0.9, 0.5, 0.1]], [[1, 0, 1]])
        >>> metric.compute()  # precision 1 / 1, 1 / 2, 2 / 3; recall 1 / 2, 1 / 2, 2 / 2
        {'recall': 1.0, 'top_k': 3}
    """

    key = "recall"
    higher_is_better_of = MappingProxyType({"top_k": None})

    def __init__(self, min_precision: float, max_k: int, **options: Any) -> None:
        super().__init__(**options)
        self.max_k = check_count("max_k", max_k)
        self.cuts = range(1, self.max_k + 1)
        self.outputs = 2 * self.max_k
        if not 0 <= min_precision <= 1:
            raise ValueError(f"min_precision must be in [0, 1], got {min_precision}")
        self.min_precision = min_precision

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return precision and recall at each k, concatenated."""
        return _curves(queries)

    def named(self, values: Sequence[Any]) -> dict[str, Any]:
        """Return the best recall and its k."""
        precision, recall = np.split(np.array(values), 2)
        if np.isnan(recall).any():
            return {"recall": math.nan, "top_k": self.max_k}
        recall = np.where(precision >= self.min_precision, recall, -1.0)
        best = int(recall.argmax())
        if recall[best] < 0:
            return {"recall": 0.0, "top_k": self.max_k}
        return {"recall": float(recall[best]), "top_k": best + 1}


class InterpolatedPrecision(WholeListMetric):
    """Interpolated precision: the highest precision at a recall of at least r.

    The value is the mean over queries. hits_k of the first k documents and R of all documents are
    relevant. If documents have equal scores and no ids, the relevant ones are assumed to be last.
    Source: C. D. Manning, P. Raghavan, H. Schütze, "Introduction to information retrieval" (2008),
    8.4. `add` takes for each query a list of scores and a list of gains.

    Formula:
        iprec(r) = mean max_(hits_k / R >= r) hits_k / k

    Args:
        recall: The levels r of recall, in [0, 1]; each is taken as the decimal number that Python
            prints for it.
        **options: As for `WholeListMetric`.

    Returns of `compute`: `iprec@{r}` for every level, and `iprec_mean`, the mean over the levels,
    which for the eleven default levels is the eleven-point average precision. All are in [0, 1],
    and nan without samples. Higher is better.

    Raises:
        ValueError: `recall` has no level, or a level that is not in [0, 1].

    Example:
        >>> metric = InterpolatedPrecision(recall=(0.5, 1.0))
        >>> metric.add([[0.9, 0.5, 0.3, 0.1]], [[1, 0, 0, 1]])
        >>> metric.compute()  # at the relevant ones: 1 / 1, 2 / 4
        {'iprec@0.5': 1.0, 'iprec@1.0': 0.5, 'iprec_mean': 0.75}
    """

    key = "iprec"
    ties = "last"

    def __init__(
        self,
        recall: Sequence[float] = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.recall = tuple(float(level) for level in recall)
        if not self.recall or not all(0 <= level <= 1 for level in self.recall):
            raise ValueError(f"recall must be levels in [0, 1], got {recall!r}")
        self.outputs = len(self.recall) + 1

    def keys(self) -> list[str]:
        """Return the names of the levels, and of their mean."""
        return [*(f"iprec@{level}" for level in self.recall), "iprec_mean"]

    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return the highest precisions."""
        precision = (queries.hits / queries.rank)[:, ::-1]
        highest = np.maximum.accumulate(precision, axis=1)[:, ::-1]
        columns = []
        for level in self.recall:
            parts = Fraction(repr(level))  # 0.1 means one tenth
            number = parts.numerator * queries.relevant_number
            needed = np.ceil(number / parts.denominator)
            reached = queries.hits >= needed
            first = reached.argmax(axis=1)[:, None]
            found = np.take_along_axis(highest, first, axis=1)
            columns.append(np.where(reached.any(axis=1, keepdims=True), found, 0.0))
        every = np.concatenate(columns, axis=1)
        mean = arrays.sum_rows(every) / len(self.recall)
        return np.column_stack([every, mean])


def _curves(queries: RankedQueries) -> np.ndarray:
    """Return precision and recall of the first k documents, (n, 2 K)."""
    hits = queries.at_cuts(queries.expected_hits)
    return np.concatenate(
        [share(hits, queries.depths), share(hits, queries.relevant_number)], axis=1
    )
