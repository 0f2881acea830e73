"""Rows of numpy's own subclasses: masked arrays are refused, memory maps are read."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmeval_like import BaseMetric, state
from mmeval_like._states.rows import Ragged

STATES = {
    "sum of floats": (state.sum(), float),
    "sum of integers": (state.sum(int), int),
    "sum of bools": (state.sum(int), bool),
    "max": (state.max(), float),
    "min of integers": (state.min(int), int),
    "count": (state.count(5), int),
    "open count": (state.count(None), int),
    "cat": (state.cat(float), float),
    "cat of another dtype": (state.cat(np.float32), int),
}


class Kept(BaseMetric):
    """Keeps rows as they are given."""

    def __init__(self, kind: str, **options: Any) -> None:
        super().__init__(**options)
        self.kind = kind

    def states(self) -> dict[str, state.State]:
        """Return the state of this kind."""
        return {"kept": STATES[self.kind][0]}

    def rows(self, values: Any) -> dict[str, Any]:
        """Return what was given."""
        return {"kept": values}

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """Return what is kept."""
        return {"kept": results.kept}


@pytest.mark.parametrize("kind", STATES)
def test_masked_rows_are_refused(kind: str) -> None:
    """Masked entries would count in some states and not in others: no state takes them."""
    values = np.ma.array([1, 0, 1], mask=[False, True, False], dtype=STATES[kind][1])
    for masked in (values, values.astype(np.float16 if values.dtype.kind == "f" else np.uint8)):
        metric = Kept(kind)
        with pytest.raises(TypeError, match="masked"):
            metric.add(masked)
        assert len(metric._samples().stores()[0].backlog.batches) == 0


@pytest.mark.parametrize("kind", ["count", "open count", "cat"])
def test_masked_entries_of_ragged_rows(kind: str) -> None:
    """The entries of ragged rows are rows too."""
    values = np.ma.array([1, 0, 1], mask=[False, True, False], dtype=STATES[kind][1])
    with pytest.raises(TypeError, match="masked"):
        Kept(kind).add(Ragged(values, np.array([1, 2])))


@pytest.mark.parametrize("kind", STATES)
def test_memory_maps_are_rows(kind: str, tmp_path: Path) -> None:
    """A memory-mapped array counts as the same numbers in memory do."""
    mapped = np.memmap(tmp_path / "rows", STATES[kind][1], "w+", shape=3)
    mapped[:] = [1, 0, 1]

    assert np.array_equal(Kept(kind)(mapped)["kept"], Kept(kind)(np.array(mapped))["kept"])
