"""VarianceComponents against expectations of quadratic forms, computed with matrices."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from mmeval_like import VarianceComponents, plan
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples

KINDS = 7


def answers(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Answers to few questions; some questions have many answers, some one."""
    questions = np.minimum(rng.integers(0, KINDS, n), rng.integers(0, 2 * KINDS, n))
    return questions + rng.normal(0, 1, n), questions


def named(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Hits, with questions and runs that are strings, some of them long."""
    questions, runs = rng.integers(0, KINDS, n), rng.integers(0, 4, n)
    hits = rng.random(n) < 0.2 + 0.6 * questions / KINDS + 0.05 * runs
    return hits, [f"{'question ' * (q % 3)}{q}" for q in questions], [f"run {r}" for r in runs]


def crossed(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Answers of several runs, of which some cells are empty and others have several."""
    questions, runs = rng.integers(0, KINDS, n), rng.integers(-2, 2, n)
    return questions / 3 + runs / 5 + rng.normal(0, 1, n), questions, runs


def averaging(names: Any) -> tuple[np.ndarray, np.ndarray]:
    """The matrix of equal names, and the matrix that replaces a score by its group's mean."""
    same = np.equal.outer(np.asarray(names), np.asarray(names)).astype(float)
    return same, same / same.sum(axis=1)


def of_answers(scores: np.ndarray, questions: Any) -> tuple[float, float, int]:
    """The variance of a run's mean, what unseen differences may add, and degrees of freedom."""
    names, places = np.unique(np.asarray(questions), return_inverse=True)
    groups = [scores[places == place] for place in range(len(names))]
    several = [one for one in groups if len(one) > 1]
    free = sum(len(one) - 1 for one in several)
    each = np.array([np.var(one, ddof=1) for one in several])
    alike = float(np.mean([np.ptp(one) == 0 for one in several]))
    more = alike * float(np.ptp(scores)) ** 2 / 4 / len(several) / len(names)
    df = each.sum() ** 2 / np.sum(each**2 / [len(one) + 1 for one in several])
    return of_all(groups) / len(names), more, max(min(math.floor(df + 1e-9), free), 1)


def of_all(groups: list[np.ndarray]) -> float:
    """The mean variance of the answers, where single ones may vary as they differ."""
    several, once = ([one for one in groups if (len(one) > 1) == more] for more in (True, False))
    each = [np.var(one, ddof=1) for one in several]
    found = [np.mean(each)] * len(groups)
    if len(once) > 1:
        noise = np.mean([v / len(one) for v, one in zip(each, several, strict=True)])
        means = [one.mean() for one in several]
        between = max(np.var(means, ddof=1) - noise, 0.0) if len(several) > 1 else 0.0
        spread = np.var(np.concatenate(once), ddof=1) - between
        found[: len(once)] = [max(spread, found[0])] * len(once)
    return float(np.mean(found))


def of_runs(scores: np.ndarray, questions: Any, runs: Any) -> tuple[float, float, int]:
    """The same, from the questions that all runs have; nan if there are none."""
    of = {
        pair: scores[[other == pair for other in zip(questions, runs, strict=True)]]
        for pair in zip(questions, runs, strict=True)
    }
    ran = sorted({run for _, run in of})
    common = [q for q in {q for q, _ in of} if all((q, run) in of for run in ran)]
    if not common:
        return math.nan, math.nan, len(ran) - 1
    table = [[of[q, run] for q in common] for run in ran]
    means = [np.mean([cell.mean() for cell in row]) for row in table]
    hidden = [
        [np.var(cell, ddof=1) * (1 - 1 / n) if (n := len(cell)) > 1 else 0 for cell in row]
        for row in table
    ]
    alike = np.mean([np.ptp(scores[np.asarray(questions) == q]) == 0 for q in common])
    more = float(alike) * float(np.ptp(scores)) ** 2 / 4 / len(common) ** 2

    def varies(some: Any) -> float:
        groups = [scores[np.asarray(questions) == q] for q in some]
        return of_all(groups) / len(groups)

    others = max(varies(set(questions)) - varies(common), 0.0)
    of_run = np.var(means, ddof=1) + np.mean(hidden) / len(common) + others
    return float(of_run), more, len(ran) - 1


def solved(scores: Any, questions: Any, runs: Any = None) -> dict[str, float]:
    """Sums of squares set equal to their expectations, traces of products of matrices."""
    scores, n = np.asarray(scores, float), len(scores)
    same_q, mean_q = averaging(questions)
    forms = [np.eye(n) - mean_q, mean_q - np.full((n, n), 1 / n)]
    variances = [same_q, np.eye(n)]
    same_r = np.zeros((n, n))
    if runs is not None:
        same_r, mean_r = averaging(runs)
        forms.append(np.eye(n) - mean_r)
        variances.append(same_r)
    expected = [[np.sum(form * variance) for variance in variances] for form in forms]
    raw = np.linalg.solve(expected, [scores @ form @ scores for form in forms])
    q, a, r = [*np.maximum(raw, 0), 0.0][:3]
    of_run, unseen, df = (
        of_answers(scores, questions) if runs is None else of_runs(scores, questions, runs)
    )

    def error(more_q: int, more_a: int) -> float:
        variance = q * same_q / more_q + r * same_r + a * np.eye(n) / more_a
        return math.sqrt(variance.sum() / n**2)

    return {
        "mean": float(scores.mean()),
        "questions_variance": q,
        "answers_variance": a,
        "runs_variance": r,
        "standard_error": error(1, 1),
        "standard_error_twice_questions": error(2, 2),
        "standard_error_twice_answers": error(1, 2),
        "repeatability_limit": requires("scipy.stats").t.ppf(0.975, df)
        * math.sqrt(2 * (of_run + unseen)),
        "icc": q / (q + a),
        "std": math.sqrt(q + a),
    }


CASES = {
    "VarianceComponents": MetricCase(VarianceComponents, answers, solved, 1e-9, least=40, most=70)
}
VARIANTS = {
    "with runs": MetricCase(VarianceComponents, crossed, solved, 1e-9, least=40, most=70),
    "of names": MetricCase(VarianceComponents, named, solved, 1e-9, least=40, most=70),
}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """Each equals its oracle and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(4))


def drawn(rng: np.random.Generator, q: float, r: float, a: float, asked: int, ran: int) -> Any:
    """Scores (questions, runs) of these variances, flat, with their names."""
    scores = rng.normal(0, math.sqrt(q), (asked, 1)) + rng.normal(0, math.sqrt(r), ran)
    scores = scores + rng.normal(0, math.sqrt(a), (asked, ran))
    return scores.ravel(), np.repeat(np.arange(asked), ran), np.tile(np.arange(ran), asked)


def test_estimates_are_right_on_average() -> None:
    """Of questions, runs and answers of known variances; standard errors too."""
    rng, found, means = np.random.default_rng(3), [], []
    for _ in range(300):
        one = VarianceComponents()(*drawn(rng, 2.0, 0.5, 1.0, 20, 6))
        found.append([one[f"{name}_variance"] for name in ("questions", "runs", "answers")])
        found[-1].append(one["standard_error"] ** 2)
        means.append(one["mean"])
    assert np.mean(found, axis=0)[:3] == pytest.approx([2.0, 0.5, 1.0], rel=0.08)
    assert np.mean(found, axis=0)[3] == pytest.approx(np.var(means), rel=0.2)


@pytest.mark.parametrize("r", [0.0, 0.02, 0.5])
def test_two_runs_exceed_the_limit_as_often_as_promised(r: float) -> None:
    """In 5 of 100 cases, whether the variance between runs is 0, small or large."""
    rng, beyond = np.random.default_rng(5), 0
    for _ in range(400):
        one = VarianceComponents()(*drawn(rng, 1.0, r, 1.0, 30, 5))
        scores, *_ = drawn(rng, 1.0, r, 1.0, 30, 2)  # other runs, of the same questions
        apart = np.subtract(*scores.reshape(30, 2).mean(axis=0).tolist())
        beyond += abs(apart) > one["repeatability_limit"]
    assert 0.02 <= beyond / 400 <= 0.08


def test_two_answers_of_one_run_exceed_the_limit_as_often_as_promised() -> None:
    """Without runs, by the variance of the answers alone."""
    rng, beyond = np.random.default_rng(8), 0
    for _ in range(400):
        scores, questions, _ = drawn(rng, 1.0, 0.0, 1.0, 12, 4)
        one = VarianceComponents()(scores, questions)
        apart = rng.normal(0, 1, 12).mean() - rng.normal(0, 1, 12).mean()
        beyond += abs(apart) > one["repeatability_limit"]
    assert 0.03 <= beyond / 400 <= 0.075


@pytest.mark.parametrize("with_runs", [False, True])
@pytest.mark.parametrize(("asked", "unsure"), [(30, 3), (30, 1), (100, 5)])
def test_few_questions_whose_answers_differ(asked: int, unsure: int, with_runs: bool) -> None:
    """Two runs with few coin flips exceed the limit of two answers in at most 5 of 100 cases.

    The answers to the others never differ. If no answers differed, the limit is not 0.
    """
    rng, beyond = np.random.default_rng(asked + unsure), 0
    fixed = np.arange(asked - unsure) % 3 > 0
    names = (np.repeat(np.arange(asked), 2), *([np.tile([0, 1], asked)] if with_runs else []))
    for _ in range(200):
        flips = rng.integers(0, 2, (unsure, 4))
        scores = np.concatenate([flips, np.repeat(fixed[:, None], 4, axis=1)])
        limit = VarianceComponents()(scores[:, :2].ravel(), *names)["repeatability_limit"]
        first, second = scores[:, 2:].mean(axis=0)
        beyond += abs(first - second) > limit
        assert limit > 0
    assert beyond / 200 <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 200)


@pytest.mark.parametrize("with_runs", [False, True])
def test_easy_questions_with_more_answers(with_runs: bool) -> None:
    """Two runs exceed the limit in at most 5 of 100 cases, whichever questions are asked again.

    Half of the questions are coin flips with two answers; the others are easy and have ten.
    """
    rng, beyond = np.random.default_rng(9), 0
    right, times = np.repeat([0.5, 0.99], 30), np.repeat([2, 10], 30)
    names = np.repeat(np.arange(60), times), np.concatenate([*map(np.arange, times)])
    for _ in range(300):
        scores = rng.random(len(names[0])) < right[names[0]]
        limit = VarianceComponents()(scores, *names[: 1 + with_runs])["repeatability_limit"]
        first, second = (rng.random((2, 60)) < right).mean(axis=1)
        beyond += abs(first - second) > limit
    assert beyond / 300 <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 300)


@pytest.mark.parametrize(("easy", "hard"), [(1.0, 0.0), (0.9, 0.2)])
def test_uncertain_questions_with_one_answer(easy: float, hard: float) -> None:
    """Two runs exceed the limit in at most 5 of 100 cases if answers to hard questions time out.

    Of 200 questions, half are right in 97 of 100 answers, half in 60. Of a second answer, these
    are the shares that came.
    """
    rng, beyond = np.random.default_rng(3), 0
    right, comes = np.repeat([0.97, 0.6], 100), np.repeat([easy, hard], 100)
    for _ in range(300):
        both = rng.random((2, 200)) < right
        there = rng.random(200) < comes
        scores = np.concatenate([both[0], both[1][there]])
        names = np.concatenate([np.arange(200), np.flatnonzero(there)])
        limit = VarianceComponents()(scores, names)["repeatability_limit"]
        first, second = (rng.random((2, 200)) < right).mean(axis=1)
        beyond += abs(first - second) > limit
    assert beyond / 300 <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 300)


def test_runs_that_stopped_early() -> None:
    """Two runs exceed the limit in at most 5 of 100 cases if others have a fifth of the answers.

    Runs are equally good, and the questions vary more than the answers.
    """
    rng, beyond = np.random.default_rng(10), 0
    for _ in range(200):
        scores, questions, runs = drawn(rng, 1.0, 0.0, 1.0, 50, 4)
        kept = (runs == 0) | (questions < 10)
        one = VarianceComponents()(scores[kept], questions[kept], runs[kept])
        apart = rng.normal(0, 1, 50).mean() - rng.normal(0, 1, 50).mean()
        beyond += abs(apart) > one["repeatability_limit"]
    assert beyond / 200 <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 200)


def test_no_question_is_in_all_runs() -> None:
    """Nothing shows how far two runs on the same questions may differ."""
    found = VarianceComponents()(
        [1.0, 2.0, 4.0, 3.0, 1.0, 0.0], [0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 0]
    )
    assert math.isnan(found["repeatability_limit"])
    assert math.isfinite(found["standard_error"])


def test_more_answers_or_more_questions() -> None:
    """What the metric says of twice as many is what the plan of either says."""
    rng = np.random.default_rng(2)
    scores, questions, _ = drawn(rng, 1.0, 0.0, 3.0, 4000, 4)
    found = VarianceComponents()(scores, questions)
    plans = [
        plan(detect=0.1, std=found["std"], cluster_size=size, icc=found["icc"]).units
        for size in (4, 8)
    ]
    ratio = (found["standard_error_twice_answers"] / found["standard_error"]) ** 2
    assert plans[1] / plans[0] == pytest.approx(ratio, rel=0.01)


def test_the_mean_remains_if_nothing_can_be_split() -> None:
    """One answer to every question, one question, one run, or runs with questions of their own."""
    for given in (
        ([1.0, 2.0, 4.0], [0, 1, 2]),
        ([1.0, 2.0, 4.0], [0, 0, 0]),
        ([1.0, 2.0, 4.0], [0, 0, 1], [5, 5, 5]),
        ([1.0, 2.0, 4.0, 5.0], [0, 0, 1, 1], [0, 0, 1, 1]),
    ):
        found = VarianceComponents()(*given)
        assert found.pop("mean") == np.mean(given[0])
        assert all(map(math.isnan, found.values()))


def test_equal_answers_have_no_variance() -> None:
    """All 0, and the correlation unknown; nothing shows how far two runs may differ."""
    found = VarianceComponents()([2.0] * 6, [0, 0, 1, 1, 2, 2], [0, 1] * 3)
    assert math.isnan(found.pop("icc"))
    assert math.isnan(found.pop("repeatability_limit"))
    assert found.pop("mean") == 2.0
    assert set(found.values()) == {0.0}


def test_numbers_and_strings_are_different_names() -> None:
    """`1` and `"1"` are two questions, and names of runs are not names of questions."""
    metric = VarianceComponents()
    metric.add([1.0, 3.0], ["1", "1"])
    metric.add([2.0, 6.0], [1, 1])
    assert metric.compute()["answers_variance"] == (2 + 8) / 2


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        (([1.0], [0, 1]), ValueError, "scores and questions must have the same length"),
        (([1.0], [0.5]), TypeError, "questions"),
        (([math.nan], [0]), ValueError, "scores must not contain nan or infinity"),
        (([1.0], [["a"]]), TypeError, "questions must be integers or strings"),
        (([1.0], [0], ["a", "b"]), ValueError, "scores and runs must have the same length"),
        (([[1.0]], [0]), ValueError, "scores"),
    ],
)
def test_errors(given: tuple, error: type[Exception], text: str) -> None:
    """They name the argument, and lose nothing."""
    metric = VarianceComponents()
    metric.add([1.0, 2.0, 3.0], [0, 0, 1])
    before = metric.compute()
    with pytest.raises(error, match=text):
        metric.add(*given)
    assert metric.compute() == pytest.approx(before, nan_ok=True)


def test_runs_are_given_always_or_never() -> None:
    """A part without runs is an error of compute."""
    metric = VarianceComponents()
    metric.add([1.0, 2.0], [0, 1], [0, 0])
    metric.add([1.0, 2.0], [0, 1])
    with pytest.raises(ValueError, match="runs must be passed in all calls of add, or in none"):
        metric.compute()


def test_sums_are_exact() -> None:
    """Scores near 1e16, whose squares floats would round."""
    far = VarianceComponents()(np.array([0.0, 2.0, 6.0, 4.0]) + 2.0**50, [0, 0, 1, 1])
    near = partial(VarianceComponents(), [0.0, 2.0, 6.0, 4.0], [0, 0, 1, 1])()
    assert {**far, "mean": 0} == {**near, "mean": 0}
