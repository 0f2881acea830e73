"""The kit for metrics: each law finds what it is there for."""

from __future__ import annotations

import time
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pytest

from mmeval_like import AUROC, BaseMetric, Mean, state
from mmeval_like.metrics.curves import score_lists
from mmeval_like.testing import MetricCase, check_metric
from tests.metrics import classes


def numbers(rng: np.random.Generator, n: int) -> tuple[np.ndarray]:
    """Numbers of both signs."""
    return (rng.normal(size=n),)


def dicts(rng: np.random.Generator, n: int) -> tuple[list[dict[str, np.ndarray]]]:
    """Numbers, each in an array in a dict of its own."""
    return ([{"score": rng.normal(size=1)} for _ in range(n)],)


class KeepsBuffers(BaseMetric):
    """Keeps the arrays that it finds in the batch."""

    def add(self, samples: Any) -> None:
        """Append them."""
        self._results.extend(sample["score"] for sample in samples)

    def compute_metric(self, results: Any) -> dict[str, float]:
        """Return their largest."""
        return {"max": float(max(results)[0])}


class Shares(BaseMetric):
    """Keeps its largest number where all instances find it."""

    seen: ClassVar[list[float]] = []

    largest = state.max()

    def rows(self, values: Any) -> dict[str, np.ndarray]:
        """Return the numbers."""
        return {"largest": np.array(values, float)}

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """Return the largest, and one more for every other instance that was made."""
        return {"max": results.largest + self.number}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.number = len(self.seen) % 2
        self.seen.append(0.0)


class LosesRows(BaseMetric):
    """Replaces its list by a longer one: what another thread added meanwhile is gone."""

    def add(self, values: Any) -> None:
        """Append the numbers."""
        kept = [*self._results, *values]
        time.sleep(1e-4)  # here the other thread has its turn
        self._results = kept

    def compute_metric(self, results: Any) -> dict[str, int]:
        """Return how many there are."""
        return {"count": len(results)}


class FillsMasks(BaseMetric):
    """Takes masked numbers for 0, without a word."""

    total = state.sum()

    def rows(self, values: Any) -> dict[str, np.ndarray]:
        """Return the numbers."""
        return {"total": np.array(np.ma.filled(values, 0.0), float)}

    def compute_metric(self, results: Any) -> dict[str, float]:
        """Return their sum."""
        return {"total": results.total}


class ChangesInput(FillsMasks):
    """Works in the caller's array."""

    def rows(self, values: Any) -> dict[str, np.ndarray]:
        """Return the numbers, and make them all positive."""
        found = {"total": np.array(values, float)}
        if isinstance(values, np.ndarray) and values.flags.writeable:
            np.abs(values, out=values)
        return found


FAULTY = {
    "keeps buffers": (
        MetricCase(KeepsBuffers, dicts, None, array_inputs=False),
        "any_buffers",
        "after the caller overwrote",
    ),
    "loses rows": (MetricCase(LosesRows, numbers, None, empty=0), "any_threads", "by two threads"),
    "shares state": (MetricCase(Shares, numbers, None), "any_group", "of a collection"),
    "fills masks": (MetricCase(FillsMasks, numbers, None), "any_layout", "masked arrays"),
    "changes its input": (MetricCase(ChangesInput, numbers, None), "any_buffers", "its input"),
}


@pytest.mark.parametrize("name", FAULTY)
def test_faults_are_found(name: str) -> None:
    """A metric with this fault breaks this law."""
    case, law, text = FAULTY[name]
    with pytest.raises(AssertionError, match=text):
        check_metric(case, only=[law])


def of_first(parts: Any) -> list[np.ndarray]:
    """Take all runs for ascending when the first is."""
    if len(parts[0]) > 1 and (parts[0][1:] >= parts[0][:-1]).all():
        return list(parts)
    return [np.sort(np.concatenate(parts))]


@pytest.mark.parametrize("sample", [classes.logits, classes.weighted_logits])
def test_a_path_that_the_first_block_chooses(sample: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores whose first block happens to be in order, and weights of equal scores."""
    weighted = sample is classes.weighted_logits
    case = MetricCase(partial(AUROC, use_sample_weight=weighted), sample, None)
    monkeypatch.setattr(score_lists, "_sorted_runs", of_first)

    with pytest.raises(AssertionError, match="'any_blocks'"):
        check_metric(case, examples=20, only=["any_blocks"])


def test_the_seed_chooses_the_inputs() -> None:
    """The same seed tries the same inputs again, and another one tries others."""
    tried: list[float] = []

    def sample(rng: np.random.Generator, n: int) -> tuple[np.ndarray]:
        tried.append(float(rng.random()))
        return numbers(rng, n)

    def inputs(seed: int) -> list[float]:
        tried.clear()
        case = MetricCase(Mean, sample, None)
        check_metric(case, examples=1, seed=seed, only=["any_batches"])
        return [*tried]

    assert inputs(1) == inputs(1) != inputs(2)
