"""Where the files contain nan, for values that are nan."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like._core.together import together
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli.readers import blaming
from mmeval_like.cli.request import Request
from mmeval_like.cli.specs import Spec, arguments_of
from mmeval_like.cli.terminal import tell

__all__ = ["tell_nan_cells"]


@dataclass
class _Nan:
    """The rows of a column that contain nan.

    Attributes:
        place: The system and the piece of work of the first one.
        where: The same for the user.
        rows: The number of rows.
    """

    place: tuple[int, int]
    where: str
    rows: int = 0


def tell_nan_cells(
    results: Any, requests: Sequence[Request], backend: BaseDistBackend, quiet: bool
) -> None:
    """Print which columns contain nan if a value is nan; every rank must call it.

    The files are read again, so that evaluations without nan pay nothing.

    Args:
        results: The values, the same on every rank.
        requests: The requests of one system, or of two.
        backend: Carries the messages.
        quiet: Print nothing.
    """
    if quiet or not _has_nan(results):
        return
    hit = [spec for spec in requests[0].specs if spec.arguments.get("nan") != "omit"]
    every = together(backend, lambda: _find(requests, hit, backend))
    omits = [spec.text.partition(":")[0] for spec in hit if "nan" in arguments_of(spec.cls)]
    cure = f", or ignore them with {omits[0]}:nan=omit" if omits else ""
    for name in dict.fromkeys(name for found in every for name in found):
        parts = [found[name] for found in every if name in found]
        first = min(parts, key=lambda part: part.place)
        rows = sum(part.rows for part in parts)
        if backend.rank == 0:
            tell(
                f"{name!r} is nan in {rows:,} row{'s' * (rows > 1)} (first: {first.where}), so "
                f"values computed from it are nan: fill or remove such rows{cure}, or say what "
                f"they count as with --unscored"
            )


def _has_nan(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_nan, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_has_nan, value))
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "f" and bool(np.isnan(value).any())
    return isinstance(value, float) and math.isnan(value)


def _find(
    requests: Sequence[Request], specs: Sequence[Spec], backend: BaseDistBackend
) -> dict[str, _Nan]:
    """Return what this rank's share contains, by column of some metrics."""
    found: dict[str, _Nan] = {}
    for side, request in enumerate(requests):
        taken = {a for s in specs for a in request.naming.taken(s.make(request.dataset_meta))}
        groups = [group for argument, group in request.columns.items() if argument in taken]
        wanted = [*dict.fromkeys(name for group in groups for name in group)]
        if not wanted:
            continue
        units = [*enumerate(request.units())][backend.rank :: backend.world_size]
        for number, (file, start, stop) in units:
            table = request.tables[file]
            with blaming(table.path):
                for batch in table.read(start, stop, wanted):
                    for name in wanted:
                        rows = _nan_rows(batch.columns[name])
                        if not len(rows):
                            continue
                        if name not in found:
                            where = f"{table.path}, {table.describe(batch, int(rows[0]))}"
                            found[name] = _Nan((side, number), where)
                        found[name].rows += len(rows)
    return found


def _nan_rows(column: Any) -> np.ndarray:
    """Return the indices of the rows that contain nan."""
    if isinstance(column, np.ndarray):
        if column.dtype.kind != "f":
            return np.empty(0, np.int64)
        return np.flatnonzero(np.isnan(column).reshape(len(column), -1).any(1))
    return np.flatnonzero([_has_nan(cell) for cell in column])
