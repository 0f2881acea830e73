"""Paths of other file systems, by fsspec: memory, the web, S3, Google and the Hugging Face Hub."""

from __future__ import annotations

import io
import subprocess
import sys
import time
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from tests.helpers.optional import require_installed, requires
from tests.helpers.spawn import free_port
from tests.helpers.web import DATASET, Files, Hub, Server, serving

RNG = np.random.default_rng(7)
COLUMNS = {"p": RNG.random(3_000), "y": RNG.integers(0, 2, 3_000), "day": np.arange(3_000) // 1_000}
ASKED = {"predictions": "p", "labels": "y", "by": "day"}


def _rows(days: Iterable[int]) -> dict[str, Any]:
    """The rows of some days."""
    return {name: column[np.isin(COLUMNS["day"], [*days])] for name, column in COLUMNS.items()}


def _parquet(*days: int) -> bytes:
    """The rows of some days, as a Parquet file of many row groups."""
    file = io.BytesIO()
    table = requires("pyarrow").table(_rows(days))
    requires("pyarrow.parquet").write_table(table, file, row_group_size=250)
    return file.getvalue()


def _csv(*days: int) -> bytes:
    """The same as a CSV file."""
    file = io.BytesIO()
    requires("pyarrow.csv").write_csv(requires("pyarrow").table(_rows(days)), file)
    return file.getvalue()


def _same(path: str, days: Iterable[int] = range(3)) -> None:
    """The values of a path are those of its rows, also of ranks that divide the row groups."""
    wanted = mm.score(_rows(days), mm.AUROC(), **ASKED)
    assert mm.score(path, mm.AUROC(), **ASKED) == wanted

    def of_rank(backend: Any) -> Any:
        return mm.score(path, mm.AUROC(dist_backend=backend), divided=True, **ASKED)

    assert LocalWorld(2).run(of_rank) == [wanted, wanted]


def test_memory() -> None:
    """A file, and a folder of files."""
    files = requires("fsspec").filesystem("memory")
    folder = f"/{uuid.uuid4()}"
    files.pipe(f"{folder}.parquet", _parquet(0, 1, 2))
    _same(f"memory:/{folder}.parquet")
    for day in range(3):
        files.pipe(f"{folder}/{day}.parquet", _parquet(day))
    _same(f"memory:/{folder}")


def test_rollup() -> None:
    """A stored column of states is read in the same way."""
    files, pa = requires("fsspec").filesystem("memory"), requires("pyarrow")
    metric = mm.AUROC()
    metric.add(COLUMNS["p"], COLUMNS["y"])
    file = io.BytesIO()
    requires("pyarrow.parquet").write_table(pa.table({"state": [metric.seal()]}), file)
    name = f"{uuid.uuid4()}.parquet"
    files.pipe(f"/{name}", file.getvalue())
    assert mm.rollup(f"memory://{name}", mm.AUROC()).compute() == metric.compute()


def test_web_server(tmp_path: Path) -> None:
    """A server reads no file as a whole, since it is asked for parts."""
    requires("fsspec")
    requires("aiohttp")
    (tmp_path / "rows.parquet").write_bytes(_parquet(0, 1, 2))
    with serving(tmp_path, Files) as server:
        _same(f"{server.address}/rows.parquet")
        assert any(part for _, part in server.asked)


class _Slow(Files):
    """Sends files so late that Arrow reads ahead while the first rows are looked at."""

    def send_file(self, path: Path) -> None:
        """Send a file, or a part of it, after a while."""
        time.sleep(0.2)
        super().send_file(path)


def test_an_error_while_arrow_reads_ahead(tmp_path: Path) -> None:
    """The program ends with the error of the row: no thread of Arrow aborts it."""
    require_installed("fsspec", "aiohttp", "pyarrow")
    labels = np.full(400_000, 1)
    labels[5] = 7
    table = requires("pyarrow").table({"p": RNG.random(labels.size), "y": labels})
    requires("pyarrow.csv").write_csv(table, tmp_path / "rows.csv")
    program = (
        "import sys, mmeval_like as mm\n"
        "mm.score(sys.argv[1], mm.AUROC(), predictions='p', labels='y')"
    )
    with serving(tmp_path, _Slow) as server:
        ended = subprocess.run(
            [sys.executable, "-c", program, f"{server.address}/rows.csv"],
            capture_output=True, text=True, timeout=100,
        )  # fmt: skip
    assert ended.returncode == 1, ended.stderr
    assert "labels must be in [0, 2), got 7 at index 5" in ended.stderr


def _files_and_folders(files: Any, folder: str, address: str) -> None:
    """Fill a folder, and read it at its address; later it has more rows, of which none is missed.

    Args:
        files: The file system that writes.
        folder: Where it writes.
        address: Where `mm.score` reads.
    """
    files.mkdir(folder)
    for last in (0, 2):
        days = range(last + 1)
        files.pipe(f"{folder}/rows.parquet", _parquet(*days))
        files.pipe(f"{folder}/rows.csv", _csv(*days))
        files.pipe(f"{folder}/days/{last}.parquet", _parquet(last))
        _same(f"{address}/rows.parquet", days)
        _same(f"{address}/rows.csv", days)
        _same(f"{address}/days", {0, last})
    for rows in ({"0": 0}, {"0": 0, "1": 1}, {"0": 2, "1": 1}):
        for name, day in rows.items():  # as another process writes them, between two calls
            files.pipe(f"{folder}/late/{name}.parquet", _parquet(day))
        found = mm.score(f"{address}/late", mm.AUROC(), **ASKED)
        assert found.keys() == {"all", *(f"day={day}" for day in rows.values())}
        assert found.samples == 1_000 * len(rows)


@pytest.mark.filterwarnings("ignore")  # those of the server and of the client
def test_s3(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files and folders of a bucket, from a server on this machine."""
    requires("s3fs")
    requires("moto")
    server = requires("moto.server").ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
        }.items():
            monkeypatch.setenv(name, value)
        files = requires("fsspec").filesystem("s3", skip_instance_cache=True)
        _files_and_folders(files, "bucket", "s3://bucket")
        _folders_that_are_objects(files)
    finally:
        server.stop()


def _folders_that_are_objects(files: Any) -> None:
    """Empty objects that stand for folders, as consoles and Hadoop write them, are no files."""

    def put(name: str, data: bytes = b"") -> None:
        files.call_s3("put_object", Bucket="bucket", Key=name, Body=data)

    for name in ("marked/", "marked/zone=1/", "marked/zone=2/", "marked/zone=1_$folder$"):
        put(name)
    put("marked/zone=1/rows.parquet", _parquet(0))
    _same("s3://bucket/marked", {0})
    put("marked/rows.parquet")
    with pytest.raises(ValueError, match=r"marked/rows.parquet.* 0 bytes"):
        mm.score("s3://bucket/marked", mm.AUROC(), **ASKED)


@pytest.mark.filterwarnings("ignore")
def test_google(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same of Google Cloud Storage."""
    port = free_port()
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false")  # needs another protocol
    requires("gcsfs")
    server = requires("gcp_storage_emulator.server").create_server("127.0.0.1", port, True)
    server.start()
    try:
        files = requires("fsspec").filesystem("gs", skip_instance_cache=True)
        _files_and_folders(files, "bucket", "gs://bucket")
    finally:
        server.stop()


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The Hugging Face Hub, without a revision of its data set."""
    requires("huggingface_hub")
    configuration = requires("fsspec.config").conf  # HF_ENDPOINT is read only once in a process
    with serving(tmp_path, Hub) as server:
        monkeypatch.setitem(configuration, "hf", {"endpoint": server.address})
        yield server


@pytest.mark.parametrize("revision", ["main", "refs/convert/parquet"])
def test_hub(hub: Server, revision: str) -> None:
    """The same of a data set of the Hugging Face Hub, whose files are read in parts."""
    files = requires("fsspec").filesystem("file", auto_mkdir=True)
    at = "" if revision == "main" else f"@{revision}"
    _files_and_folders(files, f"{hub.folder}/{revision}", f"hf://datasets/{DATASET}{at}")
    assert all(part for path, part in hub.asked if path.startswith("/large"))


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (f"{DATASET}/none.parquet", "none.parquet"),
        (f"{DATASET}@none/rows.parquet", "@none/rows.parquet.*revision not found"),
        ("team/none/rows.parquet", "team/none/rows.parquet.*repository not found.*private"),
    ],
)
def test_what_the_hub_does_not_have(hub: Server, path: str, told: str) -> None:
    """The error says what is missing: the file, the revision or the data set."""
    (hub.folder / "main").mkdir()
    (hub.folder / "main" / "rows.parquet").write_bytes(_parquet(0))
    with pytest.raises(FileNotFoundError, match=told):
        mm.score(f"hf://datasets/{path}", mm.AUROC(), **ASKED)


@pytest.mark.parametrize("answers", [0, 1, 4, 20])
def test_a_hub_that_dies(hub: Server, answers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After any request, all ranks get an error: the client tries again, but not for ever."""
    (hub.folder / "main").mkdir()
    (hub.folder / "main" / "rows.parquet").write_bytes(_parquet(0, 1, 2))
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    hub.answers = answers

    def of_rank(backend: Any) -> str:
        metric = mm.AUROC(dist_backend=backend)
        with pytest.raises(Exception, match="disconnected") as caught:
            mm.score(f"hf://datasets/{DATASET}/rows.parquet", metric, divided=True, **ASKED)
        return caught.typename

    found = LocalWorld(2).run(of_rank)
    assert len(found) == 2
    assert len(hub.asked) > answers
    assert sum(waits) < 60


def test_a_protocol_that_is_not_installed() -> None:
    """The error says which package to install."""
    requires("fsspec")
    if _there("adlfs"):
        pytest.skip("adlfs is installed")
    with pytest.raises(ImportError, match="adlfs"):
        mm.score("abfs://bucket/rows.parquet", mm.AUROC(), **ASKED)


def _there(name: str) -> bool:
    try:
        requires(name)
    except pytest.skip.Exception:
        return False
    return True
