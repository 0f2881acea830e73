"""The report: its numbers are the result's, its texts are texts, and it stays small."""

import base64
import errno
import hashlib
import html
import json
import os
import re
import shlex
import warnings
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from mmeval_like.plots.choice import pictures
from mmeval_like.reporting.page import moment, page
from mmeval_like.reporting.study import Study
from mmeval_like.reporting.svg import Rules, draw_inline
from mmeval_like.testing import LocalWorld
from tests.cli.files import write
from tests.helpers import requires

requires("matplotlib")
requires("jinja2")

ATTACK = "<script>alert(1)</script>"
NAMES = [ATTACK, "\"quoted' & <b>", "قطة", "\x00\x1b[31m\ud800", "$x_2$", "x" * 5_000]


class Page(HTMLParser):
    """What a reader of HTML finds in a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.cells, self.raw, self.attributes = [], [], [], {}, []
        self._open = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Keep the tag, its id, and whatever could load or run something."""
        self.tags.append(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        self.attributes += [(tag, name, value) for name, value in attrs]
        self._open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag):
        """Forget it."""
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        """Keep texts of cells, and those of style sheets and scripts."""
        if "td" in self._open or "th" in self._open:
            self.cells[-1] += data
        if self._open and self._open[-1] in ("style", "script", "title"):
            self.raw.setdefault(self._open[-1], []).append(data)


def words(text, tag):
    """What the first element of a name says."""
    inside = re.search(rf"<{tag}[ >].*?</{tag}>", text, re.DOTALL).group()
    return html.unescape(re.sub(r"<[^>]*>", "", inside)).strip()


