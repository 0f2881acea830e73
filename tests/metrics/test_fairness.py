"""GroupStatRates and Fairness, group by group with scikit-learn's counts."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, norm
from sklearn.metrics import confusion_matrix

from mmeval_like import Fairness, GroupStatRates, MetricCollection, Paired
from mmeval_like._intervals.transforms import bounded
from mmeval_like.testing import LocalWorld, MetricCase, check_metric
from mmeval_like.testing.same import same
from tests.helpers.examples import examples
from tests.metrics import classes

GROUPS = 3


def samples(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Scores, labels and groups."""
    return *classes.binary(rng, n), rng.integers(0, GROUPS, n)


def weighted(rng: np.random.Generator, n: int) -> classes.Arguments:
    """The same with weights."""
    return *samples(rng, n), rng.integers(1, 9, n) / 8


def counts(scores: Any, labels: Any, groups: Any, weights: Any = None) -> list[list[float]]:
    """scikit-learn's tn, fp, fn, tp of every group."""
    weights = np.ones(len(labels)) if weights is None else weights
    found = []
    for group in range(GROUPS):
        here = groups == group
        matrix = np.zeros((2, 2))
        if here.any():
            matrix = confusion_matrix(
                labels[here], scores[here] >= 0.5, labels=[0, 1], sample_weight=weights[here]
            )
        found.append(matrix.reshape(-1).tolist())
    return found


def share(numerator: float, denominator: float) -> float:
    """A quotient, nan for 0 / 0."""
    return numerator / denominator if denominator else math.nan


def rates(*batch: Any) -> dict[str, list[float]]:
    """Shares of each group."""
    names = {"tn": 0, "fp": 1, "fn": 2, "tp": 3}
    return {f"{n}_rate": [share(g[i], sum(g)) for g in counts(*batch)] for n, i in names.items()}


def comparisons(*batch: Any) -> dict[str, Any]:
    """Differences and ratios by numpy, without what is undefined."""
    table = counts(*batch)
    selection = [share(g[1] + g[3], sum(g)) for g in table]
    tpr = [share(g[3], g[2] + g[3]) for g in table]
    fpr = [share(g[1], g[0] + g[1]) for g in table]

    def both(values: list[float]) -> tuple[float, float]:
        known = [v for v in values if v == v]
        if not known:
            return math.nan, math.nan
        return max(known) - min(known), share(min(known), max(known))

    def gaps(above: Any, below: Any) -> list[float]:
        return [
            share(above(g), below(g))
            - share(*(sum(f(o) for o in table[:i] + table[i + 1 :]) for f in (above, below)))
            for i, g in enumerate(table)
        ]

    (parity, opportunity, odds) = (both(v) for v in (selection, tpr, fpr))
    return {
        "selection_rate_gap": gaps(lambda g: g[1] + g[3], sum),
        "tpr_gap": gaps(lambda g: g[3], lambda g: g[2] + g[3]),
        "fpr_gap": gaps(lambda g: g[1], lambda g: g[0] + g[1]),
        "demographic_parity_difference": parity[0],
        "demographic_parity_ratio": parity[1],
        "equal_opportunity_difference": opportunity[0],
        "equal_opportunity_ratio": opportunity[1],
        "equalized_odds_difference": float(np.nanmax([opportunity[0], odds[0]])),
        "equalized_odds_ratio": float(np.nanmin([opportunity[1], odds[1]])),
    }


