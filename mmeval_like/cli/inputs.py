"""Standard input and compressed files, unpacked into a temporary folder before they are read."""

from __future__ import annotations

import gzip
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers import expand
from mmeval_like.cli.unpacked_names import FOLDER, STDIN

__all__ = ["unpacked"]

# The first bytes of each format. Anything else on standard input is a text table.
_MAGIC = {
    b"PK": ".npz",
    b"\x93NUMPY": ".npy",
    b"PAR1": ".parquet",
    b"ARROW1": ".feather",
    b"{": ".jsonl",
    b"[": ".json",
}


def _is_packed(path: str) -> bool:
    """Return whether a file must be unpacked before it can be read in pieces."""
    return path == "-" or path.lower().endswith(".gz")


@contextmanager
def unpacked(patterns: Sequence[str], resume: str | None) -> Iterator[list[str]]:
    """Yield the files of paths and patterns, in a form that can be read in pieces.

    Args:
        patterns: The paths and patterns; "-" is standard input.
        resume: The folder of `--resume`, which cannot read files from a temporary folder; or None.

    Raises:
        InputError: A file does not exist, or is damaged.
    """
    paths = expand(patterns)
    packed = [path for path in paths if _is_packed(path)]
    if not packed:
        yield paths
        return
    if resume is not None:
        raise InputError(f"--resume: {packed[0]} is compressed: unpack it first")
    with tempfile.TemporaryDirectory(prefix=FOLDER) as folder:
        yield [
            _unpack(path, Path(folder, str(index))) if _is_packed(path) else path
            for index, path in enumerate(paths)
        ]


def _unpack(path: str, folder: Path) -> str:
    folder = folder / Path(path).name  # by which `as_given` knows the file
    folder.mkdir(parents=True)
    try:
        if path == "-":
            return _spool(sys.stdin.buffer, folder)
        target = folder / Path(path).name[: -len(".gz")]
        with gzip.open(path) as source, open(target, "wb") as file:
            shutil.copyfileobj(source, file)
        return str(target)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path}: truncated or not a gzip file ({error})") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


def _spool(source: BinaryIO, folder: Path) -> str:
    start = source.read(64)
    if not start:
        raise InputError("-: standard input is empty")
    if start[:2] == b"\x1f\x8b":
        raise InputError("-: standard input is compressed; pipe it through gunzip")
    text = start.decode("utf-8-sig", "ignore").lstrip()
    kinds = [kind for magic, kind in _MAGIC.items() if start.startswith(magic)]
    if text[:1] in ("{", "["):
        kinds = [_MAGIC[text[:1].encode()]]
    rest = source.read(1 << 16)
    header = (start + rest).split(b"\n", 1)[0]
    table = ".tsv" if b"\t" in header and b"," not in header else ".csv"
    target = folder / f"{STDIN}{kinds[0] if kinds else table}"
    with open(target, "wb") as file:
        file.write(start + rest)
        shutil.copyfileobj(source, file)
    return str(target)
