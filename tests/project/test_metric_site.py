"""The site has a page of every metric; the page is complete, runs, and links to what exists."""

import inspect
import posixpath
import re
from pathlib import Path

import pytest

from mmeval_like import BaseMetric, metrics
from mmeval_like._base.names import Listing
from tests.helpers import require_installed, requires
from tests.project.test_docs import FENCE, LINK, ROOT, Block, run_doctest
from tools.families import Section, families, family_of, read
from tools.metric_pages import example, page
from tools.site import TREES, outside, page_of_group, pages, write

LISTING = Listing(metrics.__name__)
COMMON = {*inspect.signature(BaseMetric).parameters, "options"}
Site = dict[str, str]


@pytest.fixture(scope="module")
def site() -> Site:
    """The text of every page of the site, by its name."""
    return pages()


@pytest.mark.parametrize("name", metrics.__all__)
def test_every_metric_has_a_complete_page(site: Site, name: str) -> None:
    """Title, formula, example, arguments, errors, names elsewhere, and what people wrote of it."""
    text = site[f"metrics/{name}.md"]
    docstring = inspect.getdoc(getattr(metrics, name)) or ""
    headings = re.findall(r"^## (.*)$", FENCE.sub("", text), re.MULTILINE)

    assert re.findall(r"^# (.*)$", FENCE.sub("", text), re.MULTILINE) == [name]
    assert re.match(r"[\w`*\[]", text.split("\n\n")[1]), "begin with a sentence"
    assert ("<math" in text) == ("\nFormula:\n" in docstring)
    assert ("Errors of the constructor" in headings) == ("\nRaises:\n" in docstring)
    taken = {*inspect.signature(getattr(metrics, name)).parameters} - COMMON
    assert {argument for argument in taken if f"- `{argument}`: " not in text} == set()
    assert "In other libraries" in headings
    assert "Example" in headings or "Worked example" in headings
    assert re.search(rf"\b{name}\(", text)
    assert len({*headings}) == len(headings), "links to the second one would lead to the first"


@pytest.mark.parametrize("name", metrics.__all__)
def test_every_metric_is_worked_by_hand(name: str) -> None:
    """In words or numbers beside a computation, or as a comment of the docstring's example."""
    by_hand = [part for part in family_of(name).about(name) if part.heading != "Plot"]
    worked = [part for part in by_hand if part.works(name)]
    (_, code) = example(name, inspect.getdoc(getattr(metrics, name)) or "")

    assert worked or "  # " in code, f"say in {family_of(name).file} how its numbers come about"


