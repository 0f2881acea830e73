"""Every metric has its formula, which the site typesets, and its names in other libraries."""

import inspect
import re
from xml.etree import ElementTree

import pytest

from mmeval_like import metrics
from tests.helpers import require_installed, requires
from tests.helpers.browser import find_browser
from tools.families import family_of
from tools.formulas import formulas, mathml, unexplained
from tools.metric_pages import ALWAYS, elsewhere, in_terminal, names_elsewhere, page
from tools.metrics_index import PAGE, letters, page_of

# One returns the values that it was given, the other one makes metrics of other classes.
WITHOUT_NUMBER = {"Cat", "PrecisionRecallF1score"}

# Which way is better follows from an option; or one of their values is better if it is lower.
BOTH = {"PermutationInvariantTraining", "IntervalScore"}


def formulas_of(name: str) -> list[str]:
    """The formulas of a metric."""
    return formulas(inspect.getdoc(getattr(metrics, name)) or "")


@pytest.mark.parametrize("name", metrics.__all__)
def test_every_metric_has_its_formula_on_a_page(name: str) -> None:
    """The docstring has a section `Formula`, in plain text that can be typeset; a page shows it."""
    found = formulas_of(name)

    assert bool(found) == (name not in WITHOUT_NUMBER), f"{name} needs a section `Formula:`"
    assert all("=" in formula and len(formula) < 93 for formula in found)
    for formula in found:
        ElementTree.fromstring(mathml(formula))
    own = PAGE.parent / page_of(name)
    assert own.exists(), f"write {own.name}: an example by hand, and what goes wrong"
    assert name in family_of(name).names


def test_every_name_in_a_formula_is_explained() -> None:
    """By another formula of the metric, by its docstring, or in the table of letters."""
    left = {}
    for name in metrics.__all__:
        docstring = inspect.getdoc(getattr(metrics, name)) or ""
        before, _, after = docstring.partition("\nFormula:\n")
        text = f"{letters()} {before} {after.partition(chr(10) * 2)[2]}"
        left[name] = unexplained(formulas_of(name), text)

    assert {name: parts for name, parts in left.items() if parts} == {}


@pytest.mark.parametrize("name", metrics.__all__)
def test_every_metric_says_which_way_is_better(name: str) -> None:
    """The docstring says it in words, and gates read it from the attribute: both say the same."""
    text = " ".join((inspect.getdoc(getattr(metrics, name)) or "").split()).lower()
    higher = getattr(getattr(metrics, name), "higher_is_better", None)

    assert higher is not True or re.search(r"higher( [a-z ]+)? is better", text)
    assert higher is not False or "lower is better" in text
    assert higher is None or name in BOTH or ("lower is better" in text) != bool(higher)


def test_every_metric_says_what_other_libraries_call_it() -> None:
    """Also where they do not have it."""
    for name in metrics.__all__:
        rows = [line.split("|")[1:3] for line in elsewhere(name).splitlines()[2:]]
        table = {library.strip(): theirs.strip() for library, theirs in rows}

        assert {*ALWAYS} <= {*table}
        assert all(theirs == "none" or theirs.startswith("`") for theirs in table.values())


def test_names_and_differences_are_those_of_the_tables() -> None:
    """One metric of the three tables: its names, and where it differs."""
    assert names_elsewhere("ROC")["scikit-learn"] == ["roc_curve"]
    assert names_elsewhere("RankBiasedPrecision")["torchmetrics"] == []
    text = elsewhere("AveragePrecision")
    assert "a percentage unless `percent=False`" in text
    assert "](../from-mmeval.md#classification)" in text


def shown(formula: str) -> str:
    """A typeset formula in another plain form: quotients as ⟨above|below⟩, scripts in braces."""
    return read(ElementTree.fromstring(mathml(formula)))


