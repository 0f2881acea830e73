"""A source of blocks gives the bits of its rows in one table, in the memory of one block."""

from __future__ import annotations

import contextlib
import io
import itertools
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from tests.helpers.optional import requires

RNG = np.random.default_rng(42)
ROWS = 5_000
COLUMNS = {
    "id": RNG.permutation(ROWS) // 2 * 2,
    "p": RNG.random(ROWS),
    "y": RNG.integers(0, 2, ROWS),
    "day": RNG.choice(["mon", "tue"], ROWS),
    "text": RNG.choice(["what", "no metric", "reads"], ROWS),
}
ASKED: dict[str, Any] = {"predictions": "p", "labels": "y", "by": "day"}


def _table(columns: Any = None) -> Any:
    return requires("pyarrow").table(COLUMNS if columns is None else columns)


def _parts(size: int = 700) -> Iterator[dict[str, Any]]:
    for start in range(0, ROWS, size):
        yield {name: column[start : start + size] for name, column in COLUMNS.items()}


def _written(folder: Path, suffix: str = "parquet", table: Any = None) -> Path:
    table, path = _table() if table is None else table, folder / f"rows.{suffix}"
    if suffix == "parquet":
        requires("pyarrow.parquet").write_table(table, path, row_group_size=600)
    elif suffix == "csv":
        requires("pyarrow.csv").write_csv(table, path)
    else:
        requires("pyarrow.feather").write_feather(table, path, chunksize=600)
    return path


def _dataset(folder: Path) -> Any:
    return requires("pyarrow.dataset").dataset(_written(folder))


def _in_folders(folder: Path) -> Path:
    options = {"partitioning": ["day"], "partitioning_flavor": "hive", "format": "parquet"}
    requires("pyarrow.dataset").write_dataset(_table(), folder / "all", **options)
    return folder / "all"


def _reader(_: Path) -> Any:
    table = _table()
    return requires("pyarrow").RecordBatchReader.from_batches(
        table.schema, table.to_batches(max_chunksize=300)
    )


SOURCES: dict[str, Callable[[Path], Any]] = {
    "dicts": lambda _: _parts(),
    "tables": lambda _: map(_table, _parts()),
    "record batches": lambda _: iter(_table().to_batches(max_chunksize=300)),
    "pandas": lambda _: (requires("pandas").DataFrame(part) for part in _parts()),
    "polars": lambda _: (requires("polars").DataFrame(part) for part in _parts()),
    "reader": _reader,
    "dataset": _dataset,
    "scanner": lambda folder: _dataset(folder).scanner(batch_size=500),
    "path": _written,
    "text of a path": lambda folder: str(_written(folder)),
    "feather": lambda folder: _written(folder, "feather"),
    "csv": lambda folder: _written(folder, "csv"),
    "folders": _in_folders,
    "lazy frame": lambda folder: requires("polars").scan_parquet(_written(folder)),
    "duckdb": lambda folder: requires("duckdb").read_parquet(str(_written(folder))),
}
METRICS: dict[str, Callable[[], Any]] = {
    "sums": lambda: mm.R2Score(interval=0.95),
    "scores": mm.AUROC,
    "rows": mm.SpearmanCorrCoef,
    "collection": lambda: mm.MetricCollection({"a": mm.AUROC(), "b": mm.R2Score()}),
}


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("name", METRICS)
def test_one_table(kind: str, name: str, tmp_path: Path) -> None:
    """Values, intervals and slices are those of the rows in a dict of arrays."""
    found = mm.score(SOURCES[kind](tmp_path), METRICS[name](), **ASKED)
    wanted = mm.score(COLUMNS, METRICS[name](), **ASKED)
    assert same(dict(found), dict(wanted))
    assert found.samples == ROWS


@pytest.mark.parametrize("kind", [kind for kind in SOURCES if kind not in ("folders", "duckdb")])
def test_ids(kind: str, tmp_path: Path) -> None:
    """A sample of several blocks counts once: the first copy, where the order is kept."""
    found = mm.score(SOURCES[kind](tmp_path), mm.AUROC(), **ASKED, ids="id")
    assert same(dict(found), dict(mm.score(COLUMNS, mm.AUROC(), **ASKED, ids="id")))
    assert found.samples == ROWS // 2


