"""Web servers of files on this machine: a plain one, and one that answers as Hugging Face's Hub."""

from __future__ import annotations

import contextlib
import http.server
import json
import math
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

DATASET = "team/preds"  # the only one of the Hub
_PAGE = 2  # entries of a folder in an answer, which are 1,000 at the real Hub


class Server(http.server.ThreadingHTTPServer):
    """A server of the files in a folder.

    Attributes:
        folder: Where the files are.
        asked: The path and the range of every request.
        answers: How many requests get an answer; the connections of all others are closed.
    """

    def __init__(self, folder: Path, handler: type[Files]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.folder = folder
        self.asked: list[tuple[str, str | None]] = []
        self.answers = math.inf

    @property
    def address(self) -> str:
        """Where clients find the server."""
        return f"http://127.0.0.1:{self.server_port}"


class Files(http.server.BaseHTTPRequestHandler):
    """Sends files, also in parts, as Parquet files are read."""

    server: Server

    def do_GET(self) -> None:
        """Answer, if the server still does."""
        self.server.asked.append((self.path, self.headers.get("Range")))
        if len(self.server.asked) <= self.server.answers:
            url = urlsplit(self.path)
            self.answer([unquote(part) for part in url.path[1:].split("/")], url.query)

    def answer(self, parts: list[str], query: str) -> None:
        """Send what a path asks for, here a file."""
        del query
        self.send_file(self.server.folder.joinpath(*parts))

    def send_file(self, path: Path) -> None:
        """Send a file, or the part of it that is asked for."""
        data = path.read_bytes()
        wanted = self.headers.get("Range")
        if not wanted:
            self.send(200, data)
            return
        first, last = map(int, wanted.removeprefix("bytes=").split("-"))
        part = data[first : last + 1]
        there = f"bytes {first}-{first + len(part) - 1}/{len(data)}"
        self.send(206, part, {"Content-Range": there})

    def send(self, status: int, data: bytes = b"", headers: dict[str, str] | None = None) -> None:
        """Send an answer."""
        self.send_response(status)
        length = {"Accept-Ranges": "bytes", "Content-Length": str(len(data))}
        for name, value in (length | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


class Hub(Files):
    """Answers as the Hub does for `hf://datasets/team/preds`: the revisions are folders."""

    def answer(self, parts: list[str], query: str) -> None:
        """Send what is known of the data set, a page of a folder, or a file."""
        match parts:
            case ["api", "datasets", owner, name, *rest]:
                repo, (task, revision, *path) = f"{owner}/{name}", rest or ["revision", "main"]
            case ["datasets", owner, name, task, revision, *path]:
                repo = f"{owner}/{name}"
            case ["large", *path]:
                self.send_file(self.server.folder.joinpath(*path))
                return
            case _:
                self.send(404)
                return
        root = self.server.folder / revision
        found = root.joinpath(*path)
        if repo != DATASET:
            self._lacks("RepoNotFound")
        elif not root.is_dir():
            self._lacks("RevisionNotFound")
        elif task == "revision":
            self._send_json({"id": DATASET, "sha": "0" * 40})
        elif task == "tree" and found.is_dir():
            self._send_entries(root, found, query)
        elif task == "resolve" and found.is_file():
            # Large files are elsewhere.
            where = {"Location": f"{self.server.address}/large/{revision}/{'/'.join(path)}"}
            self.send(302, headers=where)
        else:
            self._lacks("EntryNotFound")

    def _send_entries(self, root: Path, folder: Path, query: str) -> None:
        asked = {name: values[0] for name, values in parse_qs(query).items()}
        paths = sorted(folder.rglob("*") if asked["recursive"] == "true" else folder.iterdir())
        first = int(asked.get("cursor", 0))
        here = f"{self.server.address}{self.path.partition('&cursor')[0]}"
        following = f'<{here}&cursor={first + _PAGE}>; rel="next"'
        entries = [
            {
                "type": "directory" if path.is_dir() else "file",
                "oid": "0" * 40,
                "size": path.stat().st_size,
                "path": path.relative_to(root).as_posix(),
            }
            for path in paths[first : first + _PAGE]
        ]
        self._send_json(entries, {"Link": following} if first + _PAGE < len(paths) else {})

    def _send_json(self, found: Any, headers: dict[str, str] | None = None) -> None:
        self.send(200, json.dumps(found).encode(), headers)

    def _lacks(self, what: str) -> None:
        self.send(404, headers={"X-Error-Code": what})


@contextlib.contextmanager
def serving(folder: Path, handler: type[Files]) -> Iterator[Server]:
    """Serve a folder while the context lasts."""
    with Server(folder, handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
