"""WordAccuracy: the share of recognised texts that equal their label."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics.text.words import as_pattern, check_pairs, without_symbols
from mmeval_like.writing import (
    SHARE,
    BaseMetric,
    MetricOptions,
    Results,
    State,
    Unpack,
    ratio,
    state,
)

__all__ = ["WordAccuracy"]

_KEYS = {
    "exact": "accuracy",
    "ignore_case": "ignore_case_accuracy",
    "ignore_case_symbol": "ignore_case_symbol_accuracy",
}


class WordAccuracy(BaseMetric):
    """The fraction of recognised texts that equal their labels, by up to three definitions.

    Formula:
        accuracy = mean [p = y]

    Args:
        mode: When two texts are equal; one or several of "exact": all characters are the same;
            "ignore_case": they are the same after `str.lower`; "ignore_case_symbol": they are the
            same after `str.lower` and without the matches of `invalid_symbol`.
        invalid_symbol: A regular expression whose matches "ignore_case_symbol" leaves out. None:
            everything except the letters, marks and digits of every script, and the signs of
            numbers.
        **options: As for `BaseMetric`.

    Raises:
        TypeError: `invalid_symbol` is not a string.
        ValueError: A mode is unknown, no mode is given, or a pattern is not a regular expression.

    Returns of `compute`: for each mode a float in [0, 1]: `accuracy`, `ignore_case_accuracy`,
    `ignore_case_symbol_accuracy`. Without samples, the value is nan. Higher is better.

    Example:
        >>> metric = WordAccuracy(mode=("exact", "ignore_case", "ignore_case_symbol"))
        >>> metric.add(["hello", "HELLO", "$HELLO$", "help"], ["hello"] * 4)
        >>> metric.compute()["accuracy"]
        0.25
        >>> metric.compute()["ignore_case_accuracy"]
        0.5
        >>> metric.compute()["ignore_case_symbol_accuracy"]
        0.75
    """

    every_rank_computes = True
    takes_texts = True
    ranges = SHARE
    higher_is_better = True

    def __init__(
        self,
        mode: str | Sequence[str] = "ignore_case_symbol",
        invalid_symbol: str | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self.mode = (mode,) if isinstance(mode, str) else tuple(mode)
        if not self.mode or not set(self.mode) <= set(_KEYS):
            raise ValueError(f"mode must be one or several of {tuple(_KEYS)}, got {mode!r}")
        self.invalid_symbol = as_pattern(invalid_symbol, "invalid_symbol")

    def states(self) -> dict[str, State]:
        """Return how many texts are right in each mode."""
        return {"correct": state.sum(bool, (len(self.mode),))}

    def rows(self, predictions: Any, groundtruths: Any) -> dict[str, np.ndarray]:
        """Return one row per text.

        Args:
            predictions: N strings.
            groundtruths: N strings, the labels.

        Raises:
            TypeError: An input is not a list of strings.
            ValueError: `groundtruths` and `predictions` differ in length.
        """
        pairs = check_pairs(predictions, groundtruths)
        correct = np.empty((len(pairs), len(self.mode)), np.bool_)
        for column, mode in enumerate(self.mode):
            seen = _forms(mode, self.invalid_symbol)
            correct[:, column] = [seen(prediction) == seen(label) for prediction, label in pairs]
        return {"correct": correct}

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return rows of texts that are all right ("best", 1) or all wrong ("worst", 0)."""
        right = {"worst": 0, "best": 1}.get(fill, fill)
        if right not in (0, 1):
            return None
        return {"correct": np.full((count, len(self.mode)), bool(right))}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the share of right texts for each mode."""
        counts = zip(self.mode, results.correct.tolist(), strict=True)
        return {_KEYS[mode]: ratio(correct, len(results)) for mode, correct in counts}


def _forms(mode: str, invalid: re.Pattern[str] | None) -> Callable[[str], str]:
    """Return the function after which equal strings count as equal."""
    if mode == "exact":
        return str
    return (
        str.lower if mode == "ignore_case" else lambda text: without_symbols(text.lower(), invalid)
    )