def sliced_metrics():
    """Metrics of a few hundred samples in slices with hostile names."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 6, 300)
    predictions = np.where(rng.random(300) < 0.8, labels, rng.integers(0, 6, 300))
    meta = {"classes": NAMES}
    metrics = mm.Sliced(
        {
            "accuracy": mm.Accuracy(interval=0.95),
            "matrix": mm.ConfusionMatrix(num_classes=6),
            "recall": mm.Recall(
                task="multiclass", num_classes=6, average=None, interval=0.95, dataset_meta=meta
            ),
        },
        by="name",
    )
    by = {"name": [name.replace("\ud800", "") for name in rng.choice(NAMES, 300).tolist()]}
    metrics.add(predictions, labels, by=by, ids=[*range(299), 0])
    return metrics


@pytest.mark.filterwarnings("ignore:intervals that promise less", "ignore:1 id")
def test_a_report_has_the_numbers_and_no_code_of_the_data(tmp_path):
    """Every number with its interval; a name that is a script is a text; nothing is loaded."""
    metrics = sliced_metrics()
    result = metrics.compute()

    mm.report(metrics, tmp_path / "report.html", result, title=ATTACK)

    text = (tmp_path / "report.html").read_text()
    found = Page(text)
    accuracy = result["all"]["accuracy"]
    value, low, high = (f"{100 * accuracy[f'top1{end}']:.1f}%" for end in ("", "_low", "_high"))
    assert f"{value}{low} to {high}" in found.cells
    assert ATTACK in found.cells
    assert found.raw["title"] == [ATTACK]
    assert found.tags.count("script") == 1
    assert "<script>alert" not in text
    assert not [name for _, name, _ in found.attributes if name.startswith("on") or name == "style"]
    links = [value for _, name, value in found.attributes if name in ("src", "href", "xlink:href")]
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in links)
    assert len(set(found.ids)) == len(found.ids)
    assert (
        "300 rows with 299 different ids; each id counts once; ids that occur more than once: 1"
        in text
    )


def test_the_policy_names_the_style_sheet_and_the_script_of_the_page():
    """By their hashes: any other style or script would be refused by the browser."""
    metric = mm.Accuracy()
    metric.add([1, 0], [1, 1])
    found = Page(page(metric, metric.compute()))

    [policy] = [
        value for _, name, value in found.attributes if name == "content" and "src" in value
    ]
    for kind in ("style", "script"):
        [text] = found.raw[kind]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")


def test_a_result_without_numbers_of_its_own_has_no_empty_section():
    """Of a confusion matrix there is the matrix alone, and no section of numbers or slices."""
    metric = mm.ConfusionMatrix(num_classes=2)
    metric.add([1, 0], [1, 1])
    found = Page(page(metric, metric.compute()))

    assert {"confusion", "measured", "reading"} <= set(found.ids)
    assert not {"numbers", "slices", "classes", "changes", "distribution"} & set(found.ids)


def test_a_report_of_ten_thousand_classes_stays_small():
    """At most 1.5 MB; a table that is cut says of how many rows it shows the first."""
    classes = [f"{ATTACK} {i} " + "&" * 200 for i in range(10_000)]
    metric = mm.Recall(task="multiclass", num_classes=10_000, average=None, classes=classes)
    metric.add(np.arange(10_000), np.arange(10_000))

    text = page(metric, metric.compute())

    assert len(text.encode()) < 1_500_000
    assert re.search(r"The first \d+ of 10000 are shown", text)


def test_a_report_of_ten_thousand_slices_stays_small():
    """At most 1.5 MB, of one system and of two; a table that is cut says so."""
    ids, ones = np.arange(20_000), np.ones(20_000, int)
    by = {"place": ids // 2}
    one = mm.Sliced({"a": mm.Accuracy(interval=0.95), "b": mm.MeanSquaredError()}, by="place")
    one.add(ids % 2, ones, by=by)
    pair = mm.Paired(mm.Sliced(mm.Accuracy(), by="place"))
    pair.a.add(ids % 2, ones, ids=ids, by=by)
    pair.b.add(ones, ones, ids=ids, by=by)
    for metric in (one, pair):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            text = page(metric, metric.compute())

        assert len(text.encode()) < 1_500_000
        assert re.search(r"The first \d+ of 10000 are shown", text)


def test_every_rank_computes_and_the_first_one_writes(tmp_path):
    """`report` is called on all ranks, as `compute`; there is one file, with all samples in it."""

    def rank(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1, backend.rank], [1, 1])
        mm.report(metric, tmp_path / f"{backend.rank}.html")

    LocalWorld(3).run(rank)

    [path] = tmp_path.iterdir()
    assert path.name == "0.html"
    assert "of 6 samples" in path.read_text()


def test_a_page_that_cannot_be_written_is_an_error_on_every_rank(tmp_path, monkeypatch):
    """The disk is full, or the page fails: rank 0 says so, and an earlier page still stands."""
    path = tmp_path / "page.html"

    def rank(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1, backend.rank], [1, 1])
        with pytest.raises((OSError, mm.RemoteError), match="No space left") as found:
            mm.report(metric, path)
        return type(found.value)

    def full(file):
        raise OSError(errno.ENOSPC, "No space left on device")

    path.write_text("before")
    monkeypatch.setattr(os, "fsync", full)

    assert LocalWorld(3).run(rank) == [OSError, mm.RemoteError, mm.RemoteError]
    assert path.read_text() == "before"
    assert [*tmp_path.iterdir()] == [path]


def test_pictures_take_the_colours_of_the_page():
    """No style attribute and no colour of one theme is left; names of two pictures differ."""
    [picture] = pictures({"confusion_matrix": np.array([[3, 1], [0, 2]])}, "m")
    rules = Rules()

    one, other = (draw_inline(picture, number, rules) for number in range(2))

    names = [set(re.findall(r'id="([^"]*)"', drawn.markup)) for drawn in (one, other)]
    assert names[0]
    assert not names[0] & names[1]
    assert ElementTree.fromstring(one.markup).get("role") == "img"
    assert "style=" not in one.markup
    assert "var(--ink)" in rules.css()
    assert "fed" not in re.sub(r"[^#]*(#[0-9a-f]{6})?", r"\1", rules.css())
    for used in re.findall(r'(?:href="#|url\(#)([^")]*)', one.markup):
        assert used in names[0]


@pytest.fixture
def systems(tmp_path, monkeypatch):
    """Files of two systems, whose ids are texts."""
    monkeypatch.chdir(tmp_path)
    labels = np.arange(200) % 5
    ids = np.array([f"id '{i}' <i>" for i in range(200)])
    for name, wrong in (("old", 40), ("new", 10)):
        found = np.where(np.arange(200) < wrong, (labels + 1) % 5, labels)
        columns = {"predictions": found, "labels": labels, "id": ids}
        write(tmp_path, "csv", columns | {"zone": np.where(labels > 2, "a", "b")}, name)
    return tmp_path


def test_compare_writes_differences_and_the_samples_that_flipped(systems):
    """With the ids of the samples, and in words which system is better."""
    command = ["compare", "old.csv", "--", "new.csv", "--metric", "accuracy", "--ids", "id"]

    assert main([*command, "--by", "zone", "--report", "report.html", "-q"]) == 0

    text = (systems / "report.html").read_text()
    found = Page(text)
    assert words(text, "h1") == "new is better than old by 15.0 points"
    assert "only new is right: 30" in text
    assert "id &#x27;12&#x27; &lt;i&gt;" in text
    assert found.cells.count("new better") >= 1
    assert {"80.0%", "95.0%", "+15.0+10.0 to +20.7"} <= set(found.cells)


def test_the_page_is_the_same_on_any_number_of_ranks():
    """But for the line that says how many there were."""
    labels = np.arange(200) % 5
    by = {"zone": (labels > 2).astype(int)}
    predictions = np.where(np.arange(200) < 30, 0, labels)

    def rank(backend):
        metric = mm.Sliced(mm.Accuracy(interval=0.95, dist_backend=backend), by="zone")
        mine = slice(backend.rank, None, backend.world_size)
        metric.add(predictions[mine], labels[mine], by={"zone": by["zone"][mine]})
        result = metric.compute()
        return page(metric, result) if backend.rank == 0 else ""

    one, three = (LocalWorld(ranks).run(rank)[0] for ranks in (1, 3))

    assert "3 ranks (" in three
    ranks = re.compile(r"<dt>Made</dt><dd>.*?</dd>")
    assert ranks.sub("", one) == ranks.sub("", three)


def test_score_writes_a_page_of_its_files(systems):
    """With the files that were read, and every number that the table has."""
    command = ["score", "new.csv", "--metric", "accuracy", "--by", "zone", "--interval", "-q"]

    assert main([*command, "--report", "report.html"]) == 0

    text = (systems / "report.html").read_text()
    assert words(text, "h1") == "new is right on 95.0% of 200 samples"
    assert "<dt>File</dt><dd><code>new.csv</code></dd>" in text
    assert "<dt>Metric</dt><dd><code>accuracy</code></dd>" in text
    assert "predictions <code>predictions</code>, labels <code>labels</code>" in text
    assert {"Accuracy", "95.0%", "a", "80", "120"} <= set(Page(text).cells)


def test_a_page_names_the_record_and_the_command_that_verifies_it(systems):
    """The command is right as it stands; a `Recorded` metric has its digest on the page as well."""
    record = ["--record", "a record.json", "--report", "report.html"]
    assert main(["score", "new.csv", "--metric", "accuracy", "--ids", "id", "-q", *record]) == 0

    text = (systems / "report.html").read_text()
    assert json.loads((systems / "a record.json").read_text())["id"] in text
    [command] = re.findall(r">(mmeval_like verify [^<]*)<", text)
    assert main([*shlex.split(html.unescape(command))[1:], "-q"]) == 0

    metric = mm.Recorded(mm.Accuracy())
    metric.add([1], [1], ids=[3])
    mm.report(metric, "recorded.html")
    assert f">{metric.compute() and metric.record()['id']}<" in Path("recorded.html").read_text()


@pytest.mark.parametrize("wanted", [[], ["--state", "s.safetensors"]])
def test_a_page_names_no_record_that_was_not_written(systems, wanted):
    """The samples that are kept for a state have digests as well, but no record has them."""
    words = ["score", "new.csv", "--metric", "accuracy", "--ids", "id", "-q", *wanted]
    assert main([*words, "--report", "report.html"]) == 0
    assert "Its digest is" not in (systems / "report.html").read_text()


@pytest.mark.parametrize("target", ["-", "new.csv", "nowhere/report.html", ""])
def test_a_bad_target_is_said_before_anything_is_read(systems, capsys, target):
    """It must be a file of its own in a folder that is there."""
    before = (systems / "new.csv").read_bytes()

    assert main(["score", "new.csv", "--metric", "accuracy", "--report", target]) == 2
    assert "report" in capsys.readouterr().err
    assert (systems / "new.csv").read_bytes() == before


def test_no_name_turns_the_text_around():
    """A character that turns the direction of writing would show the numbers behind it reversed."""
    names = ["\u202ecat", "\u2066dog", "bird\u202e"]
    metric = mm.SingleLabelPrecisionRecallF1score(num_classes=3, average=None, classes=names)
    metric.add([0, 1, 2, 2], [0, 1, 2, 1])
    text = page(metric, metric.compute(), title="\u202etitle")

    assert not set(text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert "\ufffdcat" in text
    assert "\u202e" not in mm.plots.alternative(metric.plot())


def test_a_report_says_what_was_measured_on_what(systems, monkeypatch):
    """Names, files, column, metric with options, command and date; no folder of the machine."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795426860")
    files = [str(systems / "old.csv"), "--", str(systems / "new.csv")]
    asked = ["--metric", "accuracy:topk=1", "--ids", "id", "--by", "zone", "--name", "<Red>"]
    asked += ["--name", "Blue", "--show", "zone", "-q", "--report", str(systems / "report.html")]

    assert main(["compare", *files, *asked]) == 0

    text = (systems / "report.html").read_text()
    assert words(text, "h1") == "Blue is better than <Red> by 15.0 points"
    assert words(text, "title") == "Blue against <Red>: Accuracy"
    assert "<code>accuracy:topk=1</code>" in text
    assert "23 November 2026, 09:41 UTC" in text
    assert "mmeval_like compare old.csv -- new.csv" in text
    assert "<code>zone</code>" in text
    assert str(systems) not in text


