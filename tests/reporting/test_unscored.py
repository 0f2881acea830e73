"""Reports of results with samples that have no score: the page says all of the account."""

import html
import re

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from mmeval_like.reporting.page import page
from mmeval_like.reporting.study import Study
from tests.cli.files import write
from tests.helpers import require_installed, requires
from tests.helpers.browser import find_browser

requires("matplotlib")
requires("jinja2")

COUNT = 120
RNG = np.random.default_rng(0)
LABELS = np.arange(COUNT) % 3
DAYS = [("mon", "tue", "wed")[at % 3] for at in range(COUNT)]
ATTACK = "<script>alert(1)</script>"


def system(share, lost):
    """Predictions of a system, and why samples have none: `lost` are the reasons by sample."""
    right = RNG.random(COUNT) < share
    predictions = np.where(right, LABELS, (LABELS + 1) % 3).tolist()
    reasons = [lost.get(at) for at in range(COUNT)]
    return [None if why else one for one, why in zip(predictions, reasons, strict=True)], reasons


OLD = system(0.6, {3: "timeout", 4: "error", 5: "error"})
NEW = system(0.8, {5: "error", 6: "error", 7: ATTACK, 21: "error"})


def texts(text):
    """What a page says, as lines without tags."""
    body = text[text.index("<body") : text.index("</main>")]
    lines = re.sub(r"</(?:p|h\d|li|dt|dd|td|th|tr)>", "\n", body)
    return html.unescape(re.sub(r"<[^>]*>", "", lines))


def scored(rule, **options):
    """A metric of the new system by day."""
    metric = mm.Sliced(mm.Accuracy(unscored=rule, **options), by="day")
    metric.add(NEW[0], LABELS, unscored=NEW[1], by={"day": DAYS})
    return metric


@pytest.mark.parametrize("rule", ["drop", "bounds", 0])
@pytest.mark.filterwarnings("ignore:.*the others do not count", "ignore:intervals that promise")
def test_a_score_says_all_of_its_account(rule):
    """Planned, scored, reasons, rule and bounds, at the head and for every slice; no code runs."""
    metric = scored(rule, interval=0.95)
    result = metric.compute()
    text = page(metric, result)
    said = texts(text)

    of = "116 samples with a score" if rule in ("drop", "bounds") else "120 samples"
    assert f" of {of} are right" in said
    reasons = f"1 {ATTACK}, 3 error"
    assert f"116 of 120 samples have a score; the others do not: {reasons}." in said
    assert ("Each of these counts as 0." in said) == (rule == 0)
    assert ("These samples do not count." in said) == (rule != 0)
    assert f"120 planned, 116 with a score; without a score: {reasons}" in said
    assert "<script>alert" not in text
    for name, account in result.accounts.items():
        called = "All" if name == "all" else name.partition("=")[2]
        line = ", ".join(f"{count} {why}" for why, count in account.unscored.items())
        if rule == "bounds" and line:
            worst, best = sorted(account.bounds["top1"])
            line += f"; {100 * worst:.1f}% to {100 * best:.1f}%"
        assert (f"{called}: {line}\n" in said) == bool(account.unscored)
        assert f"{account.scored} of {account.planned}\n" in said
    least, most = sorted(result.accounts["all"].bounds.get("top1", (0, 0)))
    between = f"the accuracy lies between {100 * least:.1f}% and {100 * most:.1f}%"
    assert (between in said) == (rule == "bounds")
    assert ('opacity=".4"' in text) == (rule == "bounds")


