"""Engines whose worker dies: they count its block again, or raise an error."""

import pytest

from tests.helpers.launch import HERE, run_ranks
from tests.helpers.optional import require_installed
from tests.integrations.test_recipes import ENVIRONMENT

PROGRAM = HERE.parent / "integrations" / "killed_worker_program.py"


@pytest.mark.parametrize(
    ("engine", "packages"),
    [
        ("spark", ["pyspark"]),
        ("ray", ["ray"]),
        ("daft", ["daft", "ray"]),
        ("dask", ["dask", "distributed"]),
    ],
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


@pytest.mark.parametrize("dies", [False, True])
def test_a_killed_worker_of_beam_is_an_error(dies, tmp_path):
    """Beam's local runner runs nothing again; a row that comes twice counts once on two workers."""
    require_installed("apache_beam", "pandas", "pyarrow")
    killed = tmp_path / "killed"
    if not dies:
        killed.touch()

    done = run_ranks(
        "plain", 1, PROGRAM, "beam", timeout=280, env={"KILLED": str(killed)}, check=False
    )

    assert killed.exists()
    assert (done.returncode == 0) == (not dies)
    assert ("True" in done.stdout[0].splitlines()) == (not dies)
    assert (tmp_path / "state").exists() == (not dies)