def test_equal_input_on_one_date_gives_equal_bytes(systems, monkeypatch):
    """Two runs write the same page, and so do several ranks but for the line that counts them."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795426860")
    pages = []
    for name in ("one.html", "two.html"):
        asked = ["--metric", "accuracy", "--interval", "--by", "zone", "--show", "id", "-q"]
        assert main(["score", "new.csv", *asked, "--report", name]) == 0
        pages.append((systems / name).read_text().replace(name, ""))

    assert pages[0] == pages[1]
    assert moment() == "23 November 2026, 09:41 UTC"


def test_samples_have_their_text_and_their_image(tmp_path, monkeypatch):
    """Both outputs of a sample, escaped and cut; an image below the folder of the data."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    dot = base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
    )
    for place in ("data/dot.png", "secret.png"):
        (tmp_path / place).write_bytes(dot)
    count = 60
    for name, add in (("a", 0), ("b", 1)):
        rows = {
            "score": (np.arange(count) % 7 + add * (np.arange(count) % 3)).astype(float),
            "id": np.arange(count),
            "prompt": np.array([f"{ATTACK} {i}" for i in range(count)]),
            "answer": np.array([f"{name}{i} " + "x" * 900 for i in range(count)]),
            "image": np.array(["dot.png" if i % 2 else "../secret.png" for i in range(count)]),
        }
        write(tmp_path / "data", "jsonl", rows, name)
    asked = ["--metric", "mean", "--column", "values=score", "--ids", "id", "-q"]
    asked += ["--show", "prompt,answer", "--show", "image", "--report", "report.html"]

    assert main(["compare", "data/a.jsonl", "--", "data/b.jsonl", *asked]) == 0

    text = (tmp_path / "report.html").read_text()
    found = Page(text)
    images = [value for tag, name, value in found.attributes if (tag, name) == ("img", "src")]
    assert images
    assert set(images) == {f"data:image/png;base64,{base64.b64encode(dot).decode()}"}
    assert "../secret.png" in text
    assert "<script>alert" not in text
    assert "Extremes are not typical" in text
    assert max(map(len, re.findall("x+", text))) <= 400
    assert found.tags.count("details") == 4
    assert "mean difference is" in text


