"""BradleyTerry, WinRate and PositionBias against scipy's optimizer and counts."""

import math
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like import BradleyTerry, MetricCollection, PositionBias, WinRate
from mmeval_like.metrics.language_models.likelihood import fit, never_lose, ties_are_bounded
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples

PLAYERS, COUNT = 4, 100


def games(rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    """Games of four players, of which the first in number is the best; each meets each."""
    first = rng.integers(0, PLAYERS, n)
    second = (first + rng.integers(1, PLAYERS, n)) % PLAYERS
    won = rng.random(n) < 1 / (1 + np.exp(0.4 * (first - second)))
    return first, second, np.where(rng.random(n) < 0.3, 0.5, won)


def log_likelihood(strengths: np.ndarray, log_nu: float, batch: Any, half: bool) -> float:
    """Of all games, in one line for each outcome."""
    first, second, outcomes = map(np.asarray, batch)
    a, b = strengths[first] / 2, strengths[second] / 2
    tie = np.full_like(a, -np.inf) if half else log_nu + 0 * a
    total = np.logaddexp(np.logaddexp(a - b, b - a), tie)
    if half:
        return float((outcomes * (a - b) + (1 - outcomes) * (b - a) - total).sum())
    won = np.select([outcomes == 1, outcomes == 0], [a - b, b - a], tie)
    return float((won - total).sum())


def fitted(half: bool, first: Any, second: Any, outcomes: Any) -> dict[str, Any]:
    """By scipy's optimizer; nan for all where it runs away."""
    minimize = requires("scipy.optimize").minimize
    ties = (np.asarray(outcomes) == 0.5).any()

    def loss(x: np.ndarray) -> float:
        return -log_likelihood(x[:PLAYERS], x[-1], (first, second, outcomes), half or not ties)

    found = minimize(loss, np.zeros(PLAYERS + 1), options={"gtol": 1e-7}).x
    strengths = found[:PLAYERS] - found[:PLAYERS].mean()
    if np.abs(found).max() > 6:
        strengths = np.full(PLAYERS, np.nan)
    rating = (1000 + 400 * strengths / np.log(10)).tolist()
    nu = math.nan if np.isnan(strengths[0]) else np.exp(found[-1]) if ties else 0.0
    return {"strength": strengths.tolist(), "rating": rating} | ({} if half else {"nu": nu})


def rates(first: Any, second: Any, outcomes: Any) -> dict[str, Any]:
    """Means of outcomes, by player."""
    ahead = np.concatenate([outcomes, 1 - np.asarray(outcomes)])
    players = np.concatenate([first, second])
    each = [
        float(np.mean(ahead[players == k])) if (players == k).any() else math.nan
        for k in range(PLAYERS)
    ]
    return rate(outcomes) | {"win_rate_classwise": each}


def rate(outcomes: Any) -> dict[str, Any]:
    """The mean of outcomes."""
    counts = [int(np.sum(np.asarray(outcomes) == value)) for value in (0.5, 0)]
    return {"win_rate": np.mean(outcomes), "ties": counts[0], "losses": counts[1]}


def verdicts(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Two verdicts on each pair."""
    return rng.integers(0, 3, n) / 2, rng.integers(0, 3, n) / 2


def of_verdicts(one: Any, other: Any) -> dict[str, float]:
    """Shares."""
    return {"consistency": np.mean(one == other), "first_bias": np.mean((one == 1) & (other == 0))}


CASES = {
    "BradleyTerry": MetricCase(
        partial(BradleyTerry, PLAYERS), games, partial(fitted, True), 1e-4, least=120, most=160
    ),
    "WinRate": MetricCase(WinRate, lambda rng, n: games(rng, n)[2:], rate),
    "PositionBias": MetricCase(PositionBias, verdicts, of_verdicts),
}
VARIANTS = {
    "BradleyTerry of few": MetricCase(partial(BradleyTerry, PLAYERS), games, None, least=8),
    "BradleyTerry, Davidson": MetricCase(
        partial(BradleyTerry, PLAYERS, "davidson"),
        games, partial(fitted, False), 1e-4, least=120, most=160,
    ),
    "WinRate of players": MetricCase(partial(WinRate, PLAYERS), games, rates),
}  # fmt: skip


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
@pytest.mark.filterwarnings("ignore:BradleyTerry is undefined:RuntimeWarning")
def test_laws(name: str) -> None:
    """Each metric equals its oracle and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(3))


@given(st.integers(2, 6), st.integers(0, 2**32), st.booleans())
@settings(max_examples=examples(40))
def test_nothing_is_more_likely(players: int, seed: int, with_ties: bool) -> None:
    """The derivatives vanish, also where some results are a million times rarer than others."""
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 5, (players, players, 3)) * 10 ** rng.integers(
        0, 6, (players, players, 1)
    )
    table[np.arange(players), np.arange(players)] = 0
    table[:, :, 1] *= with_ties
    table += table.transpose(1, 0, 2)[:, :, ::-1]
    found = fit(table, with_ties)

    for player in range(players):
        x = found.strengths[player] - np.delete(found.strengths, player)
        lost, tied, won = np.delete(table[player], player, axis=0).T
        nu = math.exp(found.log_nu) if found.log_nu is not None else 0.0
        p = (np.exp(x / 2) + nu / 2) / (np.exp(x / 2) + np.exp(-x / 2) + nu)
        expected = ((lost + tied + won) * p).sum()
        assert expected == pytest.approx((won + tied / 2).sum(), rel=1e-9)


