"""Prediction files as tables that are read piece by piece; one file per format."""

from __future__ import annotations

import glob
import importlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers.coco_files import CocoTable
from mmeval_like.cli.readers.table import RowBatch, Table, blaming

__all__ = ["RowBatch", "Table", "blaming", "expand", "open_tables"]

_FORMATS = {
    ".npz": "mmeval_like.cli.readers.numpy_files:NpzTable",
    ".npy": "mmeval_like.cli.readers.numpy_files:NpyTable",
    ".csv": "mmeval_like.cli.readers.csv_files:CsvTable",
    ".tsv": "mmeval_like.cli.readers.csv_files:CsvTable",
    ".jsonl": "mmeval_like.cli.readers.jsonl_files:JsonlTable",
    ".feather": "mmeval_like.cli.readers.arrow_files:ArrowTable",
    ".arrow": "mmeval_like.cli.readers.arrow_files:ArrowTable",
    ".parquet": "mmeval_like.cli.readers.parquet_files:ParquetTable",
}


def open_tables(patterns: Sequence[str], categories: dict[int, int] | None = None) -> list[Table]:
    """Open all files of the paths and glob patterns, in sorted order within each pattern.

    Args:
        patterns: The paths.
        categories: For COCO's results (.json): the class index of every category id.

    Raises:
        InputError: A file does not exist, its format is unknown, or it cannot be read.
    """
    tables = []
    for path in expand(patterns):
        with blaming(path):
            tables.append(_open(path, categories))
    return tables


def expand(patterns: Sequence[str]) -> list[str]:
    """Return all files of the paths and glob patterns, in sorted order within each pattern.

    Raises:
        InputError: There is no such file, it is not a regular file, or it was given twice.
    """
    paths: dict[tuple[int, int] | str, str] = {}
    for pattern in patterns:
        found = [pattern]
        try:
            if pattern != "-" and not Path(pattern).exists():
                found = sorted(glob.glob(pattern))
        except OSError as error:  # a name that is too long
            raise InputError(f"{pattern:.300}: {error.strerror or error}") from error
        if not found:
            raise InputError(f"{pattern}: no such file")
        for path in found:
            identity = _identity(path)
            if identity in paths:
                raise InputError(f"{path}: the same file as {paths[identity]}, given twice")
            paths[identity] = path
    return list(paths.values())


def _identity(path: str) -> tuple[int, int] | str:
    """Return an identifier of a file that does not depend on its path.

    Raises:
        InputError: The file is a pipe or a device, which cannot be read in pieces.
    """
    try:
        found = os.stat(path)
    except OSError:  # standard input, or a file whose error is raised when it is opened
        return path
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        raise InputError(f"{path}: not a regular file; pipe it to standard input, named -")
    return found.st_dev, found.st_ino


def _open(path: str, categories: dict[int, int] | None) -> Table:
    if Path(path).suffix.lower() == ".json":
        if categories is None:
            raise InputError(
                f"{path}: a .json file is read as COCO results, which need --annotations FILE; "
                f"write a table as .jsonl, one JSON object per line"
            )
        return CocoTable(path, categories)
    target = _FORMATS.get(Path(path).suffix.lower())
    if target is None and Path(path).is_dir():
        raise InputError(f"{path}: is a folder; name its files, for instance '{path}/*.parquet'")
    if target is None:
        raise InputError(
            f"{path}: unknown format; supported are {', '.join(_FORMATS)}, .json, also as .gz; "
            f"for the log of a language model, give --score NAME, or leave out --metric"
        )
    module, _, name = target.partition(":")
    try:
        table: Table = getattr(importlib.import_module(module), name)(path)
    except ImportError as error:
        raise InputError(f"{path}: {error}; install: pip install 'mmeval-like[cli]'") from error
    return table
