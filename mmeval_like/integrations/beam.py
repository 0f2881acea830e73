"""Apache Beam: a combiner whose output is the state of the rows of a key or a window."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import apache_beam as beam

from mmeval_like.integrations.states import States

__all__ = ["BeamStates"]

_ROWS = 4096  # so many rows wait, and are counted in one batch
_STATES = 64  # so many states wait, and are merged at once
_Accumulator: TypeAlias = (
    "tuple[list[bytes], list[Mapping[str, Any]]]"  # states, and rows that wait
)


class BeamStates(beam.CombineFn):  # type: ignore[misc]  # Beam has no types
    """A combiner for `CombineGlobally` and `CombinePerKey`.

    An element is a row, as a dict, or a block of rows: an Arrow table or record batch, or a data
    frame, as `mm.score` takes them. `ReadFromParquetBatched` has such elements, and a block takes
    little longer than a row.

    Args:
        states: How rows become a state.
    """

    def __init__(self, states: States) -> None:
        self._states = states

    def create_accumulator(self) -> _Accumulator:
        """Return what holds no rows."""
        return [], []

    def add_input(self, mutable_accumulator: _Accumulator, element: Any) -> _Accumulator:
        """Add a row or a block of rows; errors are those of `States.of`."""
        states, rows = mutable_accumulator
        if isinstance(element, Mapping):
            rows.append(element)
        else:
            states.append(self._states.of(element))
        full = len(rows) == _ROWS or len(states) == _STATES
        return self.compact(mutable_accumulator) if full else mutable_accumulator

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
