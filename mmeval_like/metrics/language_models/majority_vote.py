"""MajorityVote: whether the most frequent of several answers to a question is right."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.writing import SHARE, MetricOptions, SampleMean, Unpack, arrays

__all__ = ["MajorityVote"]


class MajorityVote(SampleMean):
    """maj@k: the fraction of questions whose most frequent answer is right.

    The modes are the most frequent answers to a question, and y is the right answer. If t answers
    are equally frequent and one of them is right, the question counts 1 / t, so that the order of
    the answers does not matter. Source: X. Wang et al., "Self-consistency improves chain of thought
    reasoning in language models" (ICLR 2023).

    Formula:
        maj_k = mean 1/t [y in modes]

    Args:
        k: The number of answers to each question that vote: the first k. None: all answers vote.
        **options: As for `BaseMetric`.

    Returns of `compute`: `maj@{k}`, or `maj` of all answers, in [0, 1]; nan without questions.
    Higher is better.

    Raises:
        TypeError: `k` is not an integer.
        ValueError: `k` is not positive.

    Example:
        >>> metric = MajorityVote()
        >>> metric.add([["12", "7", "12"], ["5", "6"], [None, None, "9"]], ["12", "5", "9"])
        >>> metric.compute()  # (1 + 1/2 + 1) / 3
        {'maj': 0.8333333333333334}
    """

    ranges = SHARE
    higher_is_better = True

    def __init__(self, k: int | None = None, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        self.k = None if k is None else check_count("k", k)
        self.key = "maj" if k is None else f"maj@{self.k}"

    def scores(self, predictions: Any, labels: Any) -> np.ndarray:
        """Return the score of every question.

        Args:
            predictions: N lists of answers, strings or other values that can be compared; None or
                nan means no answer, and gets no vote.
            labels: The right answers (N,).

        Raises:
            TypeError: The inputs are not lists, or an answer cannot be compared, for instance
                because it is a list.
            ValueError: Lengths differ, a question has fewer answers than k, or it has no right
                answer.
        """
        asked, truth = _listed(predictions, "predictions"), _listed(labels, "labels")
        arrays.check_same_length("predictions", asked, "labels", truth)
        scores = np.zeros(len(asked))
        for index, (answers, label) in enumerate(zip(asked, truth, strict=True)):
            answers = _listed(answers, f"predictions[{index}]")
            if len(answers) < (self.k or 0):
                raise ValueError(
                    f"predictions must have {self.k} answers to every question, got "
                    f"{len(answers)} at index {index}"
                )
            if arrays.is_missing(label):
                raise ValueError(f"labels must not have missing values, got none at index {index}")
            try:
                votes = Counter(answers[: self.k])
                own = votes[label]
            except TypeError as error:
                text = f"answers must be strings or numbers, {error} at index {index}"
                raise TypeError(text) from None
            for answer in [answer for answer in votes if arrays.is_missing(answer)]:
                del votes[answer]
            most = max(votes.values(), default=0)
            if own and own == most:
                scores[index] = 1 / sum(count == most for count in votes.values())
        return scores


def _listed(values: Any, name: str) -> list[Any]:
    """Return a list, tuple or array as a list."""
    found = values if isinstance(values, list | tuple) else getattr(values, "tolist", list)()
    if (
        isinstance(values, str | bytes)
        or not isinstance(found, list | tuple)
        or (values is not found and not hasattr(values, "tolist"))
    ):
        raise TypeError(f"{name} must be a list, got {arrays.describe(values)}")
    return list(found)
