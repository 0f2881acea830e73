"""ConcatenatedWER: the word error rate of conversations with unnamed speakers."""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np

from mmeval_like.metrics.text.edits import check_rapidfuzz, edit_distances, units_of
from mmeval_like.metrics.text.text_metrics import TextMetric, read_texts
from mmeval_like.writing import NOT_NEGATIVE, RatioOfSums, Results, arrays, needed_for, ratio

__all__ = ["ConcatenatedWER"]


class ConcatenatedWER(TextMetric, RatioOfSums):
    """cpWER: the word error rate of conversations, under the best assignment of speakers.

    A recording has one text for each speaker, with everything that the speaker said. The predicted
    speakers p_k are assigned one to one to the reference's speakers r_k, so that the number of word
    edits is minimal; a speaker without a partner is compared with an empty text. The edits of all
    recordings are divided by the number of words in their references. Source: S. Watanabe et al.,
    "CHiME-6 challenge" (2020). `add` takes `predictions` and `references`: N lists of strings, one
    list for each recording and one string for each speaker. Needs rapidfuzz and scipy.

    Formula:
        cpWER = (min_pi sum_k edits(p_(pi(k)), r_k)) / (sum_k words(r_k))

    Args:
        **options: As for `TextMetric`.

    Returns of `compute`: `cp_wer`, at least 0. If all references are empty it is infinite, or nan
    if there are no words at all. Lower is better.

    Raises:
        ImportError: rapidfuzz or scipy is not installed.

    Example:
        >>> metric = ConcatenatedWER()
        >>> metric.add([["fine thanks", "how are you"]], [["how are you doing", "fine thanks"]])
        >>> metric.compute()  # one word is missing of 6
        {'cp_wer': 0.16666666666666666}
    """

    takes_texts = False  # a prediction is a list of them
    key = "cp_wer"
    dtype = int
    ranges = NOT_NEGATIVE
    no_bounds = "a recording may have any number of wrong words"
    higher_is_better = False

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        check_rapidfuzz("ConcatenatedWER")
        with needed_for("ConcatenatedWER", "pip install 'mmeval-like[text]'"):
            importlib.import_module("scipy.optimize")

    def parts(self, predictions: Any, references: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the edits of each recording, and the words of its reference.

        Args:
            predictions: N lists of strings.
            references: N lists of strings.

        Raises:
            TypeError: The inputs are not lists of lists of strings.
            ValueError: The numbers of recordings differ.
        """
        found = arrays.listed(predictions, "predictions", "a list of lists of strings")
        expected = arrays.listed(references, "references", "a list of lists of strings")
        arrays.check_same_length("predictions", found, "references", expected)
        counts = [self._count(*both) for both in enumerate(zip(found, expected, strict=True))]
        table = np.array(counts, np.int64).reshape(-1, 2)
        return table[:, 0], table[:, 1]

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `cp_wer`."""
        empty = math.inf if results.numerator else math.nan
        return {"cp_wer": ratio(results.numerator, results.denominator, empty)}

    def _count(self, place: int, both: tuple[Any, Any]) -> tuple[int, int]:
        optimize: Any = importlib.import_module("scipy.optimize")
        names = (f"predictions[{place}]", f"references[{place}]")
        found, expected = (
            [units_of(text, "words") for text in read_texts(texts, name, self.normalizer)]
            for texts, name in zip(both, names, strict=True)
        )
        speakers = max(len(found), len(expected))
        pairs = [
            [words[row : row + 1] or [[]] for row in range(speakers)] for words in (found, expected)
        ]
        first = [one[0] for one in pairs[0] for _ in range(speakers)]
        second = [other[0] for _ in range(speakers) for other in pairs[1]]
        edits = edit_distances(first, second).reshape(speakers, speakers)
        best = int(edits[optimize.linear_sum_assignment(edits)].sum())
        return best, sum(map(len, expected))
