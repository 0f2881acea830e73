"""VarianceComponents: how much scores vary between questions, answers and runs."""

from __future__ import annotations

import hashlib
import math
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.metrics.language_models.crossed_sums import Components, CrossedSums
from mmeval_like.metrics.language_models.repeatability import OfOneRun
from mmeval_like.writing import BaseMetric, MetricOptions, Results, Unpack, arrays, state
from mmeval_like.writing.exact import sqrt_fraction, to_float
from mmeval_like.writing.intervals import t_quantile

__all__ = ["VarianceComponents"]

_NO_RUN = (1, 0)  # an integer is (0, integer), and the first number of a string is negative
_NAMES = (
    *("mean", "standard_error", "questions_variance", "answers_variance", "runs_variance"),
    *("standard_error_twice_questions", "standard_error_twice_answers"),
    *("repeatability_limit", "icc", "std"),
)


class VarianceComponents(BaseMetric):
    """The variance of scores between questions, between answers to one question, and between runs.

    The score of an answer is the sum of the mean, an effect of the question, an effect of the run,
    and a rest that belongs to the answer alone, with the variances V_q, V_r and V_a. The estimates
    are those of the analysis of variance; with unequal numbers of answers, those of Henderson's
    method 1 (S. R. Searle, G. Casella and C. E. McCulloch, Variance Components, 1992, chapters 3
    and 5). An estimate below 0 counts as 0. The standard error of the mean is computed from them,
    where n_q and n_r are the numbers of answers to a question and in a run (without runs, E.
    Miller, Adding error bars to evals, 2024, section 3).

    Two runs of the same system with one answer to each of the Q questions have means that differ by
    more than the repeatability limit in 5 of 100 cases (ISO 5725-1). V_m is the variance of such a
    mean. Without runs, it is the mean of the variances of the answers to each question, divided by
    Q, and t has as many degrees of freedom as there are answers more than questions, or fewer if
    the answers to few questions make most of V_m (F. E. Satterthwaite, Biometrics Bulletin 2,
    1946). Questions with one answer count as the others do, or with the variance of their scores
    less that between the others, if this is larger. With runs, it is the variance of the means of
    the R runs on the Q questions that all runs have answered, and t has R - 1 degrees of freedom,
    so that few runs make the limit large; of several answers to a question in a run, the variance
    that their mean hides is added. V_u is for questions whose answers do not differ, but may: the
    square of half the range of all scores, divided by Q, times the share of the questions whose
    answers do not differ. The limit is nan if all scores are equal, or if no question was answered
    in all runs. It is for answers and runs with effects that are not far from normal: of lognormal
    ones, it is too small.

    It keeps every score, in 40 bytes each. Sums are exact.

    Formula:
        standard_error^2 = V_q (sum n_q^2)/N^2 + V_r (sum n_r^2)/N^2 + V_a/N
        repeatability_limit = t sqrt(2 (V_m + V_u/Q))
        icc = V_q / (V_q + V_a)

    Args:
        **options: As for `BaseMetric`.

    Returns of `compute`: `mean`; `questions_variance`, `answers_variance` and `runs_variance`, 0
    without runs; `standard_error` of the mean, as a sample of all questions, answers and runs
    that there could be; `standard_error_twice_questions` and `standard_error_twice_answers`, what
    it would be with twice as many questions, or twice as many answers to each of them in the same
    runs; `repeatability_limit`; and `icc` and `std`, the root of V_q + V_a, as `plan` takes them.
    All but the mean are nan with fewer than two questions or two runs, or if every question has one
    answer, or is in one run.

    Example:
        >>> metric = VarianceComponents()
        >>> metric.add([1, 1, 0, 1, 0, 0], questions=["a", "a", "b", "b", "c", "c"])
        >>> found = metric.compute()
        >>> round(found["questions_variance"], 4), round(found["answers_variance"], 4)
        (0.1667, 0.1667)
        >>> found["icc"], round(found["standard_error"], 4)
        (0.5, 0.2887)
    """

    every_rank_computes = True
    no_interval = "its standard error is a part of the result"
    scores = state.cat()
    questions = state.cat(np.int64, (2,))
    runs = state.cat(np.int64, (2,))

    def __init__(self, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)

    def rows(self, scores: Any, questions: Any, runs: Any = None) -> dict[str, np.ndarray]:
        """Return the scores, and the numbers of their questions and runs.

        Args:
            scores: The score of each answer (N,), finite numbers or bool. For two systems, the
                differences of their scores.
            questions: The question of each answer (N,), integers or strings.
            runs: The run of each answer (N,), integers or strings; None: there are no runs, and
                each answer is drawn on its own.

        Raises:
            TypeError: The scores are not numbers, or names are neither integers nor strings.
            ValueError: Shapes or lengths do not fit, or a score is nan or infinite.
        """
        values = arrays.as_floats(scores, "scores")
        check_one_axis("scores", values)
        arrays.check_finite("scores", values)
        asked = _named(questions, "questions", values)
        none = np.broadcast_to(np.array(_NO_RUN, np.int64), asked.shape)
        ran = none if runs is None else _named(runs, "runs", values)
        return {"scores": values, "questions": asked, "runs": ran}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the mean, the variance components, and what follows from them."""
        ran = (results.runs != _NO_RUN).any(axis=1)
        if ran.any() and not ran.all():
            raise ValueError("runs must be passed in all calls of add, or in none")
        if not len(ran):
            return dict.fromkeys(_NAMES, math.nan)
        several = bool(ran.any())
        sums = CrossedSums.of(results.scores, results.questions, results.runs)
        found = dict.fromkeys(_NAMES, math.nan) | {"mean": to_float(sums.mean)}
        parts = sums.components() if several else sums.nested_components()
        if parts is None:
            return found
        one = OfOneRun.of_runs(sums) if several else OfOneRun.of_answers(sums)
        return found | _described(sums, parts) | {"repeatability_limit": _limit(sums, one)}


def _limit(sums: CrossedSums, one: OfOneRun | None) -> float:
    if one is None or not sums.range:
        return math.nan
    variance = (one.variance + one.unseen) / sums.scale**2
    return t_quantile(0.975, one.df) * sqrt_fraction(2 * variance)


def _described(sums: CrossedSums, parts: Components) -> dict[str, float]:
    """Return what follows from the variance components."""
    questions, runs, answers = (max(part, Fraction(0)) for part in parts)  # below 0 counts as 0
    of_each = [
        questions * Fraction(sums.square(sums.of_questions), sums.count**2),
        runs * Fraction(sums.square(sums.of_runs), sums.count**2),
        answers / sums.count,
    ]

    def error(*times: int) -> float:
        parts = (one / n for one, n in zip(of_each, times, strict=True))
        return sqrt_fraction(sum(parts, Fraction(0)))

    both = questions + answers
    return {
        "standard_error": error(1, 1, 1),
        "standard_error_twice_questions": error(2, 1, 2),
        "standard_error_twice_answers": error(1, 1, 2),
        "questions_variance": to_float(questions),
        "answers_variance": to_float(answers),
        "runs_variance": to_float(runs),
        "icc": to_float(questions / both) if both else math.nan,
        "std": sqrt_fraction(both),
    }


def _named(names: Any, argument: str, scores: np.ndarray) -> np.ndarray:
    """Return two numbers for each name, which are those of no other name."""
    texts = arrays.as_texts(names, argument)
    if texts is None:
        numbers = arrays.as_integers(names, argument)
        check_one_axis(argument, numbers)
        found = np.stack([np.zeros_like(numbers), numbers], axis=1)
    elif any(isinstance(text, list) for text in texts):
        raise TypeError(f"{argument} must be integers or strings, one for each score, got lists")
    else:
        digests = b"".join(
            hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            for text in texts
        )
        found = np.frombuffer(digests, "<i8").astype(np.int64).reshape(-1, 2)
        found[:, 0] |= np.int64(-(2**63))
    arrays.check_same_length("scores", scores, argument, found)
    return found
