"""Functions for text metrics: checks, tokens, the longest common subsequence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from mmeval_like.writing import arrays

__all__ = [
    "Tokenizer",
    "as_pattern",
    "as_tokenizer",
    "byte_counts",
    "check_pairs",
    "check_references",
    "check_texts",
    "lcs_length",
    "split_characters",
    "split_words",
    "tokenizer_of",
    "without_symbols",
]

Tokenizer: TypeAlias = Callable[[str], Sequence[str]]

# The sign, point or comma of a number; or any symbol.
_SYMBOL = re.compile(r"((?<![^\W\d_])[-+.,\u2212](?=[.,]?\d))|[\W_]")
# Ideographs: the basic block, its extensions and the compatibility forms.
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


def check_texts(texts: Any, name: str) -> list[str]:
    """Return a sequence of strings as a list.

    Raises:
        TypeError: The argument is not a sequence, or is a single string, or an element is not a
            string.
    """
    checked: list[str] = arrays.listed(texts, name, "a list of strings")
    if set(map(type, checked)) <= {str}:
        return checked
    for place, text in enumerate(checked):
        if not isinstance(text, str):
            raise TypeError(
                f"{name} must be a list of strings, got {arrays.describe(text)} at index {place}"
            )
    return checked


def check_pairs(predictions: Any, groundtruths: Any) -> list[tuple[str, str]]:
    """Return every prediction with its label.

    Raises:
        TypeError: An input is not a list of strings.
        ValueError: `groundtruths` and `predictions` differ in length.
    """
    predicted = check_texts(predictions, "predictions")
    labels = check_texts(groundtruths, "groundtruths")
    arrays.check_same_length("predictions", predicted, "groundtruths", labels)
    return list(zip(predicted, labels, strict=True))


def check_references(
    references: Any, predictions: list[str], *, may_lack: bool = False
) -> list[list[str]]:
    """Return the references of each prediction: at least one, unless `may_lack`.

    A string is the only reference of its prediction.

    Raises:
        TypeError: The references are not a list of strings, or of lists of strings.
        ValueError: The numbers of predictions and references differ, or a prediction has no
            reference.
    """
    given = arrays.listed(references, "references", "a list of lists of strings")
    arrays.check_same_length("predictions", predictions, "references", given)
    lists = [
        [texts] if isinstance(texts, str) else check_texts(texts, f"references[{i}]")
        for i, texts in enumerate(given)
    ]
    for place, texts in enumerate(lists):
        if not texts and not may_lack:
            raise ValueError(
                f"references must have a string for every prediction; references[{place}] is empty"
            )
    return lists


def byte_counts(texts: list[str], name: str) -> list[int]:
    """Return how many bytes each text has in UTF-8.

    Raises:
        ValueError: UTF-8 cannot encode a string, since it contains an unpaired surrogate.
    """
    try:
        return [len(text.encode()) for text in texts]
    except UnicodeEncodeError as error:
        place = next(i for i, text in enumerate(texts) if text == error.object)
        raise ValueError(
            f"{name} must be strings that UTF-8 can encode, got {error.object[error.start]!r} in "
            f"the one at index {place}"
        ) from None


def split_words(text: str) -> list[str]:
    """Split a text at whitespace.

    Example:
        >>> split_words(" two  words ")
        ['two', 'words']
    """
    return text.split()


def split_characters(text: str) -> list[str]:
    """Return the characters that are not whitespace.

    Example:
        >>> split_characters("你好 ab")
        ['你', '好', 'a', 'b']
    """
    return [character for character in text if not character.isspace()]


def as_tokenizer(tokenizer: Tokenizer | str | None, name: str) -> Tokenizer | None:
    """Return the function of a tokenizer argument; None: `tokenizer_of` decides.

    Raises:
        ValueError: The name is neither "en" nor "cn".
        TypeError: The argument is neither a name, nor callable, nor None.
    """
    if tokenizer is None or callable(tokenizer):
        return tokenizer
    if not isinstance(tokenizer, str):
        raise TypeError(f"{name} must be callable, 'en', 'cn' or None, got {tokenizer!r}")
    if tokenizer not in ("en", "cn"):
        raise ValueError(f"{name} must be callable, 'en', 'cn' or None, got {tokenizer!r}")
    return split_words if tokenizer == "en" else split_characters


def tokenizer_of(references: Sequence[str]) -> Tokenizer:
    """Return the tokenizer of one sample: characters if a reference has an ideograph.

    The choice depends only on the sample's references, not on earlier samples, the rank, or
    predictions.

    Example:
        >>> tokenizer_of(["一只猫"]) is split_characters, tokenizer_of(["a cat"]) is split_words
        (True, True)
    """
    return split_characters if any(map(_IDEOGRAPH.search, references)) else split_words


def as_pattern(pattern: str | None, name: str) -> re.Pattern[str] | None:
    """Return a compiled regular expression; None for None.

    Raises:
        TypeError: The pattern is not a string.
        ValueError: The pattern is not a regular expression.
    """
    if pattern is None:
        return None
    if not isinstance(pattern, str):
        raise TypeError(f"{name} must be a regular expression, got {pattern!r}")
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(
            f"{name} must be a regular expression, got {pattern!r}: {error}"
        ) from error


def without_symbols(text: str, invalid: re.Pattern[str] | None = None) -> str:
    """Return a text without the matches of `invalid`; None: without symbols.

    Symbols are all characters except the letters, marks and digits of every script; a sign, a point
    or a comma that begins a number or is part of one is not a symbol, unless a letter is before it.

    Example:
        >>> [without_symbols(text) for text in ("-5 %", "$1,000.5!", "No.5-a", "да!", "कि")]
        ['-5', '1,000.5', 'No5a', 'да', 'कि']
    """
    if invalid:
        return invalid.sub("", text)
    return text if text.isalnum() else _SYMBOL.sub(_kept, text)


def _kept(match: re.Match[str]) -> str:
    number = match[1] is not None
    return match[0] if number or unicodedata.category(match[0]).startswith("M") else ""


def lcs_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of a longest common subsequence.

    The table of dynamic programming grows along a row by 0 or 1, so one bit per column of
    `second` holds a row, and a row follows from the one above by one addition (Hyyrö, 2004).

    Example:
        >>> lcs_length("abcdefxyz", "xyzaqbqcqdqeqf")
        6
    """
    if first == second:
        return len(second)
    places: dict[str, int] = {}
    bit = 1
    for token in second:
        places[token] = places.get(token, 0) | bit
        bit <<= 1
    full = bit - 1
    row = full  # a bit is 0 where the table grows
    for token in first:
        matches = row & places.get(token, 0)
        if matches:
            row = ((row + matches) | (row - matches)) & full
    return len(second) - row.bit_count()
