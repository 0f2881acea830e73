"""Every way to leave a sample out gives what computing without it gives, to the last bit."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._intervals.jackknife import cluster_units, groups, left_out, pair_differences
from mmeval_like._intervals.jackknife.cluster_units import without_clusters
from mmeval_like._intervals.jackknife.codes import (
    WithJointCodes,
    WithOddRows,
    without_codes,
    without_joint_codes,
)
from mmeval_like._intervals.jackknife.estimand import Estimand, numbers_of
from mmeval_like._intervals.jackknife.groups import without_groups
from mmeval_like._intervals.jackknife.left_out import LeftOut
from mmeval_like._intervals.jackknife.pair_differences import Side, without_rows
from mmeval_like._intervals.rounding import without_rounding
from mmeval_like._states.clusters import grouped_results, keyed_states, keys_of, tagged
from mmeval_like._states.key_columns import read_keys
from mmeval_like._states.results import Results, make_results
from mmeval_like._states.statistic import Statistic

pytestmark = pytest.mark.filterwarnings("ignore")

COUNT = 40  # samples; up to 50, a group is one sample
FEW: dict[str, Any] = {"task": "multiclass", "num_classes": 3}
MANY: dict[str, Any] = {"task": "multiclass", "num_classes": 40}
Draw = Callable[[np.random.Generator], tuple[np.ndarray, ...]]
Values = dict[str, list[list[float]]]  # by key, of each number, without each sample


def whole(results: Any) -> Any:
    """Return the results of all samples, which know their clusters."""
    keys = keys_of(results)
    [found] = grouped_results(results, keys, [0] * len(keys), 1, clustered=True)
    return found


def classes(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Predictions and labels of three classes."""
    labels = rng.integers(0, 3, COUNT)
    return np.where(rng.random(COUNT) < 0.7, labels, rng.integers(0, 3, COUNT)), labels


