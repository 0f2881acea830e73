"""What `compute` returns is a dict, and what loggers, JSON, YAML and notebooks take."""

import copy
import json
import math
import pickle

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import metrics
from mmeval_like.plots.choice import pictures
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.metric_case import draw, value_of
from mmeval_like.testing.same import same
from tests.helpers.optional import requires
from tests.metric_cases import CASES
from tests.project.test_docs import blocks
from tools.figures import draws
from tools.metrics_index import PAGE, page_of

NAMES = ["cat", "dog", "owl"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(CASES))
def test_every_metrics_result_goes_through_json_and_every_logger(name):
    """The same values come back from JSON; `flat` has floats alone, by text names.

    A metric whose values call for a picture of their own shows on its page how to draw it.
    """
    data, count = draw(CASES[name], np.random.default_rng(0))
    result = value_of(CASES[name], data)

    assert type(result) is mm.Result
    assert same(pickle.loads(pickle.dumps(result)), dict(result))
    assert same(json.loads(json.dumps(result.plain())), result.plain())
    flat = result.flat("val/", "_")
    assert all(type(value) is float and key.startswith("val/") for key, value in flat.items())
    assert "<td>" in result._repr_html_() or not result.flat()
    if result.samples is not None and not CASES[name].make().plan.lists:
        assert result.samples > 0 or not count
    if pictures(result) and type(CASES[name].make()).__name__ in metrics.__all__:
        page = PAGE.parent / page_of(type(CASES[name].make()).__name__)
        assert any(draws(block.text) for block in blocks(page, "python")), page


def test_a_result_is_the_dict_that_it_was():
    """It compares, prints, copies and unpacks as a plain dict, and keeps arrays as they are."""
    metric = mm.ConfusionMatrix(num_classes=2)
    metric.add([0, 1, 1], [0, 1, 0])
    result = metric.compute()
    plain = dict(result)

    assert isinstance(result, dict)
    assert repr(result) == repr(plain)
    assert isinstance(result["confusion_matrix"], np.ndarray)
    for again in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert same(again, plain)
        assert (again.samples, again.report, again.classes) == (3, None, None)
    assert {**result}.keys() == plain.keys()
    assert mm.Accuracy()([1], [1]) == {"top1": 1.0}


@pytest.mark.parametrize("ids", [False, True])
def test_samples_are_those_that_count(ids):
    """On every rank the number after padding and repeated indices are dropped."""

    def rank(backend):
        metric = mm.Accuracy(dist_backend=backend, max_padding=1)
        mine = np.arange(backend.rank, 6, 2) % 5
        metric.add(mine, mine, **({"ids": mine} if ids else {}))
        result = metric.compute(5)
        return result.samples, result.report, metric.report, metric.compute_local().samples

    for samples, report, same_report, local in LocalWorld(2).run(rank):
        assert (samples, local) == (5, 3)
        assert report == same_report
        assert (report is not None) is ids


def test_samples_of_collections_and_slices():
    """Every way to a result counts; a result of nobody's metric does not know."""
    members = {"a": mm.Accuracy(), "b": mm.ConfusionMatrix(num_classes=2)}
    sliced = mm.Sliced(members, by="day")
    sliced.add([0, 1], [0, 1], by={"day": [1, 2]})

    assert mm.MetricCollection(members)([0, 1, 1], [0, 1, 0]).samples == 3
    assert sliced.compute().samples == 2
    metric = mm.Accuracy()
    with metric.evaluation() as run:
        metric.add([1], [1])
    assert run.result.samples == 1
    assert mm.Result({}).samples is None


def test_names_of_classes():
    """They name every axis that is as long; a collection takes those that its members agree on."""
    meta = {"classes": tuple(NAMES)}
    every = {"task": "multiclass", "num_classes": 3, "average": None}
    recall = mm.Recall(**every, dataset_meta=meta)
    matrix = mm.ConfusionMatrix(num_classes=3, dataset_meta=meta)
    data = [0, 1, 2, 2], [0, 1, 2, 1]

    assert recall(*data).flat() == {
        "recall_classwise_cat": 1.0,
        "recall_classwise_dog": 0.5,
        "recall_classwise_owl": 1.0,
    }
    assert matrix(*data).flat(sep=".")["confusion_matrix.dog.owl"] == 1.0
    assert recall(*data).flat(classes="xyz")["recall_classwise_y"] == 0.5
    both = mm.MetricCollection({"r": recall, "m": matrix})
    assert both(*data).flat("v/")["v/r_recall_classwise_owl"] == 1.0
    other = mm.Recall(**every, dataset_meta={"classes": ["a", "b", "c"]})
    assert "r_recall_classwise_0" in mm.MetricCollection({"r": recall, "o": other})(*data).flat()
    assert mm.Accuracy(dataset_meta={"classes": "cat"})(*data).classes is None