def test_columns_of_structures(tmp_path: Path) -> None:
    """Columns inside structures, of files and of lazy frames; the others are not read."""
    pa = requires("pyarrow")
    nested = [{"p": float(p), "y": int(y)} for p, y in zip(COLUMNS["p"], COLUMNS["y"], strict=True)]
    table = pa.table({"answer": nested, "text": COLUMNS["text"]})
    path = _written(tmp_path, table=table)
    wanted = mm.score(COLUMNS, mm.AUROC(), predictions="p", labels="y")
    sources = [path, requires("duckdb").read_parquet(str(path))]
    for source in (*sources, requires("polars").scan_parquet(path)):
        assert mm.score(source, mm.AUROC(), predictions="answer.p", labels="answer.y") == wanted


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
@pytest.mark.parametrize("name", METRICS)
def test_ranks_divide_the_row_groups(ranks: int, name: str, tmp_path: Path) -> None:
    """Each row group is read by one rank, and all return the bits of one process."""
    requires("pyarrow")
    path = _written(tmp_path)
    wanted = mm.score(COLUMNS, METRICS[name](), **ASKED)

    def of_rank(backend: Any) -> Any:
        metric = METRICS[name]()
        metric.dist_backend = backend
        found = mm.score(path, metric, divided=True, **ASKED)
        assert metric.dist_collect_mode == "unzip"  # it is not changed
        return found

    for found in LocalWorld(ranks).run(of_rank):
        assert same(dict(found), dict(wanted))
        assert found.samples == ROWS


@pytest.mark.parametrize("ranks", [2, 5])
def test_the_order_of_the_rows_is_kept(ranks: int, tmp_path: Path) -> None:
    """Rows that are kept are in the order of the file, however many ranks read it."""
    path = _written(tmp_path)

    def of_rank(backend: Any) -> Any:
        return mm.score(path, mm.Cat(dist_backend=backend), divided=True, values="p")

    [(key, wanted)] = mm.score(COLUMNS, mm.Cat(), values="p").items()
    for found in LocalWorld(ranks).run(of_rank):
        assert np.array_equal(found[key], wanted)


def test_a_damaged_row_group_is_an_error_on_every_rank(tmp_path: Path) -> None:
    """One rank finds the byte that changed; the other one does not wait for it."""
    pq = requires("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    pq.write_table(_table(), path, row_group_size=600, write_page_checksum=True)
    place = pq.ParquetFile(path).metadata.row_group(6).column(1).data_page_offset + 200
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)

    def of_rank(backend: Any) -> str:
        try:
            mm.score(path, mm.AUROC(dist_backend=backend), divided=True, **ASKED)
        except (OSError, mm.RemoteError) as error:
            return type(error).__name__
        return "no error"

    assert LocalWorld(2).run(of_rank) == ["RemoteError", "OSError"]


LATER: dict[str, tuple[list[str], str]] = {
    "fewer": (["p_0", "p_1"], "no column 'y' in the table; it has p_0, p_1"),
    "more classes": (["p_0", "p_1", "p_2", "y"], "the columns p_2 would be read too"),
}


@pytest.mark.parametrize("case", LATER)
@pytest.mark.parametrize("divided", [False, True])
def test_later_tables_have_the_columns_of_the_first(
    case: str, divided: bool, tmp_path: Path
) -> None:
    """A class that only a later table has is never left out in silence."""
    names, text = LATER[case]
    tables = [{name: [0, 1] for name in some} for some in (["p_0", "p_1", "y"], names)]
    asked = {"predictions": "p_*", "labels": "y"}
    for place, table in enumerate(tables):
        requires("pyarrow.parquet").write_table(_table(table), tmp_path / f"{place}.parquet")
    if not divided:
        with pytest.raises(ValueError, match=f"table 1 of the iterator: {text}"):
            mm.score(iter(tables), mm.Accuracy(), **asked)
    with pytest.raises(ValueError, match=rf"1\.parquet: {text}"):
        mm.score(tmp_path, mm.Accuracy(), divided=divided, **asked)


def test_later_tables_may_have_another_order_and_others_besides(tmp_path: Path) -> None:
    """Columns have names: those of the first table are read in its order."""
    first = {"p_0": [0.9, 0.2], "p_1": [0.1, 0.8], "y": [0, 0]}
    later = {"note": ["x", "y"], "y": [1, 0], "p_1": [0.7, 0.6], "p_0": [0.3, 0.4]}
    for place, table in enumerate((first, later)):
        requires("pyarrow.parquet").write_table(_table(table), tmp_path / f"{place}.parquet")
    for source in (iter([first, later]), tmp_path):
        found = mm.score(source, mm.Accuracy(), predictions="p_*", labels="y")
        assert (found, found.samples) == ({"top1": 0.5}, 4)


