"""Bundles of Beam that fail after their work, and run again."""

from __future__ import annotations

from typing import Any

import pytest

import mmeval_like as mm
from mmeval_like.testing.same import same
from tests.helpers.optional import requires

beam = requires("apache_beam")
ROWS = [{"id": row, "p": row % 3, "y": row % 2} for row in range(40)]
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
NAMED = {"predictions": "p", "labels": "y"}
CALLS: list[str] = []  # what the combiner did, in all runs of all bundles
FOUND: list[bytes] = []


class Fails(mm.integrations.BeamStates):  # type: ignore[misc,name-defined]
    """A combiner that fails once, when it has done a step.

    Beam copies it for every run of a bundle, so that only `CALLS` knows that it has failed.

    Args:
        states: How rows become a state.
        step: The step.
        time: At which time it fails: the first, the second, ...
    """

    def __init__(self, states: mm.integrations.States, step: str, time: int) -> None:
        super().__init__(states)
        self._step, self._time = step, time

    def _done(self, step: str, found: Any) -> Any:
        CALLS.append(step)
        if step == self._step and CALLS.count(step) == self._time:
            raise OSError(f"{step} fails once")
        return found

    def add_input(self, mutable_accumulator: Any, element: Any) -> Any:
        """Fail when rows of the bundle were added."""
        return self._done("add_input", super().add_input(mutable_accumulator, element))

    def compact(self, accumulator: Any) -> Any:
        """Fail when the rows of the bundle are a state."""
        return self._done("compact", super().compact(accumulator))

    def merge_accumulators(self, accumulators: Any) -> Any:
        """Fail when the states of all bundles are merged."""
        return self._done("merge_accumulators", super().merge_accumulators(accumulators))


def keep(state: bytes) -> None:
    """Keep the state that the pipeline made."""
    FOUND.append(state)


@pytest.mark.parametrize("ids", [None, "id"])
@pytest.mark.parametrize(
    ("step", "time"), [("add_input", 7), ("compact", 2), ("merge_accumulators", 1)]
)
def test_a_bundle_that_runs_again_counts_once(step: str, time: int, ids: str | None) -> None:
    """What a failed bundle did is lost: the state has the bits of one process, also without ids."""
    from apache_beam.runners.direct.direct_runner import BundleBasedDirectRunner

    CALLS.clear()
    FOUND.clear()
    states = mm.integrations.States(mm.Accuracy(), ids=ids, **NAMED)

    with beam.Pipeline(runner=BundleBasedDirectRunner()) as pipeline:
        parts = [pipeline | f"rows {part}" >> beam.Create(ROWS[part::3]) for part in range(3)]
        rows = parts | beam.Flatten()
        rows | beam.CombineGlobally(Fails(states, step, time)) | beam.Map(keep)

    without = {"add_input": len(ROWS), "compact": len(parts), "merge_accumulators": 1}
    assert CALLS.count(step) > without[step]
    (state,) = FOUND
    assert same(states.read([state]).compute(), mm.score(COLUMNS, mm.Accuracy(), ids=ids, **NAMED))
