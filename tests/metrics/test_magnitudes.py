"""Numbers of extreme size: the right value, or an error at `add` that says what to do."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like import (
    AUROC,
    ROC,
    Accuracy,
    AveragePrecision,
    BaseMetric,
    BrierScore,
    CohenKappa,
    D2PinballScore,
    D2TweedieScore,
    LogLoss,
    MatthewsCorrCoef,
    MaxError,
    Mean,
    MeanAbsoluteError,
    MeanSquaredError,
    MultiLabelPrecisionRecallF1score,
    PearsonCorrCoef,
    R2Score,
    RootMeanSquaredError,
    SingleLabelPrecisionRecallF1score,
    SpearmanCorrCoef,
)

CLASSES = np.array([0, 1, 1, 2, 0, 2, 1])
TRUTH = np.array([0, 1, 2, 2, 0, 0, 1])
PROBABILITIES = np.array([0.1, 0.8, 0.4, 0.35, 0.7, 0.2, 0.6])
ONE = np.array([0, 1, 0, 1, 1, 0, 1])
NUMBERS = np.array([1.0, 2.5, -3.0, 4.0, 0.5, 2.0, 2.0])

WEIGHTED: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "Accuracy": (lambda: Accuracy(use_sample_weight=True), (CLASSES, TRUTH)),
    "AUROC": (lambda: AUROC(use_sample_weight=True), (PROBABILITIES, ONE)),
    "AUROC, bins": (lambda: AUROC(bins=8, use_sample_weight=True), (PROBABILITIES, ONE)),
    "ROC": (lambda: ROC(use_sample_weight=True), (PROBABILITIES, ONE)),
    "AveragePrecision": (lambda: AveragePrecision(use_sample_weight=True), (PROBABILITIES, ONE)),
    "CohenKappa": (lambda: CohenKappa(3, use_sample_weight=True), (CLASSES, TRUTH)),
    "quadratic": (lambda: CohenKappa(3, "quadratic", use_sample_weight=True), (CLASSES, TRUTH)),
    "MatthewsCorrCoef": (lambda: MatthewsCorrCoef(3, use_sample_weight=True), (CLASSES, TRUTH)),
    "PRF": (
        lambda: SingleLabelPrecisionRecallF1score(3, use_sample_weight=True),
        (CLASSES, TRUTH),
    ),
    "PRF, sets": (
        lambda: MultiLabelPrecisionRecallF1score(3, 0.5, use_sample_weight=True),
        (np.eye(3)[CLASSES], np.eye(3, dtype=int)[TRUTH]),
    ),
    "LogLoss": (LogLoss, (PROBABILITIES, ONE)),
    "BrierScore": (BrierScore, (PROBABILITIES, ONE)),
    "Mean": (Mean, (NUMBERS,)),
    "MAE": (MeanAbsoluteError, (NUMBERS, NUMBERS[::-1])),
    "MSE": (MeanSquaredError, (NUMBERS, NUMBERS[::-1])),
    "RMSE": (RootMeanSquaredError, (NUMBERS, NUMBERS[::-1])),
    "R2Score": (R2Score, (NUMBERS, NUMBERS[::-1])),
    "Pearson": (PearsonCorrCoef, (NUMBERS, NUMBERS[::-1])),
}
UNIT = 2.0 ** np.array([0, 1, 2, 0, -1, 3, 1])


@pytest.mark.parametrize("exponent", [-195, -150, 150, 190])
@pytest.mark.parametrize("name", WEIGHTED)
def test_the_unit_of_the_weights_does_not_matter(name: str, exponent: int) -> None:
    """All weights times a power of two: the same bits, as far as weights are accepted."""
    make, batch = WEIGHTED[name]
    expected = make()(*batch, sample_weight=UNIT)

    found = make()(*batch, sample_weight=UNIT * 2.0**exponent)

    for key, value in expected.items():
        assert np.array_equal(value, found[key], equal_nan=True), key


@pytest.mark.parametrize("weight", [1e-200, 1e-61, 5e-324, 1e61, 1e200, 1e308, math.inf, math.nan])
@pytest.mark.parametrize("name", WEIGHTED)
def test_other_weights_are_refused(name: str, weight: float) -> None:
    """A weight with which sums or products leave float64 is an error at `add`; nothing is kept."""
    make, batch = WEIGHTED[name]
    metric = make()
    metric.add(*batch, sample_weight=UNIT)
    expected = metric.compute()

    with pytest.raises(ValueError, match="sample_weight must"):
        metric.add(*batch, sample_weight=np.where(UNIT > 4, weight, 1.0))
    assert str(metric.compute()) == str(expected)


# At these numbers two int64 become one float64.
BIG = np.array([2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3])
INTEGERS: dict[str, tuple[type[BaseMetric], Any]] = {
    "AUROC": (AUROC, lambda x: (x, [0, 1, 0, 1])),
    "AveragePrecision": (AveragePrecision, lambda x: (x, [0, 1, 0, 1])),
    "Spearman": (SpearmanCorrCoef, lambda x: (x, [3, 2, 1, 0])),
    "Spearman, labels": (SpearmanCorrCoef, lambda x: ([3, 2, 1, 0], x)),
    "MAE": (MeanAbsoluteError, lambda x: (x, x[::-1])),
    "MAE, lists": (MeanAbsoluteError, lambda x: ([x], [x[::-1]])),
    "MSE": (MeanSquaredError, lambda x: (x, x[::-1])),
    "RMSE": (RootMeanSquaredError, lambda x: (x, x[::-1])),
    "R2Score": (R2Score, lambda x: (x, x[::-1])),
    "Pearson": (PearsonCorrCoef, lambda x: (x, x[::-1])),
    "Mean": (Mean, lambda x: (x,)),
}


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64, list])
@pytest.mark.parametrize("name", INTEGERS)
def test_integers_that_floats_would_round(name: str, dtype: Any, sign: int) -> None:
    """Nanoseconds and ids beyond 2^53 are refused; up to 2^53 the bits are those of floats."""
    make, arguments = INTEGERS[name]
    if dtype is np.uint64 and sign < 0:
        pytest.skip("no negative numbers")
    read = np.array if dtype is list else (lambda values: np.array(values, dtype))
    big = [sign * value for value in BIG.tolist()]
    with pytest.raises(ValueError, match=r"2\^53"):
        make().add(*arguments(big if dtype is list else read(big)))
    fits = read([sign * value - sign * 3 for value in BIG.tolist()])

    assert make()(*arguments(fits)) == make()(*arguments(fits.astype(np.float64)))


@pytest.mark.parametrize("extreme", [np.iinfo(np.int64).min, np.iinfo(np.int64).max])
def test_the_ends_of_int64(extreme: int) -> None:
    """The smallest int64, whose magnitude is no int64, is refused too."""
    with pytest.raises(ValueError, match=r"2\^53"):
        Mean().add(np.array([extreme]))


numbers = st.floats(-1e200, 1e200).filter(lambda x: x == 0 or abs(x) > 1e-220)
weights = st.just(0.0) | st.floats(1e-60, 1e60)


@given(st.lists(st.tuples(numbers, weights), min_size=1, max_size=8))
def test_mean_of_extreme_products(samples: list[tuple[float, float]]) -> None:
    """Values and weights of any size that is accepted: exact arithmetic, rounded once."""
    values, sample_weight = zip(*samples, strict=True)
    total = sum((Fraction(v) * Fraction(w) for v, w in samples), Fraction(0))
    weight = sum((Fraction(w) for w in sample_weight), Fraction(0))
    found = Mean()(values, sample_weight)["mean"]

    assert math.isnan(found) if not weight else found == float(total / weight)


@pytest.mark.parametrize("make", [Mean, MeanAbsoluteError])
def test_products_beyond_float64_are_refused(make: Any) -> None:
    """A value that its weight makes infinite is an error at `add`; an infinite one is not."""
    inputs = ([1e300],) if make is Mean else ([1e300], [0.0])
    with pytest.raises(ValueError, match="overflow"):
        make().add(*inputs, sample_weight=[1e60])
    assert Mean()([math.inf], [2.0]) == {"mean": math.inf}


pairs = st.lists(st.tuples(numbers, numbers), min_size=2, max_size=8)


@given(pairs, st.integers(-100, 100))
def test_pearson_of_any_unit(samples: list[tuple[float, float]], exponent: int) -> None:
    """Within the documented limits the unit does not matter, and nothing overflows."""
    p, y = np.array(samples).T
    p, y = p / max(1e-100, np.abs(p).max()), y / max(1e-100, np.abs(y).max())
    p, y = (np.round(column * 2**20) / 2**20 for column in (p, y))
    expected = PearsonCorrCoef()(p, y)
    for unit in (1e-60, 1.0, 1e60):
        found = PearsonCorrCoef()(p * 2.0**exponent, y * 2.0 ** (-2 * exponent), [unit] * len(p))
        assert str(found) == str(expected)


@pytest.mark.parametrize("unit", [1e-105, 1e-110, 1e-160, 1e-200, 5e-324])
@pytest.mark.parametrize("make", [R2Score, PearsonCorrCoef, RootMeanSquaredError])
def test_tiny_numbers_are_refused(make: Any, unit: float) -> None:
    """Item 13: squares that float64 cannot hold are no zeros: R2 of tiny numbers was 1.0."""
    metric = make()
    metric.add(NUMBERS, NUMBERS[::-1])
    before = metric.compute()
    for predictions, labels in ((NUMBERS * unit, NUMBERS), (NUMBERS, NUMBERS * unit)):
        with pytest.raises(ValueError, match="must be 0 or at least 1e-105 in magnitude"):
            metric.add(predictions, labels)
    assert metric.compute() == before
    assert make()(NUMBERS, NUMBERS * 0).keys() == before.keys()


def test_means_of_outputs_beyond_float64() -> None:
    """The sum of two outputs' values may be beyond float64, and their mean is not."""
    most = 1.7e308

    assert MaxError(2)([[most, most]], [[0.0, 0.0]])["max_error"] == most
    assert MaxError(2)([[most, 1.0]], [[-most, 0.0]])["max_error"] == math.inf


def test_losses_beside_a_constant_of_extreme_labels() -> None:
    """Labels whose mean or losses float64 cannot hold are refused at `add`; losses give nan."""
    for metric in (D2PinballScore(), D2TweedieScore()):
        with pytest.raises(ValueError, match=r"labels must not exceed 1e\+100 in magnitude"):
            metric.add([1.0, 1.0], [1.7e308, 1.7e308])
    metric = D2TweedieScore(-3)
    with pytest.raises(ValueError, match="predictions must have a loss that float64 can represent"):
        metric.add([1e90, 1.0], [1e90, -1e90])
    metric.add([3e61, 1.0] * 400, [3e61, 1.0] * 400)

    assert math.isnan(metric.compute()["d2_tweedie"])
