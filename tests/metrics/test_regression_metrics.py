"""The metrics of errors, of moments and of forecasts against scipy, scikit-learn and numpy."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import jensenshannon
from sklearn import metrics as sk

from mmeval_like import (
    ConcordanceCorrCoef,
    ContinuousRankedProbabilityScore,
    CosineSimilarity,
    ExplainedVariance,
    JensenShannonDivergence,
    KendallRankCorrCoef,
    KLDivergence,
    LogCoshError,
    MeanAbsolutePercentageError,
    MeanAbsoluteScaledError,
    MeanSquaredLogError,
    MetricCollection,
    NormalizedRootMeanSquaredError,
    PearsonCorrCoef,
    PinballLoss,
    R2Score,
    RelativeSquaredError,
    SpearmanCorrCoef,
    SymmetricMeanAbsolutePercentageError,
    TweedieDevianceScore,
    WeightedMeanAbsolutePercentageError,
)
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples

Arguments = tuple[Any, ...]


def positive(rng: np.random.Generator, n: int, *shape: int) -> Arguments:
    """Positive predictions and labels, and weights."""
    predictions, labels = rng.gamma(2.0, size=(2, n, *shape)) + 0.1
    return predictions, labels, rng.integers(1, 9, n) / 8


def wide(rng: np.random.Generator, n: int) -> Arguments:
    """The same of three outputs."""
    return positive(rng, n, 3)


def signed(rng: np.random.Generator, n: int) -> Arguments:
    """Predictions and labels of both signs, and weights."""
    return rng.normal(size=n), rng.normal(size=n), rng.integers(1, 9, n) / 8


def shares(rng: np.random.Generator, n: int) -> Arguments:
    """Distributions over four classes, not yet adding up to 1; only predictions have zeros."""
    predictions, labels = rng.integers(0, 9, (n, 4)), rng.integers(1, 9, (n, 4))
    predictions[:, 0] += 1
    return predictions, labels


def ensembles(rng: np.random.Generator, n: int) -> Arguments:
    """Five members and a label."""
    return rng.normal(size=(n, 5)).round(1), rng.normal(size=n)


def ranks(rng: np.random.Generator, n: int) -> Arguments:
    """Numbers many of which are tied."""
    return rng.integers(0, 6, n) / 4, rng.integers(0, 9, n).astype(np.float32)


def series(rng: np.random.Generator, n: int) -> Arguments:
    """Forecasts of four steps with a history of nine."""
    return rng.normal(size=(n, 4)), rng.normal(size=(n, 4)), rng.normal(size=(n, 9))


def of_sklearn(key: str, function: Any, *arguments: Any, **options: Any) -> dict[str, Any]:
    """The value of a function of scikit-learn."""
    predictions, labels, *weights = arguments
    weight = weights[0] if weights else None
    return {key: function(labels, predictions, sample_weight=weight, **options)}


def mean_of(key: str, formula: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """The weighted mean of a formula of numpy."""
    predictions, labels, *weights = arguments
    weight = weights[0] if weights else None
    return {key: np.average(formula(predictions, labels), weights=weight, axis=0)}


def wmape(predictions: Any, labels: Any, weights: Any) -> dict[str, float]:
    """By numpy."""
    return {"wmape": np.abs(predictions - labels) @ weights / (np.abs(labels) @ weights)}


def concordance(predictions: Any, labels: Any, weights: Any) -> dict[str, float]:
    """By the weighted covariances of numpy."""
    (pp, py), (_, yy) = np.cov([predictions, labels], aweights=weights, ddof=0)
    gap = np.average(predictions - labels, weights=weights)
    return {"concordance": 2 * py / (pp + yy + gap**2)}


def nrmse(unit: str, predictions: Any, labels: Any, weights: Any) -> dict[str, float]:
    """By numpy."""
    root = math.sqrt(np.average((predictions - labels) ** 2, weights=weights))
    mean = np.average(labels, weights=weights)
    size = {
        "mean": mean,
        "range": np.ptp(labels),
        "std": math.sqrt(np.average((labels - mean) ** 2, weights=weights)),
        "l2": math.sqrt(np.sum(weights * labels**2)),
    }[unit]
    return {"nrmse": root / size}


def kendall(variant: str, predictions: Any, labels: Any) -> dict[str, float]:
    """The value of scipy, or that of all pairs."""
    if variant != "a":
        return {"kendall": stats.kendalltau(predictions, labels, variant=variant).statistic}
    x, y = (np.sign(np.subtract.outer(v, v)) for v in (predictions, labels))
    return {"kendall": (x * y).sum() / (len(x) * (len(x) - 1))}


def crps(fair: bool, members: Any, labels: Any) -> dict[str, float]:
    """From all pairs of members."""
    size = members.shape[1]
    pairs = np.abs(members[:, :, None] - members[:, None, :]).sum(axis=(1, 2))
    errors = np.abs(members - labels[:, None]).mean(axis=1)
    return {"crps": float((errors - pairs / (2 * size * (size - fair))).mean())}


def pinball(alpha: tuple[float, ...], predictions: Any, labels: Any) -> dict[str, Any]:
    """scikit-learn's value of every quantile."""
    columns = zip(alpha, predictions.T, strict=True)
    losses = [sk.mean_pinball_loss(labels, p, alpha=a) for a, p in columns]
    return {"pinball": np.mean(losses), "pinball_classwise": losses}


