"""Apache Beam: a combiner whose output is the state of the rows of a key or a window."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import apache_beam as beam

from mmeval_like.integrations.states import States
from mmeval_like.tables.opened import opened

__all__ = ["BeamStates"]

_ROWS = 4096  # so many rows wait, and are counted in one batch
_STATES = 64  # so many states wait, and are merged at once


@dataclass
class _Accumulator:
    """What was added so far.

    Attributes:
        columns: From which columns each argument is read, of all elements; None without elements.
        states: The states of blocks.
        rows: The rows that wait.
    """

    columns: dict[str, list[str]] | None = None
    states: list[bytes] = field(default_factory=list)
    rows: list[Mapping[str, Any]] = field(default_factory=list)

    def check(self, columns: dict[str, list[str]] | None) -> None:
        """Raise ValueError if other elements have other columns."""
        if None not in (columns, self.columns) and columns != self.columns:
            raise ValueError(
                f"all rows must have the same columns: those of some are {self.columns}, of others "
                f"{columns}"
            )
        self.columns = self.columns or columns


class BeamStates(beam.CombineFn):  # type: ignore[misc]  # Beam has no types
    """A combiner for `CombineGlobally` and `CombinePerKey`.

    An element is a row, as a dict, or a block of rows: an Arrow table or record batch, or a data
    frame, as `mm.score` takes them. `ReadFromParquetBatched` has such elements, and a block takes
    little longer than a row. The elements of a key must have the same columns for each argument.

    Args:
        states: How rows become a state.
    """

    def __init__(self, states: States) -> None:
        self._states = states
        self._known: dict[Collection[str], dict[str, list[str]]] = {}

    def create_accumulator(self) -> _Accumulator:
        """Return what holds no rows."""
        return _Accumulator()

    def add_input(self, mutable_accumulator: _Accumulator, element: Any) -> _Accumulator:
        """Add a row or a block of rows.

        Raises:
            TypeError, ValueError: As for `States.of`; or elements differ in the columns that are
                read.
        """
        held = mutable_accumulator
        if isinstance(element, Mapping):
            held.check(self._chosen(frozenset(element), [*element]))  # in any order
            held.rows.append(element)
        else:
            block = opened(element)
            held.check(self._chosen((*block.names,), block.names))
            held.states.append(self._states.of(block))
        full = len(held.rows) >= _ROWS or len(held.states) >= _STATES
        return self.compact(held) if full else held

    def merge_accumulators(self, accumulators: Iterable[_Accumulator]) -> _Accumulator:
        """Return what holds the rows of all."""
        every = _Accumulator()
        for one in accumulators:
            every.check(one.columns)
            every.states.append(self.extract_output(one))
        return every

    def compact(self, accumulator: _Accumulator) -> _Accumulator:
        """Turn the rows that wait into a state, before they are sent."""
        return _Accumulator(accumulator.columns, [self.extract_output(accumulator)])

    def extract_output(self, accumulator: _Accumulator) -> bytes:
        """Return the state of all rows."""
        states, rows = accumulator.states, accumulator.rows
        if rows:
            ordered = [name for some in (accumulator.columns or {}).values() for name in some]
            names = self._states.needed([*dict.fromkeys([*ordered, *rows[0]])])
            table = {name: [row[name] for row in rows] for name in names}
            states = [*states, self._states.of(table)]
        return self._states.merged(states)

    def _chosen(self, known: Collection[str], names: Sequence[str]) -> dict[str, list[str]]:
        columns = self._known.get(known)
        if columns is None:
            columns = self._known[known] = self._states.chosen(names)
        return columns
