"""Write docs/interval-study.md: how often intervals contain the truth, by simulation.

Each cell draws samples many times from a distribution whose true value is known, computes the
metric with `interval=0.95`, and counts how often the truth lies inside, and how often it lies
inside the value -+ 1.96 standard errors. Thin intervals count like the others, and are marked.

Usage: python -m tools.interval_study [--draws 2000] [--write]
"""

import argparse
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import mmeval_like as mm

PAGE = Path(__file__).resolve().parents[1] / "docs" / "interval-study.md"
SIZES = (20, 30, 50, 100, 300)
HEAD = """\
# How often the intervals are right

Of [intervals](how-sure.md) with `interval=0.95`, 95 of 100 should contain the true value. This page
counts how many do. Each number comes from {draws} draws of n samples from a distribution whose true
value is known; it is uncertain by about {error}. "Usual" is the value -+ 1.96 standard errors,
which most programs print. A ~ says that more than half of the intervals of this cell called
themselves thin: they warn that they promise less.

Written by `make intervals`.

"""


@dataclass(frozen=True)
class Study:
    """One row of the page.

    Attributes:
        name: What is drawn.
        metric: Makes the metric.
        draw: n samples, as the arguments of `add`.
        truth: The true value; None: that of 200,000 samples.
    """

    name: str
    metric: Callable[[], mm.BaseMetric]
    draw: Callable[[np.random.Generator, int], tuple[np.ndarray, ...]]
    truth: float | None = None