def read(element: ElementTree.Element) -> str:
    """The text of an element, with marks for what MathML shows by its place."""
    parts = [read(child) for child in element]
    marks = {"mfrac": "⟨{}|{}⟩", "msub": "{}_{{{}}}", "msup": "{}^{{{}}}", "msqrt": "√{{{}}}"}
    marks |= {
        "msubsup": "{}_{{{}}}^{{{}}}",
        "munder": "{}_{{{}}}",
        "munderover": "{}_{{{}}}^{{{}}}",
    }
    marks |= {"mover": "{}^{{{}}}"}
    return (
        marks[element.tag].format(*parts)
        if element.tag in marks
        else (element.text or "") + "".join(parts)
    )


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("p = a b / c d", "p=⟨ab|c⟩d"),
        ("p = TP / (TP + FP)", "p=⟨TP|TP+FP⟩"),
        ("x = a + (b + c) (d) / e", "x=a+⟨(b+c)(d)|e⟩"),
        ("u = H(p given y) / H(p)", "u=⟨H(pgiveny)|H(p)⟩"),
        ("x = 1/2 |a| + |b - c|^2", "x=⟨1|2⟩|a|+|b−c|^{2}"),
        ("m = max_(i != j) d_(i j)", "m=max_{i≠j}d_{ij}"),
        ("m = max(a, b)^2 / c", "m=⟨max(a,b)^{2}|c⟩"),
        ("s = sum_(i = 1)^N w_i / N", "s=∑_{i=1}^{N}⟨w_{i}|N⟩"),
        ("r = sqrt(sigma^2 / n)", "r=√{⟨σ^{2}|n⟩}"),
        ("a = [y = c] * bar x", "a=[y=c]·x"),
        ("l = log_10 (a) u' ^+", "l=log_{10}(a)u′^{+}"),
    ],
)
def test_formulas_are_read_as_people_read_them(formula: str, expected: str) -> None:
    """Quotients, calls, brackets, bars, indices, powers, sums and Greek letters."""
    assert shown(formula) == expected


def test_a_mean_has_a_line_above() -> None:
    """Of the letter alone."""
    assert mathml("bar x").count("border-top") == 1


@pytest.mark.parametrize("formula", ["a = (b", "a = b)", "a = b /", "a = x_", "a = |b", "a = #"])
def test_what_is_no_formula_is_refused(formula: str) -> None:
    """And not typeset somehow."""
    with pytest.raises(ValueError, match=r"expected|cannot begin"):
        mathml(formula)


def test_a_browser_typesets_the_formulas_by_itself() -> None:
    """Without a network or a script: what is divided stands above what divides, on any screen."""
    require_installed("browser")
    playwright = requires("playwright.sync_api")
    rows = [
        f"<p>{mathml(formula)}</p>" for name in metrics.__all__ for formula in formulas_of(name)
    ]
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        page = browser.new_context(offline=True).new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.set_content("<!doctype html><meta charset='utf-8'>" + "".join(rows))
        boxes = "(all) => all.map((one) => [...one.children].map((c) => c.getBoundingClientRect()))"
        fractions = page.eval_on_selector_all("mfrac", boxes)
        browser.close()

    assert asked == []
    assert len(fractions) > 200
    assert all(above["bottom"] <= below["bottom"] - 3 for above, below in fractions)


@pytest.mark.parametrize("name", ["MinkowskiDistance", "AUROC"])
def test_a_page_in_a_terminal_has_no_markup(name: str) -> None:
    """Its formulas are those of the docstring, in plain text."""
    shown = in_terminal(page(name))

    assert "<math" not in shown
    assert all(f"    {line}" in shown for line in formulas_of(name))


def test_arguments_follow_the_first_example():
    """A reader of FBetaScore's page meets F1, an example, the arguments, then the averages."""
    text = page("FBetaScore")
    places = [text.index(f"\n## {name}\n") for name in (
        "Example", "Arguments of the constructor", "Result of `compute`", "Averages"
    )]  # fmt: skip
    assert places == sorted(places)
    assert text.partition("## Example")[0].count("F1") == 1
    [row] = [line for line in text.splitlines() if line.startswith("| torchmetrics |")]
    assert row.count("the default is") + row.count("The default is") == 1
