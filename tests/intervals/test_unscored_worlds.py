"""Worlds in which samples fail for a reason: intervals from worst to best hold, and so do gates."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm

WORLDS = 600

# Whether a sample fails, given its score and a random number: hard ones first, easy ones, any.
RULES = {
    "hard first": lambda hits, some: ~hits & (some < 0.5),
    "easy first": lambda hits, some: hits & (some < 0.2),
    "at random": lambda hits, some: some < 0.1,
    "all that are wrong": lambda hits, some: ~hits,
}


def reasons(failed: np.ndarray) -> list[Any]:
    """Why samples have no score."""
    return ["error" if one else None for one in failed.tolist()]


@pytest.mark.parametrize("rule", RULES)
def test_intervals_from_worst_to_best_cover(rule: str) -> None:
    """The truth is the share of hits of all samples; the interval contains it in 95 of 100."""
    rng = np.random.default_rng(11)
    size, share, inside = 60, 0.8, 0
    for _ in range(WORLDS):
        hits = rng.random(size) < share
        failed = RULES[rule](hits, rng.random(size))
        metric = mm.Accuracy(interval=0.95, unscored="bounds")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = metric(hits.astype(int), np.ones(size, int), unscored=reasons(failed))
        inside += found["top1_low"] <= share <= found["top1_high"]

    assert inside / WORLDS >= 0.95 - 2 * math.sqrt(0.95 * 0.05 / WORLDS)


@pytest.mark.parametrize("rule", RULES)
def test_gates_at_the_bound_pass_wrongly_in_few(rule: str) -> None:
    """Of models that are exactly at the bound, at most 2.5 of 100 pass, however they fail."""
    rng = np.random.default_rng(12)
    size, bound, passed = 150, 0.8, 0
    for _ in range(WORLDS // 2):
        hits = rng.random(size) < bound
        failed = RULES[rule](hits, rng.random(size))
        metric = mm.Accuracy(interval=0.95, unscored="bounds")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            metric.add(hits.astype(int), np.ones(size, int), unscored=reasons(failed))
            metric.compute()
        passed += mm.gate(metric, "top1", at_least=bound - 1e-12).outcome == "pass"

    worlds = WORLDS // 2
    assert passed / worlds <= 0.025 + 2 * math.sqrt(0.025 * 0.975 / worlds)


def test_dropping_hard_samples_would_pass() -> None:
    """The same gate, with those that fail dropped, passes nearly always: the bounds are needed."""
    rng = np.random.default_rng(13)
    passed = 0
    for _ in range(50):
        hits = rng.random(150) < 0.8
        failed = ~hits & (rng.random(150) < 0.7)
        metric = mm.Accuracy(interval=0.95, unscored="drop")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            metric.add(hits.astype(int), np.ones(150, int), unscored=reasons(failed))
            metric.compute()
        passed += mm.gate(metric, "top1", at_least=0.8).outcome == "pass"

    assert passed > 40


@pytest.mark.parametrize("rule", RULES)
def test_gates_of_pairs_pass_wrongly_in_few(rule: str) -> None:
    """Of systems that are worse by the margin, few pass, however they fail."""
    rng = np.random.default_rng(14)
    size, margin, passed, worlds = 120, 0.1, 0, 40
    labels = np.ones(size, int)
    for _ in range(worlds):
        a = rng.random(size) < 0.8
        b = np.where(rng.random(size) < 0.3, rng.random(size) < 0.8 - margin / 0.3, a)
        pair = mm.Paired(mm.Accuracy(unscored="bounds"))
        for side, hits in ((pair.a, a), (pair.b, b)):
            failed = RULES[rule](hits, rng.random(size)) & (rng.random(size) < 0.5)
            side.add(hits.astype(int), labels, ids=range(size), unscored=reasons(failed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pair.compute()
        passed += mm.gate(pair, "top1", margin=margin - 1e-12).outcome == "pass"

    assert passed / worlds <= 0.025 + 2 * math.sqrt(0.025 * 0.975 / worlds)