def classes(shares: tuple[float, ...], right: float) -> Callable[..., tuple[np.ndarray, ...]]:
    """Labels with these shares, each predicted right so often, and else any class."""

    def draw(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
        labels = rng.choice(len(shares), count, p=shares)
        other = rng.integers(0, len(shares), count)
        return np.where(rng.random(count) < right, labels, other), labels

    return draw


def scores(share: float, distance: float) -> Callable[..., tuple[np.ndarray, ...]]:
    """Normal scores of positives, so often and so far apart from those of negatives."""

    def draw(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
        labels = (rng.random(count) < share).astype(int)
        return rng.normal(size=count) + distance * labels, labels

    return draw


def pairs(slope: float) -> Callable[..., tuple[np.ndarray, ...]]:
    """Labels, and predictions that are off by normal errors."""

    def draw(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
        labels = rng.normal(size=count)
        return slope * labels + math.sqrt(1 - slope**2) * rng.normal(size=count), labels

    return draw


def words(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Recall of characters: predicted texts that lack some of those of their labels."""
    lengths = rng.poisson(12, count) + 3
    kept = rng.binomial(lengths, rng.beta(6, 1, count))
    return np.array(["a" * k for k in kept]), np.array(["a" * n for n in lengths])


SURE: dict[str, Any] = {"interval": 0.95}
FOUR = {"task": "multiclass", "num_classes": 4, **SURE}
UNEVEN = (0.6, 0.25, 0.1, 0.05)
STUDIES = (
    Study("accuracy, 0.8", lambda: mm.Accuracy(**SURE), classes((0.5, 0.5), 0.6), 0.8),
    Study("accuracy, 0.95", lambda: mm.Accuracy(**SURE), classes((0.5, 0.5), 0.9), 0.95),
    Study("macro F1, two classes 9:1", lambda: mm.FBetaScore(
        task="multiclass", num_classes=2, **SURE), classes((0.9, 0.1), 0.8)),
    Study("macro F1, four classes 60:25:10:5", lambda: mm.FBetaScore(**FOUR), classes(UNEVEN, 0.8)),
    Study("balanced accuracy, the same", lambda: mm.BalancedAccuracy(**FOUR), classes(UNEVEN, 0.8)),
    Study("Cohen's kappa, the same", lambda: mm.CohenKappa(4, **SURE), classes(UNEVEN, 0.8)),
    Study("MCC, the same", lambda: mm.MatthewsCorrCoef(4, **SURE), classes(UNEVEN, 0.8)),
    Study("mean of normal numbers", lambda: mm.Mean(**SURE), lambda r, n: (r.normal(size=n),), 0.0),
    Study("mean of exponential numbers", lambda: mm.Mean(**SURE),
          lambda r, n: (r.exponential(size=n),), 1.0),
    Study("mean of lognormal numbers, σ = 1", lambda: mm.Mean(**SURE),
          lambda r, n: (r.lognormal(size=n),), math.exp(0.5)),
    Study("mean of shares", lambda: mm.Mean(bounds=(0, 1), **SURE),
          lambda r, n: (r.beta(8, 1, n),), 8 / 9),
    Study("characters found", lambda: mm.CharRecallPrecision(**SURE), words),
    Study("RMSE, normal errors", lambda: mm.RootMeanSquaredError(**SURE),
          lambda r, n: (r.normal(size=n), np.zeros(n)), 1.0),
    Study("R², 0.75", lambda: mm.R2Score(**SURE),
          lambda r, n: (lambda y: (y + r.normal(size=n) / 2, y))(r.normal(size=n)), 0.75),
    Study("Pearson, 0.7", lambda: mm.PearsonCorrCoef(**SURE), pairs(0.7), 0.7),
    Study("Spearman, 0.7 of Pearson", lambda: mm.SpearmanCorrCoef(**SURE), pairs(0.7),
          6 / math.pi * math.asin(0.35)),
    Study("AUROC 0.9, half positive", lambda: mm.AUROC(**SURE), scores(0.5, 1.8124), 0.9),
    Study("AUROC 0.9, one in ten positive", lambda: mm.AUROC(**SURE), scores(0.1, 1.8124), 0.9),
    Study("average precision, half positive", lambda: mm.AveragePrecision(
        task="binary", percent=False, **SURE), scores(0.5, 1.8124)),
)  # fmt: skip


def value_of(result: mm.Result | dict[str, Any]) -> str:
    """The first key of a result."""
    return next(iter(result))


def covered(study: Study, count: int, draws: int, truth: float) -> tuple[float, float, bool]:
    """How often the interval, and the usual one, contain the truth; whether most are thin."""
    rng, metric = np.random.default_rng(count), study.metric()
    inside = usual = thin = known = 0
    for _ in range(draws):
        result = metric(*study.draw(rng, count))
        key = value_of(result)
        found = result.intervals[key]
        thin += found.thin is not None
        if math.isnan(found.low):
            continue
        known += 1
        inside += found.low <= truth <= found.high
        usual += abs(found.value - truth) <= 1.96 * found.standard_error
    return inside / max(known, 1), usual / max(known, 1), thin > draws / 2


def truth_of(study: Study) -> float:
    """The true value."""
    if study.truth is not None:
        return study.truth
    metric = study.metric()
    metric.interval = None
    result = metric(*study.draw(np.random.default_rng(0), 200_000))
    value: float = result[value_of(result)]
    return value


def page(draws: int) -> str:
    """The whole page."""
    columns = " | ".join(f"n = {count}" for count in SIZES)
    lines = [HEAD.format(draws=f"{draws:,}", error=f"{2 * math.sqrt(0.95 * 0.05 / draws):.3f}")]
    lines += [f"| | | {columns} |", "|---|---|" + "---|" * len(SIZES)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for study in STUDIES:
            truth = truth_of(study)
            cells = [covered(study, count, draws, truth) for count in SIZES]
            ours = " | ".join(f"{own:.3f}{'~' * thin}" for own, _, thin in cells)
            usual = " | ".join(f"{other:.3f}" for _, other, _ in cells)
            lines += [f"| {study.name} | interval | {ours} |", f"| | usual | {usual} |"]
            print(lines[-2], flush=True)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    text = page(options.draws)
    if options.write:
        PAGE.write_text(text)
    else:
        print(text, end="")
