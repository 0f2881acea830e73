"""Records of evaluations in which samples have no score: their counts are part of the claim."""

from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.records.canonical import canonical, digest_of
from mmeval_like.records.export import exported
from mmeval_like.records.pairing import paired
from mmeval_like.testing import LocalWorld
from tests.helpers.optional import requires
from tests.records.test_export import FACTS
from tests.records.test_recorded import SCHEMA

pytestmark = [
    pytest.mark.filterwarnings("ignore:intervals that promise less"),
    pytest.mark.filterwarnings("ignore:.*others do not count"),
]

POLICIES: tuple[Any, ...] = ("drop", 0, 1, "bounds")
KINDS = ("metric", "collection", "slices")
REASONS = (None, None, None, None, "error", "timeout")


def metrics(kind: str, policy: Any) -> Any:
    """A metric, two of them, or slices of these, that follow a rule."""
    if kind == "metric":
        return mm.Accuracy(interval=0.95, unscored=policy)
    members: dict[str, Any] = {"a": mm.Accuracy(interval=0.95)}
    if policy in ("drop", "bounds"):
        members["recall"] = mm.Recall(task="multiclass", num_classes=3, average=None)
    several = mm.MetricCollection(members, unscored=policy)
    return mm.Sliced(several, by=["g"]) if kind == "slices" else several


def samples(seed: int, count: int = 40) -> dict[str, Any]:
    """Predictions, labels, ids, groups and the reasons of some of them."""
    rng = np.random.default_rng(seed)
    reasons = [REASONS[at] for at in rng.integers(0, len(REASONS), count)]
    reasons[:2] = "error", "timeout"
    return {
        "predictions": rng.integers(0, 3, count),
        "labels": rng.integers(0, 3, count),
        "ids": rng.permutation(count),
        "g": np.array(["day", "night"])[rng.integers(0, 2, count)],
        "unscored": np.array(reasons, object),
    }


def record_of(kind: str, policy: Any, data: dict[str, Any], ranks: int = 1) -> dict[str, Any]:
    """The record of all ranks, which is one."""

    def run(backend: Any) -> dict[str, Any]:
        metric = mm.Recorded(metrics(kind, policy), dist_backend=backend)
        for part in range(2):
            some = {
                name: one[backend.rank + part * ranks :: 2 * ranks] for name, one in data.items()
            }
            by = {"by": {"g": some.pop("g").tolist()}}
            some["unscored"] = some["unscored"].tolist()
            metric.add(**some, **(by if kind == "slices" else {}))
        metric.compute()
        return metric.record()

    records = LocalWorld(ranks).run(run)
    assert len({canonical(record["claim"]) for record in records}) == 1
    return records[0]


def counted(data: dict[str, Any], which: str = "all") -> dict[str, Any]:
    """The number of samples of a slice, and by reason of those without a score."""
    chosen = [which in ("all", f"g={group}") for group in data["g"]]
    reasons = [why for why, own in zip(data["unscored"], chosen, strict=True) if own]
    known = Counter(why for why in reasons if why is not None)
    return {"count": len(reasons), "unscored": dict(known)}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_claim_has_the_counts(kind: str, policy: Any) -> None:
    """Of all samples and of every slice, on any ranks in any order, as its schema says.

    Garbage in place of a prediction without a score changes no byte of the claim.
    """
    for seed in range(3):
        data = samples(seed)
        record = record_of(kind, policy, data)
        found = record["claim"]["samples"]
        assert {"count": found["count"], "unscored": found["unscored"]} == counted(data)
        slices = {name: counted(data, name) for name in ("g=day", "g=night")}
        assert found.get("slices") == (slices if kind == "slices" else None)

        order = np.random.default_rng(seed).permutation(len(data["ids"]))
        other = {name: one[order] for name, one in data.items()}
        lost = np.array([why is not None for why in other["unscored"]])
        other["predictions"] = np.where(lost, -1, other["predictions"])
        for ranks in (1, 2, 3):
            again = record_of(kind, policy, other, ranks)
            assert again["claim"] == record["claim"]
            assert mm.verify(record, again) == []


