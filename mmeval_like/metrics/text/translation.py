"""Tokenizers of translations: those of this package for any text, or sacrebleu's."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mmeval_like.metrics.text.words import Tokenizer, split_characters, split_words
from mmeval_like.writing import needed_for

__all__ = ["as_translation_tokenizer", "name_of_tokenizer"]

_OWN: dict[str, Tokenizer] = {
    "en": split_words,
    "none": split_words,
    "cn": split_characters,
    "char": split_characters,
}
_SACREBLEU = ("13a", "intl", "zh")
_NAMES = ", ".join(map(repr, ("en", "cn", *_SACREBLEU, "char", "none")))


@dataclass(frozen=True)
class SacrebleuTokenizer:
    """A tokenizer of sacrebleu that can be pickled and compared.

    Attributes:
        name: The tokenizer's name in sacrebleu.
    """

    name: str

    def __call__(self, text: str) -> list[str]:
        """Return the tokens of a text."""
        return _load(self.name)(text.rstrip()).split()


@lru_cache
def _load(name: str) -> Callable[[str], str]:
    with needed_for(f"the tokenizer {name!r}", "pip install 'mmeval-like[text]'"):
        metrics: Any = importlib.import_module("sacrebleu.metrics")
    found: Callable[[str], str] = metrics.BLEU(tokenize=name, force=True).tokenizer
    return found


def as_translation_tokenizer(tokenizer: Tokenizer | str | None) -> Tokenizer | None:
    """Return the function of a `tokenizer_fn`; None if it is chosen for each sample.

    Raises:
        ValueError: The name is unknown.
        TypeError: `tokenizer` is neither a name, nor callable, nor None.
        ModuleNotFoundError: The tokenizer is one of sacrebleu's, which is not installed.
    """
    if tokenizer is None or callable(tokenizer):
        return tokenizer
    text = f"tokenizer_fn must be callable, {_NAMES} or None, got {tokenizer!r}"
    if not isinstance(tokenizer, str):
        raise TypeError(text)
    if tokenizer in _SACREBLEU:
        _load(tokenizer)
        return SacrebleuTokenizer(tokenizer)
    if tokenizer not in _OWN:
        raise ValueError(text)
    return _OWN[tokenizer]


def name_of_tokenizer(tokenizer: Tokenizer | None) -> str:
    """Return sacrebleu's name of a tokenizer, or else the tokenizer's own name.

    Example:
        >>> name_of_tokenizer(split_words), name_of_tokenizer(split_characters)
        ('none', 'char')
        >>> name_of_tokenizer(None), name_of_tokenizer(str.splitlines)
        ('by-sample', 'splitlines')
    """
    if tokenizer is None:
        return "by-sample"
    if isinstance(tokenizer, SacrebleuTokenizer):
        return tokenizer.name
    known: dict[Any, str] = {split_words: "none", split_characters: "char"}
    return known.get(tokenizer) or str(getattr(tokenizer, "__name__", type(tokenizer).__name__))
