"""A value that rests on a part of the samples has the degrees of freedom and marks of this part."""

from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.left_out import LeftOut

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")

RNG = np.random.default_rng(39)


def kappa_of(weights: np.ndarray) -> Interval:
    """The interval of a weighted kappa of two judges who agree on 80% of the samples."""
    count = len(weights)
    labels = RNG.integers(0, 4, count)
    others = np.where(RNG.random(count) < 0.8, labels, RNG.integers(0, 4, count))
    metric = mm.CohenKappa(4, use_sample_weight=True, interval=0.95)
    metric.add(others, labels, sample_weight=weights, ids=np.arange(count))
    metric.compute()
    [found] = metric.intervals.values()
    return found


@pytest.mark.parametrize("unit", [1.0, 1e-3])
def test_few_heavy_samples_are_marked(unit: float) -> None:
    """Ten samples of weight 100 and 990 of weight 0.01 count as about 10; equal weights as all."""
    heavy = kappa_of(np.where(np.arange(1000) < 10, 100.0, 0.01) * unit)
    assert heavy.thin is not None
    counted = heavy.thin.removeprefix("for a part of the samples, they count as ").split(",")[0]
    assert 5 < float(counted) < 20
    assert kappa_of(np.full(1000, unit)).thin is None
    assert kappa_of(RNG.uniform(0.5, 1.5, 100) * unit).thin is None


def test_few_heavy_groups_have_few_degrees_of_freedom() -> None:
    """Of 50 groups with one that is ten times as large: (n w^2)^2 / n w^4, less one."""
    sizes = [*[1] * 49, 10]
    left = LeftOut("group", 50, [1] * 50, dict).of_parts([sizes])
    assert left.df == int((49 + 100) ** 2 / (49 + 10_000)) - 1
    assert LeftOut("group", 50, [1] * 50, dict).of_parts([[7] * 50]).df == 49


def test_lognormal_weights_of_samples() -> None:
    """Intervals of a kappa with weights whose logarithms vary by 2 contain the true value."""
    wrong = 0
    for _ in range(120):
        one = kappa_of(RNG.lognormal(0, 2, 1000))
        wrong += one.thin is None and not one.low <= 0.8 <= one.high
    assert wrong <= 12  # 6 are promised, and 2.4 is their standard error


@pytest.mark.parametrize("name", ["SingleLabelPrecisionRecallF1score", "FBetaScore"])
def test_classes_in_few_clusters(name: str) -> None:
    """The recall of a class that is in 3 of 40 clusters is marked, and those of others are not."""
    clusters = np.arange(400) // 10
    labels = np.where(clusters < 3, 2, np.arange(400) % 2)
    right = RNG.random(400) < RNG.random(40)[clusters]
    options: dict[str, Any] = {"num_classes": 3, "average": None, "interval": 0.95}
    if name == "FBetaScore":
        options["task"] = "multiclass"
    metric = getattr(mm, name)(**options)
    metric.add(np.where(right, labels, 1 - labels % 2), labels, clusters=clusters)
    metric.compute()
    for several in metric.intervals.values():
        assert "there are only 3 clusters" in str(several[2].thin)
        assert several[0].thin is None
