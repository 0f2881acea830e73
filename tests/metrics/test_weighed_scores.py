"""Areas of weighted scores: the nearest floats to what fractions say, in any blocks and limbs."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._exact import fixed_point
from mmeval_like.metrics.curves import weighed_scores
from mmeval_like.metrics.curves.weighed_scores import WeighedScores
from tests.hunt.points import auroc, average_precision, partial_auroc, points_of

SAMPLES = 60
WEIGHTS = {
    "none": lambda rng: None,
    "alike": lambda rng: rng.random(SAMPLES),
    "whole": lambda rng: rng.integers(0, 4, SAMPLES).astype(np.float64),
    "far apart": lambda rng: (1 + rng.random(SAMPLES)) * 10.0 ** rng.integers(-60, 59, SAMPLES),
    "half are zero": lambda rng: rng.random(SAMPLES) * rng.integers(0, 2, SAMPLES),
}
SCORES = {
    "ties": lambda rng: np.round(rng.normal(size=SAMPLES), 1),
    "distinct": lambda rng: rng.random(SAMPLES),
    "one": lambda rng: np.full(SAMPLES, 0.5),
    "infinite and denormal": lambda rng: rng.choice([-np.inf, -5e-324, 0, 5e-324, np.inf], SAMPLES),
}


def weighed_of(
    scores: np.ndarray, weights: np.ndarray, positive: np.ndarray, *higher: Any
) -> WeighedScores:
    """The scores, as two runs of complex numbers."""
    both = scores.astype(np.complex128)
    both.imag = weights
    return WeighedScores([np.sort(both[~positive])], [np.sort(both[positive])], *higher)


@pytest.mark.parametrize(("room", "block"), [(62, 1 << 15), (62, 7), (20, 16)])
@pytest.mark.parametrize("weighed", WEIGHTS)
@pytest.mark.parametrize("scored", SCORES)
def test_areas_are_those_of_fractions(
    scored: str, weighed: str, room: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AUROC, Gini and the partial area are correctly rounded; precisions are rounded thrice."""
    monkeypatch.setattr(fixed_point, "_ROOM", room)
    monkeypatch.setattr(weighed_scores, "_BLOCK", block)
    rng = np.random.default_rng(len(scored) + len(weighed))
    labels = rng.integers(0, 2, SAMPLES)
    scores, weights = SCORES[scored](rng), WEIGHTS[weighed](rng)
    exact = None if weights is None else [*map(Fraction, weights.tolist())]
    points = points_of(scores, labels == 1, exact, None)
    data = (scores, labels) if weights is None else (scores, labels, weights)
    options = {"use_sample_weight": weights is not None}

    assert mm.AUROC(**options)(*data) == {"auroc": float(auroc(points))}
    assert mm.GiniCoefficient(**options)(*data) == {"gini": float(2 * auroc(points) - 1)}
    for limit in (0.001, 0.25, 0.5, 0.9):
        expected = {"auroc": float(partial_auroc(points, Fraction(limit)))}
        assert mm.AUROC(max_fpr=limit, **options)(*data) == expected
    found = mm.AveragePrecision(percent=False, **options)(*data)["mAP"]
    assert found == pytest.approx(float(average_precision(points)), rel=1e-15)


@pytest.mark.parametrize("block", [1 << 15, 7])
@pytest.mark.parametrize("weighed", [w for w in WEIGHTS if w != "none"])
def test_every_point_of_a_curve_is_correctly_rounded(
    weighed: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The weights at and above every score are the nearest floats to the true sums."""
    monkeypatch.setattr(weighed_scores, "_BLOCK", block)
    rng = np.random.default_rng(len(weighed))
    positive, scores = rng.integers(0, 2, SAMPLES) == 1, SCORES["ties"](rng)
    weights = WEIGHTS[weighed](rng)
    points = points_of(scores, positive, [*map(Fraction, weights.tolist())], None)[::-1]
    found = weighed_of(scores, weights, positive)

    for place, kind in ((1, 2), (2, 1)):
        here = [point[kind] for point in points]
        assert found.counts()[place].tolist() == [*map(float, here)]
        above = [float(sum(here[first:])) for first in range(len(here))]
        assert found.above()[place].tolist() == above


@pytest.mark.parametrize("share_of_negatives", [Fraction(1, 9), Fraction(1, 2), Fraction(8, 9)])
@pytest.mark.parametrize("weighed", ["alike", "far apart"])
def test_what_scores_higher_elsewhere_counts_for_these(
    weighed: str, share_of_negatives: Fraction
) -> None:
    """Shares of a ranking, each with the weights above it, add up to the whole."""
    rng = np.random.default_rng(0)
    scores, weights = np.sort(rng.integers(0, 9, SAMPLES) / 4), WEIGHTS[weighed](rng)
    positive = rng.integers(0, 2, SAMPLES) == 1
    whole = weighed_of(scores, weights, positive)
    cuts = [0, *np.searchsorted(scores, [0.5, 1.0, 1.25]).tolist(), SAMPLES]
    pairs, precisions, corners = Fraction(0), Fraction(0), []
    limit = whole.totals[0] * share_of_negatives
    for start, stop in pairwise(cuts):
        here, above = slice(start, stop), slice(stop, None)
        higher = weighed_of(scores[above], weights[above], positive[above]).totals
        share = weighed_of(scores[here], weights[here], positive[here], higher)
        pairs += share.doubled_pairs()
        precisions += share.precisions().fraction()
        corners.append(share.corner(limit))

    assert pairs == whole.doubled_pairs()
    assert precisions == whole.precisions().fraction()
    assert [*map(sum, zip(*corners, strict=True))] == [*whole.corner(limit)]