def test_scores_have_a_distribution(tmp_path, monkeypatch):
    """Bars whose counts add up to the samples, where the value is the mean of single scores."""
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(0).normal(5, 1, 500)
    write(tmp_path, "npz", {"values": values}, "scores")

    asked = ["--metric", "mean:bounds=-100,100", "--interval", "-q", "--report", "report.html"]
    assert main(["score", "scores.npz", *asked]) == 0

    text = (tmp_path / "report.html").read_text()
    [told] = re.findall(r'aria-label="Samples by score: ([^"]*)"', text)
    assert sum(int(one) for one in re.findall(r": ([\d,]+?)(?:, |$)", told)) == 500
    assert words(text, "h1").startswith("scores has a mean values of 4.97")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("command", ["score", "compare"])
def test_what_is_scored_can_be_shown(tmp_path, monkeypatch, kind, command):
    """`--show` has the predictions and the labels, which remain numbers for the metric."""
    monkeypatch.chdir(tmp_path)
    labels = np.arange(40) % 5
    for name, wrong in (("a", 3), ("b", 4)):
        found = np.where(np.arange(40) % wrong, labels, 5 - labels)
        write(tmp_path, kind, {"predictions": found, "labels": labels}, name)
    files = [f"a.{kind}", *(["--", f"b.{kind}"] if command == "compare" else [])]
    asked = ["--metric", "accuracy", "--show", "predictions,labels", "-q", "--report"]

    assert main([command, *files, *asked, "report.html"]) == 0

    text = (tmp_path / "report.html").read_text()
    assert "text of samples, from “predictions” and “labels”" in text