CASES = {
    "GroupStatRates": MetricCase(
        partial(GroupStatRates, GROUPS), samples, rates,
        empty={f"{name}_rate": [math.nan] * GROUPS for name in ("tp", "fp", "tn", "fn")},
    ),
    "GroupStatRates, weighted": MetricCase(
        partial(GroupStatRates, GROUPS, use_sample_weight=True), weighted, rates,
        empty={f"{name}_rate": [math.nan] * GROUPS for name in ("tp", "fp", "tn", "fn")},
    ),
    "Fairness": MetricCase(partial(Fairness, GROUPS), samples, comparisons, least=12),
    "Fairness, weighted": MetricCase(
        partial(Fairness, GROUPS, use_sample_weight=True), weighted, comparisons, least=12
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals what scikit-learn's counts give, and keeps every law."""
    with np.errstate(all="ignore"):
        check_metric(CASES[name], examples=examples(3), libraries=["array_api_strict"])


def test_a_worked_example() -> None:
    """Two groups by hand: 3 of 4 and 1 of 4 selected, 2 of 2 and 1 of 2 found."""
    metric = Fairness(2)
    metric.add([1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0])
    metric.add([1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1])

    found = metric.compute()
    assert found == {
        "demographic_parity_difference": 0.5,
        "demographic_parity_ratio": 1 / 3,
        "equal_opportunity_difference": 0.5,
        "equal_opportunity_ratio": 0.5,
        "equalized_odds_difference": 0.5,
        "equalized_odds_ratio": 0.0,
        "selection_rate_gap": [0.5, -0.5],
        "tpr_gap": [0.5, -0.5],
        "fpr_gap": [0.5, -0.5],
    }


def newcombe(hits: int, count: int, others: int, rest: int, level: float) -> tuple[float, float]:
    """Newcombe's interval of a difference of shares (1998), from scipy's exact one of each."""
    one, two = hits / count, others / rest
    a, b = (
        binomtest(k, n).proportion_ci(level, "exact") for k, n in ((hits, count), (others, rest))
    )
    low = one - two - math.hypot(one - a.low, b.high - two)
    return low, one - two + math.hypot(a.high - one, two - b.low)


@pytest.mark.parametrize("number", [2, 3])
def test_gaps_have_newcombes_intervals_all_at_once(number: int) -> None:
    """Of three groups, each has the level 1 - 0.05 / 3; two gaps of two groups say the same."""
    scores, labels, groups = samples(np.random.default_rng(3), 600)
    groups %= number
    metric = Fairness(number, interval=0.95)
    metric.add(scores, labels, groups)
    with pytest.warns(RuntimeWarning, match="the largest of several differences"):
        found = metric.compute()
    level = 0.95 if number == 2 else 1 - 0.05 / 3
    for key, among in (("selection_rate", labels >= 0), ("tpr", labels == 1), ("fpr", labels == 0)):
        for group in range(number):
            hits = [(scores >= 0.5)[among & here] for here in (groups == group, groups != group)]
            numbers = [int(n) for one in hits for n in (one.sum(), len(one))]
            ends = [found[f"{key}_gap_{end}"][group] for end in ("low", "high")]
            assert ends == pytest.approx(newcombe(*numbers, level), abs=1e-12)
            one = metric.intervals[f"{key}_gap"][group]
            assert (one.method, one.thin) == ("Newcombe", None)
            assert one.level == pytest.approx(level)
    for rule in ("demographic_parity", "equal_opportunity", "equalized_odds"):
        for kind in ("difference", "ratio"):
            assert math.isnan(found[f"{rule}_{kind}_low"])
            assert "biased upwards" in str(metric.intervals[f"{rule}_{kind}"].thin)


@pytest.mark.filterwarnings("ignore:intervals that promise less")
@pytest.mark.parametrize("size", [1, 10])
def test_all_gaps_contain_their_true_values_at_once(size: int) -> None:
    """In 95% of cases, of six groups that are decided alike; also if samples are in clusters."""
    rng = np.random.default_rng(size)
    count, inside, each = 600, 0, 0
    for _ in range(120):
        groups, labels = rng.integers(0, 6, count), rng.integers(0, 2, count)
        clusters = np.arange(count) // size
        chance = rng.beta(1, 1, count)[clusters]  # of a cluster: 1/2 on average
        decisions = (rng.random(count) < chance).astype(int)
        metric = Fairness(6, interval=0.95)
        named: dict[str, Any] = {} if size == 1 else {"clusters": clusters}
        metric.add(decisions, labels, groups, **named)
        found = metric.compute()
        ends = zip(found["tpr_gap_low"], found["tpr_gap_high"], strict=True)
        held = [low <= 0 <= high for low, high in ends]
        inside += all(held)
        each += sum(held)
        assert metric.intervals["tpr_gap"][0].unit == ("sample" if size == 1 else "cluster")
    assert inside / 120 > 0.92
    assert each / 720 > 0.98


@pytest.mark.filterwarnings("ignore:intervals that promise less")
@pytest.mark.filterwarnings("ignore:Fairness. a rate of the groups")
@pytest.mark.parametrize("clustered", [False, True])
def test_gaps_of_rare_decisions_contain_their_true_values_at_once(clustered: bool) -> None:
    """In 95% of cases: of 20 groups of 15, or in clusters of 4 of which few have a decision.

    Intervals of Newcombe with Wilson's, and of the jackknife alone, did in 92% and in 69%.
    """
    rng = np.random.default_rng(7)
    rate, shares = (0.06, [0.5, 0.25, 0.15, 0.1]) if clustered else (0.05, [0.05] * 20)
    number, count, inside = len(shares), 400 if clustered else 300, 0
    for _ in range(100):
        clusters, labels = np.arange(count) // 4, rng.integers(0, 2, count)
        chance, groups = np.full(count, rate), np.arange(count) % number
        if clustered:
            chance = rng.beta(3 * rate, 3 * (1 - rate), count)[clusters]
            groups = rng.choice(number, count, p=shares)
        metric = Fairness(number, interval=0.95)
        named: dict[str, Any] = {"clusters": clusters} if clustered else {}
        decisions = (rng.random(count) < chance).astype(int)
        metric.add(decisions, labels, groups, **named)
        metric.compute()
        gaps = metric.intervals["tpr_gap" if clustered else "selection_rate_gap"]
        inside += all(one.low <= 0 <= one.high for one in gaps if one.thin is None)
    assert inside >= 97


@pytest.mark.filterwarnings("ignore:intervals that promise less")
@pytest.mark.filterwarnings("ignore:Fairness. a rate of the groups")
def test_gaps_of_few_hits_count_every_cluster_as_one_sample() -> None:
    """A group without a hit in clusters of 8, 4, 4, 2, 2 and 4: as of 24^2 / 120 = 4.8 samples."""
    sizes = [8, 4, 4, 2, 2, 4, *[5] * 20]
    clusters = np.repeat(np.arange(26), sizes)
    groups = (clusters >= 6).astype(int)
    hits = (clusters >= 6) & (np.arange(124) % 2 == 0)
    metric = Fairness(2, interval=0.95)
    metric.add(hits.astype(int), np.ones(124, int), groups, clusters=clusters)
    metric.compute()
    one = metric.intervals["selection_rate_gap"][0]
    square = norm.ppf(0.975) ** 2

    def wilson(share: float, n: float) -> tuple[float, float]:
        middle = (share + square / (2 * n)) / (1 + square / n)
        arm = math.sqrt(square * share * (1 - share) / n + (square / (2 * n)) ** 2)
        return middle - arm / (1 + square / n), middle + arm / (1 + square / n)

    (_, above), (least, most) = wilson(0.0, 24**2 / 120), wilson(0.5, 20.0)
    assert one.high == pytest.approx(-0.5 + math.hypot(above, 0.5 - least), abs=1e-12)
    assert one.low <= -0.5 - (most - 0.5) + 1e-12
    assert one.method == "Wilson, effective n, Newcombe"
    assert one.thin is None


def test_gaps_of_few_clusters_have_the_degrees_of_freedom_of_welch() -> None:
    """Of ten equal clusters in each of four groups: 15, not 39, as of means of 10 and of 30."""
    rng, groups = np.random.default_rng(4), np.repeat(np.arange(4), 100)
    clusters = np.arange(400) // 10
    decisions = (rng.random(400) < rng.random(40)[clusters]).astype(int)
    metric = Fairness(4, interval=0.95)
    metric.add(decisions, decisions, groups, clusters=clusters)
    with pytest.warns(RuntimeWarning, match="the largest of several differences"):
        found = metric.compute()
    shares = decisions.reshape(40, 10).mean(axis=1)
    for group, gap in enumerate(found["selection_rate_gap"]):
        inside = np.arange(40) // 10 == group
        without = []
        for left_out in range(40):
            kept = np.arange(40) != left_out
            without.append(shares[kept & inside].mean() - shares[kept & ~inside].mean())
        variance = 39 / 40 * np.sum((without - np.mean(without)) ** 2)
        df = (1 / 10 + 1 / 30) ** 2 / (1 / 10**2 / 9 + 1 / 30**2 / 29)
        level = 1 - 0.05 / 4
        (low, high), _ = bounded(gap, variance, 40, (-1.0, 1.0), level, math.floor(df))
        ends = [found[f"selection_rate_gap_{end}"][group] for end in ("low", "high")]
        assert ends == pytest.approx([low, high], abs=1e-9)
        assert metric.intervals["selection_rate_gap"][group].thin is None


@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_gaps_of_a_group_in_few_clusters_are_marked() -> None:
    """Four clusters do not show how clusters vary, though there are 24 in all."""
    rng, clusters = np.random.default_rng(6), np.arange(240) // 10
    groups = np.where(clusters < 4, 0, 1 + clusters % 2)
    metric = Fairness(3, interval=0.95)
    metric.add(rng.integers(0, 2, 240), rng.integers(0, 2, 240), groups, clusters=clusters)
    metric.compute()
    for key in ("selection_rate_gap", "tpr_gap", "fpr_gap"):
        few, *others = (one.thin for one in metric.intervals[key])
        assert few == "for a part of the samples, there are only 4 clusters"
        assert others == [None, None]


@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_gaps_without_a_rate_and_with_weights() -> None:
    """A group without positives has no gap; weighted samples get intervals by groups of them."""
    metric = Fairness(3, interval=0.95)
    metric.add([1, 0, 1, 0], [1, 0, 1, 0], [0, 0, 1, 2])
    with pytest.warns(RuntimeWarning, match=r"groups \[1, 2\]"):
        found = metric.compute()
    assert np.isnan([found["tpr_gap"][2], found["tpr_gap_low"][2], found["fpr_gap"][1]]).all()
    assert found["tpr_gap"][0] == 0.0
    rng = np.random.default_rng(5)
    heavy = Fairness(GROUPS, interval=0.95, use_sample_weight=True)
    heavy.add(*weighted(rng, 600), ids=range(600))
    found = heavy.compute()
    assert heavy.intervals["tpr_gap"][0].unit == "group"
    assert -0.3 < found["tpr_gap_low"][0] < found["tpr_gap"][0] < found["tpr_gap_high"][0] < 0.3
    alone = Fairness(1, interval=0.95)
    alone.add([1, 0], [1, 0], [0, 0])
    assert np.isnan(alone.compute()["selection_rate_gap"]).all()


@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_intervals_of_gaps_do_not_depend_on_ranks() -> None:
    """Nor do those of clusters."""
    batch, clusters = samples(np.random.default_rng(6), 90), np.arange(90) // 3
    for clustered in (False, True):

        def of_rank(
            backend: Any, step: int = 3, batch: Any = batch, clustered: bool = clustered
        ) -> Any:
            metric = Fairness(GROUPS, interval=0.95, dist_backend=backend)
            here = slice(backend.rank, None, step)
            named: dict[str, Any] = {"clusters": clusters[here]} if clustered else {}
            metric.add(*(column[here] for column in batch), **named)
            return metric.compute()

        [whole] = LocalWorld(1).run(lambda backend, one=of_rank: one(backend, 1))
        assert all(same(found, whole) for found in LocalWorld(3).run(of_rank))


@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_the_largest_difference_of_two_systems_has_no_interval_either() -> None:
    """A pair gives the reason."""
    scores, labels, groups = samples(np.random.default_rng(7), 60)
    pair = Paired(Fairness(GROUPS))
    pair.a.add(scores, labels, groups, ids=range(60))
    pair.b.add(scores[::-1].copy(), labels, groups, ids=range(60))
    assert math.isnan(pair.compute()["equalized_odds_difference_p"])
    for one in pair.intervals.values():
        assert "biased upwards" in str(one.thin)


def test_groups_without_samples_are_left_out() -> None:
    """With a warning that names them."""
    with pytest.warns(RuntimeWarning, match=r"groups \[2\]"):
        found = Fairness(3)([1, 0, 1, 0], [1, 0, 1, 0], [0, 0, 1, 1])
    assert found["demographic_parity_difference"] == 0.0


def test_ignored_samples_and_one_count() -> None:
    """Samples with the ignored label do not count; both metrics share what they count."""
    scores, labels, groups = samples(np.random.default_rng(0), 40)
    out = np.arange(40) % 4 == 0
    found = GroupStatRates(GROUPS, ignore_index=-1)(scores, np.where(out, -1, labels), groups)
    assert found == GroupStatRates(GROUPS)(scores[~out], labels[~out], groups[~out])
    metrics = MetricCollection({"a": GroupStatRates(2), "b": Fairness(2)})
    assert len(metrics._samples().stores()) == 1


BAD = [
    (partial(Fairness, 0), "num_groups"),
    (lambda: Fairness(2)([1], [1], [2]), "groups must be in"),
    (lambda: Fairness(2)([1], [1], [0, 1]), "same length"),
    (lambda: Fairness(2)([[1]], [[1]], [[0]]), "shape"),
    (lambda: Fairness(2)([1], [1], [0], [1.0]), "use_sample_weight"),
]


@pytest.mark.parametrize(("action", "text"), BAD)
def test_bad_arguments_and_inputs(action: Callable[[], Any], text: str) -> None:
    """What means nothing is refused."""
    with pytest.raises(ValueError, match=text):
        action()
