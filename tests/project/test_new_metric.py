"""Who adds a metric writes seven files at most, as CONTRIBUTING.md lists them."""

import re
from collections.abc import Iterator
from pathlib import Path

from mmeval_like import metrics
from mmeval_like._base.names import Listing

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("benchmarks", "docs", "examples", "mmeval_like", "tests", "tools")
KINDS = {".css", ".js", ".json", ".md", ".py", ".pyi", ".sh", ".txt"}

OWN = (
    "mmeval_like/metrics/<family>/<name>.py",
    "mmeval_like/metrics/<family>/__init__.py",
    "tests/metrics/test_<name>.py",
    "docs/metrics/<name>.md",
)
LISTS = {
    "CHANGELOG.md",
    "docs/coverage.md",
    "mmeval_like/metrics/__init__.pyi",  # written by `python -m tools.generated`
}
# A release writes these: `make bench`, `make matrix` and `python -m tools.public_names`.
RELEASED = {
    "docs/benchmarks.md",
    "docs/support-matrix.md",
    "tests/project/public_names.json",
}


def files() -> Iterator[Path]:
    """The project's text files, without those that git ignores."""
    yield from (file for file in ROOT.iterdir() if file.suffix in KINDS)
    for folder in FOLDERS:
        yield from (file for file in (ROOT / folder).rglob("*") if file.suffix in KINDS)


def test_no_other_file_lists_the_metrics() -> None:
    """A file that names three quarters of all metrics is one that a new metric has to be put in."""
    names = {*metrics.__all__}
    found = {
        file.relative_to(ROOT).as_posix()
        for file in files()
        if len(names & {*re.findall(r"\w+", file.read_text())}) > 0.75 * len(names)
    }

    assert found - RELEASED == LISTS
    assert len(OWN) + len(LISTS) <= 7


def test_the_changelog_names_every_metric() -> None:
    """In the line for its kind: the heading that it has in `metrics/<family>/__init__.py`."""
    text = (ROOT / "CHANGELOG.md").read_text()
    missing = []
    for kind, names in Listing(metrics.__name__).headings.items():
        lines = re.findall(rf"^- {kind}: (.*)$", text, re.MULTILINE)
        named = {*re.findall(r"`(\w+)`", " ".join(lines))}
        missing += [f"{name} in the line {kind}" for name in names if name not in named]

    assert missing == []


def test_the_guide_names_these_files() -> None:
    """And one command, which writes the stub and runs the tests."""
    guide = (ROOT / "CONTRIBUTING.md").read_text().partition("## Add a metric")[2]
    guide = guide.partition("\n## ")[0]
    commands = re.findall(r"^\.venvs/.*$", guide, re.MULTILINE)

    assert [file for file in (*OWN, *LISTS) if f"`{file}`" not in guide] == []
    assert commands == [".venvs/dev/bin/python -m tools.generated --test <name>"]
