"""The columns of a table are what the metrics take, whoever made the table."""

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing.same import same
from tests.helpers.optional import requires

COLUMNS = {
    "id": [3, 1, 2, 3],
    "y_true": [0, 1, 1, 0],
    "p_0": [0.9, 0.2, 0.6, 0.9],
    "p_1": [0.1, 0.8, 0.4, 0.1],
    "scores": [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.9, 0.1]],
    "day": ["mon", None, "tue", "mon"],
}


def as_dict(columns):
    """The values themselves."""
    return columns


def as_pyarrow(columns):
    """Lists become list columns, texts strings."""
    return requires("pyarrow").table(columns)


def as_pandas(columns):
    """Texts as a Categorical."""
    requires("pyarrow")
    frame = requires("pandas").DataFrame(columns)
    frame["day"] = frame["day"].astype("category")
    return frame


def as_polars(columns):
    """Polars' own types of lists and strings."""
    requires("pyarrow")
    return requires("polars").DataFrame(columns)


def as_duckdb(columns):
    """A relation that is computed when it is read."""
    return requires("duckdb").from_arrow(as_pyarrow(columns))


MAKERS = pytest.mark.parametrize("make", [as_dict, as_pyarrow, as_pandas, as_polars, as_duckdb])


@MAKERS
def test_every_table_gives_the_numbers_of_its_columns(make):
    """By pattern, by list and from a column of lists; the label's usual name is found."""
    table, metrics = make(COLUMNS), {"acc": mm.Accuracy(), "top2": mm.Accuracy(topk=2)}
    scores, labels = np.array(COLUMNS["scores"]), np.array(COLUMNS["y_true"])
    expected = mm.MetricCollection(metrics)(scores, labels)

    for columns in ("p_*", ["p_0", "p_1"], "scores"):
        result = mm.score(table, metrics, predictions=columns, labels="y_true")
        assert same(result, dict(expected))
        assert result.samples == 4
    assert same(mm.score(table, mm.MetricCollection(metrics), predictions="p_?"), dict(expected))


@MAKERS
def test_slices_and_ids(make):
    """A missing value is the slice "-"; the same index counts once."""
    result = mm.score(make(COLUMNS), mm.Accuracy(), predictions="p_*", by=["day"], ids="id")

    assert {name: value["top1"] for name, value in result.items()} == {
        "all": 2 / 3, "day=-": 1.0, "day=mon": 1.0, "day=tue": 0.0
    }  # fmt: skip
    assert result.report.duplicated == 1


@MAKERS
def test_rows_that_belong_together(make):
    """A column of clusters gives the intervals that `add(clusters=)` gives, in slices too."""
    columns = {
        "predictions": [0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1],
        "labels": [0, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1],
        "document": ["a", "a", "b", "b", "c", "c", "d", "d", "e", "e", "f", None],
        "day": ["mon", "tue"] * 6,
    }
    metric = mm.Sliced(mm.Accuracy(interval=0.9), by="day")
    batch = columns["predictions"], columns["labels"]
    metric.add(*batch, by={"day": columns["day"]}, clusters=columns["document"])

    found = mm.score(make(columns), mm.Accuracy(interval=0.9), by="day", clusters="document")

    assert same(found, dict(metric.compute_local()))
    assert found.intervals["all"]["top1"].unit == "cluster"
    with pytest.raises(ValueError, match=r"no column .documents.*did you mean"):
        mm.score(make(columns), mm.Accuracy(interval=0.9), clusters="documents")


@MAKERS
def test_texts(make):
    """Columns of texts go to metrics of texts."""
    columns = {"predictions": ["a b", "c"], "references": ["a b", "d"], "day": ["x", "y"]}
    expected = mm.WordAccuracy()(columns["predictions"], columns["references"])

    table = make(columns)

    found = mm.score(table, mm.WordAccuracy(), predictions="predictions", groundtruths="references")
    assert same(found, dict(expected))


def test_samples_of_the_metric_stay_its_own():
    """They are neither in the number nor lost."""
    metric = mm.Accuracy()
    metric.add([0], [1])

    assert mm.score({"pred": [1], "label": [1]}, metric) == {"top1": 1.0}
    assert metric.compute() == {"top1": 0.0}


def test_a_missing_value_has_its_row():
    """Whatever the library calls it."""
    table = as_pyarrow({"predictions": [1, 2, None], "labels": [1, 2, 3]})

    with pytest.raises(ValueError, match="row 2: no value in 'predictions'"):
        mm.score(table, mm.Accuracy())


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ({"label": "y"}, "no metric takes 'label'.*did you mean labels"),
        ({"labels": "y_tru"}, "no column 'y_tru'.*did you mean y_true"),
        ({"predictions": "q_*"}, r"no column 'q_\*'"),
        ({"predictions": "p_*", "by": "week"}, "no column 'week'"),
        ({"predictions": "p_*", "ids": "key"}, "no column 'key'"),
        ({"predictions": "y_true"}, "predictions and labels are both read from 'y_true'"),
    ],
)
def test_wrong_names_are_answered_with_those_that_exist(columns, text):
    """For arguments and for columns."""
    with pytest.raises(ValueError, match=text):
        mm.score(COLUMNS, mm.Accuracy(), **columns)


