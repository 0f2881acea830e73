"""R2, concordance and the Kling-Gupta efficiency may be nearer to 1 than other scales say."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import t

import mmeval_like as mm
from mmeval_like._intervals.interval import Interval

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")


def _interval(make: type[mm.BaseMetric], key: str, p: np.ndarray, y: np.ndarray) -> Interval:
    metric = make(interval=0.95)
    metric.add(p, y)
    metric.compute()
    found: Interval = metric.intervals[key]
    return found


def _distance(means: np.ndarray) -> float:
    """1 less the efficiency, from the means of y, p, y^2, y p and p^2."""
    y, p, yy, yp, pp = means
    across, along = yy - y * y, pp - p * p
    r = (yp - y * p) / math.sqrt(across * along)
    return math.hypot(r - 1, math.sqrt(along / across) - 1, p / y - 1)


def _unexplained(means: np.ndarray) -> float:
    """1 less R2."""
    y, _, yy, yp, pp = means
    unexplained: float = (yy - 2 * yp + pp) / (yy - y * y)
    return unexplained


def _discordance(means: np.ndarray) -> float:
    """1 less Lin's concordance."""
    y, p, yy, yp, pp = means
    same: float = 2 * (yp - y * p) / (yy - y * y + pp - p * p + (y - p) ** 2)
    return 1 - same


def _end(of: Callable[[np.ndarray], float], p: np.ndarray, y: np.ndarray) -> tuple[float, bool]:
    """The upper end, and whether the path turned."""
    terms = np.stack([y, p, y * y, y * p, p * p])
    means, free = terms.mean(axis=1), len(y) - 5
    steps = np.linalg.cholesky(np.cov(terms, bias=True)).T / math.sqrt(free)
    ways = [(of(means + step), of(means - step)) for step in steps]
    slopes = np.array([(up - down) / 2 for up, down in ways])
    value, error, quantile = of(means), math.hypot(*slopes), t.ppf(0.975, free)
    path = of(means - quantile * slopes @ steps / error)
    line = value - quantile * error
    turned = path > value - quantile * error / 2
    curve = (value - quantile * error / 2 - line if turned else path - line) / quantile**2
    across = sum((up + down) / 2 - value for up, down in ways) - curve
    end = max((line if turned else path) - across, 0.0)
    return 1 - end, bool(turned)


@pytest.mark.parametrize(("noise", "count", "turns"), [(2.0, 100, False), (0.7, 60, True)])
def test_the_end_is_that_of_the_least_favourable_path(
    noise: float, count: int, *, turns: bool
) -> None:
    """By numpy: the sums move along the gradient, and the bias across it is subtracted."""
    rng = np.random.default_rng(5)
    y = 10 + 3 * rng.normal(size=count)
    p = 0.3 + 0.97 * y + noise * rng.normal(size=count)
    assert _end(_distance, p, y)[1] == turns
    for make, key, of in (
        (mm.KlingGuptaEfficiency, "kge", _distance),
        (mm.R2Score, "r2", _unexplained),
        (mm.ConcordanceCorrCoef, "concordance", _discordance),
    ):
        one = _interval(make, key, p, y)
        assert one.method.endswith(", less bias")
        assert one.high == pytest.approx(_end(of, p, y)[0], abs=1e-7)


def test_a_ratio_of_spreads_keeps_the_logarithmic_scale() -> None:
    """Its reciprocal has the reciprocal interval."""
    rng = np.random.default_rng(1)
    y = rng.normal(10, 3, 60)
    one = _interval(mm.KlingGuptaEfficiency, "alpha", y + rng.normal(size=60), y)
    assert one.method == "log t"


def test_a_good_model_may_be_better() -> None:
    """Its efficiency is 0.972: four of these intervals would be below it on the log scale alone."""
    rng = np.random.default_rng(3)
    spread = math.hypot(0.97 * 3, 0.7)
    true = 1 - math.hypot(0.97 * 3 / spread - 1, spread / 3 - 1)
    missed = 0
    for _ in range(60):
        y = 10 + 3 * rng.normal(size=80)
        p = 0.3 + 0.97 * y + 0.7 * rng.normal(size=80)
        missed += _interval(mm.KlingGuptaEfficiency, "kge", p, y).high < true
    assert missed <= 2
