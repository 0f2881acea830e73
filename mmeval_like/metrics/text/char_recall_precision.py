"""CharRecallPrecision: how many characters of labels and of predictions match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mmeval_like.metrics.text.words import as_pattern, check_pairs, lcs_length, without_symbols
from mmeval_like.writing import SHARE, BaseMetric, MetricOptions, Results, Unpack, ratio, state

__all__ = ["CharRecallPrecision"]

_CASES: dict[str, Callable[[str], str]] = {"unchanged": str, "upper": str.upper, "lower": str.lower}


class CharRecallPrecision(BaseMetric):
    """Recall and precision of the characters of recognised texts, over all texts.

    The matching characters of a text are those of a longest common subsequence (LCS) of prediction
    and label: the largest number that can be paired in the same order. Recall is the number of
    matching characters divided by the number of characters in the labels; precision divides it by
    the number of characters in the predictions.

    Formula:
        recall = LCS / labelled
        precision = LCS / predicted

    Args:
        letter_case: "unchanged", or "upper" or "lower": the case to which both texts are converted
            first.
        invalid_symbol: A regular expression whose matches are then removed from both texts. None:
            everything except the letters, marks and digits of every script, and the signs of
            numbers, is removed.
        **options: As for `BaseMetric`.

    Raises:
        TypeError: `invalid_symbol` is not a string.
        ValueError: `letter_case` is unknown, or a pattern is not a regular expression.

    Returns of `compute`: `recall` and `precision`, in [0, 1]; 0.0 if there are no characters to
    divide by. Without samples both are nan. Higher is better.

    Example:
        >>> metric = CharRecallPrecision(letter_case="upper")
        >>> metric.add(["helo", "W0rld!"], ["hello", "world"])  # HELO and W.RLD match: 4 + 4
        >>> metric.compute()["recall"], metric.compute()["precision"]  # 8 / 10, 8 / 9
        (0.8, 0.8888888888888888)
    """

    every_rank_computes = True
    takes_texts = True
    matched = state.sum(int)
    label_length = state.sum(int)
    predicted_length = state.sum(int)
    ranges = SHARE
    higher_is_better = True

    def __init__(
        self,
        letter_case: str = "unchanged",
        invalid_symbol: str | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        if letter_case not in _CASES:
            raise ValueError(f"letter_case must be one of {tuple(_CASES)}, got {letter_case!r}")
        self.letter_case = letter_case
        self.invalid_symbol = as_pattern(invalid_symbol, "invalid_symbol")

    def rows(self, predictions: Any, groundtruths: Any) -> dict[str, np.ndarray]:
        """Return the counts of each text.

        Args:
            predictions: N strings.
            groundtruths: N strings, the labels.

        Raises:
            TypeError: An input is not a list of strings.
            ValueError: `groundtruths` and `predictions` differ in length.
        """
        counts = [self._count(*texts) for texts in check_pairs(predictions, groundtruths)]
        table = np.array(counts, np.int64).reshape(len(counts), 3)
        names = ("matched", "label_length", "predicted_length")
        return dict(zip(names, table.T, strict=True))

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `recall` and `precision`."""
        empty = 0.0 if len(results) else float("nan")
        return {
            "recall": ratio(results.matched, results.label_length, empty),
            "precision": ratio(results.matched, results.predicted_length, empty),
        }

    def _count(self, prediction: str, label: str) -> tuple[int, int, int]:
        convert = _CASES[self.letter_case]
        prediction = without_symbols(convert(prediction), self.invalid_symbol)
        label = without_symbols(convert(label), self.invalid_symbol)
        return lcs_length(prediction, label), len(label), len(prediction)
