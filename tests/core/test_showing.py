"""In a notebook and in a terminal metrics and collections show what they are and have."""

import pytest

import mmeval_like as mm
from mmeval_like._base.showing import cells_of
from mmeval_like.testing import LocalWorld
from tests.helpers import requires

BATCH = [0, 1, 1], [0, 1, 0]
F1 = {"task": "multiclass", "num_classes": 2}


def added(metric, *batch, **named):
    """The metric, with a batch."""
    metric.add(*batch, **named)
    return metric


def paired():
    """Two systems, of which the second has one sample less."""
    pair = mm.Paired(mm.Accuracy())
    pair.a.add(*BATCH, ids=range(3))
    pair.b.add([0, 1], [0, 1], ids=range(2))
    return pair


class Listed(mm.BaseMetric):
    """A metric in MMEval's way."""

    def add(self, values):
        """One entry for each sample."""
        self._results.extend(values)

    def compute_metric(self, results):
        """Their sum."""
        return {"sum": sum(results)}


CASES = {
    "metric": (
        lambda: added(mm.Accuracy(topk=(1, 2), name="val"), *BATCH),
        [("val", "Accuracy(topk=(1, 2), name='val')", "3")],
    ),
    "without samples": (mm.Accuracy, [("Accuracy", "Accuracy()", "0")]),
    "list": (lambda: added(Listed(), [1, 2]), [("Listed", "Listed()", "2")]),
    "collection": (
        lambda: added(
            mm.MetricCollection(p=mm.Precision(**F1), r=mm.Recall(**F1), prefix="val_"), *BATCH
        ),
        [
            ("val_p", "Precision(task='multiclass', num_classes=2)", "3"),
            ("val_r", "Recall(task='multiclass', num_classes=2)", "3"),
        ],
    ),
    "slices": (
        lambda: added(
            mm.Sliced(mm.Accuracy(), by=["day", ("day", "hour")]),
            *BATCH,
            by={"day": [1, 1, 2], "hour": [1, 2, 3]},
        ),
        [("Accuracy by day and day,hour", "Accuracy()", "3")],
    ),
    "pair": (paired, [("a: Accuracy", "Accuracy()", "3"), ("b: Accuracy", "Accuracy()", "2")]),
    "window": (
        lambda: added(mm.Windowed(mm.Accuracy(), samples=4, buckets=2), [0] * 9, [0] * 9),
        [("Accuracy, the last 4", "Accuracy()", "3")],
    ),
    "recorded": (
        lambda: added(mm.Recorded(mm.Accuracy()), *BATCH),
        [("Accuracy", "Accuracy()", "3")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_table_has_options_and_samples(name):
    """One row for each metric, with the options that are not the defaults; nothing is computed."""
    make, expected = CASES[name]
    console = requires("rich.console")

    metric = make()
    shown = metric._repr_html_()

    assert cells_of(metric._described()) == [(*row, "not computed") for row in expected]
    assert shown.count("<tr>") == 1 + len(expected)
    with (printed := console.Console(width=160)).capture() as text:
        printed.print(metric)
    assert all(cell in text.get() for row in expected for cell in row)


def test_html_is_escaped():
    """A name may be any text."""
    shown = mm.Accuracy(name="<b>&")._repr_html_()

    assert "<th>&lt;b&gt;&amp;</th><td>Accuracy(name=&#x27;&lt;b&gt;&amp;&#x27;)</td>" in shown


def test_showing_is_no_call_of_all_ranks():
    """One rank alone can show its metric: nothing is sent, and nothing of it changes."""

    def rank(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1, backend.rank], [1, 1])
        if backend.rank == 0:
            assert "<td>2</td><td>not computed</td>" in metric._repr_html_()
        return metric.compute()

    assert LocalWorld(2).run(rank) == [{"top1": 0.75}] * 2


def test_long_options_are_short():
    """An option that is a long list takes no more than a line."""
    many = mm.Accuracy(topk=[*range(1, 1_000)], dataset_meta={"paths": ["a" * 99] * 999})

    [(_, metric, _)] = many._described()

    assert len(metric) < 300


def test_members_that_share_samples_show_them_all():
    """Precision and recall of the same counts are kept once, and each has all samples."""
    metrics = added(mm.MetricCollection(p=mm.Precision(**F1), r=mm.Recall(**F1)), *BATCH)

    assert repr(metrics).count("3 samples") == 2
