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

WIDTHS = [(390, "dark"), (1100, "light")]
ATTACK = "<script>document.title = 'run'</script>"
LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenhalterung"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The reports of a score and of two comparisons, by the command line."""
    folder = tmp_path_factory.mktemp("reports")
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 10, 2_000)
    zones = rng.choice([ATTACK, '"b"', "قطة", "d", "e", "f", "g", "h", LONG], 2_000)
    texts = np.array([f"{ATTACK} {LONG * 3} {i}" for i in range(2_000)])
    shared = {"labels": labels, "zone": zones, "id": np.arange(2_000), "text": texts}
    for name, share in (("old", 0.6), ("new-with-" + LONG, 0.9)):
        found = np.where(rng.random(2_000) < share, labels, rng.integers(0, 10, 2_000))
        judged = rng.normal(5 + share, 1, 2_000)
        columns = {"predictions": found, "judged": judged, "said": np.char.add(texts, name)}
        write(folder, "npz", columns | shared, name)
    old, new = str(folder / "old.npz"), str(folder / f"new-with-{LONG}.npz")
    common = ["--by", "zone", "--ids", "id", "-q", "--show", "text,said", "--report"]
    metrics = ["accuracy", "confusion_matrix:num_classes=10", "mean_squared_error"]
    metrics.append("recall:task=multiclass,num_classes=50,average=none")
    metrics.append("recall:task=multiclass,num_classes=10,average=none")
    asked = [word for metric in metrics for word in ("--metric", metric)]
    assert main(["score", new, *asked, "--interval", *common, str(folder / "score.html")]) == 0
    compared = ["compare", old, "--", new, "--metric"]
    assert main([*compared, "accuracy", *common, str(folder / "compare.html")]) == 0
    judged = ["mean:bounds=0,20", "--column", "values=judged"]
    assert main([*compared, *judged, *common, str(folder / "judged.html")]) == 0
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
    return page.eval_on_selector_all(f"#{table}-table tbody.rows tr > :nth-child({number})", script)


# What is wider than its place, or scrolls inside the page; texts for screen readers are 1 px wide.
TROUBLE = """() => {
  const found = [];
  const wide = document.documentElement.scrollWidth;
  if (wide > document.documentElement.clientWidth) found.push(`page: ${wide}`);
  for (const one of document.body.querySelectorAll("*")) {
    const style = getComputedStyle(one);
    const scrolls = [style.overflowX, style.overflowY].some((flow) => /auto|scroll/.test(flow));
    if (scrolls) found.push(`scrolls: ${one.tagName} ${one.className}`);
    if (one.closest("svg, .sr, .matrix") || !one.checkVisibility()) continue;
    const box = one.getBoundingClientRect();
    if (box.right > document.documentElement.clientWidth + 1) {
      found.push(`wide: ${one.tagName} ${one.className} ${box.right}`);
    }
  }
  return found;
}"""


@pytest.mark.parametrize(
    "opened", [("score", window) for window in WIDTHS], indirect=True, ids=["phone", "desk"]
)
def test_a_report_works_in_a_browser(opened):
    """It shows the numbers, sorts and filters, asks for nothing, and hides nothing from anyone."""
    page, heard = opened

    assert " is right on " in page.inner_text("h1")
    assert page.title().startswith(f"new-with-{LONG}: Accuracy")
    if page.viewport_size["width"] > 900:
        page.click("#slices-table thead th:nth-child(4) button")
        values = [float(cell.partition("%")[0]) for cell in column(page, "slices", 4)]
        assert values == sorted(values)
        page.click("#slices-table thead th:nth-child(4) button")
        heading = page.get_attribute("#slices-table thead th:nth-child(4)", "aria-sort")
        assert heading == "descending"
        assert [float(cell.partition("%")[0]) for cell in column(page, "slices", 4)] == values[::-1]
    page.fill("label:has(+ #slices-table) input", "قطة")
    assert page.locator("#slices-table tbody.rows tr:visible").count() == 1
    page.fill("label:has(+ #slices-table) input", "")
    for closed in page.locator("details").all():
        closed.evaluate("(one) => { one.open = true; }")
    assert page.evaluate(TROUBLE) == []
    assert [url for url in heard if not url.startswith(("file:", "data:"))] == []
    assert violations(page) == []


@pytest.mark.parametrize(
    "opened",
    [(name, window) for name in ("compare", "judged") for window in WIDTHS],
    indirect=True,
    ids=["phone", "desk", "judged-phone", "judged-desk"],
)
def test_a_comparison_works_in_a_browser(opened):
    """The same; the verdict is the heading, in words and with a sign."""
    page, heard = opened

    assert page.inner_text("h1").replace("\n", " ").startswith(f"new-with-{LONG} ")
    assert page.inner_text(".badge").split()[0] == "▲"
    assert page.locator(".sys.a, .sys.b").count() >= 2
    for closed in page.locator("details").all():
        closed.evaluate("(one) => { one.open = true; }")
    assert page.evaluate(TROUBLE) == []
    assert [url for url in heard if not url.startswith(("file:", "data:"))] == []
    assert violations(page) == []


@pytest.mark.parametrize("opened", [("score", WIDTHS[0])], indirect=True, ids=["paper"])
def test_a_report_prints_on_paper(opened):
    """In dark ink on white, though the screen is dark; without what paper cannot do."""
    page, _ = opened
    page.emulate_media(media="print")

    colour = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    assert not page.is_visible(".filter")
    page.set_viewport_size({"width": round((210 - 2 * 15) / 25.4 * 96), "height": 900})
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(TROUBLE) == []
    tallest = "Math.max(...[...document.querySelectorAll('figure')].map((f) => f.offsetHeight))"
    assert page.evaluate(tallest) < (297 - 2 * 14) / 25.4 * 96  # of a page, without its margins
    assert page.pdf(prefer_css_page_size=True)[:5] == b"%PDF-"


def violations(page):
    """What axe-core, which comes from npm within a package of PyPI, holds against a page."""
    from importlib import resources

    source = resources.files(axe).joinpath("axe.min.js").read_text("utf-8")
    found = page.evaluate(f"{source};axe.run()")
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]]
