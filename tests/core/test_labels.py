"""Names of classes in place of class indices: the same bits, and an error for every other text."""

import functools
import importlib.util
import inspect
import unicodedata

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from tests.metric_cases import CASES

NAMES = [f"class {index}" for index in range(40)]


def named(value):
    """Class indices as names; what cannot be class indices stays."""
    if isinstance(value, list) and value and all(np.ndim(entry) == 1 for entry in value):
        rows = [named(np.asarray(entry)) if len(entry) else [] for entry in value]
        return rows if all(isinstance(row, list) for row in rows) else value
    array = np.asarray(value) if not isinstance(value, list) or value else np.zeros(0)
    if array.ndim != 1 or array.dtype.kind not in "iu" or array.size == 0:
        return value
    if array.min() < 0 or array.max() >= len(NAMES):
        return value
    return [NAMES[index] for index in array.tolist()]


WITH_CLASSES = [
    name
    for name, case in CASES.items()
    if case.make(dist_backend="non_dist").statistic.class_inputs
]


@pytest.mark.parametrize("name", WITH_CLASSES)
@pytest.mark.filterwarnings("ignore")
def test_names_give_the_bits_of_indices(name):
    """Every metric that takes class indices takes names, and says the same."""
    case = CASES[name]
    known = case.make(dist_backend="non_dist")
    number = getattr(known, "num_classes", getattr(known.statistic, "num_classes", None))
    names = NAMES[: 2 if getattr(known, "task", "") == "binary" else number]
    metric = case.make(dist_backend="non_dist", classes=names)
    data = case.samples(np.random.default_rng(7), case.most)
    takes = metric.statistic.class_inputs
    pairs = zip(inspect.signature(metric.add).parameters, data, strict=False)
    texts = [named(value) if argument in takes else value for argument, value in pairs]
    texts += data[len(texts) :]
    if all(text is value for text, value in zip(texts, data, strict=True)):
        pytest.skip("no class indices among these samples")
    taking = case.make(dist_backend="non_dist", classes=names)

    metric.add(*data)
    taking.add(*texts)

    assert same(dict(taking.compute()), dict(metric.compute()))


def columns():
    """The labels dog, cat, cat as columns of every library that is there."""
    texts = ["dog", "cat", "cat"]
    yield from (texts, tuple(texts), np.array(texts), np.array(texts, object))
    if importlib.util.find_spec("pandas"):
        import pandas as pd

        yield from (pd.Series(texts), pd.Series(texts, dtype="string"))
        yield pd.Categorical(texts, categories=["zebra", "dog", "cat"])
        yield pd.Series(pd.Categorical(texts, categories=["zebra", "dog", "cat"]), index=[7, 7, 1])
    if importlib.util.find_spec("polars"):
        import polars as pl

        yield pl.Series(texts)
        yield pl.Series(texts, dtype=pl.Categorical)
        yield pl.Series(texts, dtype=pl.Enum(["zebra", "dog", "cat"]))
    if importlib.util.find_spec("pyarrow"):
        import pyarrow as pa

        yield from (pa.array(texts), pa.array(texts, pa.large_string()))
        yield pa.DictionaryArray.from_arrays([1, 2, 2], ["zebra", "dog", "cat"])
        yield pa.chunked_array([["dog"], [], ["cat", "cat"]])


def test_columns_of_every_library():
    """The codes of a category do not matter, nor that of a category which is not used."""
    for column in columns():
        metric = mm.ConfusionMatrix(num_classes=2, classes=["cat", "dog"], dist_backend="non_dist")
        metric.add(column, ["cat", "cat", "dog"])
        assert metric.compute()["confusion_matrix"].tolist() == [[1, 1], [1, 0]], type(column)


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        (["cat", "cow"], ValueError, r"labels must be names of classes, got 'cow' at index 1"),
        (["cat", "Dog"], ValueError, r"got 'Dog' at index 1; did you mean dog\?"),
        (["cat", ""], ValueError, r"got '' at index 1"),
        (["cat", None], ValueError, r"labels must not have missing values, got none at index 1"),
        (["cat", float("nan")], ValueError, r"labels must not have missing values, .* at index 1"),
        ([None, None], ValueError, r"labels must not have missing values, got none at index 0"),
        (
            ["cat", 1],
            TypeError,
            r"labels must be strings for all samples, or for none, got 1 at inde",
        ),
        ([1, "cat"], TypeError, r"labels must be numeric"),
        (
            [b"cat", b"dog"],
            TypeError,
            r"labels must be numeric, got b'cat' at index 0",
        ),
        ([1.0, float("nan")], TypeError, r"labels must be integers, got .* with nan at index 1"),
    ],
)
def test_other_labels_are_refused(labels, error, message):
    """The error names the label and where it stands; nothing of the batch is kept."""
    metric = mm.Accuracy(classes=["cat", "dog"], dist_backend="non_dist")
    metric.add(["cat"], ["cat"])

    with pytest.raises(error, match=message):
        metric.add([0, 1], labels)

    assert metric.compute().samples == 1