def test_flat():
    """Nested dicts, lists, arrays and numbers of all kinds; texts are left out."""
    nested = {
        "all": {"acc": {"top1": np.float64(0.5)}},
        "x": {"m": np.array([[1, 2]]), "n": (True, math.nan)},
        "text": "a",
        "none": None,
        "huge": -(10**400),
    }

    flat = mm.Result(nested).flat(sep="/")

    expected = {"all/acc/top1": 0.5, "x/m/0/0": 1.0, "x/m/0/1": 2.0, "x/n/0": 1.0}
    assert same(flat, {**expected, "x/n/1": math.nan, "huge": -math.inf})
    with pytest.raises(ValueError, match="another sep"):
        mm.Result({"a": {"b/c": 1}, "a/b": {"c": 2}}).flat(sep="/")


def test_html_is_escaped():
    """Names come from the data: they must not become markup."""
    shown = mm.Result({"<b>": {"a&b": "<i>"}}, samples=3)._repr_html_()

    assert "<th>&lt;b&gt; a&amp;b</th><td>&lt;i&gt;</td>" in shown
    assert "3 samples" in shown


def test_tables_have_a_column_of_intervals():
    """In a notebook and where rich prints: the ends are no rows of their own; no markup is read."""
    metric = mm.Recall(
        task="multiclass", num_classes=2, average=None, interval=0.95, classes=["[bold]", "b"]
    )
    result = metric([0, 1, 1] * 9, [0, 1, 0] * 9)
    low, high = result["recall_classwise_low"][0], result["recall_classwise_high"][0]
    ends = f"[{low:.4g}, {high:.4g}]"

    shown = result._repr_html_()

    assert shown.count("<tr>") == 3
    assert f"<th>[bold]</th><td>0.5 {ends}</td>" in shown
    console = requires("rich.console")
    with (printed := console.Console(width=100)).capture() as text:
        printed.print(result)
    assert "27 samples" in text.get()
    assert all(word in text.get() for word in ("[bold]", f"0.5 {ends}"))


def test_pandas():
    """A Series of one level for a metric, and a table of the slices by `unstack`."""
    requires("pandas")
    sliced = mm.Sliced(mm.Accuracy(), by="day")
    sliced.add([0, 1], [0, 0], by={"day": ["mon", "tue"]})

    table = sliced.compute().to_pandas().unstack(0)

    assert table.loc["top1"].to_dict() == {"all": 0.5, "day=mon": 1.0, "day=tue": 0.0}
    assert mm.Accuracy()([1], [1]).to_pandas().to_dict() == {"top1": 1.0}
    assert mm.Result({}).to_pandas().empty


def test_a_confusion_matrix_says_which_axis_is_the_label() -> None:
    """In a notebook and a terminal, alone, in a collection and in slices; others do not.

    A small one is a table whose rows are labels; a large one has a line for every cell.
    """
    matrix = mm.ConfusionMatrix(classes=["cat", "dog"])
    sliced = mm.Sliced({"matrix": matrix}, by="day")
    sliced.add(["cat", "dog"], ["cat", "cat"], by={"day": ["mon", "tue"]})
    for result in (matrix(["cat", "dog"], ["cat", "cat"]), sliced.compute()):
        assert "<th>label \\ prediction</th><th>cat</th><th>dog</th>" in result._repr_html_()
        assert "<th>cat</th><td>1</td><td>1</td>" in result._repr_html_()
        assert result.flat()
    large = mm.ConfusionMatrix(num_classes=40)([0, 1], [0, 0])
    assert "confusion_matrix: the label, then the prediction" in large._repr_html_()
    assert "prediction" not in mm.Accuracy()([1], [1])._repr_html_()


def test_a_table_shows_a_row_for_every_class() -> None:
    """Numbers of classes are columns of one table, not rows of their own; the rest stays a row."""
    names = ["cat", "dog"]
    batch = [0, 1, 1, 1], [0, 0, 1, 1]
    report = mm.ClassificationReport(classes=names)(*batch)
    several = mm.SingleLabelPrecisionRecallF1score(num_classes=2, average=None, classes=names)

    shown = report._repr_html_()
    assert shown.count("<tr>") == 6  # accuracy, the head, two classes, two averages
    columns = ["class", "precision", "recall", "f1-score", "support"]
    assert "".join(f"<th>{name}</th>" for name in columns) in shown
    assert "<tr><th>cat</th><td>1</td><td>0.5</td><td>0.6667</td><td>2</td></tr>" in shown
    assert (
        "<tr><th>dog</th><td>66.67</td><td>100</td><td>80</td></tr>"
        in several(*batch)._repr_html_()
    )


def test_a_result_says_what_was_measured() -> None:
    """The metric with its options, and the samples; also of a member whose option was set later."""
    metric = mm.Accuracy(topk=2, name="first")
    metric.add(np.eye(3), [0, 1, 2])

    assert metric.compute().metrics == ["Accuracy(topk=(2,), name='first')"]
    assert (
        "<caption>Accuracy(topk=(2,), name=&#x27;first&#x27;); 3 samples</caption>"
        in metric.compute()._repr_html_()
    )
    metric.name = "best"
    assert metric.compute().metrics == ["Accuracy(topk=(2,), name='best')"]
    assert pickle.loads(pickle.dumps(metric.compute())).metrics == metric.compute().metrics
    members = mm.MetricCollection(top=mm.Accuracy(topk=2), loss=mm.MeanSquaredError())
    found = mm.Sliced(members, by="day").plan.measured()
    assert found == ["Accuracy(topk=(2,))", "MeanSquaredError()"]
