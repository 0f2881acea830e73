"""Metrics of regression where a formula divides by 0 or overflows, and what they refuse."""

import math
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest

import mmeval_like
from mmeval_like import (
    ConcordanceCorrCoef,
    ContinuousRankedProbabilityScore,
    CosineSimilarity,
    D2TweedieScore,
    ExplainedVariance,
    JensenShannonDivergence,
    KendallRankCorrCoef,
    KLDivergence,
    LogCoshError,
    MeanAbsolutePercentageError,
    MeanAbsoluteScaledError,
    MeanSquaredLogError,
    NormalizedRootMeanSquaredError,
    PinballLoss,
    R2Score,
    RelativeSquaredError,
    SymmetricMeanAbsolutePercentageError,
    TweedieDevianceScore,
    WeightedMeanAbsolutePercentageError,
)
from mmeval_like.writing import arrays

Arguments = tuple[Any, ...]

EDGES: list[tuple[Any, Arguments, dict[str, Any]]] = [
    (MeanAbsolutePercentageError(), ([1.0], [0.0]), {"mape": 2.0**52}),
    (SymmetricMeanAbsolutePercentageError(), ([0.0, 1.0], [0.0, 0.0]), {"smape": 1.0}),
    (SymmetricMeanAbsolutePercentageError(), ([1.7e308], [-1.7e308]), {"smape": 2.0}),
    (SymmetricMeanAbsolutePercentageError(), ([5e-324], [0.0]), {"smape": 2.0}),
    (WeightedMeanAbsolutePercentageError(), ([1.0], [0.0]), {"wmape": math.nan}),
    (TweedieDevianceScore(1), ([0.5], [0.0]), {"tweedie": 1.0}),
    (TweedieDevianceScore(1), ([3.0], [5e-324]), {"tweedie": 6.0}),
    (TweedieDevianceScore(1), ([1e100], [1e-300]), {"tweedie": 2e100}),
    (TweedieDevianceScore(2), ([1e-300], [1e300]), {"tweedie": math.inf}),
    (LogCoshError(), ([1e308], [0.0]), {"log_cosh": 1e308}),
    (CosineSimilarity(), ([[0.0, 0.0]], [[1.0, 2.0]]), {"cosine_similarity": 0.0}),
    (CosineSimilarity(), ([[1e300, 0.0]], [[1e-300, 0.0]]), {"cosine_similarity": 1.0}),
    (KLDivergence(), ([[0.5, 0.5]], [[1.0, 0.0]]), {"kl_divergence": math.inf}),
    (KLDivergence(), ([[2, 2]], [[1, 1]]), {"kl_divergence": 0.0}),
    (KLDivergence(True), ([[0.0, -math.inf]], [[0.0, -math.inf]]), {"kl_divergence": 0.0}),
    (ExplainedVariance(), ([2.0, 3.0], [1.0, 1.0]), {"explained_variance": 0.0}),
    (ExplainedVariance(), ([2.0, 2.0], [1.0, 1.0]), {"explained_variance": 1.0}),
    (RelativeSquaredError(squared=False), ([1.0, 3.0], [1.0, 1.0]), {"rse": math.nan}),
    (ConcordanceCorrCoef(), ([1.0, 1.0], [1.0, 1.0]), {"concordance": math.nan}),
    (ConcordanceCorrCoef(), ([2.0, 2.0], [1.0, 1.0]), {"concordance": 0.0}),
    (ConcordanceCorrCoef(), ([-1e15, -1e15 - 1], [-1e15, -1e15 - 1]), {"concordance": 1.0}),
    (NormalizedRootMeanSquaredError(), ([-1.0], [-2.0]), {"nrmse": 0.5}),
    (NormalizedRootMeanSquaredError(), ([1.0, 1.0], [1.0, -1.0]), {"nrmse": math.nan}),
    (NormalizedRootMeanSquaredError(normalization="range"), ([1.0], [2.0]), {"nrmse": math.nan}),
    (R2Score(adjusted=1), ([1.0, 2.0, 4.0], [1.0, 2.0, 3.0]), {"r2": 0.0}),
    (R2Score(adjusted=2), ([1.0, 2.0, 4.0], [1.0, 2.0, 3.0]), {"r2": math.nan}),
    (KendallRankCorrCoef(), ([1.0, 1.0], [1.0, 2.0]), {"kendall": math.nan}),
    (KendallRankCorrCoef("a"), ([1.0], [1.0]), {"kendall": math.nan}),
    (KendallRankCorrCoef("c"), ([1.0, 1.0], [1.0, 2.0]), {"kendall": math.nan}),
    (ContinuousRankedProbabilityScore(), ([[3.0]], [1.0]), {"crps": 2.0}),
    (PinballLoss(0.25), ([1.0], [2.0]), {"pinball": 0.25}),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "batch", "expected"), EDGES)
