"""Metrics of features that lie far from 0, compared with how much they differ."""

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mmeval_like import (
    CLIPScore,
    FrechetInceptionDistance,
    HilbertSchmidtIndependence,
    InceptionScore,
    KernelInceptionDistance,
    MaximumMeanDiscrepancy,
    MemorizationInformedFID,
    PrecisionRecallDensityCoverage,
)
from mmeval_like.metrics import features

DIM, COUNT = 3, 24
REAL = np.arange(2 * COUNT) < COUNT
RANGE = 2.0**21  # of FID's exact moments


def of_sides(metric: Any) -> Callable[[np.ndarray], dict[str, float]]:
    """The metric's result for samples, the first half of which are real."""

    def value(x: np.ndarray) -> dict[str, float]:
        metric.reset()
        metric.add(x, real=REAL)
        found: dict[str, float] = metric.compute()
        return found

    return value


def fid(x: np.ndarray) -> dict[str, float]:
    """The FID of features on a grid of 2^-10."""
    return of_sides(FrechetInceptionDistance(DIM, magnitude=RANGE))(x)


INVARIANT = {
    "FrechetInceptionDistance": fid,
    "MaximumMeanDiscrepancy": of_sides(MaximumMeanDiscrepancy(DIM, sigma=2.0)),
    "PrecisionRecallDensityCoverage": of_sides(PrecisionRecallDensityCoverage(DIM, nearest_k=3)),
    "HilbertSchmidtIndependence": lambda x: HilbertSchmidtIndependence(DIM, DIM)(x[REAL], x[~REAL]),
    "InceptionScore": lambda x: InceptionScore(DIM)(x),
}


def kid(x: np.ndarray) -> dict[str, float]:
    """The kernel inception distance in exact arithmetic."""
    rows = [[Fraction(v) for v in row] for row in np.float64(x).tolist()]

    def mean(pairs: list[tuple[list[Fraction], list[Fraction]]]) -> Fraction:
        kernels = [(sum(map(Fraction.__mul__, *pair)) / DIM + 1) ** 3 for pair in pairs]
        return sum(kernels, Fraction(0)) / len(pairs)

    ours, theirs = rows[COUNT:], rows[:COUNT]
    within = [
        mean([(a, b) for i, a in enumerate(side) for j, b in enumerate(side) if i != j])
        for side in (ours, theirs)
    ]
    return {"kid": float(sum(within) - 2 * mean([(a, b) for a in ours for b in theirs]))}


def cosine(a: list[float], b: list[float]) -> Decimal:
    """The cosine of two vectors."""
    [ab, aa, bb] = [
        sum((Decimal(p) * Decimal(q) for p, q in zip(*pair, strict=True)), Decimal(0))
        for pair in ((a, b), (a, a), (b, b))
    ]
    return ab / (aa * bb).sqrt()


def memorized(x: np.ndarray) -> dict[str, float]:
    """FID over the mean distance to the nearest real sample, which has 60 digits."""
    rows = np.float64(x).tolist()
    with localcontext() as context:
        context.prec = 60
        nearest = [min(1 - abs(cosine(a, b)) for b in rows[:COUNT]) for a in rows[COUNT:]]
        return {"mifid": fid(x)["fid"] / float(sum(nearest) / COUNT)}


def clip(x: np.ndarray) -> dict[str, float]:
    """The mean cosine."""
    rows = np.float64(x).tolist()
    with localcontext() as context:
        context.prec = 60
        pairs = zip(rows[:COUNT], rows[COUNT:], strict=True)
        return {"clip_score": float(sum(100 * max(cosine(*p), Decimal(0)) for p in pairs) / COUNT)}


ORACLES = {
    "KernelInceptionDistance": (of_sides(KernelInceptionDistance(DIM, subsets=0)), kid),
    "MemorizationInformedFID": (
        of_sides(MemorizationInformedFID(DIM, threshold=1, magnitude=RANGE)),
        memorized,
    ),
    "CLIPScore": (lambda x: CLIPScore()(x[REAL], x[~REAL]), clip),
}


def grid(dtype: Any, step: int) -> np.ndarray:
    """Samples around 0, multiples of 2^-step, of which some occur twice."""
    x = np.random.default_rng(step).normal(size=(2 * COUNT, DIM)) * [1, 2, 0.5]
    x[-3:] = x[:3] + 1
    return np.ldexp(np.rint(np.ldexp(x, step)), -step).astype(dtype)


