"""EditCounts: the numbers of edits between texts, shared by all error rates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mmeval_like.metrics.text.edits import edit_distances, units_of
from mmeval_like.metrics.text.text_metrics import Normalizer, read_pairs
from mmeval_like.writing import Results, State, Statistic, state

__all__ = ["EditCounts"]


@dataclass(frozen=True)
class EditCounts(Statistic):
    """The least number of edits of every pair of texts, and the lengths of both.

    An edit inserts, deletes or substitutes a unit. Several alignments with the fewest edits may
    have different numbers of hits; `substitutions` is the number in the alignment with the most
    hits. With E edits, S substitutions and lengths n and m, there are (n + m - S - E) / 2 hits.

    Attributes:
        unit: "words" or "characters".
        normalizer: A function that is applied to every text first.
        aligned: Whether substitutions are counted separately.
    """

    unit: str
    normalizer: Normalizer | None = None
    aligned: bool = False

    def states(self) -> dict[str, State]:
        """Return `edits` and `reference_units`, and two more states if aligned."""
        names = ["edits", "reference_units"]
        if self.aligned:
            names += ["substitutions", "predicted_units"]
        return {name: state.sum(int) for name in names}

    def rows(self, predictions: Any, references: Any) -> dict[str, np.ndarray]:
        """Return the counts of each pair.

        Args:
            predictions: N strings.
            references: N strings.

        Raises:
            TypeError: An input is not a list of strings.
            ValueError: `references` and `predictions` differ in length.
        """
        both = read_pairs(predictions, references, self.normalizer)
        found, expected = ([units_of(text, self.unit) for text in texts] for texts in both)
        lengths = [np.array([*map(len, texts)], np.int64) for texts in (expected, found)]
        if not self.aligned:
            return {"edits": edit_distances(expected, found), "reference_units": lengths[0]}
        # An edit costs more than the extra cost of all substitutions together: the least cost has
        # the fewest edits, and among these the fewest substitutions, that is the most hits.
        edit = 1 + max((int(length.max()) for length in lengths if len(length)), default=0)
        costs = edit_distances(expected, found, (edit, edit, edit + 1))
        edits, substitutions = np.divmod(costs, edit)
        return {
            "edits": edits,
            "reference_units": lengths[0],
            "substitutions": substitutions,
            "predicted_units": lengths[1],
        }

    def derive(self, other: Statistic) -> Callable[[Results], Results] | None:
        """Derive the counts from those that also count substitutions, for the same texts."""
        return _as_they_are if other == replace(self, aligned=True) else None


def _as_they_are(results: Results) -> Results:
    return results
