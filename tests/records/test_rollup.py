"""A column of states rolls up to the bits of one process, over any columns and any cells."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm

pa = pytest.importorskip("pyarrow")
import pyarrow.dataset  # noqa: E402
import pyarrow.parquet  # noqa: E402

RNG = np.random.default_rng(0)
LANGUAGES = ["de", "en", None]


def _classes(size: int) -> tuple[Any, ...]:
    return RNG.integers(0, 3, size), RNG.integers(0, 3, size)


def _floats(size: int) -> tuple[Any, ...]:
    return RNG.normal(size=size) * 10.0 ** RNG.integers(-9, 9, size), RNG.normal(size=size)


def _pairs(size: int) -> tuple[Any, ...]:
    return RNG.normal(size=(size, 2)), RNG.normal(size=(size, 2))


def _scores(size: int) -> tuple[Any, ...]:
    return RNG.random(size).astype(np.float16), RNG.integers(0, 2, size)


def _many_scores(size: int) -> tuple[Any, ...]:
    return RNG.random((size, 3)), RNG.integers(0, 3, size)


# Sums, counts, extrema, tallies, rows that are kept, groups for intervals, samples without a score.
CASES: dict[str, tuple[Any, Any]] = {
    "hits": (mm.Accuracy(), _classes),
    "hits with interval": (mm.Accuracy(interval=0.95), _classes),
    "counts": (mm.ConfusionMatrix(3), _classes),
    "exact sums": (mm.MeanSquaredError(), _floats),
    "exact sums of two": (mm.MeanAbsoluteError(num_outputs=2), _pairs),
    "exact sums with interval": (mm.MeanSquaredError(interval=0.95), _floats),
    "groups": (mm.SingleLabelPrecisionRecallF1score(num_classes=3, interval=0.95), _classes),
    "groups of scores": (mm.AveragePrecision(interval=0.95), _scores),
    "extremum": (mm.Max(), lambda n: _floats(n)[:1]),
    "tally": (mm.MutualInfoScore(), _classes),
    "scores": (mm.AUROC(), _scores),
    "scores of classes": (mm.AUROC(task="multiclass", num_classes=3), _many_scores),
    "rows": (mm.SpearmanCorrCoef(), _floats),
    "bounds": (mm.Accuracy(unscored="bounds"), _classes),
    "collection": (mm.MetricCollection({"a": mm.Accuracy(), "b": mm.ConfusionMatrix(3)}), _classes),
}


def _cells(metric: Any, batch: Any, seal: str = "seal") -> tuple[Any, Any]:
    """A table of cells, some without samples, and the metric of all samples by their keys."""
    whole = mm.Sliced(metric, by=["day", ("lang", "day"), "lang"])
    rows: dict[str, list[Any]] = {"day": [], "lang": [], "state": []}
    for cell in range(60):
        day, lang, size = cell % 5, LANGUAGES[cell % 7 % 3], cell % 4 * 3
        one, samples = mm.merge([metric]), batch(size)
        one.add(*samples)
        whole.add(*samples, by={"day": [day] * size, "lang": [lang] * size})
        for name, value in zip(rows, (day, lang, getattr(one, seal)()), strict=True):
            rows[name].append(value)
    return pa.table(rows), whole


def _same(found: Any, wanted: Any) -> None:
    assert repr(found.compute()) == repr(wanted.compute())
    assert repr(found.intervals) == repr(wanted.intervals)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES)
def test_one_process(case: str) -> None:
    """The roll-up by any columns, in any order of the cells, has the bits of one process."""
    table, whole = _cells(*CASES[case])
    metric = CASES[case][0]
    shuffled = table.take(pa.array(np.random.default_rng(1).permutation(len(table))))
    for cells in (table, shuffled):
        _same(mm.rollup(cells, metric, by=whole.by), whole)
        _same(mm.rollup(cells, metric, by="lang"), mm.rollup(table, metric, by="lang"))
    total = mm.rollup(shuffled, metric)
    assert repr(total.compute()) == repr(whole.compute()["all"])
    assert repr(total.intervals) == repr(whole.intervals.get("all", {}))


@pytest.mark.parametrize("case", ["hits", "exact sums", "scores", "collection"])
def test_unsealed(case: str) -> None:
    """States of `to_bytes`, whose last rows are not folded, give the same bits."""
    table, whole = _cells(*CASES[case], seal="to_bytes")
    _same(mm.rollup(table, CASES[case][0], by=whole.by), whole)


def test_clusters() -> None:
    """A cluster that is in several states is one cluster."""
    states, whole = [], mm.Sliced(mm.Accuracy(interval=0.95), by="lang")
    for lang in ("de", "en", "de"):
        metric, samples, clusters = mm.Accuracy(interval=0.95), _classes(40), RNG.integers(0, 9, 40)
        metric.add(*samples, clusters=clusters)
        whole.add(*samples, clusters=clusters, by={"lang": [lang] * 40})
        states.append(metric.seal())
    cells = {"lang": ["de", "en", "de"], "state": states}
    _same(mm.rollup(cells, mm.Accuracy(interval=0.95), by="lang"), whole)


def test_ids_count_once() -> None:
    """A sample that is in two states counts once in its slice, and once in all."""
    first, again = mm.Accuracy(), mm.Accuracy()
    first.add([1, 1], [1, 0], ids=[0, 1])
    again.add([0, 1], [0, 0], ids=[2, 1])
    cells = {"lang": ["de", "de"], "state": [first.seal(), again.seal()]}
    found = mm.rollup(cells, mm.Accuracy(), by="lang").compute()
    assert found == {"all": {"top1": 2 / 3}, "lang=de": {"top1": 2 / 3}}
    assert found.samples == 3


@pytest.mark.parametrize("case", ["hits", "counts", "exact sums", "groups", "tally", "bounds"])
@pytest.mark.filterwarnings("ignore")
def test_retraction(case: str) -> None:
    """Without a day that is subtracted, the roll-up is that of the other days."""
    (table, _), metric = _cells(*CASES[case]), CASES[case][0]
    left = mm.rollup(table, metric, by="lang")
    left.subtract(mm.rollup(table, metric, by="lang", between={"day": (3, 3)}))
    others = mm.rollup(table.filter(pa.compute.field("day") != 3), metric, by="lang")
    _same(left, others)


def test_between(tmp_path: Any) -> None:
    """Both ends of a range count, for dates and for texts, in a file and in memory."""
    days = [datetime.date(2026, 11, day) for day in range(1, 29)]
    metric, states = mm.Mean(), []
    for day in days:
        metric.reset()
        metric.add([day.day])
        states.append(metric.seal())
    table = pa.table({"day": days, "text": [*map(str, days)], "state": states})
    pyarrow.parquet.write_table(table, tmp_path / "cells.parquet", row_group_size=5)
    for cells in (table, tmp_path / "cells.parquet", str(tmp_path)):
        texts = ("2026-11-05", "2026-11-07")
        for between in ({"day": (days[4], days[6])}, {"day": texts}, {"text": texts}):
            assert mm.rollup(cells, metric, between=between).compute() == {"mean": 6.0}
        both = {"day": (days[0], days[4]), "text": ("2026-11-05", "2026-11-07")}
        assert mm.rollup(cells, metric, between=both).compute() == {"mean": 5.0}
        none = mm.rollup(cells, metric, between={"day": (days[4], days[3])})
        with pytest.warns(RuntimeWarning, match="no samples"):
            assert none.compute().samples == 0
    by_day = mm.rollup(table, metric, by="day").compute()
    assert by_day["day=2026-11-05"] == {"mean": 5.0}


UTC = datetime.timezone.utc
NOON = datetime.datetime(2026, 11, 2, 12)


@pytest.mark.parametrize(
    ("kind", "ends"),
    [
        (pa.string(), (1, 2)),  # of "1", "10" and "2", text has all between these
        (pa.date32(), (NOON, NOON)),
        (pa.timestamp("us", "Europe/Berlin"), (NOON, NOON)),  # noon of which zone?
        (pa.timestamp("us", "UTC"), (NOON.date(), NOON.date())),
        (pa.timestamp("us", "UTC"), ("2026-11-02", "2026-11-03")),
        (pa.timestamp("us"), (NOON.replace(tzinfo=UTC), NOON.replace(tzinfo=UTC))),
        (pa.timestamp("us"), (2026, 2027)),
        (pa.float64(), (float("nan"), 1.0)),
        (pa.int64(), (0, 2**70)),
        (pa.list_(pa.int64()), ([1], [2])),
    ],
)
def test_ends_are_of_the_column(kind: Any, ends: Any) -> None:
    """An end that stands for another value in the column than its own is an error."""
    cells = pa.table({"key": pa.array([None], kind), "state": [mm.Accuracy().seal()]})
    with pytest.raises(ValueError, match=r"between must have values of .* for 'key'"):
        mm.rollup(cells, mm.Accuracy(), between={"key": ends})


@pytest.mark.parametrize(
    ("values", "kind", "end"),
    [
        ([NOON.date()], pa.date32(), datetime.datetime(2026, 11, 2)),
        ([NOON.date()], pa.date64(), np.datetime64("2026-11-02")),
        ([NOON], pa.timestamp("s"), NOON),
        ([NOON], pa.timestamp("ns", "Europe/Berlin"), NOON.replace(tzinfo=UTC)),
        ([NOON], pa.timestamp("ns", "Europe/Berlin"), "2026-11-02 13:00:00+01:00"),
        ([0.1], pa.float32(), 0.1),
        ([2**63 + 1], pa.uint64(), 2**63 + 1),
        ([2], pa.int8(), 2.0),
        ([True], pa.bool_(), "true"),
        (["a"], pa.string_view(), "a"),
        (["a"], pa.dictionary(pa.int8(), pa.string()), "a"),
        ([{"of": "a"}], pa.struct([("of", pa.string())]), "a"),
    ],
)
def test_ends_of_many_types(values: list[Any], kind: Any, end: Any) -> None:
    """An end is found in its column, whatever the type and the unit that store it."""
    metric = mm.Mean()
    metric.add([3.0])
    cells = {"key": pa.array([*values, None], kind), "state": [metric.seal(), mm.Mean().seal()]}
    name = "key.of" if pa.types.is_struct(kind) else "key"
    found = mm.rollup(pa.table(cells), metric, between={name: (end, end)}).compute()
    assert (found, found.samples) == ({"mean": 3.0}, 1)


@pytest.mark.parametrize("text", [pa.string(), pa.string_view()])
def test_slices_of_categories(text: Any) -> None:
    """Cells of a category that has no value are a slice, as among other texts."""
    codes, texts = pa.array([0, 1, None, 1]), pa.array(["de", "en"], text)
    states = []
    for hits in ([1, 0], [1, 1], [0, 0], [0, 1]):
        metric = mm.Accuracy()
        metric.add(hits, [1, 1])
        states.append(metric.seal())
    category = pa.DictionaryArray.from_arrays(codes, texts)
    plain = pa.array(["de", "en", None, "en"])
    found, wanted = (
        mm.rollup(pa.table({"lang": lang, "state": states}), mm.Accuracy(), by="lang").compute()
        for lang in (category, plain)
    )
    assert found == wanted
    assert wanted["lang=-"] == {"top1": 0.0}


def test_polars() -> None:
    """Frames of polars, eager and lazy, hold texts and bytes as views."""
    frames = pytest.importorskip("polars")
    (table, _), by = _cells(*CASES["hits"]), ["lang"]
    frame = frames.from_arrow(table).with_columns(lang=frames.col("lang").cast(frames.Categorical))
    between = {"lang": ("de", "de"), "day": (1, 3)}
    wanted = mm.rollup(table, mm.Accuracy(), by=by, between=between)
    for cells in (frame, frame.lazy()):
        _same(mm.rollup(cells, mm.Accuracy(), by=by, between=between), wanted)


def test_folders_are_columns(tmp_path: Any) -> None:
    """Folders named after values are a column, and only the folders that count are read."""
    table, whole = _cells(*CASES["hits"])
    pyarrow.dataset.write_dataset(
        table, tmp_path, format="parquet",
        partitioning=["day"], partitioning_flavor="hive",
    )  # fmt: skip
    _same(mm.rollup(tmp_path, mm.Accuracy(), by=whole.by), whole)
    for file in (tmp_path / "day=2").iterdir():
        file.write_bytes(b"damaged")
    found = mm.rollup(tmp_path, mm.Accuracy(), between={"day": (3, 4)})
    assert found.compute() == mm.rollup(table, mm.Accuracy(), between={"day": (3, 4)}).compute()


def test_folders_named_with_leading_zeros(tmp_path: Any) -> None:
    """Folders `zone=01` and `zone=1` are two values, as in the table; they were added up as 1."""
    cells: dict[str, list[Any]] = {"zone": ["01", "1", "2", "01"], "day": [1, 1, 2, 2], "state": []}
    for hits in ([1, 1], [0, 0], [1, 0], [1, 0]):
        metric = mm.Accuracy()
        metric.add(hits, [1, 1])
        cells["state"].append(metric.seal())
    pyarrow.dataset.write_dataset(
        pyarrow.table(cells), tmp_path, format="parquet",
        partitioning=["zone", "day"], partitioning_flavor="hive",
    )  # fmt: skip
    found = mm.rollup(tmp_path, mm.Accuracy(), by=["zone", "day"])
    _same(found, mm.rollup(cells, mm.Accuracy(), by=["zone", "day"]))
    assert found.compute()['zone="01"'] == {"top1": 0.75}
    one = mm.rollup(tmp_path, mm.Accuracy(), between={"zone": ("01", "01"), "day": (1, 1)})
    assert one.compute() == {"top1": 1.0}


@pytest.mark.parametrize("where", ["header", "digest", "array", "end"])
@pytest.mark.parametrize("metric", [mm.Accuracy(), mm.MeanSquaredError(interval=0.95)])
def test_damage(metric: Any, where: str) -> None:
    """A damaged state is an error that names its row, among alike ones and alone."""
    cells: dict[str, list[Any]] = {"state": []}
    for number in range(9):
        one = mm.merge([metric])
        one.add([number, 1], [1, 1])
        cells["state"].append(one.seal())
    sound = cells["state"][5]
    place = {"header": 40, "digest": sound.index(b'"digest":"') + 12, "array": len(sound) - 1}
    changed = bytearray(sound)
    if where == "end":
        del changed[-1]
    else:
        changed[place[where]] ^= 1
    for state in (bytes(changed), b"", b"text"):
        cells["state"][5] = state
        with pytest.raises(ValueError, match="the state in row 5"):
            mm.rollup(cells, metric)


def test_other_metrics() -> None:
    """States of other options are refused by name; they are never added up."""
    metric = mm.Accuracy(interval=0.9)
    metric.add([1], [1])
    with pytest.raises(ValueError, match=r"row 0 was saved by .*0\.9.*, this is Accuracy"):
        mm.rollup({"state": [metric.seal()]}, mm.Accuracy())


def test_errors() -> None:
    """Wrong columns, values and metrics are named."""
    metric = mm.Accuracy()
    cells = {"day": [1.5], "state": [metric.seal()]}
    with pytest.raises(ValueError, match="no column 'days' in the table; it has day, state"):
        mm.rollup(cells, metric, by="days")
    with pytest.raises(TypeError, match="the values of day must be integers or strings"):
        mm.rollup(cells, metric, by="day")
    with pytest.raises(TypeError, match="'day' must be a column of bytes, got double"):
        mm.rollup(cells, metric, state="day")
    with pytest.raises(ValueError, match="first and the last value of 'day', got 3"):
        mm.rollup(cells, metric, between={"day": 3})  # type: ignore[dict-item]
    for ends in (("soon", "later"), ("2026", None), ([1], [2])):
        with pytest.raises(ValueError, match="must have values of double for 'day', got"):
            mm.rollup(cells, metric, between={"day": ends})
    with pytest.raises(ValueError, match="no state in row 1 of 'state'"):
        mm.rollup({"state": [metric.seal(), None]}, metric)
    with pytest.raises(TypeError, match="the class Accuracy: write Accuracy"):
        mm.rollup(cells, mm.Accuracy)  # type: ignore[arg-type]


class _Total(mm.BaseMetric):
    """The sum of integers."""

    total = mm.state.sum(int)

    def rows(self, numbers: Any) -> dict[str, Any]:
        return {"total": np.asarray(numbers)}

    def compute_metric(self, results: Any) -> dict[str, float]:
        return {"total": float(results.total)}


def test_widths_that_are_swapped() -> None:
    """States of one length, some with a wider count and a narrower sum, are of two forms."""
    states = []
    for numbers in ([300], [0, 1] * 100, [301]):
        metric = _Total()
        metric.add(numbers)
        states.append(metric.seal())
    assert len({*map(len, states)}) == 1
    assert mm.rollup({"state": states}, _Total()).compute() == {"total": 701.0}


class _Distinct(mm.writing.State):
    """The distinct numbers."""

    def check(self, name: str, rows: Any) -> Any:
        return np.asarray(rows)

    def empty(self) -> Any:
        return np.empty(0, np.int64)

    def fold(self, folded: Any, rows: Any) -> Any:
        return np.union1d(folded, rows)

    merge = fold

    def to_arrays(self, folded: Any) -> dict[str, np.ndarray]:
        return {"numbers": folded}

    def from_arrays(self, found: Any) -> Any:
        return found["numbers"]


class _DistinctNumbers(mm.BaseMetric):
    """How many distinct numbers there are."""

    numbers = _Distinct()

    def rows(self, numbers: Any) -> dict[str, Any]:
        return {"numbers": np.asarray(numbers)}

    def compute_metric(self, results: Any) -> dict[str, float]:
        return {"distinct": float(len(results.numbers))}


def test_states_of_ones_own() -> None:
    """A state that does not hold its rows rolls up as a whole, and says why not by slices."""
    states = []
    for numbers in ([1, 2], [2, 3]):
        metric = _DistinctNumbers()
        metric.add(numbers)
        states.append(metric.seal())
    cells = {"day": [1, 2], "state": states}
    assert mm.rollup(cells, _DistinctNumbers()).compute() == {"distinct": 3.0}
    with pytest.raises(TypeError, match=r"_Distinct.*does not keep its rows"):
        mm.rollup(cells, _DistinctNumbers(), by="day")