@pytest.mark.parametrize(
    "name", [name for name in metrics.__all__ if len(family_of(name).names) > 1]
)
def test_a_page_runs_by_itself(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if it has only some sections of what people wrote of several metrics."""
    monkeypatch.chdir(tmp_path)
    needed = re.findall(r"ModuleNotFoundError: (\w+) is not", getattr(metrics, name).__doc__ or "")
    require_installed(*needed)
    names: dict[str, object] = {"__name__": "__main__"}
    for language, options, code in FENCE.findall(page(name)):
        if wanted := re.search(r"requires=(\S+)", options):
            require_installed(*wanted[1].split(","))
        if language == "python":
            run_doctest(Block(language, options, code, 1), names, f"the page of {name}")
    if "matplotlib" in page(name):
        requires("matplotlib.pyplot").close("all")


def test_no_link_leads_nowhere(site: Site) -> None:
    """To a page, to a heading of it, or to a file beside docs."""
    for name, text in site.items():
        for target, anchor in LINK.findall(FENCE.sub("", text)):
            if "://" in target:
                continue
            there = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            there = there if target else name
            if there not in site:
                assert (ROOT / "docs" / there).exists(), f"{name} links to {target}"
            elif anchor:
                sections = re.findall(r"^#+ (.*)$", FENCE.sub("", site[there]), re.MULTILINE)
                assert anchor in {Section(heading, "").anchor for heading in sections}, (
                    name,
                    anchor,
                )


def test_links_that_name_a_metric_lead_to_its_page(site: Site) -> None:
    """In every list: of all metrics, of the API, of intervals, of other libraries' names."""
    for name in metrics.__all__:
        file = re.escape(f"{name}.md")
        assert re.search(rf"\[{name}\]\({file}\)", site["metrics/README.md"])
        assert re.search(rf"\[`{name}`\]\({file}\)", site["metrics/intervals.md"])
        assert re.search(rf"\[`{name}`\]\(metrics/{file}\)", site["api.md"])
    assert "[Recall](metrics/Recall.md)" in site["plots.md"]
    assert "[DETCurve](metrics/DETCurve.md)" in site["plots.md"]


def test_the_sidebar_has_every_page_once(site: Site) -> None:
    """A metric stands below its group, and a guide too."""
    listed = {name: below(site, name) for name in site}
    once = [page for found in listed.values() for page in found]

    assert sorted([*once, "index.md"]) == sorted(site)
    for group, names in LISTING.headings.items():
        if names:
            found = listed[f"{page_of_group(group)}.md"]
            assert [page for page in found if page[8].isupper()] == [
                f"metrics/{name}.md" for name in names
            ]


def test_every_page_is_in_one_tier(site: Site) -> None:
    """To start with, for trust, for reference; what tests and benchmarks measured; the Chinese."""
    tiers = sidebar(site)
    listed = [page for pages in tiers.values() for page in pages]
    written = [page for page in site if not page.startswith(("metrics/", "groups/"))]

    assert [*tiers] == ["Start", "Trust", "Reference", "Evidence", "中文"]
    assert len(listed) == len({*listed})
    assert {f"{page}.md" for page in listed} == {*written, "metrics/README.md"} - {"index.md"}
    assert [page for page in listed if page.startswith("zh/")] == tiers["中文"]


def test_pages_that_a_command_writes_are_evidence(site: Site) -> None:
    """What `make bench`, `make matrix` and `make intervals` write is kept apart from the guides."""
    writes = re.compile(r"`make (bench|intervals|matrix)`\s+writes|Written by `make bench`")
    written = {page for page, text in site.items() if writes.search(text)}

    assert written == {f"{page}.md" for page in sidebar(site)["Evidence"]}


def test_titles_in_the_sidebar_are_nouns(site: Site) -> None:
    """None is a question, an instruction or a title with a subtitle; none has an article first."""
    titles = {page: text.partition("# ")[2].partition("\n")[0] for page, text in site.items()}
    verbal = re.compile(r"(How|What|Which|From|The|\w+ing (a|an|the))\b|Installing|.*[:?]")

    assert {page: title for page, title in titles.items() if verbal.match(title)} == {}


def sidebar(site: Site) -> dict[str, list[str]]:
    """The pages below each caption of the sidebar."""
    captions = re.findall(r"^:caption: (.*)$", site["index.md"], re.MULTILINE)
    return dict(zip(captions, map(str.split, TREES.findall(site["index.md"])), strict=True))


def below(site: Site, name: str) -> list[str]:
    """The pages that stand below a page in the sidebar."""
    entries = "\n".join(TREES.findall(site[name])).split("\n")
    targets = [re.sub(r".*<(.*)>", r"\1", entry).removesuffix(".md") for entry in entries if entry]
    folder = posixpath.dirname(name)
    return [f"{posixpath.normpath(posixpath.join(folder, target))}.md" for target in targets]


def test_no_two_pages_differ_by_case_alone(site: Site) -> None:
    """Not every disk would keep both."""
    assert len({name.lower() for name in site}) == len(site)


def test_what_people_wrote_is_on_some_page() -> None:
    """No section of docs/metrics is lost: it stands on a guide or on the page of a metric."""
    for family in families().values():
        shown = [part for name in family.names for part in family.about(name)]
        assert family.is_guide or {*family.sections} == {*shown}


def test_a_section_is_about_the_metrics_that_it_names(tmp_path: Path) -> None:
    """And about all where it names none; a heading in code is none."""
    (tmp_path / "a.md").write_text(
        "# Sum, Max\n\nBoth.\n\n## Sums\n\n`Sum` adds.\n\n```python\n## no heading\n```\n\n"
        "## State\n\nOne.\n"
    )
    family = read(tmp_path / "a.md", ["Sum", "Max"])

    assert family.title == "Sum, Max"
    assert [part.heading for part in family.about("Sum")] == ["", "Sums", "State"]
    assert [part.heading for part in family.about("Max")] == ["", "State"]


def test_links_to_files_beside_docs_start_from_the_sites_folder(tmp_path: Path) -> None:
    """Wherever that is."""
    folder = ROOT / "build" / "some"

    text = outside("[a](../../examples/demo.py) [b](../how-sure.md)", "metrics/some.md", folder)

    assert text == "[a](../../../examples/demo.py) [b](../how-sure.md)"


def test_pages_that_stay_the_same_are_not_written_again(site: Site, tmp_path: Path) -> None:
    """So that little of the site is made anew; what is no page any more goes."""
    write(tmp_path)
    kept = tmp_path / "metrics" / "Recall.md"
    before = kept.stat().st_mtime_ns
    (tmp_path / "metrics" / "old.md").write_text("old")

    write(tmp_path)

    assert kept.stat().st_mtime_ns == before
    assert {file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*.md")} == {*site}