def test_edges(metric: Any, batch: Arguments, expected: dict[str, Any]) -> None:
    """Where a formula divides by 0, or a naive one would overflow."""
    assert metric(*batch) == pytest.approx(expected, rel=0, abs=0, nan_ok=True)


def test_quotients_that_no_normal_float_holds() -> None:
    """Their logarithms are those of both numbers: ln(2^1000 / 2^-1000), and of 3 / 2^-1074."""
    far = TweedieDevianceScore(2)([2.0**1000], [2.0**-1000])["tweedie"]
    assert far == pytest.approx(2 * (2000 * math.log(2) - 1), rel=1e-15)
    rare = TweedieDevianceScore(1)([2.0**-1074], [3.0])["tweedie"]
    assert rare == pytest.approx(6 * (math.log(3) + 1074 * math.log(2) - 1), rel=1e-15)


def deviance(p: float, y: float, power: float) -> float:
    """The formula of the unit deviance, with 80 digits."""
    with localcontext() as context:
        context.prec = 80
        a, b, r = Decimal(p), Decimal(y), Decimal(power)
        if r == 1:
            return float(2 * (b * (b / a).ln() - b + a))
        if r == 2:
            return float(2 * ((a / b).ln() + b / a - 1))
        first = b ** (2 - r) / ((1 - r) * (2 - r))
        return float(2 * (first - b * a ** (1 - r) / (1 - r) + a ** (2 - r) / (2 - r)))


@pytest.mark.parametrize("power", [-1, 1, 1.5, 2, 3])
@pytest.mark.parametrize("step", [1e-15, -1e-12, 1e-6, -1e-3, 0.1, -0.124, 0.126, 0.5])
def test_deviances_near_the_truth_keep_their_digits(power: float, step: float) -> None:
    """Terms that nearly cancel each other hide neither a small deviance nor its share."""
    rng = np.random.default_rng(4)
    for size in (1e-3, 1.0, 2.0**31):
        [label] = size * rng.uniform(1, 2, 1)
        prediction = label * (1 + step)
        found = TweedieDevianceScore(power)([prediction], [label])["tweedie"]
        assert found == pytest.approx(deviance(prediction, label, power), rel=1e-12, abs=0)


def test_the_mean_of_labels_may_be_between_two_floats() -> None:
    """Far from 0, the deviance of the rounded mean is larger than that of the mean."""
    labels = 2.0**46 + np.array([0, 2, 3, 7, 11]) / 64
    predictions = labels + np.array([1, -2, 4, 0, 3]) / 64
    expected = R2Score()(predictions, labels)["r2"]
    for power in (0, 1, 1.5, 2):
        found = D2TweedieScore(power)(predictions, labels)["d2_tweedie"]
        assert found == pytest.approx(expected, rel=1e-12)
        equal = np.full(3, 0.1)
        assert D2TweedieScore(power)(equal * 1.5, equal)["d2_tweedie"] == 0.0
        assert D2TweedieScore(power)(equal, equal)["d2_tweedie"] == 1.0


def test_shares_of_deviance_of_numbers_that_vary_little() -> None:
    """Labels near 2^31 that vary by 10: the share is that of squares, which it approaches."""
    labels = np.array([2147483639.0, 2147483629, 2147483643])
    predictions = labels - 3.25
    squares = 1 - np.square(3.25) * 3 / np.square(labels - labels.mean()).sum()
    for power in (1, 1.5, 2, 3):
        found = D2TweedieScore(power)(predictions, labels)["d2_tweedie"]
        assert found == pytest.approx(squares, rel=1e-7)
    with pytest.raises(ValueError, match="predictions must have a loss that float64 can represent"):
        D2TweedieScore(0)([1e-200, 3e-200], [2e-200, 5e-200])


@pytest.mark.parametrize("step", [1e-12, 1e-9, 1e-6, 1e-3, 0.02, 0.2])
def test_divergences_of_near_distributions_keep_their_digits(step: float) -> None:
    """Terms of both signs that nearly add up to 0 do not hide a small divergence."""
    p = np.array([0.5, 0.25, 0.125, 0.125, 0.0])
    q = p + step * np.array([0.25, -0.125, -0.125, 0.0, 0.0])
    with localcontext() as context:
        context.prec = 60
        pairs = [(Decimal(a), Decimal(b)) for a, b in zip(p, q / q.sum(), strict=True) if a]
        whole = sum(b for _, b in pairs)
        pairs = [(a, b / whole) for a, b in pairs]
        left = sum(a * (a / b).ln() for a, b in pairs)
        middle = [(a + b) / 2 for a, b in pairs]
        both = zip(pairs, middle, strict=True)
        shared = sum(a * (a / m).ln() + b * (b / m).ln() for (a, b), m in both) / 2
    found = [KLDivergence()([p], [q]), KLDivergence(True)(*np.log([[p + 1e-99], [q + 1e-99]]))]
    for one in found:
        assert one["kl_divergence"] == pytest.approx(float(left), rel=1e-15 / step + 1e-13, abs=0)
    one = JensenShannonDivergence()([p], [q])
    assert one["js_divergence"] == pytest.approx(float(shared), rel=1e-15 / step + 1e-13, abs=0)


