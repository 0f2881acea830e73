"""The values of torchmetrics' classes on two ranks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.launch import run_ranks
from tests.helpers.optional import requires

requires("torch")
requires("torchmetrics")
PROGRAM = Path(__file__).with_name("ranks_program.py")


@pytest.mark.filterwarnings("ignore")
def test_two_ranks_have_the_bits_of_one() -> None:
    """With shards of six and five samples; `forward` exchanges nothing, `compute` does once."""
    from tests.compat.torchmetrics.ranks_program import run

    ranks = run_ranks("torchrun", 2, PROGRAM)
    assert ranks.returncode == 0, str(ranks)
    one = json.loads(json.dumps(run(0, 1)))
    for printed in ranks.stdout:
        assert json.loads(printed.strip().splitlines()[-1]) == one
