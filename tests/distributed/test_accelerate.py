"""Hugging Face accelerate's loaders, in real processes."""

import json
from pathlib import Path

import pytest

from tests.helpers.launch import run_ranks
from tests.helpers.optional import require_installed

PROGRAM = Path(__file__).with_name("accelerate_program.py")


@pytest.mark.parametrize("ranks", [2, 3])
def test_size_is_right_or_an_error_and_ids_are_right(ranks):
    """Loaders that every rank reads, and loaders whose batches rank 0 deals."""
    require_installed("accelerate", "torch")

    done = run_ranks("plain", ranks, PROGRAM, timeout=120)

    for text in done.stdout:
        found = json.loads(text.splitlines()[-1])
        assert found == json.loads(done.stdout[0].splitlines()[-1])
        for dispatched in (False, True):
            by_size, by_ids = found[f"{dispatched} False"], found[f"{dispatched} True"]
            assert set(by_ids) == {True}
            assert set(by_size) <= {True, "mm.Indexed(dataset)"}
            assert True in by_size
        assert "mm.Indexed(dataset)" in found["False False"]