def test_two_players_in_closed_form() -> None:
    """The odds are those of the games; the standard error is that of their logarithm."""
    metric = BradleyTerry(2, interval=0.95)
    metric.add([0] * 40, [1] * 40, [1] * 30 + [0] * 10)
    found = metric.compute()

    assert found["strength"] == pytest.approx([math.log(3) / 2, -math.log(3) / 2], rel=1e-12)
    assert found["rating"][0] - found["rating"][1] == pytest.approx(400 * math.log10(3))
    error = math.sqrt(40 / 39 * (1 / 30 + 1 / 10)) / 2
    assert metric.intervals["strength"][0].standard_error == pytest.approx(error)
    assert found["strength_low"][0] < math.log(3) / 2 < found["strength_high"][0]


def test_intervals_agree_with_leaving_out_games() -> None:
    """The standard error is about that of the jackknife, in both models of ties."""
    first, second, outcomes = games(np.random.default_rng(1), COUNT)
    for ties in ("half", "davidson"):
        metric = BradleyTerry(PLAYERS, ties, interval=0.95)
        metric.add(first, second, outcomes)
        metric.compute()
        without = []
        for left_out in range(COUNT):
            rest = np.arange(COUNT) != left_out
            found = BradleyTerry(PLAYERS, ties)(first[rest], second[rest], outcomes[rest])
            without.append([*found["strength"], *([found["nu"]] if "nu" in found else [])])
        errors = np.sqrt((COUNT - 1) * np.var(without, axis=0))
        ours = [one.standard_error for one in metric.intervals["strength"]]
        ours += [metric.intervals["nu"].standard_error] if ties == "davidson" else []
        np.testing.assert_allclose(ours, errors, rtol=0.1)


def test_a_rating_is_a_strength_in_other_units() -> None:
    """`center` is the mean rating, and an advantage of odds `base` : 1 is worth `scale` points."""
    batch = [0] * 9 + [1], [1] * 9 + [0], [1] * 10
    found = BradleyTerry(2, scale=30, base=3, center=-5)(*batch)  # odds of 9 : 1

    np.testing.assert_allclose(found["rating"], [-5 + 30, -5 - 30], rtol=1e-9)
    assert found["strength"] == BradleyTerry(2)(*batch)["strength"]


