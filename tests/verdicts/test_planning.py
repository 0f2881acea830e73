"""Plans: the planned number of units decides with about the power that was asked for."""

import math
import warnings
from collections.abc import Callable
from decimal import Decimal
from functools import partial

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._intervals.flips import Flips
from mmeval_like._intervals.interval import share
from mmeval_like._intervals.paired_t import PairedT
from mmeval_like._intervals.tails import heavy
from tests.helpers.optional import requires

DRAWS = 240
LEAST, MOST = 0.78 - 2 * 0.026, 0.86 + 2 * 0.022  # with two standard errors of so many draws


def power_of_flips(count: int, differ: float, difference: float, bound: float) -> float:
    """The probability that the interval of a difference is above a bound, by enumeration."""
    stats = requires("scipy.stats")
    found = 0.0
    for flips in range(count + 1):
        chance = stats.binom.pmf(flips, count, differ)
        if chance < 1e-7:
            continue
        least, most = -1, flips + 1  # more flips up decide, if fewer do
        while most - least > 1:
            up = (least + most) // 2
            one = Flips(up, flips - up, count, 1.0)
            decides = one.p_at(bound) < 0.05 and (2 * up - flips) / count > bound
            least, most = (least, up) if decides else (up, most)
        found += chance * stats.binom.sf(most - 1, flips, (1 + difference / differ) / 2)
    return found


@pytest.mark.parametrize(
    ("differ", "detect"), [(0.1, 0.08), (0.1, 0.05), (0.2, 0.1), (0.4, 0.2), (0.4, 0.1)]
)
def test_hits_decide_with_the_planned_power(differ: float, detect: float) -> None:
    """By enumeration of all flips, with the intervals that comparisons use."""
    found = mm.plan(detect=detect, differ=differ)
    assert 0.78 <= power_of_flips(found.units, differ, detect, 0.0) <= 0.86
    assert found.samples == found.units


def test_a_system_that_never_loses_is_found_with_more_power() -> None:
    """The only world of hits in which the plan is too large: by a seventh."""
    count = mm.plan(detect=0.1, differ=0.1).units
    assert 0.86 <= power_of_flips(count, 0.1, 0.1, 0.0) <= 0.91
    assert power_of_flips(round(count * 6 / 7), 0.1, 0.1, 0.0) >= 0.78


@pytest.mark.parametrize(("differ", "margin"), [(0.2, 0.05), (0.1, 0.04), (0.3, 0.1)])
def test_equal_systems_pass_a_gate_with_the_planned_power(differ: float, margin: float) -> None:
    """The margin is what must be detected."""
    count = mm.plan(detect=margin, differ=differ).units
    assert 0.77 <= power_of_flips(count, differ, 0.0, -margin) <= 0.86


def test_equal_systems_are_equivalent_with_the_planned_power() -> None:
    """Each end may be beyond the margin in half of the cases in which the gate does not pass."""
    count = mm.plan(detect=0.05, differ=0.2, power=0.9).units
    assert 0.77 <= 2 * power_of_flips(count, 0.2, 0.0, -0.05) - 1 <= 0.86


def decided(draw: Callable[[np.random.Generator], tuple], count: int, metric=mm.Mean) -> float:
    """The share of comparisons that find the difference, with unmarked intervals."""
    rng, found = np.random.default_rng(7), 0
    for _ in range(DRAWS):
        a, b, clusters = draw(rng)
        pair = mm.Paired(metric())
        for side, values in ((pair.a, a), (pair.b, b)):
            given = (values,) if metric is mm.Mean else (values, np.ones(len(values), int))
            more = {} if clusters is None else {"clusters": clusters}
            side.add(*given, ids=range(len(values)), **more)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pair.compute()
        [one] = pair.intervals.values()
        found += one.thin is None and one.low > 0
    return found / DRAWS


@pytest.mark.parametrize(("detect", "most"), [(0.5, 60), (0.2, 420)])
def test_means_decide_with_the_planned_power(detect: float, most: int) -> None:
    """Normal differences."""
    count = mm.plan(detect=detect, std=1.0).units
    assert count < most

    def draw(rng: np.random.Generator) -> tuple:
        base = rng.normal(0, 3, count)
        return base, base + rng.normal(detect, 1, count), None

    assert LEAST <= decided(draw, count) <= MOST


@pytest.mark.parametrize("size", [4, 10])
def test_clusters_of_values_decide_with_the_planned_power(size: int) -> None:
    """Answers that share the difficulty of their question."""
    found = mm.plan(detect=0.3, std=1.0, cluster_size=size, icc=0.4)
    count = found.units
    assert (found.unit, found.samples) == ("cluster", count * size)

    def draw(rng: np.random.Generator) -> tuple:
        shared = rng.normal(0, math.sqrt(0.4), count).repeat(size)
        other = shared + rng.normal(0.3, math.sqrt(0.6), count * size)
        return np.zeros(count * size), other, np.arange(count).repeat(size)

    assert LEAST <= decided(draw, count) <= MOST


