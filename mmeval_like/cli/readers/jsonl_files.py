""".jsonl: one JSON object per line, with the columns as keys."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers.text_lines import LinesTable

__all__ = ["JsonlTable"]


class JsonlTable(LinesTable):
    """Numbers, text, lists and objects. The first line says which columns there are."""

    def __init__(self, path: str) -> None:
        self.path = path
        with open(path, "rb") as file:
            first = file.readline()
        self.columns = list(self._object(first, 1)) if first.strip() else []

    def parse(self, block: bytes, columns: Sequence[str], place: int) -> dict[str, Any]:
        """Return one list per column."""
        found: dict[str, list[Any]] = {name: [] for name in columns}
        for index, line in enumerate(filter(bytes.strip, block.splitlines())):
            try:
                row = json.loads(line)
                for name in columns:
                    found[name].append(row[name])
            except (ValueError, KeyError, TypeError):
                number = self.line_of(place, index)
                row = self._object(line, number)
                name = next(name for name in columns if name not in row)
                raise InputError(f"{self.path}, line {number}: no column {name!r}") from None
        return dict(found)

    def _object(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"{self.path}, line {number}: truncated or not JSON") from error
        if not isinstance(row, dict):
            raise InputError(f"{self.path}, line {number}: expected a JSON object")
        return row
