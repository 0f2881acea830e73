"""Ratings that say nothing of agreement, and what are no ratings."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm


def test_what_is_undefined() -> None:
    """One rating says nothing of agreement, and one class nothing of chance."""
    of_classes: Any = partial(mm.FleissKappa, mode="classes")
    others = mm.GwetAC, mm.BrennanPrediger, mm.PercentAgreement, mm.KrippendorffAlpha
    for make in (of_classes, *others):
        [value] = make(3)([[0, -1], [-1, 1]]).values()
        assert math.isnan(value)
    assert math.isnan(mm.FleissKappa(2)([[2, 0], [2, 0]])["fleiss_kappa"])
    assert math.isnan(mm.KrippendorffAlpha(2)([[0, 0], [0, 0]])["alpha"])
    assert math.isnan(mm.KrippendorffAlpha()([[0.1, 0.1, 0.1], [0.1, 0.1, np.nan]])["alpha"])
    assert math.isnan(mm.IntraclassCorrelation(2)([[1.0, 1.0], [1.0, 1.0]])["icc1"])


BAD: list[tuple[Any, Any, type[Exception], str]] = [
    (lambda: mm.FleissKappa(3), [[1, 2]], ValueError, r"shape \(N, 3\), got \(1, 2\)"),
    (lambda: mm.FleissKappa(3), [[1, -1, 2]], ValueError, "ratings must not be negative"),
    (lambda: mm.FleissKappa(3), [[0.5, 1, 2]], TypeError, "ratings must be integers"),
    (lambda: mm.GwetAC(3), [[3, 0]], ValueError, r"ratings must be in \[0, 3\)"),
    (lambda: mm.GwetAC(3), [[-2, 0]], ValueError, r"ratings must be in \[0, 3\)"),
    (lambda: mm.GwetAC(3), [0, 1], ValueError, r"shape \(N, R\)"),
    (lambda: mm.FleissKappa(3, mode="probs"), [[[math.nan]] * 3], ValueError, "nan"),
    (lambda: mm.FleissKappa(60), [[60] * 60], ValueError, "fewer than 2.63 combinations"),
    (lambda: mm.FleissKappa(2), [[1 << 30, 1 << 30]], ValueError, "at most 4194304 for an item"),
    (lambda: mm.KrippendorffAlpha(), [[math.inf, 1]], ValueError, "infinity"),
    (lambda: mm.KrippendorffAlpha(), [1.0, 2.0], ValueError, r"shape \(N, R\)"),
    (lambda: mm.IntraclassCorrelation(3), [[1.0, 2.0]], ValueError, r"shape \(N, 3\)"),
]


@pytest.mark.parametrize(("make", "batch", "error", "text"), BAD)
def test_bad_inputs(make: Any, batch: Any, error: type[Exception], text: str) -> None:
    """What are no ratings is refused, by name."""
    with pytest.raises(error, match=text):
        make().add(batch)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: mm.FleissKappa(1), "num_classes must be at least 2"),
        (lambda: mm.FleissKappa(2, mode="labels"), "mode must be one of"),
        (lambda: mm.GwetAC(2, weights="cubic"), "weights must be one of"),
        (lambda: mm.KrippendorffAlpha(2, level="metric"), "level must be one of"),
        (lambda: mm.KrippendorffAlpha(level="nominal"), "level must be 'interval'"),
        (lambda: mm.KrippendorffAlpha(3, values=[1, 2]), "values must be 3 finite numbers"),
        (lambda: mm.IntraclassCorrelation(1), "raters must be at least 2"),
    ],
)
def test_bad_options(make: Any, text: str) -> None:
    """Options that cannot be meant are refused, by name."""
    with pytest.raises(ValueError, match=text):
        make()
