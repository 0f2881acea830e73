"""The names of the classes without `--classes`: the sorted strings in the files."""

from __future__ import annotations

import math
import unicodedata
import warnings
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np

from mmeval_like._base.column_order import named_after
from mmeval_like._core.leaf import own_statistic
from mmeval_like._core.reasons import chosen
from mmeval_like._core.together import together
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli.errors import InputError, clipped
from mmeval_like.cli.readers import RowBatch, Table, blaming
from mmeval_like.cli.readers.text_columns import begins_with_texts, filled_cells, text_column
from mmeval_like.cli.request import Request
from mmeval_like.cli.specs import Spec
from mmeval_like.cli.terminal import tell
from mmeval_like.tables.arguments import taken
from mmeval_like.tables.unscored import MISSING_WORDS

__all__ = ["find_classes"]

_MOST = 1000  # classes; more distinct strings are free text, such as answers


def find_classes(requests: Sequence[Request], backend: BaseDistBackend, quiet: bool) -> None:
    """Name the classes of all requests by the strings in their columns; every rank must call it.

    The names are sorted by code points. They are needed only if predictions and labels are strings
    without `--classes`, and are used only if no number depends on their order.

    Args:
        requests: The requests of one system, or of two.
        backend: Carries the messages.
        quiet: Do not print which classes were found.

    Raises:
        InputError: A number depends on the order of the classes, two names look the same, or a
            metric needs classes, and there are none; on rank 0; the others raise RemoteError.
    """
    first = requests[0]
    wanted = {column for name in first.of_classes for column in first.columns.get(name, ())}
    if not wanted or first.classes:
        return
    if not first.recorded:
        _find(requests, wanted, backend, quiet)
    together(backend, partial(_check_made, first))


def _check_made(request: Request) -> None:
    """Raise InputError if a metric needs classes, and none were found."""
    for spec in request.specs:
        spec.make(request.dataset_meta)


def _find(
    requests: Sequence[Request], wanted: set[str], backend: BaseDistBackend, quiet: bool
) -> None:
    """Name the classes of all requests by the strings in some columns, if all cells are strings."""
    told = together(backend, lambda: _texts(requests, wanted, backend))
    if any(found is None for found in told):
        return  # a cell is not a string; the error of the metric says which
    names = sorted(set[str]().union(*(found for found in told if found is not None)))
    columns = " and ".join(sorted(wanted))
    together(backend, lambda: _check(names, columns, requests[0]) if backend.rank == 0 else None)
    for request in requests:
        assert request.dataset_meta is not None
        request.dataset_meta["classes"] = names
    if backend.rank == 0 and not quiet:
        tell(clipped(f"the classes are the strings in {columns}, sorted: {', '.join(names)}"))
        alike: dict[str, str] = {}
        equal: dict[Decimal | None, str] = {None: ""}
        for name in names:
            other = alike.setdefault(name.casefold(), name)
            same = equal.setdefault(_number(name), name)
            if other != name:
                tell(f"{other!r} and {name!r} differ only in case, and are two classes")
            elif same not in (name, ""):
                tell(f"{same!r} and {name!r} are the same number, and are two classes")
            if name.strip().casefold() in MISSING_WORDS:
                tell(f"{name!r} is a class; where it means that there is none, empty the cell")


def _number(name: str) -> Decimal | None:
    """Return the finite number that a cell of a table with this text could be, or None."""
    text = {"false": "0", "true": "1"}.get(name.casefold(), name)
    try:
        finite = math.isfinite(float(text))
    except ValueError:
        return None
    return Decimal(text) if finite else None  # exact: large ids have more digits than a float


def _texts(
    requests: Sequence[Request], wanted: set[str], backend: BaseDistBackend
) -> set[str] | None:
    """Return the distinct strings in this rank's share; None if some cells are not strings."""
    if not all(begins_with_texts(request.tables, name) for request in requests for name in wanted):
        return None
    found: set[str] = set()
    for request in requests:
        # Where rows without a score count, so do their labels.
        predicted = request.columns.get("predictions", ())
        partly = wanted if request.unscored == "drop" else wanted.intersection(predicted)
        for file, start, stop in request.units()[backend.rank :: backend.world_size]:
            table = request.tables[file]
            with blaming(table.path):
                for batch in table.read(start, stop, sorted(wanted.union(request.marks))):
                    reasons = request.reasons(batch)
                    for name in wanted:
                        cells = batch.columns[name]
                        if reasons is not None and name in partly:
                            cells = chosen(cells, np.array([one is None for one in reasons], bool))
                        texts = text_column(cells)
                        if texts is None and len(cells):
                            _check_filled(table, batch, name)
                            return None
                        found.update(texts or ())
    return found


