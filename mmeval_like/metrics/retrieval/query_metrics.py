"""The base classes of metrics of ranked documents: a sample is a query, with all its documents."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np

from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.retrieval.flat_queries import FlatQueries
from mmeval_like.metrics.retrieval.query_inputs import Queries, read_queries
from mmeval_like.metrics.retrieval.query_ranking import ranked
from mmeval_like.metrics.retrieval.ranked_queries import RankedQueries
from mmeval_like.writing import (
    SHARE,
    BaseMetric,
    MetricOptions,
    Results,
    SampleMean,
    State,
    Unpack,
    arrays,
    state,
    warn,
)
from mmeval_like.writing.weights import as_weights

__all__ = [
    "QueryMetric",
    "RelevanceMetric",
    "TopKMetric",
    "WholeListMetric",
    "as_cuts",
    "share",
]

_EMPTY = {"skip": math.nan, "zero": 0.0, "one": 1.0, "raise": math.nan}
_AGGREGATIONS = ("mean", "median", "min", "max")


@shared_options
class QueryMetric(SampleMean):
    """The base class of metrics of the documents that were retrieved for queries.

    A sample is a query. `add` takes `predictions`, the scores of its documents, as Q lists or an
    array (Q, L); `labels`, their gains in the same shape: at least 0, or -1 for a document that was
    not judged, which counts as 0; optionally `documents`, the documents' ids, integers or strings;
    `judged`, Q lists of the gains of all documents that were judged for the query, retrieved or not
    (by default, only the listed documents were judged); and `sample_weight` (Q,).

    Documents of equal scores are in the order of their ids, the largest first; strings compare
    lexicographically. Without `documents`, the value is the mean over all orders of documents
    with equal scores.

    Args:
        empty: How empty queries are treated, whose value would be 0 / 0: in most metrics, queries
            without a relevant document. "skip": `compute` leaves them out, with a warning. "zero",
            "one": they have the value 0 or 1. "raise": `add` raises a ValueError.
        aggregation: How the values of the queries are combined: "mean", "median", "min" or "max".
            All but "mean" keep one number for each query.
        flat: False: a sample is a query with all its documents. True: a sample is a document. `add`
            then takes `predictions`, `labels` and `indexes`, all (N,), where `indexes` is the query
            of each document, and `documents`, integers (N,). All documents are kept until
            `compute`, which groups them by query.
        **options: As for `BaseMetric`.
    """

    ranges = SHARE
    higher_is_better: bool | None = True
    leaves_out_nan = True
    truth_inputs: ClassVar[tuple[str, ...]] = ()  # every system has its own list of documents
    ties: ClassVar[str] = "mean"
    """How equal scores are treated, as in `ranked`."""
    needs_relevant: ClassVar[bool] = True
    """Whether a query without a relevant document is empty."""

    cuts: Sequence[int | None] = (None,)
    relevance: float = 1.0

    def __init__(
        self,
        *,
        empty: str = "skip",
        aggregation: str = "mean",
        flat: bool = False,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self.empty = check_option("empty", empty, _EMPTY)
        self.aggregation = check_option("aggregation", aggregation, _AGGREGATIONS)
        self.flat = flat
        self.every_rank_computes = aggregation == "mean" and not flat  # sums merge, rows do not
        if aggregation in ("min", "max"):
            self.no_interval = "the extremes grow with the number of samples"
        if flat:
            self.no_interval = "a query is many samples: pass whole lists, without flat="
            self.statistic = FlatQueries()

    @abstractmethod
    def of_queries(self, queries: RankedQueries) -> np.ndarray:
        """Return the values of a block of queries, (n, D); nan where a value is 0 / 0."""

    def weights(self, predictions: Any, sample_weight: Any) -> Any:
        """Return the weights of the queries: here the given ones."""
        return sample_weight

    def keys(self) -> list[str]:
        """Return the names of the D values."""
        return [self.key if cut is None else f"{self.key}@{cut}" for cut in self.cuts]

    def named(self, values: Sequence[Any]) -> dict[str, Any]:
        """Return the D values by their names."""
        return dict(zip(self.keys(), values, strict=True))

    def values_of(self, queries: Queries) -> np.ndarray:
        """Return the values of all queries, (Q, D); nan for queries that are left out.

        Raises:
            ValueError: A query is empty, and `empty="raise"` is given.
        """
        found = np.empty((len(queries), self.outputs or 1))
        for block in ranked(queries, self.cuts, self.relevance, self.ties):
            values = self.of_queries(block)
            if self.needs_relevant:
                values = np.where(block.relevant_number > 0, values, math.nan)
            found[block.places] = values
        empty = np.isnan(found)
        if self.empty == "raise" and empty.any():
            place = int(np.flatnonzero(empty.any(axis=1))[0])
            raise ValueError(
                f"{self.name} is undefined for the query at index {place}, usually because it has "
                f"no relevant document; empty= sets the value of such queries"
            )
        found[empty] = _EMPTY[self.empty]
        return found

    def scores(
        self, predictions: Any, labels: Any, documents: Any = None, judged: Any = None
    ) -> np.ndarray:
        """Return the values of every query; see the class for the arguments.

        Raises:
            TypeError: Scores or gains are not real numbers, or ids are neither texts nor integers.
            ValueError: Lists have different lengths, numbers are nan, gains are below 0 and not -1,
                a query has an id twice, or `judged` lacks a gain that `labels` has.
        """
        found = self.values_of(read_queries(predictions, labels, documents, judged))
        return found[:, 0] if self.outputs is None else found

    def states(self) -> dict[str, State]:
        """Return the sums for a mean, or the values and the weight of every query."""
        if self.aggregation == "mean":
            return super().states()
        return {"values": state.cat(np.float64, ((self.outputs or 1) + 1,))}

    def rows(  # type: ignore[override]  # by position
        self,
        predictions: Any,
        labels: Any,
        documents: Any = None,
        judged: Any = None,
        sample_weight: Any = None,
    ) -> dict[str, np.ndarray]:
        """Return the rows that every query adds to the states.

        Args:
            predictions: The scores of the documents of Q queries: Q lists, or an array (Q, L).
            labels: The gains of these documents, in the same shape: numbers of at least 0, or -1
                for a document that was not judged.
            documents: The ids of these documents, integers or strings; among documents with equal
                scores, the one with the largest id comes first. None: the value is the mean over
                all orders of documents with equal scores.
            judged: For each query, the gains of all judged documents, including those that were not
                retrieved. None: only the documents in `labels` were judged.
            sample_weight: The weight of each query, numbers of at least 0 (Q,); None: all are 1.

        Raises:
            TypeError: Scores or gains are not real numbers, or ids are neither texts nor integers.
            ValueError: Lists have different lengths, numbers are nan, gains are below 0 and not -1,
                a query has an id twice, or `judged` lacks a gain that `labels` has.
        """
        inputs = predictions, labels, documents, judged
        sample_weight = self.weights(predictions, sample_weight)
        if self.aggregation == "mean":
            return super().rows(*inputs, sample_weight=sample_weight)
        values = self.scores(*inputs)
        weights = as_weights(sample_weight, len(values))
        return {"values": np.column_stack([values, weights])}

    _meaning = ()

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return rows of queries with a given value, or with the least or the greatest one."""
        changed = (type(self).named, QueryMetric.named), (type(self).weights, QueryMetric.weights)
        weights = {"sample_weight": inputs.get("sample_weight")}
        mean = self.aggregation == "mean"
        rows = super().filled(fill, count, weights if mean else {})
        if rows is None or any(own is not known for own, known in changed):
            return None
        every = as_weights(weights["sample_weight"], count)
        return rows if mean else {"values": np.column_stack([rows["score"], every])}

    def per_sample(self, *batch: Any, **named: Any) -> dict[str, Any]:
        """Return every query's values; see `BaseMetric.per_sample`."""
        if self.flat or type(self).named is not QueryMetric.named:
            return BaseMetric.per_sample(self, *batch, **named)
        rows = {
            name: arrays.to_host(part, name) for name, part in self._rows_of(batch, named).items()
        }
        if self.aggregation == "mean":
            values, weights = rows["score"], rows["weight"]
        else:
            values, weights = rows["values"][:, :-1], rows["values"][:, -1:]
        found = share(values, np.broadcast_to(weights, values.shape)).reshape(len(values), -1)
        if self.aggregation != "mean":
            found = np.where(weights > 0, values, math.nan)
        return self.named([*found.T]) if len(found) else {}

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the values by their keys."""
        if self.aggregation == "mean" and not self.flat:
            found = self.mean(results)
            return self.named([found] if self.outputs is None else found)
        if self.flat:
            values = np.empty((0, self.outputs or 1))
            if len(results):
                values = self.values_of(FlatQueries.queries(results.rows_of_queries))
            weights = np.ones(len(values))
        else:
            values, weights = results.values[:, :-1], results.values[:, -1]
        left_out = np.isnan(values).any(axis=1) & (weights > 0)
        if left_out.any():
            text = f"{np.count_nonzero(left_out)} of {len(values)} samples: left out"
            warn(f"{self.name} is undefined for {text}", RuntimeWarning)
        return self.named([_aggregated(column, weights, self.aggregation) for column in values.T])


class TopKMetric(QueryMetric):
    """The base class of metrics of the first k documents.

    Args:
        top_k: The number of first documents that count, or several numbers. The result then has the
            keys `{key}@{k}`. None: all documents count.
        **options: As for `QueryMetric`.

    Raises:
        ValueError: A number is below 1, or occurs twice.
    """

    def __init__(self, *, top_k: int | Sequence[int] | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.cuts, self.outputs = as_cuts(top_k)


class RelevanceMetric(QueryMetric):
    """The base class of metrics that depend on which of the first k documents are relevant.

    Args:
        relevance: The least gain of a relevant document.
        top_k: The number of first documents that count, or several numbers. The result then has the
            keys `{key}@{k}`. None: all documents count.
        **options: As for `QueryMetric`.

    Raises:
        ValueError: A number is below 1, or occurs twice.
    """

    def __init__(
        self,
        *,
        relevance: float = 1.0,
        top_k: int | Sequence[int] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.cuts, self.outputs = as_cuts(top_k)
        self.relevance = _as_relevance(relevance)


class WholeListMetric(QueryMetric):
    """The base class of metrics that depend on which documents of a whole list are relevant.

    Args:
        relevance: The least gain of a relevant document.
        **options: As for `QueryMetric`.
    """

    def __init__(self, *, relevance: float = 1.0, **options: Any) -> None:
        super().__init__(**options)
        self.relevance = _as_relevance(relevance)


def as_cuts(top_k: Any) -> tuple[tuple[int | None, ...], int | None]:
    """Return the numbers of documents that count, and `outputs`: how many numbers, if several.

    Raises:
        ValueError: A number is below 1, or occurs twice.
    """
    if top_k is None:
        return (None,), None
    several = top_k if isinstance(top_k, list | tuple | range) else (top_k,)
    cuts = tuple(check_count("top_k", k) for k in several)
    if len(set(cuts)) < len(cuts) or not cuts:
        raise ValueError(f"top_k must be different numbers, got {top_k!r}")
    return cuts, len(cuts) if len(cuts) > 1 else None


def _as_relevance(relevance: Any) -> float:
    if not 0 < relevance < math.inf:
        raise ValueError(f"relevance must be a gain above 0, got {relevance!r}")
    return float(relevance)


def share(numerators: np.ndarray, denominators: np.ndarray) -> np.ndarray:
    """Return quotients; nan where the denominator is 0."""
    wide = np.broadcast_to(denominators, np.broadcast_shapes(numerators.shape, denominators.shape))
    found = np.full(wide.shape, math.nan)
    np.divide(numerators, wide, out=found, where=wide != 0)
    return found


def _aggregated(values: np.ndarray, weights: np.ndarray, how: str) -> float:
    """Return one number from the defined values; nan if no value is defined."""
    kept = (weights > 0) & ~np.isnan(values)
    values, weights = values[kept], weights[kept]
    if not len(values):
        return math.nan
    if how == "mean":
        return math.fsum(values.tolist()) / len(values)
    order = np.lexsort((weights, values))
    values, reached = values[order], weights[order].cumsum()
    if how != "median":
        return float(values[0 if how == "min" else -1])
    low, high = (np.searchsorted(reached, reached[-1] / 2, side) for side in ("left", "right"))
    first, last = values[[low, min(high, len(values) - 1)]].tolist()
    return cast(float, first if first == last else first + (last - first) / 2)