@pytest.mark.parametrize("option", ["--show", "--name"])
def test_options_of_the_report_need_one(systems, capsys, option):
    """Without `--report`, or with a column that is not there, the error names the option."""
    assert main(["score", "new.csv", "--metric", "accuracy", option, "zone"]) == 2
    assert f"{option} is for the report" in capsys.readouterr().err
    asked = ["--metric", "accuracy", "--report", "report.html", "--show", "nowhere"]
    assert main(["score", "new.csv", *asked]) == 2
    assert "nowhere" in capsys.readouterr().err
    compared = ["compare", "old.csv", "--", "new.csv", "--metric", "accuracy", "--margin"]
    assert main([*compared, "0.1"]) == 2
    assert main([*compared, "0", "--report", "report.html"]) == 2
    assert "--margin must be above 0" in capsys.readouterr().err


def test_a_pair_in_python_has_names():
    """Given for both systems; another number of names is an error that says how many."""
    pair = mm.Paired(mm.MetricCollection([mm.Accuracy(), mm.MeanSquaredError()]))
    ones, ids = np.ones(200, int), np.arange(200)
    pair.a.add(ids % 2, ones, ids=ids)
    pair.b.add((ids % 4 > 0).astype(int), ones, ids=ids)
    result = pair.compute()

    text = page(pair, result, study=Study(names=("old", "new")))
    assert words(text, "h1") == "new is better than old by 25.0 points"
    assert {"Accuracy", "Mean squared error"} <= set(Page(text).cells)
    with pytest.raises(ValueError, match="names must have 2"):
        mm.report(pair, "report.html", result, names=("old",))


@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_where_less_is_better_the_lower_system_is_ahead():
    """Heading, slices and answers agree on who is better, whichever way the metric points."""
    rng = np.random.default_rng(0)
    noise, ids = rng.uniform(-1, 1, 600), np.arange(600)
    pair = mm.Paired(mm.Sliced(mm.MeanSquaredError(), by="zone"))
    by = {"zone": ids % 2}
    pair.a.add(noise, np.zeros(600), ids=ids, by=by)
    pair.b.add(noise / 2, np.zeros(600), ids=ids, by=by)

    text = page(pair, pair.compute(), study=Study(names=("old", "new")))

    assert words(text, "h1").startswith("new is better than old by ")
    assert "new</bdi> is better" in text
    assert re.search(r">new is better in two of two slices<", text)
    assert "new is ahead in" in text
    assert Page(text).cells.count("new better") == 3
    assert 'class="dot a"' not in text


@pytest.mark.parametrize("value", [1e16, -1e200, 2.0**53 + 2])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_scores_beyond_all_integers_have_a_distribution(tmp_path, value, noise):
    """Whole numbers without neighbours at a distance of 1 are drawn like any others."""
    scores = value * (1 + noise * np.random.default_rng(0).random((2, 9)))
    files = [
        str(write(tmp_path, "npz", {"values": one}, name))
        for one, name in ((scores[0], "a"), (3 * scores[1], "b"))
    ]
    page = tmp_path / "page.html"
    asked = ["compare", files[0], "--", files[1], "--metric", "mean", "-q", "--report", str(page)]
    assert main(asked) == 0
    assert "inf each" not in page.read_text()