def test_a_column_of_folders_without_a_value(tmp_path: Path) -> None:
    """The error names the column and two cures, which both work."""
    pads, pa = requires("pyarrow.dataset"), requires("pyarrow")
    empty = tmp_path / "zone=__HIVE_DEFAULT_PARTITION__"
    empty.mkdir()
    _written(empty)
    asked = ASKED | {"by": "zone"}

    with pytest.raises(ValueError, match=r"no folder has a value of 'zone'.*partitioning") as told:
        mm.score(tmp_path, mm.AUROC(), **asked)

    cure = str(told.value).partition("open the path by ")[2]
    folders = eval(cure, {"pyarrow": pa, "path": tmp_path})
    assert isinstance(folders, pads.Dataset)
    found = mm.score(folders, mm.AUROC(), **asked)
    assert found["zone=-"] == mm.score(_table(), mm.AUROC(), **ASKED)["all"]
    (tmp_path / "zone=1").mkdir()
    _written(tmp_path / "zone=1")
    assert [*mm.score(tmp_path, mm.AUROC(), **asked)] == ["all", "zone=-", "zone=1"]


def _files(folder: Path, *tables: Any) -> Path:
    for place, table in enumerate(tables):
        requires("pyarrow.parquet").write_table(_table(table), folder / f"{place}.parquet")
    return folder


TWO_TYPES: dict[str, tuple[list[str], list[Any], list[Any]]] = {
    "floats": (["float32", "float64"], [0.5, 0.25], [0.1, 0.1 + 1e-12]),
    "integers": (["int8", "int64"], [0, 1], [300, -5]),
    "integers and floats": (["int64", "float64"], [0, 1], [0.5, 2.0]),
    "texts": (["string", "large_string"], ["01", "1"], ["1", None]),
    "nothing": (["null", "string"], [None, None], ["01", "1"]),
}


@pytest.mark.parametrize("case", TWO_TYPES)
@pytest.mark.parametrize("turned", [False, True])
def test_files_may_store_values_in_different_types(case: str, turned: bool, tmp_path: Path) -> None:
    """A folder gives the bits of its tables: nothing is rounded to the type of the first file."""
    pa = requires("pyarrow")
    names, *both = TWO_TYPES[case]
    tables = [
        {"value": pa.array(values, getattr(pa, name)()), "one": [1, 1]}
        for name, values in zip(names, both, strict=True)
    ]
    tables = tables[::-1] if turned else tables
    texts = "string" in names
    asked = {"values": "one", "by": "value"} if texts else {"values": "value"}
    found = mm.score(_files(tmp_path, *tables), mm.Sum(), **asked)
    assert found == mm.score(map(_table, tables), mm.Sum(), **asked)
    assert found.samples == 4


@pytest.mark.parametrize("names", [("bool_", "int64"), ("int64", "string"), ("string", "int64")])
def test_files_of_types_that_no_type_holds(names: tuple[str, str], tmp_path: Path) -> None:
    """7 would be true, and 01 would be 1."""
    pa = requires("pyarrow")
    values = {"bool_": [True, False], "int64": [7, 1], "string": ["01", "1"]}
    tables = [{"key": pa.array(values[name], getattr(pa, name)()), "y": [0, 1]} for name in names]
    with pytest.raises(ValueError, match=r"1\.parquet: the column 'key' has the type .*before"):
        mm.score(_files(tmp_path, *tables), mm.Sum(), values="y", by="key")


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_that_find_different_files(ranks: int, tmp_path: Path) -> None:
    """A file that comes while the ranks list them is an error on all, and not half counted."""
    requires("pyarrow")
    folders = [tmp_path / str(place) for place in range(ranks)]
    for place, folder in enumerate(folders):
        folder.mkdir()
        _files(folder, *[{"p": [0.5], "y": [1]}] * (3 if place else 4))

    def of_rank(backend: Any) -> str:
        metric, folder = mm.AUROC(dist_backend=backend), folders[backend.rank]
        with pytest.raises(mm.DisagreementError) as error:
            mm.score(folder, metric, divided=True, predictions="p", labels="y")
        return str(error.value)

    for text in LocalWorld(ranks).run(of_rank):
        assert "rank 0 found 4 row groups or files" in text
        assert "rank 1 3 row groups" in text


def test_a_folder_without_files(tmp_path: Path) -> None:
    """The error says so, instead of asking for a column."""
    requires("pyarrow")
    with pytest.raises(FileNotFoundError, match="the folder has no files"):
        mm.score(tmp_path, mm.Accuracy(), predictions="p", labels="y")