@pytest.mark.parametrize("rule", ["drop", "bounds", 0])
@pytest.mark.filterwarnings("ignore:.*the others do not count", "ignore:intervals that promise")
def test_a_comparison_says_on_which_side_scores_are_missing(rule):
    """In both systems, only in one, in neither; by the names of the systems."""
    pair = mm.Paired(mm.Sliced(mm.Accuracy(unscored=rule), by="day"))
    for side, (predictions, reasons) in ((pair.a, OLD), (pair.b, NEW)):
        side.add(predictions, LABELS, ids=range(COUNT), by={"day": DAYS}, unscored=reasons)
    result = pair.compute()
    said = texts(page(pair, result, study=Study(names=("old", "<new>"))))

    assert (
        "114 of 120 samples have a score in both systems, 3 only in old, 2 only in <new>, "
        "1 in neither." in said
    )
    both = "114 samples with a score in both" if rule else "120 samples"
    assert f"over the same {both} (" in said
    for reason, count in result.unscored.items():
        assert f"{count} ({reason})" in said
    if rule == "bounds":
        least, most = (100 * end for end in sorted(result.bounds["top1_difference"]))
        assert f"the difference lies between {least:+.1f} and {most:+.1f} points." in said
    for which, account in result.accounts.items():
        assert f"{account.scored} of {account.planned}\n" in said, which


def test_values_of_classes_have_their_possible_values():
    """Below the table of classes; bars are lighter there."""
    metric = mm.Recall(task="multiclass", num_classes=3, average=None, unscored="bounds")
    metric.add(NEW[0], LABELS, unscored=NEW[1])
    result = metric.compute()
    text = page(metric, result)

    for name, ends in enumerate(zip(*result.bounds["recall_classwise"], strict=True)):
        least, most = sorted(ends)
        assert f"{name}: {least:.3f} to {most:.3f}\n" in texts(text)
    assert text.count('class="ft" opacity=".4"') == 3


@pytest.mark.filterwarnings("ignore:.*no samples were added", "ignore:.*the others do not count")
def test_a_slice_without_any_score_is_the_last_and_not_the_weakest():
    """Its value is undefined, and it does not decide the order of the others."""
    metric = mm.Sliced(mm.Accuracy(unscored="drop"), by="day")
    reasons = ["error" if day == "tue" else None for day in DAYS]
    metric.add(
        NEW[0],
        LABELS,
        by={"day": DAYS},
        unscored=[a or b for a, b in zip(reasons, NEW[1], strict=True)],
    )
    said = texts(page(metric, metric.compute()))

    rows = re.findall(r"^(mon|tue|wed)$", said, re.MULTILINE)
    assert rows[-1] == "tue"
    assert "Where is it weakest?\ntue" not in said


@pytest.mark.parametrize("rule", ["drop", 0])
def test_without_such_samples_the_page_stays_as_it_was(rule, monkeypatch):
    """The option alone changes no byte of a page."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795426860")
    pages = []
    for options in ({}, {"unscored": rule}):
        metric = mm.Sliced(mm.Accuracy(interval=0.95, **options), by="day")
        metric.add([1, 0, 1, 1, 0, 1] * 20, [1] * 120, by={"day": DAYS})
        pages.append(page(metric, metric.compute(), study=Study(metrics=["accuracy"])))

    assert pages[0] == pages[1]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Both systems as files; a row without a prediction has its reason in a column."""
    monkeypatch.chdir(tmp_path)
    for name, (predictions, reasons) in (("old", OLD), ("new", NEW)):
        rows = {"id": [f"s{at}" for at in range(COUNT)], "labels": LABELS, "day": DAYS}
        rows |= {"predictions": predictions, "error": [why or "" for why in reasons]}
        rows |= {"score": [None if why else at % 7 / 7 for at, why in enumerate(reasons)]}
        write(tmp_path, "jsonl", rows, name)
    return tmp_path


ASKED = ["--ids", "id", "--by", "day", "--unscored-column", "error", "-q", "--report", "page.html"]


