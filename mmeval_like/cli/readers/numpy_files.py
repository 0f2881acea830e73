"""numpy's .npz and .npy: arrays whose first axis is the rows."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers.table import BATCH_ROWS, RowBatch, Table

__all__ = ["NpyTable", "NpzTable"]

_UNIT_ROWS = 16 * BATCH_ROWS
_READ_BYTES = 4 << 20

# Functions that read the header of a mapped array, by version of the format.
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class _ArrayTable(Table):
    arrays: dict[str, Any]

    def units(self) -> list[tuple[int, int]]:
        """Return ranges of rows."""
        count = len(next(iter(self.arrays.values())))
        return [(start, min(start + _UNIT_ROWS, count)) for start in range(0, count, _UNIT_ROWS)]

    def read(self, start: int, stop: int, columns: Sequence[str]) -> Iterator[RowBatch]:
        """Yield slices of the arrays."""
        for first in range(start, stop, BATCH_ROWS):
            end = min(first + BATCH_ROWS, stop)
            rows = {name: _plain(self.arrays[name][first:end]) for name in columns}
            yield RowBatch(rows, first)

    def describe(self, batch: RowBatch, index: int) -> str:
        """Return the row's index."""
        return f"row {batch.place + index}"

    def check_lengths(self) -> None:
        """Raise InputError, naming two columns, unless all have the same number of rows."""
        lengths = {name: len(array) if array.ndim else None for name, array in self.arrays.items()}
        (first, length), *others = lengths.items()
        for (name, other), array in zip(lengths.items(), self.arrays.values(), strict=True):
            if other is None:
                raise InputError(f"{self.path}: {name!r} is a single number, not an array of rows")
            if len(array) > _UNIT_ROWS and not array[:1].nbytes:  # a header suffices for these
                raise InputError(f"{self.path}: {name!r} has {other} rows without any entry")
        for name, other in others:
            if other != length:
                raise InputError(
                    f"{self.path}: columns of different length: {first!r} has {length} rows, "
                    f"{name!r} has {other}"
                )


class NpyTable(_ArrayTable):
    """One array, mapped into memory; its column is called `predictions`."""

    def __init__(self, path: str) -> None:
        self.path, self.columns = path, ["predictions"]
        try:
            self.arrays = {"predictions": np.lib.format.open_memmap(path, mode="r")}
        except (ValueError, EOFError) as error:
            raise InputError(f"{path}: {_reason(error)}") from error
        self.check_lengths()


class NpzTable(_ArrayTable):
    """Several arrays by name. Those that are stored without compression are mapped into memory."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            with zipfile.ZipFile(path) as archive:
                members = archive.infolist()
                self._mapped = {
                    info.filename.removesuffix(".npy"): info
                    for info in members
                    if info.compress_type == zipfile.ZIP_STORED
                }
                self.arrays = {
                    info.filename.removesuffix(".npy"): _member(path, archive, info)
                    for info in members
                }
        except (ValueError, EOFError, zipfile.BadZipFile) as error:
            raise InputError(f"{path}: {_reason(error)}") from error
        if not self.arrays:
            raise InputError(f"{path}: no arrays")
        self.columns = list(self.arrays)
        self.check_lengths()

    def inspections(self, columns: Sequence[str]) -> list[str]:
        """Return the mapped columns, which have not been read and whose CRC was not checked."""
        return [name for name in columns if name in self._mapped]

    def inspect(self, piece: str, columns: Sequence[str]) -> dict[str, Any]:
        """Read a whole column; zipfile checks its CRC."""
        try:
            with zipfile.ZipFile(self.path) as archive, archive.open(self._mapped[piece]) as file:
                while file.read(_READ_BYTES):
                    pass
        except (EOFError, zipfile.BadZipFile) as error:
            raise InputError(f"{self.path}: {piece!r} is damaged ({error})") from error
        return {}


def _member(path: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> np.ndarray:
    with archive.open(info) as file:
        mapped = info.compress_type == zipfile.ZIP_STORED
        read_header = _HEADERS.get(np.lib.format.read_magic(file)) if mapped else None
        if read_header is not None:
            shape, fortran, dtype = read_header(file)
            inside = file.tell()
    if read_header is None:  # compressed, or of a newer version, which numpy may reject
        with archive.open(info) as file:
            array = np.lib.format.read_array(file, allow_pickle=False)
            file.read(1)  # the CRC is checked at the end
            return array
    if dtype.hasobject:
        raise ValueError("Object arrays cannot be loaded")
    claimed, held = math.prod(shape) * dtype.itemsize, min(info.file_size, info.compress_size)
    if min(shape, default=0) < 0 or claimed > held - inside:
        raise ValueError(
            f"{info.filename} declares shape {shape} of {dtype}, {claimed} bytes, but has "
            f"{held - inside}"
        )
    if 0 in shape:
        return np.empty(shape, dtype)
    with open(path, "rb") as raw:  # only the file has the length of the local header
        raw.seek(info.header_offset + 26)
        name, extra = np.frombuffer(raw.read(4), "<u2")
    start = info.header_offset + 30 + int(name) + int(extra) + inside
    return np.memmap(path, dtype, "r", start, shape, "F" if fortran else "C")


def _plain(array: Any) -> Any:
    plain = np.ascontiguousarray(array)
    return plain.tolist() if plain.dtype.kind in "US" else plain


def _reason(error: Exception) -> str:
    text = str(error)
    if "bject" in text or "pickle" in text:  # "Object arrays", "Python objects"
        return "contains pickled objects, which are not loaded: they can run code"
    return f"truncated or not a numpy file ({text})"
