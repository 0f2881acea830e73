"""The most likely strengths of players, by Newton's method, and their standard errors.

Player i has a strength s_i. In a game of i against j, with x = s_i - s_j, i wins with probability
e^(x/2) / D, j with e^(-x/2) / D, and they tie with nu / D, where D is the sum of the three
numerators (R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties", JASA 65,
1970). Without ties, nu = 0, this is the model of R. A. Bradley and M. E. Terry, Biometrika 39
(1952).

All sums are taken in an order that depends only on the number of players. No linear algebra library
is used, since the bits of its results may depend on the number of threads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.writing import arrays

__all__ = ["Fit", "fit", "never_lose", "ties_are_bounded"]

_CLOSE = 1e-12  # the iteration ends when no strength moves further
_STEPS = 1000


@dataclass(frozen=True)
class Fit:
    """The maximum of the likelihood of the games.

    Attributes:
        strengths: Natural logarithms of odds (K,), of mean 0.
        log_nu: ln nu; None if a tie counts as half a win and half a loss, or without ties.
        variances: The squared standard errors of the strengths, and of ln nu if it was estimated:
            each game counts as one sample (P. J. Huber, "The behavior of maximum likelihood
            estimates under nonstandard conditions", 1967), times n / (n - d) for n games and d
            parameters.
    """

    strengths: np.ndarray
    log_nu: float | None
    variances: np.ndarray


def fit(games: np.ndarray, with_ties: bool) -> Fit:
    """Return the maximum of the likelihood, which must exist.

    Args:
        games: The games lost, tied and won by each player against each other, int64 (K, K, 3).
        with_ties: Whether to use Davidson's model; if not, a tie is half a win and half a loss.
    """
    one, other = np.nonzero(np.triu(games.sum(axis=2)))
    counts = games[one, other].T.astype(np.float64)
    strengths, log_nu, step = np.zeros(len(games)), 0.0, math.inf
    for _ in range(_STEPS):
        if step <= _CLOSE:
            break
        residuals, chances = _residuals(strengths[one] - strengths[other], log_nu, with_ties)
        expected = counts.sum(axis=0) * chances
        inverse = _inverse(_second(one, other, expected, residuals, len(games), with_ties))
        slope = _first(one, other, counts, residuals, len(games), with_ties)
        moves = arrays.sum_rows(inverse * slope)
        differences = np.abs(moves[one] - moves[other])
        # A damped step never leaves the region where the method converges (T. Sun and Q.
        # Tran-Dinh, "Generalized self-concordant functions", Mathematical Programming 178, 2019).
        reach = float(differences.max())
        if with_ties:
            reach = max(reach, abs(float(moves[-1])) + reach / 2)
        moves *= math.log1p(reach) / reach if reach else 1.0
        strengths = strengths + moves[: len(games)]
        strengths -= arrays.sum_rows(strengths[None]) / len(games)
        log_nu += float(moves[-1]) if with_ties else 0.0
        step = float(np.abs(moves).max())
    variances = _variances(one, other, counts, residuals, inverse, with_ties)
    total, parameters = int(games.sum()) // 2, len(inverse) - 1
    if total > parameters:
        variances *= total / (total - parameters)
    return Fit(strengths, log_nu if with_ties else None, variances)


def _residuals(x: np.ndarray, log_nu: float, with_ties: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the residual and the probability of each outcome of each pair.

    Returns:
        Residuals (2, 3, pairs): the derivatives of an outcome's log-likelihood by the first
        player's strength, which is minus that by the second's, and by ln nu, for a game lost, tied
        and won. Probabilities (3, pairs).
    """
    nu = math.exp(log_nu) if with_ties else 0.0
    with np.errstate(over="ignore"):
        up, down = np.exp(x / 2), np.exp(-x / 2)
        won = 1 / (1 + down * down + nu * down)
        lost = 1 / (1 + up * up + nu * up)
        tied = nu / (up + down + nu)
    first, second = won + tied / 2, lost + tied / 2
    residuals = np.array([[-first, (second - first) / 2, second], [-tied, lost + won, -tied]])
    return residuals, np.array([lost, tied, won])


def _first(
    one: np.ndarray, other: np.ndarray, counts: np.ndarray, residuals: Any, size: int, ties: bool
) -> np.ndarray:
    """Return the derivatives of the log-likelihood."""
    table = np.zeros((size, size))
    table[one, other] = (counts * residuals[0]).sum(axis=0)
    slope = arrays.sum_rows(table - table.T)
    if not ties:
        return slope
    return np.append(slope, arrays.sum_rows((counts * residuals[1]).sum(axis=0)[None]))


def _second(
    one: np.ndarray, other: np.ndarray, expected: np.ndarray, residuals: Any, size: int, ties: bool
) -> np.ndarray:
    """Return the information matrix; a constant added for all strengths has no effect."""
    own, mixed, of_ties = (
        (expected * residuals[a] * residuals[b]).sum(axis=0) for a, b in ((0, 0), (0, 1), (1, 1))
    )
    table = np.zeros((size, size))
    table[one, other] = own
    table += table.T
    sums = arrays.sum_rows(table)
    matrix = np.diag(sums) - table + arrays.sum_rows(sums[None]) / size**2
    if not ties:
        return matrix
    table = np.zeros((size, size))
    table[one, other] = mixed
    border = arrays.sum_rows(table - table.T)
    corner = arrays.sum_rows(of_ties[None])
    return np.block([[matrix, border[:, None]], [border[None], corner[:, None]]])


def _inverse(matrix: np.ndarray) -> np.ndarray:
    """Return the inverse of a positive definite matrix, by Gauss-Jordan elimination."""
    found = matrix.copy()
    for k in range(len(found)):
        pivot = found[k, k]
        row, column = found[k] / pivot, found[:, k].copy()
        row[k] = 1 / pivot
        column[k] = 0.0
        found[:, k] = 0.0
        found[k] = 0.0
        found -= column[:, None] * row
        found[k] = row
    return found


def _variances(
    one: np.ndarray, other: np.ndarray, counts: np.ndarray, residuals: Any, inverse: Any, ties: bool
) -> np.ndarray:
    """Return the diagonal of H^-1 (sum of g g^T over games) H^-1."""
    found = np.zeros(len(inverse))
    for k, row in enumerate(inverse):
        moves = residuals[0] * (row[one] - row[other])
        if ties:
            moves = moves + residuals[1] * row[-1]
        found[k] = arrays.sum_rows((counts * moves * moves).sum(axis=0)[None]).item()
    return found


def never_lose(beaten: np.ndarray) -> np.ndarray:
    """Return a set of players that no other player ever beat or tied with; all if none exists.

    Args:
        beaten: Whether a player won or tied against another one, bool (K, K).
    """
    reached = beaten | np.eye(len(beaten), dtype=np.bool_)
    while True:
        further = (reached.astype(np.float32) @ reached.astype(np.float32)) > 0
        if (further == reached).all():
            break
        reached = further
    # The players that reach the player reached by the fewest are reached by no other player.
    least = int(reached.sum(axis=0).argmin())
    return np.flatnonzero(reached[:, least])


def ties_are_bounded(won: np.ndarray, tied: np.ndarray) -> bool:
    """Return whether strengths and ties cannot grow together without end in Davidson's model.

    They can unless some cycle of games, in which i beat or tied with j, who beat or tied with the
    next player, has more wins than ties: then no strengths differ by 2 or more for each game that
    was won, and by 2 or less for each that was tied.
    """
    costs = np.where(won, -1.0, np.where(tied, 1.0, np.inf))
    potential = np.zeros(len(won))
    for _ in range(len(won)):
        lower = np.minimum(potential, (potential[:, None] + costs).min(axis=0))
        if (lower == potential).all():
            return False
        potential = lower
    return True