@pytest.mark.parametrize("rule", ["drop", "bounds", "0"])
@pytest.mark.parametrize("shown", [[], ["--show", "labels"]])
@pytest.mark.parametrize(
    "metric", [["accuracy"], ["mean:bounds=0,1", "--column", "values=score"]], ids=["hits", "mean"]
)
def test_the_command_line_lists_samples_without_a_score_first(files, rule, shown, metric):
    """With id, slice and reason; those that score worst come after, and are others."""
    command = ["score", "new.jsonl", "--metric", *metric, "--interval", "--unscored", rule]
    assert main([*command, *shown, *ASKED]) == 0
    said = texts((files / "page.html").read_text())

    listed = said[said.index("Samples without a score", said.index("By day")) :]
    for at, why in enumerate(NEW[1]):
        assert (f"id s{at} · {DAYS[at]} {why}\n" in listed) == (why is not None)
    assert "4 of 4 samples without a score, each with its reason." in listed
    after = listed.rpartition("id s21 ·")[2]
    worst = re.findall(r"^id s(\d+)", after, re.MULTILINE)
    assert len(worst) == (6 if shown else 0)
    assert not {int(one) for one in worst} & {5, 6, 7, 21}


@pytest.mark.parametrize("rule", ["drop", "bounds", "0"])
def test_a_comparison_of_files_counts_single_samples_by_the_rule(files, rule):
    """The bar has the pairs that count; each system lists its own samples without a score."""
    command = ["compare", "old.jsonl", "--", "new.jsonl", "--metric", "accuracy"]
    assert main([*command, "--unscored", rule, "--show", "labels", *ASKED]) == 0
    text = (files / "page.html").read_text()
    said = texts(text)

    [words] = re.findall(r'aria-label="(Of [^"]*)"', text)
    assert words.startswith("Of 120 samples" if rule == "0" else "Of 114 samples")
    for name, (_, reasons) in (("old", OLD), ("new", NEW)):
        listed = said.partition(f"Without a score: {name}\n")[2]
        lost = [f"id s{at} · {DAYS[at]} {why}" for at, why in enumerate(reasons) if why]
        assert re.findall(r"^id .*", listed, re.MULTILINE)[: len(lost)] == lost


def test_a_retry_is_no_longer_without_a_score(files):
    """Of rows with the same id, the one with a score counts, in whatever order they are.

    Of several reasons the first in the alphabet is listed, which is also the one that is counted.
    """
    places = [5, 0, 6, 21]
    rows = {"id": [f"s{at}" for at in places], "labels": LABELS[places]}
    rows |= {"day": [DAYS[at] for at in places], "predictions": [0, None, None, None]}
    rows |= {"error": ["", "limit", "abort", "late"], "score": [0.5, None, None, None]}
    write(files, "jsonl", rows, "again")
    command = ["score", "new.jsonl", "again.jsonl", "--metric", "accuracy", "--unscored", "drop"]
    assert main([*command, *ASKED]) == 0
    said = texts((files / "page.html").read_text())

    assert "117 of 120 samples have a score" in said
    assert "id s5 · " not in said
    assert "id s0 · " not in said
    for at, why in ((6, "abort"), (21, "error")):
        assert f"id s{at} · {DAYS[at]} {why}\n" in said
    assert f"without a score: 1 {ATTACK}, 1 abort, 1 error" in said
    assert "3 of 3 samples without a score, each with its reason." in said


def test_such_a_page_fits_a_phone_and_a_desk(files):
    """Nothing is wider than its place, and nothing is held against it by axe-core."""
    require_installed("browser")
    playwright, axe = requires("playwright.sync_api"), requires("axe_playwright_python")
    from importlib import resources

    from tests.reporting.test_browser import TROUBLE

    command = ["compare", "old.jsonl", "--", "new.jsonl", "--metric", "accuracy"]
    assert main([*command, "--unscored", "bounds", "--show", "labels", *ASKED]) == 0
    source = resources.files(axe).joinpath("axe.min.js").read_text("utf-8")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        for width, scheme in ((390, "dark"), (1100, "light")):
            size = {"width": width, "height": 900}
            opened = browser.new_context(viewport=size, color_scheme=scheme, offline=True)
            window = opened.new_page()
            window.goto((files / "page.html").as_uri())
            assert window.evaluate(TROUBLE) == []
            found = window.evaluate(f"{source};axe.run()")["violations"]
            assert [one["id"] for one in found] == []
        browser.close()
