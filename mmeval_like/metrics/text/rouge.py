"""ROUGE: common n-grams, or longest common subsequences, of summaries and references."""

from __future__ import annotations

import importlib
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from mmeval_like.metrics.text.words import (
    Tokenizer,
    as_tokenizer,
    check_references,
    check_texts,
    lcs_length,
    split_words,
    tokenizer_of,
)
from mmeval_like.writing import (
    SHARE,
    BaseMetric,
    MetricOptions,
    Results,
    State,
    Unpack,
    ratio,
    state,
    warn,
)

__all__ = ["ROUGE"]

Key: TypeAlias = "int | str"

_KEYS: tuple[Key, ...] = (*range(1, 10), "L")
_PARTS = ("fmeasure", "precision", "recall")


class ROUGE(BaseMetric):
    """ROUGE: the n-grams, or longest subsequences, that texts share with their references.

    ROUGE-N counts the n-grams that a prediction and a reference have in common, each with the
    smaller of its two counts; ROUGE-L counts the tokens of a longest common subsequence. Precision
    is this number divided by the number of n-grams or tokens in the prediction, recall divides it
    by the number in the reference, and fmeasure is their harmonic mean. A value whose divisor is 0
    is 0. Values are means over samples, and equal those of the rouge-score package. Source: C. Lin,
    "ROUGE: a package for automatic evaluation of summaries" (2004).

    Formula:
        precision = mean common / predicted
        recall = mean common / referred
        fmeasure = mean 2 common / (predicted + referred)

    Args:
        rouge_keys: Which values to return: "L" for ROUGE-L, or a number from 1 to 9 for ROUGE-N;
            one or several.
        use_stemmer: Whether tokens of more than three letters are reduced to their stems, by
            Porter's algorithm. It needs nltk.
        normalizer: A function from string to string that is applied to every text. None: the
            normalisation of the rouge-score package, if texts are split at whitespace: lower case,
            and then every run of characters other than ASCII letters and digits becomes a space.
        tokenizer: "en": split at whitespace; "cn": every character that is not whitespace; or a
            function from a string to a sequence of tokens. None: chosen per sample: "cn" if one of
            its references contains an ideograph, otherwise "en".
        accumulate: How several references of one sample are combined. "best": for each key, the
            reference with the highest fmeasure is used, and in a tie the one with the highest
            recall. "avg": the mean over the references is used.
        lowercase: Whether the default normalisation converts to lower case.
        **options: As for `BaseMetric`.

    Raises:
        TypeError: `normalizer` is not callable, or `tokenizer` is neither callable nor a name.
        ValueError: A key, the tokenizer's name or `accumulate` is unknown.
        ImportError: `use_stemmer` is true, and nltk is not installed.

    Returns of `compute`: for each key `rouge{key}_fmeasure`, `rouge{key}_precision` and
    `rouge{key}_recall`, in [0, 1]. Without samples, the value is nan. Higher is better.

    Example:
        >>> metric = ROUGE(rouge_keys=(1, "L"))
        >>> metric.add(["The cat sat."], [["the cat is sitting", "a dog"]])  # 2 of 3, 2 of 4
        >>> {key: round(value, 4) for key, value in metric.compute().items() if "1" in key}
        {'rouge1_fmeasure': 0.5714, 'rouge1_precision': 0.6667, 'rouge1_recall': 0.5}
    """

    every_rank_computes = True
    takes_texts = True
    ranges = SHARE
    higher_is_better = True

    def __init__(
        self,
        rouge_keys: Key | Sequence[Key] = (1, 2, "L"),
        use_stemmer: bool = False,
        normalizer: Callable[[str], str] | None = None,
        tokenizer: Tokenizer | str | None = None,
        accumulate: str = "best",
        lowercase: bool = True,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        keys = (rouge_keys,) if isinstance(rouge_keys, int | str) else tuple(rouge_keys)
        if not keys or any(isinstance(key, bool) or key not in _KEYS for key in keys):
            raise ValueError(f"rouge_keys must be 1 to 9 or 'L', got {rouge_keys!r}")
        if accumulate not in ("best", "avg"):
            raise ValueError(f"accumulate must be 'best' or 'avg', got {accumulate!r}")
        if normalizer is not None and not callable(normalizer):
            raise TypeError(f"normalizer must be callable, got {normalizer!r}")
        if use_stemmer:
            _load_stemmer()
        self.rouge_keys = keys
        self.use_stemmer = use_stemmer
        self.normalizer = normalizer
        self.tokenizer = as_tokenizer(tokenizer, "tokenizer")
        self.accumulate = accumulate
        self.lowercase = lowercase
        self._warn_nothing_left = True

    def states(self) -> dict[str, State]:
        """Return the sums of the scores: fmeasure, precision and recall for each key."""
        return {"score": state.sum(float, (len(self.rouge_keys), len(_PARTS)))}

    def rows(self, predictions: Any, references: Any) -> dict[str, np.ndarray]:
        """Return the scores of each sample.

        Args:
            predictions: N strings.
            references: N strings, or N lists of at least one string.

        Raises:
            TypeError: An input is not a list of strings.
            ValueError: `references` and `predictions` differ in length, or a prediction has no
                reference.
        """
        predictions = check_texts(predictions, "predictions")
        references = check_references(references, predictions)
        scores = []
        for sample in zip(predictions, references, strict=True):
            scores.append(self._score(*sample))
        shape = (len(scores), len(self.rouge_keys), len(_PARTS))
        return {"score": np.array(scores, np.float64).reshape(shape)}

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return rows of texts with all scores 0 ("worst"), 1 ("best"), or a given number."""
        score = self.score_of(fill, "rouge1_recall")
        if score is None:
            return None
        return {"score": np.full((count, len(self.rouge_keys), len(_PARTS)), score)}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the mean of each score."""
        return {
            f"rouge{key}_{part}": ratio(float(results.score[i, j]), len(results))
            for i, key in enumerate(self.rouge_keys)
            for j, part in enumerate(_PARTS)
        }

    def _score(self, prediction: str, references: list[str]) -> list[tuple[float, ...]]:
        tokenize = self.tokenizer or tokenizer_of(references)
        predicted = self._tokens(prediction, tokenize)
        tokenized = [self._tokens(text, tokenize) for text in references]
        if self._warn_nothing_left and not all(tokenized):
            self._warn_foreign(references, tokenized)
        scores: list[tuple[float, ...]] = []
        for key in self.rouge_keys:
            triples = _compare(key, predicted, tokenized)
            if self.accumulate == "best":
                scores.append(max(triples, key=lambda triple: (triple[0], triple[2])))
            else:
                columns = zip(*triples, strict=True)
                scores.append(tuple(math.fsum(column) / len(triples) for column in columns))
        return scores

    def _tokens(self, text: str, tokenize: Tokenizer) -> list[str]:
        if self.normalizer is not None:
            text = self.normalizer(text)
        elif tokenize is split_words:
            text = _SYMBOLS.sub(" ", text.lower() if self.lowercase else text)
        tokens = list(tokenize(text))
        return [_stem(token) for token in tokens] if self.use_stemmer else tokens

    def _warn_foreign(self, references: list[str], tokenized: list[list[str]]) -> None:
        for text, tokens in zip(references, tokenized, strict=True):
            if not tokens and any(map(str.isalnum, text)):
                self._warn_nothing_left = False
                warn(
                    f"no token is left of the reference {text[:40]!r}, which counts as 0: only "
                    "ASCII letters and digits are kept; pass a normalizer or a tokenizer",
                    UserWarning,
                )
                return


_SYMBOLS = re.compile("[^A-Za-z0-9]+")


def _compare(
    key: Key, predicted: list[str], references: list[list[str]]
) -> list[tuple[float, float, float]]:
    """Return fmeasure, precision and recall against each reference."""
    if key == "L":
        lengths = [(lcs_length(predicted, tokens), len(tokens)) for tokens in references]
        return [_triple(matched, len(predicted), length) for matched, length in lengths]
    own = _n_grams(predicted, int(key))
    total = own.total()
    triples = []
    for tokens in references:
        others = _n_grams(tokens, int(key))
        matched = sum(min(own[gram], others[gram]) for gram in own.keys() & others.keys())
        triples.append(_triple(matched, total, others.total()))
    return triples


def _n_grams(tokens: list[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


def _triple(matched: int, predicted: int, reference: int) -> tuple[float, float, float]:
    # From the counts, so that equal quotients give equal floats for every reference.
    return (
        ratio(2 * matched, predicted + reference, 0.0),
        ratio(matched, predicted, 0.0),
        ratio(matched, reference, 0.0),
    )


@lru_cache(maxsize=1)
def _load_stemmer() -> Any:
    try:
        return importlib.import_module("nltk.stem.porter").PorterStemmer()
    except ImportError as error:
        raise ImportError("use_stemmer=True needs nltk: pip install nltk") from error


@lru_cache(maxsize=2**16)
def _stem(token: str) -> str:
    return _load_stemmer().stem(token) if len(token) > 3 else token
