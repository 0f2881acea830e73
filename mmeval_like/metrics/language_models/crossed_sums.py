"""CrossedSums: exact sums of scores by question and by run, and their variance components."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

__all__ = ["Components", "CrossedSums", "Group", "quotients"]

Components = tuple[Fraction, Fraction, Fraction]
"""The variances between questions, between runs, and of the rest; they may be negative."""

Group = tuple[int, int, Fraction]
"""The number of scores, their sum, and the sum of their squared distances from their mean."""


@dataclass(frozen=True)
class CrossedSums:
    """The sums of the scores of answers, each to one question and in one run.

    Attributes:
        count: The number of answers.
        scale: The power of 2 by which all scores are multiplied, so that they are integers.
        total: The sum of the scores, as an integer.
        squares: The sum of their squares, as an integer.
        range: The largest score less the smallest, as an integer.
        of_questions: The scores of each question.
        of_runs: The scores of each run.
        cells: The scores of a question in a run.
    """

    count: int
    scale: int
    total: int
    squares: int
    range: int
    of_questions: Mapping[int, Group]
    of_runs: Mapping[int, Group]
    cells: Mapping[tuple[int, int], Group]

    @classmethod
    def of(cls, scores: np.ndarray, questions: np.ndarray, runs: np.ndarray) -> CrossedSums:
        """Return the sums of scores (n,), with questions and runs (n, 2), of any numbers.

        Example:
            >>> names = np.array([[0, 0], [0, 0], [0, 5]])
            >>> sums = CrossedSums.of(np.array([0.5, 1.0, 3.0]), names, np.zeros((3, 2), int))
            >>> sums.scale, sums.of_questions  # 0.5 + 1 is 3 halves
            (2, {0: (2, 3, Fraction(1, 2)), 1: (1, 6, Fraction(0, 1))})
        """
        ratios = [score.as_integer_ratio() for score in scores.tolist()]
        scale = max(denominator for _, denominator in ratios)  # all are powers of 2
        whole = [numerator * (scale // denominator) for numerator, denominator in ratios]
        asked, ran = _codes(questions), _codes(runs)
        width = int(ran.max()) + 1
        cells = _groups(asked * width + ran, whole)
        return cls(
            len(whole),
            scale,
            sum(whole),
            sum(one * one for one in whole),
            max(whole) - min(whole),
            _groups(asked, whole),
            _groups(ran, whole),
            {divmod(code, width): one for code, one in cells.items()},
        )

    @property
    def mean(self) -> Fraction:
        """The mean of the scores."""
        return Fraction(self.total, self.scale * self.count)

    def square(self, groups: Mapping[int, Group]) -> int:
        """Return the sum of the squares of the numbers of answers of the groups."""
        return sum(count * count for count, _, _ in groups.values())

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
        cells = [(i, j, one[0] ** 2) for (i, j), one in self.cells.items()]
        k_r = quotients((square, self.of_questions[i][0]) for i, _, square in cells)
        k_q = quotients((square, self.of_runs[j][0]) for _, j, square in cells)
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


def _groups(codes: np.ndarray, whole: list[int]) -> dict[int, Group]:
    """Return the sums of the scores with each code, by code in ascending order."""
    counts: dict[int, int] = dict.fromkeys(np.unique(codes).tolist(), 0)
    totals, squares = dict(counts), dict(counts)
    for code, one in zip(codes.tolist(), whole, strict=True):
        counts[code] += 1
        totals[code] += one
        squares[code] += one * one
    return {
        code: (count, totals[code], squares[code] - Fraction(totals[code] ** 2, count))
        for code, count in counts.items()
    }


def _explained(groups: Mapping[int, Group]) -> Fraction:
    """Return the sum of squares of groups: the squares of their sums, divided by their counts."""
    return quotients((total * total, count) for count, total, _ in groups.values())


def quotients(parts: Iterable[tuple[int | Fraction, int]]) -> Fraction:
    """Return the sum of numerators divided by denominators, few of which are different.

    Example:
        >>> quotients([(1, 2), (3, 2), (1, 3)])
        Fraction(7, 3)
    """
    sums: dict[int, int | Fraction] = defaultdict(int)
    for numerator, denominator in parts:
        sums[denominator] += numerator
    return sum((Fraction(n) / d for d, n in sums.items()), Fraction(0))
