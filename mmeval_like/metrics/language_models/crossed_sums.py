"""CrossedSums: exact sums of scores by question and by run, and their variance components."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

__all__ = ["Components", "CrossedSums"]

Components = tuple[Fraction, Fraction, Fraction]
"""The variances between questions, between runs, and of the rest; they may be negative."""


@dataclass(frozen=True)
class CrossedSums:
    """The sums of the scores of answers, each to one question and in one run.

    Attributes:
        count: The number of answers.
        scale: The power of 2 by which all scores are multiplied, so that they are integers.
        total: The sum of the scores, as an integer.
        squares: The sum of their squares, as an integer.
        range: The largest score less the smallest, as an integer.
        within: For each question with several answers, their number, and the sum of the squared
            distances of their scores from their mean, times the square of `scale`.
        of_questions: The number of answers to each question, and the sum of their scores.
        of_runs: The number of answers in each run, and the sum of their scores.
        cells: The number of answers to a question in a run.
    """

    count: int
    scale: int
    total: int
    squares: int
    range: int
    within: tuple[tuple[int, Fraction], ...]
    of_questions: Mapping[int, tuple[int, int]]
    of_runs: Mapping[int, tuple[int, int]]
    cells: Mapping[tuple[int, int], int]

    @classmethod
    def of(cls, scores: np.ndarray, questions: np.ndarray, runs: np.ndarray) -> CrossedSums:
        """Return the sums of scores (n,), with questions and runs (n, 2), of any numbers.

        Example:
            >>> names = np.array([[0, 0], [0, 0], [0, 5]])
            >>> sums = CrossedSums.of(np.array([0.5, 1.0, 3.0]), names, np.zeros((3, 2), int))
            >>> sums.scale, sums.of_questions  # 0.5 + 1 is 3 halves
            (2, {0: (2, 3), 1: (1, 6)})
        """
        ratios = [score.as_integer_ratio() for score in scores.tolist()]
        scale = max(denominator for _, denominator in ratios)  # all are powers of 2
        whole = [numerator * (scale // denominator) for numerator, denominator in ratios]
        asked, ran = _codes(questions), _codes(runs)
        of_questions = _sums(asked, whole)
        width = int(ran.max()) + 1
        cells, counts = np.unique(asked * width + ran, return_counts=True)
        pairs = zip((cells // width).tolist(), (cells % width).tolist(), strict=True)
        return cls(
            len(whole),
            scale,
            sum(whole),
            sum(one * one for one in whole),
            max(whole) - min(whole),
            _within(asked, whole, of_questions),
            of_questions,
            _sums(ran, whole),
            dict(zip(pairs, counts.tolist(), strict=True)),
        )

    @property
    def mean(self) -> Fraction:
        """The mean of the scores."""
        return Fraction(self.total, self.scale * self.count)

    def square(self, groups: Mapping[int, tuple[int, int]]) -> int:
        """Return the sum of the squares of the numbers of answers of the groups."""
        return sum(count * count for count, _ in groups.values())

    def nested_components(self) -> Components | None:
        """Return the components without runs; None if they cannot be estimated."""
        n, asked = self.count, len(self.of_questions)
        if not 1 < asked < n:
            return None
        between = _explained(self.of_questions)
        answers = (self.squares - between) / (n - asked)
        rest = between - Fraction(self.total**2, n) - (asked - 1) * answers
        questions = rest / (n - Fraction(self.square(self.of_questions), n))
        return self._scaled(questions, Fraction(0), answers)

    def components(self) -> Components | None:
        """Return the components with runs, by Henderson's method 1; None if they are unknown.

        The sums of squares T of all answers, Q of questions, R of runs and M of the mean have the
        expectations

            T - Q = (n - k_r) V_r + (n - q) V_a
            T - R = (n - k_q) V_q + (n - r) V_a
            Q - M = (n - m_q) V_q + (k_r - m_r) V_r + (q - 1) V_a

        with k_r = sum n_ij^2 / n_i over the cells of questions i and runs j, k_q = sum n_ij^2 /
        n_j, m_q = sum n_i^2 / n and m_r = sum n_j^2 / n. The system is solved exactly.
        """
        n, asked, ran = self.count, len(self.of_questions), len(self.of_runs)
        if asked < 2 or ran < 2:
            return None
        k_r = _quotients((m * m, self.of_questions[i][0]) for (i, _), m in self.cells.items())
        k_q = _quotients((m * m, self.of_runs[j][0]) for (_, j), m in self.cells.items())
        m_q, m_r = (Fraction(self.square(one), n) for one in (self.of_questions, self.of_runs))
        of_questions, of_runs = _explained(self.of_questions), _explained(self.of_runs)
        # V_q and V_r as known - factor V_a, from the first two lines; then V_a from the third.
        if n in (k_r, k_q):
            return None  # every question is in one run only, or every run has one question
        runs = (self.squares - of_questions) / (n - k_r), Fraction(n - asked) / (n - k_r)
        questions = (self.squares - of_runs) / (n - k_q), Fraction(n - ran) / (n - k_q)
        known = (n - m_q) * questions[0] + (k_r - m_r) * runs[0]
        factor = (n - m_q) * questions[1] + (k_r - m_r) * runs[1] - (asked - 1)
        if not factor:
            return None
        answers = (known - (of_questions - Fraction(self.total**2, n))) / factor
        others = (one[0] - one[1] * answers for one in (questions, runs))
        return self._scaled(*others, answers)

    @property
    def unseen(self) -> Fraction:
        """What questions whose answers do not differ may add to the variance of a run's mean.

        If the answers to few questions differ, others may be unseen. It is the variance of one more
        question whose scores are at both ends of all scores, times the share of the questions whose
        answers do not differ.
        """
        alike = Fraction(sum(not square for _, square in self.within), len(self.within))
        one = Fraction(self.range**2, 4 * self.scale**2 * len(self.within))
        return alike * one / len(self.of_questions)

    @property
    def df_of_answers(self) -> int:
        """The degrees of freedom of the variance of answers: few if few questions decide it.

        F. E. Satterthwaite, An approximate distribution of estimates of variance components,
        Biometrics Bulletin 2 (1946): for questions with n answers and sums of squares s, they are
        (sum s)^2 / sum (s^2 / (n + 1)). Without differences they are those of a single question.
        """
        free = sum(n - 1 for n, _ in self.within)
        squares = sum((square for _, square in self.within), Fraction(0))
        fourths = sum((square * square / (n + 1) for n, square in self.within), Fraction(0))
        found = squares * squares / fourths if fourths else Fraction(free, len(self.within)) + 2
        return max(min(math.floor(found), free), 1)

    def _scaled(self, *variances: Fraction) -> Components:
        questions, runs, answers = (one / self.scale**2 for one in variances)
        return questions, runs, answers


def _codes(names: np.ndarray) -> np.ndarray:
    """Return the number of each row among the distinct rows, in ascending order."""
    order = np.lexsort((names[:, 1], names[:, 0]))
    ascending = names[order]
    new = (ascending[1:] != ascending[:-1]).any(axis=1)
    codes = np.empty(len(names), np.int64)
    codes[order] = np.concatenate([[0], np.cumsum(new)])
    return codes


def _sums(codes: np.ndarray, whole: list[int]) -> dict[int, tuple[int, int]]:
    counts = np.bincount(codes).tolist()
    totals = [0] * len(counts)
    for code, one in zip(codes.tolist(), whole, strict=True):
        totals[code] += one
    return dict(enumerate(zip(counts, totals, strict=True)))


def _within(
    codes: np.ndarray, whole: list[int], groups: Mapping[int, tuple[int, int]]
) -> tuple[tuple[int, Fraction], ...]:
    squares = [0] * len(groups)
    for code, one in zip(codes.tolist(), whole, strict=True):
        squares[code] += one * one
    return tuple(
        (count, squares[code] - Fraction(total * total, count))
        for code, (count, total) in groups.items()
        if count > 1
    )


def _explained(groups: Mapping[int, tuple[int, int]]) -> Fraction:
    """Return the sum of squares of groups: the squares of their sums, divided by their counts."""
    return _quotients((total * total, count) for count, total in groups.values())


def _quotients(parts: Iterable[tuple[int, int]]) -> Fraction:
    """Return the sum of numerators divided by denominators, few of which are different."""
    sums: dict[int, int] = defaultdict(int)
    for numerator, denominator in parts:
        sums[denominator] += numerator
    return sum((Fraction(n, d) for d, n in sums.items()), Fraction(0))
