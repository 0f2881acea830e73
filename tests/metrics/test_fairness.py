"""GroupStatRates and Fairness, group by group with scikit-learn's counts."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from mmeval_like import Fairness, GroupStatRates, MetricCollection
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

GROUPS = 3


def samples(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Scores, labels and groups."""
    return *classes.binary(rng, n), rng.integers(0, GROUPS, n)


def weighted(rng: np.random.Generator, n: int) -> classes.Arguments:
    """The same with weights."""
    return *samples(rng, n), rng.integers(1, 9, n) / 8


def counts(scores: Any, labels: Any, groups: Any, weights: Any = None) -> list[list[float]]:
    """scikit-learn's tn, fp, fn, tp of every group."""
    weights = np.ones(len(labels)) if weights is None else weights
    found = []
    for group in range(GROUPS):
        here = groups == group
        matrix = np.zeros((2, 2))
        if here.any():
            matrix = confusion_matrix(
                labels[here], scores[here] >= 0.5, labels=[0, 1], sample_weight=weights[here]
            )
        found.append(matrix.reshape(-1).tolist())
    return found


def share(numerator: float, denominator: float) -> float:
    """A quotient, nan for 0 / 0."""
    return numerator / denominator if denominator else math.nan


def rates(*batch: Any) -> dict[str, list[float]]:
    """Shares of each group."""
    names = {"tn": 0, "fp": 1, "fn": 2, "tp": 3}
    return {f"{n}_rate": [share(g[i], sum(g)) for g in counts(*batch)] for n, i in names.items()}


def comparisons(*batch: Any) -> dict[str, float]:
    """Differences and ratios by numpy, without what is undefined."""
    table = counts(*batch)
    selection = [share(g[1] + g[3], sum(g)) for g in table]
    tpr = [share(g[3], g[2] + g[3]) for g in table]
    fpr = [share(g[1], g[0] + g[1]) for g in table]

    def both(values: list[float]) -> tuple[float, float]:
        known = [v for v in values if v == v]
        if not known:
            return math.nan, math.nan
        return max(known) - min(known), share(min(known), max(known))

    (parity, opportunity, odds) = (both(v) for v in (selection, tpr, fpr))
    return {
        "demographic_parity_difference": parity[0],
        "demographic_parity_ratio": parity[1],
        "equal_opportunity_difference": opportunity[0],
        "equal_opportunity_ratio": opportunity[1],
        "equalized_odds_difference": float(np.nanmax([opportunity[0], odds[0]])),
        "equalized_odds_ratio": float(np.nanmin([opportunity[1], odds[1]])),
    }


CASES = {
    "GroupStatRates": MetricCase(
        partial(GroupStatRates, GROUPS), samples, rates,
        empty={f"{name}_rate": [math.nan] * GROUPS for name in ("tp", "fp", "tn", "fn")},
    ),
    "GroupStatRates, weighted": MetricCase(
        partial(GroupStatRates, GROUPS, use_sample_weight=True), weighted, rates,
        empty={f"{name}_rate": [math.nan] * GROUPS for name in ("tp", "fp", "tn", "fn")},
    ),
    "Fairness": MetricCase(partial(Fairness, GROUPS), samples, comparisons, least=12),
    "Fairness, weighted": MetricCase(
        partial(Fairness, GROUPS, use_sample_weight=True), weighted, comparisons, least=12
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals what scikit-learn's counts give, and keeps every law."""
    with np.errstate(all="ignore"):
        check_metric(CASES[name], examples=examples(3), libraries=["array_api_strict"])


def test_a_worked_example() -> None:
    """Two groups by hand: 3 of 4 and 1 of 4 selected, 2 of 2 and 1 of 2 found."""
    metric = Fairness(2)
    metric.add([1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0])
    metric.add([1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1])

    found = metric.compute()
    assert found == {
        "demographic_parity_difference": 0.5,
        "demographic_parity_ratio": 1 / 3,
        "equal_opportunity_difference": 0.5,
        "equal_opportunity_ratio": 0.5,
        "equalized_odds_difference": 0.5,
        "equalized_odds_ratio": 0.0,
    }


def test_groups_without_samples_are_left_out() -> None:
    """With a warning that names them."""
    with pytest.warns(RuntimeWarning, match=r"groups \[2\]"):
        found = Fairness(3)([1, 0, 1, 0], [1, 0, 1, 0], [0, 0, 1, 1])
    assert found["demographic_parity_difference"] == 0.0


def test_ignored_samples_and_one_count() -> None:
    """Samples with the ignored label do not count; both metrics share what they count."""
    scores, labels, groups = samples(np.random.default_rng(0), 40)
    out = np.arange(40) % 4 == 0
    found = GroupStatRates(GROUPS, ignore_index=-1)(scores, np.where(out, -1, labels), groups)
    assert found == GroupStatRates(GROUPS)(scores[~out], labels[~out], groups[~out])
    metrics = MetricCollection({"a": GroupStatRates(2), "b": Fairness(2)})
    assert len(metrics._samples().stores()) == 1


BAD = [
    (partial(Fairness, 0), "num_groups"),
    (lambda: Fairness(2)([1], [1], [2]), "groups must be in"),
    (lambda: Fairness(2)([1], [1], [0, 1]), "same length"),
    (lambda: Fairness(2)([[1]], [[1]], [[0]]), "shape"),
    (lambda: Fairness(2)([1], [1], [0], [1.0]), "use_sample_weight"),
]


@pytest.mark.parametrize(("action", "text"), BAD)
def test_bad_arguments_and_inputs(action: Callable[[], Any], text: str) -> None:
    """What means nothing is refused."""
    with pytest.raises(ValueError, match=text):
        action()
