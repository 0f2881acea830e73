"""`make check`: what a change can break is found by imports, and the nearest tests run."""

from pathlib import Path

import pytest

from tools.check import (
    ALWAYS,
    CASES,
    EVERY_METRIC,
    LIMIT,
    START,
    STOP,
    WORKERS,
    Graph,
    Watch,
    choose,
)

SLOT = "mmeval_like/_core/slot.py"
# A package with a list of lazy names, a metric, a table that a file names in a string, and tests.
FILES = {
    "mmeval_like/__init__.py": "from mmeval_like._base.names import lazy_names\n"
    "if TYPE_CHECKING:\n    from .metrics import *\n",
    "mmeval_like/_base/names.py": "def lazy_names(): ...\n",
    "mmeval_like/metrics/__init__.py": "from mmeval_like._base.names import lazy_names\n"
    "if TYPE_CHECKING:\n    from .mean import Mean as Mean\n    from .top import Top as Top\n",
    "mmeval_like/metrics/mean.py": "from mmeval_like._core.slot import Slot\n",
    "mmeval_like/metrics/top.py": "",
    "mmeval_like/page.py": "PAGE = 'page.html.j2'\n",
    "mmeval_like/page.html.j2": "",
    "mmeval_like/cli.py": "RUN = 'mmeval_like.page:page'\n",
    SLOT: "class Slot: ...\n",
    "tests/conftest.py": "",
    "tests/core/test_slot.py": "from mmeval_like._core.slot import Slot\n",
    "tests/metrics/test_mean.py": "import mmeval_like as mm\nmm.Mean()\n",
    "tests/metrics/test_top.py": "from mmeval_like import Top\n",
    CASES: "import pkgutil\nimport tests.metrics\npkgutil.iter_modules(tests.metrics.__path__)\n",
    "tests/metrics/__init__.py": "",
    "tests/test_all.py": "from tests.metric_cases import CASES\n",
    "tests/test_page.py": "from mmeval_like import cli\n",
    "tests/worker.py": "import mmeval_like._core.slot\n",
    "tests/test_worker.py": "PROGRAM = here.with_name('worker.py')\n",
    EVERY_METRIC: "",
}


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    """The graph of these files."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Graph(FILES, tmp_path)


def selected(changed: str, graph: Graph) -> dict[str, int]:
    """The tests that a change of one file runs, by their distance, where all take a second."""
    return choose({changed}, graph, lambda file: 1.0).tests


def test_imports_lead_to_tests(graph: Graph) -> None:
    """A test is found through what it imports, lazy names and programs; metrics are apart."""
    assert selected(SLOT, graph) == {
        "tests/core/test_slot.py": 1,
        "tests/metrics/test_mean.py": 2,
        "tests/test_worker.py": 2,
    }
    assert selected("mmeval_like/metrics/top.py", graph) == {
        "tests/metrics/test_top.py": 1,
        EVERY_METRIC: 1,
    }


def test_names_in_strings_lead_to_tests(graph: Graph) -> None:
    """A template, and a module that is loaded by its name, are used by the file that names them."""
    assert selected("mmeval_like/page.html.j2", graph) == {"tests/test_page.py": 3}
    assert selected("mmeval_like/page.py", graph)["tests/test_page.py"] <= 2


def test_settings_of_all_tests_lead_to_all_tests(graph: Graph) -> None:
    """Every test uses the conftest.py above it, and a deleted file has no tests of its own."""
    found = selected("tests/conftest.py", graph)
    assert set(found) == {file for file in FILES if Path(file).name.startswith("test_")}
    assert selected("mmeval_like/deleted.py", graph) == {}


def test_the_nearest_run_first_and_the_rest_is_named(graph: Graph) -> None:
    """Where the time is short, the nearest tests have it, and what is left out is said."""
    most = WORKERS * (LIMIT - START - STOP)
    chosen = choose({SLOT}, graph, lambda file: most if "core" in file else 1.0)
    assert list(chosen.tests) == ["tests/core/test_slot.py"]

    left_out = [file for files in chosen.left_out.values() for file in files]
    assert {"tests/metrics/test_mean.py", "tests/test_all.py"} <= set(left_out)
    assert set(left_out) & set(chosen.tests) == set()
    assert not any(file.startswith(ALWAYS) for file in (*left_out, *chosen.tests))


def test_what_the_environment_lacks_is_kept() -> None:
    """Files and tests that are skipped for a library are counted under its name."""
    watch = Watch()
    for name in ("tests/logs/test_a.py::test_b", "tests/logs/test_a.py::test_c[1]"):
        reason = (name, 1, "Skipped: needs inspect_ai")
        watch.pytest_runtest_logreport(
            pytest.TestReport(name, ("", 1, ""), {}, "skipped", reason, "call")
        )
    whole = ("", 1, "Skipped: needs torch, scipy")
    watch.pytest_collectreport(pytest.CollectReport("tests/core/test_d.py", "skipped", whole, []))
    watch.pytest_collectreport(pytest.CollectReport("tests/core/test_e.py", "passed", None, []))
    assert watch.skipped == {
        "inspect_ai": {"tests/logs/test_a.py": 2},
        "torch, scipy": {"tests/core/test_d.py": 1},
    }