def test_slices_in_a_collection_have_their_bounds() -> None:
    """Each number has the worst and the best value that the result has."""
    sliced = mm.Sliced(mm.Accuracy(unscored="bounds"), by=["g"])
    metric = mm.Recorded(mm.MetricCollection({"s": sliced}))
    groups = {"g": ["x", "x", "y", "y"]}
    metric.add([0, 1, 0, 7], [0, 0, 0, 0], by=groups, unscored=[None, None, None, "error"])
    result = metric.compute()

    numbers = metric.record()["claim"]["values"]["all"]["s"]
    for which in ("all", "g=x", "g=y"):
        ends = result.accounts["s"][which].bounds["top1"]
        assert (numbers[f"{which}/top1"]["worst"], numbers[f"{which}/top1"]["best"]) == tuple(
            map(repr, ends)
        )


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_takes_it(kind: str) -> None:
    """With the counts, and with the bounds of every number."""
    jsonschema = requires("jsonschema")
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    validator.check_schema(validator.schema)
    for policy in POLICIES:
        record = json.loads(canonical(record_of(kind, policy, samples(0))))
        assert [error.message for error in validator.iter_errors(record)] == []


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_count_or_reason_is_found(kind: str, policy: Any) -> None:
    """In the samples, which are named, or in the record: of all samples, or of one slice."""
    data = samples(4)
    record = record_of(kind, policy, data)
    lost = np.flatnonzero([why is not None for why in data["unscored"]])
    here = lost[-1]
    for why in (None, "limit"):
        reasons = data["unscored"].copy()
        reasons[here] = why
        found = [
            *map(str, mm.verify(record, record_of(kind, policy, {**data, "unscored": reasons})))
        ]
        assert f"rows: 1 changed: id {data['ids'][here]}" in found
        assert any(line.startswith("samples: unscored: ") for line in found)

    def changes(counts: dict[str, int]) -> None:
        for change in (
            lambda: counts.update(error=counts["error"] + 1),
            lambda: counts.update(refusal=counts.pop("timeout")),
            lambda: counts.pop("error"),
        ):
            before = dict(counts)
            change()
            # A forger also computes the id again.
            claimed = {**forged, "id": digest_of(forged["claim"])}
            for one in (forged, claimed):
                said = mm.verify(one, record)
                assert any(line.part == "samples" for line in said), said
            counts.clear()
            counts.update(before)

    forged = copy.deepcopy(record)
    changes(forged["claim"]["samples"]["unscored"])
    if kind == "slices":
        changes(forged["claim"]["samples"]["slices"]["g=day"]["unscored"])
    assert mm.verify(forged, record) == []


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", KINDS)
def test_exports_have_the_counts(kind: str, policy: Any) -> None:
    """In every form, and for every slice its own; also the bounds, and the number that was used."""
    data = samples(5)
    record = record_of(kind, policy, data)
    entries = exported(record, "hf", FACTS["hf"])
    results = exported(record, "eee", FACTS["eee"])["evaluation_results"]
    assert len(entries) == len(results) > 0
    for entry, result in zip(entries, results, strict=True):
        which = entry["dataset"]["task_id"].partition(" ")[2] or "all"
        wanted = counted(data, which)
        reasons = wanted["unscored"]
        scored = wanted["count"] - sum(reasons.values())
        uncertainty = result["score_details"].get("uncertainty", {"num_samples": wanted["count"]})
        n = uncertainty["num_samples"]  # of the interval, in both forms
        assert f"n = {n}, {scored} of {wanted['count']} scored; " in entry["notes"]
        for why, count in reasons.items():
            assert f"{count} {why}" in entry["notes"]
        details = result["score_details"]
        known = {name: int(text) for name, text in details["details"].items() if " " in name}
        assert known == {f"unscored {why}": count for why, count in reasons.items()}
        if "uncertainty" in details:
            used = scored if policy == "drop" else wanted["count"]
            assert details["uncertainty"]["num_samples"] == used
        if policy == "bounds":
            ends = [float(details["details"][end]) for end in ("worst", "best")]
            assert "from {:.4g} to {:.4g}".format(*ends) in entry["notes"]
            assert ends[0] <= details["score"] <= ends[1]
        else:
            assert not {"worst", "best"} & {*details["details"]}
    made = {"files": [{"name": "p.csv", "rows": 40, "digest": "0" * 32, "sha256": "1" * 64}]}
    statement = exported({**record, "made": {**record["made"], **made}}, "in-toto", {})
    assert statement["predicate"]["samples"] == record["claim"]["samples"]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", KINDS)
def test_two_records_are_paired_as_two_systems_are(kind: str, policy: Any) -> None:
    """The differences of a log of records are those of `Paired`, by every rule."""
    systems = [samples(seed, 60) | {"labels": samples(9, 60)["labels"]} for seed in (6, 7)]
    for data in systems:
        data["ids"] = np.arange(60)
        data["g"] = systems[0]["g"]
    made = []
    pair = mm.Paired(metrics(kind, policy), interval=0.95)
    for side, data in zip((pair.a, pair.b), systems, strict=True):
        given = {name: one.tolist() for name, one in data.items()}
        groups = {"g": given.pop("g")}
        by = {"by": groups} if kind == "slices" else {}
        made.append(mm.Recorded(metrics(kind, policy)))
        for one in (side, made[-1]):
            one.add(**given, **by)
    values = pair.compute()
    found = paired(*made)
    assert found
    for (which, name, number), (interval, p) in found.items():
        own: Any = values
        known: Any = pair.intervals
        for key in {"metric": (), "collection": (name,), "slices": (which, name)}[kind]:
            own, known = own[key], known[key]
        assert repr(interval) == repr(known[f"{number}_difference"])
        assert p == own[f"{number}_p"]


@pytest.mark.parametrize("policy", POLICIES)
def test_parts_that_are_merged_and_removed_have_their_counts(policy: Any, tmp_path: Path) -> None:
    """A record of merged, saved or reduced samples is that of the same samples added at once."""
    data = samples(8)

    def recorded(places: Any, ids: bool) -> mm.Recorded:
        one = mm.Recorded(metrics("slices", policy))
        some = {name: column[places].tolist() for name, column in data.items()}
        some |= {"by": {"g": some.pop("g")}}
        if not ids:
            del some["ids"]
        one.add(**some)
        return one

    def claim(one: mm.Recorded) -> Any:
        one.compute()
        return one.record()["claim"]

    every = np.arange(40)
    for ids in (True, False):
        first, second = recorded(every[:15], ids), recorded(every[15:], ids)
        both = first + second
        assert claim(both)["samples"] == claim(recorded(every, ids))["samples"]
        assert claim(both)["values"] == claim(recorded(every, ids))["values"]
        both.save(tmp_path / "s.safetensors")
        loaded = mm.Recorded(metrics("slices", policy))
        loaded.load(tmp_path / "s.safetensors")
        assert claim(loaded) == claim(both)
        if not ids:
            both.subtract(second)
            left, alone = claim(both), claim(first)
            assert {**left, "shards": 0} == {**alone, "shards": 0}
