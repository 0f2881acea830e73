""".jsonl: one JSON object per line, with the columns as keys."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers.text_lines import LinesTable

__all__ = ["JsonlTable"]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


_decode = json.JSONDecoder(object_pairs_hook=_unique).decode


def _parsed(line: bytes) -> Any:
    """Return the value of a line of JSON.

    Raises:
        ValueError: The line is not JSON or not UTF-8, or a key occurs twice in an object.
        RecursionError: The line is nested too deeply.
    """
    return _decode(line.decode("utf-8-sig", "surrogatepass"))


class JsonlTable(LinesTable):
    """Numbers, text, lists and objects. The first line determines the columns."""

    def __init__(self, path: str) -> None:
        self.path = path
        with open(path, "rb") as file:
            first = file.readline()
        self.columns = _names(self._object(first, 1)) if first.strip() else []

    def parse(self, block: bytes, columns: Sequence[str], place: int) -> dict[str, Any]:
        """Return one list per column."""
        name = ""
        found: dict[str, list[Any]] = {name: [] for name in columns}
        for index, line in enumerate(filter(self.is_row, block.splitlines())):
            try:
                row = _parsed(line)
                for name in columns:
                    found[name].append(self._cell(row, name))
            except (ValueError, KeyError, TypeError, RecursionError):
                number = self.line_of(self.path, place, index)
                self._object(line, number)
                raise InputError(f"{self.path}, line {number}: no column {name!r}") from None
        return dict(found)

    def _cell(self, row: Mapping[str, Any], name: str) -> Any:
        """Return a cell of a row; nan for None where a number may have no value.

        In a column of slices, None for nan, as pandas has it for texts.

        Raises:
            KeyError, TypeError: The row does not have it, and must.
        """
        try:
            cell = row[name] if name in row else _inner(row, name)
            if cell is None and name in self.gaps:
                return math.nan
            return None if name in self.slices and cell != cell else cell
        except (KeyError, TypeError):
            if self.may_lack(name):
                return None
            raise

    def _object(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            row = _parsed(line)
        except (ValueError, RecursionError) as error:
            twice = type(error) is ValueError
            text = f"{error}" if twice else "truncated or not JSON; a line is one JSON object"
            raise InputError(f"{self.path}, line {number}: {text}") from error
        if not isinstance(row, dict):
            raise InputError(f"{self.path}, line {number}: expected a JSON object, {{...}}")
        return row


def _names(row: Mapping[str, Any]) -> list[str]:
    """Return the keys of an object; those of a nested object are written as `outer.inner`."""
    names = list(row)
    for name, value in row.items():
        if isinstance(value, dict):
            names += [path for path in (f"{name}.{n}" for n in _names(value)) if path not in row]
    return names


def _inner(row: Mapping[str, Any], name: str) -> Any:
    """Return the value of `outer.inner`; keys may contain dots, so the longest that fits is used.

    Raises:
        KeyError, TypeError: There is no such value.
    """
    value: Any = row
    while name:
        step = max((key for key in value if f"{name}.".startswith(f"{key}.")), key=len, default="")
        value, name = value[step], name[len(step) + 1 :]
    return value
