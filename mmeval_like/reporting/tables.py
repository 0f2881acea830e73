"""The tables of the report: headline, slices, the worst of them, and classes."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mmeval_like.plots.reading import Number, Part, Slice, number_text

__all__ = ["Table", "classes_table", "clipped", "headline", "slices_table", "table", "worst_slices"]

_BYTES = 450_000  # of the cells of one table: the page must stay below 1.5 MB
_CELL = 60  # bytes of markup around a cell, about
_LONGEST = 120  # characters of a cell
_WORST = 5  # slices of each number


@dataclass(frozen=True)
class Table:
    """A table of texts.

    Attributes:
        head: The names of the columns; the first column names its row.
        rows: The cells.
        total: How many rows there are; more than are shown where the page would grow too large.
    """

    head: list[str]
    rows: list[list[str]]
    total: int


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """Return a table of these rows: of as many as the page has room for.

    Example:
        >>> table(["class", "recall"], [["cat", 0.5]]).rows
        [['cat', '0.5']]
    """
    shown: list[list[str]] = []
    size = total = 0
    for row in rows:
        total += 1
        cells = [clipped(cell) for cell in row] if size < _BYTES else []
        size += sum(len(html.escape(cell).encode("utf-8", "replace")) + _CELL for cell in cells)
        if size < _BYTES:
            shown.append(cells)
    return Table([*head], shown, total)


def clipped(cell: object) -> str:
    r"""Return what a cell shows: at most 120 characters, and no control characters.

    Example:
        >>> clipped("a\x00b"), len(clipped("x" * 1_000)), clipped(0.123456)
        ('a\ufffdb', 120, '0.1235')
    """
    text = number_text(cell)
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def headline(whole: Slice) -> Table:
    """Return every number of the whole, with its interval and how that was made."""
    rows = []
    for part in whole.parts:
        for key, one in part.numbers.items():
            found = one.interval
            method = f"{found.method}, {found.units:,} {found.unit}s" if found is not None else ""
            thin = f"~ {found.thin}" if found is not None and found.thin else ""
            rows.append([part.title(key), one.value, _ends(one), method, thin])
    head = ["number", "value", "interval", "how the interval was made", "remark"]
    kept = [at for at in range(5) if at < 2 or any(row[at] for row in rows)]
    return table([head[at] for at in kept], ([row[at] for at in kept] for row in rows))


def slices_table(slices: Sequence[Slice]) -> Table:
    """Return a row for every slice, and a column for every number."""
    columns = [(part, key) for part in slices[0].parts for key in part.numbers]
    counted = any(one.samples is not None for one in slices[1:])
    head = ["slice", *["samples"] * counted]
    head += [part.title(key) for part, key in columns]
    return table(
        head,
        (
            [
                one.name,
                *[one.samples] * counted,
                *(_cell(one.number(part.metric, key)) for part, key in columns),
            ]
            for one in slices
        ),
    )


def worst_slices(slices: Sequence[Slice], directions: Mapping[str, bool | None]) -> Table:
    """Return for every number that knows what is better the slices in which it is worst.

    Args:
        slices: The whole, then the slices.
        directions: By metric, whether more is better.
    """
    rows: list[list[object]] = []
    for part in slices[0].parts:
        better = directions.get(part.metric)
        if better is None:
            continue
        for key, whole in part.numbers.items():
            numbers = [(one.number(part.metric, key), one.name) for one in slices[1:]]
            known = [(one, name) for one, name in numbers if one is not None and one.is_known]
            known.sort(key=lambda pair: pair[0].value, reverse=not better)
            for one, name in known[:_WORST]:
                apart = one.low > whole.value or one.high < whole.value
                rows.append([name, part.title(key), one.value, _ends(one), whole.value])
                rows[-1].append("leaves it out" if apart else "")
    head = ["slice", "number", "value", "interval", "the whole", "interval and the whole"]
    kept = [at for at in range(6) if at not in (3, 5) or any(row[at] for row in rows)]
    return table([head[at] for at in kept], ([row[at] for at in kept] for row in rows))


def classes_table(parts: Sequence[Part]) -> Table:
    """Return a row for every class, the least one by its first number first.

    Lists of another length than the first are lists of something else, and are left out.
    """
    columns = [(part, key, found) for part in parts for key, found in part.by_class.items()]
    if not columns:
        return table(["class"], [])
    count = len(columns[0][2])
    columns = [column for column in columns if len(column[2]) == count]
    names = columns[0][0].names(count)
    first = columns[0][2]
    order = sorted(range(count), key=lambda at: (not first[at].is_known, first[at].value))
    head = ["class", *(part.title(key) for part, key, _ in columns)]
    return table(head, ([names[at], *(_cell(found[at]) for *_, found in columns)] for at in order))


def _ends(one: Number) -> str:
    if one.low != one.low:  # nan
        return ""
    return f"[{number_text(one.low)}, {number_text(one.high)}]"


def _cell(one: Number | None) -> str:
    """Return a number with its interval; "~" marks one that promises less than its level."""
    if one is None:
        return ""
    thin = " ~" if one.interval is not None and one.interval.thin else ""
    return f"{clipped(one.value)} {_ends(one)}{thin}".strip()
