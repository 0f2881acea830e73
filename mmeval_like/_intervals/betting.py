"""Confidence sequences of means of values between two bounds.

If a supposed mean of independent values is the true one, bets against it at fair odds win much only
with a small probability: the capital is a martingale, and Ville's inequality bounds it. The
means against which the bets have not won much are a confidence sequence: I.
Waudby-Smith and A. Ramdas, Estimating means of bounded random variables by betting, J. R. Stat.
Soc. B 86 (2024). It is exact for any number of samples and any distribution between the bounds.

The capital is divided among fixed bets, their "diversified Kelly betting". What each bet wins does
not depend on the order of the samples, so that looks may come at any time, in any order of ids.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext

import numpy as np

__all__ = ["Bets"]

_DIGITS = Context(prec=50, Emax=MAX_EMAX, Emin=MIN_EMIN)
_LARGEST = 0.5  # the largest bet, for values and supposed means in [-1, 1]
_ENOUGH = 1e-12  # the precision of an end


class Bets:
    """The confidence sequence of a mean of values in [-1, 1].

    Args:
        planned: How many samples are planned; it tunes the bets, and any number is valid.
        level: The share of sequences that contain the truth at all looks, for instance 0.95.

    Example:
        >>> bets = Bets(1000, 0.95)
        >>> [round(end, 3) for end in bets.ends(np.repeat([0.0, 1.0], [900, 100]))]
        [0.074, 0.131]
    """

    def __init__(self, planned: int, level: float) -> None:
        with localcontext(_DIGITS):
            self._alpha = 1 - Decimal(repr(level))
            # No smaller bet is the best one before all planned samples are added.
            least = float((-2 * self._alpha.ln() / planned).sqrt())
        sizes = [_LARGEST]
        while sizes[-1] > 2 * least:
            sizes.append(sizes[-1] / 2)
        self._bets = np.array([*sizes, *(-size for size in sizes)])

    def capital(self, values: np.ndarray, supposed: float) -> Decimal:
        """Return the final value of a capital of 1 after bets against a supposed mean.

        Args:
            values: Values in [-1, 1], (n,).
            supposed: The supposed mean, in [-1, 1].

        Example:
            >>> bets = Bets(10, 0.95)  # of a half each way: (1.5 ** 2 + 0.5 ** 2) / 2
            >>> round(bets.capital(np.array([1.0, 1.0]), 0.0), 6)
            Decimal('1.250000')
        """
        factors = 1 + self._bets[:, None] * (values - supposed)
        powers = np.zeros(len(factors), np.int64)
        # Products of halves: elementwise, so that no library decides the order of factors.
        while factors.shape[1] > 1:
            half = factors.shape[1] // 2
            rest = factors[:, 2 * half :]
            factors, own = np.frexp(factors[:, :half] * factors[:, half : 2 * half])
            powers += own.sum(axis=1)
            factors = np.concatenate([factors, rest], axis=1)
        with localcontext(_DIGITS):
            parts = zip(factors.reshape(-1).tolist(), powers.tolist(), strict=True)
            won = sum((Decimal(part) * Decimal(2) ** power for part, power in parts), Decimal(0))
            return won / len(self._bets)

    def p_value(self, values: np.ndarray, supposed: float = 0.0) -> float:
        """Return the p-value of a supposed mean, below 1 - level if it is not between the ends.

        Example:
            >>> Bets(10, 0.95).p_value(np.array([1.0, 1.0]))
            0.8
        """
        with localcontext(_DIGITS):
            return float(min(1 / self.capital(values, supposed), Decimal(1)))

    def ends(self, values: np.ndarray, level: float | None = None) -> tuple[float, float]:
        """Return the least and the largest mean against which the bets have not won.

        Args:
            values: Values in [-1, 1], (n,), at least one.
            level: The level; None: that for which the bets are tuned.
        """
        with localcontext(_DIGITS):
            alpha = self._alpha if level is None else 1 - Decimal(repr(level))
        middle = float(np.clip(sum(values.tolist()) / len(values), -1, 1))
        return self._end(values, middle, -1.0, alpha), self._end(values, middle, 1.0, alpha)

    def _end(self, values: np.ndarray, inside: float, outside: float, alpha: Decimal) -> float:
        """Return the supposed mean at which the capital is 1 / alpha, by regula falsi.

        The capital is convex in the supposed mean, and at most 1 at the mean of the values.
        """
        won = self._beyond(values, outside, alpha)
        if won < 0:
            return outside
        lost, moved = self._beyond(values, inside, alpha), 0
        while abs(outside - inside) > _ENOUGH:
            at = (inside * won - outside * lost) / (won - lost)
            middle = at if min(inside, outside) < at < max(inside, outside) else inside
            if middle in (inside, outside):
                middle = (inside + outside) / 2
            beyond = self._beyond(values, middle, alpha)
            if beyond >= 0:  # if one end moves twice, the other gets less weight
                lost = lost / 2 if moved > 0 else lost
                outside, won, moved = middle, beyond, 1
            else:
                won = won / 2 if moved < 0 else won
                inside, lost, moved = middle, beyond, -1
            if not beyond:
                break
        return outside

    def _beyond(self, values: np.ndarray, supposed: float, alpha: Decimal) -> float:
        """Return the logarithm of the capital divided by the capital that rejects a mean."""
        with localcontext(_DIGITS):
            return float((self.capital(values, supposed) * alpha).ln())