# The sum with 2^20 is exact: float32 has 24 bits and float64 has 53; FID keeps multiples of 2^-10.
GRIDS = {"float32": (np.float32, 3), "float64": (np.float64, 10)}
OFFSETS = [0, 8, 16, 20]


def test_every_metric_of_features_is_here() -> None:
    """A new metric needs a law too."""
    assert {*INVARIANT, *ORACLES} == {*features.__all__}


@pytest.mark.parametrize("kind", GRIDS)
@pytest.mark.parametrize("name", INVARIANT)
def test_a_constant_changes_no_difference(name: str, kind: str) -> None:
    """What depends on differences of features alone is the same however far from 0 they lie."""
    x = grid(*GRIDS[kind])
    expected = INVARIANT[name](x)
    for exponent in OFFSETS:
        moved = x + x.dtype.type(2.0**exponent)
        assert (moved - x == 2.0**exponent).all()
        assert INVARIANT[name](moved) == pytest.approx(expected, rel=1e-9, abs=0)


@pytest.mark.parametrize("kind", GRIDS)
@pytest.mark.parametrize("name", ORACLES)
def test_far_from_0_as_near(name: str, kind: str) -> None:
    """What depends on where 0 is has its digits far from 0 too: exact arithmetic agrees."""
    x = grid(*GRIDS[kind])
    found, oracle = ORACLES[name]
    for exponent in OFFSETS:
        moved = x + x.dtype.type(2.0**exponent)
        assert found(moved) == pytest.approx(oracle(moved), rel=1e-7, abs=0)


@pytest.mark.parametrize("cls", [MaximumMeanDiscrepancy, PrecisionRecallDensityCoverage])
def test_float64_is_not_rounded(cls: Any) -> None:
    """Whichever batches and ranks hold it: float32 and float64 batches give the same bits."""
    x = grid(np.float64, 3)
    x[::2] += 2.0**-40  # float32 does not hold these samples
    expected = cls(DIM)(x, REAL)
    assert expected != cls(DIM)(np.float32(x), REAL) or cls is PrecisionRecallDensityCoverage
    for size in (1, 2, 7):
        first, second = cls(DIM), cls(DIM)
        for start in range(0, 2 * COUNT, size):
            batch = slice(start, start + size)
            rows = np.float32(x[batch])
            target = first if start < COUNT else second
            target.add(rows if (rows == x[batch]).all() else x[batch], real=REAL[batch])
        first.merge(second)
        assert first.compute() == expected


def test_what_squares_cannot_hold() -> None:
    """Neighbours are the same for features times any power of two; infinite ones are refused."""
    x = grid(np.float64, 10)
    expected = INVARIANT["PrecisionRecallDensityCoverage"](x)
    for power in (-900, -160, 100):
        assert INVARIANT["PrecisionRecallDensityCoverage"](np.ldexp(x, power)) == expected
    with pytest.raises(ValueError, match="features"):
        MaximumMeanDiscrepancy(DIM).add(x * 1e39, real=REAL)
    assert math.isfinite(MaximumMeanDiscrepancy(DIM)(x * 3e37, REAL)["mmd"])


@pytest.mark.parametrize("sigma", [1e3, 1e8])
def test_wide_kernels_see_small_distances(sigma: float) -> None:
    """Gaussian kernels of features much closer than sigma are 1 minus products, which count."""
    x = grid(np.float64, 10)
    gap = x[REAL].mean(axis=0) - x[~REAL].mean(axis=0)
    discrepancy = MaximumMeanDiscrepancy(DIM, sigma=sigma, unbiased=False)(x, REAL)["mmd"]
    assert discrepancy == pytest.approx((gap @ gap) / sigma**2, rel=100 / sigma**2 + 1e-9)
    ours, theirs = (side - side.mean(axis=0) for side in (x[REAL], x[~REAL]))
    shared = np.square(ours.T @ theirs).sum() / sigma**4 / (COUNT - 1) ** 2
    found = HilbertSchmidtIndependence(DIM, DIM, sigma, sigma)(x[REAL], x[~REAL])["hsic"]
    assert found == pytest.approx(shared, rel=1000 / sigma**2 + 1e-7)