def test_a_typo_is_no_perfect_score():
    """The column that is named as the labels may be the one that predictions are guessed to be."""
    with pytest.raises(ValueError, match="both read from 'pred'"):
        mm.score({"pred": [1, 0], "gold": [1, 1]}, mm.Accuracy(), labels="pred")


def test_no_table():
    """An array has no columns."""
    with pytest.raises(TypeError, match="table must be"):
        mm.score(np.zeros((2, 2)), mm.Accuracy())


def test_no_metric():
    """A class is none yet."""
    with pytest.raises(TypeError, match="got the class Accuracy: write Accuracy"):
        mm.score(COLUMNS, mm.Accuracy)
    with pytest.raises(TypeError, match="metrics by name, got str"):
        mm.score(COLUMNS, "accuracy")


def test_columns_of_classes_in_another_order_are_refused() -> None:
    """Sorted by their texts, p_10 stands before p_2: each would be another class."""
    columns = sorted(f"p_{index}" for index in range(11))
    table = {name: [float(name == "p_2")] for name in columns} | {"labels": [2]}

    with pytest.raises(ValueError, match=r"p_1, p_10, p_2.* not in the order of their numbers"):
        mm.score(table, mm.Accuracy(), predictions="p_*")

    named = [f"p_{index}" for index in range(11)]
    assert mm.score(table, mm.Accuracy(), predictions=named) == {"top1": 1.0}
    ordered = {name: table[name] for name in [*named, "labels"]}
    assert mm.score(ordered, mm.Accuracy(), predictions="p_*") == {"top1": 1.0}


def test_columns_without_a_number_beside_those_with_one_are_refused() -> None:
    """p_max is the score of no class, and would win or tie in every row."""
    table = {"p_0": [0.9], "p_1": [0.1], "p_max": [0.9], "labels": [0]}

    with pytest.raises(ValueError, match="fits p_0, p_1, p_max, of which p_max have no number"):
        mm.score(table, mm.Accuracy(), predictions="p_*")

    assert mm.score(table, mm.Accuracy(), predictions="p_[0-9]*") == {"top1": 1.0}
    words = {"p_cat1": [0.9], "p_cat2": [0.1], "p_dog": [0.0], "labels": [0]}
    assert mm.score(words, mm.Accuracy(), predictions="p_*") == {"top1": 1.0}


def test_columns_named_after_classes_in_another_order_are_refused() -> None:
    """p_dog is not the score of class 0 if class 0 is the cat; the names may share letters."""
    metric = mm.Accuracy(classes=["cat", "cow", "dog"])
    table = {"p_dog": [0.2], "p_cat": [0.7], "p_cow": [0.1], "labels": ["cat"]}
    ordered = ["p_cat", "p_cow", "p_dog"]

    for columns in ("p_*", ["p_dog", "p_cat", "p_cow"]):
        with pytest.raises(
            ValueError, match=r"p_dog, p_cat, p_cow, but the order .* cat, cow, dog"
        ):
            mm.score(table, metric, predictions=columns)

    assert mm.score(table, metric, predictions=ordered) == {"top1": 1.0}
    other = {"x": table["p_cat"], "y": table["p_cow"], "z": table["p_dog"], "labels": ["cat"]}
    assert mm.score(other, metric, predictions=["x", "y", "z"]) == {"top1": 1.0}


def test_labels_of_classes_in_another_order_than_their_scores_are_refused() -> None:
    """s_cat is the score of l_cat, and not of the column at the same place."""
    table = {"s_cat": [0.9, 0.2], "s_dog": [0.3, 0.8], "l_dog": [0, 1], "l_cat": [1, 0]}
    metric = mm.HammingDistance(task="multilabel", num_classes=2)

    with pytest.raises(ValueError, match="s_cat, s_dog, but labels from l_dog, l_cat, in another"):
        mm.score(table, metric, predictions="s_*", labels="l_*")

    found = mm.score(table, metric, predictions="s_*", labels=["l_cat", "l_dog"])
    assert found == {"hamming_distance": 0.0}


def test_ids_that_are_texts() -> None:
    """Each counts once."""
    table = {"predictions": [1, 0, 1], "labels": [1, 1, 1], "name": ["a", "b", "a"]}

    assert mm.score(table, mm.Accuracy(), ids="name") == {"top1": 0.5}


@pytest.mark.parametrize("make", [as_pyarrow, as_polars, as_duckdb])
@pytest.mark.parametrize("digits", [0, 2, 17])
def test_decimals_are_the_numbers_that_their_digits_say(make, digits):
    """As the databases have them: rounded once, like `float`; whole ones are classes and ids."""
    rng = np.random.default_rng(digits)
    texts = [f"{n // 10**digits}.{n % 10**digits:0{digits}}" for n in rng.integers(0, 10**18, 200)]
    cells = [Decimal(text if digits else text[:3]) for text in texts]
    kinds = [Decimal(n % 3) for n in range(200)]
    table = make({"value": cells, "class": kinds, "truth": kinds})

    wanted = mm.Mean()([float(cell) for cell in cells])["mean"]
    assert mm.score(table, mm.Mean()) == {"mean": wanted}
    assert mm.score(table, mm.Accuracy(), predictions="class", labels="truth") == {"top1": 1.0}
    assert mm.score(table, mm.Mean(), ids="class").samples == 3


