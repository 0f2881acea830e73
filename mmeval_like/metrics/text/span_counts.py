"""SpanCounts: the numbers of entities that are found, for all averages of one matching."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.metrics.text.entities import Entity, read_entities
from mmeval_like.writing import Results, State, Statistic, arrays, state
from mmeval_like.writing.intervals import Jackknife

__all__ = ["MATCHINGS", "SpanCounts"]

MATCHINGS = ("strict", "exact", "partial", "type")

# The rows of the counts. Credit is counted in halves, since an overlap may count one half.
_RIGHT, _FOUND, _PREDICTED, _SUPPORT = range(4)


@dataclass(frozen=True)
class SpanCounts(Statistic):
    """For each type, the predicted entities that are right and the labels found, in halves.

    The numbers of predicted entities and of labels are counted as well. Without types, all entities
    are counted together.

    Attributes:
        types: The types of entities; None: all types are counted together.
        scheme: How tags are read; None: leniently.
        matching: One of `MATCHINGS`.
    """

    types: tuple[str, ...] | None
    scheme: str | None
    matching: str

    def states(self) -> dict[str, State]:
        """Return `counts`, (4, types)."""
        return {"counts": state.sum(int, (4, len(self.types or "_")))}

    def rows(self, predictions: Any, references: Any) -> dict[str, np.ndarray]:
        """Return the counts of every sequence.

        Args:
            predictions: For each of N sequences a list of tags, or a list of entities (type,
                start, end); `end` is the position after the entity's last token.
            references: The same for the labels; tags have as many entries as the prediction's.

        Raises:
            TypeError: An entry is neither a tag nor an entity.
            ValueError: The numbers of sequences, or of tags in a sequence, differ; a tag is not in
                the scheme; or a type is not in `types`.
        """
        found = read_entities(predictions, "predictions", self.scheme)
        labels = read_entities(references, "references", self.scheme)
        arrays.check_same_length("predictions", found, "references", labels)
        for place, both in enumerate(zip(predictions, references, strict=True)):
            if all(len(tags) and isinstance(tags[0], str) for tags in both):
                names = (f"predictions[{place}]", f"references[{place}]")
                arrays.check_same_length(names[0], both[0], names[1], both[1])
        table = np.zeros((len(found), 4, len(self.types or "_")), np.int64)
        for counts, own, expected in zip(table, found, labels, strict=True):
            for row, entities in ((_PREDICTED, own), (_SUPPORT, expected)):
                for kind, _, _ in entities:
                    counts[row, self._column(kind)] += 1
            for mine, label, credit in self._credits(own, expected):
                counts[_RIGHT, self._column(mine)] += credit
                counts[_FOUND, self._column(label)] += credit
        return {"counts": table}

    @property
    def jackknife(self) -> Jackknife:
        """The jackknife in which one more entity of a type is a hit, a false alarm or a miss."""
        return Jackknife(plus_one=self._plus_one)

    def _plus_one(self, results: Results) -> Sequence[Results]:
        ways = ((2, 2, 1, 1), (0, 0, 1, 0), (0, 0, 0, 1))
        more = [results.counts + np.array([way]).T for way in ways]
        return [Results({"counts": counts}, len(results)) for counts in more]

    def _column(self, kind: str) -> int:
        if self.types is None:
            return 0
        if kind not in self.types:
            raise ValueError(f"types must have the type of every entity, got {kind!r} as well")
        return self.types.index(kind)

    def _credits(self, found: list[Entity], labels: list[Entity]) -> Iterable[tuple[str, str, int]]:
        """Yield the two types of each pair that counts, and its credit in halves."""
        if self.matching == "strict":
            common = Counter(found) & Counter(labels)
            yield from ((kind, kind, 2 * count) for (kind, _, _), count in common.items())
            return
        for mine, label in _pairs(found, labels, self.matching == "type"):
            same_span, same_type = mine[1:] == label[1:], mine[0] == label[0]
            if self.matching == "type":
                credit = 2 * same_type
            else:
                credit = 2 if same_span else self.matching == "partial"
            if credit:
                yield mine[0], label[0], int(credit)


def _pairs(found: list[Entity], labels: list[Entity], by_type: bool) -> list[tuple[Entity, Entity]]:
    """Pair predicted entities with labels that overlap them, one to one.

    Equal entities are paired first, then entities with the same span, then others from the left.
    With `by_type`, an entity prefers labels of its type.
    """
    ways: tuple[Callable[[Entity, Entity], bool], ...] = (
        lambda mine, label: mine[0] == label[0] and mine[1:] == label[1:],
        lambda mine, label: mine[1:] == label[1:],
        lambda mine, label: mine[1] < label[2] and label[1] < mine[2],
    )
    order = [sorted(entities, key=lambda e: (e[1], e[2], e[0])) for entities in (found, labels)]
    pairs: list[tuple[Entity, Entity]] = []
    for fits in ways:
        left: list[Entity] = []
        for mine in order[0]:
            fitting = [label for label in order[1] if fits(mine, label)]
            if fitting:
                own = [label for label in fitting if by_type and label[0] == mine[0]]
                pairs.append((mine, (own or fitting)[0]))
                order[1].remove(pairs[-1][1])
            else:
                left.append(mine)
        order[0] = left
    return pairs
