"""Engines whose worker dies: they count its block again."""

import pytest

from tests.helpers.launch import HERE, run_ranks
from tests.helpers.optional import require_installed
from tests.integrations.test_recipes import ENVIRONMENT

PROGRAM = HERE.parent / "integrations" / "killed_worker_program.py"


@pytest.mark.parametrize(
    ("engine", "packages"), [("spark", ["pyspark"]), ("ray", ["ray"]), ("daft", ["daft", "ray"])]
)
def test_a_killed_worker_and_a_task_that_runs_twice_change_nothing(engine, packages, tmp_path):
    """Where rows have ids: the value is that of one process, to the last bit."""
    require_installed(*packages, "pandas", "pyarrow")
    killed = tmp_path / "killed"

    done = run_ranks(
        "plain", 1, PROGRAM, engine, timeout=280, env=ENVIRONMENT | {"KILLED": str(killed)}
    )

    assert killed.exists()
    assert "True" in done.stdout[0].splitlines()
