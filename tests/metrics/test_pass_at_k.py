"""Shares of questions solved in k attempts, against the listing of all choices and scipy."""

import math
from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like import GPassAtK, MetricCollection, PassAtK, PassHatK
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples


def attempts(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Numbers of right attempts, and of attempts: at least 3."""
    tried = rng.integers(3, 9, n)
    return rng.integers(0, tried + 1), tried


def lists(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Which attempts were right."""
    return ([rng.integers(0, 2, rng.integers(3, 7)).tolist() for _ in range(n)],)


def counted(correct: Any, tried: Any) -> list[tuple[int, int]]:
    """Pairs of the numbers of attempts and of right ones."""
    if tried is None:
        return [(len(entry), sum(entry)) for entry in correct]
    return [(int(n), int(c)) for n, c in zip(tried, correct, strict=True)]


def drawn(n: int, c: int, k: int) -> Counter[int]:
    """How many right ones are in every choice of k attempts: by listing all choices."""
    return Counter(sum(choice) for choice in combinations([1] * c + [0] * (n - c), k))


def mean(values: list[Fraction]) -> float:
    """The mean, rounded once."""
    return float(sum(values) / len(values))


def share(n: int, c: int, k: int, least: int) -> Fraction:
    """The share of choices of k attempts with so many right ones or more."""
    found = drawn(n, c, k)
    return Fraction(sum(v for j, v in found.items() if j >= least), found.total())


def of_pass_at_k(correct: Any, tried: Any = None) -> dict[str, float]:
    """By listing all choices."""
    pairs = counted(correct, tried)
    found = {f"pass@{k}": mean([share(n, c, k, 1) for n, c in pairs]) for k in (1, 3)}
    return found | {"mean": mean([Fraction(c, n) for n, c in pairs])}


def of_pass_hat_k(correct: Any, tried: Any = None) -> dict[str, float]:
    """By listing all choices."""
    return {"pass^2": mean([share(n, c, 2, 2) for n, c in counted(correct, tried)])}


def of_g_pass_at_k(correct: Any, tried: Any = None) -> dict[str, float]:
    """By scipy's hypergeometric distribution."""
    law = requires("scipy.stats").hypergeom
    n, c = np.transpose(counted(correct, tried))

    def value(k: int, least: int) -> float:
        return float(law.sf(least - 1, n, c, k).mean())

    found = {f"g_pass@3_{tau}": value(3, math.ceil(tau * 3)) for tau in (0.25, 0.5, 1.0)}
    return found | {"mg_pass@3": 2 / 3 * value(3, 3)}


CASES = {
    "PassAtK": MetricCase(partial(PassAtK, (1, 3)), attempts, of_pass_at_k, 0.0),
    "PassHatK": MetricCase(partial(PassHatK, 2), attempts, of_pass_hat_k, 0.0),
    "GPassAtK": MetricCase(partial(GPassAtK, 3, (0.25, 0.5, 1.0)), attempts, of_g_pass_at_k),
}
VARIANTS = {
    "PassAtK of lists": MetricCase(
        partial(PassAtK, (1, 3)), lists, of_pass_at_k, 0.0, array_inputs=False
    ),
}


@given(st.integers(1, 300), st.data())
@settings(max_examples=examples(60))
def test_the_published_estimator_of_pass_at_k(n: int, data: st.DataObject) -> None:
    """1 - product of (1 - k / i), as it is printed beside the definition."""
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    expected = 1.0 if n - c < k else 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))

    assert PassAtK(k)([c], [n])[f"pass@{k}"] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(st.integers(1, 12), st.data())
@settings(max_examples=examples(60))
def test_the_family_agrees_where_its_members_meet(n: int, data: st.DataObject) -> None:
    """Any right one is a tiny tau, all are tau 1; with k = 1 each is the share of hits."""
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    one, every, some = PassAtK(k)([c], [n]), PassHatK(k)([c], [n]), GPassAtK(k, (0.01, 1))([c], [n])

    assert some[f"g_pass@{k}_0.01"] == one[f"pass@{k}"]
    assert some[f"g_pass@{k}_1.0"] == every[f"pass^{k}"]
    assert one["mean"] == PassHatK(1)([c], [n])["pass^1"] == c / n


def test_shares_are_read_as_they_are_printed() -> None:
    """A tenth of ten attempts is one attempt, though the float 0.1 is more than a tenth."""
    found = GPassAtK(10, (0.1, 0.3))(correct=[3], attempts=[10])

    assert found["g_pass@10_0.1"] == found["g_pass@10_0.3"] == 1.0


def test_attempts_are_counted_once_for_all() -> None:
    """Metrics of the same k share one statistic in a collection."""
    both = MetricCollection({"any": PassAtK(2), "all": PassHatK(2)})
    both.add(correct=[1, 2], attempts=[2, 2])

    assert both.compute() == {"any": {"pass@2": 1.0, "mean": 0.75}, "all": {"pass^2": 0.5}}
    assert len(both._samples().stores()) == 1


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """Each metric equals its oracle and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(4))


def test_intervals() -> None:
    """Questions count as samples, and not their attempts."""
    attempted = PassAtK(interval=0.95)
    attempted.add([[1] * 8] * 3 + [[0] * 8] * 2)
    attempted.compute()
    assert attempted.intervals["pass@1"].units == 5


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: PassAtK(())([[1]]), ValueError, "k must be one number or several"),
        (lambda: PassAtK(0), ValueError, "k must be positive"),
        (lambda: PassAtK(2.5), TypeError, "k must be an integer"),  # type: ignore[arg-type]
        (lambda: PassAtK(3)([[1, 0, 1], [1]]), ValueError, "at least 3 .* got 1 at index 1"),
        (lambda: PassAtK()([[2]]), ValueError, r"correct must be in \[0, 2\)"),
        (lambda: PassAtK()([1, 0]), ValueError, "or come with attempts="),
        (lambda: PassAtK()([3], [2]), ValueError, "must not exceed attempts, got 3 of 2"),
        (lambda: PassAtK()([3, 1], [4]), ValueError, "same length"),
        (lambda: GPassAtK(tau=1.5), ValueError, r"tau must be in \(0, 1\]"),
        (lambda: GPassAtK(tau=0), ValueError, r"tau must be in \(0, 1\], got 0"),
        (lambda: PassAtK()(np.array([[0, 2]])), ValueError, "correct must be in"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant(call: Any, error: type[Exception], text: str) -> None:
    """Bad options and inputs are named."""
    with pytest.raises(error, match=text):
        call()


def test_attempts_as_arrays_or_lists() -> None:
    """A table, its rows as lists, and counts are alike."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (40, 7))
    expected = PassAtK(k=(1, 3))(table.tolist())
    numbers = table.sum(axis=1), np.full(40, 7)
    for batch in ((table,), (table.astype(bool),), (table.astype(np.uint8),), numbers):
        assert PassAtK(k=(1, 3))(*batch) == expected
