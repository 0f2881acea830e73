"""Streams of bounded values, for `make intervals`: how often bets ever find a difference."""

from collections.abc import Callable

import numpy as np

from mmeval_like._intervals.betting import Bets

PLANNED, FIRST, STEP = 2000, 100, 10  # samples, the first look, and between two looks
_LOOKS = np.arange(FIRST, PLANNED + 1, STEP)
_QUANTILE = 1.96

Draw = Callable[[np.random.Generator], np.ndarray]


def flips(difference: float) -> Draw:
    """Scores of 0 and 1, of which 15 of 100 flip."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        kind = rng.random(PLANNED)
        up = kind < 0.075 + difference / 2
        return up.astype(float) - (kind > 0.925 + difference / 2)

    return draw


def beta(rng: np.random.Generator) -> np.ndarray:
    """Scores between 0 and 1 of two systems of one kind."""
    found: np.ndarray = rng.beta(2, 1, PLANNED) - rng.beta(2, 1, PLANNED)
    return found


def catastrophes(rng: np.random.Generator) -> np.ndarray:
    """One error of 0.9 in fifty against errors of 0.018."""
    return np.where(rng.random(PLANNED) < 0.02, 0.9, 0.0) - 0.018


def rare(rng: np.random.Generator) -> np.ndarray:
    """Scores of 0 and 1: one in a hundred is 1 in b, and all are 0.01 in a."""
    return (rng.random(PLANNED) < 0.01) - 0.01


STREAMS: dict[str, Draw] = {
    "scores of 0 and 1, 15 of 100 flip": flips(0.0),
    "scores between 0 and 1": beta,
    "errors of 0.9 in one of 50, against 0.018": catastrophes,
    "scores of 1 in one of 100, against 0.01": rare,
    "15 of 100 flip, difference 0.02": flips(0.02),
    "15 of 100 flip, difference 0.03": flips(0.03),
    "15 of 100 flip, difference 0.05": flips(0.05),
}


def at_looks(values: np.ndarray) -> np.ndarray:
    """Return the capital of the bets against a mean of 0 at every look, but for rounding."""
    bets = Bets(PLANNED, 0.95)._bets[:, None]
    won: np.ndarray = np.exp(np.cumsum(np.log1p(bets * values), axis=1)[:, _LOOKS - 1])
    return won.mean(axis=0)


def bounded_looks(name: str, draws: int) -> dict[str, float]:
    """Look 191 times at samples that arrive; how often each method ever finds a difference.

    Returns:
        The shares "betting", "usual" (a test for one look, at every look), and that of one test at
        the end.
    """
    rng, found = np.random.default_rng(11), {"betting": 0, "usual": 0, "at the end": 0}
    for _ in range(draws):
        values = STREAMS[name](rng)
        mean = np.cumsum(values)[_LOOKS - 1] / _LOOKS
        variance = np.cumsum(values**2)[_LOOKS - 1] / _LOOKS - mean**2
        size = np.abs(mean) / np.sqrt(np.maximum(variance, 1e-12) / (_LOOKS - 1))
        found["betting"] += bool((at_looks(values) > 1 / 0.05).any())
        found["usual"] += bool((size > _QUANTILE).any())
        found["at the end"] += bool(size[-1] > _QUANTILE)
    return {method: number / draws for method, number in found.items()}
