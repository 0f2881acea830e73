"""The report in a real browser: numbers, sorting, no error, no network, nothing inaccessible."""

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.cli.files import write
from tests.helpers import require_installed, requires
from tests.helpers.browser import find_browser

require_installed("matplotlib", "jinja2", "browser")
playwright = requires("playwright.sync_api")
axe = requires("axe_playwright_python")

WIDTHS = [(390, "dark"), (1280, "light")]
ATTACK = "<script>document.title = 'run'</script>"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The reports of a score and of a comparison, by the command line."""
    folder = tmp_path_factory.mktemp("reports")
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 10, 400)
    zones = rng.choice([ATTACK, '"b"', "قطة", "d", "e", "f", "g"], 400)
    for name, share in (("old", 0.6), ("new", 0.9)):
        found = np.where(rng.random(400) < share, labels, rng.integers(0, 10, 400))
        columns = {"predictions": found, "labels": labels, "zone": zones, "id": np.arange(400)}
        write(folder, "npz", columns, name)
    old, new = str(folder / "old.npz"), str(folder / "new.npz")
    common = ["--by", "zone", "--ids", "id", "-q", "--report"]
    metrics = ["accuracy", "confusion_matrix:num_classes=10"]
    metrics.append("recall:task=multiclass,num_classes=50,average=none")  # a tall picture
    asked = [word for metric in metrics for word in ("--metric", metric)]
    assert main(["score", new, *asked, "--interval", *common, str(folder / "score.html")]) == 0
    compared = ["compare", old, "--", new, "--metric", "accuracy"]
    assert main([*compared, *common, str(folder / "compare.html")]) == 0
    return folder


@pytest.fixture(scope="module")
def browser():
    """One browser for all tests."""
    with playwright.sync_playwright() as driver:
        # Without its own sandbox, which root cannot have; the pages are the tests' own.
        found = driver.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def opened(browser, pages, request):
    """A page in a window of a width, in a colour scheme; and what it said and asked for."""
    name, (width, scheme) = request.param
    window = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
    )
    page = window.new_page()
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("request", lambda asked: heard.append(asked.url))
    page.goto((pages / f"{name}.html").as_uri())
    yield page, heard
    window.close()


def column(page, table, number):
    """The texts of a column."""
    script = "(cells) => cells.map((cell) => cell.textContent)"
    return page.eval_on_selector_all(f"#{table}-table tbody tr > :nth-child({number})", script)


@pytest.mark.parametrize(
    "opened", [("score", window) for window in WIDTHS], indirect=True, ids=["phone", "desk"]
)
def test_a_report_works_in_a_browser(opened):
    """It shows the numbers, sorts and filters, asks for nothing, and hides nothing from anyone."""
    page, heard = opened

    assert "accuracy top1" in column(page, "result", 1)
    assert page.title() == "Evaluation"
    page.click("#slices-table thead th:nth-child(3) button")
    values = [float(cell.split()[0]) for cell in column(page, "slices", 3)]
    assert values == sorted(values)
    page.click("#slices-table thead th:nth-child(3) button")
    assert page.get_attribute("#slices-table thead th:nth-child(3)", "aria-sort") == "descending"
    assert [float(cell.split()[0]) for cell in column(page, "slices", 3)] == values[::-1]
    page.fill("section:has(#slices-table) input", "قطة")
    assert page.locator("#slices-table tbody tr:visible").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert [url for url in heard if not url.startswith(("file:", "data:"))] == []
    assert violations(page) == []


@pytest.mark.parametrize(
    "opened", [("compare", window) for window in WIDTHS], indirect=True, ids=["phone", "desk"]
)
def test_a_comparison_works_in_a_browser(opened):
    """The same; which system is better is said in words."""
    page, heard = opened

    assert "all: Accuracy top1: B is better" in page.inner_text(".verdicts")
    page.click("#compared-table thead th:nth-child(3) button")
    values = [float(cell) for cell in column(page, "compared", 3)]
    assert values == sorted(values)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert [url for url in heard if not url.startswith(("file:", "data:"))] == []
    assert violations(page) == []


@pytest.mark.parametrize("opened", [("score", WIDTHS[0])], indirect=True, ids=["paper"])
def test_a_report_prints_on_paper(opened):
    """In dark ink on white, though the screen is dark; without what paper cannot do."""
    page, _ = opened
    page.emulate_media(media="print")

    colour = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    assert not page.is_visible("nav")
    page.set_viewport_size({"width": round((210 - 2 * 16) / 25.4 * 96), "height": 900})
    tallest = "Math.max(...[...document.querySelectorAll('figure')].map((f) => f.offsetHeight))"
    assert page.evaluate(tallest) < (297 - 2 * 16) / 25.4 * 96  # of a page, without its margins
    assert page.pdf(prefer_css_page_size=True)[:5] == b"%PDF-"


def violations(page):
    """What axe-core, which comes from npm within a package of PyPI, holds against a page."""
    from importlib import resources

    source = resources.files(axe).joinpath("axe.min.js").read_text("utf-8")
    found = page.evaluate(f"{source};axe.run()")
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]]
