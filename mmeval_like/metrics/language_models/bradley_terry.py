"""BradleyTerry: the strengths of players, from the outcomes of games of two players."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics.language_models.games import PairwiseOutcomes
from mmeval_like.metrics.language_models.likelihood import Fit, fit, never_lose, ties_are_bounded
from mmeval_like.writing import BaseMetric, MetricOptions, Results, Unpack, warn
from mmeval_like.writing.intervals import estimate, unknown

__all__ = ["BradleyTerry"]

_NO_BOUNDS = (-math.inf, math.inf)


class BradleyTerry(BaseMetric):
    """Ratings of players from their games: the strengths that make the outcomes most likely.

    Player i, of strength s_i, wins against player j with the probability P(i > j). Unlike in Elo's
    ratings, the order of the games does not matter. Sources: R. A. Bradley and M. E. Terry, "Rank
    analysis of incomplete block designs", Biometrika 39 (1952); for ties R. R. Davidson, JASA 65
    (1970); for the condition under which the strengths exist D. R. Hunter, "MM algorithms for
    generalized Bradley-Terry models", Annals of Statistics 32 (2004).

    With `interval=`, the interval is that of the difference of a player's strength from the mean
    strength. It treats every game as an independent sample, and remains valid if the model is only
    approximately true. If prompts repeat, their games are not independent: pass `clusters=`.

    Formula:
        P(i > j) = 1 / (1 + exp(s_j - s_i))
        s = argmax sum ln(P)
        rating_i = center + scale * s_i / ln(base)

    Args:
        num_players: The number of players; they may also be named, with `classes=`.
        ties: "half": a tie is half a win and half a loss. "davidson": a tie has its own
            probability, nu times the geometric mean of the probabilities of winning and of losing,
            and nu is estimated too.
        scale: The number of rating points for odds of `base` : 1.
        base: The base of the odds.
        center: The mean rating.
        **options: As for `BaseMetric`.

    Returns of `compute`: `strength`, a list with the natural logarithm of the odds of each player,
    whose mean is 0; and `rating`, center + scale * strength / ln(base), which by default has the
    usual scale of chess. With `ties="davidson"` also `nu`. If some players never lost to the other
    players or tied with them, the likelihood has no maximum: all values are then nan, and a warning
    names the players.

    Raises:
        TypeError: `num_players` is not an integer.
        ValueError: `num_players` is not positive, `ties` is unknown, `base` is not above 1 or not
            finite, `scale` is not positive and finite, or `center` is not finite.

    Example:
        >>> metric = BradleyTerry(num_players=2)
        >>> metric.add(first=[0] * 4, second=[1] * 4, outcomes=[1, 1, 1, 0])
        >>> [round(rating) for rating in metric.compute()["rating"]]  # 400 log10(3) apart
        [1095, 905]
    """

    processor_dependent = "log and exp"
    _takes_inputs = PairwiseOutcomes.rows

    if TYPE_CHECKING:

        def rows(self, first: Any, second: Any, outcomes: Any) -> Mapping[str, Any]:
            """For type checkers."""

    def __init__(
        self,
        num_players: int,
        ties: str = "half",
        *,
        scale: float = 400.0,
        base: float = 10.0,
        center: float = 1000.0,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        if not 1 < base < math.inf or not 0 < scale < math.inf or not math.isfinite(center):
            raise ValueError(
                f"base must be above 1, scale positive and center finite, got {base}, {scale} "
                f"and {center}"
            )
        self.ties = check_option("ties", ties, ("half", "davidson"))
        self.center, self.points = float(center), scale / math.log(base)
        self.players = PairwiseOutcomes(num_players)
        self.statistic = self.players

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return strengths and ratings."""
        fitted, why = results.once(f"strengths, {self.ties}", self._fitted)
        if fitted is None:
            if len(results):
                warn(f"{self.name} is undefined: {why}", RuntimeWarning)
            nowhere = [math.nan] * self.players.num_players
            nu = {"nu": math.nan} if self.ties == "davidson" else {}
            return {"strength": nowhere, "rating": nowhere.copy(), **nu}
        strengths = fitted.strengths.tolist()
        found = {"strength": strengths, "rating": [self._rating(s) for s in strengths]}
        if self.ties == "davidson":
            found["nu"] = 0.0 if fitted.log_nu is None else math.exp(fitted.log_nu)
        return found

    def own_intervals(self, results: Results, level: float) -> Mapping[str, Any] | None:
        """Return Student's intervals of strengths and ratings, and of nu from its logarithm."""
        fitted, why = results.once(f"strengths, {self.ties}", self._fitted)
        count = len(results)
        if fitted is None:
            none = unknown(math.nan, level, count, why)
            several = [none] * self.players.num_players
            own: dict[str, Any] = {"strength": several, "rating": several}
            return own | ({"nu": none} if self.ties == "davidson" else {})
        found = self.compute_metric(results)
        df = count - len(fitted.variances) + 1
        factors = {"strength": 1.0, "rating": self.points}
        intervals: dict[str, Any] = {
            key: [
                estimate(value, variance * factor**2, _NO_BOUNDS, level, count, df)
                for value, variance in zip(found[key], fitted.variances.tolist(), strict=False)
            ]
            for key, factor in factors.items()
        }
        if fitted.log_nu is not None:
            variance = float(fitted.variances[-1]) * found["nu"] ** 2
            intervals["nu"] = estimate(found["nu"], variance, (0.0, math.inf), level, count, df)
        return intervals

    def _rating(self, strength: float) -> float:
        return self.center + self.points * strength

    def _fitted(self, results: Results) -> tuple[Fit | None, str]:
        """Return the fit and "", or None and the reason why the likelihood has no maximum."""
        games = self.players.both_ways(results)
        idle = np.flatnonzero(games.sum(axis=(1, 2)) == 0)
        if len(idle):
            return None, f"the players {self._names(idle)} have no games"
        tied, won = games[:, :, 1] > 0, games[:, :, 2] > 0
        best = never_lose(won | tied)
        if len(best) < len(games):
            return None, f"the players {self._names(best)} never lost to or tied with the others"
        davidson = self.ties == "davidson" and bool(tied.any())
        if davidson and not ties_are_bounded(won, tied):
            return None, 'the estimates of ties and strengths diverge: pass ties="half"'
        return fit(games, davidson), ""

    def _names(self, players: np.ndarray) -> list[Any]:
        names = self.plan.classes
        return [names[player] if names else player for player in players.tolist()]