@pytest.mark.parametrize("number", [2, 4])
@pytest.mark.parametrize(
    "make",
    [
        functools.partial(mm.Recall, task="multiclass", average=None),
        mm.ConfusionMatrix,
        functools.partial(mm.MeanIoU, classwise_results=True),
        mm.CohenKappa,
        mm.VOCMeanAP,
    ],
)
def test_every_class_has_a_name(make, number):
    """Fewer or more names than classes would name nothing: both numbers are in the error."""
    names = ["cat", "dog", "emu"]
    for given in ({"classes": names}, {"dataset_meta": {"classes": names}}):
        with pytest.raises(ValueError, match=f"3 names, but num_classes is {number}"):
            make(num_classes=number, **given)
    metric = make(num_classes=number)
    with pytest.raises(ValueError, match=f"3 classes, the metric was constructed for {number}"):
        metric.dataset_meta = {"classes": names}
    assert metric.dataset_meta is None
    assert make(num_classes=3, classes=names).dataset_meta == {"classes": names}


def test_texts_of_another_form_are_other_texts():
    """Composed and decomposed letters look the same: the error says what they are."""
    composed = "caf\u00e9"
    metric = mm.Accuracy(classes=[composed, "tea"], dist_backend="non_dist")

    with pytest.raises(ValueError, match="different code points"):
        metric.add([0], [unicodedata.normalize("NFD", composed)])


def test_names_that_are_not_known():
    """Without names of classes texts are refused, and the error says what to pass."""
    with pytest.raises(TypeError, match=r"labels are strings, .* pass classes=\[...\]"):
        mm.Accuracy()([0], ["cat"])
    with pytest.raises(ValueError, match="different names, got 'cat' twice"):
        mm.Accuracy(classes=["cat", "dog", "cat"])
    with pytest.raises(ValueError, match="different names, got 'cat' twice"):
        mm.Accuracy(dataset_meta={"classes": ["cat", "cat"]})([0], ["cat"])
    with pytest.raises(TypeError, match="classes must be the class names"):
        mm.Accuracy(classes="cat")
    with pytest.raises(TypeError, match="classes must be the class names"):
        mm.Accuracy(classes=[0, 1])
    with pytest.raises(ValueError, match="must not differ"):
        mm.Accuracy(classes=["cat"], dataset_meta={"classes": ["dog"]})


def test_classes_are_those_of_the_dataset():
    """Both ways to name them make the same metric, whose results are named."""
    one = mm.Accuracy(classes=["cat", "dog"], dist_backend="non_dist")
    other = mm.Accuracy(dataset_meta={"classes": ["cat", "dog"]}, dist_backend="non_dist")
    one.add(["cat"], ["cat"])
    other.add([1], [0])

    whole = one + other

    assert whole.compute() == {"top1": 0.5}
    assert whole.dataset_meta == {"classes": ["cat", "dog"]}
    assert whole.compute().classes == ["cat", "dog"]


def test_sets_of_names():
    """As many names as there are classes are a set, and not the zeros and ones of a row."""
    metric = mm.MultiLabelPrecisionRecallF1score(
        2, 0.5, average=None, items=["recall"], classes=["cat", "dog"]
    )
    expected = {"recall_classwise": [100.0, 50.0]}

    assert metric([["cat"], ["cat", "dog"]], [["cat", "dog"], ["cat", "dog"]]) == expected
    lists = mm.MultiLabelPrecisionRecallF1score(
        2, 0.5, average=None, items=["recall"], classes=["cat", "dog"],
        pred_is_onehot=False, label_is_onehot=False,
    )  # fmt: skip
    assert lists([["cat"], ["cat", "dog"]], [["cat", "dog"], ["cat", "dog"]]) == expected


def test_a_collection_and_slices_know_the_names_of_their_members():
    """Members that share a count share the names; members that disagree refuse texts."""
    matrix = mm.ConfusionMatrix(num_classes=2, dist_backend="non_dist")
    metrics = {"matrix": matrix, "top": mm.Accuracy(thrs=None, classes=["cat", "dog"])}
    for metric in (mm.MetricCollection(metrics), mm.Sliced(metrics, "zone")):
        named = {"by": {"zone": ["a", "a"]}} if isinstance(metric, mm.Sliced) else {}
        metric.add(["dog", "dog"], ["dog", "cat"], **named)
        value = metric.compute()
        value = value.get("all", value)
        assert value["matrix"]["confusion_matrix"].tolist() == [[0, 1], [0, 1]]
        assert value["top"] == {"top1": 0.5}

    metrics["other"] = mm.Accuracy(classes=["dog", "cat"])
    with pytest.raises(TypeError, match="no names of classes are known"):
        mm.MetricCollection(metrics).add(["dog"], ["dog"])