def scaled(m: int, squared: bool, predictions: Any, labels: Any, history: Any) -> dict[str, float]:
    """By numpy."""
    power = 2 if squared else 1
    error = (np.abs(predictions - labels) ** power).mean(axis=1)
    naive = (np.abs(history[:, m:] - history[:, :-m]) ** power).mean(axis=1)
    return {"rmsse" if squared else "mase": float(((error / naive) ** (1 / power)).mean())}


def tweedie(power: float) -> MetricCase:
    """scikit-learn's deviance."""
    oracle = partial(of_sklearn, "tweedie", sk.mean_tweedie_deviance, power=power)
    return MetricCase(partial(TweedieDevianceScore, power), positive, oracle, 1e-9)


QUANTILES = (0.05, 0.25, 0.5, 0.75, 1.0)
MAPE = sk.mean_absolute_percentage_error
CASES = {
    "MeanAbsolutePercentageError": MetricCase(
        MeanAbsolutePercentageError, signed, partial(of_sklearn, "mape", MAPE)
    ),
    "SymmetricMeanAbsolutePercentageError": MetricCase(
        SymmetricMeanAbsolutePercentageError, signed,
        partial(mean_of, "smape", lambda p, y: 2 * abs(p - y) / (abs(p) + abs(y))),
    ),
    "WeightedMeanAbsolutePercentageError": MetricCase(
        WeightedMeanAbsolutePercentageError, signed, wmape
    ),
    "MeanSquaredLogError": MetricCase(
        MeanSquaredLogError, positive, partial(of_sklearn, "msle", sk.mean_squared_log_error)
    ),
    "LogCoshError": MetricCase(
        LogCoshError, signed, partial(mean_of, "log_cosh", lambda p, y: np.log(np.cosh(p - y)))
    ),
    "TweedieDevianceScore": tweedie(1.5),
    "CosineSimilarity": MetricCase(
        CosineSimilarity, wide,
        partial(mean_of, "cosine_similarity",
                lambda p, y: sk.pairwise.cosine_similarity(p, y).diagonal()),
    ),
    "KLDivergence": MetricCase(
        KLDivergence, shares,
        partial(mean_of, "kl_divergence", lambda p, q: stats.entropy(p, q, axis=1)), 1e-9,
    ),
    "JensenShannonDivergence": MetricCase(
        JensenShannonDivergence, shares,
        partial(mean_of, "js_divergence", lambda p, q: jensenshannon(p, q, axis=1) ** 2), 1e-9,
    ),
    "ExplainedVariance": MetricCase(
        ExplainedVariance, signed,
        partial(of_sklearn, "explained_variance", sk.explained_variance_score), 1e-9, least=2,
    ),
    "RelativeSquaredError": MetricCase(
        RelativeSquaredError, signed,
        lambda *data: {"rse": 1 - of_sklearn("r2", sk.r2_score, *data)["r2"]}, 1e-9, least=2,
    ),
    "ConcordanceCorrCoef": MetricCase(ConcordanceCorrCoef, signed, concordance, 1e-8, least=3),
    "NormalizedRootMeanSquaredError": MetricCase(
        NormalizedRootMeanSquaredError, positive, partial(nrmse, "mean")
    ),
    "KendallRankCorrCoef": MetricCase(KendallRankCorrCoef, ranks, partial(kendall, "b"), least=9),
    "ContinuousRankedProbabilityScore": MetricCase(
        ContinuousRankedProbabilityScore, ensembles, partial(crps, False), 1e-9
    ),
    "PinballLoss": MetricCase(PinballLoss, signed, partial(of_sklearn, "pinball",
                                                           sk.mean_pinball_loss)),
    "MeanAbsoluteScaledError": MetricCase(
        MeanAbsoluteScaledError, series, partial(scaled, 1, False)
    ),
}  # fmt: skip
VARIANTS = {
    **{f"Tweedie, power {power}": tweedie(power) for power in (-1, 0, 1, 2, 3.5)},
    **{
        f"NRMSE by {unit}": MetricCase(
            partial(NormalizedRootMeanSquaredError, normalization=unit), positive,
            partial(nrmse, unit), 1e-9, least=2,
        )
        for unit in ("range", "std", "l2")
    },
    **{
        f"Kendall's tau-{variant}": MetricCase(
            partial(KendallRankCorrCoef, variant), ranks, partial(kendall, variant), least=9
        )
        for variant in "ac"
    },
    "MAPE of columns": MetricCase(
        partial(MeanAbsolutePercentageError, 3, "raw_values"), wide,
        partial(of_sklearn, "mape", MAPE, multioutput="raw_values"),
    ),
    "MAPE, mean of columns": MetricCase(
        partial(MeanAbsolutePercentageError, 3), wide, partial(of_sklearn, "mape", MAPE)
    ),
    "RMSLE, mean of columns": MetricCase(
        partial(MeanSquaredLogError, num_outputs=3, squared=False), wide,
        lambda p, y, w: {"rmsle": np.mean(np.sqrt(
            sk.mean_squared_log_error(y, p, sample_weight=w, multioutput="raw_values")))},
    ),
    "ExplainedVariance by variance": MetricCase(
        partial(ExplainedVariance, 3, "variance_weighted"), wide,
        partial(of_sklearn, "explained_variance", sk.explained_variance_score,
                multioutput="variance_weighted"), 1e-9, least=2,
    ),
    "CRPS, fair": MetricCase(
        partial(ContinuousRankedProbabilityScore, fair=True), ensembles, partial(crps, True), 1e-8
    ),
    "PinballLoss of quantiles": MetricCase(
        partial(PinballLoss, QUANTILES), ensembles, partial(pinball, QUANTILES)
    ),
    "RMSSE of a season": MetricCase(
        partial(MeanAbsoluteScaledError, 3, squared=True), series, partial(scaled, 3, True)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals its oracle and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(3))


@pytest.mark.parametrize("name", CASES)
def test_omitted_samples_do_not_count(name: str) -> None:
    """With nan="omit", samples with a nan in any argument are as if they were not there."""
    case = CASES[name]
    data = [np.array(column, float) for column in case.samples(np.random.default_rng(0), 20)]
    broken = [column.copy() for column in data]
    for index, column in enumerate(broken):
        column[3 + index] = np.nan
    kept = np.setdiff1d(np.arange(20), 3 + np.arange(len(data)))

    assert case.make(nan="omit")(*broken) == case.make()(*[column[kept] for column in data])
    with pytest.raises(ValueError, match="nan"):
        case.make().add(*broken)
    with pytest.raises(ValueError, match="nan must be one of"):
        case.make(nan="drop")


def test_moments_and_orders_are_shared() -> None:
    """All metrics of moments keep one set of sums, those of order one set of numbers."""
    moments = [PearsonCorrCoef(), R2Score(), ExplainedVariance(), ConcordanceCorrCoef(),
               RelativeSquaredError(), NormalizedRootMeanSquaredError()]  # fmt: skip
    assert len({metric.statistic for metric in moments}) == 1
    assert KendallRankCorrCoef("c").statistic == SpearmanCorrCoef().statistic
    metrics = MetricCollection(moments)
    metrics.add([1.0, 2.0, 4.0], [1.0, 2.0, 3.0])
    assert metrics.compute()["R2Score"] == {"r2": 0.5}


def test_disjoint_distributions_are_ln_2_apart() -> None:
    """Item 13: no rounding makes a Jensen-Shannon divergence larger than its bound."""
    rng = np.random.default_rng(0)
    p, q = (rng.random((300, 7)) ** 9 for _ in range(2))
    zeros = np.zeros_like(p)
    pair = np.hstack([p, zeros]), np.hstack([zeros, q])
    found = JensenShannonDivergence().scores(*pair)
    assert found.max() == math.log(2)
    assert found.min() == pytest.approx(math.log(2))
    assert JensenShannonDivergence()(*pair)["js_divergence"] <= math.log(2)
