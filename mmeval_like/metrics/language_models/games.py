"""PairwiseOutcomes: the outcomes of games of each pair of players, for ratings and win rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.writing import Results, State, Statistic, arrays, state

__all__ = ["PairwiseOutcomes", "as_outcomes"]


@dataclass(frozen=True)
class PairwiseOutcomes(Statistic):
    """The number of games that the first player lost, tied and won, for each pair of players.

    Attributes:
        num_players: The number of players K; the memory is 24 K^2 bytes.
    """

    class_inputs = ("first", "second")

    num_players: int

    def __post_init__(self) -> None:
        check_count("num_players", self.num_players)

    def states(self) -> dict[str, State]:
        """Return the histogram of games."""
        return {"games": state.count(3 * self.num_players**2)}

    def rows(self, first: Any, second: Any, outcomes: Any) -> dict[str, np.ndarray]:
        """Return the code of every game.

        Args:
            first: Players (N,), integers in [0, num_players).
            second: Their opponents (N,), integers in [0, num_players).
            outcomes: 1 where the first player won, 0 where the second player won, 0.5 for a tie
                (N,).

        Raises:
            TypeError: A player is not a whole number, or an outcome is not a number.
            ValueError: Shapes or lengths do not fit, a player is out of range or plays against
                itself, or an outcome is not 0, 0.5 or 1.
        """
        codes, players = as_outcomes(outcomes, "outcomes"), []
        for name, values in (("first", first), ("second", second)):
            players.append(arrays.as_integers(values, name))
            check_one_axis(name, players[-1])
            arrays.check_range(name, players[-1], self.num_players)
            arrays.check_same_length(name, players[-1], "outcomes", codes)
        arrays.require("first", players[0], players[0] != players[1], "must differ from second")
        return {"games": (players[0] * self.num_players + players[1]) * 3 + codes}

    def table(self, results: Results) -> np.ndarray:
        """Return int64 (K, K, 3): games lost, tied and won by the first player of each pair."""
        players = self.num_players
        table: np.ndarray = np.reshape(results.games, (players, players, 3))
        return table

    def both_ways(self, results: Results) -> np.ndarray:
        """Return int64 (K, K, 3): games lost, tied and won by each player against each other."""
        table = self.table(results)
        both: np.ndarray = table + table.transpose(1, 0, 2)[:, :, ::-1]
        return both


def as_outcomes(values: Any, name: str) -> np.ndarray:
    """Return outcomes 0, 0.5 and 1 as the codes 0, 1 and 2.

    Raises:
        TypeError: The inputs are not numbers.
        ValueError: The shape is not (N,), or a number is not 0, 0.5 or 1.
    """
    outcomes = arrays.as_floats(values, name)
    check_one_axis(name, outcomes)
    codes = 2 * outcomes
    good = (codes == 0) | (codes == 1) | (codes == 2)
    arrays.require(name, outcomes, good, "must be 1 (won), 0.5 (tied) or 0 (lost)")
    return codes.astype(np.int64)
