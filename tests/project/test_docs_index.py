"""What the documentation lists is what the package has."""

import re

import pytest

from mmeval_like import metrics
from mmeval_like._base.names import Listing
from tools.metrics_index import PAGE, also_called, page, page_of, summary

NAMES = Listing(metrics.__name__)


def test_the_site_lists_every_metric() -> None:
    """Below its heading, with a link to its page and the first line of its docstring."""
    text = page().partition("\n## All metrics\n")[2].partition("\n## ")[0]

    for heading, names in NAMES.headings.items():
        section = text.partition(f"\n### {heading}\n")[2].partition("\n### ")[0]
        rows = re.findall(r"^\| \[(\w+)\]\((\w+)\.md\) \| (\S.*) \|$", section, re.MULTILINE)
        assert [name for name, *_ in rows] == [page for _, page, _ in rows] == names


def test_the_site_begins_with_the_metrics_that_people_look_for() -> None:
    """By task, each with a sentence and its other names; then all metrics; the letters last."""
    headings = re.findall(r"^## (.*)$", page(), re.MULTILINE)
    by_task = page().partition("\n## By task\n")[2].partition("\n## ")[0]

    assert headings == ["By task", "All metrics", "Letters in formulas", "How this page is made"]
    for name, others in also_called().items():
        row = f"| [{name}]({name}.md) | {summary(name)} *Also called {', '.join(others)}.* |"
        assert row in by_task.splitlines()


def test_every_metric_has_a_heading() -> None:
    """The list in `metrics/__init__.py` has no metric above its first heading, and none twice."""
    listed = [name for names in NAMES.headings.values() for name in names]

    assert sorted(listed) == sorted(NAMES.modules)


@pytest.mark.parametrize("name", NAMES.modules)
def test_page_names_its_metric(name: str) -> None:
    """A metric may have a page, and the page says the metric's name."""
    own = PAGE.parent / page_of(name)

    assert not own.exists() or name in own.read_text()


def test_pages_are_those_of_metrics() -> None:
    """There is no page of something that is no metric, but for the lists of all of them."""
    lists = {PAGE.name, "bounds.md", "intervals.md"}
    pages = {file.name for file in PAGE.parent.glob("*.md")} - lists

    assert pages <= {page_of(name) for name in metrics.__all__}


@pytest.mark.parametrize("library", ["torchmetrics", "evaluate"])
def test_migration_tables_name_what_exists(library: str) -> None:
    """What a page of migration calls ours can be imported."""
    text = (PAGE.parents[1] / f"from-{library}.md").read_text()
    table = text.partition(f"| {library} | here | remarks |")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| `")]

    names = {name for row in rows for name in re.findall(r"`(\w+)[(`]", row[2])}
    assert names - set(metrics.__all__) == set()
    assert len(names) > 10


@pytest.mark.parametrize("name", ["mpi4py", "torch", "zmq", "oneflow", "paddle"])
def test_native_is_native(name: str) -> None:
    """The table of the collectives calls native what the backend's folder defines."""
    root = PAGE.parents[2]
    backends = root / "mmeval_like" / "backends"
    files = [*backends.glob(f"{name}.py"), *backends.glob(f"{name}/*.py")]
    source = "".join(file.read_text() for file in files)
    text = (root / "docs" / "dist.md").read_text()
    table = text.partition("## Native or built")[2].partition("\n## ")[0]
    head, *rows = [line.split("|") for line in table.splitlines() if line.startswith("| ")]
    native = {row[1].strip(): row[head.index(f" {name} ")].strip() == "native" for row in rows}

    assert native["gather, scatter"] == ("def gather_bytes(" in source)
    assert native["reduce_scatter"] == ("def reduce_scatter_flat(" in source)
