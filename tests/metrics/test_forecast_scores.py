"""IntervalScore, EnergyScore and KlingGuptaEfficiency against pinball losses, scipy and numpy."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics import mean_pinball_loss

from mmeval_like import EnergyScore, IntervalScore, KlingGuptaEfficiency
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples

Inputs = tuple[Any, ...]


def intervals(rng: np.random.Generator, n: int) -> Inputs:
    """Intervals, many with an end at the label, and weights."""
    lower, width = rng.integers(-3, 3, n) / 2, rng.integers(0, 4, n) / 2
    return lower, lower + width, rng.integers(-6, 7, n) / 2, rng.integers(1, 9, n) / 8


def two_quantiles(alpha: float, lower: Any, upper: Any, y: Any, weights: Any) -> dict[str, float]:
    """The score is 2 / alpha times the pinball losses of the ends: scikit-learn's."""
    ends = ((lower, alpha / 2), (upper, 1 - alpha / 2))
    losses = [mean_pinball_loss(y, end, alpha=a, sample_weight=weights) for end, a in ends]
    inside = (lower <= y) & (y <= upper)
    return {
        "interval_score": 2 / alpha * sum(losses),
        "coverage": np.average(inside, weights=weights),
        "mean_width": np.average(upper - lower, weights=weights),
    }


def ensembles(rng: np.random.Generator, n: int) -> Inputs:
    """Four members of three numbers."""
    return rng.normal(size=(n, 4, 3)), rng.normal(size=(n, 3))


def energy(fair: bool, members: Any, labels: Any) -> dict[str, float]:
    """By scipy's distances of all pairs."""
    size = members.shape[1]
    scores = [
        cdist(x, y[None]).mean() - cdist(x, x).sum() / (2 * size * (size - fair))
        for x, y in zip(members, labels, strict=True)
    ]
    return {"energy_score": float(np.mean(scores))}


def flows(rng: np.random.Generator, n: int) -> Inputs:
    """Positive numbers and weights."""
    predictions, labels = rng.gamma(2.0, size=(2, n))
    return predictions, labels, rng.integers(1, 9, n) / 8


def efficiency(variant: str, p: Any, y: Any, weights: Any) -> dict[str, float]:
    """By numpy's weighted covariance."""
    (pp, py), (_, yy) = np.cov([p, y], aweights=weights, ddof=0)
    beta = np.average(p, weights=weights) / np.average(y, weights=weights)
    r, alpha = py / math.sqrt(pp * yy), math.sqrt(pp / yy)
    if variant == "2012":
        alpha /= beta
    value = 1 - math.hypot(r - 1, alpha - 1, beta - 1)
    return {"kge": value, "r": r, "alpha": alpha, "beta": beta}


CASES = {
    "IntervalScore": MetricCase(
        partial(IntervalScore, 0.2), intervals, partial(two_quantiles, 0.2)
    ),
    "EnergyScore": MetricCase(EnergyScore, ensembles, partial(energy, False)),
    "EnergyScore, fair": MetricCase(
        partial(EnergyScore, True), ensembles, partial(energy, True), 1e-10
    ),
    **{
        f"KlingGuptaEfficiency, {variant}": MetricCase(
            partial(KlingGuptaEfficiency, variant=variant), flows,
            partial(efficiency, variant), 1e-8, least=3,
        )
        for variant in ("2009", "2012")
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals its oracle and keeps every law."""
    check_metric(CASES[name], examples=examples(2))


def test_what_has_no_efficiency() -> None:
    """Equal numbers and labels around 0; the parts that exist are there."""
    found = KlingGuptaEfficiency()([1.0, 3.0], [2.0, 2.0])
    assert np.array_equal([*found.values()], [math.nan, math.nan, math.nan, 1.0], equal_nan=True)
    found = KlingGuptaEfficiency()([1.0, 3.0], [-1.0, 1.0])
    assert np.array_equal([*found.values()], [math.nan, 1.0, 1.0, math.nan], equal_nan=True)
    found = KlingGuptaEfficiency(variant="2012")([-1.0, 1.0], [1.0, 2.0])
    assert np.array_equal([*found.values()], [math.nan, 1.0, math.nan, 0.0], equal_nan=True)
    found = KlingGuptaEfficiency(variant="2012")([-2.0, -4.0], [1.0, 2.0])
    assert found["alpha"] == -1.0
    found = KlingGuptaEfficiency(num_outputs=2, multioutput="raw_values")(
        [[1.0, 2.0], [2.0, 4.0]], [[1.0, 1.0], [2.0, 2.0]]
    )
    assert found["kge"] == [1.0, 1 - 2**0.5]


def test_a_bias_whose_square_is_no_float() -> None:
    """The efficiency is 1 - sqrt(2) times a bias beside which all else is nothing."""
    found = KlingGuptaEfficiency()([2e100, 4e100], [1e-100, 2e-100])
    assert found["alpha"] == found["beta"] == pytest.approx(2e200)
    assert found["kge"] == pytest.approx(-(2**0.5) * 2e200)


def test_omitted_samples() -> None:
    """A nan in any argument leaves the sample out."""
    nan = math.nan
    found = IntervalScore(0.5, nan="omit")([1.0, nan, 0.0], [2.0, 1.0, nan], [1.5, 9.0, 9.0])
    assert found == {"interval_score": 1.0, "coverage": 1.0, "mean_width": 1.0}
    ensemble = [[[1.0], [1.0]], [[nan], [1.0]]]
    assert EnergyScore(nan="omit")(ensemble, [[3.0], [0.0]]) == {"energy_score": 2.0}


BAD = [
    (lambda: IntervalScore(0.0), "alpha must be in"),
    (lambda: IntervalScore(0.5).add([2.0], [1.0], [1.0]), "upper must not be below lower"),
    (lambda: IntervalScore(0.5).add([2.0], [2.0], [1.0, 2.0]), "same length"),
    (lambda: IntervalScore(0.5).add([[2.0]], [2.0], [1.0]), "lower must have shape"),
    (lambda: IntervalScore(0.5).add([2.0], [math.inf], [1.0]), "upper must not contain"),
    (lambda: EnergyScore(fair=True).add([[[1.0]]], [[1.0]]), "at least 2 members, got 1"),
    (lambda: EnergyScore().add([[1.0]], [[1.0]]), r"must have shape \(N, M, D\)"),
    (lambda: EnergyScore().add([[[1.0]]], [[1.0, 2.0]]), r"must have shape \(N, M, D\)"),
    (lambda: KlingGuptaEfficiency(variant="2020"), "variant must be one of"),
]


@pytest.mark.parametrize(("action", "text"), BAD)
def test_bad_arguments_and_inputs(action: Callable[[], Any], text: str) -> None:
    """What means nothing is refused."""
    with pytest.raises(ValueError, match=text):
        action()


@pytest.mark.parametrize("fair", [False, True])
@pytest.mark.parametrize("exponent", [-1000, -530, 530, 1000])
def test_an_energy_score_has_the_unit_of_its_labels(fair: bool, exponent: int) -> None:
    """Squares of small numbers that vanish would make a forecast perfect; large ones overflow."""
    members, labels = ensembles(np.random.default_rng(0), 20)
    metric = EnergyScore(fair)
    scaled = metric.scores(np.ldexp(members, exponent), np.ldexp(labels, exponent))
    assert scaled.tolist() == np.ldexp(metric.scores(members, labels), exponent).tolist()
