"""Scores and labels sorted as integers: the counts that comparing floats gives."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like.metrics.curves import sorted_scores
from mmeval_like.metrics.curves.ranking import Ranking

WIDTHS = {32: np.float32, 64: np.float64}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of three scores, so that small examples have several."""
    monkeypatch.setattr(sorted_scores, "_BLOCK", 3)
    monkeypatch.setattr(sorted_scores, "_SLICE", 1)


@st.composite
def runs(draw: st.DrawFn) -> list[np.ndarray]:
    """Ascending arrays of either width; few different values, so that many are equal."""
    found = []
    for width in draw(st.lists(st.sampled_from([32, 64]), max_size=3)):
        common = st.sampled_from([-np.inf, -2.5, -1.0, 0.0, 0.5, 1.0, np.inf])
        numbers = common | st.floats(width=width, allow_nan=False)
        values = draw(st.lists(numbers, max_size=8))
        found.append(np.sort(np.array(values, WIDTHS[width]) + 0))  # no -0.0
    return found


@given(negatives=runs(), positives=runs())
def test_counts_are_those_of_a_dictionary(
    negatives: list[np.ndarray], positives: list[np.ndarray]
) -> None:
    """Every distinct score once, ascending, over all blocks, with the numbers of both labels."""
    false, true = (
        Counter(float(score) for run in group for score in run) for group in (negatives, positives)
    )
    expected = [(score, false[score], true[score]) for score in sorted(false | true)]

    counts = Ranking.of(negatives, positives).counts()

    assert list(zip(*(array.tolist() for array in counts), strict=True)) == expected


@given(negatives=runs(), positives=runs())
def test_areas_are_those_of_all_pairs(
    negatives: list[np.ndarray], positives: list[np.ndarray]
) -> None:
    """AUROC and average precision over several blocks, against their definitions in fractions."""
    false = [float(score) for run in negatives for score in run]
    true = [float(score) for run in positives for score in run]
    ranking = Ranking.of(negatives, positives)
    if false and true:
        twice = sum(2 * (p > n) + (p == n) for p in true for n in false)
        assert ranking.auroc() == float(Fraction(twice, 2 * len(false) * len(true)))
    precisions = []
    for score in true:
        hits = sum(other >= score for other in true)
        precisions.append(Fraction(hits / (hits + sum(other >= score for other in false))))
    expected = sum(precisions, Fraction(0)) / max(len(true), 1)
    assert ranking.average_precision() == pytest.approx(float(expected), rel=1e-15)