def test_ranks_must_name_the_same_classes():
    """Another order of the names on one rank is an error, and not another number."""

    def evaluate(backend):
        names = ["cat", "dog"] if backend.rank else ["dog", "cat"]
        metric = mm.Accuracy(classes=names, dist_backend=backend)
        metric.add(["cat"], ["dog"])
        with pytest.raises(mm.DisagreementError):
            metric.compute()

    LocalWorld(2).run(evaluate)


def test_one_sample_at_a_time():
    """`per_sample` takes names as well, of means and of ratios."""
    for make in (mm.LogLoss, mm.BrierScore):
        metric = make(classes=["cat", "dog"])
        found, scores = metric.per_sample([[0.2, 0.8]], ["dog"]), [[0.2, 0.8]]
        assert found[metric.key].tolist() == make().per_sample(scores, [1])[metric.key].tolist()


def test_missing_numbers_are_named():
    """A null of pandas, polars or Arrow is no nan: it is refused with its index."""
    columns = []
    if importlib.util.find_spec("pandas"):
        import pandas as pd

        columns += [pd.Series([1.0, None], dtype="Float64"), pd.array([1, None], dtype="Int64")]
    if importlib.util.find_spec("polars"):
        import polars as pl

        columns += [pl.Series([1.0, None]), pl.Series([1, None])]
    if importlib.util.find_spec("pyarrow"):
        import pyarrow as pa

        columns += [pa.array([1.0, None]), pa.chunked_array([[1], [None]])]
    for column in columns:
        with pytest.raises(ValueError, match=r"predictions must not have missing.*at index 1"):
            mm.MeanAbsoluteError()(column, [1.0, 2.0])
        with pytest.raises(ValueError, match=r"labels must not have missing.*at index 1"):
            mm.Accuracy()([1, 1], column)


def test_the_categories_of_a_column_are_named_as_the_cure():
    """A categorical column has an order, which the error gives; each batch may have another one."""
    names = ["zebra", "dog", "cat"]
    for labels in columns():
        with pytest.raises(TypeError, match="no names of classes are known") as found:
            mm.Accuracy().add(labels, labels)
        kind = str(getattr(labels, "dtype", getattr(labels, "type", "")))
        has_order = any(word in kind for word in ("category", "Enum", "dictionary"))
        assert (f"pass classes={names}, its categories, to" in str(found.value)) == has_order, kind


def test_a_report_of_classes_keeps_their_names_everywhere():
    """In the result, its flat names, its plain form, collections, slices and records."""
    labels, found = ["cat", "dog", "emu", "emu"], ["cat", "emu", "emu", "dog"]
    names = ["cat", "dog", "emu"]

    def report():
        return mm.ClassificationReport(task="multiclass", num_classes=3, classes=names)

    alone, kept = report(), mm.Recorded(report())
    several = mm.Sliced(mm.MetricCollection({"r": report()}), by="even")
    alone.add(found, labels)
    kept.add(found, labels)
    several.add(found, labels, by={"even": [0, 1, 0, 1]})

    result = alone.compute()
    kept.compute()
    recorded = kept.record()["claim"]["values"]["all"]["ClassificationReport"]
    for name in names:
        assert name in result["report"]
        assert name in result.plain()["report"]
        assert f"report_{name}_precision" in result.flat()
        assert f"report/{name}/precision" in recorded
        assert any(f"report_{name}_recall" in key for key in several.compute().flat())
    assert not {"0", "1", "2"} & result["report"].keys()


@pytest.mark.parametrize("make", [list, np.array])
def test_booleans_are_not_classes_of_other_names(make):
    """True is class 1: a class 0 that is called "True" would count the other one."""
    found, labels = make([True, True, False]), make([True, False, False])
    metric = mm.Precision(classes=["True", "False"])
    with pytest.raises(ValueError, match="booleans, of which True is class 1"):
        metric.add(found, labels)
    metric.add(["True", "True", "False"], ["True", "False", "False"])
    assert metric.compute() == {"precision": 1.0}
    for classes in (["False", "True"], ["no", "yes"]):
        plain = mm.Precision(classes=classes)
        plain.add(found, labels)
        assert plain.compute() == {"precision": 0.5}