def test_a_dataset_says_itself_what_its_columns_are(tmp_path: Path) -> None:
    """Rows of files without a column of its schema have no value there."""
    first, later = {"p": [0], "y": [0], "day": ["mon"]}, {"p": [0], "y": [1]}
    for place, table in enumerate((first, later)):
        requires("pyarrow.parquet").write_table(_table(table), tmp_path / f"{place}.parquet")
    dataset = requires("pyarrow.dataset").dataset(tmp_path, schema=_table(first).schema)
    asked = {"predictions": "p", "labels": "y", "by": "day"}
    assert dict(mm.score(dataset, mm.Accuracy(), **asked))["day=-"] == {"top1": 0.0}
    with pytest.raises(ValueError, match=r"1\.parquet: no column 'day' in the table"):
        mm.score(tmp_path, mm.Accuracy(), **asked)


def test_names_of_digits_in_a_csv_file(tmp_path: Path) -> None:
    """Ids 007 and 7 are two samples, and so are integers beyond 64 bits, as on the command line."""
    requires("pyarrow")
    path = tmp_path / "a.csv"
    rows = ["0,0,007,12345678901234567890", "1,1,7,12345678901234567891", "1,0, 07,3"]
    path.write_text("\n".join(["p,y,zone,id", *rows, ""]))
    asked = {"predictions": "p", "labels": "y"}

    assert [mm.score(path, mm.Accuracy(), ids=ids, **asked).samples for ids in ("zone", "id")] == [
        3,
        3,
    ]
    found = mm.score(path, mm.Accuracy(), by="zone", **asked)
    assert dict(found) == {
        "all": {"top1": 2 / 3},
        'zone=" 07"': {"top1": 0.0},
        'zone="007"': {"top1": 1.0},
        'zone="7"': {"top1": 1.0},
    }
    path.write_text("p,y,day\n0,0,10\n-1,0,-20\n0,0,1000000000000000000\n")
    found = mm.score(path, mm.MeanSquaredError(), predictions="p", groundtruths="y", by="day")
    assert [*found] == ["all", "day=-20", "day=10", "day=1000000000000000000"]


def test_files_of_other_formats(tmp_path: Path) -> None:
    """The error says how to open them."""
    requires("pyarrow")
    (tmp_path / "a.csv").write_text("p,y\n0,0\n")
    (tmp_path / "b.jsonl").write_text("{}\n")
    for path in (tmp_path, tmp_path / "b.jsonl"):
        with pytest.raises(ValueError, match=r"open others with pyarrow\.dataset\.dataset"):
            mm.score(path, mm.Accuracy(), predictions="p", labels="y")


def test_what_cannot_be_divided() -> None:
    """A table in memory has no parts that all ranks know."""
    for table in (COLUMNS, _parts(), _table()):
        with pytest.raises(TypeError, match="divided=True is for a path or a dataset"):
            mm.score(table, mm.AUROC(), divided=True, **ASKED)


def test_errors_name_the_row_of_the_source(tmp_path: Path) -> None:
    """Not that of the block: row 3210 lacks a value, and row 4321 has a bad one."""
    labels: list[Any] = COLUMNS["y"].tolist()
    labels[3210] = None
    path = _written(tmp_path, table=_table({**COLUMNS, "y": labels}))
    with pytest.raises(ValueError, match="row 3210: no value in 'y'"):
        mm.score(path, mm.AUROC(), **ASKED)
    labels[3210], labels[4321] = 0, 7
    path = _written(tmp_path, table=_table({**COLUMNS, "y": labels}))
    with pytest.raises(ValueError, match=r"7.*\(in the block that begins at row 4200\)"):
        mm.score(path, mm.AUROC(), **ASKED)


def test_blocks_without_rows() -> None:
    """They change nothing, also where a row has a list: of no lists nobody knows the length."""
    pa = requires("pyarrow")
    for kind in (pa.list_(pa.float64()), pa.list_(pa.float32(), 2), pa.large_list(pa.int64())):
        scores = pa.array([[1, 0], [0, 1]], kind)
        table = pa.table({"p": scores, "y": [0, 0], "day": ["mon", "tue"]})
        blocks = [table[:0], table[:1], table[1:1], table[1:], table[2:]]
        found = mm.score(iter(blocks), mm.Accuracy(), **ASKED)
        assert found == mm.score(table, mm.Accuracy(), **ASKED)
        assert found.samples == 2


def test_no_source() -> None:
    """What is no table, and what has none."""
    with pytest.raises(TypeError, match=r"table must be a DataFrame, .*, got"):
        mm.score([1, 2], mm.AUROC())
    with pytest.raises(ValueError, match=r"the iterator yields no table.*make it again"):
        mm.score(iter([]), mm.AUROC())
    requires("pyarrow")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        mm.score("nowhere.parquet", mm.AUROC())


