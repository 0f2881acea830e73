"""ConcatenatedWER beside all assignments of speakers."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from mmeval_like import ConcatenatedWER
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.test_word_error_rate import alignment
from tests.metrics.texts import sentence

Recordings = list[list[str]]


def recordings(rng: np.random.Generator, n: int) -> tuple[Recordings, Recordings]:
    """Of up to three speakers on each side, who say little."""

    def one() -> list[str]:
        return [sentence(rng, 5) for _ in range(int(rng.integers(0, 4)))]

    return [one() for _ in range(n)], [one() for _ in range(n)]


def oracle(predictions: Recordings, references: Recordings) -> dict[str, float]:
    """The best of all assignments, of texts aligned cell by cell."""
    edits = words = 0
    for found, expected in zip(predictions, references, strict=True):
        size = max(len(found), len(expected))
        own, other = ([*texts, *[""] * (size - len(texts))] for texts in (found, expected))
        edits += min(
            sum(alignment(r.split(), p.split())[0] for p, r in zip(order, other, strict=True))
            for order in permutations(own)
        )
        words += sum(len(text.split()) for text in expected)
    return {"cp_wer": edits / words if words else math.inf if edits else math.nan}


CASES = {
    "ConcatenatedWER": MetricCase(ConcatenatedWER, recordings, oracle, array_inputs=False, most=12)
}


def test_laws() -> None:
    """The rate is that of the best assignment, and every law of a metric is kept."""
    requires("rapidfuzz")
    check_metric(CASES["ConcatenatedWER"], examples=examples(4))


def test_speakers_that_were_not_found() -> None:
    """All words of a speaker too few are deleted, those of one too many are inserted."""
    requires("rapidfuzz")
    assert ConcatenatedWER()([["b c"]], [["a", "b c"]]) == {"cp_wer": 1 / 3}
    assert ConcatenatedWER()([["a", "b c"]], [["a"]]) == {"cp_wer": 2.0}
    assert ConcatenatedWER()([[]], [["a"]]) == {"cp_wer": 1.0}
    assert ConcatenatedWER()([["a"]], [[]]) == {"cp_wer": math.inf}


@pytest.mark.parametrize(
    ("batch", "error", "text"),
    [
        (("a", [["a"]]), TypeError, "predictions must be a list of lists of strings"),
        ((["a"], [["a"]]), TypeError, r"predictions\[0\] must be a list of strings"),
        (([["a"]], [[3]]), TypeError, r"references\[0\] must be a list of strings, got int"),
        (([["a"]], []), ValueError, "must have the same length, got 1 and 0"),
    ],
)
def test_bad_input(batch: Any, error: type[Exception], text: str) -> None:
    """What cannot be meant is refused."""
    requires("rapidfuzz")
    with pytest.raises(error, match=text):
        ConcatenatedWER()(*batch)
