"""The project's own files agree with each other: environments and versions."""

import ast
import configparser
import re
from pathlib import Path

import pytest

import mmeval_like

ROOT = Path(__file__).resolve().parents[2]


def nox_environments() -> dict[str, str]:
    """The rows of noxfile.py that test or lint, each with its Python; the file is not run."""
    tree = ast.parse((ROOT / "noxfile.py").read_text())
    assigned = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    matrix = assigned["MATRIX"]
    assert isinstance(matrix, ast.Dict)
    rows = {
        ast.literal_eval(key): value
        for key, value in zip(matrix.keys, matrix.values, strict=True)
        if key
    }
    rows["lint"] = assigned["LINT"]
    found = {}
    for name, row in rows.items():
        assert isinstance(row, ast.Call)
        found[name] = ast.literal_eval(row.args[0])
    return found | {"coverage": found["newest"]}


def test_the_workflow_has_a_job_for_every_environment() -> None:
    """No row of noxfile.py is forgotten, and each job has the row's Python."""
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    jobs = dict(re.findall(r"- \{environment: (\w+), python: \"([\d.]+)\"\}", workflow))

    assert jobs == nox_environments()


def test_files_with_tests_of_mpi_name_the_mark(request: pytest.FixtureRequest) -> None:
    """The row `openmpi` collects the files whose text has the mark, and so misses no test."""
    files = {item.path for item in request.session.items if item.get_closest_marker("mpi")}

    assert [file for file in files if "mark.mpi" not in file.read_text()] == []


@pytest.mark.parametrize("tool", ["ruff", "mypy"])
def test_linters_have_one_version(tool: str) -> None:
    """The hooks before a commit are those of `make lint`."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    required = dict(
        line.split("==") for line in setup["options.extras_require"]["lint"].split() if "==" in line
    )
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()

    assert re.findall(rf"repo: \S+{tool}\S*\n\s+rev: v(\S+)", hooks) == [required[tool]]


def test_the_citation_has_the_version() -> None:
    """A citation names the version that it is found with."""
    text = (ROOT / "CITATION.cff").read_text()

    assert re.findall(r"^version: (\S+)$", text, re.MULTILINE) == [mmeval_like.__version__]


def test_the_readme_opens_with_the_two_commands() -> None:
    """Who has a checkout sees first how to run the main job, and how to test."""
    first = (ROOT / "README.md").read_text().partition("```sh\n")
    commands = [line.split("  ")[0] for line in first[2].partition("```")[0].splitlines()]

    assert first[0].split() == ["#", "mmeval_like"]
    assert commands == ["make demo", "make test"]


def test_the_conda_recipe_has_the_version() -> None:
    """The recipe builds the version that the package says it is, with what the package requires."""
    text = (ROOT / "recipe" / "recipe.yaml").read_text()
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    required = setup["options"]["install_requires"].split()

    assert re.findall(r"^  version: \"(.+)\"$", text, re.MULTILINE) == [mmeval_like.__version__]
    run = text.partition("  run:\n")[2].partition("\n\n")[0]
    found = [line.removeprefix("    - ").replace(" ", "") for line in run.splitlines()]
    assert found == [f"python{setup['options']['python_requires']}", *required]