def scores(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Scores of five classes, and labels."""
    labels = rng.integers(0, 5, COUNT)
    return rng.dirichlet(np.ones(5), COUNT) + np.eye(5)[labels] / 4, labels


def label_sets(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Which of three labels each sample has."""
    labels = rng.integers(0, 2, (COUNT, 3))
    return np.where(rng.random((COUNT, 3)) < 0.7, labels, 1 - labels), labels


def numbers(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Predictions and targets, floats."""
    targets = rng.normal(size=COUNT)
    return np.round(targets + rng.normal(size=COUNT), 1), targets


def ranked(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Scores, some of them equal, and binary labels."""
    labels = rng.integers(0, 2, COUNT)
    return np.round(rng.random(COUNT) + labels / 2, 1), labels


# By name: the metric, its samples, and the ways that its statistic has beside clusters and rows.
CASES: dict[str, tuple[Callable[[], mm.BaseMetric], Draw, set[str]]] = {
    "f1": (lambda: mm.FBetaScore(**FEW), classes, {"codes", "joint codes"}),
    "precision of each": (
        lambda: mm.Precision(average=None, **FEW),
        classes,
        {"codes", "joint codes"},
    ),
    "kappa": (lambda: mm.CohenKappa(3), classes, {"codes", "joint codes"}),
    "linear kappa": (
        lambda: mm.CohenKappa(3, weights="linear"),
        classes,
        {"codes", "joint codes"},
    ),
    "percent": (
        lambda: mm.SingleLabelPrecisionRecallF1score(num_classes=3),
        classes,
        {"codes", "joint codes"},
    ),
    "f1 of many classes": (lambda: mm.FBetaScore(**MANY), classes, {"joint codes"}),
    "kappa of many classes": (lambda: mm.CohenKappa(40), classes, {"joint codes"}),
    "two k": (
        lambda: mm.Accuracy(topk=(1, 2), num_classes=5, average="macro"),
        scores,
        {"joint codes"},
    ),
    "hits": (lambda: mm.Accuracy(), classes, set()),
    "recall of labels": (
        lambda: mm.Recall(task="multilabel", num_classes=3, average=None),
        label_sets,
        set(),
    ),
    "mean error": (lambda: mm.MeanAbsoluteError(), numbers, set()),
    "r2": (lambda: mm.R2Score(), numbers, set()),
    "auroc": (lambda: mm.AUROC(), ranked, {"groups"}),
    "spearman": (lambda: mm.SpearmanCorrCoef(), numbers, {"groups"}),
}


def brute_force(
    make: Callable[[], mm.BaseMetric],
    batch: Sequence[np.ndarray],
    units: Sequence[Any] = range(COUNT),
) -> Values:
    """The metric of the other samples, for every sample, or for the samples of every unit."""
    with without_rounding():
        left = [
            numbers_of(make()(*[np.delete(column, unit, axis=0) for column in batch]))
            for unit in units
        ]
    return {
        key: [[one[key][place] for one in left] for place in range(len(left[0][key]))]
        for key in left[0]
    }


def results_of(states: Mapping[str, Any], rows: Mapping[str, Any]) -> Results:
    """The results of rows."""
    folded = {
        name: rows[name].copy() if state.ordered else state.fold(state.empty(), rows[name])
        for name, state in states.items()
    }
    return make_results(dict(states), folded, COUNT)


def estimand_of(
    metric: mm.BaseMetric,
    batch: Sequence[Any],
    statistic: Statistic,
    clusters: np.ndarray | None = None,
) -> Estimand:
    """The metric's numbers of samples, as a statistic keeps them."""
    states: Mapping[str, Any] = statistic.states()
    rows: Mapping[str, Any] = statistic.rows(*batch)
    results = results_of(states, rows)
    if clusters is not None:
        tags = read_keys([("clusters", clusters)], "clusters")
        results = whole(results_of(keyed_states(states), tagged(rows, tags)))
    return Estimand.of(metric.compute_metric, statistic, states, results, 0.95, metric.ranges)


def ways_of(metric: mm.BaseMetric, batch: Sequence[Any]) -> dict[str, LeftOut]:
    """What every way leaves out that can, whatever the data or the metric would choose."""
    plain = metric.statistic
    ways: dict[str, LeftOut | None] = {
        "clusters": without_clusters(estimand_of(metric, batch, plain, np.arange(COUNT)[::-1])),
        "groups": without_groups(estimand_of(metric, batch, plain)),
    }
    if WithOddRows.of(plain) is not None:
        ways["codes"] = without_codes(estimand_of(metric, batch, WithOddRows(plain)))
    if ways.get("codes") or WithJointCodes.of(plain) is not None:
        ways["joint codes"] = without_joint_codes(estimand_of(metric, batch, WithJointCodes(plain)))
    return {name: left for name, left in ways.items() if left is not None}


def spread(values: Sequence[float], weights: Sequence[int] | None = None) -> Counter[str]:
    """How often each value occurs, whatever the order of the samples."""
    found: Counter[str] = Counter()
    for value, weight in zip(values, weights or [1] * len(values), strict=True):
        found[repr(value)] += weight
    return found


@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_every_way_gives_what_brute_force_gives(
    name: str, one_by_one: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values without each sample are `==` by codes, combinations, groups and clusters."""
    make, draw, ways = CASES[name]
    if one_by_one:
        monkeypatch.setattr(Estimand, "perturbed", lambda self, results, codes, step: None)
    for seed in range(3):
        batch = draw(np.random.default_rng(seed))
        expected = brute_force(make, batch)
        found = ways_of(make(), batch)
        assert found.keys() == ways | {"clusters"}
        for way, left in found.items():
            assert (left.units, sum(left.weights), left.df) == (COUNT, COUNT, COUNT - 1)
            assert left.without.keys() == expected.keys()
            for key, several in expected.items():
                for values, brute in zip(left.without[key], several, strict=True):
                    assert spread(values, left.weights) == spread(brute), (way, key)


@pytest.mark.parametrize("name", CASES)
def test_rows_of_two_systems_left_out_give_what_brute_force_gives(name: str) -> None:
    """Differences without each sample are `==`, by kinds of rows and by clusters of one sample."""
    make, draw, _ = CASES[name]
    rng = np.random.default_rng(5)
    batches = draw(rng), draw(rng)
    without = [brute_force(make, batch) for batch in batches]
    keys = [key for key, values in without[0].items() if len(values) == 1]
    metric = make()
    states = metric.statistic.states()
    for clusters in (None, np.arange(COUNT)[::-1]):
        a, b = (
            Side(states, metric.statistic.rows(*batch), metric.compute_metric, clusters)
            for batch in batches
        )
        left = without_rows(a, b, keys)
        for key in keys:
            pairs = zip(*(one[key][0] for one in without), strict=True)
            brute = [of_b - of_a for of_a, of_b in pairs]
            assert spread(left.without[key][0], left.weights) == spread(brute), key


@pytest.mark.parametrize("name", ["f1", "two k", "r2"])
def test_some_of_many_kinds_are_left_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more kinds than are left out, those that are give what brute force gives."""
    for module in (left_out, cluster_units):
        monkeypatch.setattr(module, "MOST_UNITS", 7)
    make, draw, ways = CASES[name]
    batch = draw(np.random.default_rng(1))
    expected = brute_force(make, batch)
    found = ways_of(make(), batch)
    assert found.keys() == ways | {"clusters"}
    for left in found.values():
        assert (left.units, sum(left.weights)) == (COUNT, 7)
        for key, several in expected.items():
            for values, brute in zip(left.without[key], several, strict=True):
                assert spread(values, left.weights) <= spread(brute)


@pytest.mark.parametrize("name", ["auroc", "spearman"])
def test_groups_left_out_give_what_brute_force_gives(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups of clusters of one sample, and groups of rows of two systems."""
    monkeypatch.setattr(groups, "_GROUPS", 6)
    monkeypatch.setattr(pair_differences, "MOST_UNITS", 3)
    make, draw, _ = CASES[name]
    rng = np.random.default_rng(2)
    batches = draw(rng), draw(rng)
    metric = make()
    units = [np.flatnonzero(groups.groups_of(COUNT) == group) for group in range(6)]
    without = [brute_force(make, batch, units) for batch in batches]
    [key] = without[0]
    left = without_clusters(estimand_of(metric, batches[0], metric.statistic, np.arange(COUNT)))
    assert left is not None
    assert (left.unit, left.units) == ("group", 6)
    assert left.without[key] == without[0][key]
    for clusters in (None, np.arange(COUNT)):
        a, b = (
            Side(metric.statistic.states(), metric.statistic.rows(*batch), metric.compute_metric,
                 clusters)
            for batch in batches
        )  # fmt: skip
        pair = without_rows(a, b, [key])
        assert (pair.unit, pair.units) == ("group", 6)
        [of_a], [of_b] = without[0][key], without[1][key]
        apart = [y - x for x, y in zip(of_a, of_b, strict=True)]
        assert pair.without[key] == [apart, of_a, of_b]
