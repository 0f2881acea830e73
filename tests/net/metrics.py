"""Metrics of users' own: what the kit's cases have none of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import mmeval_like as mm
from mmeval_like import BaseMetric, Statistic, state

__all__ = [
    "Counts",
    "Flipped",
    "Forgets",
    "Half",
    "Lists",
    "OfEvens",
    "Order",
    "PerBatch",
    "Remembers",
    "Share",
    "Skips",
]


class Lists(BaseMetric):
    """A metric in MMEval's way."""

    def add(self, predictions: Any, labels: Any) -> None:
        """Append one entry for each sample."""
        self._results += [
            {"hit": int(p == y), "label": int(y)} for p, y in zip(predictions, labels, strict=True)
        ]

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """The share of hits, and the labels in their order."""
        hits = [entry["hit"] for entry in results]
        return {
            "share": sum(hits) / max(len(hits), 1),
            "labels": [entry["label"] for entry in results],
        }


class PerBatch(BaseMetric):
    """In MMEval's way, with one entry for each batch."""

    def add(self, predictions: Any, labels: Any) -> None:
        """Append one entry."""
        self._results.append(int(np.sum(np.asarray(predictions) == np.asarray(labels))))

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """The hits."""
        return {"hits": sum(results), "entries": len(results)}


class Forgets(Lists):
    """Its own reset clears the list in place, and counts."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.resets = 0

    def reset(self) -> None:
        """Forget the entries."""
        self._results.clear()
        self.resets += 1
        super().reset()


class Flipped(mm.Accuracy):
    """Overrides `add`: every prediction is the next class."""

    def add(self, predictions: Any, labels: Any, **named: Any) -> None:
        """Add the next class."""
        super().add((np.asarray(predictions) + 1) % 3, labels, **named)


class Half(mm.Accuracy):
    """Overrides `add`: every other sample of a batch counts."""

    def add(self, predictions: Any, labels: Any, **named: Any) -> None:
        """Add every other sample."""
        super().add(np.asarray(predictions)[::2], np.asarray(labels)[::2], **named)


class Skips(mm.Accuracy):
    """Overrides `add`: batches whose first label is 2 add nothing."""

    def add(self, predictions: Any, labels: Any, **named: Any) -> None:
        """Add, or do not."""
        if int(np.asarray(labels)[0]) != 2:
            super().add(predictions, labels, **named)


class Remembers(mm.Accuracy):
    """Overrides `add` and `reset`, and keeps what it saw on itself."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.seen = 0

    def add(self, predictions: Any, labels: Any, **named: Any) -> None:
        """Count, then add; what is refused was counted."""
        self.seen += len(labels)
        super().add(predictions, labels, **named)

    def reset(self) -> None:
        """Forget the number as well."""
        self.seen = 0
        super().reset()

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """The share, and what was seen here."""
        return {**super().compute_metric(results), "seen": self.seen}


class Share(BaseMetric):
    """A metric by two functions, with a maximum, which cannot be subtracted."""

    hits = state.sum(bool)
    largest = state.max(int)
    ranges: ClassVar[dict[str, tuple[float, float]]] = {"share": (0.0, 1.0)}
    higher_is_better = True

    def rows(self, predictions: Any, labels: Any) -> dict[str, Any]:
        """Hits and labels."""
        labels = np.asarray(labels)
        return {"hits": np.asarray(predictions) == labels, "largest": labels}

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """The share, and the largest label."""
        if not len(results):
            return {"share": float("nan"), "largest": -1}
        return {"share": results.hits / len(results), "largest": int(results.largest)}


class Order(BaseMetric):
    """All rows are kept, in their order, with objects beside them."""

    values = state.cat(np.int64)
    texts = state.objects()

    def rows(self, predictions: Any, labels: Any) -> dict[str, Any]:
        """The predictions, and labels as texts."""
        return {"values": np.asarray(predictions), "texts": [f"l{y}" for y in labels]}

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """Everything."""
        return {"values": results.values.tolist(), "texts": list(results.texts)}


@dataclass(frozen=True)
class OfEvens(Statistic):
    """Counts of hits among labels that are a multiple."""

    of: int = 2

    def states(self) -> dict[str, Any]:
        """Two sums."""
        return {"hits": state.sum(int), "labels": state.sum(int)}

    def rows(self, predictions: Any, labels: Any) -> dict[str, Any]:
        """Ones and zeros."""
        labels = np.asarray(labels)
        even = (labels % self.of == 0).astype(int)
        return {"hits": (np.asarray(predictions) == labels) * even, "labels": even}


class Counts(BaseMetric):
    """A metric with a statistic of its own."""

    def __init__(self, of: int = 2, **options: Any) -> None:
        super().__init__(**options)
        self.statistic = OfEvens(of)

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """The share among these labels."""
        share = int(results.hits) / int(results.labels) if results.labels else float("nan")
        return {"share": share, "labels": int(results.labels)}
