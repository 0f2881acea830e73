"""The columns of Arrow's tables by their names, including those inside structures."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import and_
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mmeval_like.arrays.arrow import first_null, from_arrow

__all__ = ["Columns", "NullError", "condition_of", "filled", "from_table", "inside", "names_of"]


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

    def values(self, name: str) -> Any:
        """Return a column in the form of `from_table`."""
        try:
            return from_table(self._table, name)
        except NullError as error:
            raise NullError(name, self._row + error.row) from None

    def entries(self, name: str) -> list[Any]:
        """Return a column as a list of Python values, with None for nulls."""
        found: list[Any] = _inner(self._table, name).to_pylist()
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
    return found.filter(condition_of(found.schema, ends))


def condition_of(schema: Any, ends: Mapping[str, tuple[Any, Any]]) -> Any:
    """Return the expression for rows with values between two, both included.

    Args:
        schema: The types of the columns.
        ends: The first and the last value of columns, or texts of such values.

    Raises:
        ValueError: An entry is no pair, or a value is not of the column's type.

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
        kind = schema.field(name).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        try:
            first, last = (pa.scalar(one).cast(kind) for one in pair)
        except (pa.ArrowException, TypeError, ValueError):
            first = last = pa.scalar(None, kind)
        if not first.is_valid or not last.is_valid:
            raise ValueError(f"between must have values of {kind} for {name!r}, got {pair!r:.100}")
        conditions += [pc.field(name) >= first, pc.field(name) <= last]
    return reduce(and_, conditions)


def from_table(table: Any, name: str, *, gaps: bool = False, absent: bool = False) -> Any:
    """Return a column of a table or a record batch: an array of numbers, or a list.

    Args:
        table: An Arrow table or record batch.
        name: The column's name, as `names_of` returns it.
        gaps: Whether cells may have no value, which is nan among numbers, and otherwise "".
        absent: Whether cells may have no value, which is None in a list.

    Raises:
        NullError: A cell has no value.
    """
    column = filled(_inner(table, name)) if gaps else _inner(table, name)
    row = first_null(column)
    if row is not None:
        if absent:
            return column.to_pylist()
        raise NullError(name, row)
    return from_arrow(column)


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


def _inner(batch: Any, name: str) -> Any:
    if name in batch.schema.names:
        return batch.column(name)
    column, fields, rest = None, batch.schema, name
    while rest:  # the longest name first, since names may contain dots
        known = [field.name for field in fields if f"{rest}.".startswith(f"{field.name}.")]
        step = max(known, key=len)
        column = batch.column(step) if column is None else pc.struct_field(column, [step])
        fields, rest = column.type, rest[len(step) + 1 :]
    return column