def _check_filled(table: Table, batch: RowBatch, name: str) -> None:
    """Raise InputError if the cells of a column that has no missing values are strings and None."""
    cells = batch.columns[name]
    if not table.may_lack(name) and text_column(filled_cells(cells)) is not None:
        row = next(row for row, cell in enumerate(cells) if cell is None)
        raise InputError(table.no_value(table.describe(batch, row), name))


def _check(names: Sequence[str], columns: str, request: Request) -> None:
    """Raise InputError if names are ambiguous, or a value depends on their order."""
    if len(names) > _MOST:
        raise InputError(
            f"{columns}: {len(names):,} different strings are too many for classes; name the "
            f"classes with --classes, or compare strings with --metric exact_match"
        )
    known: dict[str, str] = {}
    for name in names:
        look = unicodedata.normalize("NFC", " ".join(name.split()))
        if not look:
            cures = "fill it, or name the classes (--classes)"
            if request.unscored is None:
                cures += "; --unscored says what rows without a prediction count as"
            raise InputError(f"{columns}: a cell is empty; {cures}")
        if look in known:
            raise InputError(
                f"{columns}: {known[look]!r} and {name!r} look the same; make them equal, or name "
                f"the classes with --classes"
            )
        known[look] = name
    orders = (named_after(one, names) for one in request.columns.values())
    listed = clipped(",".join(next(filter(None, orders), names)), 100)
    for spec in request.specs:
        _check_order(spec, names, listed)


def _check_order(spec: Spec, names: Sequence[str], listed: str) -> None:
    """Raise InputError if the values of a metric depend on the order of the classes."""
    number = spec.arguments.get("num_classes")
    if number not in (None, len(names)):
        raise InputError(
            f"--metric {spec.text} has {number} classes, but the files have {len(names)}: {listed}"
            f"; name all classes with --classes"
        )
    metric = spec.make({"classes": list(names)})
    needed = {name for name, one in taken(metric).items() if one.default is one.empty}
    if not own_statistic(metric).class_inputs:
        return
    given = f"name them in their order: --classes {listed}"
    if needed != {"predictions", "labels"} or not needed <= {*own_statistic(metric).class_inputs}:
        raise InputError(f"--metric {spec.text} needs the order of the classes; {given}")
    # One error of each class, and hits that differ between neighbours, since no other number
    # distinguishes the F1 of two classes.
    labels = [name for place, name in enumerate(names) for _ in range(2 * (place % 3) + 2)]
    following = dict(zip(names, [*names[1:], names[0]], strict=True))
    predictions = [
        following[name] if not place or labels[place - 1] != name else name
        for place, name in enumerate(labels)
    ]
    results: list[dict[str, np.ndarray]] = []
    for order in (list(names), [*names[1:], names[0]]):
        trial = spec.make({"classes": order})
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the metric warns again when it computes
                trial.add(predictions, labels)
                results.append(_numbers(trial.compute_local()))
        except MemoryError:
            raise
        except Exception as error:
            text = str(error).partition(" (in member")[0]
            raise InputError(
                f"--metric {spec.text}: the classes are {listed}, as the files have them: {text}"
            ) from error
    before, after = results
    if before.keys() != after.keys() or not all(
        one.shape == after[key].shape
        and np.allclose(one, after[key], rtol=1e-9, atol=1e-12, equal_nan=True)
        for key, one in before.items()
    ):
        raise InputError(
            f"--metric {spec.text} depends on the order of the classes, such as which one is the "
            f"positive class (the last of two); {given}"
        )


def _numbers(value: Any, key: str = "") -> dict[str, np.ndarray]:
    """Return the numbers of a result by their keys; those of a list or an array are sorted."""
    if isinstance(value, dict):
        named = (_numbers(entry, f"{key}/{name}") for name, entry in value.items())
        return {name: found for numbers in named for name, found in numbers.items()}
    if isinstance(value, list | tuple):
        parts = [one for entry in value for one in _numbers(entry).values()]
        return {key: np.sort(np.concatenate([np.empty(0), *parts]))}
    return {key: np.sort(np.asarray(value, np.float64), axis=None)}