@MAKERS
def test_means_and_ratios_read_the_columns_of_their_scores(make):
    """Metrics whose rows hand on their inputs take what `scores` or `parts` takes, and weights."""
    columns = {"predictions": [0.5, 2.0], "labels": [1.0, 2.0], "sample_weight": [1.0, 3.0]}
    columns = {name: cells * 20 for name, cells in columns.items()} | {"day": ["mon"] * 40}
    metrics = {"mape": mm.MeanAbsolutePercentageError(interval=0.9), "bias": mm.MeanBias()}

    result = mm.score(make(columns), metrics)

    assert result["mape"]["mape"] == 0.125
    assert result["bias"] == {"bias": -0.125}


@pytest.mark.filterwarnings("ignore:intervals that promise less")  # of so few samples
@pytest.mark.filterwarnings("ignore:Series.values returning")  # pyarrow reads pandas so
@pytest.mark.parametrize("make", [as_pyarrow, as_pandas, as_polars])
@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime.date(2026, 11, 29), "2026-11-29"),
        (datetime.datetime(2026, 11, 29, 12), "2026-11-29 12:00:00"),
        (datetime.datetime(2026, 11, 29, tzinfo=datetime.timezone.utc), "2026-11-29 00:00:00Z"),
        (datetime.datetime(2026, 11, 29, 0, 0, 0, 120_000), "2026-11-29 00:00:00.12"),
    ],
)
def test_dates_are_slices_and_clusters(make, moment, text):
    """The same as their texts, which `rollup` has too."""
    moments = [moment, None, moment, moment + datetime.timedelta(1)]
    table = make(COLUMNS | {"when": moments})

    found = mm.score(table, mm.Accuracy(), predictions="p_*", by="when")

    assert found.keys() == {"all", "when=-", f"when={text}", f"when={text.replace('29', '30')}"}
    for option in ("by", "clusters"):
        texts = [text, None, text, text.replace("29", "30")]
        asked = {"predictions": "p_*", option: "when"}
        wanted = mm.score(COLUMNS | {"when": texts}, mm.Accuracy(interval=0.95), **asked)
        assert same(mm.score(table, mm.Accuracy(interval=0.95), **asked), wanted)


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_a_time_has_one_name(zone: Any) -> None:
    """Whatever the unit in which a column stores it, as a category too: the slice is the same."""
    pa = requires("pyarrow")
    moment = datetime.datetime(2026, 11, 29, 12, tzinfo=zone and datetime.timezone.utc)
    columns = [pa.array([moment], pa.timestamp(unit, zone)) for unit in ("s", "ms", "us", "ns")]
    columns.append(columns[0].dictionary_encode())
    tables = (pa.table({"values": [1.0], "when": column}) for column in columns)
    found = mm.score(tables, mm.Sum(), by="when")
    text = "2026-11-29 13:00:00+0100" if zone else "2026-11-29 12:00:00"
    assert found == {"all": {"sum": 5.0}, f"when={text}": {"sum": 5.0}}


@pytest.mark.parametrize("unit", ["D", "us", "ns"])
@pytest.mark.parametrize("kind", ["datetime64", "timedelta64"])
def test_dates_of_numpy_are_no_integers(unit: str, kind: str) -> None:
    """Nanoseconds were named by their number, and other units were an error."""
    days = np.array([1, 2], f"{kind}[{unit}]")
    for cells in (days, [*days]):
        with pytest.raises(TypeError, match=r"must be integers or strings, got .*to strings"):
            mm.score({"values": [1.0, 2.0], "when": cells}, mm.Sum(), by="when")


@pytest.mark.parametrize(
    ("value", "cure"),
    [(1.5, "sort floats into a few ranges first"), (datetime.date(2026, 11, 1), "to strings")],
)
def test_values_that_are_no_slices(value: Any, cure: str) -> None:
    """The error says what to do with them: dates are no floats."""
    table = {"predictions": [0], "labels": [0], "day": [value]}
    with pytest.raises(TypeError, match=rf"must be integers or strings, got .*; .*{cure}"):
        mm.score(table, mm.Accuracy(), by="day")


def test_a_table_put_together_with_one_that_has_no_rows() -> None:
    """Its rows count, whatever it was put together from."""
    pa = requires("pyarrow")
    rows = pa.table({"predictions": [0, 1, 2], "labels": [0, 1, 1]})
    found = pa.array(np.arange(3))
    pieces = pa.chunked_array([found[:2], found[2:2], found[2:]])
    together = pa.table({"predictions": pieces, "labels": [0, 1, 1]})

    assert mm.score(together, mm.Accuracy()) == mm.score(rows, mm.Accuracy()) == {"top1": 2 / 3}
