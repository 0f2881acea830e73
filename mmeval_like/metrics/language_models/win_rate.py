"""WinRate and PositionBias: how often an answer is preferred, and effects of its position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from mmeval_like.metrics.language_models.games import PairwiseOutcomes, as_outcomes
from mmeval_like.writing import (
    SHARE,
    BaseMetric,
    MetricOptions,
    Results,
    State,
    Statistic,
    Unpack,
    arrays,
    ratio,
    state,
)
from mmeval_like.writing.intervals import worst_and_best

__all__ = ["PositionBias", "WinRate"]


@dataclass(frozen=True)
class _Outcomes(Statistic):
    """The number of games that were lost, tied and won."""

    def states(self) -> dict[str, State]:
        """Return the histogram of outcomes."""
        return {"games": state.count(3)}

    def rows(self, outcomes: Any) -> dict[str, np.ndarray]:
        """Return the code of every game.

        Args:
            outcomes: 1 where the game was won, 0 where it was lost, 0.5 for a tie (N,).

        Raises:
            TypeError: The inputs are not numbers.
            ValueError: A shape does not fit, or an outcome is not 0, 0.5 or 1.
        """
        return {"games": as_outcomes(outcomes, "outcomes")}

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the codes of games that were all lost, tied or won."""
        outcome = {"worst": 0, "best": 1}.get(fill, fill)
        return self.rows(np.full(count, outcome)) if outcome in (0, 0.5, 1) else None


class WinRate(BaseMetric):
    """The fraction of games that were won, a tie counting half.

    `add` takes `outcomes` (N,) of one system against another: 1 for a win, 0.5 for a tie, 0 for a
    loss. With `num_players` it takes `first`, `second` and `outcomes`: the two players of each
    game, integers (N,), and the outcome for the first player. In a `MetricCollection`,
    `BradleyTerry` shares the count of these games.

    Formula:
        rate = (wins + 1/2 ties) / games

    Args:
        num_players: The number of players; they may also be named, with `classes=`.
        **options: As for `BaseMetric`.

    Returns of `compute`: `win_rate`, in [0, 1], the first players' share of games won; `ties` and
    `losses`, the numbers of games that they tied and lost; with `num_players` also
    `win_rate_classwise`, the win rate of every player over all of its games. Rates are nan without
    games. A higher win rate is better, and so are fewer losses.

    Raises:
        TypeError: `num_players` is not an integer.
        ValueError: `num_players` is not positive.

    Example:
        >>> metric = WinRate()
        >>> metric.add([1, 1, 0.5, 0])
        >>> metric.compute()
        {'win_rate': 0.625, 'ties': 1, 'losses': 1}
        >>> metric = WinRate(num_players=2)
        >>> metric.add(first=[0, 1], second=[1, 0], outcomes=[1, 0.5])
        >>> metric.compute()["win_rate_classwise"]
        [0.75, 0.25]
    """

    every_rank_computes = True
    ranges = SHARE
    higher_is_better = True
    higher_is_better_of = MappingProxyType({"ties": None, "losses": False})

    def __init__(self, num_players: int | None = None, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        self.players = None if num_players is None else PairwiseOutcomes(num_players)
        self.statistic = self.players or _Outcomes()

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the rate, and the numbers of ties and losses."""
        lost, tied, won = np.reshape(results.games, (-1, 3)).sum(axis=0).tolist()
        found: dict[str, Any] = {
            "win_rate": _rate(lost, tied, won), "ties": tied, "losses": lost
        }  # fmt: skip
        if self.players is not None:
            games = self.players.both_ways(results).sum(axis=1).tolist()
            found["win_rate_classwise"] = [_rate(*of_player) for of_player in games]
        return found

    def extremes(
        self, scored: Results, worst: Results, best: Results
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the values if the other games are all lost, tied or won."""
        more = np.array([0, len(worst) - len(scored), 0])
        tied = Results({"games": scored.games + more}, len(worst))
        found = [*map(self.compute_metric, (worst, tied, best))]
        return worst_and_best(found, self.direction_of)


class PositionBias(BaseMetric):
    """Whether a judge of two answers gives the same verdict when their positions are swapped.

    Each pair of answers is judged twice: first with the first answer shown first, then with the
    second answer shown first. The verdicts v_1 and v_2 are 1 if the first answer of the pair won, 0
    if the second one did, and 1/2 for a tie. Source: L. Zheng et al., "Judging LLM-as-a-judge with
    MT-Bench and Chatbot Arena" (NeurIPS 2023).

    Formula:
        consistency = mean [v_1 = v_2]
        bias = mean [v_1 = 1 and v_2 = 0]

    Args:
        **options: As for `BaseMetric`.

    Returns of `compute`: `consistency`, the share of pairs with the same verdict both times, for
    which higher is better; and `first_bias`, the share of pairs in which the answer that was shown
    first won both times, for which lower is better. Both are in [0, 1], and nan without pairs.

    Example:
        >>> metric = PositionBias()
        >>> metric.add(outcomes=[1, 1, 0.5, 0], swapped_outcomes=[1, 0, 0.5, 1])
        >>> metric.compute()
        {'consistency': 0.5, 'first_bias': 0.25}
    """

    every_rank_computes = True
    ranges = SHARE
    higher_is_better_of = MappingProxyType({"consistency": True, "first_bias": False})
    consistent = state.sum(bool)
    first = state.sum(bool)

    def rows(self, outcomes: Any, swapped_outcomes: Any) -> dict[str, np.ndarray]:
        """Return whether the verdicts on every pair agree, and whether the answer shown first won.

        Args:
            outcomes: The verdicts v_1 (N,), with the first answer of each pair shown first: 1 if
                the judge preferred the first answer, 0 if it preferred the second one, 0.5 for a
                tie.
            swapped_outcomes: The verdicts v_2 (N,), with the second answer of each pair shown
                first. 1 still means the first answer of the pair.

        Raises:
            TypeError: The inputs are not numbers.
            ValueError: Shapes or lengths do not fit, or an outcome is not 0, 0.5 or 1.
        """
        one = as_outcomes(outcomes, "outcomes")
        other = as_outcomes(swapped_outcomes, "swapped_outcomes")
        arrays.check_same_length("outcomes", one, "swapped_outcomes", other)
        return {"consistent": one == other, "first": (one == 2) & (other == 0)}

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return rows of pairs with equal verdicts, or with the answer shown first winning."""
        if fill not in ("worst", "best"):
            return None
        consistent = np.full(count, fill == "best")
        return {"consistent": consistent, "first": ~consistent}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return both shares."""
        count = len(results)
        return {
            "consistency": ratio(results.consistent, count),
            "first_bias": ratio(results.first, count),
        }


def _rate(lost: int, tied: int, won: int) -> float:
    return ratio(2 * won + tied, 2 * (lost + tied + won))
