"""Classes on the page: one table with a row for each, whatever metrics have their numbers."""

import html
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like.reporting.page import page
from tests.helpers import requires

requires("matplotlib")
requires("jinja2")

NAMES = ["refund", "order", "other"]
MANY = {"task": "multiclass", "num_classes": 3, "classes": NAMES}


def text_of(markup):
    """What a reader sees of it."""
    return html.unescape(re.sub(r"<[^>]*>", " ", markup))


def rows_of(text, body):
    """The cells of the rows of the table of classes, in bodies of this class."""
    table = re.search(r'id="classes-table".*?</table>', text, re.DOTALL).group()
    [found] = re.findall(rf'<tbody role="rowgroup" class="{body}">(.*?)</tbody>', table, re.DOTALL)
    rows = re.findall(r"<tr.*?</tr>", found, re.DOTALL)
    cells = [re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL) for row in rows]
    return [[text_of(cell).strip() for cell in row] for row in cells]


def heads_of(text):
    """The names of the columns of the table of classes."""
    table = re.search(r'id="classes-table".*?</thead>', text, re.DOTALL).group()
    found = re.findall(r"<th .*?</th>", re.sub(r"<svg.*?</svg>", "", table), re.DOTALL)
    return [text_of(one).strip() for one in found]


def tiles_of(text):
    """The names and the values at the top."""
    found = re.search(r'<dl class="facts">.*?</dl>', text, re.DOTALL).group()
    names = re.findall(r"<dt>(.*?)</dt>", found)
    values = re.findall(r"<dd><b>(.*?)</b>", found)
    return {text_of(name).strip(): one for name, one in zip(names, values, strict=True)}


def shares(predictions, labels, which):
    """Precision, recall and F1 of a class, by counting."""
    tp = np.sum((predictions == which) & (labels == which))
    predicted, support = np.sum(predictions == which), np.sum(labels == which)
    return [
        x / y if y else 0.0
        for x, y in ((tp, predicted), (tp, support), (2 * tp, predicted + support))
    ], support


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=40))
@example([(0, 0), (1, 1), (2, 2)])
def test_a_report_of_classes_is_one_table(pairs):
    """Each class has F1, precision, recall and support in a row; accuracy and macro F1 are on top.

    The oracle counts. No number of a class is anywhere else, and no key is a name.
    """
    predictions, labels = np.array(pairs).T
    metric = mm.ClassificationReport(**MANY)
    metric.add(predictions, labels)

    text = page(metric, metric.compute())

    wanted, f1s = {}, []
    for which, name in enumerate(NAMES):
        (precision, recall, f1), support = shares(predictions, labels, which)
        f1s.append(f1)
        wanted[name] = [f"{f1:.3f}", f"{precision:.3f}", f"{recall:.3f}", str(support)]
    found = rows_of(text, "rows")
    assert {row[0]: row[2:] for row in found} == wanted
    assert [row[2] for row in found] == sorted(row[2] for row in found)
    assert heads_of(text) == ["Class", "Chart", "F1", "Precision", "Recall", "Support"]
    averages = rows_of(text, "whole")
    assert [row[0] for row in averages] == ["Macro average", "Weighted average"]
    macro = f"{np.mean(f1s):.3f}"
    assert averages[0][2] == macro
    right = 100 * np.mean(predictions == labels)
    assert tiles_of(text) == {"Accuracy": f"{right:.1f}%", "Macro F1": macro}
    assert f"{right:.1f}% of {len(labels)} sample" in text
    assert not re.search(
        "classwise|f1-score|avg|report refund", text_of(text[text.index("<body>") :])
    )


def test_numbers_of_classes_of_several_metrics_share_a_table():
    """Those of one name and value once, with the interval that one of them has."""
    labels = np.arange(60) % 3
    predictions = np.where(np.arange(60) < 45, labels, 0)
    members = {
        "report": mm.ClassificationReport(**MANY),
        "f": mm.FBetaScore(average=None, interval=0.95, **MANY),
        "recall": mm.Recall(average=None, **MANY),
        "accuracy": mm.Accuracy(),
    }
    metrics = mm.MetricCollection(members)
    metrics.add(predictions, labels)

    text = page(metrics, metrics.compute())

    heads = ["Class", "Chart", "F1, with 95% interval", "Precision", "Recall", "Support"]
    assert heads_of(text) == heads
    assert [*tiles_of(text)] == ["Macro F1", "Accuracy"]


def test_percentages_of_classes_are_on_their_own_scale():
    """An interval of ten per cent is not wider than a fifth of 0 to 100."""
    labels = np.arange(600) % 3
    metric = mm.SingleLabelPrecisionRecallF1score(
        num_classes=3, average=None, interval=0.95, classes=NAMES
    )
    metric.add(np.where(np.arange(600) < 450, labels, 0), labels)

    text = page(metric, metric.compute())

    assert "Thin data, not ranked" not in text
    assert len(rows_of(text, "rows")) == 3
    assert heads_of(text)[2:] == ["F1, with 95% interval", "Precision", "Recall"]


@pytest.mark.parametrize("average", [None, "macro"])
def test_f_beta_with_one_is_called_f1(average):
    """As readers know it; with another beta it keeps its name."""
    for beta, name in ((1, "F1"), (2, "F-beta")):
        metric = mm.FBetaScore(beta=beta, average=average, **MANY)
        metric.add([0, 1, 2], [0, 1, 1])

        text = page(metric, metric.compute())

        heading = re.search(r'<h2 id="classes">(.*?)<' if average is None else "<h1>(.*?)<", text)
        assert heading.group(1).startswith(name)
        assert "lasswise" not in text


@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_what_was_measured_is_known_without_a_command_line():
    """The metrics with their options, and the columns of the slices, of one system and of two."""
    inner = mm.Sliced(mm.Accuracy(topk=(1, 2)), by="day")
    one, pair = inner, mm.Paired(mm.Sliced(mm.Accuracy(topk=(1, 2)), by="day"))
    batch = np.eye(3)[[0, 1, 2]], [0, 1, 1]
    by = {"day": ["mon", "tue", "mon"]}
    for target in (one, pair.a, pair.b):
        target.add(*batch, by=by, ids=[0, 1, 2])
    for metric in (one, pair):
        text = page(metric, metric.compute())
        told = text_of(text[text.index('id="measured"') :])

        assert "Accuracy(topk=(1, 2))" in told
        assert re.search(r"Slices\s+column\s+day", told)
        assert "By day" in text


@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_ids_alone_are_folded():
    """Of many samples without texts the page shows four; the others are folded, not lost."""
    ids, ones = np.arange(30), np.ones(30, int)
    pair = mm.Paired(mm.Accuracy(), list_flips=True)
    pair.a.add(ids % 3 == 0, ones, ids=ids)
    pair.b.add(ones, ones, ids=ids)

    text = page(pair, pair.compute())

    samples = re.search(r'aria-labelledby="changes".*?</section>', text, re.DOTALL).group()
    open_part, folded = samples.split("<summary>16 more samples</summary>")
    assert [len(re.findall(r"\bid \d+", part)) for part in (open_part, folded)] == [4, 16]
