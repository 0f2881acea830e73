"""The list to which a metric appends its results in MMEval's style, as rows of one state."""

from __future__ import annotations

from typing import Any

from mmeval_like._samples.checked_rows import CheckedRows
from mmeval_like._samples.store import Store
from mmeval_like._states.kinds.ordered import Objects

__all__ = ["LIST", "Entries"]

LIST = "results"
"""The name of the state."""


class Entries(Store):
    """The entries of such a list, which `add` may change in place."""

    def __init__(self, entries: list[Any], max_padding: int | None) -> None:
        super().__init__({LIST: Objects()}, max_padding)
        self.append(CheckedRows.of_part(len(entries), {LIST: entries}, None))

    def snapshot(self) -> Store:
        """Return a store of equal entries, with its own copies of lists, dicts and arrays."""
        return Entries(self.states[LIST].value(self.part().ordered[LIST]), self.max_padding)
