"""Slices against all other samples: the right samples, the right unit, and few false alarms."""

from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._intervals.corrections import adjusted
from mmeval_like._intervals.independent import difference_of
from mmeval_like._intervals.interval import share
from mmeval_like.testing.same import same

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")

METRICS = {
    "hits": lambda: mm.Accuracy(interval=0.95),
    "means": lambda: mm.MeanAbsoluteError(interval=0.95),
    "classes": lambda: mm.BalancedAccuracy(num_classes=2, interval=0.95),
}


def world(seed: int, count: int = 300) -> tuple[Any, Any, list[str]]:
    """Predictions, labels and slices."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, count)
    slices = rng.choice(["a", "b", "c"], count, p=[0.5, 0.3, 0.2])
    wrong = rng.random(count) < np.where(slices == "a", 0.3, 0.1)
    return np.where(wrong, 1 - labels, labels), labels, slices.tolist()


def interval_of(make: Any, predictions: Any, labels: Any, **options: Any) -> Any:
    """The first interval of a metric of these samples alone."""
    metric = make()
    metric.add(predictions, labels, **options)
    metric.compute()
    return next(iter(metric.intervals.values()))


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("clustered", [False, True])
def test_the_others_are_all_samples_that_are_not_in_the_slice(name: str, clustered: bool) -> None:
    """The verdict is that on two metrics, one of the slice and one of all other samples."""
    predictions, labels, slices = world(3)
    clusters = {"clusters": (np.arange(300) // 3)} if clustered else {}
    sliced = mm.Sliced(METRICS[name](), by="part", rest=True)
    sliced.add(predictions, labels, by={"part": slices}, **clusters)
    sliced.compute()

    known = {}
    for part in "abc":
        inside = np.array(slices) == part
        both = [
            interval_of(
                METRICS[name],
                predictions[where],
                labels[where],
                **{key: value[where] for key, value in clusters.items()},
            )
            for where in (inside, ~inside)
        ]
        known[part] = difference_of(*both, together=clustered)
    chances = adjusted([one.p for one in known.values()], "holm")
    for (part, one), p in zip(known.items(), chances, strict=True):
        found = next(iter(sliced.intervals[f"part={part}"].values()))
        assert same(vars(found.apart.interval), vars(one.interval))
        assert found.apart.p == p
        assert found.apart.interval.value == pytest.approx(one.interval.value)
    assert getattr(next(iter(sliced.intervals["all"].values())), "apart", None) is None


def test_slices_of_all_columns_are_corrected_together() -> None:
    """Three slices and two others, by other columns, are five tests."""
    predictions, labels, slices = world(5)
    half = np.where(np.arange(300) % 2, "odd", "even")
    sliced = mm.Sliced(METRICS["hits"](), by=["part", "half"], rest=True)
    sliced.add(predictions, labels, by={"part": slices, "half": half.tolist()})
    sliced.compute()

    known = {}
    for column, names in (("part", slices), ("half", half)):
        for name in sorted(set(names)):
            inside = np.array(names) == name
            one, other = (
                interval_of(METRICS["hits"], predictions[where], labels[where])
                for where in (inside, ~inside)
            )
            known[f"{column}={name}"] = difference_of(one, other).p
    found = {n: one["top1"].apart.p for n, one in sliced.intervals.items() if n != "all"}
    assert found == dict(zip(known, adjusted([*known.values()], "holm"), strict=True))


@pytest.mark.parametrize("rate", [0.5, 0.8])
def test_crossing_slices_are_named_no_more_often_than_the_level_says(rate: float) -> None:
    """Three slices of 16 samples, cut into two others of 24: all tables of hits are enumerated.

    If each column were corrected alone, a slice of equal ones would be named in 7.0% at a half.
    """
    cell, count = 8, 48

    def chances_of(size: int) -> np.ndarray:
        """The p-value of a slice by its hits, and by those of all samples."""
        inside, outside = (
            [share(hits / n, 0.95, n, (0.0, 1.0)) for hits in range(n + 1)]
            for n in (size, count - size)
        )
        found = np.ones((size + 1, count + 1))
        for hits, one in enumerate(inside):
            for others, other in enumerate(outside):
                found[hits, hits + others] = difference_of(one, other).p
        return found

    of_parts, of_halves = chances_of(2 * cell), chances_of(3 * cell)
    weights = [comb(cell, k) * rate**k * (1 - rate) ** (cell - k) for k in range(cell + 1)]
    crossed = np.zeros((2 * cell + 1, cell + 1))  # hits of a part, and those in the first half
    for first, one in enumerate(weights):
        for second, other in enumerate(weights):
            crossed[first + second, first] += one * other
    together, alone = 0.0, 0.0
    for parts in product(range(2 * cell + 1), repeat=3):
        hits, least = sum(parts), min(of_parts[k, sum(parts)] for k in parts)
        first = np.convolve(np.convolve(crossed[parts[0]], crossed[parts[1]]), crossed[parts[2]])
        ways = np.flatnonzero(first)
        of_half = np.minimum(of_halves[ways, hits], of_halves[hits - ways, hits])
        together += first[ways] @ (5 * np.minimum(least, of_half) < 0.05)
        alone += first[ways] @ ((3 * least < 0.05) | (2 * of_half < 0.05))
    assert 0 < together <= 0.05
    assert alone > 0.05 or rate > 0.5


def test_values_do_not_change() -> None:
    """The option adds verdicts, and changes no value and no interval."""
    predictions, labels, slices = world(4)
    found = []
    for rest in (False, True):
        sliced = mm.Sliced(METRICS["hits"](), by="part", rest=rest)
        sliced.add(predictions, labels, by={"part": slices})
        found.append((sliced.compute(), sliced.intervals))

    assert found[0][0] == found[1][0]
    for name, intervals in found[0][1].items():
        one, other = intervals["top1"], found[1][1][name]["top1"]
        assert all(getattr(one, key) == getattr(other, key) for key in ("value", "low", "high"))


def test_few_slices_of_few_clusters_are_called_worse_or_better() -> None:
    """Of 8 slices of 6 clusters, none different, 31 of 100 reports named one.

    The promise is 0.05 for all slices together; 200 draws have a standard error of 0.015.
    """
    rng, named, draws = np.random.default_rng(7), 0, 200
    for _ in range(draws):
        skill = np.repeat(rng.beta(4, 1.5, 48), 10)
        hits = (rng.random(480) < skill).astype(int)
        sliced = mm.Sliced(mm.Accuracy(interval=0.95), by="part", rest=True)
        clusters, part = np.repeat(np.arange(48), 10), np.repeat(np.arange(8), 60)
        sliced.add(hits, np.ones(480, int), clusters=clusters, by={"part": part})
        sliced.compute()
        named += any(
            one["top1"].apart.decided for name, one in sliced.intervals.items() if name != "all"
        )

    assert named <= draws * 0.05 + 2 * np.sqrt(draws * 0.05 * 0.95)


def test_slices_without_intervals_cannot_be_compared():
    """The rest is computed for the interval of every slice: without one, the option is refused."""
    for metrics in (mm.Accuracy(), {"a": mm.Accuracy(), "f": mm.Recall()}):
        with pytest.raises(ValueError, match="with interval="):
            mm.Sliced(metrics, by="part", rest=True)
    mm.Sliced({"a": mm.Accuracy(interval=0.95), "f": mm.Recall()}, by="part", rest=True)


def test_slices_of_quantiles_are_rarely_called_other() -> None:
    """Ratings of one distribution: of 20 slices beside a large one, 9% had one that differed."""
    rng, found = np.random.default_rng(1), 0
    for _ in range(20):
        sliced = mm.Sliced(mm.Quantile(0.5, interval=0.95), by="topic", rest=True)
        ratings = rng.choice([1, 2, 3, 4, 5], 3000, p=[0.1, 0.2, 0.2, 0.3, 0.2])
        topics = np.where(np.arange(3000) < 2000, 0, np.arange(3000) % 20 + 1)
        sliced.add(ratings, by={"topic": topics})
        sliced.compute()
        every = [one["quantile"].apart for name, one in sliced.intervals.items() if name != "all"]
        found += any(one is not None and one.outcome in ("higher", "lower") for one in every)
    assert found <= 2


def test_clusters_in_several_slices_may_move_them_apart() -> None:
    """Lenient judges raise one slice and lower the other: in at most 5 of 100 cases one is named.

    Where every cluster is in one slice, nothing changes.
    """
    named, draws, judges = 0, 200, 40
    judge, slices = np.repeat(np.arange(judges), 20), np.tile(["yes", "no"], 10 * judges)
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        lenient = np.repeat(rng.normal(0, 1.5, judges), 20) * np.where(slices == "yes", 1, -1)
        hits = rng.random(len(judge)) < 1 / (1 + np.exp(-1.4 - lenient))
        metric = mm.Sliced(mm.Accuracy(interval=0.95), by="label", rest=True)
        metric.add(hits, np.ones(len(hits), int), by={"label": slices.tolist()}, clusters=judge)
        metric.compute()
        apart = metric.intervals["label=yes"]["top1"].apart
        assert apart.interval.method == "added arms"
        named += not apart.interval.low <= 0 <= apart.interval.high
    assert named / draws <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / draws)

    metric = mm.Sliced(mm.Accuracy(interval=0.95), by="label", rest=True)
    own = np.where(slices == "yes", judge, judge + judges)
    metric.add(hits, np.ones(len(hits), int), by={"label": slices.tolist()}, clusters=own)
    metric.compute()
    assert metric.intervals["label=yes"]["top1"].apart.interval.method == "independent"
