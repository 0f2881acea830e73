"""The columns of Arrow's tables by their names, including those inside structures."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import and_
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mmeval_like.arrays.arrow import first_null, from_arrow, numbered

__all__ = [
    "Columns",
    "NullError",
    "condition_of",
    "dated",
    "filled",
    "from_table",
    "inner",
    "inside",
    "names_of",
    "without_views",
]


class NullError(ValueError):
    """A cell has no value.

    Attributes:
        name: The name of the column.
        row: The place of the first such row in the table.
    """

    def __init__(self, name: str, row: int) -> None:
        super().__init__(f"row {row}: no value in {name!r}")
        self.name, self.row = name, row


class Columns:
    """The columns of an object that supports Arrow's protocol.

    Args:
        table: A table of pyarrow, or of a library that exports its tables to Arrow.
        row: How many rows come before those of the table, for errors.
    """

    def __init__(self, table: Any, row: int = 0) -> None:
        self._table, self._row = pa.table(table), row

    def values(self, name: str, *, gaps: bool = False) -> Any:
        """Return a column in the form of `from_table`."""
        try:
            return from_table(self._table, name, gaps=gaps)
        except NullError as error:
            raise NullError(name, self._row + error.row) from None

    def entries(self, name: str) -> list[Any]:
        """Return a column as a list of Python values, with None for nulls and texts for dates."""
        found: list[Any] = _cells(self._table, name).to_pylist()
        return found


def names_of(schema: Any) -> list[str]:
    """Return the names of a schema's columns, those inside structures as `outer.inner`."""
    names = [field.name for field in schema]
    for field in schema:
        if pa.types.is_struct(field.type):
            inner = [f"{field.name}.{name}" for name in names_of(field.type)]
            names += [name for name in inner if name not in names]
    return names


def inside(table: Any, ends: Mapping[str, tuple[Any, Any]]) -> Any:
    """Return the rows of a table, or of a dict of arrays, that `condition_of` describes.

    Example:
        >>> inside({"day": [1, 2, 3]}, {"day": (2, 3)})["day"].to_pylist()
        [2, 3]
    """
    found = pa.table(table)
    # Views, which polars has, can be neither compared nor filtered.
    found = found.cast(
        pa.schema([field.with_type(without_views(field.type)) for field in found.schema])
    )
    return found.filter(condition_of(found.schema, ends))


def condition_of(schema: Any, ends: Mapping[str, tuple[Any, Any]]) -> Any:
    """Return the expression for rows with values between two, both included.

    Args:
        schema: The types of the columns.
        ends: The first and the last value of columns, or texts of such values. A date stands for
            its first moment in a column of times.

    Raises:
        ValueError: An entry is no pair, or a value is not of the column's type: a number among
            texts, or a time without a zone among times with one.

    Example:
        >>> condition_of(pa.schema({"day": pa.date32()}), {"day": ("2026-11-01", "2026-11-30")})
        <pyarrow.compute.Expression ((day >= 2026-11-01) and (day <= 2026-11-30))>
    """
    conditions = []
    for name, pair in ends.items():
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise ValueError(
                f"between must have the first and the last value of {name!r}, got {pair!r:.100}"
            )
        path = _path(schema, name)
        kind = schema.field(path[0]).type
        for step in path[1:]:
            kind = kind.field(step).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        first, last = (_end(one, kind) for one in pair)
        if first is None or last is None:
            raise ValueError(f"between must have values of {kind} for {name!r}, got {pair!r:.100}")
        conditions += [pc.field(*path) >= first, pc.field(*path) <= last]
    return reduce(and_, conditions)


def _end(value: Any, kind: Any) -> Any:
    """Return an end of a range as a scalar of a type; None if it is no value of this type."""
    try:
        given = pa.array(np.asarray([value]))[0]
        found = given.cast(kind)
        text = _sort(given.type) == "text"
        if not text and _sort(given.type) != _sort(kind):
            return None
        rounded = pa.types.is_date(kind) and not text  # a date has no time of the day
        # A null and nan are not equal to themselves.
        return found if pc.equal(found, given if rounded else found).as_py() else None
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return None