@pytest.mark.parametrize("kind", ["reader", "generator"])
@pytest.mark.parametrize("label", ["y", "b"])
def test_a_reader_has_its_rows_once(kind: str, label: str) -> None:
    """Also after an error: a second call would count no rows, or the rest of them."""
    pa = requires("pyarrow")
    rows = pa.table({"p": [0, 1], "y": [0, 0], "b": ["x", "y"]})
    source = rows.to_reader() if kind == "reader" else (part for part in [rows, rows])

    def call(label: str) -> Any:
        return mm.score(source, mm.Accuracy(), predictions="p", labels=label)

    with contextlib.nullcontext() if label == "y" else pytest.raises(TypeError):
        call(label)
    with pytest.raises(ValueError, match="was read before, and has its rows once: make it again"):
        call("y")


HALVES = [{"p": [0, 1], "y": [0, 0]}, {"p": [1, 1], "y": [1, 1]}]
ONCE: dict[str, Callable[[], Any]] = {
    "map": lambda: map(dict, HALVES),
    "list": lambda: iter(HALVES),
    "chain": lambda: itertools.chain(HALVES),
    "record batches": lambda: iter(_table(HALVES[0]).to_batches(max_chunksize=1)),
    "pandas": lambda: requires("pandas").read_csv(io.StringIO("p,y\n0,0\n1,0\n"), chunksize=1),
    "polars": lambda: requires("polars").LazyFrame(HALVES[0]).collect_batches(chunk_size=1),
}


@pytest.mark.parametrize("kind", ONCE)
def test_an_iterator_is_not_read_from_its_middle(kind: str) -> None:
    """After an error, such as that of a wrong name, a second call would count the rest."""
    source = ONCE[kind]()
    with pytest.raises(ValueError, match="no column 'label'"):
        mm.score(source, mm.Accuracy(), predictions="p", labels="label")
    with pytest.raises(ValueError, match="was read before, and has its rows once: make it again"):
        mm.score(source, mm.Accuracy(), predictions="p", labels="y")


class _Loader:
    """Begins again with each loop, as some loaders do."""

    def __iter__(self) -> Iterator[Any]:
        self.left = iter(HALVES)
        return self

    def __next__(self) -> Any:
        return next(self.left)


def test_an_iterator_may_begin_again() -> None:
    """Each of its tables counts once, in each call."""
    loader = iter(_Loader())
    for _ in range(2):
        found = mm.score(loader, mm.Accuracy(), predictions="p", labels="y")
        assert (found, found.samples) == ({"top1": 0.75}, 4)
        loader = iter(loader)


def test_an_iterator_takes_the_memory_of_one_block() -> None:
    """400 blocks of a MiB each, without pyarrow: at most 24 MiB at once."""

    def blocks() -> Iterator[dict[str, Any]]:
        for seed in range(400):
            rng = np.random.default_rng(seed)
            yield {"p": rng.random(1 << 16), "y": rng.random(1 << 16)}

    tracemalloc.start()
    try:
        result = mm.score(blocks(), mm.R2Score(), predictions="p", labels="y")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert result.samples == 400 << 16
    assert peak < 24 << 20


@pytest.mark.parametrize("kind", ["path", "scanner", "reader"])
def test_a_file_takes_the_memory_of_one_row_group(kind: str, tmp_path: Path) -> None:
    """Of a file of 64 MiB in row groups of 2 MiB, Arrow holds at most 16 MiB at once."""
    pa, pq = requires("pyarrow"), requires("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    with pq.ParquetWriter(path, pa.schema({"p": pa.float64(), "y": pa.float64()})) as file:
        for seed in range(32):
            columns = np.random.default_rng(seed).random((2, 1 << 17))
            file.write_table(pa.table({"p": columns[0], "y": columns[1]}))
    source: Any = path
    if kind == "scanner":
        options = {"batch_size": 1 << 16, "batch_readahead": 1, "fragment_readahead": 1}
        source = requires("pyarrow.dataset").dataset(path).scanner(**options)
    elif kind == "reader":
        batches = pq.ParquetFile(path).iter_batches(1 << 16)
        source = pa.RecordBatchReader.from_batches(pq.read_schema(path), batches)
    pool = pa.proxy_memory_pool(pa.default_memory_pool())
    before = pa.default_memory_pool()
    pa.set_memory_pool(pool)
    try:
        result = mm.score(source, mm.R2Score(), predictions="p", labels="y")
    finally:
        pa.set_memory_pool(before)
    assert result.samples == 32 << 17
    assert pool.max_memory() < 16 << 20
