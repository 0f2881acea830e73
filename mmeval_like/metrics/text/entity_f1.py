"""EntityF1: precision, recall and F1 of the entities of token sequences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mmeval_like.metrics._common.averages import check_average, class_average
from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics.text.entities import SCHEMES
from mmeval_like.metrics.text.span_counts import MATCHINGS, SpanCounts
from mmeval_like.writing import SHARE, BaseMetric, MetricOptions, Results, Unpack

__all__ = ["EntityF1"]


class EntityF1(BaseMetric):
    """Precision, recall and F1 of named entities, where an entity counts only as a whole.

    Precision is the share of predicted entities that are right, recall the share of the references'
    entities that are found, and F1 their harmonic mean. Source: E. F. Tjong Kim Sang and F. De
    Meulder, "Introduction to the CoNLL-2003 shared task" (2003); for the kinds of matching, I.
    Segura-Bedmar et al., "SemEval-2013 task 9" (2013). `add` takes `predictions` and `references`:
    for each of N sequences a list of tags, such as "B-PER", "I-PER" and "O", or a list of entities
    (type, start, end), where `end` is the position after the entity's last token.

    Formula:
        precision = TP / (TP + FP)
        recall = TP / (TP + FN)
        f1 = 2 TP / (2 TP + FP + FN)

    Args:
        types: The types of entities. None: entities may have any type; `average` must then be
            "micro".
        scheme: How tags are read. None: leniently, as the conlleval program reads them: an entity
            begins at the prefixes B, S and U, and wherever a type begins; it ends with E, S, L and
            U. "IOB1", "IOB2", "IOE2", "IOBES" or "BILOU": only sequences that are complete in this
            scheme are entities, and other prefixes are an error.
        matching: Which predicted entities are right. "strict": those with the span and the type of
            a reference entity. "exact": those with the span of a reference entity. "partial": as
            "exact", but an overlap counts one half. "type": those that overlap a reference entity
            of their type. Entities are paired one to one: first equal entities, then those with the
            same span, then those that overlap, from the left; with "type", each with an entity of
            its type if there is one.
        average: "micro" (all entities are counted together), "macro" (the mean over `types`),
            "weighted" (the mean weighted by the number of the references' entities of each type) or
            None (a list, in the order of `types`).
        **options: As for `BaseMetric`.

    Returns of `compute`: `precision`, `recall` and `f1`, in [0, 1], and `support`, the number of
    the references' entities; with `average=None` the lists `precision_classwise` and so on. A value
    whose divisor is 0 is 0.0, for instance the precision if nothing is predicted; without samples
    values are nan. Higher is better.

    Raises:
        ValueError: The scheme, matching or average is unknown; or `types` is missing where
            `average` needs it.
        TypeError: `types` is not a sequence of strings.

    Example:
        >>> metric = EntityF1()
        >>> tags = ["B-PER", "I-PER", "O", "B-LOC"]
        >>> metric.add(predictions=[["B-PER", "I-PER", "O", "O"]], references=[tags])
        >>> metric.compute()
        {'precision': 1.0, 'recall': 0.5, 'f1': 0.6666666666666666, 'support': 2}
    """

    _takes_inputs = SpanCounts.rows

    every_rank_computes = True
    ranges = SHARE
    higher_is_better = True
    higher_is_better_of = MappingProxyType({"support*": None})
    no_bounds = "a prediction may have any number of entities"

    def __init__(
        self,
        types: Sequence[str] | None = None,
        *,
        scheme: str | None = None,
        matching: str = "strict",
        average: str | None = "micro",
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        if scheme is not None:
            check_option("scheme", scheme, SCHEMES)
        check_option("matching", matching, MATCHINGS)
        self.average = check_average(average)
        if types is None and self.average != "micro":
            raise ValueError(f"types must be given for average={average!r}")
        if types is not None:
            if isinstance(types, str) or not all(isinstance(kind, str) for kind in types):
                raise TypeError(f"types must be a list of strings, got {types!r}")
            if not types or len(set(types)) < len(types):
                raise ValueError(f"types must be different, and at least one, got {types!r}")
            types = tuple(types)
        self.types = types
        self.statistic = SpanCounts(types, scheme, matching)

    if TYPE_CHECKING:

        def rows(self, predictions: Any, references: Any) -> Any:
            """For type checkers."""

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return `precision`, `recall`, `f1` and `support`."""
        right, found, predicted, support = results.counts.tolist()
        parts = {
            "precision": (right, [2 * p for p in predicted]),
            "recall": (found, [2 * s for s in support]),
        }
        if self.average == "micro":
            parts = {key: ([sum(above)], [sum(below)]) for key, (above, below) in parts.items()}
        values: dict[str, Any] = {}
        shares = [*parts["precision"], *parts["recall"]]
        parts["f1"] = _harmonic(*shares)
        for key, (above, below) in parts.items():
            values[key] = class_average(above, below, support, self.average)
        if not len(results):
            values = {
                k: [math.nan] * len(v) if isinstance(v, list) else math.nan
                for k, v in values.items()
            }
        values["support"] = support if self.average is None else sum(support)
        return (
            {f"{key}_classwise": value for key, value in values.items()}
            if self.average is None
            else values
        )


def _harmonic(
    right: list[int], predicted: list[int], found: list[int], support: list[int]
) -> tuple[list[int], list[int]]:
    """Return the harmonic means of right / predicted and found / support, as two integers each.

    If a divisor is 0, its quotient and the mean are 0.
    """
    above, below = [], []
    for r, p, f, s in zip(right, predicted, found, support, strict=True):
        above.append(2 * r * f)
        below.append(r * s + f * p)
    return above, below
