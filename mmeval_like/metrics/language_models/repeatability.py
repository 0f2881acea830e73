"""Repeatability: the variance of the mean of one run of a system, on the same questions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction

from mmeval_like.metrics.language_models.crossed_sums import CrossedSums, Group, quotients

__all__ = ["OfOneRun"]

_Group = tuple[int, Fraction]  # the number of answers, and the sum of their squared distances


@dataclass(frozen=True)
class OfOneRun:
    """The variance of the mean of one run, with one answer to each question.

    Attributes:
        variance: The estimate, without what no answer shows.
        unseen: What questions whose answers do not differ may add to it.
        df: The degrees of freedom of the estimate.
    """

    variance: Fraction
    unseen: Fraction
    df: int

    @classmethod
    def of_answers(cls, sums: CrossedSums) -> OfOneRun:
        """Return that of answers without runs: the mean of the variances of the questions.

        Every question counts alike, as in a run: those with many answers may vary less.
        """
        within = _several(sums.of_questions.values())
        asked = len(sums.of_questions)
        every = _mean_of_all(sums.of_questions.values())
        return cls(every / asked, _unseen(sums, within, asked), _df(within))

    @classmethod
    def of_runs(cls, sums: CrossedSums) -> OfOneRun | None:
        """Return that of runs, from the questions that are in all runs; None if there are none.

        The means of runs on the same questions vary as those of two new runs do, whatever the
        questions are. To their variance is added what one answer to a question varies more than
        the mean of the answers to it in a run, and what all questions vary more than these.
        """
        ran, number = len(sums.of_runs), Counter(question for question, _ in sums.cells)
        asked = [question for question, runs in number.items() if runs == ran]
        if not asked:
            return None
        several = [[sums.cells[question, run] for question in asked] for run in range(ran)]
        means = [quotients((total, count) for count, total, _ in cells) for cells in several]
        middle = sum(means, Fraction(0)) / ran
        squares = sum(((mean - middle) ** 2 for mean in means), Fraction(0)) / (ran - 1)
        answers = quotients((square, count) for cells in several for count, _, square in cells)
        within = _several(sums.of_questions[question] for question in asked)
        every = _mean_of_all(sums.of_questions.values()) / len(sums.of_questions)
        others = max(every - _mean(within) / len(asked), Fraction(0))
        one = (squares + answers / ran) / len(asked) ** 2 + others
        return cls(one, _unseen(sums, within, len(asked)), ran - 1)


def _several(groups: Iterable[Group]) -> list[_Group]:
    """Return the groups with several scores."""
    return [(count, square) for count, _, square in groups if count > 1]


def _mean(within: list[_Group]) -> Fraction:
    """Return the mean of the variances of groups."""
    return quotients((square, count - 1) for count, square in within) / len(within)


def _mean_of_all(questions: Collection[Group]) -> Fraction:
    """Return the mean of the variances of the answers to each question.

    One answer shows no variance. Questions with one answer vary as the others do, or as their
    scores differ from each other beyond what the means of the others do, if this is more: it may be
    the uncertain questions of which no second answer came.
    """
    within = _several(questions)
    mean, several = _mean(within), len(within)
    once = [total for count, total, _ in questions if count == 1]
    if len(once) < 2:
        return mean
    spread = _variance(len(once), Fraction(sum(once)), Fraction(sum(one * one for one in once)))
    between = Fraction(0)
    if several > 1:
        groups = [(count, total) for count, total, _ in questions if count > 1]
        sums = quotients((total, count) for count, total in groups)
        squares = quotients((total * total, count * count) for count, total in groups)
        noise = quotients((square, count * (count - 1)) for count, square in within) / several
        between = max(_variance(several, sums, squares) - noise, Fraction(0))
    more = max(spread - between - mean, Fraction(0))
    return mean + more * len(once) / len(questions)


def _variance(count: int, total: Fraction, squares: Fraction) -> Fraction:
    """Return the variance of numbers from their sum and the sum of their squares."""
    return (squares - total * total / count) / (count - 1)


def _unseen(sums: CrossedSums, within: list[_Group], asked: int) -> Fraction:
    """Return what questions whose answers do not differ may add to the variance of a run's mean.

    If the answers to few questions differ, others may be unseen. It is the variance of one more
    question whose scores are at both ends of all scores, times the share of the questions whose
    answers do not differ.
    """
    alike = Fraction(sum(not square for _, square in within), len(within))
    return alike * Fraction(sums.range**2, 4 * len(within) * asked)


def _df(within: list[_Group]) -> int:
    """Return the degrees of freedom of the variance of answers: few if few questions decide it.

    F. E. Satterthwaite, An approximate distribution of estimates of variance components, Biometrics
    Bulletin 2 (1946): for questions with n answers and variances v, they are (sum v)^2 / sum (v^2 /
    (n + 1)). Without differences they are those of a single question.
    """
    free, total = sum(count - 1 for count, _ in within), _mean(within) * len(within)
    fourths = quotients((square**2, (count - 1) ** 2 * (count + 1)) for count, square in within)
    found = total * total / fourths if fourths else Fraction(free, len(within)) + 2
    return max(min(math.floor(found), free), 1)
