"""Files of fsspec, as Arrow's threads read them."""

from __future__ import annotations

import atexit
import contextlib
import time
from collections.abc import Iterator
from typing import Any
from weakref import WeakSet

import pyarrow as pa
import pyarrow.fs as pafs

__all__ = ["file_system", "until_exit"]

_MARKERS = ("/", "_$folder$")  # the ends of names of empty objects that stand for folders
_WAITED = 10.0  # seconds, at exit, for reads that have begun

_READING: WeakSet[Any] = WeakSet()
_OPENED: WeakSet[_Opened] = WeakSet()


class _Opened:
    """A file that is gone once none of Arrow's threads reads it."""

    def __init__(self, file: Any) -> None:
        self._file = file
        _OPENED.add(self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class _Handler(pafs.FSSpecHandler):  # type: ignore[misc]
    """A file system of fsspec, without the empty objects that stand for folders in stores."""

    def get_file_info_selector(self, selector: Any) -> list[Any]:
        """Return the files and folders in a folder."""
        found = super().get_file_info_selector(selector)
        return [one for one in found if not one.path.endswith(_MARKERS)]

    def open_input_file(self, path: str) -> Any:
        """Open a file of which any part is read."""
        if not self.fs.isfile(path):
            raise FileNotFoundError(path)
        return pa.PythonFile(_Opened(self.fs.open(path, mode="rb")), mode="r")

    open_input_stream = open_input_file


def file_system(files: Any) -> Any:
    """Return a file system of fsspec as one of Arrow."""
    return pafs.PyFileSystem(_Handler(files))


def until_exit(blocks: Iterator[Any]) -> Iterator[Any]:
    """Return a generator that ends when the interpreter does, if it is not read to its end.

    Arrow reads ahead, and a thread that asks an interpreter which ends for its lock aborts the
    process (https://github.com/apache/arrow/issues/34314).
    """
    _READING.add(blocks)
    return blocks


@atexit.register
def _end() -> None:
    for blocks in [*_READING]:
        with contextlib.suppress(ValueError):  # another thread reads them
            blocks.close()
    end = time.monotonic() + _WAITED
    while _OPENED and time.monotonic() < end:
        time.sleep(0.001)
