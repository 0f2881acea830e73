"""Results as a table, as JSON and as CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.slices import WHOLE

__all__ = ["print_table", "write_csv", "write_json"]

Results = Mapping[str, Mapping[str, Any]]


def print_table(results: Results, by: str | None, classes: Sequence[str]) -> None:
    """Print one line per number; without rich in plain columns."""
    lines: list[tuple[Any, ...]] = list(_numbers(results, classes))
    heading = ["metric", "", "value"]
    if by is not None:
        heading = [by, *heading]
        lines.sort(key=lambda line: line[0] != WHOLE)
    else:
        lines = [line[1:] for line in lines]
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        for line in [tuple(heading), *lines]:
            print("  ".join(_text(cell) for cell in line))
        return
    table = Table()
    for name in heading:
        table.add_column(name, justify="right" if name == "value" else "left", overflow="fold")
    for line in lines:
        table.add_row(*(_text(cell) if cell != WHOLE else "all" for cell in line))
    Console().print(table)


def write_json(path: str, results: Results) -> None:
    """Write all results: by slice where there are several, then by metric.

    Raises:
        InputError: The file cannot be written.
    """
    found: Any = results if len(results) > 1 else results[WHOLE]
    if len(results) > 1:
        found = {"all" if name == WHOLE else name: values for name, values in results.items()}
    _write(path, json.dumps(_plain(found), indent=2) + "\n")


def write_csv(path: str, results: Results, classes: Sequence[str]) -> None:
    """Write one line per number: slice, metric, key, value.

    Raises:
        InputError: The file cannot be written.
    """
    try:
        with open(path, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["slice", "metric", "key", "value"])
            for name, metric, key, value in _numbers(results, classes):
                writer.writerow(["all" if name == WHOLE else name, metric, key, repr(value)])
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w") as file:
            file.write(text)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def _numbers(results: Results, classes: Sequence[str]) -> Iterator[tuple[str, str, str, Any]]:
    for name, metrics in results.items():
        for metric, values in metrics.items():
            for key, value in _flat("", _plain(values), classes):
                yield name, metric, key, value


def _flat(prefix: str, value: Any, classes: Sequence[str]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _flat(f"{prefix} {key}".strip(), entry, classes)
    elif isinstance(value, list):
        names = classes if len(classes) == len(value) else [str(i) for i in range(len(value))]
        for name, entry in zip(names, value, strict=True):
            yield from _flat(f"{prefix} {name}".strip(), entry, classes)
    else:
        yield prefix, value


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