def test_logarithmic_errors_near_the_truth_keep_their_digits() -> None:
    """The digits that both logarithms share do not hide their difference."""
    for label in (0.25, 3.5, 2.0**31, 1e150):
        for step in (2.0**-50, 2.0**-30, -(2.0**-10), 0.25, 2.0):
            prediction = label * (1 + step)
            with localcontext() as context:
                context.prec = 80
                quotient = (1 + Decimal(prediction)) / (1 + Decimal(label))
                expected = float(quotient.ln() ** 2)
            found = MeanSquaredLogError()([prediction], [label])["msle"]
            assert found == pytest.approx(expected, rel=1e-13, abs=0)


def test_series_without_a_scale_are_left_out() -> None:
    """A constant history and one of a single season have no naive error."""
    metric = MeanAbsoluteScaledError()
    metric.add([[1.0], [1.0], [3.0]], [[2.0], [2.0], [5.0]], [[1.0, 1.0], [4.0], [1.0, 2.0]])
    with pytest.warns(RuntimeWarning, match="2 of 3"):
        assert metric.compute() == {"mase": 2.0}


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("exponent", [-1060, -540, 505, 530, 1021])
def test_no_unit_of_a_series_changes_its_score(squared: bool, exponent: int) -> None:
    """Squares that overflow would make every forecast perfect, and those that vanish leave it out.

    The differences of the last history overflow by themselves.
    """
    metric = MeanAbsoluteScaledError(squared=squared)
    batch = [[4.0, 5.0]] * 2, [[5.0, 5.0]] * 2, [[1.0, 2.0, 4.0], [7.0, -7.0, 7.0]]
    scores = metric.scores(*(np.ldexp(np.array(table), exponent) for table in batch))
    assert scores.tolist() == metric.scores(*batch).tolist()


@pytest.mark.parametrize("squared", [False, True])
def test_series_are_scored_alone_and_together(squared: bool) -> None:
    """Series in a table, in a list, and among series of other lengths have the same scores."""
    rng = np.random.default_rng(0)
    batch = [rng.normal(size=(5, length)) * 1e3 for length in (70, 70, 130)]
    batch[2][3] = 1.0  # a series without a scale
    metric = MeanAbsoluteScaledError(2, squared=squared)
    other = rng.normal(size=3)
    ragged = metric.scores(*([*table, other] for table in batch))[:-1]
    inputs = (batch, map(list, batch), map(np.asfortranarray, batch))
    found = [*(metric.scores(*tables) for tables in inputs), ragged]

    assert np.isnan(found[0]).tolist() == [False, False, False, True, False]
    assert {scores.tobytes() for scores in found} == {found[0].tobytes()}


BAD: list[tuple[Any, Arguments, str]] = [
    (MeanAbsolutePercentageError(), ([1.0], [1.0, 2.0]), "same length"),
    (MeanAbsolutePercentageError(2), ([1.0], [1.0]), r"\(N, 2\)"),
    (MeanAbsolutePercentageError(), ([math.inf], [1.0]), "predictions must not contain"),
    (MeanSquaredLogError(), ([-1.0], [1.0]), "predictions must be greater than -1"),
    (TweedieDevianceScore(1), ([0.0], [1.0]), "predictions must be positive"),
    (TweedieDevianceScore(1), ([1.0], [-1.0]), "labels must not be negative"),
    (TweedieDevianceScore(3), ([1.0], [0.0]), "labels must be positive"),
    (CosineSimilarity(), ([1.0], [1.0]), r"\(N, C\)"),
    (KLDivergence(), ([[-1.0, 1.0]], [[1.0, 1.0]]), "negative"),
    (KLDivergence(), ([[0.0, 0.0]], [[1.0, 1.0]]), "positive probability"),
    (KLDivergence(), ([[1.0, 1.0]], [[1.0]]), "same shape"),
    (ContinuousRankedProbabilityScore(fair=True), ([[1.0]], [1.0]), "2 members"),
    (ContinuousRankedProbabilityScore(), ([1.0], [1.0]), r"\(N, M\)"),
    (PinballLoss((0.1, 0.9)), ([[1.0]], [1.0]), r"\(N, 2\)"),
    (MeanAbsoluteScaledError(), ([[1.0]], [[1.0, 2.0]], [[1.0]]), "the same length"),
    (KendallRankCorrCoef(), ([[1.0]], [[1.0]]), r"\(N,\)"),
]