def test_clusters_of_hits_decide_with_the_planned_power() -> None:
    """Documents whose share of flips varies: a beta distribution with this correlation."""
    differ, detect, icc, size = 0.3, 0.1, 0.2, 5
    found = mm.plan(detect=detect, differ=differ, cluster_size=size, icc=icc)
    count = found.units

    def draw(rng: np.random.Generator) -> tuple:
        # Each document flips in one direction or the other; the difference has the correlation icc.
        kind = rng.random(count * size)
        whole = rng.random(count).repeat(size) < icc  # the whole document has one outcome
        kind = np.where(whole, rng.random(count).repeat(size), kind)
        up, down = (differ + detect) / 2, (differ - detect) / 2
        a, b = np.zeros(count * size, int), np.zeros(count * size, int)
        b[kind < up], a[(kind >= up) & (kind < up + down)] = 1, 1
        return a, b, np.arange(count).repeat(size)

    assert LEAST <= decided(draw, count, mm.Accuracy) <= MOST


@pytest.mark.parametrize("p", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("half_width", [0.03, 0.01])
def test_intervals_are_as_wide_as_planned(p: float, half_width: float) -> None:
    """Wilson's, and not with a tenth fewer samples."""

    def width(count: int) -> float:
        found = share(round(p * count) / count, 0.95, count, (0.0, 1.0))
        return (found.high - found.low) / 2

    count = mm.plan(half_width=half_width, share=p).units
    assert math.isclose(width(count), half_width, rel_tol=0.02)
    assert width(round(count * 0.9)) > half_width * 1.02


def power_of_share(count: int, bound: float, share: float) -> float:
    """The probability that an exact test of hits rejects the bound, on the side of the share."""
    stats = requires("scipy.stats")
    if share < bound:
        bound, share = 1 - bound, 1 - share
    least = stats.binom.isf(0.025, count, bound) + 1
    return float(stats.binom.sf(least - 1, count, share))


@pytest.mark.parametrize(
    ("p", "detect"),
    [(0.98, 0.05), (0.98, 0.1), (0.95, 0.03), (0.95, 0.05), (0.9, 0.1), (0.5, 0.05), (0.02, 0.05)],
)
def test_gates_of_hits_have_the_planned_power(p: float, detect: float) -> None:
    """With exact bounds, on both sides of the gate's; and not with a tenth fewer samples."""

    def power(count: int) -> float:
        shares = [share for share in (p - detect, p + detect) if 0 <= share <= 1]
        return min(power_of_share(count, p, share) for share in shares)

    count = mm.plan(detect=detect, share=p).units
    assert power(count) >= 0.8 > power(round(count * 0.9))


def test_a_mean_is_as_precise_as_planned() -> None:
    """With Student's quantile of few samples."""
    stats = requires("scipy.stats")
    count = mm.plan(half_width=0.3, std=1.0).units
    arms = [stats.t.ppf(0.975, n - 1) / math.sqrt(n) for n in (count - 1, count)]
    assert arms[1] <= 0.3 < arms[0]


def test_a_plan_agrees_with_what_a_gate_says() -> None:
    """The number that a verdict says it needs, within a percent."""
    metric = mm.Accuracy(interval=0.95)
    metric.add([1] * 78 + [0] * 22, [1] * 100)  # the plan is for the worse side
    metric.compute()
    said = mm.gate(metric, "top1", at_least=0.8).needed
    assert said is not None
    assert math.isclose(mm.plan(detect=0.02, share=0.8).units, said, rel_tol=0.01)


def pair_of(up: int, down: int, count: int) -> mm.Paired:
    """Two systems with these flips, computed."""
    pair = mm.Paired(mm.Accuracy())
    pair.a.add([0] * up + [1] * (count - up), [1] * count, ids=range(count))
    pair.b.add([1] * up + [0] * down + [1] * (count - up - down), [1] * count, ids=range(count))
    pair.compute()
    return pair


def test_a_pilot_run_is_extrapolated() -> None:
    """To four times the samples for half the difference, in the units of the pilot."""
    one = pair_of(14, 4, 200).intervals["top1_difference"]
    found = mm.plan(one, detect=one.detectable() / 2)
    assert (found.units, found.samples, found.unit) == (800, 800, "sample")
    assert math.isclose(mm.plan(one, detect=0.02).units, mm.plan(detect=0.02, differ=0.09).units,
                        rel_tol=0.06)  # fmt: skip
    assert mm.plan(one, detect=0.02, power=0.9).units > mm.plan(one, detect=0.02).units

    metric = mm.Accuracy(interval=0.95)
    metric.add([1] * 80 + [0] * 20, [1] * 100, clusters=[n // 4 for n in range(100)])
    metric.compute()
    found = mm.plan(metric.intervals["top1"], half_width=0.02)
    assert (found.unit, found.samples) == ("cluster", None)
    assert "clusters have an interval of +-0.02" in str(found)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"differ": 0.1}, TypeError, "pass one of detect, half_width, got none"),
        ({"detect": 0.1}, TypeError, "pass one of pilot, differ, share, std, got none"),
        ({"detect": 0.1, "differ": 0.1, "std": 1}, TypeError, "got differ, std"),
        ({"detect": 0.1, "differ": True}, TypeError, "differ must be a number, got True"),
        ({"detect": -0.1, "differ": 0.2}, ValueError, "detect must be positive and finite"),
        ({"detect": 0.1, "differ": 20}, ValueError, "differ must be between 0 and 1, got 20"),
        ({"detect": 0.2, "differ": 0.1}, ValueError, "differ must be at least detect"),
        ({"detect": 0.9, "share": 0.5}, ValueError, "detect must leave the true share in"),
        ({"half_width": 0.6, "share": 0.5}, ValueError, "half_width must be below 0.5"),
        ({"detect": 0.1, "std": math.inf}, ValueError, "std must be positive and finite"),
        ({"detect": 0.1, "std": 1, "cluster_size": 4}, TypeError, "cluster_size= and icc="),
        ({"detect": 0.1, "std": 1, "cluster_size": 0.5, "icc": 0}, ValueError, "at least 1"),
        (
            {"detect": 0.1, "std": 1, "cluster_size": 4, "icc": 2},
            ValueError,
            "icc must be between 0 and 1",
        ),
        ({"detect": 0.1, "std": 1, "level": 95}, ValueError, "level must be between 0 and 1"),
        ({"detect": 0.1, "std": 1, "power": 80}, ValueError, "power must be between 0 and 1"),
        ({"detect": 0.1, "pilot": "top1"}, TypeError, "pilot must be an interval, such as"),
    ],
)
def test_errors(arguments: dict, error: type[Exception], text: str) -> None:
    """Each names the argument and what was given."""
    with pytest.raises(error, match=text):
        mm.plan(**arguments)