def _sort(kind: Any) -> Any:
    """Return what values of a type can be compared with."""
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return "text"
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return "time with a zone" if getattr(kind, "tz", None) else "time"
    if pa.types.is_decimal(kind) or pa.types.is_boolean(kind) or pa.types.is_floating(kind):
        return "number"
    return "number" if pa.types.is_integer(kind) else kind


def without_views(kind: Any) -> Any:
    """Return a type without views."""
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, without_views(kind.value_type), kind.ordered)
    views = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    return views.get(kind, kind)


def from_table(table: Any, name: str, *, gaps: bool = False, absent: bool = False) -> Any:
    """Return a column of a table or a record batch: an array of numbers, or a list.

    Dates and times are texts, as `dated` writes them.

    Args:
        table: An Arrow table or record batch.
        name: The column's name, as `names_of` returns it.
        gaps: Whether cells may have no value, which is nan among numbers, and otherwise "".
        absent: Whether cells may have no value, which is None in a list.

    Raises:
        NullError: A cell has no value.
    """
    column = _cells(table, name)
    column = filled(column) if gaps else column
    row = first_null(column)
    if row is not None:
        if absent:
            return column.to_pylist()
        raise NullError(name, row)
    return from_arrow(column)


def _cells(table: Any, name: str) -> Any:
    """Return an Arrow column with texts instead of dates, and numbers instead of decimals."""
    return numbered(dated(inner(table, name)))


def dated(column: Any) -> Any:
    """Return an Arrow column with texts instead of dates and times, the same for any unit of these.

    Example:
        >>> dated(pa.array([20786], pa.date32())).to_pylist(), dated(pa.array([1])).to_pylist()
        (['2026-11-29'], [1])
        >>> dated(pa.array([1_500_000, 0], pa.timestamp("us", "UTC"))).to_pylist()
        ['1970-01-01 00:00:01.5Z', '1970-01-01 00:00:00Z']
    """
    if pa.types.is_dictionary(column.type) and pa.types.is_temporal(column.type.value_type):
        column = column.cast(column.type.value_type)
    if not pa.types.is_temporal(column.type):
        return column
    texts = column.cast(pa.string())
    texts = pc.replace_substring_regex(texts, r"\.0+(Z|[+-].*)?$", r"\1")
    return pc.replace_substring_regex(texts, r"(\.\d*[1-9])0+(Z|[+-].*)?$", r"\1\2")


def filled(column: Any) -> Any:
    """Return an Arrow column with nan for numbers that are missing, and "" for other values.

    Example:
        >>> filled(pa.array([1, None])).to_pylist(), filled(pa.array(["a", None])).to_pylist()
        ([1.0, nan], ['a', ''])
    """
    if not column.null_count:
        return column
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return column.cast(pa.float64(), safe=False).fill_null(float("nan"))
    texts = ["" if cell is None else str(cell) for cell in column.to_pylist()]
    return pa.array(texts, pa.string())


def inner(batch: Any, name: str) -> Any:
    """Return a column of a table or a record batch by a name of `names_of`."""
    outer, *steps = _path(batch.schema, name)
    column = batch.column(outer)
    return pc.struct_field(column, steps) if steps else column


def _path(schema: Any, name: str) -> list[str]:
    """Return the names of a column and of the fields inside it that lead to a name of `names_of`.

    Example:
        >>> _path(pa.schema({"a.b": pa.struct({"c": pa.int8()})}), "a.b.c")
        ['a.b', 'c']
    """
    if name in schema.names:
        return [name]
    path: list[str] = []
    fields, rest = schema, name
    while rest:  # the longest name first, since names may contain dots
        known = [field.name for field in fields if f"{rest}.".startswith(f"{field.name}.")]
        path.append(max(known, key=len))
        fields, rest = fields.field(path[-1]).type, rest[len(path[-1]) + 1 :]
    return path
