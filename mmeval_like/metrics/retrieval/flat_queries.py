"""FlatQueries: documents, each with the index of the query that it belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.number_inputs import read_columns
from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.metrics.retrieval.query_inputs import Queries, as_gains, check_different, sortable
from mmeval_like.writing import Ragged, Statistic, arrays, state

__all__ = ["FlatQueries"]


@dataclass(frozen=True)
class FlatQueries(Statistic):
    """All documents, which are grouped by query at the end; a sample is one document."""

    truth_inputs: ClassVar[tuple[str, ...]] = ()  # every system has its own list of documents
    rows_of_queries = state.cat(np.float64, (4,))

    def rows(
        self, predictions: Any, labels: Any, indexes: Any, documents: Any = None
    ) -> dict[str, np.ndarray]:
        """Return the index, the score, the gain and the id of every document.

        Args:
            predictions: Scores (N,), without nan.
            labels: Gains (N,): at least 0, or -1 for a document that was not judged.
            indexes: Integers (N,): documents of one query have one index.
            documents: Ids, integers (N,), which order equal scores; None: see `QueryMetric`.

        Raises:
            TypeError: The values are not real numbers, or indexes and ids are not whole numbers.
            ValueError: Shapes or lengths do not fit, a value is nan, or a gain is below 0 and not
                -1.
        """
        scores = arrays.as_numbers(predictions, "predictions")
        gains = as_gains([labels], "labels").values
        arrays.check_same_length("predictions", scores, "labels", gains)
        arrays.check_finite("predictions", scores, allow_infinite=True)
        given = {"indexes": arrays.as_integers(indexes, "indexes")}
        if documents is not None:
            given["documents"] = arrays.as_integers(documents, "documents")
        index, *names = read_columns(labels=gains, **given)[1:]
        check_one_axis("predictions", scores)
        name = names[0] if names else np.full(len(index), np.nan)
        values = arrays.as_floats(scores, "predictions")
        return {"rows_of_queries": np.stack([index, values, gains, name], axis=1)}

    @staticmethod
    def queries(rows: np.ndarray) -> Queries:
        """Return the queries of all documents (N, 4), in the order of their indexes.

        Raises:
            ValueError: Some documents have an id and others have none, or an id occurs twice in a
                query.
        """
        index, scores, gains, names = rows[np.argsort(rows[:, 0], kind="stable")].T
        lengths = np.unique(index, return_counts=True)[1].astype(np.int64)
        unknown, documents = np.isnan(names), None
        if unknown.any() and not unknown.all():
            raise ValueError("documents must be given for all samples, or for none")
        if not unknown.any():
            documents = names.astype(np.int64)
            check_different(documents, lengths)
        return Queries(Ragged(sortable(scores), lengths), Ragged(gains, lengths), documents)