def test_errors_of_pilot_runs() -> None:
    """One system has no difference to detect; a pilot has its own clusters."""
    metric = mm.Accuracy(interval=0.95)
    metric.add([1] * 80 + [0] * 20, [1] * 100)
    metric.compute()
    with pytest.raises(TypeError, match="needs the interval of a difference of two systems"):
        mm.plan(metric.intervals["top1"], detect=0.1)
    for more in ({"cluster_size": 2, "icc": 0.1}, {"level": 0.9}):
        with pytest.raises(TypeError, match="its own clusters and level"):
            partial(mm.plan, metric.intervals["top1"], half_width=0.1)(**more)


@pytest.mark.parametrize(
    ("known", "half_width"), [(0.97, 0.05), (0.99, 0.02), (0.02, 0.04), (0.999, 0.01), (0.9, 0.2)]
)
def test_a_plan_of_a_half_width_allows_for_few_misses(known: float, half_width: float) -> None:
    """The interval is Clopper and Pearson's there, and wider than Wilson's; no far larger n."""

    def widest(count: int) -> float:
        ends = [share(hits / count, 0.95, count, (0.0, 1.0)) for hits in (
            math.floor(known * count), math.ceil(known * count))]  # fmt: skip
        return max(one.high - one.low for one in ends) / 2

    count = mm.plan(half_width=half_width, share=known).units
    assert widest(count) <= half_width
    assert widest(round(0.9 * count)) > half_width


@pytest.mark.parametrize(
    ("detect", "differ", "size", "icc"), [(0.1, 0.2, 10, 0.1), (0.1, 0.15, 8, 0.4)]
)
def test_few_clusters_of_hits_decide_with_the_planned_power(
    detect: float, differ: float, size: int, icc: float
) -> None:
    """The interval allows for one more cluster that changes; 75% and 77% found the difference."""
    count = mm.plan(detect=detect, differ=differ, cluster_size=size, icc=icc).units
    rng, found, draws = np.random.default_rng(7), 0, 1000
    for _ in range(draws):
        alike = rng.random((count, size)) < math.sqrt(icc)
        kind = np.where(alike, rng.random((count, 1)), rng.random((count, size)))
        apart = np.where(kind < (differ + detect) / 2, 1, np.where(kind < differ, -1, 0))
        means, unchanged = apart.mean(axis=1), (apart == 0).all(axis=1).mean()
        moved = means - means.mean()
        squares, cubes = (moved**2).sum(), (moved**3).sum()
        variance = squares / (count * (count - 1)) + unchanged * (abs(means).max() / count) ** 2
        skew = Decimal(cubes / squares / count)
        one = PairedT(means.mean(), Decimal(variance), skew, count - 1, count, 1.0, 1.0)
        marked = heavy(count * (moved**4).sum() / squares**2, count)
        marked &= 2 * (means**2).sum() < abs(means).sum()
        found += not marked and one.ends(0.95)[0] > 0
    assert 0.8 <= found / draws <= 0.88
