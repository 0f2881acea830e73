"""Paths of other file systems, by fsspec: memory, and servers of the web, of S3 and of Google."""

from __future__ import annotations

import functools
import http.server
import io
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from tests.helpers.optional import requires
from tests.helpers.spawn import free_port

RNG = np.random.default_rng(7)
COLUMNS = {"p": RNG.random(3_000), "y": RNG.integers(0, 2, 3_000), "day": np.arange(3_000) // 1_000}
ASKED = {"predictions": "p", "labels": "y", "by": "day"}


def _parquet(day: int | None = None) -> bytes:
    """The rows of a day, or all, as a Parquet file of many row groups."""
    which = slice(None) if day is None else COLUMNS["day"] == day
    table = requires("pyarrow").table({name: column[which] for name, column in COLUMNS.items()})
    file = io.BytesIO()
    requires("pyarrow.parquet").write_table(table, file, row_group_size=250)
    return file.getvalue()


def _same(path: str) -> None:
    """The values of a path are those of its rows, also of ranks that divide the row groups."""
    wanted = mm.score(COLUMNS, mm.AUROC(), **ASKED)
    assert mm.score(path, mm.AUROC(), **ASKED) == wanted

    def of_rank(backend: Any) -> Any:
        return mm.score(path, mm.AUROC(dist_backend=backend), divided=True, **ASKED)

    assert LocalWorld(2).run(of_rank) == [wanted, wanted]


def test_memory() -> None:
    """A file, and a folder of files."""
    files = requires("fsspec").filesystem("memory")
    folder = f"/{uuid.uuid4()}"
    files.pipe(f"{folder}.parquet", _parquet())
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


class _Ranges(http.server.SimpleHTTPRequestHandler):
    """Serves parts of files, as Parquet files are read."""

    asked: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        data = (Path(self.directory) / self.path.lstrip("/")).read_bytes()
        wanted = self.headers.get("Range")
        self.asked.append(str(wanted))
        if wanted:
            first, last = wanted.removeprefix("bytes=").split("-")
            start, stop = int(first), min(int(last), len(data) - 1) + 1
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{len(data)}")
            data = data[start:stop]
        else:
            self.send_response(200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    """The address of a folder."""
    (tmp_path / "rows.parquet").write_bytes(_parquet())
    handler = functools.partial(_Ranges, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_web_server(web: str) -> None:
    """A server reads no file as a whole, since it is asked for parts."""
    requires("fsspec")
    requires("aiohttp")
    _same(f"{web}/rows.parquet")
    assert any(part.startswith("bytes=") for part in _Ranges.asked)


def _files_and_folders(protocol: str) -> None:
    """Fill a bucket, and read it."""
    files = requires("fsspec").filesystem(protocol, skip_instance_cache=True)
    files.mkdir("bucket")
    files.pipe("bucket/rows.parquet", _parquet())
    for day in range(3):
        files.pipe(f"bucket/days/{day}.parquet", _parquet(day))
    _same(f"{protocol}://bucket/rows.parquet")
    _same(f"{protocol}://bucket/days")
    for rows in ({"0": 0}, {"0": 0, "1": 1}, {"0": 2, "1": 1}):
        for name, day in rows.items():  # as another process writes them, between two calls
            files.pipe(f"bucket/late/{name}.parquet", _parquet(day))
        found = mm.score(f"{protocol}://bucket/late", mm.AUROC(), **ASKED)
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
        _files_and_folders("s3")
    finally:
        server.stop()


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
        _files_and_folders("gs")
    finally:
        server.stop()


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
