"""Reading the files of logs: JSON, also compressed, and in zip files."""

from __future__ import annotations

import gzip
import json
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import Any

from mmeval_like._base.blame import blaming, of_memory
from mmeval_like._base.optional import needed_for
from mmeval_like.logs.log import LogError

__all__ = ["beginning", "read_json", "read_lines", "reading", "unzipped"]

_ZSTANDARD = 93  # the code of this compression method in a zip file
_PEEK = 1 << 16  # bytes that suffice to recognise a file

# A decompression bomb is about a thousand times as large as its compressed file.
_SMALL, _DENSEST = 1 << 26, 500
_BOMB = f"refused: it unpacks to more than {_DENSEST} times its size"


def beginning(path: Path) -> bytes:
    """Return the first bytes of a file, those before any damage; b"" for a folder."""
    found = b""
    if path.is_dir():
        return found
    try:
        with _opened(path) as file:
            while len(found) < _PEEK and (part := file.read1(_PEEK - len(found))):
                found += part
    except (EOFError, zlib.error, gzip.BadGzipFile):
        pass  # reading the file raises the error
    return found


def read_json(path: Path) -> Any:
    """Return the content of a JSON file.

    Raises:
        LogError: The file is not JSON.
    """
    with reading(path), _opened(path) as file:
        return json.loads(b"".join(_bounded(file, path.stat().st_size)))


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the JSON object of each line of a file.

    Raises:
        LogError: A line is not a JSON object; the message contains its number.
    """
    with reading(path), _opened(path) as file:
        for number, line in enumerate(_bounded(file, path.stat().st_size), 1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
            except ValueError:
                raise LogError(f"{path}, line {number}: truncated or not JSON") from None
            if not isinstance(found, dict):
                raise LogError(f"{path}, line {number}: expected a JSON object")
            yield found


@contextmanager
def unzipped(path: Path) -> Iterator[dict[str, Callable[[], Any]]]:
    """Within this block, give for every JSON file in a zip file, by name, a function to read it."""
    with reading(path), zipfile.ZipFile(path) as archive:
        yield {
            info.filename: partial(_json_of, archive, info)
            for info in archive.infolist()
            if info.filename.endswith(".json")
        }


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Within this block, name the file in all errors that its content causes in a parser."""
    with blaming(path, LogError), _explaining(path):
        yield


@contextmanager
def _explaining(path: Path) -> Iterator[None]:
    """Within this block, replace the usual exceptions of parsers by explanations."""
    try:
        yield
    except LogError:
        raise
    except gzip.BadGzipFile as error:
        raise LogError(f"{path}: truncated or not a gzip file ({error})") from error
    except (EOFError, zlib.error, zipfile.BadZipFile, ValueError, RecursionError) as error:
        if of_memory(error):
            raise  # `blaming` explains it
        raise LogError(f"{path}: truncated or damaged ({error})") from error
    except (KeyError, TypeError, IndexError, AttributeError, ArithmeticError) as error:
        if of_memory(error):
            raise
        text = f"{type(error).__name__}: {error}"
        raise LogError(f"{path}: not in the format of this harness's logs ({text})") from error


def _bounded(file: gzip.GzipFile | BufferedReader, packed: int) -> Iterator[bytes]:
    """Yield the lines of a file that may be compressed; `packed` is its size on disk.

    Raises:
        LogError: The content is far larger than that of any log of this size.
    """
    left = _most(packed)
    while line := file.readline(left + 1):
        left -= len(line)
        if left < 0:
            raise LogError(_BOMB)
        yield line


def _most(packed: int) -> int:
    """Return the largest possible size of a log whose compressed size is `packed`."""
    return max(_SMALL, _DENSEST * packed)


def _opened(path: Path) -> gzip.GzipFile | BufferedReader:
    return gzip.open(path) if path.suffix == ".gz" else open(path, "rb")


def _json_of(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Any:
    return json.loads(_member(archive, info))


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Return the content of a file in a zip file."""
    if info.file_size > _most(info.compress_size):
        raise LogError(f"{info.filename}: {_BOMB}")
    if info.compress_type != _ZSTANDARD:
        return archive.read(info)
    path = str(archive.filename)
    with needed_for(path, "pip install 'mmeval-like[cli]'"):
        import pyarrow
    with open(path, "rb") as file:  # zipfile of Python 3.13 and older does not know Zstandard
        file.seek(info.header_offset + 26)
        name, extra = (int.from_bytes(file.read(2), "little") for _ in range(2))
        file.seek(info.header_offset + 30 + name + extra)
        packed = file.read(info.compress_size)
    try:
        content = bytes(pyarrow.decompress(packed, info.file_size, "zstd"))
    except (OSError, pyarrow.ArrowInvalid) as error:
        raise LogError(f"{path}: {info.filename} is truncated or damaged ({error})") from error
    if zlib.crc32(content) != info.CRC:
        raise LogError(f"{path}: {info.filename} is damaged: its checksum does not match")
    return content
