"""Random programs with samples that have no score, against plain lists of the samples."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from tests.helpers.examples import examples

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*others do not count"),
    pytest.mark.filterwarnings("ignore:.*no samples were added"),
]

POLICIES: tuple[Any, ...] = ("drop", 0, "bounds")
REASONS = (None, None, None, None, "error", "timeout")
WINDOW, BUCKETS, POOL = 6, 3, 12
RIGHT = np.random.default_rng(0).random(POOL) < 0.5  # of samples with ids: whether they are right


@dataclass(frozen=True)
class Sample:
    """A sample: whether its prediction is right, its group, its id, why it has no score."""

    right: bool
    group: str
    id: int
    reason: str | None


def drawn(rng: np.random.Generator, most: int) -> list[Sample]:
    """Some random samples, of which a third have no score."""
    found = []
    for _ in range(rng.integers(0, most)):
        number = int(rng.integers(0, POOL))
        reason = REASONS[rng.integers(0, len(REASONS))]
        found.append(Sample(bool(RIGHT[number]), "xy"[number % 2], number, reason))
    return found


def expected(samples: Sequence[Sample], policy: Any) -> tuple[Any, ...]:
    """The value, the numbers, and the ends of the value over all that samples may have been."""
    known = [one.right for one in samples if one.reason is None]
    lost = [one.reason for one in samples if one.reason is not None]
    counted = [*known, *([False] * len(lost) if policy == 0 else [])]
    value = sum(counted) / len(counted) if counted else float("nan")
    ends = {}
    if policy == "bounds":
        fillings = itertools.combinations_with_replacement((False, True), len(lost))
        each = [sum((*known, *filling)) / len(samples) for filling in fillings]
        ends["top1"] = min(each), max(each)
    return value, len(samples), {why: lost.count(why) for why in sorted({*lost})}, ends


def check(result: Any, samples: Sequence[Sample], policy: Any) -> None:
    """Compare the values and accounts of both members, in all slices, with the lists."""
    assert result.planned == len(samples) == result.scored + sum(result.unscored.values())
    groups = {f"group={one.group}" for one in samples}
    assert {*result} == {"all", *groups}
    for which in result if samples else ():
        own = [one for one in samples if which in ("all", f"group={one.group}")]
        value, planned, counts, ends = expected(own, policy)
        for name in ("a", "b"):
            account, found = result.accounts[which][name], result[which][name]["top1"]
            assert found == pytest.approx(value, rel=0, abs=0, nan_ok=True), which
            assert (account.planned, account.unscored) == (planned, counts), which
            assert account.scored == planned - sum(counts.values())
            assert account.bounds == ends


@dataclass
class Rank:
    """One rank of a program: its metric, the samples that it should have, the parts of them."""

    kind: str
    policy: Any
    backend: Any
    rng: np.random.Generator
    samples: list[Sample] = field(default_factory=list)
    merged: list[tuple[Any, list[Sample]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.metric = self.make(self.backend)

    def make(self, backend: Any) -> Any:
        """Slices of two metrics that share their samples: of all of these, or of the last."""
        members = {"a": mm.Accuracy(), "b": mm.Accuracy(thrs=None)}
        sliced = mm.Sliced(mm.MetricCollection(members, unscored=self.policy), by="group")
        if self.kind == "windowed":
            return mm.Windowed(sliced, WINDOW, BUCKETS, dist_backend=backend)
        if self.kind == "running":
            return mm.Running(sliced, WINDOW, dist_backend=backend)
        return mm.Sliced(sliced.plan.inner.members, "group", backend)

    def add(self, metric: Any, samples: list[Sample]) -> None:
        """Add samples; a prediction without a score may be anything."""
        ids: dict[str, Any] = {}
        if self.kind == "ids":
            ids["ids"] = np.array([one.id for one in samples], int)
        groups = {"group": [one.group for one in samples]}
        reasons = [one.reason for one in samples]
        if samples and all(reasons):
            metric.add_unscored(reason=reasons, by=groups, **ids)
            return
        predictions = [one.right if one.reason is None else 7 for one in samples]
        metric.add(predictions, [1] * len(samples), by=groups, unscored=reasons, **ids)

    def step(self) -> None:
        """One thing that a program may do."""
        merges = self.kind in ("all", "ids")
        kinds = ["add", "add", "add", "failures", *["merge", "subtract", "state"] * merges]
        what = self.rng.choice(kinds)
        more = drawn(self.rng, 5)
        if what == "failures":
            more = [replace(one, reason=one.reason or "refusal") for one in more]
        if what in ("add", "failures"):
            self.add(self.metric, more)
            self.samples += more
        elif what == "state":
            self.metric.load_state_dict(self.metric.state_dict())
        elif what == "merge":
            other = self.make("non_dist")
            self.add(other, more)
            self.metric.merge(other)
            self.samples += more
            self.merged.append((other, more))
        elif self.merged and self.kind == "all":
            other, gone = self.merged.pop(self.rng.integers(len(self.merged)))
            self.metric.subtract(other)
            for one in gone:
                self.samples.remove(one)


def counted(kind: str, of_ranks: Sequence[list[Sample]]) -> list[Sample]:
    """Those samples of all ranks that count."""
    if kind == "windowed":
        size, found = WINDOW // BUCKETS, list[Sample]()
        for samples in of_ranks:
            count = len(samples)
            some = count if count <= WINDOW else WINDOW - size + (count - 1) % size + 1
            found += samples[count - some :]
        return found
    turns = itertools.zip_longest(*of_ranks)
    every = [one for turn in turns for one in turn if one is not None]
    if kind == "running":
        return every[-WINDOW:]
    if kind == "ids":
        best: dict[int, Sample] = {}
        for one in every:
            best[one.id] = min(best.get(one.id, one), one, key=lambda sample: sample.reason or "")
        return [*best.values()]
    return every


def run(kind: str, policy: Any, seed: int, folder: Path) -> None:
    """Check one program on 1 to 4 ranks, and on ranks that load what these saved."""
    size, other = map(int, np.random.default_rng(seed).integers(1, 5, 2))

    files = [folder / f"{seed}-{rank}.safetensors" for rank in range(size)]

    def program(backend: Any) -> list[Any]:
        rank = Rank(kind, policy, backend, np.random.default_rng([seed, backend.rank]))
        found = []
        for _ in range(2):
            for _ in range(rank.rng.integers(0, 6)):
                rank.step()
            found.append((rank.metric.compute(), [*rank.samples]))
        rank.metric.save(files[backend.rank])
        return found

    def resumed(backend: Any) -> Any:
        metric = Rank(kind, policy, backend, np.random.default_rng(seed)).metric
        metric.load(files)
        return metric.compute()

    for phase in zip(*LocalWorld(size).run(program), strict=True):
        wanted = counted(kind, [samples for _, samples in phase])
        for result, _ in phase:
            check(result, wanted, policy)
    for result in LocalWorld(other if kind in ("all", "ids") else size).run(resumed):
        check(result, wanted, policy)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", ["all", "ids", "windowed", "running"])
def test_programs_account_for_their_samples(kind: str, policy: Any, tmp_path: Path) -> None:
    """Whatever is added, merged, subtracted, loaded, saved: values, numbers and bounds are exact.

    On any ranks, and again on ranks that load what these saved: on another number of them, unless
    the last samples count, which are those of the ranks.
    """
    for seed in range(examples(12)):
        run(kind, policy, seed, tmp_path)
