"""ExactMatch and VQAAccuracy: the shares of answers that equal references."""

from __future__ import annotations

import operator
import string
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics.text.text_metrics import Answers, TextMetric, read_references, read_texts
from mmeval_like.metrics.text.words import as_pattern
from mmeval_like.writing import SHARE, SampleMean

__all__ = ["ExactMatch", "VQAAccuracy"]

# The number of people who must agree on an answer for it to be fully right.
_AGREE = 3


class ExactMatch(TextMetric, SampleMean):
    """The fraction of predictions that equal one of their references, character by character.

    R are the references of a prediction p. Ignored parts are first removed from both, in
    this order: the matches of the regular expressions, case, punctuation, digits. `add` takes
    `predictions`, N strings, `references`, N lists of strings or N strings, and `sample_weight`
    (N,). For labels instead of texts, use `SubsetAccuracy`, which other libraries call exact match.

    Formula:
        exact = (sum w [p in R]) / (sum w)

    Args:
        ignore_case: Whether texts are compared in lower case.
        ignore_punctuation: Whether ASCII punctuation is removed.
        ignore_numbers: Whether the digits 0 to 9 are removed.
        ignore_regexes: A list of regular expressions; their matches are removed, one expression
            after the other.
        **options: As for `TextMetric`.

    Returns of `compute`: `exact_match`, in [0, 1]; nan without samples. Higher is better.

    Raises:
        TypeError: `ignore_regexes` is a single string, or an entry of it is not a string.
        ValueError: A string is not a regular expression.

    Example:
        >>> metric = ExactMatch(ignore_case=True, ignore_punctuation=True)
        >>> metric.add(["The moon.", "mars"], [["Luna", "the moon"], ["venus"]])
        >>> metric.compute()
        {'exact_match': 0.5}
    """

    key = "exact_match"
    ranges = SHARE
    higher_is_better = True

    def __init__(
        self,
        *,
        ignore_case: bool = False,
        ignore_punctuation: bool = False,
        ignore_numbers: bool = False,
        ignore_regexes: Sequence[str] = (),
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if isinstance(ignore_regexes, str):
            raise TypeError(f"ignore_regexes must be a list of strings, got {ignore_regexes!r}")
        self.ignore_case = ignore_case
        patterns = [as_pattern(each, "ignore_regexes") for each in ignore_regexes]
        self.ignore_regexes = tuple(pattern for pattern in patterns if pattern is not None)
        removed = string.punctuation * ignore_punctuation + string.digits * ignore_numbers
        self._removed = str.maketrans("", "", removed)

    def scores(self, predictions: Any, references: Any) -> np.ndarray:
        """Return 1 for every prediction that equals a reference, 0 for the others.

        Args:
            predictions: N strings.
            references: N lists of at least one string, or N strings.

        Raises:
            TypeError: An input is not a list of strings.
            ValueError: `references` and `predictions` differ in length, or a prediction has no
                reference.
        """
        answers = Answers.read(predictions, references, self.normalizer)
        pairs = [self._without(texts) for texts in (answers.predictions, answers.references)]
        return answers.best(np.array([*map(operator.eq, *pairs)], np.float64))

    def _without(self, texts: list[str]) -> list[str]:
        """Return texts without their ignored parts."""
        for pattern in self.ignore_regexes:
            texts = [pattern.sub("", text) for text in texts]
        if self.ignore_case:
            texts = [text.lower() for text in texts]
        if self._removed:
            texts = [text.translate(self._removed) for text in texts]
        return texts


class VQAAccuracy(TextMetric, SampleMean):
    """VQA accuracy: the agreement of answers about images with human answers.

    An answer is fully right if at least three people gave it. K people answered a question;
    agreeing_k of them, without person k, gave the predicted answer, which then counts min(1,
    agreeing_k / 3). A prediction's value is the mean over the K people left out. Source: S. Antol
    et al., "VQA: visual question answering" (ICCV 2015), with ten people per question. Texts are
    compared as they are: the benchmark's own normalisation can be given as `normalizer`. `add`
    takes `predictions`, N strings, `references`, N lists of the answers of three people or more,
    and `sample_weight` (N,).

    Formula:
        accuracy = mean 1/K sum_k min(1, agreeing_k / 3)

    Args:
        **options: As for `TextMetric`.

    Returns of `compute`: `vqa_accuracy`, in [0, 1]; nan without samples. Higher is better.

    Example:
        >>> metric = VQAAccuracy()
        >>> metric.add(["red"], [["red"] * 3 + ["blue"] * 7])
        >>> metric.compute()  # (7 * 3 / 3 + 3 * 2 / 3) / 10
        {'vqa_accuracy': 0.9}
    """

    key = "vqa_accuracy"
    ranges = SHARE
    higher_is_better = True

    def scores(self, predictions: Any, references: Any) -> np.ndarray:
        """Return every prediction's accuracy.

        Args:
            predictions: N strings.
            references: N lists of at least three strings.

        Raises:
            TypeError: An input is not a list of strings.
            ValueError: `references` and `predictions` differ in length, or a question has fewer
                than three answers.
        """
        found = read_texts(predictions, "predictions", self.normalizer)
        lists = self._answers(found, references)
        agree = [own.count(text) for text, own in zip(found, lists, strict=True)]
        return _accuracies(agree, lists)

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return rows of answers with a given score; the best is that of the most common answer."""
        if fill != "best" or "references" not in inputs:
            return super().filled(fill, count, inputs)
        lists = self._answers([""] * count, inputs["references"])
        most = [max(map(own.count, own)) for own in lists]
        return self._weighted(_accuracies(most, lists), inputs.get("sample_weight"))

    def _answers(self, predictions: list[str], references: Any) -> list[list[str]]:
        """Return the answers of all people; `scores` describes the errors."""
        lists = read_references(predictions, references, self.normalizer)
        for place, answers in enumerate(lists):
            if len(answers) < _AGREE:
                text = f"references must have at least {_AGREE} answers for every prediction"
                raise ValueError(f"{text}, [{place}] has {len(answers)}")
        return lists


def _accuracies(agreeing: Sequence[int], lists: Sequence[Sequence[str]]) -> np.ndarray:
    """Return the accuracy of every answer, from how many people gave it."""
    agree, people = np.array(agreeing, np.int64), np.array([*map(len, lists)], np.int64)
    # The cases in which the person left out agrees, and does not agree.
    fewer = agree * np.minimum(agree - 1, _AGREE)
    right: np.ndarray = fewer + (people - agree) * np.minimum(agree, _AGREE)
    return right / (_AGREE * people)
