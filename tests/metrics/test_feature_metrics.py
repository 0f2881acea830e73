"""Metrics of features of real and generated samples against numpy and scipy."""

import math
from functools import partial
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
from mmeval_like.metrics.features.feature_moments import Moments, MomentsState
from mmeval_like.testing import MetricCase, StateCase, check_metric, check_state
from tests.helpers.examples import examples
from tests.metrics.feature_formulas import (
    clip,
    cubic,
    dependence,
    frechet,
    gaussian,
    inception,
    kernel_means,
    memorized,
    neighbours,
    sides,
    subset_kid,
)

DIM = 3


def both(rng: np.random.Generator, n: int, least: int = 2) -> tuple[Any, Any]:
    """Features of two kinds, far from 0, of float32; some of each kind."""
    real = rng.random(n) < 0.5
    some = [True, False] * least
    real[: len(some)] = some[:n]
    return np.float32(9 + rng.normal(size=(n, DIM)) * [1, 2, 0.5] + real[:, None] / 2), real


def logits(rng: np.random.Generator, n: int) -> tuple[Any]:
    """Of five classes, some of them all but certain."""
    return (np.float32(rng.normal(size=(n, 5)) * rng.choice([1, 100], (n, 1))),)


def two(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Two features that depend on each other."""
    x = rng.normal(size=(n, 2))
    return x, x[:, :1] ** 2 + rng.normal(size=(n, 1))


FID = partial(FrechetInceptionDistance, DIM)
CASES = {
    "FrechetInceptionDistance": MetricCase(
        FID, both, lambda x, real: {"fid": frechet(x, real)}, 1e-5, least=12
    ),
    "MemorizationInformedFID": MetricCase(
        partial(MemorizationInformedFID, DIM, threshold=1),
        both,
        memorized,
        1e-5,
        order_matters=True,
        least=12,
    ),
    "KernelInceptionDistance": MetricCase(
        partial(KernelInceptionDistance, DIM, None, 3, 2, 5),
        both,
        subset_kid,
        1e-9,
        order_matters=True,
        least=6,
    ),
    "KernelInceptionDistance, of all": MetricCase(
        partial(KernelInceptionDistance, DIM, subsets=0),
        both,
        lambda x, real: {"kid": kernel_means(cubic, *sides(x, real), unbiased=True)},
        1e-9,
        order_matters=True,
        least=6,
    ),
    "MaximumMeanDiscrepancy": MetricCase(
        partial(MaximumMeanDiscrepancy, DIM, sigma=2.0),
        both,
        lambda x, real: {"mmd": kernel_means(gaussian, *sides(x, real), unbiased=True)},
        1e-9,
        order_matters=True,
        least=6,
        most=12,
    ),
    "MaximumMeanDiscrepancy, biased": MetricCase(
        partial(MaximumMeanDiscrepancy, DIM, sigma=2.0, unbiased=False, scale=10),
        both,
        lambda x, real: {"mmd": 10 * kernel_means(gaussian, *sides(x, real), unbiased=False)},
        1e-9,
        order_matters=True,
        least=6,
        most=12,
    ),
    "PrecisionRecallDensityCoverage": MetricCase(
        partial(PrecisionRecallDensityCoverage, DIM, nearest_k=2),
        partial(both, least=3),
        neighbours,
        order_matters=True,
        least=8,
    ),
    "InceptionScore": MetricCase(partial(InceptionScore, 5), logits, partial(inception, 1), 1e-9),
    "InceptionScore, of parts": MetricCase(
        partial(InceptionScore, 5, splits=2), logits, None, order_matters=True, least=2
    ),
    "HilbertSchmidtIndependence": MetricCase(
        partial(HilbertSchmidtIndependence, 2, 1, 2.0, 0.5),
        two,
        dependence,
        1e-9,
        order_matters=True,
        least=3,
        most=12,
    ),
    "CLIPScore": MetricCase(
        CLIPScore, lambda rng, n: (rng.normal(size=(n, 4)), rng.normal(size=(n, 4))), clip, 1e-9
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals its oracle and keeps every law."""
    check_metric(CASES[name], examples=examples(1))


def whole_rows(rng: np.random.Generator, n: int) -> Any:
    """Of both kinds, up to the largest magnitude."""
    values = rng.integers(-(2**31), 2**31 + 1, (n, DIM)) >> rng.integers(0, 31, (n, 1))
    return np.column_stack([rng.integers(0, 2, n), values])


def test_the_state_keeps_its_laws() -> None:
    """Any order and grouping of rows, and the bytes."""

    def oracle(rows: Any) -> Any:
        kinds = [rows[rows[:, 0] == kind, 1:] for kind in (0, 1)]
        products = np.array(
            [(a.astype(object).T @ a.astype(object)).tolist() for a in kinds], object
        )
        low, high = (part.astype(np.int64) for part in (products & 0xFFFFFFFF, products >> 32))
        counts, sums = np.array([*map(len, kinds)]), np.array([a.sum(axis=0) for a in kinds])
        return Moments(counts, sums, low, high)

    check_state(
        StateCase(MomentsState(DIM), whole_rows, oracle, subtracts=True), examples=examples(3)
    )


def test_moments_are_exact() -> None:
    """Of more rows than are multiplied at once, with the largest magnitudes: Python's integers."""
    rows = whole_rows(np.random.default_rng(0), 2500)
    rows[:2100, 1:] = rng_signs = np.random.default_rng(1).choice([-(2**31), 2**31], (2100, DIM))
    assert (rng_signs < 0).any()
    state = MomentsState(DIM)
    moments = state.fold(state.empty(), rows)
    for side in (0, 1):
        values = rows[rows[:, 0] == side, 1:].astype(object)
        products = values.T @ values
        found = (moments.high[side].astype(object) << 32) + moments.low[side].astype(object)
        assert found.tolist() == products.tolist()
        assert moments.sums[side].tolist() == values.sum(axis=0).tolist()


def test_no_digits_are_lost() -> None:
    """Features around 2000 have the distance that they have around 0."""
    x, real = both(np.random.default_rng(0), 40)
    x = np.rint(x * 1024) / 1024
    assert FID()(x + 2000, real)["fid"] == pytest.approx(FID()(x, real)["fid"], rel=1e-12)


@pytest.mark.parametrize("cls", [FrechetInceptionDistance, MemorizationInformedFID])
@pytest.mark.parametrize("power", [-60, -20, 30])
def test_features_are_scaled_before_they_are_rounded(cls: Any, power: int) -> None:
    """Item 13: FID of features times 2^k is that of the features times 4^k, to the last bit.

    Small features without `magnitude` are not rounded in silence: FID was off by 6 % at 1e-6.
    """
    x, real = both(np.random.default_rng(0), 60)
    [expected] = cls(DIM, magnitude=16)(x, real).values()
    [found] = cls(DIM, magnitude=math.ldexp(16, power))(np.ldexp(x, power), real).values()
    assert found == math.ldexp(expected, 2 * power)
    if power < 0:
        with pytest.warns(RuntimeWarning, match="pass magnitude="):
            cls(DIM)(np.ldexp(x, power), real)
    else:
        with pytest.raises(ValueError, match="pass magnitude="):
            cls(DIM)(np.ldexp(x, power), real)
    with pytest.raises(ValueError, match=r"magnitude must be in \[1e-100, 1e100\]"):
        cls(DIM, magnitude=0.0)


def test_fewer_samples_than_features() -> None:
    """The covariances have no full rank; rounding does not add up over the rest."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(6, 60))
    metric = FrechetInceptionDistance(60)
    metric.add(x, np.arange(6) < 3)
    lifted = np.linalg.qr(x.T)[1].T  # the same samples in their own six dimensions
    small = FrechetInceptionDistance(6)
    small.add(lifted, np.arange(6) < 3)
    assert metric.compute()["fid"] == pytest.approx(small.compute()["fid"], rel=1e-5)
    assert metric(np.concatenate([x, x]), np.arange(12) < 6)["fid"] == pytest.approx(0, abs=1e-6)


def test_the_real_side_is_seen_once() -> None:
    """A metric of the real samples is merged into each one of generated samples."""
    x, real = both(np.random.default_rng(0), 30)
    seen, metric = FID(), FID()
    seen.add(x[real], True)
    metric.add(x[~real], real=False)
    metric.merge(seen)
    assert metric.compute() == FID()(x, real)


def test_a_network_of_ones_own() -> None:
    """It is given the samples as they are; the features are those of its own function."""
    x, real = both(np.random.default_rng(0), 30)
    texts = [" ".join(map(str, row)) for row in x.tolist()]

    def network(texts: list[str]) -> Any:
        return np.array([text.split() for text in texts], np.float32)

    for make in (FrechetInceptionDistance, partial(KernelInceptionDistance, subsets=0)):
        assert make(DIM, network)(texts, real) == make(DIM)(x, real)
    assert InceptionScore(DIM, network)(texts) == InceptionScore(DIM)(x)
    assert CLIPScore(features=(network, network))(texts, texts)["clip_score"] == pytest.approx(100)


def test_parts_of_the_global_order() -> None:
    """Each contiguous part has a score; the last digits of an oracle's rounding aside."""
    (rows,) = logits(np.random.default_rng(0), 20)
    found = InceptionScore(5, splits=4)(rows)
    assert found == pytest.approx(inception(4, rows), rel=1e-9)
    shares = np.exp(np.float64(rows) - np.float64(rows).max(axis=1)[:, None])
    shares /= shares.sum(axis=1)[:, None]
    assert InceptionScore(5, from_logits=False, splits=4)(shares) == pytest.approx(found, rel=1e-9)


def test_copies() -> None:
    """Generated samples that are real ones are memorized: FID is divided by almost nothing."""
    x, real = both(np.random.default_rng(0), 40)
    x[np.flatnonzero(~real)[: real.sum()]] = x[real][: (~real).sum()]
    plain = FID()(x, real)["fid"]
    assert MemorizationInformedFID(DIM)(x, real)["mifid"] > 1000 * plain
    assert MemorizationInformedFID(DIM, threshold=0)(x, real)["mifid"] == plain
    directions = np.array([[1.0, 0, 0], [0, 1, 0], [2, 0, 0], [0, 3, 0]])
    assert MemorizationInformedFID(DIM)(directions, [1, 1, 0, 0])["mifid"] == math.inf


def test_features_of_zeros_are_like_nothing() -> None:
    """The cosine of a vector of zeros is 0, also to another one: its distance is 1."""
    x, real = both(np.random.default_rng(0), 40)
    x -= 9
    for place in (~real, real, real | ~real):
        blank = x.copy()
        blank[np.flatnonzero(place)[:5]] = 0
        wide = np.float64(blank)
        sizes = np.linalg.norm(wide, axis=1)[:, None]
        units = wide / np.where(sizes == 0, 1, sizes)
        nearest = (1 - np.abs(units[~real] @ units[real].T)).min(axis=1)
        value = MemorizationInformedFID(DIM, threshold=1)(blank, real)
        expected = FID()(blank, real)["fid"] / nearest.mean()
        assert value == {"mifid": pytest.approx(expected, rel=1e-9)}


@pytest.mark.parametrize(("dim", "offset"), [(4, 0.0), (64, 0.0), (64, 1000.0), (512, 100.0)])
def test_copies_on_the_surface_are_outside(dim: int, offset: float) -> None:
    """Rounding does not move them in: each lies in its own ball and in those of k - 1 others."""
    real = np.random.default_rng(dim).normal(size=(300, dim)) + offset
    for k in (1, 3):
        metric = PrecisionRecallDensityCoverage(dim, nearest_k=k)
        metric.add(real, real=True)
        metric.add(real, real=False)
        assert metric.compute() == dict.fromkeys(
            ("precision", "recall", "density", "coverage"), 1.0
        ) | {"density": in_balls(real, real, k)}
        metric = PrecisionRecallDensityCoverage(dim, nearest_k=k)
        metric.add(real, real=True)
        metric.add(real[:70], real=False)
        assert metric.compute()["density"] == in_balls(real[:70], real, k)


def in_balls(generated: Any, real: Any, k: int) -> float:
    """The density, from differences of single vectors."""
    apart, own = ([((side - one) ** 2).sum(axis=1) for one in real] for side in (generated, real))
    radii = np.sort(own, axis=1)[:, k]
    return float((np.array(apart) < radii[:, None]).sum()) / (k * len(generated))


@pytest.mark.parametrize("dim", [1, 2, 7])
def test_samples_and_themselves(dim: int) -> None:
    """Their distance is exactly 0, in any order; and 0 / 0 of copies is not infinite."""
    features = np.random.default_rng(dim).normal(size=(9, dim))
    for make, value in ((FrechetInceptionDistance, 0.0), (MemorizationInformedFID, math.nan)):
        metric = make(dim)
        metric.add(features, real=True)
        metric.add(features[::-1], real=False)
        assert [*metric.compute().values()] == pytest.approx([value], abs=0, nan_ok=True)
    metric = MemorizationInformedFID(dim)  # copies of some, which are spread otherwise
    metric.add(features, real=True)
    metric.add(features[:4], real=False)
    assert metric.compute() == {"mifid": math.inf}
