"""The kinds that fit CSV cells, and the conversion of a column to its kind."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mmeval_like.cli.readers.inspection import Cells

__all__ = ["look_at", "read_as"]

_ARROW = {"integer": pa.int64(), "float": pa.float64()}


def look_at(column: Any, path: str, place: int) -> Cells:
    """Return the kinds that fit a block's cells of a column; empty cells fit every kind.

    A number with leading zeros ("007") is text, as is an integer of more than 64 bits: both are
    names. Spaces around a number do not matter.

    Args:
        column: An Arrow array of strings.
        path: The file.
        place: The start of the block in the file, in bytes.
    """
    texts = pc.utf8_trim_whitespace(column)
    kinds = frozenset(kind for kind, fit in _FIT.items() if fit(texts.filter(_filled(texts))))
    odd = None if kinds & {"integer", "float"} else _first_odd(texts)
    return Cells(kinds, None if odd is None else (path, place, odd, str(column[odd])))


def read_as(kind: str, column: Any) -> Any:
    """Return a column of strings as an Arrow array of this kind, with nulls for empty cells."""
    if kind == "text":
        return column
    texts = pc.utf8_trim_whitespace(column)
    texts = pc.if_else(_filled(texts), texts, pa.NULL)
    return _is(texts, "true") if kind == "truth" else texts.cast(_ARROW[kind])


def _fits_truth(texts: Any) -> bool:
    return bool(pc.all(pc.or_(_is(texts, "true"), _is(texts, "false")), min_count=0).as_py())


def _fits_integer(texts: Any) -> bool:
    try:
        again = texts.cast(pa.int64()).cast(pa.string())
    except pa.ArrowInvalid:
        return False
    return bool(pc.all(pc.equal(again, texts), min_count=0).as_py())


def _fits_float(texts: Any) -> bool:
    try:
        texts.cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    names = pc.match_substring_regex(texts, "^-?0[0-9]|^-?[0-9]{19,}$")
    return not pc.any(names, min_count=0).as_py()


_FIT = {"truth": _fits_truth, "integer": _fits_integer, "float": _fits_float}


# The first time that Arrow converts a Python value, it imports pandas, which takes longer than to
# score a short file. These functions take none; a pattern without wildcards is a comparison.


def _filled(texts: Any) -> Any:
    return pc.binary_length(texts).cast(pa.bool_())


def _is(texts: Any, word: str) -> Any:
    return pc.match_like(pc.utf8_lower(texts), word)


def _first_odd(texts: Any) -> int | None:
    """Return the index of the first string that is not a number."""
    start, length = 0, len(texts)
    if _numbers(texts):  # all are numbers, but of different kinds
        return None
    while length > 1:  # one of the halves contains such a string
        half = length // 2
        if _numbers(texts.slice(start, half)):
            start, length = start + half, length - half
        else:
            length = half
    return start


def _numbers(texts: Any) -> bool:
    texts = texts.filter(_filled(texts))
    whole = texts.filter(pc.match_substring_regex(texts, "^-?[0-9]{19,}$"))
    others = texts.filter(pc.invert(pc.match_substring_regex(texts, "^-?[0-9]{19,}$")))
    return _fits_integer(whole) and _fits_float(others)