@pytest.mark.parametrize(("metric", "batch", "text"), BAD)
def test_bad_inputs(metric: Any, batch: Arguments, text: str) -> None:
    """What a metric is not defined for is refused, and loses nothing."""
    with pytest.raises(ValueError, match=text):
        metric.add(*batch)


@pytest.mark.parametrize(
    ("name", "options", "text"),
    [
        ("TweedieDevianceScore", {"power": 0.5}, "power"),
        ("PinballLoss", {"alpha": [0.5, 1.5]}, "alpha"),
        ("PinballLoss", {"alpha": []}, "alpha"),
        ("MeanAbsoluteScaledError", {"seasonality": 0}, "seasonality"),
        ("KendallRankCorrCoef", {"variant": "d"}, "variant"),
        ("NormalizedRootMeanSquaredError", {"normalization": "max"}, "normalization"),
        ("MeanAbsolutePercentageError", {"num_outputs": 0}, "num_outputs"),
        ("MeanAbsolutePercentageError", {"multioutput": "sum"}, "multioutput"),
        ("R2Score", {"adjusted": -1}, "adjusted"),
        ("R2Score", {"adjusted": 1, "nan": "omit"}, "adjusted"),
    ],
)
def test_bad_options(name: str, options: dict[str, Any], text: str) -> None:
    """Options that mean nothing are refused."""
    with pytest.raises(ValueError, match=text):
        getattr(mmeval_like, name)(**options)


def plain_cosine(p: np.ndarray, y: np.ndarray) -> float:
    """The cosine of two vectors, by operations on these two alone."""
    rows = [row.astype(np.float64) for row in (p, y)]
    p, y = (np.ldexp(row, -math.frexp(float(np.abs(row).max()))[1]) for row in rows)
    squares = [arrays.sum_rows(np.square(row)[None]).item() for row in (p, y)]
    lengths = [math.sqrt(square) or 1.0 for square in squares]
    common = arrays.sum_rows((p * y)[None]).item() / (lengths[0] * lengths[1])
    return min(max(common, -1.0), 1.0)


@pytest.mark.parametrize("shape", [(1, 1), (3, 2), (60, 7), (1700, 64), (3, 40_001), (2, 60_000)])
@pytest.mark.parametrize(
    ("dtype", "exponent"),
    [("f2", -14), ("f4", 0), ("f4", -145), ("f4", 120), ("f8", 0), ("f8", -1072), ("f8", 1020)],
)
def test_cosines_at_once_have_the_bits_of_each_alone(
    shape: tuple[int, int], dtype: str, exponent: int
) -> None:
    """Neither other vectors, nor the memory's order, nor the scale change a bit of a cosine."""
    rng = np.random.default_rng(shape[1])
    exponents = exponent * rng.integers(0, 2, shape)
    p, y = (np.ldexp(rng.normal(size=shape), exponents).astype(dtype) for _ in "py")
    y[-1], p[:1] = 0, y[:1]
    expected = [plain_cosine(*pair) for pair in zip(p, y, strict=True)]
    for order in ("C", "F"):
        sides = (np.asarray(side, order=order) for side in (p, y))
        np.testing.assert_array_equal(CosineSimilarity().scores(*sides), expected)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", [0, 1699])
def test_a_bad_number_of_a_vector_is_named(dtype: str, bad: float, place: int) -> None:
    """A nan or an infinity is found in every block of vectors, whatever their type."""
    p, y = (np.ones((1700, 64), dtype) for _ in "py")
    y[place, 3] = bad
    with pytest.raises(ValueError, match=rf"labels must .*\({place}, 3\)"):
        CosineSimilarity().add(p, y)


def test_the_sign_of_labels_changes_no_size_of_errors() -> None:
    """The NRMSE of mirrored numbers is the same, at least 0 as `ranges` says, with its interval."""
    rng = np.random.default_rng(5)
    labels = rng.uniform(1, 3, 200)
    predictions = labels + rng.uniform(-1, 1, 200)
    for size in ("mean", "std", "l2"):
        metric = NormalizedRootMeanSquaredError(normalization=size, interval=0.9)
        assert metric(-predictions, -labels) == metric(predictions, labels)


def test_an_interval_of_a_symmetric_percentage_error_ends_at_two() -> None:
    """No sample adds more than 2."""
    metric = SymmetricMeanAbsolutePercentageError(interval=0.95)
    metric.add([1.0] * 24 + [0.0], [0.0] * 24 + [1.5])
    metric.add([1.0], [1.0])
    found = metric.compute()
    assert 0 <= found["smape_low"] <= found["smape"] <= found["smape_high"] <= 2