def test_who_never_lost_is_named() -> None:
    """Without a maximum all is nan, and the warning says whose games are at fault."""
    metric = BradleyTerry(3, classes=["a", "b", "c"], interval=0.95)
    metric.add(["a", "a", "b", "c"], ["b", "c", "c", "b"], [1, 1, 1, 1])
    with pytest.warns(RuntimeWarning, match=r"the players \['a'\] never lost to"):
        found = metric.compute()
    assert all(map(math.isnan, found["strength"] + found["rating_low"]))
    with pytest.warns(RuntimeWarning, match=r"players \[2\] have no games"):
        BradleyTerry(3)([0, 1], [1, 0], [1, 1])


def test_davidson_without_a_maximum() -> None:
    """A player who only wins and ties pulls strengths and ties up together; one loss ends that."""
    batch = [0, 0], [1, 1], [1, 0.5]
    with pytest.warns(RuntimeWarning, match="diverge"):
        assert math.isnan(BradleyTerry(2, "davidson")(*batch)["nu"])
    assert math.isfinite(BradleyTerry(2)(*batch)["strength"][0])
    found = BradleyTerry(2, "davidson")([0, 0, 0], [1, 1, 1], [1, 0.5, 0])
    assert found["strength"] == [0.0, 0.0]
    assert found["nu"] == pytest.approx(1.0)
    assert BradleyTerry(2, "davidson")([0, 1], [1, 0], [1, 1])["nu"] == 0.0  # no ties


@given(st.integers(2, 5), st.integers(0, 2**32))
@settings(max_examples=examples(60))
def test_when_there_is_a_maximum(players: int, seed: int) -> None:
    """By listing all groups that never lose, and by scipy's linear programme for ties."""
    rng = np.random.default_rng(seed)
    won, tied = rng.random((2, players, players)) < 0.3
    np.fill_diagonal(won, False)
    tied = np.triu(tied, 1) | np.triu(tied, 1).T
    beaten = won | tied
    groups = [[k for k in range(players) if code >> k & 1] for code in range(1, 2**players - 1)]
    free = [g for g in groups if not np.delete(beaten, g, axis=0)[:, g].any()]
    best = never_lose(beaten)
    assert (len(best) == players) == (not free)
    assert not free or best.tolist() in free

    rows, ends = [], []
    for i, j in np.argwhere(won):  # x_i - x_j >= 2
        rows.append((np.arange(players) == j) * 1.0 - (np.arange(players) == i))
        ends.append(-2.0)
    for i, j in np.argwhere(tied & ~won):
        rows.append((np.arange(players) == j) * 1.0 - (np.arange(players) == i))
        ends.append(2.0)
    if rows:
        linprog = requires("scipy.optimize").linprog
        feasible = linprog(np.zeros(players), rows, ends, bounds=(None, None)).status == 0
        assert ties_are_bounded(won, tied) == (not feasible)


def test_games_are_counted_once_for_all() -> None:
    """Ratings and win rates share one count in a collection."""
    both = MetricCollection({"rating": BradleyTerry(2), "rate": WinRate(2)})
    both.add(first=[0, 1], second=[1, 0], outcomes=[1, 1])

    assert both.compute()["rate"]["win_rate_classwise"] == [0.5, 0.5]
    assert len(both._samples().stores()) == 1


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: BradleyTerry(2, "ignore"), "ties must be one of"),
        (lambda: BradleyTerry(2, base=1), "base must be above 1"),
        (lambda: BradleyTerry(0), "num_players must be positive"),
        (lambda: BradleyTerry(2)([0], [0], [1]), "first must differ from second"),
        (lambda: BradleyTerry(2)([0], [2], [1]), r"second must be in \[0, 2\)"),
        (lambda: BradleyTerry(2)([0], [1], [0.25]), r"outcomes must be 1 \(won\)"),
        (lambda: BradleyTerry(2)([0], [1], [math.nan]), r"outcomes must be 1 \(won\)"),
        (lambda: BradleyTerry(2)([0], [1], [1, 0]), "same length"),
        (lambda: WinRate()([2]), r"outcomes must be 1 \(won\)"),
        (lambda: PositionBias()([1], [1, 0]), "same length"),
    ],
)
def test_what_cannot_be_meant(call: Any, text: str) -> None:
    """Bad options and inputs are named."""
    with pytest.raises(ValueError, match=text), warnings.catch_warnings():
        call()
