"""Scores in bins: fixed memory, and a value within the bound that comes with it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like import AUROC
from mmeval_like.metrics.curves.scored_labels import bin_of


@given(st.integers(0, 999), st.integers(1, 12), st.booleans())
def test_error_bound_holds(seed: int, bins: int, weighted: bool) -> None:
    """With bins the exact value is within the bound that comes with the value."""
    rng = np.random.default_rng(seed)
    scores, labels = np.round(rng.random(40), 2), rng.integers(0, 2, 40)
    labels[:2] = 0, 1
    weights = (rng.random(40) + 0.1,) if weighted else ()
    exact = AUROC(use_sample_weight=weighted)(scores, labels, *weights)["auroc"]
    value = AUROC(bins=bins, use_sample_weight=weighted)(scores, labels, *weights)

    assert abs(value["auroc"] - exact) <= value["auroc_error_bound"] + 1e-12
    assert value["auroc_error_bound"] <= 0.5 + 1e-12
    assert bins > 1 or value["auroc"] == pytest.approx(0.5)


def test_bins_begin_in_the_scores_own_dtype() -> None:
    """A float32 of 0.1 is in the bin that begins there, as a float64 of 0.1 is."""
    for dtype in (np.float16, np.float32, np.float64):
        scores = np.array([0.0, 0.1, 0.2, 0.3, 0.7, 1.0], dtype)
        metric = AUROC(bins=10)
        metric.add(scores, [1] * 6)
        counts = metric._samples().stores()[0].part(0).folded["histogram"].reshape(10, 2)[:, 1]

        assert np.flatnonzero(counts).tolist() == [0, 1, 2, 3, 7, 9]


@given(
    st.integers(1, 70_000),
    st.sampled_from([np.float16, np.float32, np.float64]),
    st.lists(st.floats(0, 1), max_size=20),
    st.lists(st.integers(0, 70_000), max_size=20),
)
def test_bin_of_any_score(bins: int, dtype: type, scores: list[float], edges: list[int]) -> None:
    """The bin is the last one whose lower edge, in the scores' dtype, is not above the score."""
    near = [min(edge, bins) / bins for edge in edges]
    values = np.array(scores + near, dtype)
    values = np.concatenate(
        [values, np.nextafter(values, dtype(0)), np.nextafter(values, dtype(1))]
    )
    lower = (np.arange(bins) / bins).astype(dtype)

    found = bin_of(values, bins)
    assert (lower[found] <= values).all()
    assert ((found == bins - 1) | (lower[np.minimum(found + 1, bins - 1)] > values)).all()


def test_bins_take_fixed_memory() -> None:
    """With bins nothing grows, and the exchange is one all-gather of counts."""
    metric = AUROC(bins=100)
    for _ in range(100):
        metric.add(np.linspace(0, 1, 5000), np.arange(5000) % 2)

    assert metric._samples().stores()[0].waiting <= 100_000
    assert metric._samples().stores()[0].additive


def test_scores_outside_the_bins() -> None:
    """Bins need scores in [0, 1]."""
    for bad in (-0.1, 1.1, math.inf):
        with pytest.raises(ValueError, match=r"in \[0, 1\] for bins="):
            AUROC(bins=10).add([bad], [1])
