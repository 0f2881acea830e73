"""What `score` was asked to do, checked before anything is started."""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import inspect
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers import Batch, Table, open_tables
from mmeval_like.cli.readers.coco_files import category_names
from mmeval_like.cli.specs import Spec, parse_spec
from mmeval_like.collection import MetricCollection
from mmeval_like.metric import BaseMetric

__all__ = ["Request", "read_request"]


@dataclass(frozen=True)
class Request:
    """Files, metrics, and which columns the metrics take.

    Attributes:
        tables: The files.
        specs: The metrics.
        columns: For each argument of the metrics, the columns it is made of.
        by: The column whose values are slices, or None.
        ids: The column of dataset indices, or None.
        size: The number of samples of the dataset, or None.
        dataset_meta: For the metrics.
    """

    tables: list[Table]
    specs: list[Spec]
    columns: dict[str, list[str]]
    by: str | None
    ids: str | None
    size: int | None
    dataset_meta: dict[str, Any] | None

    def make(self) -> MetricCollection:
        """Return the metrics, without samples, by their names; if two share one, in full."""
        names = [spec.text.partition(":")[0] for spec in self.specs]
        return MetricCollection(
            {
                spec.text if names.count(name) > 1 else name: spec.make(self.dataset_meta)
                for spec, name in zip(self.specs, names, strict=True)
            }
        )

    def units(self) -> list[tuple[int, int, int]]:
        """Return all pieces of work: file, start, stop. They do not depend on the ranks."""
        return [
            (index, start, stop)
            for index, table in enumerate(self.tables)
            for start, stop in table.units()
        ]

    def needed(self) -> list[str]:
        """Return the columns to read."""
        names = [name for group in self.columns.values() for name in group]
        return [*dict.fromkeys([*names, *(n for n in (self.by, self.ids) if n is not None)])]

    def arguments(self, batch: Batch) -> dict[str, Any]:
        """Return what the metrics take, by name."""
        found = {}
        for name, columns in self.columns.items():
            parts = [batch.columns[column] for column in columns]
            found[name] = parts[0] if len(parts) == 1 else np.stack(parts, axis=1)
        return found

    def fingerprint(self) -> str:
        """Return what must be equal for an interrupted run to be continued."""
        files = [(os.path.abspath(t.path), os.path.getsize(t.path)) for t in self.tables]
        described = (files, [s.text for s in self.specs], self.columns, self.by, self.ids)
        return hashlib.blake2b(repr(described).encode(), digest_size=16).hexdigest()


def read_request(options: argparse.Namespace) -> Request:
    """Check the options of `score` against the files.

    Raises:
        InputError: Anything that is wrong with them.
    """
    if options.size is not None and options.ids is None:
        raise InputError("--size needs --ids: which rows are padding cannot be told without")
    for target in filter(None, (options.json, options.csv)):
        if Path(target).is_dir():  # said now, not after hours
            raise InputError(f"{target}: is a folder")
        if not Path(target).absolute().parent.is_dir():
            raise InputError(f"{target}: no such folder")
    specs = [parse_spec(text) for text in options.metric]
    if len({spec.text for spec in specs}) < len(specs):
        raise InputError("--metric: the same metric is given twice")
    names = category_names(options.annotations) if options.annotations else None
    categories = {key: index for index, key in enumerate(names)} if names is not None else None
    for spec in specs:
        if options.annotations and "ann_file" in inspect.signature(spec.cls.__init__).parameters:
            spec.arguments.setdefault("ann_file", options.annotations)
            spec.arguments.setdefault("print_results", False)
    classes = list(names.values()) if names is not None else _classes(options.classes)
    meta = {"classes": classes} if classes else None
    tables = open_tables(options.files, categories)
    given = dict(_assignment(text) for text in options.column)
    columns = _columns([spec.make(meta) for spec in specs], specs, tables, given)
    for option in ("by", "ids"):
        name = getattr(options, option)
        if name is not None:
            _check_there(name, f"--{option}", tables)
    return Request(tables, specs, columns, options.by, options.ids, options.size, meta)


def _columns(
    metrics: Sequence[BaseMetric],
    specs: Sequence[Spec],
    tables: Sequence[Table],
    given: dict[str, list[str]],
) -> dict[str, list[str]]:
    taken = [_taken(metric) for metric in metrics]
    known = {name for parameters in taken for name in parameters}
    unknown = [name for name in given if name not in known]
    if unknown:
        raise InputError(
            f"--column {unknown[0]}=...: no metric takes it; they take {', '.join(sorted(known))}"
        )
    columns: dict[str, list[str]] = {}
    for parameters, spec in zip(taken, specs, strict=True):
        for name, parameter in parameters.items():
            wanted = given.get(name, [name])
            optional = parameter.default is not parameter.empty
            if optional and name not in given and not _everywhere(name, tables):
                continue
            if optional and name == "groundtruths" and spec.arguments.get("ann_file"):
                continue
            columns[name] = [
                c for w in wanted for c in _expand(w, f"{spec.text}, see --column", tables)
            ]
    return columns


def _taken(metric: BaseMetric) -> dict[str, inspect.Parameter]:
    """Return what the metric's `add` takes, by name."""
    function = metric.add if metric._appends_to_list else metric.statistic.rows
    return {
        name: parameter
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    }


def _expand(name: str, what: str, tables: Sequence[Table]) -> list[str]:
    if any(character in name for character in "*?["):
        found = fnmatch.filter(tables[0].columns, name)
        if not found:
            raise InputError(f"{tables[0].path}: no column fits {name!r}")
        for column in found:
            _check_there(column, what, tables)
        return found
    _check_there(name, what, tables)
    return [name]


def _everywhere(name: str, tables: Sequence[Table]) -> bool:
    return all(name in table.columns for table in tables)


def _check_there(name: str, what: str, tables: Sequence[Table]) -> None:
    for table in tables:
        if name not in table.columns:
            raise InputError(
                f"{table.path}: no column {name!r} (for {what}); it has "
                f"{', '.join(table.columns) or 'none'}"
            )
        if table.columns.count(name) > 1:
            raise InputError(f"{table.path}: more than one column is called {name!r}")


def _assignment(text: str) -> tuple[str, list[str]]:
    name, equals, columns = text.partition("=")
    if not equals or not columns:
        raise InputError(f"--column must look like argument=column, got {text!r}")
    return name, columns.split(",")


def _classes(text: str | None) -> list[str]:
    if text is None:
        return []
    if not text.startswith("@"):
        return text.split(",")
    try:
        lines = Path(text[1:]).read_text("utf-8").splitlines()
    except OSError as error:
        raise InputError(f"--classes {text}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"--classes {text}: the text is not UTF-8") from error
    return [line.strip() for line in lines if line.strip()]
