"""The report: its numbers are the result's, its texts are texts, and it stays small."""

import base64
import hashlib
import html
import json
import re
import shlex
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from mmeval_like.plots.choice import pictures
from mmeval_like.plots.reading import number_text
from mmeval_like.reporting.page import page
from mmeval_like.reporting.svg import Rules, draw_inline
from mmeval_like.reporting.tables import table
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
    ends = f"[{number_text(accuracy['top1_low'])}, {number_text(accuracy['top1_high'])}]"
    at = found.cells.index("accuracy top1")
    assert number_text(accuracy["top1"]) in found.cells
    assert ends in found.cells[at:]
    assert f"name={ATTACK}" in found.cells
    assert found.raw["title"] == [ATTACK]
    assert found.tags.count("script") == 1
    assert "<script>alert" not in text
    assert not [name for _, name, _ in found.attributes if name.startswith("on") or name == "style"]
    links = [value for _, name, value in found.attributes if name in ("src", "href", "xlink:href")]
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in links)
    assert len(set(found.ids)) == len(found.ids)
    assert "300 – rows that all ranks added" in text
    assert "1 – ids that came more than once" in text


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


def test_a_result_without_numbers_of_its_own_has_no_empty_table():
    """Of a confusion matrix there is the picture alone, and no link to a table of numbers."""
    metric = mm.ConfusionMatrix(num_classes=2)
    metric.add([1, 0], [1, 1])
    found = Page(page(metric, metric.compute()))

    assert "svg" in found.tags
    assert "table" not in found.tags
    assert "result" not in found.ids


def test_a_report_of_ten_thousand_classes_stays_small():
    """At most 1.5 MB; a table that is cut says of how many rows it shows the first."""
    classes = [f"{ATTACK} {i} " + "&" * 200 for i in range(10_000)]
    metric = mm.Recall(task="multiclass", num_classes=10_000, average=None, classes=classes)
    metric.add(np.arange(10_000), np.arange(10_000))

    text = page(metric, metric.compute())

    assert len(text.encode()) < 1_500_000
    assert re.search(r"The first \d+ of 10000 are shown", text)


def test_a_table_is_cut_where_the_page_would_grow_too_large():
    """Rows are whole, those shown are the first, and their number is known."""
    found = table(["a"], ([f"row {i}"] for i in range(100_000)))

    assert found.total == 100_000
    assert found.rows == [[f"row {i}"] for i in range(len(found.rows))]
    assert 1_000 < len(found.rows) < 100_000


def test_every_rank_computes_and_the_first_one_writes(tmp_path):
    """`report` is called on all ranks, as `compute`; there is one file, with all samples in it."""

    def rank(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1, backend.rank], [1, 1])
        mm.report(metric, tmp_path / f"{backend.rank}.html")

    LocalWorld(3).run(rank)

    [path] = tmp_path.iterdir()
    assert path.name == "0.html"
    assert "6 – made the numbers" in path.read_text()


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
    assert "all: Accuracy top1: B is better" in text
    assert "B is right and A is wrong: 30" in text
    assert "id &#39;39&#39; &lt;i&gt;" in text
    assert found.cells.count("B is better") >= 1
    assert {"+0.15", "0.8", "0.95"} <= set(found.cells)


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

    assert "<dd>3, " in three
    ranks = re.compile(r"<dt>ranks</dt><dd>.*?</dd>")
    assert ranks.sub("", one) == ranks.sub("", three)


def test_score_writes_a_page_of_its_files(systems):
    """With the files that were read, and every number that the table has."""
    command = ["score", "new.csv", "--metric", "accuracy", "--by", "zone", "--interval", "-q"]

    assert main([*command, "--report", "report.html"]) == 0

    text = (systems / "report.html").read_text()
    assert "<dt>files</dt><dd>new.csv</dd>" in text
    assert {"accuracy top1", "0.95", "zone=a", "80", "120"} <= set(Page(text).cells)


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
    assert f">{metric.compute() and metric.record()['id']}<" in page(metric, metric.compute())


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
