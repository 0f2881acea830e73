"""Apache Beam: a combiner whose output is the state of the rows of a key or a window."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import apache_beam as beam

from mmeval_like.integrations.states import States

__all__ = ["BeamStates"]

_MANY = 4096  # so many rows wait, and are counted in one batch
_Accumulator: TypeAlias = (
    "tuple[list[bytes], list[Mapping[str, Any]]]"  # states, and rows that wait
)


class BeamStates(beam.CombineFn):  # type: ignore[misc]  # Beam has no types
    """A combiner for `CombineGlobally` and `CombinePerKey`; elements are rows as dicts.

    Args:
        states: How rows become a state.
    """

    def __init__(self, states: States) -> None:
        self._states = states

    def create_accumulator(self) -> _Accumulator:
        """Return what holds no rows."""
        return [], []

    def add_input(self, mutable_accumulator: _Accumulator, element: Mapping[str, Any]) -> Any:
        """Add a row."""
        states, rows = mutable_accumulator
        rows.append(element)
        return self.compact((states, rows)) if len(rows) == _MANY else (states, rows)

    def merge_accumulators(self, accumulators: Iterable[_Accumulator]) -> _Accumulator:
        """Return what holds the rows of all."""
        return [self.extract_output(one) for one in accumulators], []

    def compact(self, accumulator: _Accumulator) -> _Accumulator:
        """Turn the rows that wait into a state, before they are sent."""
        return [self.extract_output(accumulator)], []

    def extract_output(self, accumulator: _Accumulator) -> bytes:
        """Return the state of all rows."""
        states, rows = accumulator
        if rows:
            table = {name: [row[name] for row in rows] for name in self._states.needed([*rows[0]])}
            states = [*states, self._states.of(table)]
        return self._states.merged(states)
