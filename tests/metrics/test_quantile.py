"""Quantile against numpy, and against exact fractions of Python's statistics."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from statistics import quantiles
from typing import Any

import numpy as np
import pytest

from mmeval_like import MetricCollection, Quantile
from mmeval_like.testing import LocalWorld, MetricCase, check_metric
from mmeval_like.testing.same import same
from tests.helpers.dealing import deal_everything
from tests.helpers.examples import examples

SEVERAL = [0, 0.1, 0.25, 0.5, 0.9, 0.99, 1]


def numbers(rng: np.random.Generator, n: int) -> tuple[np.ndarray]:
    """Numbers some of which are equal."""
    return (np.where(rng.random(n) < 0.5, rng.normal(size=n), rng.integers(-3, 4, n) / 2),)


def holes(rng: np.random.Generator, n: int) -> tuple[np.ndarray]:
    """The same with some nan, but not all."""
    (found,) = numbers(rng, n)
    found[1:] = np.where(rng.random(n - 1) < 0.3, math.nan, found[1:])
    return (found,)


CASES = {
    "Quantile": MetricCase(Quantile, numbers, lambda v: {"quantile": np.median(v)}),
    "Quantile, several": MetricCase(
        partial(Quantile, SEVERAL), numbers,
        lambda v: {"quantile": np.quantile(v, SEVERAL).tolist()},
        empty={"quantile": [math.nan] * len(SEVERAL)},
    ),
    "Quantile, omit": MetricCase(
        partial(Quantile, 0.3, nan="omit"), holes,
        lambda v: {"quantile": np.nanquantile(v, 0.3)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The quantile equals numpy's and keeps every law."""
    check_metric(CASES[name], examples=examples(6), libraries=["array_api_strict"])


def test_exact_quantiles_are_rounded_once() -> None:
    """Deciles of numbers of very different size: those of fractions, `==`."""
    rng = np.random.default_rng(1)
    for n in (2, 7, 30):
        values = rng.normal(size=n) * 10.0 ** rng.integers(-9, 9, n)
        exact = quantiles(map(Fraction, values.tolist()), n=10, method="inclusive")
        found = Quantile([k / 10 for k in range(1, 10)])(values)["quantile"]
        assert found == [float(value) for value in exact]


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("kind", ["numbers", "one distinct", "infinite", "on one rank", "nan"])
@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_dealt_is_gathered(monkeypatch: pytest.MonkeyPatch, kind: str, ranks: int) -> None:
    """Beyond the limit the bits are those of one rank, and no rank gets another's numbers."""
    deal_everything(monkeypatch)
    rng = np.random.default_rng(2)
    values = {
        "one distinct": np.full(90, -0.0),
        "infinite": rng.choice([-math.inf, -1.0, -0.0, 0.0, 5e-324, math.inf], 90),
        "nan": np.full(90, math.nan),
    }.get(kind, holes(rng, 90)[0])
    members = {
        "omit": Quantile(SEVERAL, nan="omit"),
        "nan": Quantile(0.3, nan="propagate"),
        "ends": Quantile(SEVERAL, nan="omit", interval=0.95),
        "end": Quantile(0.3, nan="propagate", interval=0.9),
    }
    whole = MetricCollection(members, dist_backend="non_dist")
    whole.add(values[:89])
    world = LocalWorld(ranks)

    def of_rank(backend: Any) -> Any:
        metric = MetricCollection(members, dist_backend=backend)
        if kind != "on one rank":
            metric.add(values[backend.rank :: ranks])
            return metric.compute(size=89)
        if backend.rank == 1:
            metric.add(values[:89])
        return metric.compute()

    expected = whole.compute()
    assert all(same(found, expected) for found in world.run(of_rank))
    assert world.calls[0]["gather_bytes"] == world.calls[0]["all_to_all_pieces"] == 0


def test_infinities_have_places() -> None:
    """Between an infinity and a finite number it is infinite; between both infinities nan."""
    assert Quantile(0.25)([-math.inf, 0, 1]) == {"quantile": -math.inf}
    assert Quantile([0.5, 1])([0, 1, math.inf]) == {"quantile": [1.0, math.inf]}
    assert math.isnan(Quantile()([-math.inf, math.inf])["quantile"])
    assert Quantile()([-1.7e308, 1.7e308]) == {"quantile": 0.0}


@pytest.mark.parametrize("q", [-0.1, 1.5, math.nan, math.inf, "0.5", None, True, [], [0.5, 2]])
def test_shares_are_from_0_to_1(q: Any) -> None:
    """Another q is refused by name."""
    with pytest.raises(ValueError, match="q must be a number from 0 to 1"):
        Quantile(q)


def test_several_shares_name_their_entries() -> None:
    """In flat results and in pictures an entry has its share's name, as it was written."""
    metric = Quantile([0.5, 0.9])
    metric.add([1.0, 2.0, 3.0])
    result = metric.compute()
    assert result.flat() == {"quantile_0.5": 2.0, "quantile_0.9": 2.8}
    assert result.classes == ["0.5", "0.9"]
    median = Quantile()
    median.add([1.0])
    assert median.compute().classes is None
